# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Samples from a radio, through SoapySDR."""

from gnuradio import blocks

from . import ExampleError
from .streams import FORMATS, Chain

# SoapySDR's stream format -> gr-soapy's type and the format of these examples.
SOAPY_FORMATS = {"CS8": ("sc8", "cs8"), "CS16": ("sc16", "cs16"), "CF32": ("fc32", "cf32")}
NOT_A_RADIO = ("audio", "null")


def find(arguments):
    """
    Ask SoapySDR for the radios that match arguments ("driver=rtlsdr", or "" for any), prefer an
    RTL-SDR, and return its arguments as one text, and its name for messages.
    """
    try:
        import SoapySDR
    except ImportError as error:
        raise ExampleError(
            f"--input rtl needs SoapySDR's Python module ({error}): install python3-soapysdr"
        ) from error
    SoapySDR.setLogLevel(SoapySDR.SOAPY_SDR_ERROR)
    try:
        found = [dict(radio) for radio in SoapySDR.Device.enumerate(arguments)]
    except (RuntimeError, ValueError) as error:
        raise ExampleError(f"SoapySDR could not look for radios: {error}") from error
    radios = [radio for radio in found if radio.get("driver") not in NOT_A_RADIO]
    if not radios:
        matching = f" that matches {arguments!r}" if arguments else ""
        raise ExampleError(
            f"--input rtl: SoapySDR finds no radio{matching}. Is it plugged in, and is its "
            "driver installed (soapysdr-module-rtlsdr for an RTL-SDR)?"
        )
    radios.sort(key=lambda radio: radio.get("driver") != "rtlsdr")
    radio = radios[0]
    text = ",".join(f"{key}={value}" for key, value in radio.items() if "," not in value)
    return text, radio.get("label") or radio["driver"]


def _stream_format(arguments):
    """The radio's first stream format that one of the blocks takes. Drivers list the radio's own
    format first."""
    import SoapySDR

    radio = SoapySDR.Device(arguments)
    offered = radio.getStreamFormats(SoapySDR.SOAPY_SDR_RX, 0)
    radio.close()
    for name in offered:
        if name in SOAPY_FORMATS:
            return SOAPY_FORMATS[name]
    raise ExampleError(f"the radio {arguments} offers only the formats {', '.join(offered)}")


class RadioGain:
    """The gain of a radio in dB, through its source block: least to most, or automatic."""

    def __init__(self, source):
        self.source = source
        ends = source.get_gain_range(0)
        self.least, self.most = ends.minimum(), ends.maximum()
        self.has_automatic = source.has_gain_mode(0)

    def automatic(self):
        return self.has_automatic and self.source.get_gain_mode(0)

    def value(self):
        return self.source.get_gain(0)

    def set(self, gain):
        if not self.least <= gain <= self.most:
            # gr-soapy would log this, and keep the gain.
            raise ExampleError(f"--gain {gain:g}: must be {self.least:g} to {self.most:g} dB for "
                               "this radio")
        if self.has_automatic:
            self.source.set_gain_mode(0, False)
        self.source.set_gain(0, gain)

    def set_automatic(self):
        if self.has_automatic:
            self.source.set_gain_mode(0, True)


def radio_source(arguments, sample_rate, frequency, gain, seconds):
    """
    A block that delivers a number of seconds from the radio, its sample format, the number of
    samples, the name of the radio, and its RadioGain. If seconds is None, the stream has no end,
    and the number of samples is None. If gain is None, it is automatic.
    """
    arguments, name = find(arguments)
    try:
        from gnuradio import soapy
    except ImportError as error:
        raise ExampleError(f"--input rtl needs GNU Radio's gr-soapy: {error}") from error
    try:
        soapy_type, sample_format = _stream_format(arguments)
        radio = soapy.source(arguments, soapy_type, 1, "", "", [""], [""])
        radio.set_sample_rate(0, sample_rate)
        radio.set_frequency(0, frequency)
        control = RadioGain(radio)
        if gain is None:
            control.set_automatic()
        else:
            control.set(gain)
    except (RuntimeError, ValueError) as error:
        raise ExampleError(f"the radio {arguments} refused: {error}") from error
    if seconds is None:
        return radio, sample_format, None, name, control
    length = int(sample_rate * seconds)
    item = FORMATS[sample_format].item
    stream = Chain("radio", item, [radio, blocks.head(item, length)])
    return stream, sample_format, length, name, control
