# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A block that measures the power of many channels."""

import numpy as np
from gnuradio import gr

WINDOW_S = 0.01
FLOOR = 1e-15  # -150 dB, the lowest power that is reported


def decibels(power):
    return 10 * np.log10(np.maximum(power, FLOOR))


class Levels(gr.sync_block):
    """
    Has one input per channel. The signals are cut into windows of 10 ms. The squelch of a channel is
    open in a window whose mean power is above the threshold, in dB relative to full scale.
    """

    def __init__(self, channels, channel_rate, squelch):
        gr.sync_block.__init__(self, "channel levels", [np.complex64] * channels, None)
        self.window = max(1, round(WINDOW_S * channel_rate))
        self.squelch = squelch
        self.windows = 0
        self.energy = np.zeros(channels)  # total energy of the complete windows
        self.peak = np.zeros(channels)  # mean power of the loudest window
        self.last = np.zeros(channels)  # mean power of the last window
        self.recent = np.zeros(channels)  # as peak, since take()
        self.open_windows = np.zeros(channels, dtype=int)
        self.part = np.zeros(channels)  # energy of the window that is not complete yet
        self.filled = 0  # number of samples in that window

    def work(self, input_items, output_items):
        count = len(input_items[0])
        starts = [0, *range(self.window - self.filled, count, self.window)]
        sums = np.empty((len(input_items), len(starts)))
        for row, samples in zip(sums, input_items):
            row[:] = np.add.reduceat(samples.real ** 2 + samples.imag ** 2, starts,
                                     dtype=np.float64)
        sums[:, 0] += self.part
        self.filled = count - starts[-1] + (self.filled if len(starts) == 1 else 0)
        if self.filled == self.window:
            self.filled, self.part = 0, np.zeros(len(input_items))
        else:
            self.part, sums = sums[:, -1].copy(), sums[:, :-1]
        if sums.shape[1]:
            self._add(sums)
        return count

    def _add(self, sums):
        powers = sums / self.window
        self.windows += sums.shape[1]
        self.energy += sums.sum(axis=1)
        self.peak = np.maximum(self.peak, powers.max(axis=1))
        self.recent = np.maximum(self.recent, powers.max(axis=1))
        self.last = powers[:, -1].copy()
        self.open_windows += (powers > 10 ** (self.squelch / 10)).sum(axis=1)

    def take(self):
        """The mean power of each channel's loudest window since the last call."""
        taken, self.recent = self.recent, np.zeros_like(self.recent)
        return np.maximum(taken, self.last)

    def mean(self):
        """The mean power of each channel in dB, over all complete windows."""
        return decibels(self.energy / max(1, self.windows * self.window))

    def open_share(self):
        """The fraction of the time, 0 to 1, in which each channel's squelch was open."""
        return self.open_windows / max(1, self.windows)
