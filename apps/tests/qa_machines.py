#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of the command on machines unlike this one: with drivers that end the process or hang,
and with a processor set without processor 0."""

import concurrent.futures
import os
import unittest

from support import FAKE_ICD, PROCESSOR_SET, CommandTest

BAD_DRIVERS = ("crash_on_platforms", "exit_on_platforms")


class MachinesTest(CommandTest):

    def setUp(self):
        super().setUp()
        self.environment["CLDSP_DRIVERS"] = "prove"

    def test_the_host_needs_no_driver(self):
        expected = self.channelize("good", "host", OCL_ICD_VENDORS="/nonexistent")[1]
        self.assertGreater(len(expected), 1000)
        for how in (*BAD_DRIVERS, "hang_on_platforms"):
            machine = {"OCL_ICD_VENDORS": self.icd_folder(FAKE_ICD), "CLDSP_FAKE_ICD": how}
            done, got = self.channelize(how, "host", **machine)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_same(got, expected)
            for what in (("bench", "G3", "--quick"), ("roofline", "--seconds", "0.01")):
                done = self.run_command(*what, "--device", "host", **machine)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_driver_that_ends_the_process_ends_only_a_child(self):
        expected = self.channelize("good", "host", OCL_ICD_VENDORS="/nonexistent")[1]
        for how in BAD_DRIVERS:
            machine = {"OCL_ICD_VENDORS": self.icd_folder(FAKE_ICD), "CLDSP_FAKE_ICD": how}
            done, got = self.channelize(how, "auto", **machine)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_same(got, expected)
            self.assertIn("the host computes", done.stderr)
            self.assertIn("cldsp doctor", done.stderr)
            listed = self.run_json("devices", **machine)
            self.assertEqual([d["device"] for d in listed["devices"]], ["host"])
            self.assertIn("the driver of 'made_up.icd'", listed["left_out"][0])
            for what in ("bench", "tune", "roofline"):
                done = self.run_command(what, "--device", "gpu", **machine)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("device 'gpu'", done.stderr)
                self.assertIn("--device host", done.stderr)

    def test_a_driver_that_hangs_is_left_in_time(self):
        machine = {"OCL_ICD_VENDORS": self.icd_folder(FAKE_ICD),
                   "CLDSP_FAKE_ICD": "hang_on_platforms", "CLDSP_DRIVER_SECONDS": "3"}
        expected = self.channelize("good", "host")[1]
        with concurrent.futures.ThreadPoolExecutor() as both:
            listing = both.submit(self.run_json, "devices", **machine)
            done, got = self.channelize("auto", "auto", **machine)
        listed = listing.result()
        # The time in the message is the bound; a slow machine may add to it.
        self.assertIn("gives no answer within 3 seconds", listed["left_out"][0])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("waiting for the OpenCL drivers", done.stderr)
        self.assertIn("gives no answer within 3 seconds", done.stderr)
        self.assert_same(got, expected)

    def test_a_processor_set_without_processor_0(self):
        usable = os.sched_getaffinity(0)
        if len(usable) < 2:
            self.skipTest("there is one processor only")
        os.sched_setaffinity(0, {max(usable)})
        self.addCleanup(os.sched_setaffinity, 0, usable)
        inside = {"LD_PRELOAD": PROCESSOR_SET}
        expected = self.channelize("good", "host")[1]
        for device in ("host", "auto"):
            done, got = self.channelize(device, device, **inside)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_same(got, expected)
        there = self.run_json("devices")["devices"]
        self.assertEqual(self.run_json("devices", **inside)["devices"], there)
        done = self.run_command("bench", "G3", "--quick", "--device", "host", **inside)
        self.assertEqual(done.returncode, 0, done.stderr)
        # What a user has set is PoCL's; the doctor tells why it fails.
        told = self.run_command("doctor", POCL_AFFINITY="1", **inside)
        self.assertIn(f"may use only {max(usable)}:", told.stdout)

    def test_nothing_is_passed_on_to_children(self):
        out = self.folder / "environment"
        done = self.run_command("channelize", str(self.recording()), "--rate", "1M", "--channel",
                                "100k,50k", "--exec", f"env > {out}; cat > /dev/null")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("POCL_AFFINITY", out.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
