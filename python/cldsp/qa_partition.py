#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The output does not depend on how the stream was cut into calls."""

import itertools

import numpy as np
from gnuradio import gr_unittest
from qa_support import (ALGORITHMS, error_db, item_values, make_block, opencl_device,
                        random_items, random_taps, reference, run_block)

SUFFIXES = ("ccc", "ccf", "fcf", "scc", "cu8_f", "cs16_c", "bcf", "cs12_f")
# Filters for the device: the numbers of their taps, and their decimations. There the kernels of
# one filter take longer to compile than many streams to filter.
FILTERS = ((1, 1), (101, 7), (299, 42), (30, 50))
WHOLE = 100000  # more than any stream here has


def cuts(block):
    """Pairs of the sizes of the source's calls and the most outputs of a call of the block."""
    size = block.plan_details()["block"]  # of a transform: its first outputs are discarded
    overlap = -(-(len(block.taps()) - 1) // block.decimation())
    outputs = max(size - overlap, 1) if size else 64
    return [([1], WHOLE), ([2, 3, 1, 7], 7), ([13, 101, 499, 17], WHOLE),
            ([4999, 1, 2503], 331), ([WHOLE], 1), ([WHOLE], max(outputs - 1, 1)),
            ([WHOLE], outputs), ([WHOLE], outputs + 1), ([WHOLE], WHOLE)]


class qa_partition(gr_unittest.TestCase):

    def check(self, seed, suffix, count, decimation, **options):
        """Runs a filter over the beginning of one stream, in calls of other sizes each time."""
        rng = np.random.default_rng(seed)
        taps = random_taps(rng, suffix, count)
        center_freq = float(rng.uniform(-0.5, 0.5))
        items = random_items(rng, suffix, 12000)
        expected = reference(item_values(suffix, items), decimation, taps, center_freq, 1)
        block = make_block(suffix, decimation, taps, center_freq, 1, **options)
        for sizes, most in cuts(block):
            # A few hundred calls are enough, however small they are. But errors are compared
            # with the output's peak, which a small number of outputs may miss by far.
            length = min(len(items), max(300 * min(max(sizes), most * decimation),
                                         64 * decimation))
            with self.subTest(suffix=suffix, taps=count, decimation=decimation, sizes=sizes,
                              most=most, **options):
                result, _ = run_block(block, items[:length], itertools.cycle(sizes), most)
                self.assertLess(error_db(result, expected[:length // decimation]), -120)

    def test_device(self):
        filters = itertools.cycle(FILTERS)
        for algorithm, suffixes in (("direct", SUFFIXES), ("auto", ("ccf", "cu8_f")),
                                    ("fast_convolution", ("ccf", "cs12_f", "fcf", "scc"))):
            device = opencl_device(algorithm)
            for suffix, (count, decimation) in zip(suffixes, filters):
                if device != "host":
                    self.check(1, suffix, count, decimation, algorithm=algorithm, device=device)

    def test_host(self):
        for seed, (algorithm, suffix) in enumerate(itertools.product(ALGORITHMS, SUFFIXES)):
            rng = np.random.default_rng(seed)
            self.check(seed, suffix, int(rng.integers(1, 300)), int(rng.integers(1, 50)),
                       algorithm=algorithm, device="host")


if __name__ == "__main__":
    gr_unittest.run(qa_partition)
