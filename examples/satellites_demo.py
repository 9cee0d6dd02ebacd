#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Takes many narrow channels out of one wide 8-bit stream with gr-cldsp and decodes their frames.

Without --input it makes the wide stream itself, from recordings of satellites if there are any,
otherwise from generated packets. It then checks that it decodes every frame in the stream.
"""

import argparse
import math
import os
import sys
import tempfile
from pathlib import Path

# The time of the filter bank is read from GNU Radio's performance counters. Their default clock
# counts only the block's thread, and would miss the time of OpenCL's threads.
os.environ["GR_CONF_PERFCOUNTERS_ON"] = "True"
os.environ["GR_CONF_PERFCOUNTERS_CLOCK"] = "monotonic"
os.environ.setdefault("GR_CONF_LOG_LOG_LEVEL", "warn")
# The times are those of the fastest engine from the first sample on.
os.environ.setdefault("GR_CONF_CLDSP_PLAN", "wait")

from common import MOST_RATE, MOST_SECONDS, ExampleError, counted, engine
from common.hertz import hertz, whole_hertz
from common.outcome import exit_status
from common.output import check_picture
from common.progress import Progress
from satellites import channels, packets

MISSING_FRAME = 1


def join_channels(arguments):
    """
    Joins --channel -312500:9600 to --channel=-312500:9600; argparse takes the former for two
    options.
    """
    joined = []
    for argument in arguments:
        if joined and joined[-1] == "--channel":
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def options():
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n\n", maxsplit=1)[0],
                                     allow_abbrev=False)
    parser.add_argument("--recordings", metavar="DIR", type=Path,
                        help="make the stream from the 48 kHz mono WAV files in this folder; the "
                        "variable CLDSP_RECORDINGS does the same; without either, from packets "
                        "that gen_packets makes")
    parser.add_argument("--input", metavar="FILE|rtl",
                        help="receive from a file of raw samples, whose name ends in their type, such "
                        "as .cu8 or .cf32, or from a radio; needs --channel")
    parser.add_argument("--channel", metavar="OFFSET_HZ:BAUD[:NAME]", action="append", default=[],
                        help="a channel of --input: offset from the centre, 1200 or 9600 baud; "
                        "give it once for each channel")
    parser.add_argument("--expect", metavar="N", type=int,
                        help="fail when fewer frames than this are decoded from --input")
    parser.add_argument("--sample-rate", metavar="HZ", type=whole_hertz, default=None,
                        help=f"of --input, a multiple of 48000 (default {channels.SAMPLE_RATE})")
    radio = parser.add_argument_group("with --input rtl")
    radio.add_argument("--freq", metavar="HZ", type=hertz, help="the radio's centre frequency")
    radio.add_argument("--gain", metavar="DB", type=float, help="its gain (default: automatic)")
    radio.add_argument("--seconds", metavar="S", type=float, help="how long (default 10)")
    radio.add_argument("--radio", metavar="ARGS",
                       help="which radio, as SoapySDR takes it, for example "
                       "driver=rtlsdr,serial=00000001 (default: an RTL-SDR, else the first one)")
    engine.add_options(parser)
    parser.add_argument("--output", metavar="DIR", type=Path, default=Path("demo-output"),
                        help="where the picture goes (default demo-output)")
    parser.add_argument("--keep", action="store_true",
                        help="keep the wide stream and each channel's audio there as well")
    args = parser.parse_args(join_channels(sys.argv[1:]))
    check(args)
    return args


def check(args):
    """Refuse options that contradict each other or make no sense."""
    from_radio = args.input == "rtl"
    if args.input is None:
        for name in ("channel", "expect", "sample_rate"):
            if getattr(args, name) not in (None, []):
                raise ExampleError(f"--{name.replace('_', '-')} goes with --input")
    elif args.recordings is not None:
        raise ExampleError("--recordings and --input exclude each other")
    elif not args.channel:
        raise ExampleError(f"--input {args.input} needs a --channel OFFSET_HZ:BAUD at least")
    for name in ("freq", "gain", "seconds", "radio"):
        if getattr(args, name) is not None and not from_radio:
            raise ExampleError(f"--{name} goes with --input rtl")
    if from_radio and args.freq is None:
        raise ExampleError("--input rtl needs --freq, the centre frequency in Hz")
    for name in ("freq", "gain", "seconds"):
        value = getattr(args, name)
        if value is not None and not math.isfinite(value):
            raise ExampleError(f"--{name} {value}: must be a finite number")
    args.seconds = 10.0 if args.seconds is None else args.seconds
    if not 0 < args.seconds <= MOST_SECONDS:
        raise ExampleError(f"--seconds {args.seconds:g}: must be above 0, to {MOST_SECONDS}")
    if from_radio and args.freq <= 0:
        raise ExampleError(f"--freq {args.freq:g}: must be above 0")
    if args.expect is not None and args.expect < 1:
        raise ExampleError(f"--expect {args.expect}: must be 1 or more")
    if args.sample_rate is None:
        args.sample_rate = channels.SAMPLE_RATE
    if not 2 * channels.AUDIO_RATE <= args.sample_rate <= MOST_RATE or \
            args.sample_rate % channels.AUDIO_RATE:
        raise ExampleError(f"--sample-rate {args.sample_rate}: must be a multiple of "
                           f"{channels.AUDIO_RATE}, for example 960000, 2016000 or 2400000, and "
                           f"{MOST_RATE} or less")
    args.channels = [channels.parse_channel(c, args.sample_rate) for c in args.channel]


def make_stream(args, folder):
    """Make the wide stream from recordings or generated packets, and return its channels."""
    from satellites import wideband

    recordings = args.recordings or os.environ.get("CLDSP_RECORDINGS") or None
    if recordings:
        found = wideband.recorded_channels(recordings)
        print(f"{counted(len(found), 'recording')} in {recordings}")
    else:
        found = wideband.generated_channels(folder)
        print(f"{counted(len(found), 'channel')} of packets from gen_packets; "
              "--recordings takes real ones")
    path = folder / "wideband.cu8"
    with Progress("making the stream") as progress:
        wideband.make(found, path, progress)
    return found, path


def run(args):
    # GNU Radio and the module are loaded only now, so that --help and errors in the options are
    # printed at once, also on machines without GNU Radio.
    from common import streams
    from satellites import picture, receiver, report

    png = args.output / "spectrum.png"
    check_picture("--output", png)
    with tempfile.TemporaryDirectory(prefix="satellites-") as temporary:
        folder = args.output if args.keep else Path(temporary)
        path, capture = None, None
        if args.input is None:
            args.channels, path = make_stream(args, folder)
        if args.input == "rtl":
            from common import radio

            source, sample_format, length, name, _ = radio.radio_source(
                args.radio or "", args.sample_rate, args.freq, args.gain, args.seconds)
            path = capture = folder / f"radio.{sample_format}"
            print(f"receiving from {name} at {args.freq / 1e6:g} MHz as {sample_format}")
        else:
            path = path or Path(args.input)
            sample_format = streams.format_of(path)
            source, length = streams.file_source(path, sample_format)

        top_block = receiver.Receiver(source, sample_format, length, args.sample_rate,
                                      args.channels, folder, engine.chosen(args), capture)
        with Progress("receiving") as progress:
            top_block.receive(progress)
        with Progress("decoding") as progress:
            decoded = []
            for k, (channel, audio) in enumerate(zip(args.channels, top_block.audio)):
                decoded.append(packets.atest(audio, channel.baud))
                progress.update((k + 1) / len(args.channels))
        results = top_block.results(decoded)
        work = top_block.work_done()
        line, complete = report.verdict(results, work.speed, args.expect)
        with Progress("drawing the spectrum"):
            picture.draw(path, sample_format, args.sample_rate, results, png,
                         report.title(results, args.sample_rate))

    report.table(results)
    automatic = args.device == args.variant == "auto"
    for sentence in report.engine(work, receiver.opencl_devices(), automatic):
        print(sentence)
    print(f"The spectrum is in {png}.")
    if args.keep:
        print(f"The stream and the audio of each channel are in {args.output}. Once more:")
        print(f"    {report.again(path, args.sample_rate, args.channels)}")
    print(line)
    return 0 if complete else MISSING_FRAME


if __name__ == "__main__":
    sys.exit(exit_status(lambda: run(options())))
