#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The in-tree block of the same name gives the same signal over its first 10^4 samples."""

import numpy as np
from gnuradio import filter, gr_unittest
from qa_support import (ALGORITHMS, IN_TREE_TYPES, error_db, make_block, opencl_device,
                        random_items, random_taps, run_block)


class qa_in_tree(gr_unittest.TestCase):

    def check(self, suffix, decimation, count, **options):
        rng = np.random.default_rng(count)
        taps = random_taps(rng, suffix, count)
        items = random_items(rng, suffix, 10000)
        arguments = (decimation, taps, 234.5, 3200)
        in_tree = getattr(filter, "freq_xlating_fir_filter_" + suffix[-3:])(*arguments)
        expected, _ = run_block(in_tree, items)
        result, _ = run_block(make_block(suffix, *arguments, **options), items)
        # The in-tree block's phase error is about 1e-4 rad after these samples.
        self.assertLess(error_db(result, expected), -70)

    def test_same_signal(self):
        for suffix in IN_TREE_TYPES:
            for decimation, count in ((1, 64), (4, 101)):
                with self.subTest(suffix=suffix, decimation=decimation):
                    self.check("volk_" + suffix, decimation, count)
                    for algorithm in ALGORITHMS:
                        self.check(suffix, decimation, count, device="host",
                                   algorithm=algorithm)
            with self.subTest(suffix=suffix, device=opencl_device()):
                self.check(suffix, 4, 101, device=opencl_device())


if __name__ == "__main__":
    gr_unittest.run(qa_in_tree)
