#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Each output of a bank equals that of its channel's filter, however the stream was cut."""

import itertools

import numpy as np
from gnuradio import blocks, filter, gr, gr_unittest
from qa_filter_bank_support import bank_test_case
from qa_support import (BANK_TYPES, array_source, change, error_db, item_values, make_bank,
                        make_block, random_items, random_taps, reference, run_bank, run_block)

ALGORITHMS = ("direct", "fast_convolution", "auto")


class qa_filter_bank(bank_test_case):

    def test_numbers_of_channels(self):
        for algorithm in ALGORITHMS:
            for channels in (1, 7, 64):
                with self.subTest(algorithm=algorithm, channels=channels):
                    self.check(channels, algorithm=algorithm, device="host", bound=-120)

    def test_default_device(self):
        self.check(7)

    def test_500_channels(self):
        self.check(500, count=64, decimation=50, length=10000, device="host",
                   chunks=itertools.cycle([3000, 1, 700]))

    def test_1000_channels(self):
        self.check(1000, count=20, decimation=100, length=5000, device="host")

    def test_every_type(self):
        for suffix in BANK_TYPES:
            for algorithm in ALGORITHMS:
                with self.subTest(suffix=suffix, algorithm=algorithm):
                    self.check(3, suffix, algorithm=algorithm, device="host", bound=-120)

    def test_partition(self):
        for seed in range(60):
            rng = np.random.default_rng(seed)
            largest = int(rng.choice([3, 100, 5000]))
            max_noutput = int(rng.choice([1, 7, 500, 100000]))
            decimation = int(rng.integers(1, 50))
            with self.subTest(seed=seed):
                self.check(int(rng.integers(1, 12)), BANK_TYPES[seed % len(BANK_TYPES)],
                           count=int(rng.integers(1, 300)), decimation=decimation, seed=seed,
                           chunks=itertools.cycle(rng.integers(1, largest + 1, 1000).tolist()),
                           max_noutput=max_noutput,
                           length=min(150 * largest, 300 * max_noutput * decimation, 12000),
                           algorithm=ALGORITHMS[seed % 3], device="host")

    def test_stream_lengths(self):
        for algorithm in ALGORITHMS:
            for length in (0, 1, 6, 7, 8, 13, 14, 100, 1000, 8191, 8192, 8193, 30000):
                with self.subTest(algorithm=algorithm, length=length):
                    self.check(3, decimation=7, length=length, algorithm=algorithm,
                               device="host")

    def test_equals_single_blocks(self):
        rng = np.random.default_rng(4)
        items = random_items(rng, "cu8_f", 30000)
        lists = [random_taps(rng, "cu8_f", int(count)) for count in rng.integers(1, 400, 7)]
        center_freqs = rng.uniform(-1e6, 1e6, 7)
        source = array_source(items, itertools.cycle([1, 333, 4096]))
        tb = gr.top_block()
        bank = make_bank("cu8_f", 10, lists, center_freqs, 2016e3, device="host", accuracy=0)
        tb.connect(source, bank)
        pairs = []
        for channel, (taps, f) in enumerate(zip(lists, center_freqs)):
            single = make_block("cu8_f", 10, taps, f, 2016e3, device="host")
            pair = blocks.vector_sink_c(), blocks.vector_sink_c()
            tb.connect((bank, channel), pair[0])
            tb.connect(source, single, pair[1])
            pairs.append(pair)
        tb.run()
        for of_bank, of_single in pairs:
            self.assertEqual(3000, len(of_single.data()))
            self.assertLess(error_db(np.array(of_bank.data()), np.array(of_single.data())),
                            -110)

    def test_equals_in_tree_blocks(self):
        """Real items: each output is that of GNU Radio's own filter with its taps."""
        center_freqs = (300e3, -17e3, 0.0)
        for suffix in ("fcc", "fcf", "scc", "scf"):
            for algorithm in ALGORITHMS:
                with self.subTest(suffix=suffix, algorithm=algorithm):
                    rng = np.random.default_rng(9)
                    # The in-tree block's phase drifts: it is off by 1e-4 rad at the end.
                    items = random_items(rng, suffix, 12000)
                    lists = [random_taps(rng, suffix, count) for count in (201, 64, 1)]
                    bank = make_bank(suffix, 12, lists, center_freqs, 2016e3, device="host",
                                     algorithm=algorithm, accuracy=0)
                    results, _ = run_bank(bank, items)
                    for result, taps, f in zip(results, lists, center_freqs):
                        block = getattr(filter, "freq_xlating_fir_filter_" + suffix)(
                            12, taps, f, 2016e3)
                        expected, _ = run_block(block, items)
                        self.assertEqual(1000, len(expected))
                        self.assertLess(error_db(result, expected), -70)

    def test_taps_of_each_channel(self):
        rng = np.random.default_rng(5)
        items = random_items(rng, "ccc", 20000)
        lists = [random_taps(rng, "ccc", count) for count in (1, 300, 20, 1000, 64)]
        center_freqs = [100.0, -2000.0, 0.0, 1e6, 55.5]
        for algorithm in ALGORITHMS:
            with self.subTest(algorithm=algorithm):
                bank = make_bank("ccc", 12, lists, center_freqs, 4800.0, device="host",
                                 algorithm=algorithm, accuracy=0)
                self.assertEqual(8192, bank.history())
                results, _ = run_bank(bank, items)
                self.check_outputs(results, "ccc", items, 12, lists, center_freqs, 4800.0)

    def test_taps_as_arrays(self):
        rng = np.random.default_rng(6)
        items = random_items(rng, "ccf", 5000)
        table = np.array([random_taps(rng, "ccf", 30) for _ in range(4)])
        center_freqs = np.array([0.1, 0.2, 0.3, -0.4])
        for taps, lists in ((table, table), (table[0], [table[0]] * 4),
                            (tuple(table[0].tolist()), [table[0]] * 4),
                            (table.tolist(), table), (table[:, :1], table[:, :1]),
                            ([1, 2], [[1, 2]] * 4), (np.array([[3], [4], [5], [6]]),
                                                     [[3], [4], [5], [6]])):
            bank = make_bank("ccf", 5, taps, center_freqs, 1, device="host", accuracy=0)
            results, _ = run_bank(bank, items)
            self.check_outputs(results, "ccf", items, 5, lists, center_freqs)

    def test_the_stream_starts_out_of_silence(self):
        """No unsigned byte means silence, but the first outputs must show no other past."""
        items = np.full((50, 2), 128, np.uint8)
        lists = [np.ones(2000), np.ones(3), np.ones(30)]
        center_freqs = [0.1, -0.2, 0.3]
        bank = make_bank("cu8_f", 1, lists, center_freqs, 1, device="host", accuracy=0)
        results, _ = run_bank(bank, items, itertools.cycle([1, 7]))
        for result, taps, f in zip(results, lists, center_freqs):
            expected = reference(item_values("cu8_f", items), 1, taps, f, 1)
            np.testing.assert_allclose(result, expected, atol=2000 * 1e-6)

    def test_the_second_run_starts_like_the_first(self):
        rng = np.random.default_rng(7)
        taps, more_taps = random_taps(rng, "ccf", 301), random_taps(rng, "ccf", 2000)
        items = random_items(rng, "ccf", 20001)
        values = item_values("ccf", items)
        center_freqs = [0.1, -0.3]
        bank = make_bank("ccf", 4, taps, center_freqs, 1, device="host", accuracy=0)
        for _ in range(2):
            results, _ = run_bank(bank, items)
            self.check_outputs(results, "ccf", items, 4, [taps] * 2, center_freqs)
        # A change of taps keeps the phase of the taps before it; a new run starts with the phase of
        # its own taps.
        bank.set_taps(more_taps)
        results, _ = run_bank(bank, items)
        for result, f in zip(results, center_freqs):
            expected = reference(values, 4, taps, f, 1, [change(0, more_taps, f)])
            self.assertLess(error_db(result, expected), -115)
        results, _ = run_bank(bank, items)
        self.check_outputs(results, "ccf", items, 4, [more_taps] * 2, center_freqs)

    def test_stopped_while_streaming(self):
        bank = make_bank("ccf", 4, np.ones(300), np.zeros(20), 1)
        tb = gr.top_block()
        tb.connect(blocks.null_source(gr.sizeof_gr_complex), bank)
        for channel in range(bank.channels()):
            tb.connect((bank, channel), blocks.null_sink(gr.sizeof_gr_complex))
        for i in range(10):
            tb.start()
            bank.set_center_freq(i, i / 100)
            tb.stop()
            tb.wait()

    def test_large_calls(self):
        """At a real sampling rate calls are large, and a stream's tail is not lost."""
        rng = np.random.default_rng(8)
        taps = random_taps(rng, "ccf", 50)
        items = random_items(rng, "ccf", 100001)
        center_freqs = [250e3, -1e6, 3.0]
        bank = make_bank("ccf", 42, taps, center_freqs, 2016e3, device="host", accuracy=0)
        self.assertEqual(2016000 // 40 // 42, bank.alignment())
        results, _ = run_bank(bank, items)
        self.check_outputs(results, "ccf", items, 42, [taps] * 3, center_freqs, 2016e3)

    def test_many_channels_have_smaller_calls(self):
        for channels, expected in ((1, 65536), (64, 65536), (256, 16384), (1000, 4194),
                                   (2000, 4096)):
            bank = make_bank("ccf", 1, [1.0], np.zeros(channels), 20e6, device="host")
            self.assertEqual(expected, bank.alignment())

    def test_the_first_output_must_be_connected(self):
        for connected in ((), (1,), (1, 2)):
            bank = make_bank("ccf", 2, [1.0], [0.0, 0.1, 0.2], 1.0, device="host")
            tb = gr.top_block()
            tb.connect(blocks.null_source(gr.sizeof_gr_complex), bank)
            for channel in connected:
                tb.connect((bank, channel), blocks.null_sink(gr.sizeof_gr_complex))
            with self.assertRaisesRegex(RuntimeError, "output port"):
                tb.start()

    def test_what_ran(self):
        for algorithm in ("direct", "fast_convolution"):
            bank = make_bank("ccf", 8, [1.0] * 100, [0.1] * 3, 1, device="host",
                             algorithm=algorithm)
            self.assertEqual(0, bank.kernel_time_avg())
            run_bank(bank, np.ones(100000, np.complex64))
            self.assertEqual(algorithm, bank.algorithm_name())
            self.assertIn(algorithm, bank.plan())
            self.assertNotIn("\n", bank.plan())
            self.assertEqual(("host", "none"), (bank.device_name(), bank.transfer_name()))
            self.assertNotIn(bank.variant_name(), ("", "auto"))
            self.assertGreater(bank.kernel_time_avg(), 0)
            self.assertEqual(0, bank.transfer_time_avg())
            self.assertFalse(bank.fell_back())

    def test_getters(self):
        bank = make_bank("ccc", 4, [1, 2j], [5.0, 6.0, -7.0], 100, device="host")
        self.assertEqual(3, bank.channels())
        self.assertEqual(4, bank.decimation())
        self.assertEqual([5, 6, -7], bank.center_freqs())
        self.assertEqual([[1, 2j]], bank.taps())
        self.assertEqual(8192, bank.history())
        bank.set_taps([[1], [2j, 1], [3]])
        bank.set_center_freq(1, 60)
        self.assertEqual([[1], [2j, 1], [3]], bank.taps())
        self.assertEqual([5, 60, -7], bank.center_freqs())
        bank.set_taps(bank.taps())
        bank.set_center_freqs((1, 2, 3))
        self.assertEqual([1, 2, 3], bank.center_freqs())


if __name__ == "__main__":
    gr_unittest.run(qa_filter_bank)
