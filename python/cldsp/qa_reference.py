#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Every type against the double-precision model, below -120 dB of the output's peak."""

import itertools

import numpy as np
from gnuradio import gr_unittest
from qa_support import (ALGORITHMS, IN_TREE_TYPES, error_db, item_values, make_block,
                        opencl_device, random_items, random_taps, reference, run_block, ways)

# The numbers of taps, and the decimations.
SHAPES = ((1, 1), (101, 1), (201, 42), (1000, 7), (20, 500))


class qa_reference(gr_unittest.TestCase):

    def check(self, suffix, count, decimation, bound, **options):
        rng = np.random.default_rng(count + decimation)
        taps = random_taps(rng, suffix, count)
        items = random_items(rng, suffix, 20000)
        block = make_block(suffix, decimation, taps, -123456.7, 2016000, **options)
        result, _ = run_block(block, items)
        expected = reference(item_values(suffix, items), decimation, taps, -123456.7,
                             2016000)
        self.assertLess(error_db(result, expected), bound)

    def check_shapes(self, shapes, bound=-120, prefix="", **options):
        for suffix, (count, decimation) in shapes:
            with self.subTest(suffix=suffix, count=count, decimation=decimation, **options):
                self.check(prefix + suffix, count, decimation, bound, **options)

    # Kernels are compiled for each type, and those of fast convolution for each length of
    # a transform, too. So there are few pairs of them on a device.
    def test_device(self):
        device = opencl_device()
        self.check_shapes(zip(IN_TREE_TYPES, itertools.cycle(SHAPES)), device=device,
                          algorithm="direct")
        self.check_shapes(zip(("ccf", "fcc"), SHAPES[1:]), device=device, algorithm="auto")
        self.check_shapes(zip(("ccc", "fcc", "scf"), SHAPES[1:4]),
                          device=opencl_device("fast_convolution"),
                          algorithm="fast_convolution")

    def test_host(self):
        for turn, algorithm in enumerate(ALGORITHMS):
            pairs = list(itertools.product(IN_TREE_TYPES, SHAPES))
            self.check_shapes(pairs[turn::2], device="host", algorithm=algorithm)

    def test_volk(self):
        self.check_shapes(itertools.product(IN_TREE_TYPES, SHAPES), -105, "volk_")

    def test_a_large_decimation(self):
        for options in ways(host=["fast_convolution", "auto"], device=["direct"]):
            self.check("ccf", 10, 19000, -120, may_use_host=True, **options)

    def test_fewer_items_than_the_decimation_give_nothing(self):
        for options in ways(host=ALGORITHMS, device=["direct"]):
            with self.subTest(**options):
                block = make_block("ccf", 100, [1.0], 0, 1, **options)
                result, _ = run_block(block, np.zeros(99, np.complex64))
                self.assertEqual(0, len(result))


if __name__ == "__main__":
    gr_unittest.run(qa_reference)
