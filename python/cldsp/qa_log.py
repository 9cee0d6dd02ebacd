#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The log says where blocks compute, once for all that would say the same."""

import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_support import opencl_device


def make_blocks(device):
    """Each kind of block, with its items' sizes."""
    taps = [1 / 300] * 300
    matrix = np.ones((64, 64), np.float32)
    for _ in range(2):
        yield cldsp.freq_xlating_fir_filter_ccf(4, taps, 0.1, 1e6, device), 8, 8
    yield cldsp.freq_xlating_fir_filter_volk_ccf(4, taps, 0.1, 1e6), 8, 8
    yield cldsp.freq_xlating_filter_bank_ccf(4, taps, [0.1], 1e6, device), 8, 8
    yield cldsp.gemm_ff(matrix, device), 256, 256
    yield cldsp.multiply_matrix_ff([[1]], gr.TPP_DONT, device), 4, 4
    yield cldsp.correlator_cc(4, 1000, True, device), 32, 80
    yield cldsp.gemm_1bit_bi([bytes(range(64))] * 64, device), 64, 256


def run(device):
    for number, (block, in_size, out_size) in enumerate(make_blocks(device)):
        block.set_block_alias(f"alias{number}")
        tb = gr.top_block()
        tb.connect(blocks.null_source(in_size), blocks.head(in_size, 10000), block,
                   blocks.null_sink(out_size))
        tb.run()
        print("RAN", block.name(), block.plan())


class qa_log(gr_unittest.TestCase):

    def check(self, device, **environment):
        # The default log level of an installed GNU Radio.
        done = subprocess.run(
            [sys.executable, __file__, device], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            env=dict(os.environ, GR_CONF_LOG_LOG_LEVEL="debug", **environment))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        ran = [line.split(" ", 2)[1:] for line in lines if line.startswith("RAN")]
        self.assertEqual(8, len(ran))
        # Messages about waiting for a lock are ignored, because other tests use the same locks.
        told = [line.split(" :", 1)[1] for line in lines
                if " :" in line and not line.startswith("RAN") and "lock" not in line]
        waits = [line for line in told if "compiling and measuring for '" in line]
        self.assertEqual(len(waits), len(set(waits)))
        if device == "host":
            self.assertEqual([], waits)
        places = [line for line in told if line not in waits]
        for line in places:
            self.assertRegex(line, "^info: runs on ('.*'|the host's SIMD units|the host by VOLK)$")
        # One line for the filters, for the kinds of products and for VOLK on a kind of device.
        self.assertLess(len(places), len(ran))
        # Whatever the blocks are named, the second of two equal filters says nothing.
        self.assertRegex(places[0], "^info: runs on ")
        self.assertEqual(1, sum("VOLK" in line for line in places))
        if device == "host":
            self.assertIn("info: runs on the host's SIMD units", places)

    def test_auto_without_wisdom(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check("auto", GR_CONF_CLDSP_CACHE_FOLDER=folder)

    def test_host(self):
        self.check("host")

    @unittest.skipIf(opencl_device() == "host", "no OpenCL CPU device")
    def test_device(self):
        self.check("cpu")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        gr_unittest.run(qa_log)
    run(sys.argv[1])
