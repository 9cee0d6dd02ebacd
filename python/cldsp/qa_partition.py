#!/usr/bin/env python3
#
# Copyright 2026 the gr-cldsp authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The output does not depend on how the stream was cut into calls."""

import itertools
import os
import unittest

import numpy as np
from gnuradio import gr_unittest
from qa_support import (ALGORITHM, error_db, item_values, make_block, opencl_device,
                        random_items, random_taps, reference, run_block)

SEEDS = 200 if ALGORITHM == "direct" else 80
if os.environ.get("CLDSP_TEST_SMALL"):
    SEEDS //= 8  # as few as under emulation
# Fast convolution's kernels of one filter take longer to compile than many streams to filter:
# on a device a third as many filters get three streams each.
CUTS_ON_DEVICE = 3 if ALGORITHM == "fast_convolution" else 1
SUFFIXES = ("ccc", "ccf", "fcf", "scc", "cu8_f", "cs16_c")


def cases(seeds):
    """Seeds and types of filters. Items of one and of three bytes have a few more."""
    return [(seed, SUFFIXES[seed % len(SUFFIXES)]) for seed in range(seeds)] + [
        (seed, suffix) for seed in range(16, 16 + seeds // 6) for suffix in ("bcf", "cs12_f")]


class qa_partition(gr_unittest.TestCase):

    def check(self, seed, suffix, device, cut=0):
        rng = np.random.default_rng(seed)
        taps = random_taps(rng, suffix, int(rng.integers(1, 300)))
        decimation = int(rng.integers(1, 50))
        center_freq = float(rng.uniform(-0.5, 0.5))
        if cut > 0:
            rng = np.random.default_rng((seed, cut))
        largest = int(rng.choice([3, 100, 5000]))
        sizes = rng.integers(1, largest + 1, 1000).tolist()
        max_noutput = int(rng.choice([1, 7, 500, 100000]))
        # A few hundred calls are enough, however small they are. But errors are compared with the
        # output's peak, which a small number of outputs may miss by far.
        count = min(150 * largest, 300 * max_noutput * decimation,
                    int(rng.integers(5000, 15000)))
        items = random_items(rng, suffix, max(count, 64 * decimation))

        block = make_block(suffix, decimation, taps, center_freq, 1, device=device)
        result, _ = run_block(block, items, itertools.cycle(sizes), max_noutput)
        expected = reference(item_values(suffix, items), decimation, taps, center_freq, 1)
        self.assertLess(error_db(result, expected), -120)

    @unittest.skipIf(opencl_device() == "host", "no OpenCL CPU device with the algorithm")
    def test_device(self):
        device = opencl_device()
        for seed, suffix in cases(SEEDS // CUTS_ON_DEVICE):
            for cut in range(CUTS_ON_DEVICE):
                with self.subTest(seed=seed, suffix=suffix, cut=cut):
                    self.check(seed, suffix, device, cut)

    def test_host(self):
        for seed, suffix in cases(SEEDS):
            with self.subTest(seed=seed, suffix=suffix):
                self.check(seed, suffix, "host")


if __name__ == "__main__":
    gr_unittest.run(qa_partition)
