#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The beamformer follows its source, and reports it."""

import re

from band_test_support import HERE, PNG, BandTest, main
from gnuradio import cldsp

PROGRAM = HERE / "beamformer.py"


class BeamformerTest(BandTest):

    def follow(self, *arguments, antennas=64, snr=-5.0):
        done = self.run_program(PROGRAM, "--antennas", antennas, "--snr", snr, *arguments)
        printed = done.stdout
        swept = re.search(r"moved from (\S+) to (\S+) degrees; (\d+) matrices", printed)
        self.assertAlmostEqual(-45, float(swept.group(1)), delta=1)
        self.assertAlmostEqual(45, float(swept.group(2)), delta=1)
        error = float(re.search(r"steering error: median (\S+) degrees", printed).group(1))
        self.assertLess(error, 1.3 / antennas * 57.3)
        one, beam, best = map(float, re.search(
            r"signal to noise: (\S+) dB at one antenna, (\S+) dB in the beam, of (\S+) dB",
            printed).groups())
        self.assertEqual(snr, one)
        self.assertGreater(beam, one + 0.4 * (best - one))
        self.assertLess(beam, best + 0.5)
        return printed, int(swept.group(3))


class beamformer(BeamformerTest):

    def test_on_the_host(self):
        printed, matrices = self.follow("--device", "host", "--snapshots", 60000)
        self.assertIn("gemm/simd on host", printed)
        self.assertEqual(300, matrices)
        self.assertEqual(PNG, (self.folder / "demo-output/beamformer.png").read_bytes()[:8])

    def test_other_arrays(self):
        for antennas, snr in ((32, 0.0), (100, -10.0)):
            self.follow("--snapshots", 40000, "--output", "a.png", antennas=antennas, snr=snr)
            self.assertEqual(PNG, (self.folder / "a.png").read_bytes()[:8])

    def test_a_source_that_cannot_be_found(self):
        done = self.run_program(PROGRAM, "--snr", -50, "--snapshots", 20000,
                                status=1)
        self.assertIn("the source was lost", done.stdout)


class beamformer_opencl(BeamformerTest):

    def test_on_a_device(self):
        if "cpu" not in [d["kind"] for d in cldsp.devices()]:
            self.skipTest("there is no OpenCL CPU device")
        printed, _ = self.follow("--device", "cpu", "--snapshots", 60000)
        self.assertNotIn("on host:", printed)


class beamformer_bad_input(BeamformerTest):

    def test_arguments(self):
        for pattern, *arguments in (
                (r"--antennas is 31.*32 to 256", "--antennas", 31),
                (r"--antennas is 257", "--antennas", 257),
                (r"--snapshots is 19999", "--snapshots", 19999),
                (r"--snr is nan", "--snr", "nan"),
                (r"--snr is 61", "--snr", 61),
                (r"--seed is -1", "--seed", -1),
                (r"antennas: invalid int", "--antennas", "many"),
                (r"device.*toaster", "--device", "toaster"),
                (r"variant.*espresso", "--variant", "espresso"),
                (r"unrecognized arguments: --bogus", "--bogus")):
            with self.subTest(arguments=arguments):
                self.refuse(PROGRAM, pattern, *arguments)

    def test_outputs(self):
        self.refuse_outputs(PROGRAM, "--output")


if __name__ == "__main__":
    main()
