# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Finds the source among the beams, and steers another beam to it."""

import numpy as np
import pmt
from gnuradio import gr

from .array import beams

SECTOR = 50.0  # degrees off broadside within which the source is searched
GATE = 8.0  # degrees that the source may have moved since the last look
WIDEST = 64.0  # degrees off broadside
# The number of looks by which the array is steered ahead. Half a look has passed on average when it
# ends, and samples in the flowgraph's buffers still have the beam of before.
AHEAD = 1.5
REMEMBERED = 6  # number of looks that the source's motion is computed from


def scan_directions(antennas):
    """
    The directions of the fixed beams in degrees. They are evenly spaced in the sine of the angle,
    in which all beams have the same width. With as many beams as antennas the beams overlap.
    """
    edge = np.sin(np.radians(WIDEST))
    return np.degrees(np.arcsin(np.linspace(-edge, edge, antennas)))


def matrix(antennas, steered):
    """The fixed beams, and one last beam that is steered."""
    return beams(antennas, np.append(scan_directions(antennas), steered))


class Tracker(gr.sync_block):
    """
    Takes the outputs of the beams. A look is a number of snapshots; after each look the block sends
    a matrix whose last beam points where the source will be.
    """

    def __init__(self, antennas, look):
        gr.sync_block.__init__(self, "tracker", [(np.complex64, antennas + 1)], [])
        self.message_port_register_out(pmt.intern("set_A"))
        self.antennas, self.look = antennas, look
        self.directions = scan_directions(antennas)
        self.matrix = matrix(antennas, 0.0)
        self.sums, self.counted = np.zeros(antennas), 0
        self.powers = []  # powers of the fixed beams, one row per look
        self.found = []  # the direction found in each look, in degrees
        self.sent = []  # the direction sent after each look, in degrees
        self.steered = []  # outputs of the steered beam

    def work(self, inputs, _outputs):
        items = inputs[0][:self.look - self.counted]
        self.sums += np.sum(np.abs(items[:, :-1]) ** 2, axis=0)
        self.steered.append(items[:, -1].copy())
        self.counted += len(items)
        if self.counted == self.look:
            self.powers.append(self.sums / self.look)
            self.sums, self.counted = np.zeros(self.antennas), 0
            self.steer()
        return len(items)

    def steer(self):
        self.found.append(self.find(self.powers[-1]))
        last = self.found[-REMEMBERED:]
        speed = np.polyfit(np.arange(len(last)), last, 1)[0] if len(last) > 2 else 0.0
        self.sent.append(float(np.clip(self.found[-1] + AHEAD * speed, -WIDEST, WIDEST)))
        self.matrix[-1] = beams(self.antennas, self.sent[-1])[0]
        rows = [pmt.init_c32vector(self.antennas, row.tolist()) for row in self.matrix]
        self.message_port_pub(pmt.intern("set_A"), vector(rows))

    def find(self, power):
        """The strongest direction near the last one, interpolated between the beams."""
        centre, width = (self.found[-1], GATE) if self.found else (0.0, SECTOR)
        near = np.abs(self.directions - centre) <= width
        peak = int(np.argmax(np.where(near, power, 0)))
        sines = np.sin(np.radians(self.directions))
        if 0 < peak < len(power) - 1:
            low, top, high = np.log(power[peak - 1:peak + 2])
            bend = low - 2 * top + high
            offset = np.clip(0.5 * (low - high) / bend, -1, 1) if bend < 0 else 0.0
        else:
            offset = 0.0
        sine = sines[peak] + offset * (sines[1] - sines[0])
        return float(np.degrees(np.arcsin(np.clip(sine, -1, 1))))


def vector(items):
    """A PMT vector with these items."""
    result = pmt.make_vector(len(items), pmt.PMT_NIL)
    for i, item in enumerate(items):
        pmt.vector_set(result, i, item)
    return result
