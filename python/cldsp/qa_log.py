#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""By itself a block logs one line, its plan."""

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
    for block, in_size, out_size in make_blocks(device):
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
        for name in {name for name, _ in ran}:
            told = [line.split('; tuned: ')[0] for line in lines
                    if line.startswith(name + " :")]
            with self.subTest(block=name):
                # Tuned values, which another test may have stored, are not in every line.
                self.assertEqual([f"{name} :info: plan: {plan.split('; tuned: ')[0]}"
                                  for its_name, plan in ran if its_name == name], told)
        # Messages about waiting for a lock are ignored, because other tests use the same locks.
        self.assertFalse([line for line in lines
                          if line.startswith("cldsp") and "lock" not in line])

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
