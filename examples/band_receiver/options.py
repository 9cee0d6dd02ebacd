# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The options that the receiver and the server share."""

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from common import MOST_RATE, MOST_SECONDS, ExampleError, engine
from common.hertz import hertz, whole_hertz

LEAST_CHANNEL_RATE, MOST_CHANNEL_RATE = 1000, 192000
USUAL_RADIO_RATE = 2400000
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
                        help="a recording: SigMF, WAV, or raw samples, whose name ends in their "
                        "type, such as .cu8 or .cf32; - for the standard input; or a radio")
    parser.add_argument("--type", metavar="TYPE", default="",
                        help="of raw samples, such as cu8; wav or sigmf (default: by the name)")
    parser.add_argument("--freq", "--center", metavar="HZ", type=hertz,
                        help="the centre of the band, such as 446.1M (default: what the recording "
                        "or its name says, else 0)")
    parser.add_argument("--sample-rate", "--rate", metavar="HZ", type=whole_hertz,
                        help="a multiple of --channel-rate (default: what the recording or its "
                        "name says, else 2.4M)")
    parser.add_argument("--repeat", action="store_true", help="play the file over and over")
    parser.add_argument("--seconds", metavar="S", type=float,
                        help="stop after so much signal")
    radio = parser.add_argument_group("with --input rtl")
    radio.add_argument("--gain", metavar="DB", type=float, help="its gain (default: automatic)")
    radio.add_argument("--radio", metavar="ARGS",
                       help="which radio, as SoapySDR takes it (default: an RTL-SDR, else the "
                       "first one)")
    channels = parser.add_argument_group("the channels")
    channels.add_argument("--raster", metavar="HZ", type=hertz, default=25000.0,
                          help="their width, and how far they are apart (default 25000)")
    channels.add_argument("--raster-origin", metavar="HZ", type=hertz,
                          help="the frequency of one of them (default: the band's centre)")
    channels.add_argument("--channels", metavar="HZ,HZ...",
                          help="these channels alone, in place of the whole band")
    channels.add_argument("--channel-rate", metavar="HZ", type=whole_hertz,
                          help="samples a second of each channel (default: the part of "
                          "--sample-rate that is nearest to 48000)")
    engine.add_options(parser)


def check(args):
    """Refuse options that contradict each other or make no sense."""
    from_radio = args.input == "rtl"
    if from_radio and args.type:
        raise ExampleError("--type goes with a recording")
    for name in ("gain", "radio"):
        if getattr(args, name) is not None and not from_radio:
            raise ExampleError(f"--{name} goes with --input rtl")
    if from_radio and args.freq is None:
        raise ExampleError("--input rtl needs --freq, the band's centre in Hz")
    if args.repeat and args.input in ("rtl", "-"):
        raise ExampleError("--repeat goes with a file")
    if from_radio and args.sample_rate is None:
        args.sample_rate = USUAL_RADIO_RATE
    if args.sample_rate is not None and not 0 < args.sample_rate <= MOST_RATE:
        raise ExampleError(f"--sample-rate {args.sample_rate}: must be above 0, to {MOST_RATE}")
    if args.channels and args.raster_origin is not None:
        raise ExampleError("--channels and --raster-origin exclude each other")
    for name in ("gain", "seconds"):
        value = getattr(args, name)
        if value is not None and not math.isfinite(value):
            raise ExampleError(f"--{name} {value}: must be a finite number")
    if args.seconds is not None and not 0 < args.seconds <= MOST_SECONDS:
        raise ExampleError(f"--seconds {args.seconds:g}: must be above 0, to {MOST_SECONDS}")
    if from_radio and args.freq <= 0:
        raise ExampleError(f"--freq {args.freq:g}: must be above 0")


def open_recording(args):
    """
    The recording that --input names; None for a radio. Its rate and centre become those of the
    options that are not given.
    """
    if args.input == "rtl":
        return None
    from common.recording import Recording

    recording = Recording(args.input, args.type, args.sample_rate, args.freq)
    if recording.is_stream and args.repeat:
        raise ExampleError("--repeat goes with a file")
    for remark in recording.remarks:
        print(f"remark: {remark}", file=sys.stderr)
    args.sample_rate, args.freq = recording.rate, recording.centre
    return recording


def open_stream(args, recording, live):
    """
    The Stream of a recording or, if that is None, of the radio. live: whether a file is played at
    its sampling rate, like the stream of a radio.
    """
    from common import radio, streams
    from gnuradio import blocks

    if args.input == "rtl":
        return Stream(*radio.radio_source(args.radio or "", args.sample_rate, args.freq,
                                          args.gain, args.seconds))
    from common.recording import RecordingSource

    item, length = streams.FORMATS[recording.sample_format].item, recording.length
    steps = [RecordingSource(recording, args.repeat)]
    if args.seconds is not None:
        wanted = max(1, int(args.seconds * args.sample_rate))
        length = wanted if args.repeat or length is None else min(wanted, length)
        steps.append(blocks.head(item, length))
    elif args.repeat:
        length = None
    if live and not recording.is_stream:
        steps.append(blocks.throttle(item, args.sample_rate))
    block = steps[0] if len(steps) == 1 else streams.Chain("file", item, steps)
    name = "the standard input" if args.input == "-" else Path(args.input).name
    return Stream(block, recording.sample_format, length, name)
