# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A block that computes some spectra a second of a stream, for a window to show."""

from collections import deque

import numpy as np
from gnuradio import gr

from .streams import FORMATS, to_complex

AVERAGED, MOST_POINTS = 4, 1 << 15  # transforms that are averaged for a spectrum; their samples
BIN_HZ = 400  # a bin's width at most: a channel of 12.5 kHz spans 31 bins or more
LEAST_BINS, MOST_BINS = 1 << 10, 1 << 16
MOST_ROWS = 200  # that wait for the window; older ones are dropped


def bins_for(sample_rate):
    """How many bins a band has, so that a narrow channel is seen well when it fills the window."""
    bins = LEAST_BINS
    while bins < MOST_BINS and sample_rate / bins > BIN_HZ:
        bins *= 2
    return bins


class LiveSpectrum(gr.sync_block):
    """
    Takes raw samples of a format, or complex floats if there is none. take() gives the spectra since
    the last call, in dB of full scale for each bin, lowest frequency first.
    """

    def __init__(self, sample_rate, bins, rows_per_second, sample_format=None):
        form = FORMATS[sample_format] if sample_format else None
        gr.sync_block.__init__(self, "live spectrum",
                               [(form.part, form.parts) if form else np.complex64], None)
        self.sample_format, self.bins = sample_format, bins
        self.averaged = max(1, min(AVERAGED, MOST_POINTS // bins))
        self.whole = self.averaged * bins
        # A slow stream gives fewer spectra.
        self.step = max(self.whole, round(sample_rate / rows_per_second))
        self.period = self.step / sample_rate  # seconds of signal from a spectrum to the next
        self.window = np.hanning(bins).astype(np.float32)
        self.gain = 10 * np.log10(np.sum(self.window) ** 2)
        self.rows = deque(maxlen=MOST_ROWS)
        self.taken, self.missing, self.skip = [], self.whole, 0

    def work(self, input_items, output_items):
        items, begin = input_items[0], 0
        while begin < len(items):
            if self.skip:
                count = min(self.skip, len(items) - begin)
                self.skip -= count
            else:
                count = min(self.missing, len(items) - begin)
                self.taken.append(items[begin:begin + count].copy())
                self.missing -= count
                if not self.missing:
                    self._transform(np.concatenate(self.taken))
                    self.taken, self.missing = [], self.whole
                    self.skip = self.step - self.whole
            begin += count
        return len(items)

    def _transform(self, items):
        samples = to_complex(items, self.sample_format) if self.sample_format else items
        spectrum = np.fft.fft(samples.reshape(self.averaged, self.bins) * self.window, axis=1)
        power = (np.abs(spectrum) ** 2).mean(axis=0)
        self.rows.append(10 * np.log10(np.fft.fftshift(power) + 1e-20) - self.gain)

    def take(self):
        rows = []
        while self.rows:
            rows.append(self.rows.popleft())
        return rows
