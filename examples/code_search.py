#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Finds GPS satellites in a noisy 1-bit signal: which, at what code phase and Doppler frequency.

The program makes the signal itself, 12 to 20 dB below its noise. The signal is shifted by each
possible Doppler frequency and reduced to one bit for I and one for Q. The block gemm_1bit_bi
correlates each millisecond with a satellite's code at every phase at once. The powers of I and Q
are summed over the milliseconds, and a sum well above the noise shows a satellite.
"""

import argparse
import math
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("GR_CONF_LOG_LOG_LEVEL", "warn")

import numpy as np
from common import ExampleError
from common.hertz import hertz
from common.outcome import exit_status
from common.output import check_picture
from gps import signals
from gps.ca_code import CHIP_RATE, CHIPS, PRNS, shifted_codes

WRONG = 1
FALSE_ALARM = 1e-3  # probability that noise alone exceeds the threshold in any of the cells


def options():
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n\n", maxsplit=1)[0],
                                     allow_abbrev=False)
    parser.add_argument("--satellites", metavar="N", type=int, default=6,
                        help="how many are in view (default 6)")
    parser.add_argument("--milliseconds", metavar="N", type=int, default=8,
                        help="of signal, 1 to 50 (default 8)")
    parser.add_argument("--samples-per-chip", metavar="N", type=int, default=2,
                        help="1 to 8 (default 2)")
    parser.add_argument("--doppler", metavar="HZ", type=hertz, default=5000,
                        help="largest either way, 0 to 50000 (default 5000)")
    parser.add_argument("--seed", metavar="N", type=int, default=1,
                        help="of the random numbers (default 1)")
    parser.add_argument("--device", default="auto",
                        help="of the block: auto, gpu, cpu, host or a name (default auto)")
    parser.add_argument("--variant", default="auto", help="of the block (default auto)")
    parser.add_argument("--output", metavar="FILE", type=Path, default=Path("code_search.png"),
                        help="where the picture goes (default code_search.png)")
    args = parser.parse_args()
    for name, low, high in (("satellites", 0, len(PRNS)), ("milliseconds", 1, 50),
                            ("samples_per_chip", 1, 8), ("doppler", 0, 50000),
                            ("seed", 0, 2 ** 63)):
        value = getattr(args, name)
        if not low <= value <= high:
            raise ExampleError(f"--{name.replace('_', '-')} is {value}, but must be {low} to "
                               f"{high}")
    check_picture("--output", args.output)
    return args


def noise_threshold(sums, probability):
    """
    The threshold that a sum of noise powers exceeds with the given probability, as a multiple of
    the sum's mean. sums is the number of powers; each is exponentially distributed with mean 1.
    """
    low, high = 0.0, 1000.0 + 10 * sums
    for _ in range(100):
        t = (low + high) / 2
        # P = exp(-t) (1 + t + t^2 / 2! + ...), in logarithms
        terms = [k * math.log(t) - math.lgamma(k + 1) - t for k in range(sums)]
        largest = max(terms)
        log_p = largest + math.log(sum(math.exp(term - largest) for term in terms))
        low, high = (t, high) if log_p > math.log(probability) else (low, t)
    return high / sums


class Search:
    """A flowgraph that correlates all items with the codes of one satellite in each run."""

    def __init__(self, items, codes, phases, device, variant):
        from gnuradio import blocks, cldsp, gr
        self.shape = items.shape[:3]
        self.phases, self.padding = phases, -phases % 8  # number of bits that fill up the last byte
        self.top = gr.top_block()
        source = blocks.vector_source_b(items.ravel().tolist(), False, items.shape[-1])
        self.correlator = cldsp.gemm_1bit_bi(codes, device, variant)
        self.sink = blocks.vector_sink_i(len(codes), int(np.prod(self.shape)))
        self.source = source
        self.top.connect(source, self.correlator, self.sink)
        self.seconds = 0.0

    def surface(self, codes):
        """The power at each Doppler frequency and phase, in multiples of the noise's mean."""
        self.correlator.set_codes(codes)
        self.source.rewind()
        self.sink.reset()
        start = time.monotonic()
        self.top.run()
        self.seconds += time.monotonic() - start
        sums = np.array(self.sink.data(), np.float32).reshape(*self.shape, len(codes))
        powers = np.square(sums[..., :self.phases] - self.padding).sum(axis=(0, 2))
        return powers / powers.mean()


def chip_distance(a, b):
    """The distance between two phases of a code, also across its end."""
    return abs((a - b + CHIPS / 2) % CHIPS - CHIPS / 2)


def run():
    args = options()
    rng = np.random.default_rng(args.seed)
    sample_rate = CHIP_RATE * args.samples_per_chip
    samples_per_code = CHIPS * args.samples_per_chip
    # The step in Hz is half of a millisecond's resolution, so that a satellite between two steps
    # loses little.
    step = 500
    dopplers = step * np.arange(-math.ceil(args.doppler / step),
                                math.ceil(args.doppler / step) + 1)
    in_view = signals.random_satellites(args.satellites, args.doppler, rng)
    signal = signals.receive(in_view, samples_per_code * args.milliseconds, sample_rate, rng)
    items = signals.one_bit_items(signal, samples_per_code, dopplers, sample_rate)

    cells = len(dopplers) * samples_per_code * len(PRNS)
    threshold = noise_threshold(args.milliseconds, FALSE_ALARM / cells)
    codes = shifted_codes(PRNS[0], args.samples_per_chip)
    search = Search(items, codes, samples_per_code, args.device, args.variant)

    print(f"{args.milliseconds} ms at {sample_rate / 1e6:g} MS/s, one bit; {len(PRNS)} codes, "
          f"{samples_per_code} phases, {len(dopplers)} Doppler frequencies")
    print("PRN   found                                   in the signal")
    results, best, wrong = {}, None, 0
    truth = {satellite.prn: satellite for satellite in in_view}
    for prn in PRNS:
        surface = search.surface(shifted_codes(prn, args.samples_per_chip))
        row, phase = np.unravel_index(np.argmax(surface), surface.shape)
        peak = float(surface[row, phase])
        found = peak > threshold
        results[prn] = (peak, found)
        if best is None or peak > best[0]:
            best = (peak, prn, surface)
        real = truth.get(prn)
        if not found and real is None:
            continue
        # A row stands for all phases up to the next row's phase.
        chips, doppler = (phase + 0.5) / args.samples_per_chip, float(dopplers[row])
        right = found and real is not None and chip_distance(chips, real.phase) <= 1 and \
            abs(doppler - real.doppler) <= step
        wrong += not right
        text = f"{chips:7.1f} chips {doppler:+6.0f} Hz, {peak:5.1f} x noise" if found else "-"
        print(f"{prn:3}   {text:38}  {real.describe() if real else '-'}"
              f"{'' if right else '   WRONG'}")

    work = 2.0 * items.shape[-1] * 8 * len(codes) * np.prod(search.shape) * len(PRNS)
    block = search.correlator
    calls = f"{block.kernel_time_avg() * 1e3:.2f} ms a call"
    print(f"plan: {block.plan()}")
    print(f"{work / 1e9:.0f} billion operations in {search.seconds:.2f} s of flowgraphs, {calls}")
    from gps import picture
    picture.save(args.output, results, threshold, best[2], dopplers, CHIPS,
                 f"Codes of 32 satellites in {args.milliseconds} ms of 1-bit samples; right: "
                 f"PRN {best[1]}")
    print(f"picture: {args.output}")
    print(f"{len(in_view)} satellites in view, {sum(f for _, f in results.values())} found, "
          f"{wrong} wrong")
    return WRONG if wrong else 0


if __name__ == "__main__":
    sys.exit(exit_status(run))
