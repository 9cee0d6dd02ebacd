#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Preferences: a block's argument, then the environment, then the file, then "auto"."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from gnuradio import gr_unittest
from qa_support import opencl_device

MAKE = """
from gnuradio import cldsp
try:
    block = cldsp.freq_xlating_fir_filter_ccf(1, [1.0], 0, 1{})
    print("RAN", block.device_name() == "host")
except ValueError as e:
    print("ERROR", e)
"""


class qa_prefs(gr_unittest.TestCase):

    def run_program(self, arguments="", config=None, **environment):
        """The last line of output of a new process, which reads its preferences at the start."""
        variables = dict(os.environ, **environment)
        with tempfile.TemporaryDirectory() as home:
            if config is not None:
                os.mkdir(os.path.join(home, ".gnuradio"))
                with open(os.path.join(home, ".gnuradio", "config.conf"), "w") as file:
                    file.write(config)
                variables["HOME"] = home
                keys = re.findall(r"^(\w+) =", config, re.MULTILINE)
                for name in ("GR_PREFS_PATH", "XDG_CONFIG_HOME",
                             *("GR_CONF_CLDSP_" + key.upper() for key in keys)):
                    if name not in environment:
                        variables.pop(name, None)
            done = subprocess.run([sys.executable, "-c", MAKE.format(arguments)],
                                  env=variables, stdout=subprocess.PIPE, text=True)
        lines = [line for line in done.stdout.splitlines()
                 if line.startswith(("RAN", "ERROR"))]
        self.assertEqual(1, len(lines), done.stdout)
        return lines[0]

    def test_environment(self):
        self.assertEqual("RAN True", self.run_program(GR_CONF_CLDSP_DEVICE="host"))

    def test_file(self):
        self.assertEqual("RAN True", self.run_program(config="[cldsp]\ndevice = host\n"))

    def test_an_empty_value_is_auto(self):
        self.assertIn("RAN", self.run_program(config="[cldsp]\ndevice =\nprofile =\n"))

    @unittest.skipIf(opencl_device() == "host", "no OpenCL CPU device")
    def test_environment_comes_before_the_file(self):
        self.assertEqual("RAN False", self.run_program(
            config="[cldsp]\ndevice = host\n", GR_CONF_CLDSP_DEVICE="cpu"))

    @unittest.skipIf(opencl_device() == "host", "no OpenCL CPU device")
    def test_argument_comes_first(self):
        self.assertEqual("RAN False", self.run_program(', device="cpu"',
                                                       GR_CONF_CLDSP_DEVICE="host"))

    def test_unknown_device(self):
        self.assertRegex(self.run_program(GR_CONF_CLDSP_DEVICE="toaster"),
                         "ERROR.*device.*toaster")

    def test_plan(self):
        for value in ("auto", "wait", ""):
            self.assertEqual("RAN True", self.run_program(', device="host"',
                                                          GR_CONF_CLDSP_PLAN=value))
        self.assertEqual("RAN True", self.run_program(
            config="[cldsp]\ndevice = host\nplan = wait\n"))
        self.assertRegex(self.run_program(GR_CONF_CLDSP_PLAN="soon"),
                         r"ERROR.*'\[cldsp\] plan' is 'soon', but must be \"auto\" or \"wait\"")

    def test_unknown_profile(self):
        self.assertRegex(self.run_program(GR_CONF_CLDSP_PROFILE="toaster"),
                         "ERROR.*profile.*toaster")

    @unittest.skipIf(opencl_device() == "host", "no OpenCL CPU device")
    def test_limits_of_the_queue(self):
        self.assertEqual("RAN False", self.run_program(
            ', device="cpu"', GR_CONF_CLDSP_QUEUE_WINDOW="2",
            GR_CONF_CLDSP_LONGEST_KERNEL_MS="1.5"))

    def test_bad_limits_of_the_queue(self):
        for key, value in [("QUEUE_WINDOW", "-1"), ("QUEUE_WINDOW", "1.5"),
                           ("QUEUE_WINDOW", "2 3"), ("LONGEST_KERNEL_MS", "-0.1"),
                           ("LONGEST_KERNEL_MS", "nan"), ("LONGEST_KERNEL_MS", "soon")]:
            with self.subTest(key=key, value=value):
                self.assertRegex(
                    self.run_program(**{"GR_CONF_CLDSP_" + key: value}),
                    "ERROR.*{}.*'{}'.*0 to".format(key.lower(), value))


if __name__ == "__main__":
    gr_unittest.run(qa_prefs)
