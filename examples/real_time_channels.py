#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Measures how many channels this machine takes out of a band in real time.

For each bandwidth, gr-cldsp's filter bank takes as many channels as fit side by side out of a
stream, in a flowgraph that runs as fast as it can. If that is slower than real time, the program
looks for the largest number of channels that is not. It also prints the processor time of all
threads for a second of signal, in cores, which other programs on the machine hardly change.
"""

import argparse
import math
import os
import statistics
import sys
import time

os.environ.setdefault("GR_CONF_LOG_LOG_LEVEL", "warn")

from common import ExampleError
from common.hertz import hertz
from common.outcome import exit_status

BANDWIDTHS = ("2.016M", "9.6M", "19.2M", "48M", "96M")
# The passband is 0.8 of the channel's rate wide, and the stopband begins at half that rate.
CUTOFF, TRANSITION = 0.45, 0.1
INTERVALS = 5
WARM_UP_S = 0.3
# The search ends when the numbers that are fast enough and too slow differ by less than this.
RESOLUTION = 1.1
STATUS_WIDTH = 79


def rate_of(text):
    """Reads a rate, as the type of an option."""
    value = hertz(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no rate above 0, such as 19.2M")
    return value


def rate_text(rate):
    for unit, name in ((1e9, "GS/s"), (1e6, "MS/s"), (1e3, "kS/s")):
        if rate >= unit:
            return f"{rate / unit:.6g} {name}"
    return f"{rate:.6g} S/s"


def options():
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n\n", maxsplit=1)[0],
                                     allow_abbrev=False)
    parser.add_argument("--bandwidth", metavar="RATE", type=rate_of, action="append",
                        help="sampling rate of the stream, again for each (default "
                        f"{', '.join(BANDWIDTHS)})")
    parser.add_argument("--channel-rate", metavar="RATE", type=rate_of, default=48e3,
                        help="sampling rate of a channel (default 48k)")
    parser.add_argument("--most-channels", metavar="N", type=int, default=1000,
                        help="1 to 4096: no more are tried (default 1000)")
    parser.add_argument("--seconds", metavar="S", type=float, default=1.5,
                        help=f"for each number of channels, in {INTERVALS} intervals, 0.05 to 60 "
                        "(default 1.5)")
    parser.add_argument("--device", default="auto",
                        help="auto (the fastest, the host included), gpu, cpu, host, P:D or part "
                        "of a name (default auto)")
    args = parser.parse_args()
    args.bandwidth = args.bandwidth or [rate_of(text) for text in BANDWIDTHS]
    if not 1 <= args.most_channels <= 4096:
        raise ExampleError(f"--most-channels is {args.most_channels}, but must be 1 to 4096")
    if not 0.05 <= args.seconds <= 60:
        raise ExampleError(f"--seconds is {args.seconds:g}, but must be 0.05 to 60")
    for bandwidth in args.bandwidth:
        if bandwidth < 2 * args.channel_rate:
            raise ExampleError(f"--bandwidth is {bandwidth:g}, but must be at least two channels, "
                               f"{2 * args.channel_rate:g}")
    return args


class Speed:
    """
    How many times faster than real time a bank is, in each interval; the cores that it needs in
    real time; and what computes it.
    """

    def __init__(self, channels, times, cores, engine):
        self.channels = channels
        self.times = sorted(times)
        self.median = statistics.median(times)
        self.cores = cores
        self.engine = engine

    def text(self):
        return (f"{self.median:.3g} times as fast ({self.times[0]:.3g} to {self.times[-1]:.3g}), "
                f"{self.cores:.2g} cores, {self.engine}")


def measure(args, bandwidth, channels):
    """The Speed of a bank of so many channels in a flowgraph."""
    from gnuradio import blocks, cldsp, gr
    from gnuradio.filter import firdes

    taps = firdes.low_pass(1, bandwidth, CUTOFF * args.channel_rate, TRANSITION * args.channel_rate)
    freqs = [(i + 0.5) / channels * bandwidth - bandwidth / 2 for i in range(channels)]
    bank = cldsp.freq_xlating_filter_bank_ccf(0, taps, freqs, bandwidth, args.device,
                                              output_rate=args.channel_rate, plan="wait")
    flowgraph = gr.top_block()
    sink = blocks.null_sink(gr.sizeof_gr_complex)
    flowgraph.connect(blocks.null_source(gr.sizeof_gr_complex), bank)
    for i in range(channels):
        flowgraph.connect((bank, i), (sink, i))

    flowgraph.start()
    try:
        time.sleep(WARM_UP_S)
        times, signal_s, processor_s = [], 0, -time.process_time()
        for _ in range(INTERVALS):
            begin, items = time.perf_counter(), bank.nitems_read(0)
            time.sleep(args.seconds / INTERVALS)
            read, seconds = bank.nitems_read(0) - items, time.perf_counter() - begin
            times.append(read / seconds / bandwidth)
            signal_s += read / bandwidth
        processor_s += time.process_time()
    finally:
        flowgraph.stop()
        flowgraph.wait()
    plan = bank.plan_details()
    return Speed(channels, times, processor_s / signal_s if signal_s else math.inf,
                 f"{plan['algorithm']}/{plan['variant']} on {plan['device']}")


def search(most, measure_channels):
    """
    Searches for the largest number of channels, up to most, that is fast enough. Returns its Speed,
    or None if there is none, and a list of the Speeds that were too slow, the smallest number of
    channels last. A number counts as too slow only if it was so twice, because other programs may
    have disturbed the first time.
    """
    best, slow = None, []
    channels = most
    while True:
        speed = measure_channels(channels)
        if speed.median < 1:
            speed = max(speed, measure_channels(channels), key=lambda each: each.median)
        if speed.median >= 1:
            best = speed
        else:
            slow.append(speed)
        low = best.channels if best else 0
        if not slow or slow[-1].channels - low <= max(1, (RESOLUTION - 1) * low):
            return best, slow
        high = slow[-1]
        if best is None:
            # The time grows about as the number of channels does.
            channels = min(max(1, int(0.9 * high.channels * high.median)), high.channels - 1)
        else:
            channels = max(low + 1, math.isqrt(low * high.channels))


def main():
    args = options()
    terminal = sys.stdout.isatty()
    kind = f"channels of {rate_text(args.channel_rate)}"
    for bandwidth in args.bandwidth:
        whole = int(bandwidth / args.channel_rate)

        def measure_channels(channels, bandwidth=bandwidth):
            status = f"measuring {channels} {kind} out of {rate_text(bandwidth)} ..."
            print(f"\r{status:<{STATUS_WIDTH}}" if terminal else status,
                  end="" if terminal else "\n", flush=True)
            return measure(args, bandwidth, channels)

        best, slow = search(min(whole, args.most_channels), measure_channels)
        if terminal:
            print("\r" + " " * STATUS_WIDTH, end="\r")
        out_of = f"out of {rate_text(bandwidth)} in real time"
        if best is None:
            print(f"this machine takes not even one of the {kind} {out_of}: {slow[-1].text()}")
            continue
        if best.channels == whole:
            number = f"all {whole}"
        else:
            number = f"{best.channels}{'' if slow else ' or more'} of {whole}"
        print(f"this machine takes {number} {kind} {out_of}: {best.text()}")
        if slow:
            print(f"    {slow[0].channels} channels: {slow[0].text()}")
    return 0


if __name__ == "__main__":
    sys.exit(exit_status(main))
