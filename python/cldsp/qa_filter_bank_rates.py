#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Banks whose channels have rates of their own: decimations, or rational parts of the input's."""

import itertools
import re
from fractions import Fraction

import numpy as np
import pmt
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_support import (BANK_TYPES, NEAR, apart, array_source, change, connect_sinks, error_db,
                        freq_tags, item_values, make_bank, opencl_device, post, random_items,
                        random_taps, rate_reference, run_bank, tag_at)

# A stream so slow that GNU Radio's buffers stay small; see APART.
FS = 20480.0
WAYS = (dict(device="host", algorithm="direct"),
        dict(device="host", algorithm="fast_convolution"),
        dict(device=opencl_device(), algorithm="direct", may_use_host=True), dict())
# Variants of the host by name, because a measurement of each bank would take most of the time.
NAMED = tuple(dict(device="host", variant=variant)
              for variant in ("simd", "polyphase", "selected_bins"))

# Outputs per input item.
INTEGERS = [Fraction(1, 4), Fraction(1, 42), Fraction(1, 10), Fraction(1, 1)]
MIXED = [Fraction(3, 128), Fraction(1, 16), Fraction(3, 512), Fraction(5, 7)]


def rate_arguments(rates, fs=FS):
    """Decimations where they exist, output rates for the others."""
    return dict(decimation=[r.denominator if r.numerator == 1 else 0 for r in rates],
                output_rate=[0.0 if r.numerator == 1 else fs * float(r) for r in rates])


def make_rates(suffix, rates, taps, center_freqs, fs=FS, **options):
    return make_bank(suffix, taps=taps, center_freqs=center_freqs, sampling_freq=fs,
                     **rate_arguments(rates, fs), **dict(dict(accuracy=0), **options))


def tags_of(tags, key):
    return [(t.offset, pmt.to_python(t.value)) for t in tags
            if pmt.symbol_to_string(t.key) == key]


class qa_filter_bank_rates(gr_unittest.TestCase):

    def check_outputs(self, results, suffix, items, rates, taps, center_freqs, bound=-110):
        values = item_values(suffix, items)
        self.assertEqual([len(items) * r.numerator // r.denominator for r in rates],
                         [len(result) for result in results])
        for channel, (rate, f) in enumerate(zip(rates, center_freqs)):
            expected = rate_reference(values, rate, taps[channel], f, FS)
            # In the first outputs of a channel there may be no signal yet.
            peak = max([0.1, *np.abs(expected)])
            error = max([1e-30, *np.abs(results[channel] - expected)])
            self.assertLess(20 * np.log10(error / peak), bound, channel)

    def check(self, rates, suffix="ccf", length=30000, counts=(65, 200, 9, 101), chunks=None,
              max_noutput=100000, prepare=lambda bank: None, seed=1, bound=-110, **options):
        rng = np.random.default_rng(seed)
        taps = [random_taps(rng, suffix, count) for count in counts[:len(rates)]]
        center_freqs = list(rng.uniform(-FS / 2, FS / 2, len(rates)))
        items = random_items(rng, suffix, length)
        bank = make_rates(suffix, rates, taps, center_freqs, **options)
        np.testing.assert_allclose(bank.output_rates(), [FS * float(r) for r in rates],
                                   rtol=1e-14)
        prepare(bank)
        results, tags = run_bank(bank, items, chunks, max_noutput)
        self.check_outputs(results, suffix, items, rates, taps, center_freqs, bound)
        self.assertFalse(bank.fell_back())
        return results, tags

    def test_decimations(self):
        for options in WAYS:
            with self.subTest(**options):
                self.check(INTEGERS, **options)

    def test_rational_rates(self):
        for options in WAYS:
            with self.subTest(**options):
                self.check(MIXED, **options)

    def test_one_rational_rate_for_all(self):
        for options in WAYS:
            with self.subTest(**options):
                rng = np.random.default_rng(2)
                taps = random_taps(rng, "ccf", 120)
                items = random_items(rng, "ccf", 20000)
                center_freqs = [0.0, 3000.0]
                bank = make_bank("ccf", 0, taps, center_freqs, FS, output_rate=480, accuracy=0,
                                 **options)
                self.assertEqual([480.0] * 2, bank.output_rates())
                results, _ = run_bank(bank, items)
                self.check_outputs(results, "ccf", items, [Fraction(3, 128)] * 2, [taps] * 2,
                                   center_freqs)

    def test_every_type(self):
        for suffix in BANK_TYPES:
            for variant in ("simd", "polyphase"):  # named: a measurement would take longer
                with self.subTest(suffix=suffix, variant=variant):
                    self.check(MIXED[:3], suffix, 9000, device="host", variant=variant)

    def test_bytes_before_the_stream(self):
        """GNU Radio's history of zero bytes is full scale in cu8, but not part of the stream."""
        for options in NAMED:
            for suffix in ("cu8_f", "cu8_c"):
                with self.subTest(suffix=suffix, **options):
                    self.check(MIXED, suffix, 3000, (2000, 900, 1500, 300),
                               itertools.cycle([1, 5, 100, 777]), **options)

    def test_calls_cut_anywhere(self):
        for rates in (INTEGERS, MIXED):
            for options in NAMED:
                with self.subTest(rates=rates, **options):
                    self.check(rates, chunks=itertools.cycle([1, 50, 333, 4000, 7, 129]),
                               **options)
                    for max_noutput in (1, 7, 100):
                        self.check(rates, length=6000, max_noutput=max_noutput,
                                   prepare=lambda bank: bank.set_max_noutput_items(max_noutput),
                                   **options)

    def test_buffers_of_other_sizes(self):
        def small(bank):
            for channel in range(4):
                bank.set_max_output_buffer(channel, (512, 4096, 1024, 2048)[channel])

        def large(bank):
            bank.set_min_output_buffer(1, 100000)

        for rates in (INTEGERS, MIXED):
            for prepare in (small, large):
                self.check(rates, prepare=prepare, length=50000, device="host")

    def test_a_flowgraph_with_small_calls(self):
        self.check(MIXED, length=6000, max_noutput=3, device="host")

    def test_the_end_of_a_stream(self):
        rates = [Fraction(3, 128), Fraction(1, 42), Fraction(1, 5), Fraction(9, 10)]
        # Named, because a measurement for each length would take most of the test's time.
        direct, polyphase = dict(algorithm="direct"), dict(variant="polyphase")
        ways = itertools.cycle((direct, polyphase, direct, polyphase,
                                dict(variant="selected_bins")))
        lengths = (0, 1, 2, 4, 5, 41, 42, 43, 84, 85, 86, 127, 128, 129, 8191, 8192, 9999)
        for length, options in zip(lengths, ways):
            with self.subTest(length=length, **options):
                self.check(rates, length=length, counts=(30, 4, 1, 9), device="host", **options)

    def test_a_slow_channel_alone(self):
        """No call waits for as many items as the slow channel's decimation."""
        slow = 300000
        taps = [[1.0], [1.0] * 10]
        bank = make_bank("ccf", [4, slow], taps, [0.0, 0.0], FS, device="host")
        bank.set_channel_active(0, False)
        results, tags = run_bank(bank, np.ones(3 * slow + 7, np.complex64))
        self.assertEqual([0, 3], [len(r) for r in results])
        np.testing.assert_allclose(results[1], [1, 10, 10], atol=1e-4)
        self.assertEqual([(0, FS / slow)], tags_of(tags[1], "rx_rate"))

    def test_equal_decimations_are_one(self):
        for decimation, rate in (([4, 4], 0.0), (4, [0.0, 0.0]), (0, FS / 4), (4, FS / 4),
                                 ([0, 4], [FS / 4, 0.0]), (np.array([4, 4]), 0)):
            bank = make_bank("ccf", decimation, [1.0], [0.0, 1.0], FS, output_rate=rate,
                             device="host")
            self.assertEqual(4, bank.decimation())
            self.assertEqual([FS / 4] * 2, bank.output_rates())
            results, tags = run_bank(bank, np.ones(1003, np.complex64))
            self.assertEqual([250, 250], [len(r) for r in results])
            self.assertEqual([[], []], tags)

    def test_what_is_told(self):
        bank = make_bank("ccf", [42, 10, 0], [1.0], [0.0], FS, max_channels=3,
                         output_rate=[0, 0, 480], device="host")
        self.assertEqual(10, bank.decimation())
        self.assertEqual([FS / 42, FS / 10, 480], bank.output_rates())
        self.assertEqual(3, bank.channels())

    def test_the_plan_tells_the_shared_block(self):
        for rates in (INTEGERS, MIXED):
            bank = make_rates("ccf", rates, [1.0] * 50, [0.0] * 4, device="host",
                              algorithm="fast_convolution", variant="selected_bins")
            details = bank.plan_details()
            items = details["block_items"]
            self.assertEqual(0, details["block"])
            chosen = bank.plan().split(": ")[0]
            self.assertNotEqual(chosen, details["runner_up"])
            # A measurement decides whether all channels share a block or sets of them do.
            if not items:
                self.assertNotIn("blocks of", chosen)
                continue
            told = int(re.search(r"blocks of (\d+) items", chosen).group(1))
            self.assertEqual(items, told)
            for rate in rates:
                self.assertEqual(0, told % rate.denominator)
        one_rate = make_bank("ccf", 4, [1.0] * 50, [0.0] * 4, FS, device="host")
        self.assertEqual(0, one_rate.plan_details()["block_items"])

    def test_rates_on_the_first_output(self):
        for chunks in (None, itertools.cycle([10, 300])):
            _, tags = self.check(MIXED, chunks=chunks, device="host")
            for channel, rate in enumerate(MIXED):
                self.assertEqual([(0, FS * float(rate))], tags_of(tags[channel], "rx_rate"))
                self.assertEqual([], tags_of(tags[channel], "sample_start"))
                self.assertEqual([], freq_tags(tags[channel]))

    def test_tags_of_the_input(self):
        length = 20000
        offsets = list(range(0, length, 37))

        tags = [tag_at(i, pmt.from_long(i), "in") for i in offsets]
        for rates in (INTEGERS, MIXED):
            for chunks in (None, itertools.cycle([11, 400, 37, 8000]), itertools.repeat(3)):
                with self.subTest(rates=rates, chunks=chunks):
                    bank = make_rates("ccf", rates, [1.0], [0.0] * len(rates), device="host",
                                      variant="simd")
                    results, seen = run_bank(bank, np.zeros(length, np.complex64), chunks,
                                             tags=tags)
                    for rate, result, its in zip(rates, results, seen):
                        places = [(int(i * rate + Fraction(1, 2)), i) for i in offsets]
                        self.assertEqual([p for p in places if p[0] < len(result)],
                                         tags_of(its, "in"))

    def test_changes(self):
        """One channel is retuned, then all get longer taps, longer than GNU Radio's history."""
        for options in NAMED:
            for rates in (INTEGERS, MIXED):
                with self.subTest(rates=rates, **options):
                    self.check_changes(rates, **options)

    def check_changes(self, rates, **options):
        rng = np.random.default_rng(5)
        suffix = "ccf"
        taps = [random_taps(rng, suffix, n) for n in (50, 70, 33, 40)]
        longer = [random_taps(rng, suffix, n) for n in (300, 1000, 60, 10)]
        center_freqs = [1000.0, -2000.0, 3000.0, 0.0]
        items = random_items(rng, suffix, 3 * apart(suffix))
        bank = make_rates(suffix, rates, taps, center_freqs, **options)
        results, tags = run_bank(bank, items, actions=[
            (apart(suffix), lambda: bank.set_center_freq(2, -1000.0)),
            (2 * apart(suffix), lambda: bank.set_taps(longer))])
        values = item_values(suffix, items)
        for channel, rate in enumerate(rates):
            marks = freq_tags(tags[channel])
            self.assertEqual(2 if channel == 2 else 1, len(marks))
            f = center_freqs[channel]
            changes = []
            if channel == 2:
                changes.append(change(marks[0][0], taps[2], -1000.0))
                f = -1000.0
            changes.append(change(marks[-1][0], longer[channel], f))
            self.assertEqual([c.center_freq for c in changes], [v for _, v in marks])
            expected = rate_reference(values, rate, taps[channel], center_freqs[channel], FS,
                                  changes)
            self.assertLess(error_db(results[channel], expected), -110)

    def test_taps_beyond_the_history(self):
        rng = np.random.default_rng(6)
        for suffix in ("ccf", "cu8_f"):
            longer = random_taps(rng, suffix, 12000)
            items = random_items(rng, suffix, 30000)
            center_freqs = [1000.0, 2000.0, 3000.0]
            bank = make_rates(suffix, MIXED[:3], [1.0], center_freqs, device="host")
            bank.set_taps([longer])
            results, _ = run_bank(bank, items)
            values = item_values(suffix, items)
            for result, rate, f in zip(results, MIXED, center_freqs):
                expected = rate_reference(values, rate, [1.0], f, FS, [change(0, longer, f)])
                self.assertLess(error_db(result, expected), -105)

    def segments(self, result, tags, rate, runs_from_start):
        """The parts of the stream in which a channel was active. Each part has the offset in its
        outputs, the matching output of the model, and the number of outputs."""
        starts = [(0, 0)] if runs_from_start else []
        for offset, sample in tags_of(tags, "sample_start"):
            first = -(-sample * rate.numerator // rate.denominator)
            self.assertEqual(sample, first * rate.denominator // rate.numerator)
            starts.append((offset, first))
        ends = [offset for offset, _ in starts[1:]] + [len(result)]
        return [(offset, first, end - offset) for (offset, first), end in zip(starts, ends)]

    def check_segments(self, result, tags, rate, models, runs_from_start):
        segments = self.segments(result, tags, rate, runs_from_start)
        self.assertEqual(len(models), len(segments))
        for (offset, first, count), expected in zip(segments, models):
            self.assertGreater(count, 0)
            self.assertLess(error_db(result[offset:offset + count],
                                     expected[first:first + count]), -105)
        self.assertEqual(len(result), sum(count for _, _, count in segments))

    def test_pauses(self):
        for options in NAMED:
            for suffix in ("ccf", "cu8_f"):
                with self.subTest(suffix=suffix, **options):
                    self.check_pauses(suffix, **options)

    def check_pauses(self, suffix, **options):
        rng = np.random.default_rng(7)
        taps = random_taps(rng, suffix, 60)
        center_freqs = [1000.0, -2000.0, 3000.0, 0.0]
        items = random_items(rng, suffix, 5 * apart(suffix))
        bank = make_rates(suffix, MIXED, taps, center_freqs, **options)
        bank.set_channel_active(3, False)
        results, tags = run_bank(bank, items, actions=[
            (apart(suffix), lambda: [bank.set_channel_active(c, False) for c in (0, 1)]),
            (2 * apart(suffix), lambda: [bank.set_channel_active(c, True) for c in (0, 1, 3)]),
            (3 * apart(suffix), lambda: [bank.set_channel_active(c, False) for c in range(4)]),
            (4 * apart(suffix), lambda: bank.set_channel_active(0, True))])
        values = item_values(suffix, items)
        for channel, (rate, f, runs) in enumerate(zip(MIXED, center_freqs, (3, 2, 1, 1))):
            expected = rate_reference(values, rate, taps, f, FS)
            self.check_segments(results[channel], tags[channel], rate, [expected] * runs,
                                channel != 3)
            starts = runs if channel == 3 else runs - 1
            self.assertEqual([f] * starts, [value for _, value in freq_tags(tags[channel])])
            # The first output of the stream has one as well.
            self.assertEqual([FS * float(rate)] * runs,
                             [value for _, value in tags_of(tags[channel], "rx_rate")])

    def test_channels_that_come(self):
        def message(taps, **values):
            result = pmt.dict_add(pmt.make_dict(), pmt.intern("add"),
                                  pmt.init_f32vector(len(taps), [float(t) for t in taps]))
            for key, value in values.items():
                result = pmt.dict_add(result, pmt.intern(key), pmt.to_pmt(value))
            return result

        ways = (
            [lambda bank, taps: bank.add_channel(taps, 1000.0, output_rate=480.0),
             lambda bank, taps: bank.add_channel(taps, -3000.0, 16),
             lambda bank, taps: bank.add_channel(taps, 0.0)],
            [lambda bank, taps: post(bank, message(taps, freq=1000.0, output_rate=480),
                                     "channels"),
             lambda bank, taps: post(bank, message(taps, freq=-3000.0, decimation=16, chan=2),
                                     "channels"),
             lambda bank, taps: post(bank, message(taps, freq=0.0), "channels")])
        rates = [Fraction(1, 4), Fraction(1, 42), Fraction(1, 16), Fraction(3, 128)]
        for add in ways:
            rng = np.random.default_rng(8)
            first, second = random_taps(rng, "ccf", 20), random_taps(rng, "ccf", 75)
            items = random_items(rng, "ccf", 5 * NEAR)
            bank = make_rates("ccf", rates, first, [2000.0], max_channels=4, device="host")
            results, tags = run_bank(bank, items, actions=[
                (NEAR, lambda: add[0](bank, second)), (2 * NEAR, lambda: add[1](bank, first)),
                (3 * NEAR, lambda: add[2](bank, second)),
                (4 * NEAR, lambda: bank.remove_channel(2))])
            values = item_values("ccf", items)
            for channel, (taps, f) in enumerate(((first, 2000.0), (second, 0.0), (first, -3000.0),
                                                 (second, 1000.0))):
                expected = rate_reference(values, rates[channel], taps, f, FS)
                self.check_segments(results[channel], tags[channel], rates[channel], [expected],
                                    channel == 0)
            self.assertEqual([True, True, False, True],
                             [bank.channel_active(c) for c in range(4)])

    def test_channels_of_no_slot(self):
        bank = make_bank("ccf", [4, 42, 42, 0], [1.0], [0.0], FS, output_rate=[0, 0, 0, 480],
                         max_channels=4, device="host")
        for name, arguments in (("decimation", (5,)), ("decimation", (-1,)),
                                ("output_rate", (0, 500.0)), ("output_rate", (0, -1.0)),
                                ("output_rate", (42, 480.0)), ("output_rate", (0, float("nan"))),
                                ("channels", (4,))):
            with self.subTest(arguments=arguments):
                with self.assertRaisesRegex(ValueError, f"'{name}' is .*must be"):
                    bank.add_channel([1.0], 0.0, *arguments)
        self.assertEqual(3, bank.add_channel([1.0], 0.0, output_rate=480))
        self.assertEqual([1, 2], [bank.add_channel([1.0], 0.0, 42) for _ in range(2)])
        with self.assertRaisesRegex(ValueError, "channels.* is all in use"):
            bank.add_channel([1.0], 0.0, 42)
        with self.assertRaisesRegex(ValueError, "channels.* is all in use"):
            bank.add_channel([1.0], 0.0)
        # Of two rates within 1 ppm, a channel gets the nearer one.
        bank = make_bank("ccf", [1000, 0, 1000, 0], [1.0], [0.0], 1000001.0,
                         output_rate=[0, 1000, 0, 1000], max_channels=4, device="host")
        self.assertEqual(1, bank.add_channel([1.0], 0.0, output_rate=1000))

    def test_messages_that_are_dropped(self):
        def message(**values):
            result = pmt.dict_add(pmt.make_dict(), pmt.intern("add"),
                                  pmt.init_f32vector(1, [1.0]))
            for key, value in values.items():
                result = pmt.dict_add(result, pmt.intern(key), pmt.to_pmt(value))
            return result

        messages = [message(freq=0.0, decimation=5), message(freq=0.0, decimation=1.5),
                    message(freq=0.0, decimation="4"), message(freq=0.0, output_rate="x"),
                    message(freq=0.0, output_rate=5.0), message(freq=0.0, decimation=1e30),
                    message(freq=0.0, chan=1, decimation=4)]
        bank = make_bank("ccf", [4, 42], [1.0], [0.0], FS, max_channels=2, device="host")
        results, _ = run_bank(bank, np.zeros(2 * NEAR, np.complex64), actions=[
            (NEAR, lambda: [post(bank, m, "channels") for m in messages])])
        self.assertEqual([2 * NEAR // 4, 0], [len(r) for r in results])

    def test_a_frequency_by_message(self):
        bank = make_bank("ccf", [4, 42], [1.0], [0.0, 0.0], FS, device="host")
        _, tags = run_bank(bank, np.zeros(2 * NEAR, np.complex64), actions=[
            (NEAR, lambda: post(bank, pmt.cons(pmt.from_long(1), pmt.from_double(500.0))))])
        self.assertEqual([[], [500.0]], [[v for _, v in freq_tags(t)] for t in tags])

    def test_head_on_one_port(self):
        for port in range(3):
            with self.subTest(port=port):
                bank = make_bank("ccf", [4, 10, 42], [1.0], [0.0] * 3, FS, device="host")
                tb = gr.top_block()
                source, head = blocks.null_source(8), blocks.head(8, 1000)
                sinks = [blocks.null_sink(8) for _ in range(2)]
                sink = blocks.vector_sink_c()
                tb.connect(source, bank)
                tb.connect((bank, port), head, sink)
                others = [p for p in range(3) if p != port]
                for other, null in zip(others, sinks):
                    tb.connect((bank, other), null)
                tb.run()
                self.assertEqual(1000, len(sink.data()))

    def test_outputs_that_are_not_connected(self):
        rng = np.random.default_rng(9)
        taps = random_taps(rng, "ccf", 40)
        items = random_items(rng, "ccf", 20000)
        bank = make_rates("ccf", MIXED, taps, [500.0] * 4, device="host")
        results, _ = run_bank(bank, items, outputs=2)
        self.check_outputs(results, "ccf", items, MIXED[:2], [taps] * 2, [500.0] * 2)

    def test_a_restarted_flowgraph(self):
        bank = make_rates("ccf", MIXED, [1.0], [0.0] * 4, device="host")
        tb = gr.top_block()
        source = array_source(np.ones(1000, np.complex64))
        sinks = connect_sinks(tb, source, bank, 4)
        for _ in range(3):
            for sink in sinks:
                sink.reset()
            tb.run()
            self.assertEqual([1000 * r.numerator // r.denominator for r in MIXED],
                             [len(s.data()) for s in sinks])
            self.assertEqual([[(0, FS * float(r))] for r in MIXED],
                             [tags_of(s.tags(), "rx_rate") for s in sinks])

    def test_much_longer_taps(self):
        """A new plan for them has the rates of the first one."""
        rng = np.random.default_rng(10)
        items = random_items(rng, "ccf", 2 * NEAR)
        taps = random_taps(rng, "ccf", 3000)
        bank = make_rates("ccf", INTEGERS[:3], [1.0], [0.0] * 3, device="host")
        bank.set_taps([taps])
        results, _ = run_bank(bank, items)
        self.check_outputs(results, "ccf", items, INTEGERS[:3], [taps] * 3, [0.0] * 3)
        self.assertEqual([FS / 4, FS / 42, FS / 10], bank.output_rates())

    good = dict(decimation=[2, 3, 4], taps=[1.0], center_freqs=[0.0, 0.1, 0.2],
                sampling_freq=1000.0, device="host")

    def check_refused(self, parameter, **arguments):
        with self.subTest(**arguments):
            with self.assertRaisesRegex(ValueError,
                                        f"'{parameter}' is .*must be"):
                make_bank("ccf", **dict(self.good, **arguments))

    def test_bad_decimations(self):
        for value in (0, -1, 2**31 - 1):
            for index in range(3):
                bad = [2, 3, 4]
                bad[index] = value
                self.check_refused(rf"decimation\[{index}\]", decimation=bad)
        for bad in ([], [2, 3], [2, 3, 4, 5]):
            self.check_refused("decimation", decimation=bad)
        self.check_refused("decimation", decimation=[2, 3, 4], max_channels=5)
        self.check_refused("decimation", decimation=0)
        self.check_refused("decimation", decimation=2.5)
        self.check_refused(r"decimation\[1\]", decimation=[2, 2.5, 4])
        self.check_refused(r"decimation\[2\]", decimation=[2, 3, 2**31])
        for bad in ("2", [2, "3", 4], None):
            with self.assertRaisesRegex(TypeError, "decimation"):
                make_bank("ccf", **dict(self.good, decimation=bad))

    def test_bad_output_rates(self):
        for value in (-1.0, float("nan"), float("inf"), 901.0, 1001.0, 499.975):
            for index in range(3):
                bad = [500.0, 250.0, 100.0]
                bad[index] = value
                self.check_refused(rf"output_rate\[{index}\]", decimation=0, output_rate=bad)
            self.check_refused("output_rate", decimation=0, output_rate=value)
        for bad in ([], [100.0] * 2, [100.0] * 4):
            self.check_refused("output_rate", decimation=0, output_rate=bad)
        for bad in ("100", None):
            with self.assertRaisesRegex(TypeError, "output_rate"):
                make_bank("ccf", **dict(self.good, output_rate=bad))

    def test_both_or_neither(self):
        self.check_refused(r"output_rate\[1\]", output_rate=[0, 500.0, 0])
        self.check_refused("output_rate", output_rate=500.0)
        self.check_refused(r"decimation\[2\]", decimation=[2, 3, 0], output_rate=[0, 0, 0])
        self.check_refused(r"decimation\[1\]", decimation=[2, 0, 4])
        make_bank("ccf", **dict(self.good, output_rate=[500.0, 0, 250.0]))

    def test_an_untouched_decimation_gives_way(self):
        """A decimation of 1 is what Companion's block has by default, and Python's."""
        values = {k: v for k, v in self.good.items() if k != "decimation"}
        for decimation in ({}, dict(decimation=1), dict(decimation=[1, 1, 1])):
            for rate, rates in ((480.0, [480.0] * 3), ([0, 480.0, 250.0], [1000.0, 480.0, 250.0])):
                with self.subTest(decimation=decimation, rate=rate):
                    bank = cldsp.freq_xlating_filter_bank_ccf(**values, **decimation,
                                                              output_rate=rate)
                    self.assertEqual(rates, bank.output_rates())
        bank = cldsp.freq_xlating_filter_bank_ccf(**values)
        self.assertEqual([1000.0] * 3, bank.output_rates())
        bank = cldsp.freq_xlating_filter_bank_ccf(**values, output_rate=480.0, max_channels=4)
        self.assertEqual(3, bank.add_channel([1.0], 0.0, decimation=1, output_rate=480.0))


if __name__ == "__main__":
    gr_unittest.run(qa_filter_bank_rates)
