#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A change of the taps in mid-stream skips and repeats no sample, whatever their number."""

import numpy as np
from gnuradio import gr_unittest
from qa_support import (APART, NEAR, change, error_db, freq_tags, item_values, make_block,
                        opencl_device, random_items, random_taps, reference, run_block, ways)


class qa_taps(gr_unittest.TestCase):

    def check(self, suffix, decimation, counts, chunks=None, bound=-120, **options):
        """counts: the numbers of taps, the first of them at construction."""
        rng = np.random.default_rng(sum(counts))
        sets = [random_taps(rng, suffix, count) for count in counts]
        distance = NEAR if suffix[-3:] in ("ccc", "ccf") and decimation < 100 else APART
        items = random_items(rng, suffix, distance * len(counts))
        block = make_block(suffix, decimation, sets[0], 1000.0, 48000, **options)
        actions = [(distance * (i + 1) - 13, lambda taps=taps: block.set_taps(taps))
                   for i, taps in enumerate(sets[1:])]
        result, tags = run_block(block, items, chunks, actions=actions)

        applied = freq_tags(tags)
        self.assertEqual([1000.0] * (len(counts) - 1), [f for _, f in applied])
        changes = [change(at, taps, 1000.0) for (at, _), taps in zip(applied, sets[1:])]
        expected = reference(item_values(suffix, items), decimation, sets[0], 1000.0, 48000,
                             changes)
        self.assertLess(error_db(result, expected), bound)
        np.testing.assert_array_equal(np.asarray(sets[-1]), np.asarray(block.taps()))

    def test_more(self):
        for options in ways(device=["direct"]):
            for decimation in (1, 4):
                with self.subTest(decimation=decimation, **options):
                    self.check("ccf", decimation, (21, 41), **options)

    def test_fewer(self):
        for options in ways(device=["direct"]):
            for decimation in (1, 4):
                with self.subTest(decimation=decimation, **options):
                    self.check("ccc", decimation, (41, 21), **options)

    def test_back_and_forth(self):
        for options in ways():
            with self.subTest(**options):
                self.check("ccf", 7, (31, 1, 301, 30, 31, 32, 500), **options)

    def test_volk(self):
        self.check("volk_ccf", 7, (31, 1, 301, 30), bound=-115)

    def test_many_more_than_the_buffer_was_made_for(self):
        device = opencl_device()
        for suffix, options in (("ccf", dict(device=device)), ("cu8_f", dict(device=device)),
                                ("scf", dict(device="host", algorithm="fast_convolution")),
                                ("cu8_f", dict(device="host", algorithm="auto"))):
            with self.subTest(suffix=suffix, **options):
                self.check(suffix, 25, (11, 8192, 11, 5000), **options)

    def test_more_in_short_calls(self):
        def sizes():
            while True:
                yield from (1, 50, 333, 4000)
        for options in ways(device=["direct"]):
            with self.subTest(**options):
                self.check("fcf", 3, (5, 700, 60), sizes(), **options)

    def test_more_with_a_large_decimation(self):
        # The smallest devices have no room for so many taps, and the host takes over.
        self.check("ccf", 17000, (3, 9, 100), device=opencl_device(), may_use_host=True)

    def test_frequency_and_taps_together(self):
        for options in ways(device=["direct"]):
            with self.subTest(**options):
                self.check_together(**options)

    def check_together(self, **options):
        rng = np.random.default_rng(3)
        first, second = random_taps(rng, "ccf", 64), random_taps(rng, "ccf", 200)
        items = random_items(rng, "ccf", NEAR)
        block = make_block("ccf", 3, first, 1000.0, 48000, **options)
        block.set_center_freq(-2000.0)
        block.set_taps(second)
        result, tags = run_block(block, items)
        self.assertEqual([(0, -2000.0)], freq_tags(tags))
        # The phase moves by half of the length of the new taps.
        expected = reference(items, 3, first, 1000.0, 48000, [change(0, second, -2000.0)])
        self.assertLess(error_db(result, expected), -120)


if __name__ == "__main__":
    gr_unittest.run(qa_taps)
