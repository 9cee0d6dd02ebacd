#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Each kind of block runs once under each device profile, whose limits the engine's tests show."""

import os
import subprocess
import sys
import unittest

from gnuradio import gr_unittest
from qa_blocks_support import check_filter, every_check
from qa_support import opencl_device

PROFILES = ("vc4", "v3d", "cl12-min")
# The kinds of items and taps for which there are kernels, and each other block.
BLOCKS = ("freq_xlating_fir_filter_ccf", "freq_xlating_fir_filter_ccc",
          "freq_xlating_fir_filter_fcf", "freq_xlating_fir_filter_scc",
          "freq_xlating_fir_filter_bcf", "freq_xlating_fir_filter_cu8_c",
          "freq_xlating_fir_filter_cs16_f", "freq_xlating_fir_filter_cs12_f",
          "freq_xlating_fft_filter_ccf", "freq_xlating_filter_bank_ccf", "gemm_ff", "gemm_cc",
          "gemm_bi", "gemm_1bit_bi", "multiply_matrix_ff", "multiply_matrix_cc",
          "correlator_cc", "correlator_cs8")


def run_blocks():
    """Runs in a process of its own, in which a profile is set."""
    checks = every_check()
    for name in BLOCKS:
        block = checks[name](device="cpu")
        assert block.device_name() != "host", name
        assert not hasattr(block, "fell_back") or not block.fell_back(), name
        print(name, block.variant_name())
    for algorithm in ("fast_convolution", "auto"):
        check_filter("ccf", count=9, device="cpu", algorithm=algorithm, may_use_host=True)
    # The smallest devices have no room for so many items and taps, and the host takes over.
    for arguments in (dict(decimation=19000, count=10), dict(count=9000)):
        check_filter("ccf", device="cpu", may_use_host=True, **arguments)
    print("PASSED")


@unittest.skipIf(opencl_device() == "host", "no OpenCL CPU device")
class qa_profiles(gr_unittest.TestCase):

    def test_profiles(self):
        for profile in PROFILES:
            with self.subTest(profile=profile):
                environment = dict(os.environ, GR_CONF_CLDSP_PROFILE=profile)
                done = subprocess.run([sys.executable, "-B", __file__, "run"],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, env=environment)
                self.assertEqual(0, done.returncode, done.stdout)
                self.assertIn("PASSED", done.stdout)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        gr_unittest.run(qa_profiles)
    run_blocks()
