#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of scripts/bench-gpu: a pack is made, unpacked and run on PoCL, and the report is right.

Usage: qa_bench_gpu.py BUILD_FOLDER"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "scripts" / "bench-gpu"
BUILD = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build").resolve()

sys.path.insert(0, str(HERE))
import report  # noqa: E402
import run  # noqa: E402


def bench_row(**values):
    return {"kernel": "fused_fold", "correct": True, "rate": 2000.0, "spread": 0.1,
            "seconds_per_call": [2e-3, 1e-3, 3e-3], "kernel_seconds_per_call": [1e-3],
            "cores_in_use": 1.5, "error_db": -93.2, **values}


def some_results(**values):
    return {"began": "2026-01-02T03:04:05+00:00", "seconds": 12.0, "budget": 60.0,
            "device": {"name": "Some GPU", "device": "1:0", "kind": "gpu", "platform": "P",
                       "version": "OpenCL 3.0", "driver": "1.2.3"},
            "unfinished": [], **values}


class PackTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="bench-gpu-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        pack = cls.folder / "pack.tar.xz"
        cls.packed = cls.script(SCRIPT, "--no-build", pack)
        if cls.packed.returncode == 0:
            with tarfile.open(pack) as archive:
                archive.extractall(cls.folder)
        cls.tree = cls.folder / "gr-cldsp-bench"

    @classmethod
    def script(cls, *command):
        return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, cwd=cls.folder,
                              env={**os.environ, "CLDSP_BUILD_DIR": str(BUILD),
                                   "XZ_OPT": "-0"})

    def test_the_pack_needs_no_build(self):
        self.assertEqual(0, self.packed.returncode, self.packed.stderr)
        for program in ("cldsp", "engine_qa", "bench_flowgraph_rates"):
            done = subprocess.run(["ldd", self.tree / "bin" / program], capture_output=True,
                                  text=True, check=True,
                                  env={**os.environ, "LD_LIBRARY_PATH": str(self.tree / "lib")})
            self.assertNotIn("not found", done.stdout)
            self.assertNotRegex(done.stdout, re.escape(str(BUILD)))
        self.assertIn("qa_opencl_fir", (self.tree / "fixtures.txt").read_text().split())
        self.assertNotIn("qa_device_failures", (self.tree / "fixtures.txt").read_text().split())
        self.assertIn("libgnuradio-runtime", "".join(f.name for f in self.tree.glob("lib/*")))
        self.assertTrue(list(self.tree.glob("lib/c/ld-linux*")))

    def test_a_run(self):
        out = self.folder / "out"
        done = self.script(self.tree / "scripts" / "bench-gpu", "--run", "--device", "cpu",
                           "--quick", "--seconds", 1200, "--out", out)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        results = json.loads((out / "results.json").read_text())
        self.assertEqual("cpu", results["device"]["kind"])
        self.assertEqual([("qa_transfer", "passed")],
                         [(t["name"], t["outcome"]) for t in results["tests"]])
        self.assertEqual(["W1-fast", "G3"], [t["workload"] for t in results["bench"]])
        for table in results["bench"]:
            self.assertTrue(all(row["correct"] for row in table["results"]), table)
            self.assertEqual({results["device"]["device"]},
                             {row["device"] for row in table["results"]})
        flow, = results["flowgraphs"]
        self.assertGreater(flow["rate"], 0)
        self.assertEqual((1, 0.025), (flow["channels"], flow["latency"]))
        # Peers are measured, or left out with a reason.
        peers = results["peers"]
        self.assertTrue(peers["results"] or all(p["reason"] for p in peers["left_out"]))
        text = (out / "results.md").read_text()
        self.assertEqual(text.strip(), done.stdout.split("\n\n", 1)[1].strip())
        for part in ("# Measurements", "## Tests", "1 of 1 fixtures passed", "## Flowgraphs",
                     "cu8 input", results["device"]["driver"], "## Peers"):
            self.assertIn(part, text)
        self.assertEqual([], results["unfinished"])

    def test_the_packed_c_library(self):
        """Programs also start with the loader and the C library of the pack."""
        loader, = self.tree.glob("lib/c/ld-linux*")
        done = self.script(loader, "--library-path", f"{self.tree}/lib/c:{self.tree}/lib",
                           self.tree / "bin" / "cldsp", "--version")
        self.assertRegex(done.stdout, r"^cldsp \d")

    def test_wrong_usage(self):
        in_pack = self.tree / "scripts" / "bench-gpu"
        for command, expected in (
                ((SCRIPT, "pack.zip"), r"'pack.zip', but must end in .tar.xz"),
                ((SCRIPT, "a.tar.xz", "b"), "unknown argument 'b'"),
                ((in_pack,), "this is a pack"),
                ((in_pack, "--run", "--device", "toaster"), "there is no device 'toaster'"),
                ((in_pack, "--run", "--only", "tea"), "'tea', but must be of tests, bench"),
                ((in_pack, "--run", "--seconds", "0"), "--seconds is 0, but must be 1 to 86400"),
                ((in_pack, "--run", "--tea"), "unrecognized arguments: --tea")):
            with self.subTest(expected=expected):
                done = self.script(*command)
                self.assertNotEqual(0, done.returncode)
                self.assertRegex(done.stderr, expected)


class RunnerTest(unittest.TestCase):

    def runner(self, seconds):
        return run.Runner(types.SimpleNamespace(seconds=seconds, lib=None, loader=None,
                                                bin=pathlib.Path("/nonexistent")))

    def test_a_step_that_takes_too_long_is_stopped(self):
        runner = self.runner(3600)
        # A child of the child is stopped, too, and its output up to then is kept.
        status, output, _, _ = runner.execute(
            ["sh", "-c", "echo begun; sleep 3000 & wait"], 1)
        self.assertIsNone(status)
        self.assertEqual("begun\n", output)

    def test_nothing_starts_after_the_budget(self):
        runner = self.runner(0)
        status, *_ = runner.execute(["sleep", "3000"], 3600)
        self.assertIsNone(status)

    def test_the_status_and_the_output_of_a_step(self):
        status, output, errors, seconds = self.runner(3600).execute(
            ["sh", "-c", "echo $X; echo bad >&2; exit 3"], 3600, X="good")
        self.assertEqual((3, "good\n", "bad\n"), (status, output, errors))
        self.assertGreater(seconds, 0)

    def test_what_was_wrong(self):
        tests = {outcome: {"name": f"qa_{outcome}", "outcome": outcome}
                 for outcome in ("passed", "failed", "not started")}
        self.assertEqual([], run.wrongs({}))
        self.assertEqual([], run.wrongs({"tests": [tests["passed"], tests["not started"]]}))
        self.assertEqual(["tests failed: qa_failed"],
                         run.wrongs({"tests": [tests["failed"], tests["not started"]]}))
        for none in ([], [tests["not started"]]):
            self.assertRegex(run.wrongs({"tests": none})[0], "no test came to its end.* --seconds")
        self.assertRegex(run.wrongs({"bench": []})[0], "no benchmark .* --seconds")
        self.assertEqual(["results are wrong: W1 vkfft"], run.wrongs(
            {"bench": [{"workload": "W1", "results": [
                bench_row(), bench_row(kernel="vkfft", correct=False)]}]}))


class ReportTest(unittest.TestCase):

    def test_numbers(self):
        for value, text in ((0, "0"), (0.1234, "0.123"), (5, "5"), (79.06, "79.1"),
                            (999.9, "1 000"), (16144.5, "16 100"), (348325.9, "348 000")):
            self.assertEqual(text, report.number(value))

    def test_rates_of_kernels(self):
        # A call of 2 ms whose kernels take 1 ms: twice the rate.
        self.assertEqual(4000, report.kernel_rate(bench_row()))
        self.assertEqual(0, report.kernel_rate(bench_row(kernel_seconds_per_call=[])))

    def test_tables(self):
        rows = [bench_row(), bench_row(kernel="vkfft", correct=False, error_db=-3.0),
                {"kernel": "gpu_tile", "correct": False, "failure": "no | memory"}]
        text = report.markdown(some_results(
            bench=[{"workload": "W1-fast", "title": "a title", "unit": "MS/s",
                    "results": rows}],
            tests=[{"name": "qa_a", "outcome": "passed", "passed": 3},
                   {"name": "qa_b", "outcome": "failed", "passed": 1}],
            unfinished=["peers: they\n took long"],
            peers={"versions": {"cupy": "13"}, "left_out": [
                {"workload": "W6", "peer": "cuFFT", "reason": "memory"}], "results": [
                    {"workload": "W1", "peer": "CuPy upfirdn", "unit": "MS/s", "rate": 4270.0,
                     "error_db": -120.0}]}), [("Bars", "bars.png")])
        for line in ("| W1-fast | fused_fold | a title | 2 000 MS/s | 5 % | 4 000 | 1.5 | -93 dB |",
                     "-3 dB WRONG", "| no / memory |", "1 of 2 fixtures passed, with 3 tests.",
                     "| qa_b | failed | 1 |", "* peers: they took long",
                     "| W1 | CuPy upfirdn | 4 270 MS/s | -120 dB |",
                     "* left out: W6, cuFFT: memory", "![Bars](bars.png)", "| driver | 1.2.3 |"):
            self.assertIn(line, text)

    def test_charts(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")
        with tempfile.TemporaryDirectory() as folder:
            charts = report.draw(some_results(
                bench=[{"workload": "W1-fast", "title": "taps, cu8 input, 64M items per call",
                        "unit": "MS/s", "results": [bench_row()]},
                       {"workload": "G3", "title": "4096 items", "unit": "Gop/s",
                        "results": [bench_row()]}],
                flowgraphs=[{"channels": 1, "device": "auto", "latency": 0.2, "rate": 10.0}]),
                pathlib.Path(folder))
            self.assertEqual(["filters.png", "products.png", "flowgraphs.png"],
                             [file for _, file in charts])
            for _, file in charts:
                self.assertTrue((pathlib.Path(folder) / file).read_bytes()[1:4] == b"PNG")


if __name__ == "__main__":
    unittest.main()
