#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The blocks that replace the in-tree FFT filter: its interface, its signal, its phase."""

import cmath
import itertools
import math
import time

import numpy as np
import pmt
from gnuradio import blocks, cldsp, filter, gr, gr_unittest
from qa_support import (FILTER_TYPES, NEAR, PATIENCE_S, array_source, change, error_db, freq_tags,
                        item_values, make_block, opencl_device, post, random_items, random_taps,
                        reference, run_block, ways)

FS = 48000
PREFIX = "freq_xlating_fft_filter_"
nan, inf = float("nan"), float("inf")


def make_fft(suffix, *args, **kwargs):
    return make_block(suffix, *args, kind="fft", **kwargs)


def model(*args):
    return reference(*args, phase="input")


class qa_conformance(gr_unittest.TestCase):
    """The block is made with the in-tree block's arguments alone. Its outputs are compared with
    mixing first and filtering afterwards, in plain Python."""

    fs, fc, width = 1, 0.3, 0.1

    def check(self, taps, decimation):
        items = [cmath.exp(-2j * math.pi * self.fc / self.fs * (t / 100.0))
                 for t in range(1024)]
        mixed = [x * cmath.exp(-2j * math.pi * self.fc * t / self.fs)
                 for t, x in enumerate(items)]
        expected = [sum(tap * mixed[n - k] for k, tap in enumerate(taps) if k <= n)
                    for n in range(0, len(mixed), decimation)]
        block = cldsp.freq_xlating_fft_filter_ccc(decimation, taps, self.fc, self.fs)
        result, _ = run_block(block, np.array(items, np.complex64))
        self.assertEqual(len(expected), len(result))
        self.assertComplexTuplesAlmostEqual(expected, result.tolist(), 5)

    def test_real_taps(self):
        taps = filter.firdes.low_pass(1, self.fs, self.width, self.width / 4)
        for decimation in (1, 4):
            with self.subTest(decimation=decimation):
                self.check(taps, decimation)

    def test_complex_taps(self):
        taps = filter.firdes.complex_band_pass(1, self.fs, -self.width / 2,
                                               self.width / 2, self.width / 4)
        for decimation in (1, 4):
            with self.subTest(decimation=decimation):
                self.check(taps, decimation)


class qa_in_tree_fft(gr_unittest.TestCase):
    """The in-tree block gives the same signal over its first 10^4 samples."""

    def test_same_signal(self):
        rng = np.random.default_rng(3)
        items = random_items(rng, "ccc", 10000)
        for decimation, count in ((1, 64), (4, 101), (7, 1000)):
            taps = random_taps(rng, "ccc", count)
            arguments = (decimation, taps, 234.5, 3200)
            # The in-tree block loses the tail of the stream.
            expected, _ = run_block(filter.freq_xlating_fft_filter_ccc(*arguments), items)
            self.assertGreater(len(expected), 0)
            for device in (opencl_device(), "host"):
                with self.subTest(decimation=decimation, count=count, device=device):
                    result, _ = run_block(make_fft("ccc", *arguments, device=device), items)
                    # The in-tree block's phase is off by about 1e-4 rad there.
                    self.assertLess(error_db(result[:len(expected)], expected), -70)

    # The in-tree filter takes blocks of 96 outputs with 33 taps.
    decimation, count, piece = 4, 33, 8 * 96

    def run_with_changes(self, block, items, changes):
        """Each change is made after all earlier outputs have come out."""
        tb = gr.top_block()
        sink = blocks.vector_sink_c()

        def make(position, action):
            def wait_and_act():
                limit = time.monotonic() + 2 * PATIENCE_S
                while sink.nitems_read(0) < position // self.decimation:
                    assert time.monotonic() < limit, "the outputs did not come"
                    time.sleep(1e-3)
                action(block)
            return position, wait_and_act

        source = array_source(items, actions=[
            make((i + 1) * self.piece * self.decimation, action)
            for i, action in enumerate(changes)])
        tb.connect(source, block, sink)
        tb.run()
        return np.array(sink.data()), freq_tags(sink.tags())

    def test_same_changes(self):
        rng = np.random.default_rng(4)
        taps, other = (random_taps(rng, "ccc", self.count) for _ in range(2))

        def both(block):
            block.set_taps(other)
            block.set_center_freq(-321.0)

        changes = (lambda block: block.set_center_freq(777.7), both)
        items = random_items(rng, "ccc", 3 * self.piece * self.decimation)
        arguments = (self.decimation, taps, 234.5, 3200)
        expected, _ = self.run_with_changes(filter.freq_xlating_fft_filter_ccc(*arguments),
                                            items, changes)
        result, tags = self.run_with_changes(make_fft("ccc", *arguments, device="host"),
                                             items, changes)
        self.assertEqual([(self.piece, 777.7), (2 * self.piece, -321.0)], tags)
        self.assertEqual(len(expected), len(result))
        # The in-tree filter forgets its past when its taps change, and a retune also changes its
        # taps.
        past = -(-(self.count - 1) // self.decimation)
        for i in range(3):
            first, last = i * self.piece + (past if i else 0), (i + 1) * self.piece
            self.assertLess(error_db(result[first:last], expected[first:last]), -70)


class qa_freq_xlating_fft_filter(gr_unittest.TestCase):

    good = dict(decim=2, taps=[1.0], center_freq=0.0, samp_rate=1.0)

    def test_every_type(self):
        for suffix in FILTER_TYPES:
            rng = np.random.default_rng(5)
            taps = random_taps(rng, suffix, 101)
            items = random_items(rng, suffix, 12000)
            expected = model(item_values(suffix, items), 4, taps, -1234.5, FS)
            for options in ways(device=["direct"]):
                with self.subTest(suffix=suffix, **options):
                    block = make_fft(suffix, 4, taps, -1234.5, FS, **options)
                    self.assertEqual(PREFIX + suffix, block.name())
                    result, _ = run_block(block, items)
                    self.assertLess(error_db(result, expected), -120)

    def test_partition(self):
        for seed, options in enumerate(ways() + ways(device=["direct"])):
            with self.subTest(seed=seed, **options):
                rng = np.random.default_rng(seed)
                taps = random_taps(rng, "ccf", int(rng.integers(1, 300)))
                decimation = int(rng.integers(1, 50))
                frequency = float(rng.uniform(-0.5, 0.5))
                items = random_items(rng, "ccf", 10000)
                sizes = rng.integers(1, 500, 1000).tolist()
                block = make_fft("ccf", decimation, taps, frequency, 1, **options)
                result, _ = run_block(block, items, itertools.cycle(sizes), 500)
                expected = model(items, decimation, taps, frequency, 1)
                self.assertLess(error_db(result, expected), -120)

    def check_changes(self, *retunes, **options):
        rng = np.random.default_rng(7)
        taps = random_taps(rng, "ccf", 101)
        items = random_items(rng, "ccf", NEAR * (len(retunes) + 1))
        block = make_fft("ccf", 5, taps, 4321.0, FS, **options)
        actions = [(NEAR * (i + 1), lambda retune=retune: retune(block))
                   for i, (retune, _) in enumerate(retunes)]
        result, tags = run_block(block, items, actions=actions)
        applied = freq_tags(tags)
        self.assertEqual([f for _, f in retunes], [f for _, f in applied])
        expected = model(items, 5, taps, 4321.0, FS,
                         [change(offset, taps, f) for offset, f in applied])
        self.assertLess(error_db(result, expected), -120)
        self.assertEqual(retunes[-1][1], block.center_freq)

    def test_retunes_leave_the_phase(self):
        key = pmt.intern("freq")

        def assign(block):
            block.center_freq = 23999.0

        for options in ways(device=["direct"]):
            self.check_changes(
                (lambda block: block.set_center_freq(-20000.0), -20000.0),
                (lambda block: post(block, pmt.cons(key, pmt.from_double(7.0))), 7.0),
                (lambda block: post(block, pmt.dict_add(pmt.make_dict(), key,
                                                        pmt.from_double(1234.5))), 1234.5),
                (assign, 23999.0), **options)

    def test_taps_of_another_number(self):
        for options in ways(device=["direct"]):
            with self.subTest(**options):
                self.check_taps(**options)

    def check_taps(self, **options):
        rng = np.random.default_rng(8)
        before, after = random_taps(rng, "ccf", 21), random_taps(rng, "ccf", 4000)
        items = random_items(rng, "ccf", 2 * NEAR)
        block = make_fft("ccf", 4, before, 4321.0, FS, **options)
        result, tags = run_block(block, items,
                                 actions=[(NEAR, lambda: block.set_taps(after))])
        (at, frequency), = freq_tags(tags)
        self.assertEqual(4321.0, frequency)
        expected = model(items, 4, before, 4321.0, FS, [change(at, after, 4321.0)])
        self.assertLess(error_db(result, expected), -120)

    def test_the_second_run_starts_like_the_first(self):
        rng = np.random.default_rng(9)
        taps, items = random_taps(rng, "ccf", 101), random_items(rng, "ccf", 5001)
        expected = model(items, 4, taps, 0.1, 1)
        for options in ways(device=["direct"]):
            block = make_fft("ccf", 4, taps, 0.1, 1, **options)
            tb = gr.top_block()
            source, sink = array_source(items), blocks.vector_sink_c()
            tb.connect(source, block, sink)
            for _ in range(2):
                sink.reset()
                tb.run()
                self.assertLess(error_db(np.array(sink.data()), expected), -120)

    def test_tags_pass(self):
        tags = []
        for offset in (0, 4, 6, 100):
            tag = gr.tag_t()
            tag.offset, tag.key, tag.value = offset, pmt.intern("in"), pmt.PMT_T
            tags.append(tag)
        for delay, expected in ((0, [0, 1, 2, 25]), (10, [3, 4, 4, 28])):
            block = make_fft("ccf", 4, [1.0] * 50, 100.0, 1000, device="host")
            block.declare_sample_delay(delay)
            tb = gr.top_block()
            sink = blocks.vector_sink_c()
            tb.connect(blocks.vector_source_c([0] * 1000, False, 1, tags), block, sink)
            tb.run()
            self.assertEqual(expected, sorted(t.offset for t in sink.tags()))

    def test_attributes_are_those_of_the_in_tree_block(self):
        taps = [complex(1, 2), complex(3, -4)]
        arguments = dict(decim=3, taps=taps, center_freq=5.0, samp_rate=48e3)
        made = (filter.freq_xlating_fft_filter_ccc(**arguments),
                make_fft("ccc", device="host", **arguments))
        for block in made:
            self.assertEqual(3, block.decim)
            self.assertEqual(taps, list(block.taps))
            self.assertEqual(5.0, block.center_freq)
            self.assertEqual(48e3, block.samp_rate)
            block.set_center_freq(center_freq=6.0)
            block.set_taps(taps=taps[:1])
            block.set_nthreads(nthreads=1)
            block.set_nthreads(2)
            block.declare_sample_delay(3)
            self.assertEqual((taps[:1], 6.0), (list(block.taps), block.center_freq))
        block = made[1]
        self.assertEqual(1 << 24, block.max_taps())
        block.taps = taps
        self.assertEqual(taps, block.taps)
        for name in ("decim", "samp_rate"):
            with self.assertRaises(AttributeError):
                setattr(block, name, 7)

    def test_arrays_of_numpy_are_taps(self):
        taps = np.array([1, 2j, 3], np.complex64)
        self.assertEqual(list(taps), make_fft("ccc", 1, taps, 0, 1, device="host").taps)

    def check_refused(self, parameter, *values):
        for suffix in FILTER_TYPES:
            for value in values:
                arguments = dict(self.good, device="host")
                arguments[parameter] = value
                with self.subTest(suffix=suffix, parameter=parameter, value=value):
                    with self.assertRaisesRegex(ValueError, parameter):
                        make_fft(suffix, **arguments)

    def test_bad_arguments(self):
        self.check_refused("decim", 0, -1, -2147483648)
        self.check_refused("taps", [], [nan], [1, inf])
        self.check_refused("center_freq", nan, inf)
        self.check_refused("samp_rate", 0, -1, nan, inf)
        self.check_refused("device", "", "toaster")
        self.check_refused("variant", "", "espresso")
        self.check_refused("transfer", "", "teleport")
        self.check_refused("algorithm", "", "magic")
        self.check_refused("accuracy", -1e-9, 0.11, nan)
        self.check_refused("latency", -1e-9, 10.1, nan)
        self.check_refused("plan", "", "soon")

    def test_bad_settings_change_nothing(self):
        block = make_fft("ccf", device="host", **self.good)
        for setter, parameter, values in (
                (block.set_center_freq, "center_freq", (nan, inf)),
                (block.set_taps, "taps", ([], [nan])),
                (block.set_nthreads, "nthreads", (0, -1))):
            for value in values:
                with self.assertRaisesRegex(ValueError, parameter):
                    setter(value)
        self.assertEqual(([1.0], 0.0), (block.taps, block.center_freq))


if __name__ == "__main__":
    gr_unittest.main()
