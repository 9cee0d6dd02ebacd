# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
An automatic gain that works alike at every level, and never overshoots. GNU Radio's agc2_cc takes
the longer, the weaker the signal is; agc3_cc lets the first syllable after a pause through at many
times full scale; feedforward_agc_cc jumps.
"""

import math
from itertools import accumulate

import numpy as np
from gnuradio import gr

PIECE_S = 0.002  # the gain changes linearly over such a piece, of which it knows the next one
RELEASE_S = 0.5  # the time constant of a rising gain
MOST_GAIN = 1e5


class AutomaticGain(gr.sync_block):
    """Brings the peaks of a complex signal to one magnitude. The delay is two pieces."""

    def __init__(self, sample_rate, peak):
        gr.sync_block.__init__(self, "automatic gain", [np.complex64], [np.complex64])
        self.peak = peak
        self.piece = max(1, round(PIECE_S * sample_rate))
        self.fall = math.exp(-self.piece / (RELEASE_S * sample_rate))
        self.level, self.gain = peak / MOST_GAIN, MOST_GAIN  # at the end of the last piece
        nothing = np.zeros(self.piece, np.complex64)
        self.last = nothing  # the last whole piece, which has still to be output
        self.part = nothing[:0]  # of the piece that is not complete yet
        self.ready = nothing  # is output next

    def work(self, input_items, output_items):
        taken = np.concatenate([self.part, input_items[0]])
        whole = len(taken) // self.piece * self.piece
        self.part = taken[whole:]
        if whole:
            pieces = np.concatenate([self.last, taken[:whole]]).reshape(-1, self.piece)
            self.last = pieces[-1]
            self.ready = np.concatenate([self.ready, self._scaled(pieces).ravel()])
        count = len(output_items[0])
        output_items[0][:], self.ready = self.ready[:count], self.ready[count:]
        return count

    def _scaled(self, pieces):
        """All pieces but the last, whose level the gain only has to know."""
        peaks = np.abs(pieces[1:]).max(axis=1)
        levels = np.array(list(accumulate(
            peaks, lambda level, peak: max(peak, level * self.fall), initial=self.level)))
        # Where two pieces meet, the gain is right for both of them.
        loudest = np.maximum(np.maximum(levels[:-1], levels[1:]), self.peak / MOST_GAIN)
        gains = np.array([self.gain, *(self.peak / loudest)])
        self.level, self.gain = levels[-1], gains[-1]
        share = np.arange(1, self.piece + 1) / self.piece
        return pieces[:-1] * (gains[:-1, None] + np.diff(gains)[:, None] * share)
