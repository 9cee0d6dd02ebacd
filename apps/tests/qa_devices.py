#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of `cldsp devices`."""

import unittest

from support import CommandTest


class DevicesTest(CommandTest):

    def test_the_host_is_always_there(self):
        devices = self.run_json("devices", OCL_ICD_VENDORS="/nonexistent")
        self.assertEqual([d["device"] for d in devices["devices"]], ["host"])
        self.assertTrue(any("no OpenCL platform" in t for t in devices["left_out"]))
        text = self.run_command("devices", OCL_ICD_VENDORS="/nonexistent")
        self.assertEqual(text.returncode, 0)
        self.assertIn("device=host", text.stdout)
        self.assertIn("cldsp doctor", text.stdout)

    def test_a_kind_that_is_not_here(self):
        for kind, what in (("gpu", "GPU"), ("gpus", "GPU"),
                           ("cpu", "processor with an OpenCL driver")):
            done = self.run_command("roofline", "--device", kind, OCL_ICD_VENDORS="/nonexistent")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"parameter 'device' is '{kind}', but there is no {what} here; devices: "
                          "host", done.stderr)

    def test_opencl_devices_have_what_a_user_needs(self):
        if not self.has_opencl():
            self.skipTest("no OpenCL device")
        for device in self.run_json("devices")["devices"][:-1]:
            self.assertRegex(device["device"], r"^\d+:\d+$")
            self.assertIn(device["kind"], ("cpu", "gpu", "accelerator"))
            for key in ("name", "platform", "driver", "version"):
                self.assertTrue(device[key])
            self.assertIsInstance(device["fp16"], bool)
            self.assertIsInstance(device["images"], bool)
            self.assertGreaterEqual(device["limits"]["max_work_group_size"], 1)
            self.assertTrue(device["notes"])

    def test_each_text_chooses_its_device(self):
        if not self.has_opencl():
            self.skipTest("no OpenCL device")
        for device in self.run_json("devices")["devices"]:
            for text in [device["device"], *device["also"]]:
                chosen = self.run_json("roofline", "--device", text, "--seconds", "0.01")
                self.assertEqual(chosen["rooflines"][0]["device"], device["device"])

    def test_the_text_names_what_json_names(self):
        text = self.run_command("devices").stdout
        for device in self.run_json("devices")["devices"]:
            self.assertIn(f"device={device['device']}", text)
            for other in device["also"]:
                self.assertIn(other, text)

    def test_a_profile_lowers_the_limits(self):
        if not self.has_opencl():
            self.skipTest("no OpenCL device")
        for device in self.run_json("devices", "--profile", "vc4")["devices"][:-1]:
            self.assertLessEqual(device["limits"]["max_work_group_size"], 12)
            self.assertLessEqual(device["limits"]["max_buffer"], 64 << 20)
            self.assertFalse(device["images"])


if __name__ == "__main__":
    unittest.main()
