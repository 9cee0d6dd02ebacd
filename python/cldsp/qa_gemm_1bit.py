#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The 1-bit correlator in a flowgraph: exact integers, its settings, and a lost device."""

import itertools
import pickle
import time
import unittest

import numpy as np
import pmt
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_support import array_source, opencl_device, post

DEVICES = ("host", "cpu") if opencl_device() == "cpu" else ("host",)
VARIANTS = ("naive", "private_sum", "cpu_tile", "gpu_tile")


def random_bytes(seed, rows, columns):
    return np.random.default_rng(seed).integers(0, 256, (rows, columns), dtype=np.uint8)


def correlations(items, codes):
    """The correlations, bit by bit: the sum of the products of +1 and -1."""
    signs = [2 * np.unpackbits(m, axis=1).astype(np.int64) - 1 for m in (items, codes)]
    return signs[0] @ signs[1].T


def vectors(array):
    """A message for the port set_codes."""
    message = pmt.make_vector(len(array), pmt.PMT_NIL)
    for i, code in enumerate(array):
        pmt.vector_set(message, i, pmt.init_u8vector(len(code), list(map(int, code))))
    return message


def run_block(block, items, count, chunks=None, max_noutput=100000, actions=()):
    """The outputs of a block with these codes, one row per item."""
    tb = gr.top_block()
    source = array_source(items, chunks, actions)
    sink = blocks.vector_sink_i(count)
    tb.connect(source, block, sink)
    tb.run(max_noutput)
    return np.array(sink.data()).reshape(-1, count)


class qa_gemm_1bit(gr_unittest.TestCase):

    def tearDown(self):
        cldsp.inject_failure("none")

    def check(self, items, codes, chunks=None, max_noutput=100000, **options):
        block = cldsp.gemm_1bit_bi(codes, **options)
        result = run_block(block, items, len(codes), chunks, max_noutput)
        np.testing.assert_array_equal(correlations(items, codes), result)
        return block

    def test_devices(self):
        for device in DEVICES:
            for count, length, items in ((1, 1, 100), (5, 7, 1000), (33, 128, 777),
                                         (300, 256, 99), (17, 1023, 65)):
                with self.subTest(device=device, codes=count, bytes=length):
                    block = self.check(random_bytes(1, items, length),
                                       random_bytes(2, count, length), device=device)
                    self.assertEqual(device == "host", block.device_name() == "host")
                    self.assertFalse(block.fell_back())
                    self.assertEqual(8 * length, block.bits())

    def test_variants(self):
        for variant in VARIANTS[:None if len(DEVICES) > 1 else 0]:
            block = self.check(random_bytes(3, 200, 41), random_bytes(4, 19, 41),
                               device="cpu", variant=variant)
            self.assertEqual(variant, block.variant_name())

    def test_auto(self):
        block = self.check(random_bytes(5, 2000, 16), random_bytes(6, 8, 16))
        self.assertEqual("popcount", block.algorithm_name())
        self.assertIn("popcount/" + block.variant_name(), block.plan())
        self.assertIn(block.transfer_name(), ("none", "copy", "mapped", "zero_copy"))
        self.assertGreater(block.kernel_time_avg(), 0)
        self.assertGreaterEqual(block.transfer_time_avg(), 0)

    def test_first_bit_is_the_most_significant(self):
        codes = np.array([[0x80], [0x00], [0x01]], np.uint8)
        block = cldsp.gemm_1bit_bi(codes, "host")
        result = run_block(block, np.array([[0x80]], np.uint8), 3)
        np.testing.assert_array_equal([[8, 6, 4]], result)

    def test_partition(self):
        items, codes = random_bytes(7, 5000, 33), random_bytes(8, 21, 33)
        for device in DEVICES:
            for chunks, max_noutput in (([1], 100000), ([7, 1, 100, 3], 100000), ([1000], 1),
                                        ([5000], 37)):
                self.check(items[:500 if max_noutput == 1 else None], codes,
                           itertools.cycle(chunks), max_noutput, device=device)

    def test_forms_of_codes(self):
        array = random_bytes(9, 3, 5)
        items = random_bytes(10, 50, 5)
        expected = correlations(items, array)
        for codes in (array, array[:, ::-1][:, ::-1], [bytes(row) for row in array],
                      [bytearray(row) for row in array], [list(map(int, row)) for row in array],
                      tuple(tuple(row) for row in array), list(array),
                      np.asfortranarray(array), pickle.loads(pickle.dumps(array))):
            block = cldsp.gemm_1bit_bi(codes, "host")
            self.assertEqual([bytes(row) for row in array], block.codes())
            np.testing.assert_array_equal(expected, run_block(block, items, 3))

    def test_bad_codes(self):
        array = random_bytes(9, 3, 5)
        for codes in ([], [[]], [b""], [[1, 2], [3]], [b"ab", b"c"], [[256]], [[-1]], [[1.0]],
                      [["a"]], ["ab"], b"abc", "abc", None, 5, [5], [None], {b"a"},
                      array.astype(np.int16), array.astype(float), array[0],
                      array.reshape(3, 5, 1), np.zeros((0, 4), np.uint8),
                      np.zeros((4, 0), np.uint8), [array]):
            with self.subTest(codes=codes):
                with self.assertRaisesRegex(ValueError, "codes.* (is|are) .*must be"):
                    cldsp.gemm_1bit_bi(codes, "host")

    def test_bad_options(self):
        for options in (dict(device="toaster"), dict(device=""), dict(variant="espresso"),
                        dict(variant=""), dict(device="host", variant="naive"),
                        dict(device="99:0")):
            with self.subTest(**options):
                with self.assertRaisesRegex(ValueError, "is .*must be"):
                    cldsp.gemm_1bit_bi([[1]], **options)

    def check_change(self, items, old, new, block, at, changes):
        """
        Up to some item the outputs belong to the old codes, and from there on to the new codes.
        """
        def when_all_is_read(position, change):
            while block.nitems_read(0) < position:
                time.sleep(1e-3)
            change()

        result = run_block(block, items, len(old), actions=[
            (position, lambda position=position, change=change:
             when_all_is_read(position, change)) for position, change in changes])
        np.testing.assert_array_equal(correlations(items[:at], old), result[:at])
        np.testing.assert_array_equal(correlations(items[at:], new), result[at:])
        self.assertEqual([bytes(code) for code in new], block.codes())

    def test_set_codes(self):
        items = random_bytes(11, 40000, 8)
        old, new = random_bytes(12, 6, 8), random_bytes(13, 6, 8)
        for device in DEVICES:
            with self.subTest(device=device):
                block = cldsp.gemm_1bit_bi(old, device)
                self.check_change(items, old, new, block, 20000,
                                  [(20000, lambda: block.set_codes(new))])

    def test_message(self):
        items = random_bytes(11, 40000, 8)
        old, new = random_bytes(12, 6, 8), random_bytes(13, 6, 8)
        for device in DEVICES:
            with self.subTest(device=device):
                block = cldsp.gemm_1bit_bi(old, device)

                def send():
                    post(block, vectors(new), "set_codes")
                    while block.codes() == [bytes(code) for code in old]:
                        time.sleep(1e-3)

                self.check_change(items, old, new, block, 12345, [(12345, send)])

    def test_bad_changes_are_refused(self):
        codes = random_bytes(14, 3, 4)
        block = cldsp.gemm_1bit_bi(codes, "host")
        for bad in (codes[:2], codes[:, :3], [], [[1, 2, 3, 4]] * 4, [[1], [2], [3]], None):
            with self.assertRaisesRegex(ValueError, "codes.*must be"):
                block.set_codes(bad)
        self.assertEqual([bytes(code) for code in codes], block.codes())

    def test_bad_messages_are_dropped(self):
        items, codes = random_bytes(15, 20000, 4), random_bytes(16, 3, 4)
        bad = [pmt.PMT_NIL, pmt.PMT_T, pmt.from_double(1), pmt.intern("codes"),
               pmt.cons(pmt.PMT_NIL, vectors(codes)), pmt.make_dict(), pmt.make_vector(0, pmt.PMT_NIL),
               pmt.make_vector(3, pmt.PMT_NIL), vectors(codes[:2]), vectors(codes[:, :3]),
               vectors([codes[0], codes[1], codes[2][:1]]), pmt.init_u8vector(12, [1] * 12),
               pmt.make_vector(3, pmt.init_f32vector(4, [1, 2, 3, 4]))]
        block = cldsp.gemm_1bit_bi(codes, "host")
        result = run_block(block, items, 3, itertools.repeat(100), 100, [
            (1000 * (i + 1), lambda message=message: post(block, message, "set_codes"))
            for i, message in enumerate(bad)])
        np.testing.assert_array_equal(correlations(items, codes), result)
        self.assertEqual([bytes(code) for code in codes], block.codes())

    def test_runs_again(self):
        items, codes = random_bytes(17, 300, 9), random_bytes(18, 4, 9)
        for device in DEVICES:
            block = cldsp.gemm_1bit_bi(codes, device)
            for _ in range(3):
                np.testing.assert_array_equal(correlations(items, codes),
                                              run_block(block, items, 4))

    @unittest.skipIf(len(DEVICES) < 2, "no OpenCL CPU device")
    def test_lost_device(self):
        items = random_bytes(19, 20000, 16)
        old, new = random_bytes(20, 9, 16), random_bytes(21, 9, 16)
        block = cldsp.gemm_1bit_bi(old, "cpu")
        self.check_change(items, old, new, block, 10000,
                          [(5000, lambda: cldsp.inject_failure("enqueue")),
                           (10000, lambda: block.set_codes(new))])
        self.assertTrue(block.fell_back())
        self.assertEqual("host", block.device_name())
        self.assertEqual("simd", block.variant_name())
        self.assertEqual("none", block.transfer_name())


if __name__ == "__main__":
    gr_unittest.run(qa_gemm_1bit)
