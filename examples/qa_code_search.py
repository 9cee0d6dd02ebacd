#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Runs code_search.py as a user does, and checks its codes against IS-GPS-200."""

import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
from band_test_support import HERE, BandTest
from gps.ca_code import CHIPS, PRNS, ca_code, shifted_codes

PROGRAM = HERE / "code_search.py"
# Table 3-Ia of IS-GPS-200: the first ten chips, in octal.
FIRST_CHIPS = (0o1440, 0o1620, 0o1710, 0o1744, 0o1133, 0o1455, 0o1131, 0o1454,
               0o1626, 0o1504, 0o1642, 0o1750, 0o1764, 0o1772, 0o1775, 0o1776,
               0o1156, 0o1467, 0o1633, 0o1715, 0o1746, 0o1763, 0o1063, 0o1706,
               0o1743, 0o1761, 0o1770, 0o1774, 0o1127, 0o1453, 0o1625, 0o1712)

needs_matplotlib = unittest.skipIf(
    importlib.util.find_spec("matplotlib") is None,
    "matplotlib is missing: install the package python3-matplotlib")


class CodeTest(unittest.TestCase):
    """Tests of the codes themselves."""

    def test_first_chips(self):
        for prn, expected in zip(PRNS, FIRST_CHIPS):
            self.assertEqual(expected, int("".join(map(str, ca_code(prn)[:10])), 2), prn)

    def test_correlations(self):
        """The autocorrelation of Gold codes: 1023 at phase 0, otherwise -65, -1 or 63."""
        spectrum = {prn: np.fft.fft(2.0 * ca_code(prn) - 1) for prn in (1, 2, 32)}
        for a, first in spectrum.items():
            for b, second in spectrum.items():
                values = np.rint(np.fft.ifft(first * second.conj()).real).astype(int)
                if a == b:
                    self.assertEqual(CHIPS, values[0])
                    values = values[1:]
                self.assertEqual({-65, -1, 63}, set(values))

    def test_phases(self):
        codes = np.unpackbits(shifted_codes(5, 3), axis=1)
        self.assertEqual((3072, 3072), codes.shape)
        self.assertFalse(codes[:, 3 * CHIPS:].any())
        self.assertFalse(codes[3 * CHIPS:].any())
        code = np.repeat(ca_code(5), 3)
        for phase in (0, 1, 2, 3, 1000, 3068):
            np.testing.assert_array_equal(np.roll(code, -phase), codes[phase, :3 * CHIPS])

    def test_there_is_no_other_satellite(self):
        for prn in (0, 33, -1):
            self.assertRaises(ValueError, ca_code, prn)


class SearchTest(unittest.TestCase):
    """Runs the program in an empty folder."""

    def run_search(self, *arguments, status=0):
        with tempfile.TemporaryDirectory(prefix="qa-code-search-") as folder:
            done = subprocess.run(
                [sys.executable, "-B", str(PROGRAM), *map(str, arguments)],
                cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, timeout=1100, check=False)
            print(done.stdout, done.stderr, sep="")
            self.assertNotIn("Traceback", done.stderr)
            self.assertEqual(status, done.returncode)
            self.picture = Path(folder, "code_search.png")
            self.bytes = self.picture.read_bytes() if self.picture.exists() else b""
        return done

    @needs_matplotlib
    def test_satellites_are_found(self):
        done = self.run_search("--satellites", 3, "--milliseconds", 5, "--doppler", 2000,
                               "--samples-per-chip", 1, "--seed", 4)
        self.assertIn("3 satellites in view, 3 found, 0 wrong", done.stdout)
        found = re.findall(r"^ *(\d+) +(\S+) chips +(\S+) Hz.* x noise +(\S+) chips +(\S+) Hz",
                           done.stdout, re.MULTILINE)
        self.assertEqual(3, len(found))
        for _, chips, doppler, real_chips, real_doppler in found:
            self.assertAlmostEqual(float(real_chips), float(chips), delta=1)
            self.assertAlmostEqual(float(real_doppler), float(doppler), delta=500)
        self.assertEqual(b"\x89PNG\r\n\x1a\n", self.bytes[:8])

    @needs_matplotlib
    def test_noise_alone_shows_nothing(self):
        done = self.run_search("--satellites", 0, "--milliseconds", 3, "--doppler", 500,
                               "--samples-per-chip", 1, "--device", "host")
        self.assertIn("0 satellites in view, 0 found, 0 wrong", done.stdout)

    def test_bad_arguments(self):
        for arguments, words in ((("--satellites", 33), "--satellites is 33"),
                                 (("--milliseconds", 0), "--milliseconds is 0"),
                                 (("--samples-per-chip", 9), "--samples-per-chip is 9"),
                                 (("--doppler", "nan"), "--doppler: 'nan' must be a number of Hz"),
                                 (("--seed", -1), "--seed is -1")):
            done = self.run_search(*arguments, status=2)
            self.assertIn(words, done.stderr)

    @needs_matplotlib
    def test_bad_variant(self):
        done = self.run_search("--device", "host", "--variant", "naive", status=2)
        self.assertIn("naive", done.stderr)


class OutputTest(BandTest):

    @needs_matplotlib
    def test_outputs(self):
        self.refuse_outputs(PROGRAM, "--output", "--satellites", 0, "--milliseconds", 1,
                            "--samples-per-chip", 1, "--doppler", 0)


if __name__ == "__main__":
    unittest.main()
