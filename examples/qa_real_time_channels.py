#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The search of real_time_channels.py, and the program run as a user does."""

import re
import unittest

import real_time_channels
from band_test_support import HERE, BandTest, main

PROGRAM = HERE / "real_time_channels.py"


class real_time_channels_search(unittest.TestCase):

    def search(self, most, capacity, disturbed=()):
        """Searches on a machine whose speed is capacity / channels, but for the disturbed calls."""
        self.calls = 0

        def measure(channels):
            self.calls += 1
            speed = capacity / channels * (0.01 if self.calls in disturbed else 1)
            return real_time_channels.Speed(channels, [speed / 2, speed, 2 * speed], 1, "host")

        return real_time_channels.search(most, measure)

    def test_all(self):
        best, slow = self.search(400, 400)
        self.assertEqual((best.channels, slow), (400, []))
        self.assertEqual(self.calls, 1)

    def test_some(self):
        for capacity in (1, 7, 100, 333, 399):
            with self.subTest(capacity):
                best, slow = self.search(400, capacity)
                self.assertLessEqual(best.channels, capacity)
                self.assertGreater(slow[-1].channels, capacity)
                self.assertLessEqual(slow[-1].channels - best.channels,
                                     max(1, 0.11 * best.channels))
                self.assertEqual(slow[0].channels, 400)
                self.assertLess(self.calls, 20)

    def test_none(self):
        best, slow = self.search(400, 0.5)
        self.assertIsNone(best)
        self.assertEqual(slow[-1].channels, 1)

    def test_disturbed(self):
        best, slow = self.search(400, 500, disturbed=(1,))
        self.assertEqual((best.channels, slow), (400, []))

    def test_rates(self):
        self.assertEqual(real_time_channels.hertz("2.016M"), 2016000)
        self.assertEqual(real_time_channels.hertz("1e6"), 1e6)
        self.assertEqual(real_time_channels.rate_text(2016000), "2.016 MS/s")
        self.assertEqual(real_time_channels.rate_text(1.5e9), "1.5 GS/s")
        self.assertEqual(real_time_channels.rate_text(8000), "8 kS/s")


class real_time_channels_program(BandTest):

    def test_measures(self):
        done = self.run_program(PROGRAM, "--bandwidth", "240k", "--seconds", 0.3, "--device",
                                "host")
        found = re.search(r"^this machine takes all 5 channels of 48 kS/s out of 240 kS/s in real "
                          r"time: ([\d.e+]+) times as fast \(([\d.e+]+) to ([\d.e+]+)\), "
                          r"([\d.e-]+) cores, \w+/\w+ on host$", done.stdout, re.MULTILINE)
        self.assertTrue(found, done.stdout)
        median, low, high, cores = map(float, found.groups())
        self.assertTrue(low <= median <= high and median > 1, done.stdout)
        # 240 kS/s are less than a thousandth of what one core filters.
        self.assertTrue(0 < cores < 1, done.stdout)

    def test_arguments(self):
        for pattern, *arguments in (
                (r"'fast' must be a number of Hz", "--bandwidth", "fast"),
                (r"'0' is no rate", "--channel-rate", "0"),
                (r"--bandwidth is 90000.*at least two channels, 96000", "--bandwidth", "90k"),
                (r"--most-channels is 0.*1 to 4096", "--most-channels", 0),
                (r"--seconds is nan.*0.05 to 60", "--seconds", "nan"),
                (r"device.*toaster", "--bandwidth", "240k", "--device", "toaster"),
                (r"unrecognized arguments: --bogus", "--bogus")):
            with self.subTest(arguments=arguments):
                self.refuse(PROGRAM, pattern, *arguments)


if __name__ == "__main__":
    main()
