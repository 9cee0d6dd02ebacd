# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""What is between a channel and its audio, in a mode and with a width that may change."""

from gnuradio import analog, blocks, filter, gr
from gnuradio.filter import firdes

from .modes import MODES

SQUELCH_ALPHA = 1e-3
STEEPNESS = 0.1  # the width of the passband's edges, as a fraction of its own
MOST_PARTS = 480  # of the channel's rate: edges are no narrower, which bounds the taps


class Demodulator(gr.hier_block2):
    """
    A channel -> the mode's passband -> squelch -> the mode's chain -> audio at the channel's rate.
    Each mode keeps the width that it had; that of the first one may be given.
    """

    def __init__(self, channel_rate, raster, squelch, mode=MODES[0], width=None):
        super().__init__("demodulator", gr.io_signature(1, 1, gr.sizeof_gr_complex),
                         gr.io_signature(1, 1, gr.sizeof_float))
        self.channel_rate, self.mode = channel_rate, mode
        self._widths = {m: m.usual_width(channel_rate, raster) for m in MODES}
        if width is not None:
            self._widths[mode] = width
        self._filter = filter.fir_filter_ccc(1, self._taps())
        self.squelch = analog.pwr_squelch_cc(squelch, SQUELCH_ALPHA, channel_rate // 200, False)
        self.connect(self, self._filter, self.squelch)
        # All chains run, because a flowgraph that runs keeps its shape; one of them is heard.
        # They are kept here, because GNU Radio keeps no Python object.
        self._chains = {c: c(channel_rate, raster) for c in dict.fromkeys(m.chain for m in MODES)}
        self._gates, heard = {}, blocks.add_ff()
        for k, (chain, steps) in enumerate(self._chains.items()):
            self._gates[chain] = blocks.multiply_const_ff(float(chain is mode.chain))
            self.connect(self.squelch, *steps, self._gates[chain], (heard, k))
        self.connect(heard, self)

    @property
    def width(self):
        return self._widths[self.mode]

    def passband(self):
        """The ends of the passband in Hz from the tuned frequency."""
        return self.mode.passband(self.width)

    def set_mode(self, mode):
        self.mode = mode
        for chain, gate in self._gates.items():
            gate.set_k(float(chain is mode.chain))
        self._filter.set_taps(self._taps())

    def set_width(self, width):
        """Set the width in Hz, or the nearest that the mode and the channel's rate allow."""
        self._widths[self.mode] = self.mode.nearest_width(width, self.channel_rate)
        self._filter.set_taps(self._taps())

    def _taps(self):
        edge = max(STEEPNESS * self.width, self.channel_rate / MOST_PARTS)
        return firdes.complex_band_pass(1.0, self.channel_rate, *self.passband(), edge)
