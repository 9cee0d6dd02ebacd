#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""On a machine without any OpenCL platform the host computes, and the log reports it."""

import os
import subprocess
import sys
import tempfile

from gnuradio import gr_unittest

PROGRAM = """
import time
import numpy as np
from gnuradio import cldsp
from qa_support import error_db, make_block, random_items, random_taps, reference, run_block

assert [d["id"] for d in cldsp.devices()] == ["host"], cldsp.devices()
for device in ("gpu", "cpu", "0:0"):
    try:
        make_block("ccf", 1, [1.0], 0, 1, device=device)
    except ValueError as e:
        assert "host" in str(e), e
    else:
        raise AssertionError("no error for " + device)

rng = np.random.default_rng(1)
taps, items = random_taps(rng, "ccf", 100), random_items(rng, "ccf", 20000)
block = make_block("ccf", 4, taps, 0.2, 1)
assert block.device_name() == "host"
result, _ = run_block(block, items)
assert error_db(result, reference(items, 4, taps, 0.2, 1)) < -120
assert not block.fell_back()
cldsp.inject_failure("enqueue")

for options in {}, dict(variant="cpu_tile"):
    for matrix in (cldsp.gemm_ff([[2, 1]], **options),
                   cldsp.multiply_matrix_ff([[2, 1]], **options)):
        assert (matrix.device_name(), matrix.variant_name()) == ("host", "simd")
        assert matrix.fell_back() == bool(options)
    a = np.eye(3, dtype=np.float32)
    assert np.array_equal(cldsp.gemm(a, 2 * a, **options), 2 * a)
ones = np.ones((2, 10), np.complex64)
assert np.array_equal(cldsp.correlate(ones), [10, 10, 10])
assert cldsp.correlator_cc(2, 10).device_name() == "host"
for device in ("gpu", "cpu", "0:0"):
    for make in (cldsp.gemm_ff, cldsp.multiply_matrix_ff):
        try:
            make([[2, 1]], device=device)
        except ValueError as e:
            assert "host" in str(e), e
        else:
            raise AssertionError("no error for " + device)

probe = cldsp.tune_probe(budget_s=0.2)
assert probe.tune()
while "no kernels to tune" not in probe.last_report:
    time.sleep(0.01)
assert probe.roofline()["fp32"] > 0
assert probe.block_statistics() == []
"""


class qa_no_opencl(gr_unittest.TestCase):

    def test_host_computes(self):
        with tempfile.TemporaryDirectory() as folder:
            # The loader expects a slash at the end of the folder's name.
            environment = dict(os.environ, OCL_ICD_VENDORS=folder + "/", OPENCL_VENDOR_PATH=folder)
            done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment,
                                  cwd=os.path.dirname(os.path.abspath(__file__)),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(0, done.returncode, done.stdout)


if __name__ == "__main__":
    gr_unittest.run(qa_no_opencl)
