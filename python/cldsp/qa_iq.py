#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""IQ pairs of 8-, 12- and 16-bit integers, and real signed bytes."""

import itertools

import numpy as np
import pmt
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_support import (ALGORITHMS, IQ_SCALES, IQ_TYPES, PAIRS, REAL_BYTE_TYPES, error_db, iq_items,
                        item_values, make_block, opencl_device, random_items, random_taps, reference,
                        run_block, ways)


class qa_iq(gr_unittest.TestCase):

    def check(self, suffix, **options):
        rng = np.random.default_rng(len(suffix))
        taps = random_taps(rng, suffix, 201)
        items = random_items(rng, suffix, 30000)
        block = make_block(suffix, 7, taps, 300e3, 2016e3, **options)
        result, _ = run_block(block, items)
        expected = reference(item_values(suffix, items), 7, taps, 300e3, 2016e3)
        self.assertLess(error_db(result, expected), -120)

    def test_device(self):
        for suffix in IQ_TYPES + REAL_BYTE_TYPES:
            with self.subTest(suffix=suffix):
                self.check(suffix, device=opencl_device())
        # Other types of items come in qa_partition; each takes seconds to compile.
        self.check("cu8_f", device=opencl_device("fast_convolution"),
                   algorithm="fast_convolution")

    def test_host(self):
        for suffix, algorithm in itertools.product(IQ_TYPES + REAL_BYTE_TYPES, ALGORITHMS):
            with self.subTest(suffix=suffix, algorithm=algorithm):
                self.check(suffix, device="host", algorithm=algorithm)

    def test_scaling_at_the_ends_of_the_range(self):
        ends = {
            "cu8": ([[0, 255], [127, 128]], [-1 + 1j, (-0.5 + 0.5j) / 127.5]),
            "cs8": ([[-128, 127], [0, 64]], [-1 + 127j / 128, 0.5j]),
            "cs16": ([[-32768, 32767], [0, 16384]], [-1 + 32767j / 32768, 0.5j]),
            "cs12": ([[-2048, 2047], [0, 1024]], [-1 + 2047j / 2048, 0.5j]),
        }
        self.assertEqual(set(IQ_SCALES), set(ends))
        for kind, (pairs, values) in ends.items():
            for options in ways(device=["direct"]):
                block = make_block(kind + "_f", 1, [1.0], 0, 1, **options)
                result, _ = run_block(block, iq_items(kind, pairs))
                np.testing.assert_allclose(result, values, atol=1e-7)

    def test_real_bytes_are_not_scaled(self):
        for options in ways(device=["direct"]):
            block = make_block("bcf", 1, [1.0], 0, 1, **options)
            result, _ = run_block(block, np.array([-128, 127, 0, 64], np.int8))
            np.testing.assert_allclose(result, [-128, 127, 0, 64], atol=1e-5)

    def test_every_packed_value(self):
        """Each value as I and as Q; the bytes as radios pack them."""
        packed = {  # cs12 by libbladeRF
            "cs12": ([0x01, 0xf0, 0xff, 0x00, 0xf8, 0x7f, 0x23, 0xc1, 0xdc],
                     [1 - 1j, -2048 + 2047j, 0x123 - 0x234 * 1j]),
        }
        self.assertEqual({kind for kind, row in PAIRS.items() if row["packed"]}, set(packed))
        for (kind, (items, numbers)), options in itertools.product(packed.items(),
                                                                   ways(device=["direct"])):
            one = PAIRS[kind]["one"]
            values = np.arange(-one, one, dtype=int)
            block = make_block(kind + "_f", 1, [1.0], 0, 1, **options)
            result, _ = run_block(block, np.array(items, np.uint8).reshape(len(numbers), -1))
            np.testing.assert_allclose(result, np.array(numbers) / one, atol=1e-6)
            result, _ = run_block(block, iq_items(kind, np.stack([values, values[::-1]], axis=-1)))
            np.testing.assert_allclose(result, (values + 1j * values[::-1]) / one, atol=1e-6)

    def test_packed_pairs_connect_as_bytes(self):
        tb = gr.top_block()
        source = blocks.vector_source_b([0x01, 0xf0, 0xff] * 10, False, 3)
        block = cldsp.freq_xlating_fir_filter_cs12_f(2, [2048.0], 0, 1, device="host")
        sink = blocks.vector_sink_c()
        tb.connect(source, block, sink)
        tb.run()
        self.assertComplexTuplesAlmostEqual([1 - 1j] * 5, sink.data())

    def test_the_stream_starts_out_of_silence(self):
        """No unsigned byte means silence, but the first outputs must show no other past."""
        items = np.full((50, 2), 128, np.uint8)
        taps = np.ones(2000)
        expected = reference(item_values("cu8_f", items), 1, taps, 0.1, 1)
        for options in ways(device=["direct"]):
            block = make_block("cu8_f", 1, taps, 0.1, 1, **options)
            result, _ = run_block(block, items)
            np.testing.assert_allclose(result, expected, atol=2000 * 1e-6)

    def test_bytes_connect_in_pairs(self):
        tb = gr.top_block()
        source = blocks.vector_source_b([255, 0] * 10, False, 2)
        block = cldsp.freq_xlating_fir_filter_cu8_f(2, [1.0], 0, 1, device="host")
        sink = blocks.vector_sink_c()
        tb.connect(source, block, sink)
        tb.run()
        self.assertComplexTuplesAlmostEqual([1 - 1j] * 5, sink.data())

    def test_tag_offsets_count_pairs(self):
        tb = gr.top_block()
        tag = gr.tag_t()
        tag.offset = 40
        tag.key = pmt.intern("here")
        tag.value = pmt.PMT_T
        source = blocks.vector_source_b([0] * 200, False, 2, [tag])
        block = cldsp.freq_xlating_fir_filter_cu8_f(4, [1.0], 0, 1, device="host")
        sink = blocks.vector_sink_c()
        tb.connect(source, block, sink)
        tb.run()
        self.assertEqual([10], [t.offset for t in sink.tags()])


if __name__ == "__main__":
    gr_unittest.run(qa_iq)
