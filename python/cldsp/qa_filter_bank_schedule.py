#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Channels of a bank whose frequency is a function of time."""

import itertools
import time
from fractions import Fraction

import numpy as np
import pmt
from gnuradio import blocks, gr, gr_unittest
from qa_support import (APART, array_source, connect_sinks, error_db, freq_tags, interpolation,
                        item_values, make_bank, post, random_items, random_taps, rate_reference,
                        reference, run_bank, tag_at)

# A stream so slow that GNU Radio's buffers stay small; see APART.
FS = 20480.0


def phases(points, center_freq, items, fs=FS, history=0):
    """The integral of the frequency in turns at the items -history to items - 1."""
    n = np.arange(-history, items)
    turns = center_freq * n / fs
    for sample, hz, slope in points:
        at = turns[min(sample, items - 1) + history] if sample < items else 0
        t = (n - sample) / fs
        turns = np.where(n >= sample, at + hz * t + slope * t * t / 2, turns)
    return turns


def schedule_model(values, decimation, taps, points, center_freq, fs=FS, delay=None):
    """The items, each mixed with its frequency, and then filtered. The phase at the start is that
    of a channel with this centre frequency and as many taps as delay, or as taps has without delay.
    """
    taps = np.asarray(taps).astype(np.complex64).astype(complex)
    turns = phases(points, center_freq, len(values), fs)
    start = -center_freq / fs * ((delay or len(taps)) - 1) / 2
    mixed = values * np.exp(2j * np.pi * np.mod(start - turns, 1))
    full = np.convolve(mixed, taps)[:len(values)]
    return full[:len(values) // decimation * decimation:decimation]


def order(channel, hz, slope=None):
    """The value of a tag that changes a channel's frequency."""
    if slope is None:
        return pmt.cons(pmt.from_long(channel), pmt.from_double(hz))
    value = pmt.dict_add(pmt.make_dict(), pmt.intern("chan"), pmt.from_long(channel))
    value = pmt.dict_add(value, pmt.intern("freq"), pmt.from_double(hz))
    return pmt.dict_add(value, pmt.intern("rate"), pmt.from_double(slope))


class acting_sink(gr.sync_block):
    """Calls an action before it reads anything."""

    def __init__(self, action):
        gr.sync_block.__init__(self, "acting_sink", [np.complex64], [])
        self.action = action

    def work(self, input_items, output_items):
        if self.action:
            self.action()
            self.action = None
        return len(input_items[0])


class qa_filter_bank_schedule(gr_unittest.TestCase):

    def setUp(self):
        self.rng = np.random.default_rng(1)

    def bank(self, suffix="ccf", decimation=8, taps=61, center_freqs=(500.0, -700.0), **options):
        self.taps = random_taps(self.rng, suffix, taps)
        return make_bank(suffix, decimation, self.taps, list(center_freqs), FS, accuracy=0,
                         **options)

    def test_ramp_keeps_its_phase(self):
        """10 kHz in 10 s: less than 1e-5 rad of phase error at every output."""
        fs, items = 48000.0, 480000
        bank = make_bank("ccf", 1, [1.0], [0.0], fs, device="host", accuracy=0)
        bank.schedule(0, [(0, -5000.0, 1000.0)])
        (out,), _ = run_bank(bank, np.ones(items, np.complex64))
        self.assertEqual(items, len(out))
        turns = phases([(0, -5000.0, 1000.0)], 0.0, items, fs)
        error = np.angle(out.astype(complex) * np.exp(2j * np.pi * np.mod(turns, 1)))
        self.assertLess(np.max(np.abs(error)), 1e-5)

    def test_calls_cut_anywhere(self):
        points = [(3001, 1500.0, 800.0), (9000, -4000.0, 0.0), (15555, 100.0, -3000.0)]
        items = random_items(self.rng, "ccf", 24000)
        results = []
        for chunks, most in ((None, 100000), (itertools.cycle([17, 4000, 1]), 100000),
                             (None, 3), (itertools.cycle([999]), 64)):
            self.rng = np.random.default_rng(2)
            bank = self.bank(device="host")
            bank.schedule(1, points)
            out, _ = run_bank(bank, items, chunks, most)
            results.append(out)
            expected = schedule_model(items.astype(complex), 8, self.taps, points, -700.0)
            self.assertEqual(len(expected), len(out[1]))
            self.assertLess(error_db(out[1], expected), -115)
            other = reference(items.astype(complex), 8, self.taps, 500.0, FS)
            self.assertLess(error_db(out[0], other), -115)

    def test_a_tag_lands_on_its_item(self):
        items = random_items(self.rng, "ccf", 20000)
        tags = [tag_at(2000, pmt.from_double(123.0)),  # no order
                tag_at(5003, order(0, 2000.0)), tag_at(5003, order(1, -1000.0, 500.0)),
                tag_at(12001, order(0, -300.0, 0.0)),
                tag_at(13000, order(7, 1.0))]  # no such channel
        for most in (100000, 5, 77, 1000):
            bank = self.bank(device="host")
            out, seen = run_bank(bank, items, None, most, tags=tags)
            for channel, points in enumerate((
                    [(5003, 2000.0, 0.0), (12001, -300.0, 0.0)], [(5003, -1000.0, 500.0)])):
                expected = schedule_model(items.astype(complex), 8, self.taps, points,
                                          (500.0, -700.0)[channel])
                self.assertEqual(len(expected), len(out[channel]))
                self.assertLess(error_db(out[channel], expected), -115, (channel, most))
            ours = [(tag.offset, pmt.to_double(tag.value)) for tag in seen[0]
                    if pmt.to_python(tag.key) == "freq" and pmt.is_real(tag.value)
                    and pmt.to_double(tag.value) != 123.0]
            self.assertEqual([(626, 2000.0), (1501, -300.0)], ours)

    def test_a_tag_after_a_retune(self):
        """A retune does not drop a tag's change of frequency whose item is still in the buffer."""
        items = np.ones(20000, np.complex64)
        for decimation in (1, [1, 4]):
            bank = self.bank(decimation=decimation, device="host")
            bank.set_max_output_buffer(0, 512)
            retune = acting_sink(lambda: bank.set_center_freq(0, 50.0))
            source = array_source(items, tags=[tag_at(3000, order(0, 2000.0))])
            tb = gr.top_block()
            sinks = connect_sinks(tb, source, bank, 2)
            tb.connect((bank, 0), retune)
            tb.run()
            seen = [(tag.offset, pmt.to_double(tag.value)) for tag in sinks[0].tags()
                    if pmt.to_python(tag.key) == "freq" and pmt.is_real(tag.value)]
            self.assertEqual([50.0, 2000.0], [hz for _, hz in seen], decimation)
            self.assertLess(seen[0][0], 3000)
            self.assertEqual(3000, seen[1][0])

    def time_of_tags(self, count):
        """The processor time of a flowgraph with so many tags in one and the same stream."""
        length = 400000
        bank = make_bank("ccf", 8, [1.0], [0.0], FS, device="host")
        source = blocks.vector_source_c([0] * length, False, 1, [
            tag_at(i * length // count, order(0, 100.0 + i % 7)) for i in range(count)])
        tb = gr.top_block()
        tb.connect(source, bank, blocks.null_sink(gr.sizeof_gr_complex))
        begin = time.process_time()
        tb.run()
        return time.process_time() - begin

    def test_the_time_of_tags_is_in_proportion_to_their_number(self):
        self.time_of_tags(1000)
        # Four times as many tags take four times as long.
        ratios = []
        for _ in range(3):
            ratios.append(self.time_of_tags(40000) / self.time_of_tags(10000))
            if ratios[-1] < 8:
                return
        self.fail(f"four times as many tags take {ratios} times as long")

    def test_tags_in_streams_of_any_type(self):
        points = [(1001, 1500.0, 800.0), (9007, -4000.0, 0.0)]
        tags = [tag_at(sample, order(channel, hz, slope))
                for sample, hz, slope in points for channel in (0, 1)]
        rates = [Fraction(1, 5), Fraction(3, 16)]
        for suffix in ("fcf", "scc", "cu8_f"):
            for chunks in (None, itertools.cycle([11, 400, 37, 3000])):
                items = random_items(self.rng, suffix, 16000)
                bank = self.bank(suffix, [5, 0], output_rate=[0, FS * 3 / 16], device="host")
                results, _ = run_bank(bank, items, chunks, tags=tags)
                for rate, result, f in zip(rates, results, (500.0, -700.0)):
                    self.check_scheduled(result, suffix, items, rate, points, f)

    def check_scheduled(self, out, suffix, items, rate, points, center_freq):
        """Compares a channel of any rate with the model of its items, which are mixed first."""
        values = item_values(suffix, items)
        count = len(self.taps) + 2 * interpolation(rate)[0]
        turns = (phases(points, center_freq, len(values))
                 + center_freq / FS * (count - 1) / 2)
        mixed = values * np.exp(-2j * np.pi * np.mod(turns, 1))
        expected = rate_reference(mixed, rate, self.taps, 0.0, FS)
        self.assertEqual(len(expected), len(out))
        self.assertLess(error_db(out, expected), -110, (suffix, rate))

    def test_bytes_before_the_stream(self):
        """GNU Radio's history of zero bytes is full scale in cu8, but not part of the stream."""
        points = [(0, 1500.0, 800.0), (1003, 10.0, 0.0)]
        rates = [Fraction(1, 8), Fraction(3, 16)]
        for chunks in (None, itertools.cycle([1, 5, 100, 777])):
            items = random_items(self.rng, "cu8_c", 3000)
            bank = self.bank("cu8_c", [8, 0], taps=900, output_rate=[0, FS * 3 / 16],
                             device="host")
            for channel in (0, 1):
                bank.schedule(channel, points)
            out, _ = run_bank(bank, items, chunks)
            for channel, rate in enumerate(rates):
                self.check_scheduled(out[channel], "cu8_c", items, rate, points,
                                     (500.0, -700.0)[channel])

    def test_a_point_takes_effect_in_a_pause(self):
        items = random_items(self.rng, "ccf", 4 * APART)
        for decimation in (8, [8, 5]):
            bank = self.bank(decimation=decimation, device="host")
            points = [(2 * APART, -100.0, 3.0)]  # between the two changes below
            bank.schedule(1, points)
            out, tags = run_bank(bank, items, actions=[
                (APART, lambda: bank.set_channel_active(1, False)),
                (3 * APART, lambda: bank.set_channel_active(1, True))])
            each = 8 if decimation == 8 else 5
            expected = schedule_model(items.astype(complex), each, self.taps, points, -700.0)
            first, hz = freq_tags(tags[1])[-1]
            start = [tag for tag in tags[1] if pmt.to_python(tag.key) == "sample_start"]
            sample = pmt.to_uint64(start[-1].value)
            self.assertEqual([first], [tag.offset for tag in start])
            self.assertAlmostEqual(-100.0 + 3.0 * (sample - 2 * APART) / FS, hz, 6)
            again = sample // each
            self.assertLess(error_db(out[1][:first], expected[:first]), -112)
            self.assertLess(error_db(out[1][first:], expected[again:]), -112)

    def test_new_taps_under_a_schedule(self):
        """The items keep the phases that they were mixed with."""
        items = random_items(self.rng, "ccf", 3 * APART)
        for decimation in (8, [8, 5]):
            bank = self.bank(decimation=decimation, device="host")
            before, points = self.taps, [(0, 300.0, 20.0)]
            after = random_taps(self.rng, "ccf", 500)
            for channel in (0, 1):
                bank.schedule(channel, points)
            out, tags = run_bank(bank, items,
                                 actions=[(APART + 1, lambda: bank.set_taps([after]))])
            for channel, each in enumerate((8, 8 if decimation == 8 else 5)):
                change = freq_tags(tags[channel])[-1][0]
                self.assertGreater(change, 0)
                old, new = (schedule_model(items.astype(complex), each, taps, points,
                                           (500.0, -700.0)[channel], delay=len(before))
                            for taps in (before, after))
                self.assertLess(error_db(out[channel][:change], old[:change]), -112)
                self.assertLess(error_db(out[channel][change:], new[change:]), -112)

    def test_channels_that_go_and_come(self):
        """A removed channel's schedule does not pass to the next one in its slot."""
        items = random_items(self.rng, "ccf", 4 * APART)
        bank = self.bank(device="host", max_channels=2)
        bank.schedule(1, [(0, 300.0, 20.0), (3 * APART + 1000, 0.0, 0.0)])
        later = [(3 * APART, 50.0, 1.0)]

        def add():
            self.assertEqual(1, bank.add_channel(self.taps, 1000.0))

        out, tags = run_bank(bank, items, actions=[
            (APART, lambda: bank.remove_channel(1)), (2 * APART, add),
            (2 * APART + 30000, lambda: bank.schedule(1, later))])
        marks = freq_tags(tags[1])
        self.assertEqual([1000.0, 50.0], [hz for _, hz in marks[-2:]])
        start = [tag for tag in tags[1] if pmt.to_python(tag.key) == "sample_start"]
        self.assertEqual([marks[-2][0]], [tag.offset for tag in start])
        first, again = marks[-2][0], pmt.to_uint64(start[0].value) // 8
        old = schedule_model(items.astype(complex), 8, self.taps, [(0, 300.0, 20.0)], -700.0)
        new = schedule_model(items.astype(complex), 8, self.taps, later, 1000.0)
        self.assertLess(error_db(out[1][:first], old[:first]), -112)
        self.assertLess(error_db(out[1][first:], new[again:]), -112)
        self.assertEqual(3 * APART // 8, again + marks[-1][0] - first)

    def test_messages(self):
        items = random_items(self.rng, "ccf", 3 * APART)
        bank = self.bank(device="host")
        points = [(APART + 20000, 900.0, -50.0), (2 * APART + 33333, 10.0, 0.0)]
        vectors = pmt.to_pmt([list(p) for p in points])
        tuples = pmt.list2(*[pmt.make_tuple(pmt.from_uint64(s), pmt.from_double(f),
                                            pmt.from_double(r)) for s, f, r in points])
        for form in (vectors, tuples):
            bank = self.bank(device="host")
            message = pmt.dict_add(pmt.make_dict(), pmt.intern("schedule"), pmt.from_long(0))
            message = pmt.dict_add(message, pmt.intern("points"), form)
            bad = pmt.dict_add(message, pmt.intern("points"), pmt.to_pmt([[1.5, 2]]))

            def send():
                post(bank, message, "channels")
                post(bank, bad, "channels")
            out, _ = run_bank(bank, items, actions=[(10000, send)])
            expected = schedule_model(items.astype(complex), 8, self.taps, points, 500.0)
            self.assertLess(error_db(out[0], expected), -115)

    def test_bad_points(self):
        bank = self.bank(max_channels=3)
        for points, words in (([(-1, 0.0)], ("points[0].sample", "-1")),
                              ([(0, 1.0), (5, float("nan"))], ("points[1].hz", "nan")),
                              ([(0, 1.0, float("inf"))], ("points[0].hz_per_second", "inf")),
                              ([(4, 1.0), (4, 2.0)], ("points[1].sample", "4")),
                              ([(4, 1.0, 2.0, 3.0)], ("points[0]", "4 values")),
                              ([(4.5, 1.0)], ("'points[0].sample' is 4.5", "whole number")),
                              ([(0, 1.0), (np.float32(4.5), 1.0)], ("points[1].sample",)),
                              ([(2**63, 1.0)], ("points[0].sample",)),
                              ([5], ("points[0]", "5"))):
            with self.assertRaises(ValueError) as caught:
                bank.schedule(0, points)
            for word in words:
                self.assertIn(word, str(caught.exception))
        for channel in (-1, 2, 3):
            with self.assertRaises(ValueError) as caught:
                bank.schedule(channel, [(0, 1.0)])
            self.assertIn("channel", str(caught.exception))

    def test_a_retune_ends_it(self):
        items = random_items(self.rng, "ccf", 3 * APART)
        bank = self.bank(device="host")
        bank.schedule(0, [(0, 100.0, 20.0)])
        seen = []

        def retune():
            seen.append(bank.center_freqs()[0])
            bank.set_center_freq(0, 250.0)
        out, tags = run_bank(bank, items, actions=[(2 * APART, retune)])
        self.assertEqual(250.0, bank.center_freqs()[0])
        self.assertTrue(100.0 < seen[0] <= 100.0 + 20.0 * 2 * APART / FS, seen)
        at = [offset for offset, value in freq_tags(tags[0]) if value == 250.0][0]
        expected = schedule_model(items.astype(complex), 8, self.taps, [(0, 100.0, 20.0)], 500.0)
        self.assertLess(error_db(out[0][:at], expected[:at]), -115)
        # The outputs after the retune are those of the new frequency, except for a constant phase.
        model = reference(items.astype(complex), 8, self.taps, 250.0, FS)[at:]
        turn = np.vdot(model, out[0][at:])
        self.assertLess(error_db(out[0][at:], model * (turn / abs(turn))), -110)

    def test_it_ends_at_the_frequency_reached(self):
        items = random_items(self.rng, "ccf", 3 * APART)
        bank = self.bank(device="host")
        bank.schedule(0, [(0, 100.0, 20.0), (APART, 55.0, 0.0)])
        out, _ = run_bank(bank, items)
        points = [(0, 100.0, 20.0), (APART, 55.0, 0.0)]
        expected = schedule_model(items.astype(complex), 8, self.taps, points, 500.0)
        self.assertLess(error_db(out[0], expected), -112)
        self.assertEqual(55.0, bank.center_freqs()[0])

    def test_a_restart_ends_it(self):
        items = random_items(self.rng, "ccf", 40000)
        bank = self.bank(device="host")
        bank.schedule(0, [(1000, 300.0, 0.0), (60000, 600.0, 0.0)])
        run_bank(bank, items)
        self.assertEqual(300.0, bank.center_freqs()[0])
        bank.schedule(0, [(30000, 10.0, 0.0)])
        out, tags = run_bank(bank, items)
        points = [(30000, 10.0, 0.0)]
        expected = schedule_model(items.astype(complex), 8, self.taps, points, 300.0)
        self.assertLess(error_db(out[0], expected), -112)
        self.assertEqual([(3750, 10.0)], freq_tags(tags[0]))

    def test_types_and_rates(self):
        points = [(1000, 1500.0, 800.0), (9000, -4000.0, 100.0)]
        for suffix in ("fcf", "scc", "cu8_f", "cs12_c"):
            items = random_items(self.rng, suffix, 16000)
            values = item_values(suffix, items)
            bank = self.bank(suffix, device="host")
            bank.schedule(0, points)
            out, _ = run_bank(bank, items)
            expected = schedule_model(values, 8, self.taps, points, 500.0)
            self.assertEqual(len(expected), len(out[0]), suffix)
            self.assertLess(error_db(out[0], expected), -110, suffix)
        # Channels of different decimations: the schedule counts items, not outputs.
        items = random_items(self.rng, "ccf", 16000)
        bank = self.bank(decimation=[8, 5], device="host")
        bank.schedule(0, points)
        bank.schedule(1, points)
        out, _ = run_bank(bank, items)
        for channel, decimation in enumerate((8, 5)):
            expected = schedule_model(items.astype(complex), decimation, self.taps, points,
                                      (500.0, -700.0)[channel])
            self.assertEqual(16000 // decimation, len(out[channel]))
            self.assertLess(error_db(out[channel], expected), -112)

    def test_a_pause_does_not_stop_it(self):
        items = random_items(self.rng, "ccf", 4 * APART)
        bank = self.bank(device="host", center_freqs=(500.0, 0.0))
        points = [(0, 100.0, 5.0)]
        bank.schedule(1, points)
        out, tags = run_bank(bank, items, actions=[
            (APART, lambda: bank.set_channel_active(1, False)),
            (3 * APART, lambda: bank.set_channel_active(1, True))])
        expected = schedule_model(items.astype(complex), 8, self.taps, points, 0.0)
        start = [tag for tag in tags[1] if pmt.to_python(tag.key) == "sample_start"]
        self.assertEqual(1, len(start))
        first, again = start[0].offset, pmt.to_uint64(start[0].value) // 8
        self.assertLess(error_db(out[1][:first], expected[:first]), -112)
        self.assertLess(error_db(out[1][first:], expected[again:]), -112)


if __name__ == '__main__':
    gr_unittest.run(qa_filter_bank_schedule)
