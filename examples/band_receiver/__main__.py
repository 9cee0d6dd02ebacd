# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Every channel of a band from one RTL-SDR or file: a live waterfall of the band and of the selected
channel. With --headless it needs no display, and gives a table of the channels' power, a picture of
the band, and the audio of the selected channel in a file.
"""

import argparse
import math
import os
import sys
from pathlib import Path

os.environ.setdefault("GR_CONF_LOG_LOG_LEVEL", "warn")
# This folder is a package, and its modules are imported from the folder above.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from band_receiver import modes, options
from common import ExampleError, counted, engine
from common.hertz import hertz
from common.outcome import exit_status
from common.output import check_file, check_folder, check_picture
from common.progress import Progress, watch

HEADLESS_SECONDS = 10.0  # the duration of a reception that has no end of its own
STALLED_S = 10.0  # seconds without a sample from a radio, after which it counts as stalled


def parse():
    parser = argparse.ArgumentParser(prog="band_receiver", description=__doc__.strip(),
                                     allow_abbrev=False)
    options.add(parser)
    listening = parser.add_argument_group("the channel listened to")
    listening.add_argument("--tune", metavar="HZ", type=hertz,
                           help="its frequency (default: that of the middle channel)")
    listening.add_argument("--squelch", metavar="DB", type=float, default=-45.0,
                           help="of every channel, relative to full scale (default -45)")
    modes.add_options(listening)
    parser.add_argument("--record-folder", metavar="DIR", type=Path,
                        help="where the window's recordings go (default: this folder)")
    parser.add_argument("--headless", action="store_true", help="no display and no sound")
    parser.add_argument("--output", metavar="DIR", type=Path,
                        help="with --headless: where band.png and channel.wav go (default "
                        "band-output)")
    parser.add_argument("--screenshot", metavar="FILE.png", type=Path,
                        help="save the window when it closes")
    args = parser.parse_args()
    options.check(args)
    modes.check(args)
    if args.output is not None and not args.headless:
        raise ExampleError("--output goes with --headless")
    if args.screenshot is not None and args.headless:
        raise ExampleError("--screenshot needs the window, and --headless has none")
    if args.record_folder is not None and args.headless:
        raise ExampleError("--record-folder goes with the window; with --headless, --output is "
                           "where the audio goes")
    if not math.isfinite(args.squelch):
        raise ExampleError(f"--squelch {args.squelch}: must be a finite number")
    args.output = args.output or Path("band-output")
    return args


def run(args):
    # GNU Radio is loaded only now, so that a mistyped option is answered at once.
    from band_receiver import band as bands
    from band_receiver.receiver import BandReceiver

    recording = options.open_recording(args)
    endless = args.repeat or recording is None or recording.length is None
    if args.headless and args.seconds is None and endless:
        args.seconds = HEADLESS_SECONDS
    band = bands.make_band(args)
    mode, width = modes.chosen(args, band.channel_rate)
    frequency = band.channels[len(band.channels) // 2].frequency
    if args.tune is not None:
        frequency = args.tune
        if abs(frequency - band.centre) > band.limit():
            raise ExampleError(f"--tune {frequency:.15g}: not in the band")
    png, wav = args.output / "band.png", args.output / "channel.wav"
    if args.screenshot:
        check_file("--screenshot", args.screenshot, [".png"])
    if args.record_folder:
        check_folder("--record-folder", args.record_folder)
    if args.headless:
        check_picture("--output", png)
        check_file("--output", wav, [".wav"])
    if not args.headless:
        from common.qt import need_display

        need_display("--headless needs none")
    stream = options.open_stream(args, recording, live=not args.headless)
    receiver = BandReceiver(stream, band, engine.chosen(args), args.squelch, frequency,
                            mode, width)
    print(f"{counted(len(band.channels), 'channel')} from {stream.name}")
    print(f"The bank's plan: {receiver.bank.plan()}")
    if args.headless:
        return headless(receiver, png, wav)
    from band_receiver import gui

    return gui.run(receiver, args.squelch, args.record_folder or Path(), args.screenshot)


def headless(receiver, png, wav):
    from band_receiver import report
    from band_receiver.waterfall import Waterfall

    stream, band = receiver.stream, receiver.band
    receiver.recorder.begin(wav)
    waterfall = Waterfall(stream.sample_format, stream.length)
    receiver.connect(stream.block, waterfall)
    with Progress("receiving") as progress:
        alive = watch(receiver, progress, receiver.fraction,
                      STALLED_S if stream.from_radio else None)
        receiver.recorder.close()
        if not alive:
            raise ExampleError(f"no sample arrived for {STALLED_S:.0f} s")
    if receiver.recorder.failure:
        raise ExampleError(f"--output: {receiver.recorder.failure}")
    with Progress("drawing the band"):
        report.picture(band, receiver.levels, waterfall.powers(),
                       stream.length / band.sample_rate, png)
    report.table(band, receiver.levels)
    print(f"The band is in {png}, and {receiver.tuner.frequency / 1e6:.6f} MHz in {wav}.")
    busy = sum(share > 0 for share in receiver.levels.open_share())
    print(f"{busy} of {len(band.channels)} channels busy")
    return 0


if __name__ == "__main__":
    sys.exit(exit_status(lambda: run(parse())))
