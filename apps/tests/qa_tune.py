#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of `cldsp tune`: its results are right, stored and used, however fast they are."""

import json
import os
import pty
import re
import signal
import subprocess
import unittest

from support import PROGRAM, TIMEOUT, CommandTest

FEW = ("--evaluations", "3", "--budget", "60", "--items", "2048")
STRATEGIES = ("full", "random", "annealing", "swarm", "powers", "candidates",
              "mnn_default", "mace_default")


class TuneTest(CommandTest):

    def setUp(self):
        super().setUp()
        cpus = [d for d in self.run_json("devices")["devices"] if d["kind"] == "cpu"]
        self.cpu = cpus[0]["device"] if cpus else None

    def need_cpu(self):
        if self.cpu is None:
            self.skipTest("no OpenCL processor")

    def kept(self):
        return self.run_json("wisdom", "list", "--kind", "tuning")["entries"]

    def check(self, tuned, family):
        self.assertEqual(tuned["family"], family)
        self.assertEqual(tuned["failed"], 0, tuned["failures"])
        self.assertGreater(tuned["points"], 0)
        self.assertGreater(tuned["seconds"], 0)
        self.assertGreater(tuned["default_seconds"], 0)
        self.assertAlmostEqual(tuned["speedup"], tuned["default_seconds"] / tuned["seconds"])
        # Whatever was measured, a slower point never takes the place of the default.
        if tuned["values"] == tuned["default_values"]:
            self.assertEqual(tuned["speedup"], 1)
        else:
            self.assertGreater(tuned["speedup"], 1)
        self.assertEqual(set(tuned["values"]), set(tuned["default_values"]))

    def test_filters(self):
        self.need_cpu()
        report = self.run_json("tune", "W3", "W1", "--device", self.cpu, "--strategy",
                               "random", "--seed", "5", *FEW, CLDSP_STORE_PROGRAMS=None)
        self.assertFalse(report["stopped"])
        self.assertEqual([t["kernel"] for t in report["tuned"]], ["W1", "W3"])
        for tuned in report["tuned"]:
            self.check(tuned, "fir_cpu_tile")
            self.assertEqual((tuned["points"], tuned["strategy"], tuned["items"]),
                             (3, "random", 2048))
            self.assertEqual(tuned["ending"], "as many points as allowed were measured")
            self.assertTrue(tuned["confirmed"])
        # The wisdom has the answers, and the programs of the best points are on the disk.
        kept = {e["answer"]["numbers"]["taps"]: e["answer"] for e in self.kept()}
        self.assertEqual(set(kept), {2429, 101})
        for taps, tuned in zip((2429, 101), report["tuned"]):
            self.assertEqual(kept[taps]["values"], tuned["values"])
            self.assertEqual(kept[taps]["numbers"]["items"], 2048)
        folder = self.folder / "cache" / "gr-cldsp"
        self.assertTrue(list(folder.glob("program-*.bin")))
        self.assertEqual(report["wisdom"], str(folder / "wisdom.json"))

    def test_matrix_product(self):
        self.need_cpu()
        tuned, = self.run_json("tune", "G1", "--device", self.cpu, "--evaluations", "2",
                               "--items", "128")["tuned"]
        self.check(tuned, "gemm_cpu_tile")
        entry, = self.kept()
        self.assertEqual(entry["answer"]["values"], tuned["values"])
        self.assertEqual(entry["answer"]["numbers"], {"m": 128, "n": 128, "k": 128})

    def test_1bit_product(self):
        self.need_cpu()
        tuned, = self.run_json("tune", "G3", "--device", self.cpu, "--evaluations", "2",
                               "--items", "200")["tuned"]
        self.check(tuned, "gemm_1bit_cpu_tile")
        entry, = self.kept()
        self.assertEqual(entry["answer"]["values"], tuned["values"])
        self.assertEqual(entry["answer"]["numbers"], {"items": 200, "codes": 200, "bits": 200})

    def test_1bit_product_of_no_whole_bytes(self):
        self.need_cpu()
        done = self.run_command("tune", "G3", "--device", self.cpu, "--items", "201")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("multiple of 8", done.stderr)

    def test_fast_convolution(self):
        self.check_fast("W2-fast", "fast_convolution_vkfft")

    def test_fused_fold(self):
        self.check_fast("W2-fused", "fast_convolution_fused_fold")

    def check_fast(self, kernel, family):
        self.need_cpu()
        # The first point is the default.
        done = self.run_command("tune", kernel, "--device", self.cpu, "--evaluations",
                                "1", "--budget", "120", "--items", "2048", "--json")
        if done.returncode == 2 and "VkFFT" in done.stderr:
            self.skipTest("no VkFFT")
        self.assertEqual(done.returncode, 0, done.stderr)
        tuned, = json.loads(done.stdout)["tuned"]
        self.check(tuned, family)
        self.assertIn("ifft_size", tuned["values"])
        entry, = self.kept()
        self.assertEqual(entry["answer"]["numbers"],
                         {"taps": 201, "decimation": 42, "items": 2048})

    def test_what_processors_never_choose_has_to_be_named(self):
        self.need_cpu()
        tuned = self.run_json("tune", "--device", self.cpu, "--evaluations", "1", "--budget",
                              "0.01", "--items", "1024")["tuned"]
        self.assertEqual([t["kernel"] for t in tuned], ["W1", "W2", "W3", "W4", "G1", "G3"])

    def test_text(self):
        self.need_cpu()
        done = self.run_command("tune", "W2", "--device", self.cpu, *FEW)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 3, done.stdout)
        self.assertRegex(lines[0], rf"^W2 on {self.cpu}: .*201 taps.*2048 input items")
        self.assertRegex(lines[1],
                         r"default [\d.]+ [mun]?s, best [\d.]+ [mun]?s, speedup [\d.]+: .*width=")
        self.assertRegex(lines[2], r"annealing: 3 points in [\d.]+ s, 0 failed; ")

    def test_the_time_ends_it(self):
        self.need_cpu()
        tuned, = self.run_json("tune", "W2", "--device", self.cpu, "--budget",
                               "0.01")["tuned"]
        self.assertEqual((tuned["points"], tuned["ending"]), (1, "the time was over"))
        self.assertEqual(tuned["values"], tuned["default_values"])

    def test_interruption(self):
        self.need_cpu()
        master, slave = pty.openpty()
        with subprocess.Popen(
                [PROGRAM, "tune", "W2", "W3", "--device", self.cpu, "--budget", "3000",
                 "--json"], env=self.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=slave) as process:
            os.close(slave)
            shown = b""
            while b"points" not in shown:
                more = os.read(master, 1000)
                self.assertTrue(more)
                shown += more
            self.assertRegex(shown, rb"W2 on .*%.*\[[#.]{20}\] \d+ points, best ")
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=TIMEOUT)
            shown += os.read(master, 100000)
        os.close(master)
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"what was found until then is kept", shown)
        report = json.loads(out)
        self.assertTrue(report["stopped"])
        tuned, = report["tuned"] # W3 was not begun
        self.assertEqual((tuned["kernel"], tuned["ending"]), ("W2", "it was stopped"))
        entry, = self.kept()
        self.assertEqual(entry["answer"]["values"], tuned["values"])
        self.assertFalse(entry["answer"]["confirmed"])

    def test_profiles_are_told_apart(self):
        self.need_cpu()
        for profile in ("vc4", "cl12-min"):
            tuned, = self.run_json("tune", "W2", "--device", self.cpu, "--profile", profile,
                                   "--evaluations", "1", "--items", "2048")["tuned"]
            self.check(tuned, "fir_cpu_tile")
        self.assertEqual(len(self.kept()), 2)

    def test_host(self):
        for arguments in (["--device", "host"], []):
            done = self.run_command("tune", *arguments, OCL_ICD_VENDORS="/nonexistent")
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertIn("nothing to tune", done.stderr)
        self.assertEqual(self.run_json("tune", "--device", "host")["tuned"], [])

    def test_a_device_that_refuses_every_kernel(self):
        self.need_cpu()
        done = self.run_command("tune", "W2", "G1", "--device", self.cpu, *FEW,
                                CLDSP_KERNEL_PATH=self.refused_kernels())
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stderr.splitlines()[-1],
                         rf"^cldsp: every kernel of {self.cpu} \('.*'\) was refused; W2: ")
        self.assertEqual(self.kept(), [])

    def test_bad_usage(self):
        for arguments, said in (
                (["nonsense"], "W1, W2, W3, W4, W1-fast, .*W4-fast, W1-fused, .*W4-fused, G1, G3, all"),
                (["W9"], "did you mean 'W1'"),
                (["W1", "--strategy", "guess"], ", ".join(STRATEGIES)),
                (["W1", "--device", "no such device"], "there is .*host"),
                (["W1", "--budget", "0"], "budget"),
                (["W1", "--budget", "nan"], "'--budget' is nan, but must be 0.01 to 86400"),
                (["W1", "--evaluations", "0"], "evaluations"),
                (["W1", "--seed", "-1"], "seed"),
                (["W1", "--items", "many"], "items"),
                (["W1", "--profile", "vc5"], "vc5")):
            done = self.run_command("tune", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertRegex(done.stderr, said)

    def test_a_strategy_that_does_not_fit(self):
        self.need_cpu()
        done = self.run_command("tune", "W2", "--device", self.cpu, "--strategy", "powers",
                                *FEW)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertTrue(re.search("powers", done.stderr), done.stderr)
        self.assertEqual(self.kept(), [])

    def test_help_lists_kernels_and_strategies(self):
        text = self.run_command("tune", "--help").stdout
        for name in STRATEGIES:
            self.assertIn(name, text)
        for name in ("W1 ", "W4 ", "W1-fast ", "W4-fast ", "W1-fused ", "G1 ", "G3 "):
            self.assertIn(name, text)


if __name__ == "__main__":
    unittest.main()
