#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Doppler curves, their schedules and orbits, and doppler.py run as a user does."""

import importlib.util
import re
import unittest
from datetime import datetime, timezone

import numpy as np
from band_test_support import HERE, PNG, BandTest, main
from tracking import doppler, orbit, signals

PROGRAM = HERE / "doppler.py"
# The TLE set that is the usual example, and a made-up one.
ISS = ("ISS (ZARYA)",
       "1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927",
       "2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537")
OTHER = ("BEACON 1",
         "1 00900U 64063C   08264.51782528  .00000000  00000-0  00000-0 0    10",
         "2 00900  90.1000 247.4627 0026703 130.5360 325.0288 13.72125391    12")
# Seconds after the pass begins, and Doppler shift in Hz, by Skyfield 1.45 for test_orbit().
REFERENCE = ((0, 9627.1), (90, 8468.9), (180, 3637.4), (270, -5581.0), (360, -8933.9))


def has_sgp4():
    return importlib.util.find_spec("sgp4") is not None


class doppler_curves(unittest.TestCase):
    """Tests that need neither the module nor GNU Radio."""

    def curve(self, rows=200, seed=1):
        rng = np.random.default_rng(seed)
        times = np.cumsum(rng.uniform(0.2, 1.5, rows)) - 7
        return doppler.DopplerCurve(times, 9000 * np.sin(times / 40 + rng.uniform(0, 6)))

    def test_spline(self):
        curve = self.curve()
        np.testing.assert_allclose(curve.hz, curve.frequency(curve.times), atol=1e-9)
        # Its phase is the integral of its frequency, and its second derivative is continuous.
        t = np.linspace(curve.times[0] - 3, curve.times[-1] + 3, 400001)
        middle = curve.frequency((t[1:] + t[:-1]) / 2)
        np.testing.assert_allclose(np.cumsum(middle * np.diff(t)),
                                   curve.phase(t[1:]) - curve.phase(t[0]), atol=1e-3)
        inside = curve.times[1:-1]
        step = 1e-3
        bends = [np.diff(curve.frequency(inside[:, None] + step * np.array(at)), 2)[:, 0]
                 for at in ([-2, -1, 0], [0, 1, 2])]
        np.testing.assert_allclose(*bends, atol=3e-8 * 9000)
        self.assertEqual(0, curve.phase(curve.times[0]))

    def test_straight_tables(self):
        for times in ([1.0, 3.0], [1.0, 3.0, 4.0]):
            curve = doppler.DopplerCurve(times, 5 * np.array(times))
            self.assertEqual(10.0, curve.frequency(2.0))
            self.assertEqual(0.0, curve.largest_bend)
            self.assertAlmostEqual(5 * (3 ** 2 - 1) / 2, float(curve.phase(3.0)))
            np.testing.assert_allclose(
                doppler.schedule(curve, 100.0, 1000, 1e-3),
                [(0, 105, 5), (curve.duration * 1000, 100 + 5 * times[-1], 0)])

    def test_schedules_keep_to_the_curve(self):
        for seed in range(5):
            curve = self.curve(seed=seed)
            for bound in (1e-1, 1e-3, 1e-5):
                for sample_rate, offset in ((48000, 1234.5), (2400000, -5e5)):
                    points = doppler.schedule(curve, offset, sample_rate, bound)
                    samples = np.array([point[0] for point in points])
                    self.assertEqual(0, samples[0])
                    self.assertTrue((np.diff(samples) > 0).all())
                    places = np.linspace(0, samples[-1], 200001).astype(np.int64)
                    times = places / sample_rate
                    wanted = offset * times + curve.phase(times + curve.times[0])
                    error = np.abs(doppler.phase_of(points, places, sample_rate) - wanted).max()
                    self.assertLess(error, 1.05 * bound + 2e-7)

    def test_circular_pass(self):
        found = orbit.circular_pass(435e6)
        self.assertAlmostEqual(found.curve.hz[0], -found.curve.hz[-1], delta=20)
        self.assertTrue((np.diff(found.curve.hz) < 0).all())
        # In its zenith a satellite passes at its own speed, 7.6 km/s, at a distance of 500 km.
        over = orbit.circular_pass(435e6, beside=0.0)
        self.assertAlmostEqual(90, over.elevation, delta=0.3)
        fastest = np.diff(over.curve.hz).min() / orbit.STEP
        self.assertAlmostEqual(-435e6 / 299792.458 * 7.61 ** 2 / 500 * 6378 / 6878, fastest,
                               delta=2)

    @unittest.skipUnless(has_sgp4(), "sgp4 is missing: install the package python3-sgp4")
    def test_orbit(self):
        """The reference is Skyfield, which knows the Earth's rotation better."""
        start = datetime(2008, 9, 20, 14, 0, tzinfo=timezone.utc)
        found = orbit.tle_pass(ISS, (48.2, 16.4, 200.0), start, 5.0, 437.8e6)
        self.assertEqual("ISS (ZARYA)", found.name)
        rise = datetime(2008, 9, 20, 18, 19, 50, 104192, tzinfo=timezone.utc)
        self.assertLess(abs((found.start - rise).total_seconds()), 1.0)
        self.assertAlmostEqual(30.436, found.elevation, delta=0.05)
        for seconds, shift in REFERENCE:
            self.assertAlmostEqual(shift, float(found.curve.frequency(
                seconds - (found.start - rise).total_seconds())), delta=5)

    def test_signals_and_what_is_left(self):
        curve = self.curve(40)
        for kind in signals.SIGNALS:
            signal = signals.PassSignal(curve, 3000.0, 48000, kind, 0.0, 1)
            whole = signal.samples(0, signal.length)
            np.testing.assert_allclose(1, np.abs(whole), atol=1e-5)
            np.testing.assert_allclose(whole[5000:6000], signal.samples(5000, 1000), atol=1e-6)
            times = np.arange(signal.length) / 48000
            turns = 3000.0 * times + curve.phase(times + curve.times[0])
            for wrong in (0.0, 0.25):
                still = whole * np.exp(-2j * np.pi * (turns - wrong * times))
                left, means = signals.residual(still, 48000, 0.01)
                np.testing.assert_allclose(wrong, left, atol=0.03)
                self.assertAlmostEqual(wrong * (len(means) - 1), means[-1] - means[0], delta=0.05)


class DopplerTest(BandTest):

    def write(self, name, *lines):
        path = self.folder / name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def left(self, *arguments):
        done = self.run_program(PROGRAM, *arguments)
        rms, largest, turns = map(float, re.search(
            r"residual frequency: (\S+) Hz rms, (\S+) Hz at most.* went (\S+) turns",
            done.stdout).groups())
        self.assertLess(rms, 0.05)
        self.assertLess(largest, 0.1)
        self.assertLess(abs(turns), 0.1)
        self.assertEqual(PNG, (self.folder / "doppler.png").read_bytes()[:8])
        return done.stdout


class doppler_pass(DopplerTest):
    """The bank takes the shift out."""

    def test_made_up_pass(self):
        self.assertIn("a circular orbit: 40 s",
                      self.left("--seconds", 40, "--device", "host"))

    def test_keying_and_another_rate(self):
        self.left("--seconds", 20, "--signal", "fsk", "--sample-rate", 96000, "--offset", -30000,
                  "--accuracy", 0)

    def test_table(self):
        times = np.arange(0, 21)
        self.write("pass.csv", "# time, shift", "seconds,hertz",
                   *(f"{t},{5000 - 500 * t - 10 * t * t}" for t in times))
        self.assertIn("pass.csv: 20 s", self.left("--table", "pass.csv"))

    def test_orbit(self):
        if not has_sgp4():
            self.skipTest("sgp4 is missing: install the package python3-sgp4")
        self.write("sets.txt", *OTHER, *ISS)
        printed = self.left("--tle", "sets.txt", "--satellite", "zarya", "--seconds", 20,
                            "--start", "2008-09-20T14:00", "--frequency", 437.8e6)
        self.assertRegex(printed, r"ISS \(ZARYA\), 2008-09-20 18:19:\d\d UTC: 20 s, up to 30 deg")

    def test_printed_schedule(self):
        done = self.run_program(PROGRAM, "--print-schedule", "--seconds", 30)
        points = [tuple(map(float, line.split(","))) for line in done.stdout.splitlines()]
        self.assertEqual(0, points[0][0])
        self.assertEqual(30 * 48000, points[-1][0])
        self.assertEqual(0, points[-1][2])


class doppler_bad_input(DopplerTest):

    def test_arguments(self):
        for pattern, *arguments in (
                (r"latitude is 91.*-90 to 90", "--observer", 91, 0, 0),
                (r"longitude is nan", "--observer", 0, "nan", 0),
                (r"height is 1e\+06|height is 1000000", "--observer", 0, 0, 1e6),
                (r"--elevation is -1", "--elevation", -1),
                (r"--frequency is 0", "--frequency", 0),
                (r"--offset: 'inf' must be a number of Hz", "--offset", "inf"),
                (r"--sample-rate is 48001.*multiple of 4800", "--sample-rate", 48001),
                (r"--sample-rate is 48000+, but must be a multiple of 4800, to 10000000000",
                 "--sample-rate", 48 * 10 ** 30),
                (r"--sample-rate is 9600.*must be \d+ or more", "--sample-rate", 9600),
                (r"--seconds is 1e\+300, but must be 4 to 1e6", "--seconds", 1e300),
                (r"--seconds is 3", "--seconds", 3),
                (r"--phase-error is 0.2", "--phase-error", 0.2),
                (r"--snr is 9", "--snr", 9),
                (r"--seed is -1", "--seed", -1),
                (r"signal: invalid choice", "--signal", "morse"),
                (r"cannot both", "--tle", "a", "--table", "b"),
                (r"--satellite needs --tle", "--satellite", "ISS"),
                (r"--start needs --tle", "--start", "2026-11-23"),
                (r"--start is noon", "--tle", "a", "--start", "noon"),
                (r"--start is 0001-01-01T00:00\+14:00, but must be a time", "--tle", "a",
                 "--start", "0001-01-01T00:00+14:00"),
                (r"--start is 9999-12-31, but must be a time", "--tle", "a", "--start",
                 "9999-12-31"),
                (r"nothing.tle: No such file", "--tle", "nothing.tle"),
                (r"nothing.csv: No such file", "--table", "nothing.csv"),
                (r"device.*toaster", "--seconds", 4, "--device", "toaster"),
                (r"unrecognized arguments: --bogus", "--bogus")):
            with self.subTest(arguments=arguments):
                self.refuse(PROGRAM, pattern, *arguments)

    def test_outputs(self):
        self.refuse_outputs(PROGRAM, "--output", "--seconds", 4)
        # A module that cannot be imported counts as missing.
        (self.folder / "matplotlib.py").write_text("raise ImportError('gone')\n", encoding="utf-8")
        done = self.run_program(PROGRAM, "--seconds", 4, status=2, PYTHONPATH=str(self.folder))
        self.assertIn("--output needs matplotlib (gone)", done.stderr)
        # Without a picture, nothing is wrong.
        self.run_program(PROGRAM, "--seconds", 4, "--print-schedule", "--output", "picture")

    def test_tables(self):
        for pattern, *lines in (
                (r"0 rows, but must have 2", ""),
                (r"1 rows", "time,hz", "0,1"),
                (r"line 2: .*time in s and a shift in Hz.*1,2,3", "0,1", "1,2,3"),
                (r"line 2: .*nan", "0,1", "1,nan"),
                (r"line 3: could not convert", "0,1", "1,2", "2,x"),
                (r"line 2: could not convert", "time,hz", "a,b"),
                (r"line 2: the time 0 has to be above .*, 0", "0,1", "0,2"),
                (r"takes 1 s, but must take 4", "0,1", "1,2"),
                (r"--sample-rate is 48000, but must be", "0,1", "10,90000")):
            with self.subTest(pattern=pattern):
                self.refuse(PROGRAM, pattern, "--table", self.write("table.csv", *lines))
        path = self.folder / "bytes.csv"
        path.write_bytes(b"\xff\xfe1,2\n")
        self.refuse(PROGRAM, "bytes.csv: .*codec", "--table", path)

    def test_orbits(self):
        for pattern, lines, *arguments in (
                (r"no two lines", ["nothing"]),
                (r"line 2: .*checksum", [ISS[0], ISS[1][:-1] + "1", ISS[2]]),
                (r"line 3: .*69", [*ISS[:2], ISS[2][:-2]]),
                (r"--satellite is Mir.*only BEACON 1, ISS", [*OTHER, *ISS], "--satellite",
                 "Mir")):
            with self.subTest(pattern=pattern):
                self.refuse(PROGRAM, pattern, "--tle", self.write("set.tle", *lines), *arguments)
        # A module that cannot be imported counts as missing.
        broken = self.folder / "broken"
        broken.mkdir()
        (broken / "sgp4.py").write_text("raise ImportError('gone')\n", encoding="utf-8")
        done = self.run_program(PROGRAM, "--tle", self.write("set.tle", *ISS), status=2,
                                PYTHONPATH=str(broken))
        self.assertIn("install python3-sgp4", done.stderr)

    def test_passes(self):
        if not has_sgp4():
            self.skipTest("sgp4 is missing: install the package python3-sgp4")
        tle = self.write("set.tle", *ISS)
        self.refuse(PROGRAM, r"does not pass above 80 degrees", "--tle", tle, "--elevation", 80,
                    "--observer", 80, 0, 0)
        self.refuse(PROGRAM, r"SGP4 gives no position.*too old", "--tle", tle, "--start",
                    "2100-01-01")


if __name__ == "__main__":
    main()
