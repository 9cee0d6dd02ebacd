# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Turns messages that tune a filter into messages that tune a channel of a bank."""

import pmt
from gnuradio import gr


def _has_none(message):
    """Whether a part of the message is None, which the functions of PMT cannot read."""
    rest = message
    while rest is not None and pmt.is_pair(rest):
        entry = pmt.car(rest)
        if entry is None or (pmt.is_pair(entry) and
                             (pmt.car(entry) is None or pmt.cdr(entry) is None)):
            return True
        rest = pmt.cdr(rest)
    return rest is None


class channel_tuner(gr.basic_block):
    """Connects what tunes a frequency-xlating filter to a channel of a filter bank.

    Message port freq (input): a pair (any key . frequency in Hz) or a dict with the key freq, as
    the filters take them; other messages are dropped. Message port freq (output): the pair
    (channel . frequency in Hz), for the port freq of a bank.

    Args:
        channel: the channel of the bank, 0 to 65535
    """

    def __init__(self, channel):
        gr.basic_block.__init__(self, name="channel_tuner", in_sig=None, out_sig=None)
        if not 0 <= channel <= 65535 or channel != int(channel):
            raise ValueError(f"parameter 'channel' is {channel}, but must be a whole number, 0 to "
                             "65535")
        self._channel = int(channel)
        self._port = pmt.intern("freq")
        self.message_port_register_in(self._port)
        self.message_port_register_out(self._port)
        self.set_msg_handler(self._port, self._tune)

    def channel(self):
        """The channel of the bank."""
        return self._channel

    def _tune(self, message):
        if _has_none(message):
            return
        value = pmt.PMT_NIL
        # PMT's dicts are lists of pairs, so is_dict() is true for a pair, too.
        if pmt.is_dict(message) and pmt.dict_has_key(message, self._port):
            value = pmt.dict_ref(message, self._port, pmt.PMT_NIL)
        elif pmt.is_pair(message):
            value = pmt.cdr(message)
        if pmt.is_real(value) or pmt.is_integer(value) or pmt.is_uint64(value):
            self.message_port_pub(self._port,
                                  pmt.cons(pmt.from_long(self._channel),
                                           pmt.from_double(float(pmt.to_python(value)))))
