#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A driver that ends or stops the process that loads it does not harm a flowgraph, and a good one
beside it is still used."""

import os
import pathlib
import subprocess
import sys
import tempfile

from gnuradio import gr_unittest

FAKE_ICD = os.environ["CLDSP_FAKE_ICD_LIBRARY"]
VENDORS = pathlib.Path("/etc/OpenCL/vendors")
FAILURES = ("crash_on_load", "crash_on_platforms", "exit_on_platforms", "corrupt_heap", "print",
            "crash_at_exit")
PROGRAM = """
import os
import numpy as np
from gnuradio import cldsp
from qa_support import error_db, make_block, random_items, random_taps, reference, run_block

rng = np.random.default_rng(1)
taps, items = random_taps(rng, "ccf", 100), random_items(rng, "ccf", 20000)
block = make_block("ccf", 4, taps, 0.2, 1, may_use_host=True)
result, _ = run_block(block, items)
assert error_db(result, reference(items, 4, taps, 0.2, 1)) < -100
assert not block.fell_back()
a = np.eye(3, dtype=np.float32)
assert np.array_equal(cldsp.gemm(a, 2 * a), 2 * a)
devices = [d["id"] for d in cldsp.devices()]
assert devices[-1] == "host"
assert bool(devices[:-1]) == bool(os.environ["QA_HAS_DEVICE"]), devices
if devices[:-1]:
    block = make_block("ccf", 4, taps, 0.2, 1, device=devices[0])
    result, _ = run_block(block, items)
    assert error_db(result, reference(items, 4, taps, 0.2, 1)) < -100
    assert not block.fell_back() and block.device_name() != "host"
else:
    try:
        make_block("ccf", 4, taps, 0.2, 1, device="gpu")
    except ValueError as e:
        assert "broken.icd" in str(e), e
    else:
        raise AssertionError("no error")
"""


class qa_drivers(gr_unittest.TestCase):

    def run_with(self, how, has_device, seconds="30"):
        """Runs the program with the driver that fails, and those of this machine."""
        with tempfile.TemporaryDirectory() as folder:
            vendors = pathlib.Path(folder) / "vendors"
            vendors.mkdir()
            (vendors / "broken.icd").write_text(FAKE_ICD + "\n")
            if has_device:
                for icd in VENDORS.glob("*.icd"):
                    (vendors / icd.name).write_bytes(icd.read_bytes())
            environment = dict(
                os.environ, OCL_ICD_VENDORS=str(vendors), CLDSP_FAKE_ICD=how,
                CLDSP_DRIVERS="prove", CLDSP_DRIVER_SECONDS=seconds,
                GR_CONF_CLDSP_CACHE_FOLDER=folder + "/cache",
                QA_HAS_DEVICE="yes" if has_device else "")
            done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment,
                                  cwd=os.path.dirname(os.path.abspath(__file__)),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False)
        self.assertEqual(0, done.returncode, f"{how}: {done.stdout}")
        self.assertEqual(1, done.stdout.count("is not used"), f"{how}: {done.stdout}")
        self.assertIn("broken.icd", done.stdout)
        self.assertIn("cldsp doctor", done.stdout)

    def test_alone(self):
        for how in FAILURES:
            self.run_with(how, False)
        self.run_with("hang_on_platforms", False, seconds="2")

    def test_beside_a_good_driver(self):
        code = "from gnuradio import cldsp; print(len(cldsp.devices()))"
        if subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split()[-1] == "1":
            self.skipTest("no OpenCL device")
        for how in FAILURES:
            self.run_with(how, True)


if __name__ == "__main__":
    gr_unittest.run(qa_drivers)
