#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of `cldsp roofline`. Bounds on times are so wide that every machine meets them."""

import unittest

from support import CommandTest

RATES = ("fp32", "int32", "popcount", "global_read", "global_write", "global_copy", "local")
TRANSFERS = ("host_to_device", "device_to_host", "host_to_device_mapped",
             "device_to_host_mapped")


class RooflineTest(CommandTest):

    def roofs(self, *arguments):
        return self.run_json("roofline", "--seconds", "0.02", *arguments)["rooflines"]

    def check(self, roof):
        for name in RATES:
            self.assertGreater(roof[name], 1e5, name)
            self.assertLess(roof[name], 1e17, name)
        self.assertGreater(roof["launch_latency"], 1e-9)
        self.assertLess(roof["launch_latency"], 10)

    def test_host(self):
        host, = self.roofs("--device", "host")
        self.check(host)
        self.assertGreaterEqual(host["threads"], 1)
        self.assertEqual(host["host_to_device"], 0)
        one, = self.roofs("--device", "host", "--threads", "1")
        self.assertEqual(one["threads"], 1)

    def check_device(self, roof):
        self.check(roof)
        if roof["device"] != "host":
            for name in TRANSFERS:
                self.assertGreater(roof[name], 1e5, name)

    def test_devices(self):
        devices = [d["device"] for d in self.run_json("devices")["devices"]]
        roofs = {roof["device"]: roof for roof in self.roofs()}
        self.assertEqual(devices, list(roofs))
        for roof in roofs.values():
            self.check_device(roof)
        if len(devices) == 1:
            self.skipTest("no OpenCL device")
        first, last = devices[0], devices[-1]
        self.assertEqual([roofs[last], roofs[first]], self.roofs("--device", f"{last},{first}"))
        for wrong, reason in ((f"{first},{last},{first}", f"'{first}' twice"),
                              (f"{first},77:0", "'77:0'")):
            done = self.run_command("roofline", "--device", wrong)
            self.assertEqual(2, done.returncode)
            self.assertIn("parameter 'device'", done.stderr)
            self.assertIn(reason, done.stderr)

    def test_a_profile(self):
        if not self.has_opencl():
            self.skipTest("no OpenCL device")
        for roof in self.roofs("--profile", "vc4"):
            self.check_device(roof)

    def test_it_is_remembered(self):
        first, = self.roofs("--device", "host")
        self.assertEqual(self.roofs("--device", "host"), [first])
        entries = self.run_json("wisdom", "list", "--kind", "roofline")["entries"]
        self.assertEqual(len(entries), 1)
        self.assertEqual(entries[0]["answer"]["fp32"], first["fp32"])
        self.assertNotEqual(self.roofs("--device", "host", "--again"), [first])

    def test_the_table_has_every_figure(self):
        done = self.run_command("roofline", "--device", "host", "--seconds", "0.02")
        self.assertEqual(done.returncode, 0)
        for name in RATES + TRANSFERS:
            self.assertIn(name, done.stdout)
        self.assertEqual(done.stderr, "")

    def test_verify_prints_both(self):
        if not any(d["kind"] == "cpu" for d in self.run_json("devices")["devices"]):
            done = self.run_command("roofline", "--verify")
            self.assertEqual(done.returncode, 2)
            return
        # The difference of the two peaks depends on other load on the machine.
        done = self.run_command("roofline", "--verify", "--seconds", "0.15")
        self.assertIn(done.returncode, (0, 1))
        self.assertIn("hand-written loop on all cores", done.stdout)
        self.assertIn("ratio", done.stdout)

    def test_bad_usage(self):
        for arguments in (["--device", "no such device"], ["--seconds", "0"],
                          ["--seconds", "nan"], ["--seconds", "601"],
                          ["--profile", "vc5"], ["--threads", "-1"],
                          ["--verify", "--device", "host"]):
            done = self.run_command("roofline", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stdout, "")
            self.assertTrue(done.stderr)

    def test_without_opencl(self):
        roofs = self.run_json("roofline", "--seconds", "0.02",
                              OCL_ICD_VENDORS="/nonexistent")["rooflines"]
        self.assertEqual([r["device"] for r in roofs], ["host"])


if __name__ == "__main__":
    unittest.main()
