#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Blocks that run on the host load no OpenCL driver, because one that fails may end the process."""

import pathlib

import numpy as np
from gnuradio import cldsp, gr, gr_unittest
from qa_support import run_block


def drivers():
    """The libraries of PoCL that this process has loaded."""
    lines = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return {line.split()[-1] for line in lines if "libpocl" in line}


class qa_host_alone(gr_unittest.TestCase):

    def test_no_driver_is_loaded(self):
        codes = [[0x5a] * 8] * 3
        ones = np.ones(4000, np.complex64)
        taps = [0.1] * 30
        makers = (
            lambda **k: cldsp.freq_xlating_fir_filter_ccf(4, taps, 0.1, 1, **k),
            lambda **k: cldsp.freq_xlating_filter_bank_ccf(4, taps, [0.1, -0.2], 1, **k),
            lambda **k: cldsp.gemm_ff([[1, 2], [3, 4]], **k),
            lambda **k: cldsp.multiply_matrix_cc([[1, 2], [3, 4]], gr.TPP_DONT, **k),
            lambda **k: cldsp.gemm_1bit_bi(codes, **k))
        for make in makers:
            for options in ({"device": "host"}, {"device": "auto", "variant": "simd"},
                            {"device": "host", "variant": "simd"}):
                block = make(**options)
                self.assertEqual("host", block.device_name())
                self.assertEqual(set(), drivers(), block.name())
        run_block(cldsp.freq_xlating_fir_filter_ccf(4, taps, 0.1, 1, device="host"), ones)
        run_block(cldsp.freq_xlating_fft_filter_ccf(4, taps, 0.1, 1, device="host"), ones)
        self.assertEqual("host", cldsp.correlator_cc(4, 1000, device="host").device_name())
        cldsp.gemm(np.ones((4, 4), np.float32), np.ones((4, 4), np.float32), device="host")
        self.assertEqual(set(), drivers())
        # A listing loads them; otherwise the lines above could not fail.
        if any("Portable" in device["platform"] for device in cldsp.devices()):
            self.assertNotEqual(set(), drivers())


if __name__ == "__main__":
    gr_unittest.run(qa_host_alone)
