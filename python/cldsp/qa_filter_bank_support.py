# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Shared by the tests of the bank's signal: each output is compared with its model."""

import numpy as np
from gnuradio import gr_unittest
from qa_support import (error_db, item_values, make_bank, random_items, random_taps, reference,
                        run_bank)


class bank_test_case(gr_unittest.TestCase):

    def check_outputs(self, results, suffix, items, decimation, taps, center_freqs, fs=1.0,
                      bound=-115):
        """taps: one list per channel."""
        self.assertEqual(len(center_freqs), len(results))
        values = item_values(suffix, items)
        for channel, (result, h, f) in enumerate(zip(results, taps, center_freqs)):
            expected = reference(values, decimation, h, f, fs)
            self.assertEqual(len(expected), len(result), channel)
            if len(expected):
                self.assertLess(error_db(result, expected), bound, channel)

    def check(self, channels, suffix="ccf", count=101, decimation=16, length=20000, seed=1,
              chunks=None, max_noutput=100000, bound=-115, **options):
        """Checks a bank with one prototype and random centre frequencies."""
        rng = np.random.default_rng(seed)
        taps = random_taps(rng, suffix, count)
        items = random_items(rng, suffix, length)
        center_freqs = rng.uniform(-0.5, 0.5, channels)
        bank = make_bank(suffix, decimation, taps, center_freqs, 1.0, accuracy=0, **options)
        results, _ = run_bank(bank, items, chunks, max_noutput)
        self.check_outputs(results, suffix, items, decimation, [taps] * channels, center_freqs,
                           bound=bound)
        self.assertFalse(bank.fell_back())
