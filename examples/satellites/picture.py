# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A picture of the wide stream: its averaged spectrum over its waterfall, channels marked."""

import numpy as np
from common.colours import HEARD, INK, MISSED
from common.picture import BandPicture
from common.streams import FORMATS, to_complex

from .channels import AUDIO_RATE

BINS = 2048
ROWS = 700  # rows of the waterfall
LABEL_SIZE = 13


def _powers(path, sample_format):
    """Power in each bin, for a few hundred moments of the file; one row per moment."""
    form = FORMATS[sample_format]
    raw = np.memmap(path, dtype=form.part, mode="r")
    raw = raw[: len(raw) // form.parts * form.parts].reshape(-1, form.parts)
    bins = min(BINS, 1 << (len(raw).bit_length() - 1))
    rows = max(1, min(ROWS, len(raw) // bins))
    step = len(raw) // rows
    averaged = max(1, min(6, step // bins))
    window = np.hanning(bins).astype(np.float32)
    gain = np.sum(window) ** 2
    powers = np.empty((rows, bins), dtype=np.float32)
    for row in range(rows):
        block = raw[row * step : row * step + averaged * bins]
        samples = to_complex(block, sample_format).reshape(averaged, bins)
        spectrum = np.abs(np.fft.fft(samples * window, axis=1)) ** 2
        powers[row] = np.fft.fftshift(spectrum.mean(axis=0)) / gain
    return powers + 1e-12


def _frames(result):
    """Decoded frames, of those that are in the stream if that is known."""
    decoded, expected = result.decoded, result.channel.expected
    return f"{decoded}" if expected is None else f"{decoded}/{expected}"


def draw(path, sample_format, sample_rate, results, picture, title):
    """Write the picture of a file of raw samples to a PNG."""
    powers = _powers(path, sample_format)
    duration = path.stat().st_size / FORMATS[sample_format].item / sample_rate
    frequency = (np.arange(powers.shape[1]) / powers.shape[1] - 0.5) * sample_rate / 1e3
    drawn = BandPicture(powers, frequency, duration, title,
                        "offset from the centre frequency (kHz)")
    size = LABEL_SIZE * min(1.0, 10.0 / len(results))  # keeps those of many channels apart
    for k, result in enumerate(sorted(results, key=lambda result: result.channel.offset)):
        channel = result.channel
        centre, colour = channel.offset / 1e3, MISSED if result.missing else HEARD
        drawn.mark(centre, AUDIO_RATE / 2e3, colour)
        # A name may be longer than the room between two channels: every other one is higher.
        for text, line, ink, weight in ((_frames(result), 0, INK, "normal"),
                                        (channel.name, 1 + k % 2, colour, "bold")):
            drawn.top.annotate(text, (centre, drawn.label_y), (0, 1.5 * size * line),
                               textcoords="offset points", ha="center", va="bottom",
                               fontsize=size, color=ink, weight=weight)
    drawn.top.annotate("frames", (drawn.top.get_xlim()[0], drawn.label_y), (6, 0),
                       textcoords="offset points", va="bottom", fontsize=size, color=INK)
    drawn.save(picture)
