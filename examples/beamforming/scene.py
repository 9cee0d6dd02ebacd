# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The signals at the antennas: a moving source, a strong fixed interferer, and noise."""

import numpy as np
from gnuradio import gr

from .array import response

SWEEP = 45.0  # degrees; the source moves from one side to the other
INTERFERER = 62.0  # degrees
INTERFERER_LEVEL = 10.0  # dB above the source
# The number of snapshots for which the directions stay constant.
STEP = 100


def direction_at(snapshot, snapshots):
    """The direction of the source, in degrees off broadside."""
    return -SWEEP * np.cos(np.pi * np.asarray(snapshot) / snapshots)


class Antennas(gr.sync_block):
    """One item is a snapshot: what all antennas receive at one moment."""

    def __init__(self, antennas, snapshots, snr, seed):
        gr.sync_block.__init__(self, "antennas", [], [(np.complex64, antennas)])
        self.antennas, self.snapshots = antennas, snapshots
        self.random = np.random.default_rng(seed)
        self.noise = np.float32(10 ** (-snr / 20) / np.sqrt(2))
        # Phase-shift keying with one symbol per snapshot and a power of 1.
        symbols = self.random.integers(0, 4, snapshots)
        self.signal = np.exp(1j * np.pi / 2 * (symbols + 0.5)).astype(np.complex64)
        self.fixed = (10 ** (INTERFERER_LEVEL / 20)
                      * response(antennas, INTERFERER)[0]).astype(np.complex64)
        self.position = 0

    def complex_noise(self, *shape):
        parts = self.random.standard_normal((*shape, 2), np.float32)
        return parts.view(np.complex64)[..., 0]

    def work(self, _inputs, outputs):
        out = outputs[0]
        if self.position == self.snapshots:
            return -1
        end = min(self.position + len(out), (self.position // STEP + 1) * STEP, self.snapshots)
        count = end - self.position
        direction = direction_at(self.position // STEP * STEP, self.snapshots)
        moving = response(self.antennas, direction)[0].astype(np.complex64)
        received = self.noise * self.complex_noise(count, self.antennas)
        received += self.signal[self.position:end, None] * moving
        received += (self.complex_noise(count) / np.float32(np.sqrt(2)))[:, None] * self.fixed
        out[:count] = received
        self.position = end
        return count
