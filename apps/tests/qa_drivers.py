#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of the command with drivers that fail, alone and beside good ones, and on systems on
which a good driver fails: without /proc, /sys, /dev/shm or a linker, with a cache folder of which
no program can be run, and with low limits."""

import os
import pathlib
import resource
import subprocess
import unittest

from support import FAKE_ICD, CommandTest

FAILURES = ("crash_on_load", "crash_on_platforms", "crash", "exit_on_platforms", "corrupt_heap",
            "print", "crash_at_exit")
VENDORS = pathlib.Path("/etc/OpenCL/vendors")


def may_mount():
    """Whether this process may make a mount namespace of its own."""
    try:
        return subprocess.run(["unshare", "-m", "true"], check=False,
                              stderr=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:
        return False


class DriversTest(CommandTest):

    def setUp(self):
        super().setUp()
        self.environment["CLDSP_DRIVERS"] = "prove"
        self.expected = self.channelize("expected", "host")[1]
        self.assertGreater(len(self.expected), 1000)

    def fresh_cache(self, name):
        """The variables of an empty cache folder."""
        return {"XDG_CACHE_HOME": self.folder / f"cache-{name}"}

    def both(self):
        """A folder with the drivers of this machine and the one that fails."""
        folder = self.icd_folder(FAKE_ICD)
        for icd in VENDORS.glob("*.icd"):
            (folder / icd.name).write_bytes(icd.read_bytes())
        return folder

    def assert_right(self, name, **variables):
        """The command computes the same as on the host; returns what it says when it waits."""
        for plan in ("auto", "wait"):
            done, got = self.channelize(f"{name}-{plan}", "auto", plan,
                                        **self.fresh_cache(name), **variables)
            self.assertEqual(done.returncode, 0, f"{name}, {plan}: {done.stderr}")
            self.assert_same(got, self.expected)
        return done.stderr

    def test_each_failure_alone(self):
        folder = self.icd_folder(FAKE_ICD)
        for how in FAILURES:
            told = self.assert_right(how, OCL_ICD_VENDORS=folder, CLDSP_FAKE_ICD=how)
            self.assertEqual(told.count("made_up.icd"), 1, told)
            self.assertIn("the host computes", told)

    def test_each_failure_beside_a_good_driver(self):
        if not self.has_opencl():
            self.skipTest("no OpenCL device")
        expected = [d["name"] for d in self.run_json("devices")["devices"]]
        for how in FAILURES:
            machine = {"OCL_ICD_VENDORS": self.both(), "CLDSP_FAKE_ICD": how}
            self.assert_right(f"both-{how}", **machine)
            listed = self.run_json("devices", **machine, **self.fresh_cache(f"both-{how}"))
            self.assertEqual([d["name"] for d in listed["devices"]], expected, how)
            self.assertIn("made_up.icd", listed["left_out"][0])
            done = self.run_command("roofline", "--device", "0:0", "--seconds", "0.01", **machine,
                                    **self.fresh_cache(f"both-{how}"))
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_driver_that_hangs_beside_a_good_one(self):
        if not self.has_opencl():
            self.skipTest("no OpenCL device")
        machine = {"OCL_ICD_VENDORS": self.both(), "CLDSP_FAKE_ICD": "hang_on_platforms",
                   "CLDSP_DRIVER_SECONDS": "15"}
        self.assert_right("hang", **machine)
        listed = self.run_json("devices", **machine, **self.fresh_cache("hang"))
        self.assertGreater(len(listed["devices"]), 1)

    def test_systems_on_which_drivers_fail(self):
        if not may_mount():
            self.skipTest("this user cannot mount anything")
        pocl = self.folder / "pocl"
        pocl.mkdir()
        for name, commands in (("no_sys", "mount -t tmpfs none /sys"),
                               ("no_proc", "mount -t tmpfs none /proc"),
                               ("no_shm", "mount -t tmpfs -o size=4k,nr_inodes=1 none /dev/shm"),
                               ("noexec", f"mount -t tmpfs -o noexec none {pocl}"),
                               ("read_only", f"mount -t tmpfs -o ro none {pocl}"),
                               ("full", f"mount -t tmpfs -o size=64k none {pocl}")):
            self.wrapper = ["unshare", "-m", "sh", "-c", commands + ' && exec "$@"', "sh"]
            self.assert_right(name, POCL_CACHE_DIR=pocl)
            self.wrapper = []

    def test_no_linker(self):
        self.assert_right("no_linker", PATH="/nonexistent", POCL_CACHE_DIR=self.folder / "pocl")

    def test_low_limits(self):
        for name, limit, value in (("file_size", resource.RLIMIT_FSIZE, 1 << 20),
                                   ("memory", resource.RLIMIT_AS, 1 << 30),
                                   ("files", resource.RLIMIT_NOFILE, 64)):
            self.preexec = lambda limit=limit, value=value: resource.setrlimit(
                limit, (value, value))
            self.assert_right(name, POCL_CACHE_DIR=self.folder / f"pocl-{name}")
            self.preexec = None

    def test_few_processes(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become a user without processes")
        self.folder.chmod(0o777)

        def become_another():
            resource.setrlimit(resource.RLIMIT_NPROC, (16, 16))
            os.setgid(60321)
            os.setuid(60321)

        self.preexec = become_another
        self.assert_right("processes", POCL_CACHE_DIR=self.folder / "pocl-processes",
                          HOME=self.folder)
        self.preexec = None

    def test_no_program_tries_them(self):
        told = self.assert_right("no_program", CLDSP_CHECK_DRIVER="/nonexistent")
        self.assertIn("no other process can try the OpenCL drivers", told)


if __name__ == "__main__":
    unittest.main()
