# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Narrow-band FM, made of blocks that every GNU Radio has."""

import math

from gnuradio import analog, gr

DEVIATION = 0.2  # fraction of the raster's width: 5 kHz in 25 kHz, 2.5 kHz in 12.5 kHz
AUDIO_PEAK = 0.7  # of full scale, at that deviation
SQUELCH_ALPHA = 1e-3
DEEMPHASIS_S = 75e-6  # the time constant of GNU Radio's own narrow-band receiver


class FmReceiver(gr.hier_block2):
    """A channel -> squelch -> FM demodulator -> de-emphasis -> audio at the channel's rate."""

    def __init__(self, channel_rate, raster, squelch):
        super().__init__("FM receiver", gr.io_signature(1, 1, gr.sizeof_gr_complex),
                         gr.io_signature(1, 1, gr.sizeof_float))
        self.squelch = analog.pwr_squelch_cc(squelch, SQUELCH_ALPHA, channel_rate // 200, False)
        gain = AUDIO_PEAK * channel_rate / (2 * math.pi * DEVIATION * raster)
        self.connect(self, self.squelch, analog.quadrature_demod_cf(gain),
                     analog.fm_deemph(channel_rate, DEEMPHASIS_S), self)
