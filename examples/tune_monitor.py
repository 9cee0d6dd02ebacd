#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Shows which part of what the device can do the blocks of a flowgraph reach, and tunes them.

Noise streams through filters of several sizes. Each filter has a bar: the operations per second of
its kernel as a part of the device's peak. The button tunes the kernels; the blocks take over the
results while the stream continues.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

os.environ.setdefault("GR_CONF_LOG_LOG_LEVEL", "warn")

from common import ExampleError
from common.hertz import hertz
from common.outcome import CANNOT_RUN, exit_status
from common.output import check_file

SETTLE_MS = 2000
MOST_SECONDS = (2 ** 31 - 1) // 1000  # a timer of Qt counts milliseconds in 32 bits


def options():
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n\n", maxsplit=1)[0],
                                     allow_abbrev=False)
    parser.add_argument("--device", help="gpu, cpu, host, auto, P:D or part of a name (default: "
                        "the first OpenCL device, or the host)")
    parser.add_argument("--variant", default="auto", help="the kernel variant (default auto)")
    parser.add_argument("--sample-rate", type=hertz, default=1e6, metavar="HZ",
                        help="10e3 to 100e6 (default 1e6)")
    parser.add_argument("--budget", type=float, default=20.0, metavar="S",
                        help="seconds of a tuning, 0.1 to 3600 (default 20)")
    parser.add_argument("--strategy", default="annealing",
                        help="how points are chosen (default annealing)")
    parser.add_argument("--tune", action="store_true", help="tune as soon as the stream runs")
    parser.add_argument("--seconds", type=float, help="close after streaming that long")
    parser.add_argument("--screenshot", type=Path, metavar="FILE.png",
                        help="tune, save the window, and close")
    return parser


def check(args):
    if not 10e3 <= args.sample_rate <= 100e6:
        raise ExampleError(f"--sample-rate is {args.sample_rate:g}, but must be 10e3 to 100e6")
    if args.seconds is not None and not 0 < args.seconds <= MOST_SECONDS:
        raise ExampleError(f"--seconds is {args.seconds:g}, but must be above 0, to "
                           f"{MOST_SECONDS}")
    if args.screenshot:
        check_file("--screenshot", args.screenshot, [".png"])


def first_device():
    from gnuradio import cldsp

    kinds = [device["kind"] for device in cldsp.devices()]
    return next(kind for kind in ("gpu", "cpu", "host") if kind in kinds)


def print_blocks(probe):
    from monitor.bars import describe, figure

    for block in probe.block_statistics():
        print(f"{block['alias']}: {figure(block)}; {describe(block)}, {block['samples']} samples",
              flush=True)


def run(args):
    check(args)
    from common.qt import QtCore, QtWidgets, need_display
    from gnuradio import cldsp
    need_display("QT_QPA_PLATFORM=offscreen and --screenshot need none")
    from monitor import stream, window

    device = args.device or first_device()
    probe = cldsp.tune_probe(device, "blocks", args.budget, args.strategy)
    roofs = [cldsp.tune_probe(name, "roofline", 3) for name in dict.fromkeys((device, "host"))]
    flowgraph = stream.Stream(args.sample_rate, device, args.variant, probe)
    application = QtWidgets.QApplication.instance() or QtWidgets.QApplication(sys.argv[:1])
    shown = window.Window(flowgraph, roofs)
    shown.show()

    def close(*_):
        application.quit()

    def take_picture():
        shown.refresh()
        if shown.grab().save(str(args.screenshot)):
            print(f"picture: {args.screenshot}", flush=True)
            application.quit()
        else:
            print(f"error: --screenshot {args.screenshot} could not be written",
                  file=sys.stderr)
            application.exit(CANNOT_RUN)

    def begin():
        print_blocks(probe)
        if args.tune or args.screenshot:
            shown.press()
        if args.seconds:
            QtCore.QTimer.singleShot(round(1000 * args.seconds), close)

    def tell():
        print(probe.last_report, flush=True)
        if args.screenshot:
            QtCore.QTimer.singleShot(SETTLE_MS, take_picture)

    shown.started.connect(begin)
    shown.tuned.connect(tell)
    signal.signal(signal.SIGINT, close)
    signal.signal(signal.SIGTERM, close)
    status = application.exec()
    print_blocks(probe)
    shown.timer.stop()
    if shown.streaming:
        flowgraph.stop()
        flowgraph.wait()
    return status


if __name__ == "__main__":
    arguments = options().parse_args()
    sys.exit(exit_status(lambda: run(arguments)))
