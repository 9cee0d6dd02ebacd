#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The direction finder finds its sources, and reports them."""

import re

from band_test_support import HERE, PNG, BandTest, main
from gnuradio import cldsp

PROGRAM = HERE / "direction_finding.py"


class DirectionTest(BandTest):

    def find(self, *arguments):
        printed = self.run_program(PROGRAM, *arguments).stdout
        found = re.search(r"found at (\S+), (\S+), (\S+) degrees", printed)
        for direction, got in zip((-31, 10, 16), map(float, found.groups())):
            self.assertAlmostEqual(direction, got, delta=0.5)
        return printed


class direction_finding(DirectionTest):

    def test_on_the_host(self):
        printed = self.find("--device", "host")
        self.assertIn("correlator/simd on host", printed)
        self.assertIn("16 integrations of 4096 samples", printed)
        self.assertEqual(PNG, (self.folder / "demo-output/direction_finding.png")
                         .read_bytes()[:8])

    def test_on_a_device(self):
        if "cpu" not in [d["kind"] for d in cldsp.devices()]:
            self.skipTest("there is no OpenCL CPU device")
        self.assertNotIn("on host:", self.find("--device", "cpu", "--integrations", 8))

    def test_sources_that_cannot_be_found(self):
        done = self.run_program(PROGRAM, "--snr", -60, "--integration", 64, "--output", "a.png",
                                status=1)
        self.assertIn("a source was not found", done.stdout)

    def test_bad_arguments(self):
        for pattern, *arguments in (
                (r"--antennas is 5.*6 to 64", "--antennas", 5),
                (r"--integration is 63", "--integration", 63),
                (r"--integrations is 0", "--integrations", 0),
                (r"--snr is nan", "--snr", "nan"),
                (r"--seed is -1", "--seed", -1),
                (r"device.*toaster", "--device", "toaster")):
            with self.subTest(arguments=arguments):
                self.refuse(PROGRAM, pattern, *arguments)

    def test_outputs(self):
        self.refuse_outputs(PROGRAM, "--output")

    def test_other_kinds_of_picture(self):
        for path, start in (("new/a.pdf", b"%PDF"), ("a.PNG", PNG)):
            self.run_program(PROGRAM, "--integrations", 2, "--output", path)
            self.assertEqual(start, (self.folder / path).read_bytes()[:len(start)])


if __name__ == "__main__":
    main()
