#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""At a real sampling rate the block gets large calls, and loses or delays no sample."""

import itertools

import numpy as np
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_support import error_db, random_items, random_taps, reference, run_block

FS = 2016000
DECIMATION = 42
SPAN = FS // 40  # input items of a batch: 25 ms


class qa_batch(gr_unittest.TestCase):

    def make(self, sampling_freq=FS, decimation=DECIMATION, taps=(1.0,)):
        return cldsp.freq_xlating_fir_filter_ccf(decimation, list(taps), 0, sampling_freq,
                                                 device="host")

    def outputs(self, block, length):
        tb = gr.top_block()
        source = blocks.null_source(gr.sizeof_gr_complex)
        head = blocks.head(gr.sizeof_gr_complex, length)
        sink = blocks.vector_sink_c()
        tb.connect(source, head, block, sink)
        tb.run()
        return len(sink.data())

    def test_no_tail_is_lost(self):
        batch = SPAN // DECIMATION * DECIMATION
        for length in (0, 1, 41, 42, 43, 1003, batch - 1, batch, batch + 1, 3 * batch + 100):
            with self.subTest(length=length):
                self.assertEqual(self.outputs(self.make(), length), length // DECIMATION)

    def test_signal(self):
        rng = np.random.default_rng(1)
        taps = random_taps(rng, "ccf", 101)
        items = random_items(rng, "ccf", 200003)
        for sizes in ([200003], [7, 1000, 1, 65000], [5000]):
            with self.subTest(sizes=sizes):
                block = cldsp.freq_xlating_fir_filter_ccf(DECIMATION, taps, 312345.6, FS,
                                                          device="host")
                result, _ = run_block(block, items, itertools.cycle(sizes))
                expected = reference(items.astype(complex), DECIMATION, taps, 312345.6, FS)
                self.assertEqual(len(result), len(items) // DECIMATION)
                self.assertLess(error_db(result, expected), -120)

    def test_size(self):
        for sampling_freq, decimation, expected in ((FS, 42, SPAN // 42), (FS, 1, SPAN),
                                                    (20e6, 1, 65536), (20e6, 4, 16384),
                                                    (48000, 1, 1200), (48000, 5, 240),
                                                    (1, 4, 1), (FS, 100000, 1)):
            block = self.make(sampling_freq, decimation)
            self.assertEqual(block.alignment(), expected)

    def test_latency(self):
        """A lower latency gives shorter calls; the host gains nothing from longer calls."""
        span = 65536 // DECIMATION
        for latency, expected in ((0.01, FS // 100 // DECIMATION), (0.025, SPAN // DECIMATION),
                                  (0.03, 3 * FS // 100 // DECIMATION), (0.1, span), (10, span),
                                  (1e-6, 1), (0, 1)):
            with self.subTest(latency=latency):
                filters = [
                    getattr(cldsp, f"freq_xlating_{kind}_filter_ccf")(
                        DECIMATION, [1.0], 0, FS, device="host", latency=latency)
                    for kind in ("fir", "fft")]
                bank = cldsp.freq_xlating_filter_bank_ccf(
                    DECIMATION, [1.0], [0, 1000], FS, device="host", latency=latency)
                rates = cldsp.freq_xlating_filter_bank_ccf(
                    [DECIMATION, 2 * DECIMATION], [1.0], [0, 1000], FS, device="host",
                    latency=latency)
                for block in (*filters, bank, rates):
                    self.assertEqual(block.alignment(), expected)
                    self.assertEqual(self.outputs(block, 50003), 50003 // DECIMATION)

    def test_size_of_long_filters(self):
        """Calls are eight times as long as the taps, but not longer than 25 ms."""
        for taps, sampling_freq, expected in ((8000, 20e6, 65536 // 4), (10000, 20e6, 20000),
                                              (10000, 2e6, 12500), (600000, 1e9, 2**19)):
            with self.subTest(taps=taps, sampling_freq=sampling_freq):
                block = self.make(sampling_freq, 4, np.ones(taps))
                self.assertEqual(block.alignment(), expected)

    def test_room_beside_the_history(self):
        """The past items do not make calls of a slow stream shorter than in-tree ones."""
        for kind, item_size in (("fcf", 4), ("scf", 2)):
            make = getattr(cldsp, f"freq_xlating_fir_filter_{kind}")
            for decimation, taps in ((1, 10), (20, 481), (20, 2500), (20, 20000), (30000, 10)):
                with self.subTest(kind=kind, decimation=decimation, taps=taps):
                    block = make(decimation, [1.0] * taps, 0, 20000, device="host")
                    past = block.history() - 1
                    batch = block.alignment()
                    # The runtime makes a buffer of two batches and two histories.
                    room = 2 * (decimation * batch + past) - past + 1
                    if batch < 4096:  # half of the default output buffer
                        self.assertGreaterEqual(room, 65536 // item_size)
                    # A batch is no larger than that room or 25 ms of the stream require.
                    if batch > max(1, 500 // decimation):
                        self.assertLessEqual(room - decimation * batch, 65536 // item_size)
                        self.assertEqual(batch & (batch - 1), 0)

    def test_a_limited_buffer_is_respected(self):
        block = self.make()
        block.set_max_output_buffer(512)
        self.assertEqual(self.outputs(block, 100000), 100000 // DECIMATION)
        self.assertEqual(block.alignment(), 256)

    def test_a_limited_buffer_before_it_loses_nothing(self):
        for taps in ([1.0], np.ones(3000)):
            source = blocks.null_source(gr.sizeof_gr_complex)
            source.set_max_output_buffer(1024)
            block = self.make(taps=taps)
            head = blocks.head(gr.sizeof_gr_complex, 5000)
            sink = blocks.vector_sink_c()
            tb = gr.top_block()
            tb.connect(source, block, head, sink)
            tb.run()
            self.assertEqual(5000, len(sink.data()))

    def test_limited_calls_are_respected(self):
        block = self.make()
        block.set_max_noutput_items(10)
        self.assertEqual(self.outputs(block, 100000), 100000 // DECIMATION)
        self.assertEqual(block.alignment(), 10)

    def test_the_users_own_multiple_is_kept(self):
        block = self.make()
        block.set_output_multiple(100)
        self.assertEqual(self.outputs(block, 100000), 100000 // DECIMATION // 100 * 100)
        self.assertEqual(block.output_multiple(), 100)


if __name__ == "__main__":
    gr_unittest.run(qa_batch)
