#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of `cldsp doctor`: it names the cause, on machines simulated by variables."""

import json
import pathlib
import unittest

from support import FAKE_ICD, CommandTest


class DoctorTest(CommandTest):

    def problems(self, **variables):
        """The problems that the doctor finds, by cause."""
        found = self.run_json("doctor", status=1, **variables)
        self.assertFalse(found["healthy"])
        return {f["cause"]: f for f in found["findings"] if f["level"] == "problem"}

    def test_a_good_machine(self):
        if not self.has_opencl():
            self.skipTest("no OpenCL device")
        done = self.run_command("doctor")
        # A GPU without a driver is a problem of this machine, which the test does not check.
        found = self.run_json("doctor", status=done.returncode)
        wrong = [f for f in found["findings"]
                 if f["level"] == "problem" and f["topic"] != "gpu"]
        self.assertEqual(wrong, [])
        self.assertIn("builds and runs a kernel", done.stdout)
        self.assertIn("POCL_AFFINITY", done.stdout)
        self.assertIn(str(self.folder / "cache" / "gr-cldsp"), done.stdout)

    def test_no_icd_files(self):
        for place in (self.icd_folder(), "/nonexistent"):
            problem = self.problems(OCL_ICD_VENDORS=place)["no_icd_files"]
            self.assertIn(str(place), problem["text"])
            self.assertIn("OCL_ICD_VENDORS", problem["text"])
            self.assertIn("pocl-opencl-icd", problem["advice"])
            self.assertIn("no_opencl_device", self.problems(OCL_ICD_VENDORS=place))

    def test_icd_file_names_a_missing_library(self):
        folder = self.icd_folder("/nonexistent/libmade_up.so")
        problems = self.problems(OCL_ICD_VENDORS=folder)
        text = problems["icd_library_fails"]["text"]
        self.assertIn(str(folder / "made_up.icd"), text)
        self.assertIn("/nonexistent/libmade_up.so", text)
        self.assertIn("cannot be loaded", text)
        self.assertNotIn("no_icd_files", problems)

    def test_icd_file_is_empty(self):
        folder = self.icd_folder("")
        text = self.problems(OCL_ICD_VENDORS=folder)["bad_icd_file"]["text"]
        self.assertIn("names no library", text)

    def test_library_is_no_driver(self):
        folder = self.icd_folder("libc.so.6")
        text = self.problems(OCL_ICD_VENDORS=folder)["icd_library_fails"]["text"]
        self.assertIn("is no OpenCL driver", text)

    def test_platform_without_devices(self):
        folder = self.icd_folder(FAKE_ICD)
        problem = self.problems(OCL_ICD_VENDORS=folder)["platform_without_devices"]
        self.assertIn("Fake platform", problem["text"])
        self.assertIn("no device", problem["text"])
        self.assertTrue(problem["advice"])

    def notes(self, **variables):
        """The notes of the doctor, by cause, who has no problem but with this machine's GPU."""
        done = self.run_command("doctor", "--json", **variables)
        findings = json.loads(done.stdout)["findings"]
        wrong = [f for f in findings if f["level"] == "problem" and f["topic"] != "gpu"]
        self.assertEqual(wrong, [])
        return {f["cause"]: f for f in findings if f["level"] == "note"}

    def test_mesa_without_devices_is_a_note(self):
        folder = self.icd_folder(FAKE_ICD)

        def note(name, cause, **variables):
            variables.update(OCL_ICD_VENDORS=folder, CLDSP_FAKE_ICD_NAME=name)
            notes = self.notes(**variables)
            self.assertIn("no_opencl_device", notes)
            return notes[cause]
        unset = note("rusticl", "rusticl_without_devices", RUSTICL_ENABLE=None)
        self.assertIn("RUSTICL_ENABLE", unset["text"])
        self.assertTrue(unset["advice"])
        wrong = note("rusticl", "rusticl_without_devices", RUSTICL_ENABLE="made_up")
        self.assertIn("'made_up'", wrong["text"])
        self.assertIn("ignore it", note("Clover", "clover")["advice"])

    def test_the_last_line_tells_a_missing_gpu(self):
        done = self.run_command("doctor", OCL_ICD_VENDORS=self.icd_folder(FAKE_ICD),
                                CLDSP_FAKE_ICD_NAME="rusticl", RUSTICL_ENABLE=None)
        if done.returncode != 0:
            self.skipTest("this machine has a GPU whose driver is missing")
        self.assertIn("No problem found, but no GPU that can be used: everything runs on the "
                      "processor.", done.stdout.splitlines()[-1])

    def test_pocl_without_devices_names_the_variable(self):
        if not self.has_opencl():
            self.skipTest("no OpenCL device")
        if not any("pocl" in d["also"] for d in self.run_json("devices")["devices"]):
            self.skipTest("no PoCL")
        text = self.problems(POCL_DEVICES="")["platform_without_devices"]["text"]
        self.assertIn("POCL_DEVICES", text)

    def test_pocl_without_a_cache_folder(self):
        if not any("pocl" in d["also"] for d in self.run_json("devices")["devices"]):
            self.skipTest("no PoCL")
        text = self.problems(POCL_CACHE_DIR="/proc/no/folder")[
            "platform_without_devices"]["text"]
        self.assertIn("/proc/no/folder", text)

    def test_drivers_that_crash(self):
        folder = self.icd_folder(FAKE_ICD)
        for how, text in (("crash_on_load", "crashes"), ("crash", "aborts")):
            problems = self.problems(OCL_ICD_VENDORS=folder, CLDSP_FAKE_ICD=how)
            if how == "crash_on_load":
                self.assertIn(text, problems["icd_library_fails"]["text"])
            self.assertIn("aborts", problems["driver_fails"]["text"])
            self.assertIn(str(folder / "made_up.icd"), problems["driver_fails"]["text"])
            self.assertIn("made_up.icd", problems["driver_fails"]["advice"])

    def test_a_driver_that_hangs(self):
        problems = self.problems(OCL_ICD_VENDORS=self.icd_folder(FAKE_ICD),
                                 CLDSP_FAKE_ICD="hang_on_platforms", CLDSP_DRIVER_SECONDS="3")
        self.assertIn("no answer within 3 seconds", problems["driver_hangs"]["text"])

    def test_one_line_for_each_driver(self):
        for how in ("crash", "crash_on_platforms"):
            done = self.run_command("doctor", OCL_ICD_VENDORS=self.icd_folder(FAKE_ICD),
                                    CLDSP_FAKE_ICD=how)
            self.assertIn("problem  driver: ", done.stdout)
            self.assertNotIn("ok       driver: ", done.stdout)

    def test_a_driver_without_a_platform(self):
        folder = self.icd_folder(FAKE_ICD)
        self.assertIn("no_platform",
                      self.problems(OCL_ICD_VENDORS=folder, CLDSP_FAKE_ICD="no_platform"))
        # Beside one that has a platform: the same library by another name.
        other = self.folder / "libother.so"
        other.write_bytes(pathlib.Path(FAKE_ICD).read_bytes())
        (folder / "other.icd").write_text(f"{other}\n", encoding="utf-8")
        done = self.run_command("doctor", "--json", OCL_ICD_VENDORS=folder,
                                CLDSP_FAKE_ICD="no_platform", CLDSP_FAKE_ICD_SILENT=other)
        silent = [f for f in json.loads(done.stdout)["findings"]
                  if f["cause"] == "driver_without_platform"]
        self.assertEqual(len(silent), 1, done.stdout)
        self.assertIn("other.icd", silent[0]["text"])
        self.assertIn("start the machine anew", silent[0]["advice"])

    def test_no_program_to_try_the_drivers(self):
        problem = self.problems(CLDSP_CHECK_DRIVER="/nonexistent")["no_trial"]
        self.assertIn("/nonexistent", problem["text"])

    def test_read_only_cache(self):
        a_file = self.folder / "file"
        a_file.write_text("", encoding="utf-8")
        # Not even root can make a folder in either of these.
        for place in ("/proc/no", a_file):
            problem = self.problems(XDG_CACHE_HOME=place)["cache_not_writable"]
            self.assertIn(f"{place}/gr-cldsp", problem["text"])
            self.assertIn("XDG_CACHE_HOME", problem["advice"])

    def test_no_cache_folder(self):
        self.assertIn("no_cache_folder", self.problems(XDG_CACHE_HOME=None, HOME=None))
        # A relative path is ignored, as the XDG specification says.
        relative = self.problems(XDG_CACHE_HOME="some/cache", HOME=self.folder)
        self.assertIn("'some/cache'", relative["cache_home_relative"]["text"])

    def test_damaged_wisdom(self):
        folder = self.folder / "cache" / "gr-cldsp"
        folder.mkdir(parents=True)
        (folder / "wisdom.json").write_text("{ damaged", encoding="utf-8")
        self.assertIn("damaged", self.problems()["wisdom_unusable"]["text"])

    def test_pocl_affinity(self):
        def affinity(**variables):
            done = self.run_command("doctor", **variables)
            return [line for line in done.stdout.splitlines() if "POCL_AFFINITY" in line]
        self.assertIn("is not set", affinity()[0])
        self.assertIn("is 1", affinity(POCL_AFFINITY="1")[0])
        self.assertIn("pocl_affinity_off", self.problems(POCL_AFFINITY="0"))

    def test_missing_kernel_folder(self):
        problem = self.problems(CLDSP_KERNEL_PATH="/nonexistent")["kernel_path_missing"]
        self.assertIn("/nonexistent", problem["text"])

    def test_plain_words(self):
        done = self.run_command("doctor", OCL_ICD_VENDORS="/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no OpenCL driver is installed", done.stdout)
        self.assertIn("-> ", done.stdout)
        self.assertIn("problems found", done.stdout)


if __name__ == "__main__":
    unittest.main()
