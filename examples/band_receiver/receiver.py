# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The receiver's flowgraph, without a user interface."""

import math

import pmt
from common.streams import FORMATS
from gnuradio import gr

from .demodulator import Demodulator
from .levels import Levels
from .modes import MODES
from .recorder import Recorder


class Tuner(gr.basic_block):
    """
    Tunes one channel of a bank. Its input port takes a pair with a frequency of the band in Hz,
    as the Qt sinks send it for a double click; its output port gives the bank's message.
    """

    def __init__(self, band, channel, frequency, tuned=None):
        gr.basic_block.__init__(self, "tuner", None, None)
        self.band = band
        self.channel = channel
        self.tuned = tuned  # called with the frequency, from any thread
        self.frequency, self.offset = band.tunable(frequency)
        self.message_port_register_in(pmt.intern("freq"))
        self.message_port_register_out(pmt.intern("freq"))
        self.set_msg_handler(pmt.intern("freq"), self._clicked)

    def _clicked(self, message):
        if pmt.is_pair(message) and pmt.is_number(pmt.cdr(message)):
            number = pmt.to_python(pmt.cdr(message))
            if not isinstance(number, complex) and math.isfinite(number):
                self.tune(self.band.nearest(number))

    def tune(self, frequency):
        """Tune to a frequency in Hz, or as near as the band allows."""
        self.frequency, self.offset = self.band.tunable(frequency)
        self.message_port_pub(pmt.intern("freq"),
                              pmt.cons(pmt.from_long(self.channel),
                                       pmt.from_double(self.offset)))
        if self.tuned is not None:
            self.tuned(self.frequency)


class BandReceiver(gr.top_block):
    """
    stream -> filter bank, with an output for each channel of the band, whose levels are measured,
    and one more output, the channel that the tuner tunes and the user listens to: its audio goes to
    a recorder, and to any other sink.
    """

    def __init__(self, stream, band, engine, squelch, frequency, mode=MODES[0], width=None):
        super().__init__("band receiver")
        self.stream = stream
        self.band = band
        count = len(band.channels)
        self.tuner = Tuner(band, count, frequency)
        self.bank = FORMATS[stream.sample_format].bank(
            band.decimation, band.taps(), [*band.offsets, self.tuner.offset], band.sample_rate,
            **engine)
        # Only now, because a bank of channels that are alike may start with a faster plan.
        self.bank.update_taps([*[band.taps()] * count, band.wide_taps()])
        self.levels = Levels(count, band.channel_rate, squelch)
        self.demodulator = Demodulator(band.channel_rate, band.raster, squelch, mode, width)
        self.recorder = Recorder(band.channel_rate)
        self.connect(stream.block, self.bank)
        for k in range(count):
            self.connect((self.bank, k), (self.levels, k))
        self.connect((self.bank, count), self.demodulator, self.recorder)

    def allow_tuning(self):
        """
        Let the tuner's messages reach the bank. A flowgraph with a block for messages alone does
        not end with its stream: stop() it.
        """
        self.msg_connect(self.tuner, "freq", self.bank, "freq")

    def tuned_output(self):
        """The output of the bank whose channel is listened to."""
        return self.bank, len(self.band.channels)

    def set_squelch(self, squelch):
        """Set every channel's threshold, in dB relative to full scale."""
        self.levels.squelch = squelch
        self.demodulator.squelch.set_threshold(squelch)

    def fraction(self):
        return self.bank.nitems_read(0) / self.stream.length
