# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The band's waterfall, computed from a stream of a known length."""

import numpy as np
from common.streams import FORMATS, to_complex
from gnuradio import gr

BINS = 2048
ROWS = 700
AVERAGED = 6  # number of transforms that are averaged for a row


class Waterfall(gr.sync_block):
    """Takes raw samples; powers() gives a spectrum for each of a few hundred moments."""

    def __init__(self, sample_format, length):
        form = FORMATS[sample_format]
        gr.sync_block.__init__(self, "waterfall", [(form.part, form.parts)], None)
        self.sample_format = sample_format
        self.bins = min(BINS, 1 << (length.bit_length() - 1))
        self.rows = max(1, min(ROWS, length // self.bins))
        self.step = length // self.rows
        self.averaged = max(1, min(AVERAGED, self.step // self.bins))
        self.window = np.hanning(self.bins).astype(np.float32)
        self.spectra = []
        self.position = 0
        self.taken = []  # the parts of the row that is not complete yet
        self.missing = self.averaged * self.bins

    def work(self, input_items, output_items):
        items = input_items[0]
        end = self.position + len(items)
        while len(self.spectra) < self.rows:
            whole = self.averaged * self.bins
            begin = len(self.spectra) * self.step + whole - self.missing
            if begin >= end:
                break
            part = items[begin - self.position:][:self.missing]
            self.taken.append(part.copy())
            self.missing -= len(part)
            if self.missing:
                break
            self._transform(np.concatenate(self.taken))
            self.taken, self.missing = [], whole
        self.position = end
        return len(items)

    def _transform(self, items):
        samples = to_complex(items, self.sample_format).reshape(self.averaged, self.bins)
        spectrum = np.abs(np.fft.fft(samples * self.window, axis=1)) ** 2
        self.spectra.append(np.fft.fftshift(spectrum.mean(axis=0)) / np.sum(self.window) ** 2)

    def powers(self):
        """Power in each bin relative to full scale; one row per moment, lowest frequency first."""
        return np.array(self.spectra or [np.zeros(self.bins)], dtype=np.float32) + 1e-12
