#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Flowgraphs that run twice, stop while streaming, or have more than one block."""

import numpy as np
from gnuradio import blocks, gr, gr_unittest
from qa_support import (array_source, change, error_db, make_block, opencl_device,
                        random_items, random_taps, reference, ways)


class qa_runs(gr_unittest.TestCase):

    def setUp(self):
        rng = np.random.default_rng(5)
        self.taps = random_taps(rng, "ccf", 301)
        self.items = random_items(rng, "ccf", 50001)
        self.more_taps = random_taps(rng, "ccf", 2000)

    def expected(self, taps, center_freq, decimation=4):
        return reference(self.items, decimation, taps, center_freq, 1)

    def run_twice(self, prepare=lambda block: None, **options):
        block = make_block("ccf", 4, self.taps, 0.1, 1, **options)
        prepare(block)
        tb = gr.top_block()
        source, sink = array_source(self.items), blocks.vector_sink_c()
        tb.connect(source, block, sink)
        results = []
        for _ in range(2):
            sink.reset()
            tb.run()
            results.append(np.array(sink.data()))
        return results

    def test_the_second_run_starts_like_the_first(self):
        expected = self.expected(self.taps, 0.1)
        for options in ways():
            with self.subTest(**options):
                for result in self.run_twice(**options):
                    self.assertLess(error_db(result, expected), -120)

    def test_also_with_more_taps_than_at_construction(self):
        for options in ways(device=["direct"]):
            with self.subTest(**options):
                self.check_more_taps(**options)

    def check_more_taps(self, **options):
        first, second = self.run_twice(lambda block: block.set_taps(self.more_taps), **options)
        # A change of taps keeps the phase of the taps before it; a new run starts with the phase of
        # its own taps.
        changed = reference(self.items, 4, self.taps, 0.1, 1,
                            [change(0, self.more_taps, 0.1)])
        self.assertLess(error_db(first, changed), -120)
        self.assertLess(error_db(second, self.expected(self.more_taps, 0.1)), -120)

    def test_two_blocks_on_one_device(self):
        device = opencl_device()
        tb = gr.top_block()
        source = array_source(self.items)
        channels = []
        for decimation, center_freq in ((4, 0.1), (10, -0.3)):
            block = make_block("ccf", decimation, self.taps, center_freq, 1, device=device)
            sink = blocks.vector_sink_c()
            tb.connect(source, block, sink)
            channels.append((decimation, center_freq, sink))
        tb.run()
        for decimation, center_freq, sink in channels:
            expected = self.expected(self.taps, center_freq, decimation)
            self.assertLess(error_db(np.array(sink.data()), expected), -120)

    def test_one_block_behind_the_other(self):
        device = opencl_device()
        tb = gr.top_block()
        first = make_block("ccf", 4, self.taps, 0.1, 1, device=device)
        second = make_block("ccf", 3, self.taps[:50], -0.2, 1, device=device)
        source, sink = array_source(self.items), blocks.vector_sink_c()
        tb.connect(source, first, second, sink)
        tb.run()
        between = self.expected(self.taps, 0.1)
        expected = reference(between, 3, self.taps[:50], -0.2, 1)
        self.assertLess(error_db(np.array(sink.data()), expected), -120)

    def test_stopped_while_streaming(self):
        for options in ways():
            block = make_block("ccf", 4, self.taps, 0.1, 1, **options)
            tb = gr.top_block()
            probe = blocks.probe_rate(gr.sizeof_gr_complex)
            tb.connect(blocks.null_source(gr.sizeof_gr_complex), block, probe)
            for i in range(10):
                tb.start()
                block.set_center_freq(i / 100)
                tb.stop()
                tb.wait()

    def test_reconfigured_while_streaming(self):
        block = make_block("ccf", 4, self.taps, 0.1, 1, device=opencl_device())
        tb = gr.top_block()
        source = blocks.null_source(gr.sizeof_gr_complex)
        tb.connect(source, block, blocks.null_sink(gr.sizeof_gr_complex))
        tb.start()
        for _ in range(5):
            tb.lock()
            tb.connect(block, blocks.null_sink(gr.sizeof_gr_complex))
            tb.unlock()
        tb.stop()
        tb.wait()

    def test_small_stream_buffers(self):
        source = array_source(self.items)
        source.set_max_output_buffer(1024)
        block = make_block("ccf", 4, self.taps, 0.1, 1, device=opencl_device())
        tb = gr.top_block()
        sink = blocks.vector_sink_c()
        tb.connect(source, block, sink)
        tb.run()
        self.assertLess(error_db(np.array(sink.data()), self.expected(self.taps, 0.1)), -120)


if __name__ == "__main__":
    gr_unittest.run(qa_runs)
