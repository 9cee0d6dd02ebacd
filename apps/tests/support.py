# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Shared by the tests of the command: running it, and simulating machines by variables."""

import array
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["CLDSP_PROGRAM"]
FAKE_ICD = os.environ["CLDSP_FAKE_ICD_LIBRARY"]
PROCESSOR_SET = os.environ["CLDSP_PROCESSOR_SET_LIBRARY"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT = float(os.environ.get("CLDSP_TEST_TIMEOUT", 1200)) / 2  # seconds


class CommandTest(unittest.TestCase):
    """Runs the command in an empty cache folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cldsp-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.wrapper = []    # the beginning of each command line
        self.preexec = None  # called in each process before it becomes the command
        self.environment = dict(os.environ)
        for name in ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES",
                     "POCL_DEVICES", "POCL_AFFINITY", "CLDSP_KERNEL_PATH",
                     "CLDSP_FAKE_ICD", "VOLK_GENERIC"):
            self.environment.pop(name, None)
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")
        # PoCL's own programs are shared, so that not every test has to compile them. For a
        # stored program PoCL would compile every kernel of a file.
        self.environment["POCL_CACHE_DIR"] = os.environ["CLDSP_TEST_POCL_CACHE"]
        self.environment["CLDSP_STORE_PROGRAMS"] = "0"

    def run_command(self, *arguments, **variables):
        """The finished process; a variable that is None is unset."""
        environment = dict(self.environment)
        for name, value in variables.items():
            if value is None:
                environment.pop(name, None)
            else:
                environment[name] = str(value)
        return subprocess.run([*self.wrapper, PROGRAM, *arguments], env=environment,
                              timeout=TIMEOUT, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, preexec_fn=self.preexec)

    def run_json(self, *arguments, status=0, **variables):
        """The output of the command, which has to be JSON and nothing else."""
        done = self.run_command(*arguments, "--json", **variables)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def recording(self):
        """A file of complex floats."""
        path = self.folder / "in.cf32"
        path.write_bytes(array.array("f", [0.25, -0.5] * 40000).tobytes())
        return path

    def channelize(self, name, device, plan="wait", **variables):
        """One channel of the recording; returns the finished process and the outputs' bytes."""
        out = self.folder / name
        done = self.run_command("channelize", str(self.recording()), "--rate", "1M", "--channel",
                                "100k,50k,name=it", "--out", str(out), "--device", device,
                                "--plan", plan, **variables)
        files = list(out.glob("*.sigmf-data")) if out.is_dir() else []
        return done, files[0].read_bytes() if files else b""

    def assert_same(self, got, expected):
        """The outputs agree, but for rounding: each run measures what computes fastest."""
        self.assertEqual(len(got), len(expected))
        peak = max(map(abs, array.array("f", expected)))
        self.assertGreater(peak, 0)
        for ours, others in zip(array.array("f", got), array.array("f", expected)):
            self.assertAlmostEqual(ours, others, delta=1e-4 * peak)

    def icd_folder(self, library=None):
        """A folder for drivers, which is empty or has an .icd file that names a library."""
        folder = self.folder / "vendors"
        folder.mkdir(exist_ok=True)
        if library is not None:
            (folder / "made_up.icd").write_text(f"{library}\n", encoding="utf-8")
        return folder

    def refused_kernels(self):
        """A folder for CLDSP_KERNEL_PATH whose kernels no driver compiles."""
        folder = self.folder / "kernels"
        if not folder.exists():
            shutil.copytree(SOURCE / "kernels", folder)
            for file in folder.glob("*.cl"):
                file.write_text("#error refused by a test\n", encoding="utf-8")
        return folder

    def first_device(self):
        """The name of the first OpenCL device, such as "0:0", or None if there is none. A platform
        before it may have no device."""
        device = self.run_json("devices")["devices"][0]["device"]
        return device if device != "host" else None

    def has_opencl(self):
        """Whether this machine has an OpenCL device at all."""
        return self.first_device() is not None
