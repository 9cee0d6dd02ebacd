# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The options that the receiver and the server share."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from common import MOST_SECONDS, ExampleError, engine

LEAST_CHANNEL_RATE, MOST_CHANNEL_RATE = 1000, 192000
PASSBAND = 0.84  # of a channel's width: where its low-pass is 6 dB down


@dataclass
class Stream:
    """A source of raw samples."""

    block: Any
    sample_format: str
    length: Optional[int]  # number of samples; None if the stream has no end
    name: str
    gain: Optional[Any] = None  # the RadioGain of a radio

    @property
    def from_radio(self):
        return self.gain is not None


def add(parser):
    """Adds these options to an argument parser."""
    parser.add_argument("--input", metavar="FILE|rtl", required=True,
                        help="a file of raw samples, whose name ends in their type, such as "
                        ".cu8 or .cf32; or a radio")
    parser.add_argument("--freq", metavar="HZ", type=float,
                        help="the centre of the band (of a file: default 0)")
    parser.add_argument("--sample-rate", metavar="HZ", type=int, default=2400000,
                        help="a multiple of --channel-rate (default 2400000)")
    parser.add_argument("--repeat", action="store_true", help="play the file over and over")
    parser.add_argument("--seconds", metavar="S", type=float,
                        help="stop after so much signal")
    radio = parser.add_argument_group("with --input rtl")
    radio.add_argument("--gain", metavar="DB", type=float, help="its gain (default: automatic)")
    radio.add_argument("--radio", metavar="ARGS",
                       help="which radio, as SoapySDR takes it (default: an RTL-SDR, else the "
                       "first one)")
    channels = parser.add_argument_group("the channels")
    channels.add_argument("--raster", metavar="HZ", type=float, default=25000.0,
                          help="their width, and how far they are apart (default 25000)")
    channels.add_argument("--raster-origin", metavar="HZ", type=float,
                          help="the frequency of one of them (default: the band's centre)")
    channels.add_argument("--channels", metavar="HZ,HZ...",
                          help="these channels alone, in place of the whole band")
    channels.add_argument("--channel-rate", metavar="HZ", type=int, default=48000,
                          help="samples a second of each channel (default 48000)")
    engine.add_options(parser)


def check(args):
    """Refuse options that contradict each other or make no sense."""
    from_radio = args.input == "rtl"
    for name in ("gain", "radio"):
        if getattr(args, name) is not None and not from_radio:
            raise ExampleError(f"--{name} goes with --input rtl")
    if from_radio and args.freq is None:
        raise ExampleError("--input rtl needs --freq, the band's centre in Hz")
    if from_radio and args.repeat:
        raise ExampleError("--repeat goes with a file")
    if args.channels and args.raster_origin is not None:
        raise ExampleError("--channels and --raster-origin exclude each other")
    for name in ("freq", "gain", "seconds"):
        value = getattr(args, name)
        if value is not None and not math.isfinite(value):
            raise ExampleError(f"--{name} {value}: must be a finite number")
    if args.seconds is not None and not 0 < args.seconds <= MOST_SECONDS:
        raise ExampleError(f"--seconds {args.seconds:g}: must be above 0, to {MOST_SECONDS}")
    if from_radio and args.freq <= 0:
        raise ExampleError(f"--freq {args.freq:g}: must be above 0")


def open_stream(args, live):
    """
    The Stream that the options name. live: whether a file is played at its sampling rate, like the
    stream of a radio.
    """
    from common import radio, streams
    from gnuradio import blocks

    if args.input == "rtl":
        return Stream(*radio.radio_source(args.radio or "", args.sample_rate, args.freq,
                                          args.gain, args.seconds))
    path = Path(args.input)
    sample_format = streams.format_of(path)
    source, length = streams.file_source(path, sample_format, args.repeat)
    item = streams.FORMATS[sample_format].item
    steps = [source]
    if args.seconds is not None:
        wanted = max(1, int(args.seconds * args.sample_rate))
        length = wanted if args.repeat else min(wanted, length)
        steps.append(blocks.head(item, length))
    elif args.repeat:
        length = None
    if live:
        steps.append(blocks.throttle(item, args.sample_rate))
    block = steps[0] if len(steps) == 1 else streams.Chain("file", item, steps)
    return Stream(block, sample_format, length, path.name)
