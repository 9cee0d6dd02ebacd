#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The in-tree block's own test cases: every type, without and with decimation."""

import cmath
import math

import numpy as np
from gnuradio import filter, gr_unittest
from qa_support import ALGORITHMS, IN_TREE_TYPES, make_block, opencl_device, run_block


def fir_filter(x, taps, decimation):
    """Plain decimating FIR filter with zeros before the first item."""
    past = [0] * (len(taps) - 1) + x
    return [
        sum(taps[len(taps) - 1 - k] * past[i + k] for k in range(len(taps)))
        for i in range(0, len(x) // decimation * decimation, decimation)
    ]


class qa_freq_xlating_fir_filter(gr_unittest.TestCase):
    """Compares the outputs with those of mixing first and filtering afterwards, in plain Python."""

    fs = 1
    fc = 0.3
    count = 100

    def taps(self, suffix):
        bw = 0.12 if suffix[0] == "s" else 0.1
        if suffix[-1] == "c":
            return filter.firdes.complex_band_pass(1, self.fs, -bw / 2, bw / 2, bw / 4)
        return filter.firdes.low_pass(1, self.fs, bw, bw / 4)

    def items(self, suffix):
        angles = [2 * math.pi * self.fc / self.fs * (t / 100.0) for t in range(self.count)]
        if suffix[0] == "c":
            return np.array([cmath.exp(-1j * a) for a in angles], np.complex64)
        if suffix[0] == "f":
            return np.array([math.sin(a) for a in angles], np.float32)
        return np.array([int(100 * math.sin(a)) for a in angles], np.int16)

    def expected(self, items, taps, decimation):
        # The constant phase of the block relative to mixing and filtering.
        phase = -math.pi * self.fc / self.fs * (len(taps) - 1)
        mixed = [
            x * cmath.exp(1j * (phase - 2 * math.pi * self.fc / self.fs * t))
            for t, x in enumerate(items.tolist())
        ]
        return fir_filter(mixed, taps, decimation)

    def check(self, suffix, decimation, **options):
        taps, items = self.taps(suffix[-3:]), self.items(suffix[-3:])
        block = make_block(suffix, decimation, taps, self.fc, self.fs, **options)
        result, _ = run_block(block, items)
        self.assertComplexTuplesAlmostEqual(
            self.expected(items, taps, decimation), result.tolist(),
            4 if suffix[-3] == "s" else 5)

    def test_every_type_on_the_device(self):
        for suffix in IN_TREE_TYPES:
            for decimation in (1, 4):
                with self.subTest(suffix=suffix, decimation=decimation):
                    self.check(suffix, decimation, device=opencl_device())

    def test_every_type_on_the_host(self):
        for suffix in IN_TREE_TYPES:
            for decimation in (1, 4):
                with self.subTest(suffix=suffix, decimation=decimation):
                    for algorithm in ALGORITHMS:
                        self.check(suffix, decimation, device="host", algorithm=algorithm)

    def test_every_algorithm_on_the_device(self):
        for algorithm, suffix in (("fast_convolution", "ccf"), ("auto", "ccc")):
            with self.subTest(algorithm=algorithm):
                self.check(suffix, 4, device=opencl_device(algorithm), algorithm=algorithm)

    def test_every_type_on_volk(self):
        for suffix in IN_TREE_TYPES:
            for decimation in (1, 4):
                with self.subTest(suffix=suffix, decimation=decimation):
                    self.check("volk_" + suffix, decimation)

    def test_arguments_by_keyword(self):
        taps, items = self.taps("ccf"), self.items("ccf")
        block = make_block("ccf", decimation=4, taps=taps, center_freq=self.fc,
                           sampling_freq=self.fs, device="auto", variant="auto",
                           transfer="auto", algorithm="auto", accuracy=1e-5)
        result, _ = run_block(block, items)
        self.assertComplexTuplesAlmostEqual(
            self.expected(items, taps, 4), result.tolist(), 5)

    def test_getters_return_the_prototype(self):
        taps = self.taps("ccc")
        block = make_block("ccc", 4, taps, self.fc, self.fs, device="host")
        self.assertComplexTuplesAlmostEqual(taps, block.taps())
        self.assertEqual(self.fc, block.center_freq())
        self.assertEqual(4, block.decimation())
        self.assertEqual(8192, block.history())


if __name__ == "__main__":
    gr_unittest.run(qa_freq_xlating_fir_filter)
