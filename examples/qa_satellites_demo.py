#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Runs satellites_demo.py as a user does. Without an argument every test runs; with the name of a
class, only the tests of this class. Exit status 77 means that the tests could not run here.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from band_test_support import run_again

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "satellites_demo.py"
# A little less than the time of the whole test.
TIMEOUT_S = 0.9 * float(os.environ.get("CLDSP_TEST_TIMEOUT", 1200))
FRAMES_OF_THE_COLLECTION = {
    "aalto1": 1, "ao27": 2, "irazu": 1, "ops_sat": 1,
    "se01": 1, "swiatowid-ax25": 2, "tigrisat": 4, "us01": 1,
}
PNG = b"\x89PNG\r\n\x1a\n"


def need_direwolf():
    for program in ("atest", "gen_packets"):
        if shutil.which(program) is None:
            raise unittest.SkipTest(f"{program} is missing: install the package direwolf")


def need_soapy():
    for module, package in (("SoapySDR", "python3-soapysdr"), ("gnuradio.soapy", "gnuradio")):
        if importlib.util.find_spec(module) is None:
            raise unittest.SkipTest(f"{module} is missing: install the package {package}")


class DemoTest(unittest.TestCase):
    """Runs the demo in an empty folder."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="qa-satellites-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def run_demo(self, *arguments, **environment):
        done = subprocess.run(
            [sys.executable, "-B", str(PROGRAM), *map(str, arguments)],
            cwd=self.folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
            timeout=TIMEOUT_S)
        return self.check(done)

    def check(self, done):
        print(done.stdout, done.stderr, sep="")
        self.assertNotIn("Traceback", done.stderr)
        return done

    def counts(self, output):
        """Reads the table of the output into {channel: (expected, decoded)}."""
        rows = re.findall(r"^(\S+) +[+-]\d+\.\d{3} +\d+ +(\d+|-) +(\d+)\b", output, re.MULTILINE)
        return {name: (expected, int(decoded)) for name, expected, decoded in rows}

    def assert_all_decoded(self, done):
        self.assertEqual(done.returncode, 0)
        counts = self.counts(done.stdout)
        for name, (expected, decoded) in counts.items():
            self.assertEqual(int(expected), decoded, name)
        total = sum(decoded for _, decoded in counts.values())
        last = done.stdout.rstrip().splitlines()[-1]
        self.assertRegex(last, rf"^{total} of {total} frames decoded, "
                               r"\d+\.\d times real time on one core$")
        self.assertEqual((self.folder / "demo-output/spectrum.png").read_bytes()[:8], PNG)
        return counts

    def refuse(self, pattern, *arguments):
        self.assert_refused(self.check(run_again(PROGRAM, self.folder, *arguments)), pattern)

    def refuse_elsewhere(self, pattern, *arguments, **environment):
        """As refuse(), in a process whose environment decides what it can import."""
        self.assert_refused(self.run_demo(*arguments, **environment), pattern)

    def assert_refused(self, done, pattern):
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, pattern)
        self.assertLess(len(done.stderr), 2000)


class demo(DemoTest):
    def test_every_frame(self):
        need_direwolf()
        counts = self.assert_all_decoded(self.run_demo())
        recordings = os.environ.get("CLDSP_RECORDINGS")
        names = {p.stem for p in Path(recordings).glob("*.wav")} if recordings else set()
        if names == set(FRAMES_OF_THE_COLLECTION):
            decoded = {name: count for name, (_, count) in counts.items()}
            self.assertEqual(decoded, FRAMES_OF_THE_COLLECTION)
        elif not names:
            self.assertEqual(sum(count for _, count in counts.values()), 24)
        left = sorted(p.name for p in (self.folder / "demo-output").iterdir())
        self.assertEqual(left, ["spectrum.png"])

    def test_says_what_ran(self):
        need_direwolf()
        for algorithm in ("direct", "fast_convolution"):
            done = self.run_demo("--device", "host", "--algorithm", algorithm, "--accuracy", "0")
            self.assert_all_decoded(done)
            self.assertIn("filtered by the host's own SIMD units.", done.stdout)
            self.assertRegex(done.stdout, f"(?m)^The bank's plan: {algorithm}/.* on host")
            self.assert_one_core(done.stdout)

    def assert_one_core(self, printed):
        """The speed in the last line is the signal's length divided by the processor time."""
        signal = float(re.search(r"Of (\S+) s of signal", printed)[1])
        work = float(re.search(r"which is (\S+) s of one core", printed)[1])
        speed = float(re.search(r"(\S+) times real time on one core$", printed.rstrip())[1])
        # Both printed numbers are rounded to their last digit.
        self.assertLessEqual((signal - 0.005) / (work + 0.0005), speed + 0.051)
        self.assertGreaterEqual((signal + 0.005) / max(work - 0.0005, 1e-6), speed - 0.051)


class demo_opencl(DemoTest):
    def test_each_device(self):
        need_direwolf()
        from gnuradio import cldsp

        devices = [device for device in cldsp.devices() if device["kind"] != "host"]
        if not devices:
            self.skipTest("there is no OpenCL device")
        for device in devices:
            with self.subTest(device=device["name"]):
                done = self.run_demo("--device", device["id"])
                self.assert_all_decoded(done)
                self.assertIn(f"filtered by OpenCL on {device['name']}.", done.stdout)


class demo_no_opencl(DemoTest):
    def test_host_decodes_and_says_so(self):
        need_direwolf()
        empty = self.folder / "no-vendors"
        empty.mkdir()
        done = self.run_demo(OCL_ICD_VENDORS=str(empty), OCL_ICD_FILENAMES="")
        self.assert_all_decoded(done)
        self.assertIn("There is no OpenCL device on this machine", done.stdout)
        self.assertRegex(done.stdout, "(?m)^The bank's plan: .* on host")


class demo_bad_input(DemoTest):
    def setUp(self):
        super().setUp()
        self.wide = self.folder / "wide.cu8"
        self.wide.write_bytes(bytes(range(256)) * 2000)
        self.one = ("--channel", "100001:1200:beacon")

    def test_options(self):
        wide, one = self.wide, self.one
        for pattern, arguments in (
            ("needs a --channel", ["--input", wide]),
            ("--channel goes with --input", one),
            ("--expect goes with --input", ["--expect", "3"]),
            ("--sample-rate goes with --input", ["--sample-rate", "960000"]),
            ("--freq goes with --input rtl", ["--input", wide, *one, "--freq", "1e8"]),
            ("exclude each other", ["--input", wide, *one, "--recordings", "."]),
            ("OFFSET_HZ:BAUD", ["--input", wide, "--channel", "100001"]),
            ("OFFSET_HZ:BAUD", ["--input", wide, "--channel", "inf:1200"]),
            ("expected one argument", ["--input", wide, "--channel"]),
            ("4800 baud is not", ["--input", wide, "--channel", "100001:4800"]),
            ("offset must be within", ["--input", wide, "--channel", "-1008000:1200"]),
            ("a name is made of", ["--input", wide, "--channel", "1:1200:../x"]),
            ("multiple of 48000", ["--input", wide, *one, "--sample-rate", "2048000"]),
            ("multiple of 48000", ["--input", wide, *one, "--sample-rate", "-48000"]),
            ("multiple of 48000", ["--input", wide, *one, "--sample-rate", "0"]),
            ("multiple of 48000", ["--input", wide, *one, "--sample-rate", f"48{30 * '0'}"]),
            ("--expect 0", ["--input", wide, *one, "--expect", "0"]),
            ("--seconds nan", ["--input", "rtl", *one, "--freq", "1e8", "--seconds", "nan"]),
            ("--seconds 1e+15: must be above 0, to 100000000",
             ["--input", "rtl", *one, "--freq", "1e8", "--seconds", "1e15"]),
            ("--freq -1: must be above 0", ["--input", "rtl", *one, "--freq", "-1"]),
            ("needs --freq", ["--input", "rtl", *one]),
            ("unrecognized arguments: --frobnicate", ["--frobnicate"]),
        ):
            with self.subTest(arguments=arguments):
                self.refuse(re.escape(pattern), *arguments)

    def test_files(self):
        empty, odd, other = (self.folder / n for n in ("empty.cu8", "odd.cu8", "wide.txt"))
        empty.write_bytes(b"")
        odd.write_bytes(b"abc")
        other.write_bytes(b"ab")
        for pattern, path in (
            ("No such file", "absent.cu8"), ("Is a directory", self.folder / "dir.cu8"),
            ("holds no sample", empty), ("no whole number", odd), ("must end in", other),
        ):
            with self.subTest(path=path):
                (self.folder / "dir.cu8").mkdir(exist_ok=True)
                self.refuse(pattern, "--input", path, *self.one)

    def test_outputs(self):
        (self.folder / "there/spectrum.png").mkdir(parents=True)
        for pattern, path in (
            (r"--output wide\.cu8/spectrum\.png: must be a file that can be", "wide.cu8"),
            (r"--output is there/spectrum\.png, but must be a file", "there"),
        ):
            with self.subTest(path=path):
                self.refuse(pattern, "--input", self.wide, *self.one, "--output", path)

    def test_recordings(self):
        need_direwolf()
        self.refuse("does not exist", "--recordings", self.folder / "nowhere")
        self.refuse("no .wav file", "--recordings", self.folder)
        (self.folder / "x.wav").write_bytes(b"RIFF but not audio")
        self.refuse("not a WAV file", "--recordings", self.folder)

    def test_engine(self):
        self.refuse("accuracy", "--input", self.wide, *self.one, "--accuracy", "0.2")
        for name in ("device", "algorithm", "variant", "transfer"):
            with self.subTest(name=name):
                self.refuse("no-such-thing", "--input", self.wide, *self.one,
                            f"--{name}", "no-such-thing")

    def test_missing_frame_fails(self):
        need_direwolf()
        done = self.run_demo("--input", self.wide, *self.one, "--expect", "1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^0 of 1 frames decoded, ")


class demo_rtl_without_radio(DemoTest):
    def test_says_so(self):
        need_soapy()
        nowhere = self.folder / "no-modules"
        nowhere.mkdir()
        self.refuse_elsewhere("SoapySDR finds no radio that matches 'driver=rtlsdr'", "--input",
                              "rtl", "--freq", "145.9e6", "--channel", "100001:1200", "--radio",
                              "driver=rtlsdr", SOAPY_SDR_ROOT=str(nowhere),
                              SOAPY_SDR_PLUGIN_PATH=str(nowhere))

    def test_says_so_without_soapy(self):
        fake = self.folder / "modules"
        fake.mkdir()
        (fake / "SoapySDR.py").write_text("raise ImportError('not here')\n")
        path = os.pathsep.join(filter(None, (str(fake), os.environ.get("PYTHONPATH"))))
        self.refuse_elsewhere("install python3-soapysdr", "--input", "rtl", "--freq", "145.9e6",
                              "--channel", "100001:1200", PYTHONPATH=path)


class demo_rtl_fake_radio(DemoTest):
    def setUp(self):
        super().setUp()
        need_soapy()
        self.modules = os.environ.get("CLDSP_TEST_SOAPY_MODULES")
        if not self.modules:
            self.skipTest("the fake radio was not built: install the package libsoapysdr-dev")

    def test_radio_that_hangs(self):
        path = self.folder / "on-air.cu8"
        path.write_bytes(bytes(range(256)))
        self.refuse_elsewhere("no sample arrived for", "--input", "rtl", "--freq", "145.9e6",
                              "--channel", "100001:1200", "--radio", "driver=cldsp-fake",
                              SOAPY_SDR_PLUGIN_PATH=self.modules,
                              CLDSP_FAKE_RADIO_FILE=str(path), CLDSP_FAKE_RADIO_SILENT="0")

    def test_streams_and_decodes(self):
        need_direwolf()
        from common.progress import Progress
        from satellites import wideband

        plan = (("ROMEO", 1200, 2), ("VICTOR", 9600, 3))
        channels = wideband.generated_channels(self.folder, plan)
        path = self.folder / "on-air.cu8"
        with Progress("making the stream") as progress:
            wideband.make(channels, path, progress)
        seconds = path.stat().st_size / 2 / 2016000
        arguments = []
        for channel in channels:
            arguments += ["--channel", f"{channel.offset}:{channel.baud}:{channel.name}"]
        done = self.run_demo("--input", "rtl", "--freq", "145.9e6", "--seconds", seconds,
                             "--radio", "driver=cldsp-fake", "--expect", "5", "--keep",
                             *arguments, SOAPY_SDR_PLUGIN_PATH=self.modules,
                             CLDSP_FAKE_RADIO_FILE=str(path))
        self.assertEqual(done.returncode, 0)
        self.assertIn("receiving from a file that plays radio at 145.9 MHz as cs8", done.stdout)
        self.assertEqual(self.counts(done.stdout), {"ROMEO": ("-", 2), "VICTOR": ("-", 3)})
        self.assertRegex(done.stdout.rstrip().splitlines()[-1], r"^5 of 5 frames decoded, ")
        captured = (self.folder / "demo-output/radio.cs8").stat().st_size
        self.assertEqual(captured, int(2016000 * seconds) * 2)


if __name__ == "__main__":
    outcome = unittest.main(verbosity=2, exit=False).result
    if not outcome.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if len(outcome.skipped) == outcome.testsRun else 0)
