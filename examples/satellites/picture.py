#
# Copyright 2026 the gr-cldsp authors
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A picture of the wide stream: its averaged spectrum over its waterfall, channels marked."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from common.streams import FORMATS, to_complex

from .channels import AUDIO_RATE

BINS = 2048
ROWS = 700  # of the waterfall
BACKGROUND = "#0b1020"
INK = "#dbe4f3"
QUIET = "#8291ad"
TRACE = "#7fd4ff"
HEARD = "#7ee787"
MISSED = "#ff7b72"


def _powers(path, sample_format):
    """Power in each bin, for some hundred moments of the file; a row a moment."""
    raw = np.memmap(path, dtype=FORMATS[sample_format].part, mode="r")
    raw = raw[: len(raw) // 2 * 2].reshape(-1, 2)
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
    decoded, expected = result.decoded, result.channel.expected
    if expected is None:
        return f"{decoded} frame{'s' if decoded != 1 else ''}"
    return f"{decoded} of {expected} frame{'s' if expected != 1 else ''}"


def draw(path, sample_format, sample_rate, results, picture, title):
    """Write the picture of a file of raw samples to a PNG."""
    powers = _powers(path, sample_format)
    duration = path.stat().st_size / FORMATS[sample_format].item / sample_rate
    decibels = 10 * np.log10(powers)
    spectrum = 10 * np.log10(powers.mean(axis=0))
    frequency = (np.arange(len(spectrum)) / len(spectrum) - 0.5) * sample_rate / 1e3
    low, high = np.percentile(decibels, 20), np.percentile(decibels, 99.9)

    plt.rcParams.update({
        "font.family": "DejaVu Sans", "font.size": 11, "text.color": INK,
        "axes.labelcolor": QUIET, "axes.edgecolor": "#2a3550", "axes.facecolor": BACKGROUND,
        "xtick.color": QUIET, "ytick.color": QUIET, "figure.facecolor": BACKGROUND,
    })
    figure, (top, bottom) = plt.subplots(
        2, 1, figsize=(15, 9.5), sharex=True, gridspec_kw={"height_ratios": [1, 1.35]},
        layout="constrained")
    figure.get_layout_engine().set(h_pad=0.08, w_pad=0.12)
    figure.suptitle(title, fontsize=17, x=0.012, ha="left", weight="bold")

    floor, peak = np.percentile(spectrum, 5) - 4, spectrum.max()
    label_y = peak + 4
    top.plot(frequency, spectrum, color=TRACE, linewidth=0.9)
    top.fill_between(frequency, floor, spectrum, color=TRACE, alpha=0.18, linewidth=0)
    top.set_ylim(floor, label_y + 0.42 * (peak - floor) + 6)
    top.set_ylabel("power in a bin (dBFS)")
    top.grid(axis="y", color="#1b2540", linewidth=0.8)
    bottom.imshow(decibels, aspect="auto", origin="upper", cmap="inferno", vmin=low, vmax=high,
                  extent=(frequency[0], frequency[-1], duration, 0), interpolation="bilinear")
    bottom.set_ylabel("time (s)")
    bottom.set_xlabel("offset from the centre frequency (kHz)")
    bottom.set_xlim(frequency[0], frequency[-1])

    half = AUDIO_RATE / 2e3
    small = min(1.0, 10.0 / len(results))  # so that the labels of many channels stay apart
    for result in results:
        channel = result.channel
        centre, colour = channel.offset / 1e3, MISSED if result.missing else HEARD
        top.axvspan(centre - half, centre + half, color=colour, alpha=0.16, linewidth=0)
        for edge in (centre - half, centre + half):
            bottom.axvline(edge, color=colour, alpha=0.5, linewidth=0.8, linestyle=(0, (4, 4)))
        text = f"{channel.offset / 1e3:+.1f} kHz\n{channel.baud} baud\n{_frames(result)}"
        top.text(centre, label_y, text, ha="center", va="bottom", fontsize=9.5 * small,
                 color=QUIET, linespacing=1.45)
        top.text(centre, top.get_ylim()[1] - 1.5, channel.name, ha="center", va="top",
                 fontsize=11 * small, color=colour, weight="bold")
    for axes in (top, bottom):
        axes.tick_params(length=0)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.savefig(picture, dpi=110)
    plt.close(figure)
