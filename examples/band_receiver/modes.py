# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
The modes of a channel that is listened to: where in the channel each listens, and the chain of
blocks that makes audio of it. GNU Radio is loaded when a chain is made, so that a mistyped option
is answered at once.
"""

import math
from dataclasses import dataclass
from typing import Callable, Tuple

from common import ExampleError
from common.hertz import hertz

from .options import PASSBAND

AUDIO_PEAK = 0.7  # of full scale
ENVELOPE_PEAK = 1.25
DEVIATION = 0.2  # fraction of the raster's width: 5 kHz in 25 kHz, 2.5 kHz in 12.5 kHz
DEEMPHASIS_S = 75e-6  # the time constant of GNU Radio's own narrow-band receiver
CARRIER_NOTCH = 50  # Hz, the width of what the removal of an AM carrier takes from the audio
SIDEBAND_BEGIN = 100  # Hz from the tuned frequency, so that a carrier there is not heard
NARROWEST = 300  # Hz


def _frequency(channel_rate, raster):
    """Narrow-band FM, with full audio at the deviation of the raster."""
    from gnuradio import analog

    gain = AUDIO_PEAK * channel_rate / (2 * math.pi * DEVIATION * raster)
    return [analog.quadrature_demod_cf(gain), analog.fm_deemph(channel_rate, DEEMPHASIS_S)]


def _envelope(channel_rate, _raster):
    """AM: the envelope without the carrier, which is half of a full one, and less of noise."""
    from gnuradio import blocks, filter

    from .automatic_gain import AutomaticGain

    return [AutomaticGain(channel_rate, ENVELOPE_PEAK), blocks.complex_to_mag(),
            filter.dc_blocker_ff(round(channel_rate / CARRIER_NOTCH), True)]


def _sideband(channel_rate, _raster):
    """A sideband: its filter has left nothing of the other one."""
    from gnuradio import blocks

    from .automatic_gain import AutomaticGain

    return [AutomaticGain(channel_rate, AUDIO_PEAK), blocks.complex_to_real()]


@dataclass(frozen=True)
class Mode:
    """All widths are in Hz; those of a sideband are its own."""

    name: str
    side: int  # of the tuned frequency: 1 above, -1 below, 0 both
    usual: float  # the width at first; that of a channel of the raster, where that is narrower
    widths: Tuple[float, ...]  # that a list offers
    chain: Callable  # (channel rate, raster) -> the blocks from the passband to the audio

    def passband(self, width):
        """The ends of the passband, from the tuned frequency."""
        if self.side == 0:
            return -width / 2, width / 2
        return tuple(sorted((self.side * SIDEBAND_BEGIN, self.side * (SIDEBAND_BEGIN + width))))

    def width_to(self, end):
        """The width of the passband that has this outer end."""
        return 2 * abs(end) if self.side == 0 else self.side * end - SIDEBAND_BEGIN

    def widest(self, channel_rate):
        return self.width_to((self.side or 1) * PASSBAND * channel_rate / 2)

    def usual_width(self, channel_rate, raster):
        width = self.usual if self.side else min(self.usual, PASSBAND * raster)
        return self.nearest_width(width, channel_rate)

    def nearest_width(self, width, channel_rate):
        return max(NARROWEST, min(width, self.widest(channel_rate)))


SIDEBAND_WIDTHS = (500, 1200, 1800, 2400, 2700, 3000, 4000)
MODES = (
    Mode("nfm", 0, math.inf, (5000, 8000, 10500, 12500, 16000, 21000, 30000), _frequency),
    Mode("am", 0, 10000, (3000, 5000, 6000, 8000, 10000, 15000, 20000), _envelope),
    Mode("usb", 1, 2700, SIDEBAND_WIDTHS, _sideband),
    Mode("lsb", -1, 2700, SIDEBAND_WIDTHS, _sideband),
)
NAMES = [mode.name for mode in MODES]


def add_options(group):
    """Add the options to a group of an argument parser."""
    group.add_argument("--mode", default=NAMES[0],
                       help=f"{', '.join(NAMES[:-1])} or {NAMES[-1]} (default {NAMES[0]})")
    group.add_argument("--width", metavar="HZ", type=hertz,
                       help="of what is heard (default: a usual one of the mode, no wider than a "
                       "channel)")


def check(args):
    if args.mode.lower() not in NAMES:
        raise ExampleError(f"--mode {args.mode}: must be {', '.join(NAMES[:-1])} or {NAMES[-1]}")


def chosen(args, channel_rate):
    """The mode of the options, and the width; None for the usual one."""
    mode = MODES[NAMES.index(args.mode.lower())]
    widest = mode.widest(channel_rate)
    if args.width is not None and not NARROWEST <= args.width <= widest:
        raise ExampleError(f"--width {args.width:g}: must be {NARROWEST} to {widest:g} Hz, with "
                           f"{mode.name} in a channel of {channel_rate} samples a second")
    return mode, args.width
