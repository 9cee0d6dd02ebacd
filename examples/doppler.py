#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Takes the Doppler shift out of a satellite's pass by a schedule of gr-cldsp's filter bank.

The shift comes from an orbit (a TLE set and an observer), from a table, or from a made-up orbit. It
becomes a list of points for freq_xlating_filter_bank_ccf.schedule(): from a point on, the channel's
frequency runs linearly. The program makes the signal of the pass, receives it with the schedule,
and shows what is left of the shift.
"""

import argparse
import math
import os
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

os.environ.setdefault("GR_CONF_LOG_LOG_LEVEL", "warn")

import numpy as np
from common import MOST_RATE, ExampleError
from common.engine import add_options, chosen
from common.hertz import hertz, whole_hertz
from common.outcome import exit_status
from common.output import check_picture
from common.progress import Progress, watch
from tracking import doppler, orbit, signals

LEFT = 1
CHANNEL_RATE = 4800
PASSBAND, TRANSITION = 900.0, 600.0  # Hz
ROWS = 300  # of a spectrogram
# The largest frequency that may be left: more than the noise gives at the smallest --snr, and less
# than a lost cycle per second.
LARGEST_LEFT = 0.5  # Hz


def options():
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n\n", maxsplit=1)[0],
                                     allow_abbrev=False)
    source = parser.add_argument_group("the pass (default: a made-up circular orbit)")
    source.add_argument("--tle", metavar="FILE", type=Path,
                        help="an orbit: a file of two-line element sets")
    source.add_argument("--satellite", metavar="NAME",
                        help="part of the name of a set in that file (default: the first)")
    source.add_argument("--observer", metavar=("LAT", "LON", "METRES"), type=float, nargs=3,
                        default=(48.2, 16.4, 200.0),
                        help="degrees to the north and east, height (default 48.2 16.4 200)")
    source.add_argument("--start", metavar="TIME",
                        help="in UTC, e.g. 2026-11-23T06:00; the next pass is taken (default: the "
                        "epoch of the TLE set)")
    source.add_argument("--elevation", metavar="DEGREES", type=float, default=5.0,
                        help="where a pass begins and ends, 0 to 80 (default 5)")
    source.add_argument("--table", metavar="FILE", type=Path,
                        help="a CSV file instead: rows of time in s, shift in Hz")
    parser.add_argument("--frequency", metavar="HZ", type=hertz, default=435e6,
                        help="of the transmitter, for orbits (default 435e6)")
    parser.add_argument("--offset", metavar="HZ", type=hertz, default=4000.0,
                        help="of the channel from the centre of the stream (default 4000)")
    parser.add_argument("--sample-rate", metavar="HZ", type=whole_hertz, default=48000,
                        help=f"a multiple of {CHANNEL_RATE} (default 48000)")
    parser.add_argument("--seconds", type=float,
                        help="only that much of the pass, around its middle, 4 to 1e6")
    parser.add_argument("--phase-error", metavar="TURNS", type=float, default=0.001,
                        help="how far the schedule may be off the curve, 1e-6 to 0.1 (default "
                        "0.001)")
    parser.add_argument("--signal", choices=signals.SIGNALS, default="carrier",
                        help="(default carrier)")
    parser.add_argument("--snr", metavar="DB", type=float, default=20.0,
                        help="in the channel, 10 to 100 (default 20)")
    parser.add_argument("--seed", type=int, default=1, help="of noise and bits (default 1)")
    parser.add_argument("--print-schedule", action="store_true",
                        help="print the points and end")
    parser.add_argument("--output", metavar="FILE", type=Path, default=Path("doppler.png"),
                        help="the picture (default doppler.png)")
    add_options(parser)
    return parser


def check(args):
    latitude, longitude, height = args.observer
    for name, value, good, range_text in (
            ("--observer's latitude", latitude, -90 <= latitude <= 90, "-90 to 90"),
            ("--observer's longitude", longitude, -360 <= longitude <= 360, "-360 to 360"),
            ("--observer's height", height, -500 <= height <= 9000, "-500 to 9000"),
            ("--elevation", args.elevation, 0 <= args.elevation <= 80, "0 to 80"),
            ("--frequency", args.frequency, 0 < args.frequency <= 1e11, "above 0, to 1e11"),
            ("--offset", args.offset, math.isfinite(args.offset), "finite"),
            ("--sample-rate", args.sample_rate,
             0 < args.sample_rate <= MOST_RATE and args.sample_rate % CHANNEL_RATE == 0,
             f"a multiple of {CHANNEL_RATE}, to {MOST_RATE}"),
            ("--seconds", args.seconds, args.seconds is None or 4 <= args.seconds <= 1e6,
             "4 to 1e6"),
            ("--phase-error", args.phase_error, 1e-6 <= args.phase_error <= 0.1, "1e-6 to 0.1"),
            ("--snr", args.snr, 10 <= args.snr <= 100, "10 to 100"),
            ("--seed", args.seed, args.seed >= 0, "0 or more")):
        if not good:
            raise ExampleError(f"{name} is {value}, but must be {range_text}")
    if args.tle and args.table:
        raise ExampleError("--tle and --table cannot both be given")
    for name in ("satellite", "start"):
        if getattr(args, name) is not None and not args.tle:
            raise ExampleError(f"--{name} needs --tle")
    if args.start is not None:
        args.start = read_start(args.start)
    if not args.print_schedule:
        check_picture("--output", args.output)


def read_start(text):
    """The time in UTC. A pass is looked for in the days after it, which must have dates, too."""
    try:
        start = datetime.fromisoformat(text)
        start = start.astimezone(timezone.utc) if start.tzinfo else \
            start.replace(tzinfo=timezone.utc)
        _ = start + timedelta(days=orbit.DAYS)  # may raise OverflowError
    except (ValueError, OverflowError) as error:
        raise ExampleError(f"--start is {text}, but must be a time such as 2026-11-23T06:00") \
            from error
    return start


def the_pass(args):
    if args.table:
        found = orbit.Pass(args.table.name, None, doppler.read_table(args.table), None)
    elif args.tle:
        found = orbit.tle_pass(orbit.read_tle(args.tle, args.satellite), args.observer, args.start,
                               args.elevation, args.frequency)
    else:
        found = orbit.circular_pass(args.frequency)
    curve = found.curve
    if args.seconds is not None and args.seconds < curve.duration:
        middle = curve.times[0] + curve.duration / 2
        times = np.linspace(middle - args.seconds / 2, middle + args.seconds / 2,
                            max(2, int(args.seconds / orbit.STEP) + 1))
        curve = doppler.DopplerCurve(times, curve.frequency(times))
    if curve.duration < 4:
        raise ExampleError(f"the pass takes {curve.duration:g} s, but must take 4 or more")
    reach = np.abs(args.offset + curve.hz).max() + PASSBAND
    if reach > args.sample_rate / 2:
        enough = math.ceil(2 * reach / CHANNEL_RATE) * CHANNEL_RATE
        raise ExampleError(f"--sample-rate is {args.sample_rate}, but must be {enough} or more for "
                           "these frequencies")
    return found._replace(curve=curve)


def receive(signal, points, args):
    """The outputs of the scheduled channel, the bank's plan, and the delay of its filter in s."""
    from gnuradio import blocks, cldsp, gr
    from gnuradio.filter import firdes

    class Source(gr.sync_block):
        """Delivers the signal."""

        def __init__(self):
            gr.sync_block.__init__(self, "pass", None, [np.complex64])

        def work(self, _inputs, outputs):
            done = self.nitems_written(0)
            count = min(len(outputs[0]), signal.length - done)
            if count == 0:
                return -1
            outputs[0][:count] = signal.samples(done, count)
            return count

    taps = firdes.low_pass(1.0, args.sample_rate, PASSBAND + TRANSITION / 2, TRANSITION)
    top = gr.top_block()
    source = Source()
    bank = cldsp.freq_xlating_filter_bank_ccf(args.sample_rate // CHANNEL_RATE, taps,
                                              [points[0][1]], args.sample_rate, **chosen(args))
    bank.schedule(0, points)
    sink = blocks.vector_sink_c()
    top.connect(source, bank, sink)
    with Progress("receiving the pass") as progress:
        watch(top, progress, lambda: source.nitems_written(0) / signal.length)
    return (np.array(sink.data(), np.complex64), bank.plan(),
            (len(taps) - 1) / 2 / args.sample_rate)


def run():
    args = options().parse_args()
    check(args)
    found = the_pass(args)
    curve = found.curve
    points = doppler.schedule(curve, args.offset, args.sample_rate, args.phase_error)
    if args.print_schedule:
        for point in points:
            print("{}, {!r}, {!r}".format(*point))
        return 0

    when = f", {found.start:%Y-%m-%d %H:%M:%S} UTC" if found.start else ""
    height = f", up to {found.elevation:.0f} degrees" if found.elevation is not None else ""
    print(f"{found.name}{when}: {curve.duration:.0f} s{height}; the shift runs from "
          f"{curve.hz[0]:+.0f} to {curve.hz[-1]:+.0f} Hz")
    places = np.linspace(0, curve.duration * args.sample_rate, 100001).astype(np.int64)
    times = places / args.sample_rate
    wanted = args.offset * times + curve.phase(times + curve.times[0])
    error = np.abs(doppler.phase_of(points, places, args.sample_rate) - wanted).max()
    print(f"schedule: {len(points)} points, one each "
          f"{curve.duration / (len(points) - 1):.2f} s; off the curve by {error:.6f} turns at most")

    # The filter passes noise in about this band.
    noise = math.sqrt(10 ** (-args.snr / 10) / 2 * args.sample_rate / (2 * PASSBAND + TRANSITION))
    signal = signals.PassSignal(curve, args.offset, args.sample_rate, args.signal, noise, args.seed)
    outputs, plan, delay = receive(signal, points, args)
    print(f"plan: {plan}")
    left, means = signals.residual(outputs, CHANNEL_RATE, delay)
    rms, largest = float(np.sqrt(np.mean(left ** 2))), float(np.abs(left).max())
    print(f"residual frequency: {rms:.4f} Hz rms, {largest:.4f} Hz at most, second by second; the "
          f"phase went {means[-1] - means[0]:+.4f} turns in {len(means)} s")

    from tracking import picture
    bins = 1024
    before = signals.spectrogram(signal.samples, signal.length, args.sample_rate, ROWS,
                                 bins * max(1, args.sample_rate // 48000))
    after = signals.spectrogram(lambda first, count: outputs[first:first + count], len(outputs),
                                CHANNEL_RATE, ROWS, 256)
    picture.save(args.output, before, after,
                 args.offset + curve.frequency(np.linspace(*curve.times[[0, -1]], 1000)),
                 PASSBAND + TRANSITION / 2, left, curve.duration,
                 f"A made-up signal with the Doppler shift of {found.name}, "
                 f"{args.offset / 1e3:g} kHz off the centre: {rms:.3f} Hz (rms) of "
                 f"{np.ptp(curve.hz) / 1e3:.1f} kHz is left")
    print(f"picture: {args.output}")
    if largest > LARGEST_LEFT:
        print(f"the shift is not out: more than {LARGEST_LEFT:g} Hz are left")
        return LEFT
    return 0


if __name__ == "__main__":
    sys.exit(exit_status(run))
