#!/usr/bin/env python3
#
# Copyright 2026 the gr-cldsp authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Every type against the double-precision model, below -120 dB of the output's peak."""

import numpy as np
from gnuradio import gr_unittest
from qa_support import (IN_TREE_TYPES, error_db, item_values, make_block, opencl_device,
                        random_items, random_taps, reference, run_block)


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

    def check_shapes(self, prefix, bound, **options):
        for suffix in IN_TREE_TYPES:
            for count, decimation in ((1, 1), (101, 1), (201, 42), (1000, 7), (20, 500)):
                with self.subTest(suffix=suffix, count=count, decimation=decimation):
                    self.check(prefix + suffix, count, decimation, bound, **options)

    def test_device(self):
        self.check_shapes("", -120, device=opencl_device())

    def test_host(self):
        self.check_shapes("", -120, device="host")

    def test_volk(self):
        self.check_shapes("volk_", -105)

    def test_decimation_above_what_a_buffer_holds(self):
        # The smallest devices have no room for so many taps, and the host takes over.
        self.check("ccf", 10, 19000, -120, device=opencl_device(), may_use_host=True)

    def test_fewer_items_than_the_decimation_give_nothing(self):
        block = make_block("ccf", 100, [1.0], 0, 1, device=opencl_device())
        result, _ = run_block(block, np.zeros(99, np.complex64))
        self.assertEqual(0, len(result))


if __name__ == "__main__":
    gr_unittest.run(qa_reference)
