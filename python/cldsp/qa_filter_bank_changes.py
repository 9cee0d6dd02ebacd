#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A bank's channels are retuned and get other taps in mid-stream, one by one and together."""

import itertools
import threading
import time

import numpy as np
import pmt
from gnuradio import gr_unittest
from qa_support import (NEAR, apart, change, error_db, freq_tags, item_values, make_bank,
                        opencl_device, post, random_items, random_taps, reference, run_bank,
                        tag_at)

FS = 48000


def message(**values):
    result = pmt.make_dict()
    for key, value in values.items():
        result = pmt.dict_add(result, pmt.intern(key), pmt.to_pmt(value))
    return result


class qa_filter_bank_changes(gr_unittest.TestCase):

    def check_channels(self, results, tags, items, decimation, sets, center_freqs,
                       suffix="ccf"):
        """Compares every channel with the model, which changes at the channel's tags.

        sets: the taps from each tag of a channel on, the first ones at construction; a channel
        with more tags than sets keeps the last taps.
        """
        values = item_values(suffix, items)
        for channel, first in enumerate(center_freqs):
            applied = freq_tags(tags[channel])
            of_channel = sets(channel)
            changes = [change(at, of_channel[min(i + 1, len(of_channel) - 1)], f)
                       for i, (at, f) in enumerate(applied)]
            expected = reference(values, decimation, of_channel[0], first, FS, changes)
            self.assertLess(error_db(results[channel], expected), -115, channel)

    def check_retune(self, tune, **options):
        """Calls tune(bank, channel, frequency) for some channels; the others must not change."""
        rng = np.random.default_rng(1)
        taps = random_taps(rng, "ccf", 101)
        center_freqs = [100.0, -200.0, 0.0, 23000.0, 5.5]
        steps = [(1, 1234.5), (3, -20000.0), (1, 7.0), (4, 5.5)]
        items = random_items(rng, "ccf", NEAR * (len(steps) + 1))
        bank = make_bank("ccf", 5, taps, center_freqs, FS, accuracy=0, **options)
        actions = [(NEAR * (i + 1) - 3, lambda c=c, f=f: tune(bank, c, f))
                   for i, (c, f) in enumerate(steps)]
        results, tags = run_bank(bank, items, actions=actions)
        self.assertEqual([[], [1234.5, 7.0], [], [-20000.0], [5.5]],
                         [[f for _, f in freq_tags(t)] for t in tags])
        self.check_channels(results, tags, items, 5, lambda channel: [taps], center_freqs)
        self.assertEqual([100.0, 7.0, 0.0, -20000.0, 5.5], bank.center_freqs())

    def test_setter(self):
        for options in (dict(device="host", algorithm="direct"),
                        dict(device="host", algorithm="fast_convolution"),
                        dict(device=opencl_device(), algorithm="direct"), dict()):
            with self.subTest(**options):
                self.check_retune(lambda bank, c, f: bank.set_center_freq(c, f), **options)

    def test_message_pair(self):
        self.check_retune(lambda bank, c, f: post(bank, pmt.cons(pmt.from_long(c),
                                                                 pmt.from_double(f))),
                          device="host")

    def test_message_dict(self):
        for key in ("chan", "channel"):
            with self.subTest(key=key):
                self.check_retune(
                    lambda bank, c, f: post(bank, message(gain=3.0, freq=f, **{key: c})),
                    device="host")

    def run_messages(self, *messages):
        """The channels and frequencies that the messages led to; the messages come far apart."""
        bank = make_bank("ccf", 4, [1.0], [1.0, 2.0, 3.0], FS, device="host")
        items = np.zeros(NEAR * (len(messages) + 1), np.complex64)
        results, tags = run_bank(bank, items, actions=[
            (NEAR * (i + 1), lambda m=m: post(bank, m)) for i, m in enumerate(messages)])
        self.assertEqual([len(items) // 4] * 3, [len(r) for r in results])
        return [[f for _, f in freq_tags(t)] for t in tags]

    def test_message_with_other_numbers(self):
        self.assertEqual([[-5.0], [7.0], [9.0]], self.run_messages(
            pmt.cons(pmt.from_long(0), pmt.from_long(-5)),
            pmt.cons(pmt.from_double(1.0), pmt.from_uint64(7)),
            message(chan=2, freq=9)))

    def test_other_messages_are_dropped(self):
        good = pmt.from_double(5.0)
        self.assertEqual([[], [12.0], []], self.run_messages(
            pmt.PMT_NIL, good, pmt.intern("freq"), pmt.PMT_T,
            pmt.cons(pmt.intern("freq"), good), pmt.cons(pmt.from_long(0), pmt.intern("fast")),
            pmt.cons(pmt.from_long(3), good), pmt.cons(pmt.from_long(-1), good),
            pmt.cons(pmt.from_double(0.5), good), pmt.cons(pmt.from_double(1e300), good),
            pmt.cons(pmt.from_double(float("nan")), good),
            pmt.cons(pmt.from_uint64(2**64 - 1), good),
            pmt.cons(pmt.from_long(0), pmt.from_double(float("nan"))),
            pmt.cons(pmt.cons(good, good), good),
            message(freq=5.0), message(chan=1), message(chan=1, freq="fast"),
            message(chan="one", freq=5.0), message(chan=7, freq=5.0),
            pmt.make_vector(2, good), pmt.cons(pmt.from_long(1), pmt.from_double(12.0))))

    def check_random(self, channels, count, length, algorithm, seed):
        """Random retunes of random channels, with random call sizes."""
        rng = np.random.default_rng(seed)
        taps = random_taps(rng, "ccf", count)
        items = random_items(rng, "ccf", length)
        center_freqs = rng.uniform(-FS / 2, FS / 2, channels)
        bank = make_bank("ccf", 40, taps, center_freqs, FS, device="host", accuracy=0,
                         algorithm=algorithm)

        def tune():
            for channel in rng.choice(channels, min(channels, 10), replace=False):
                bank.set_center_freq(int(channel), float(rng.uniform(-FS / 2, FS / 2)))

        actions = [(position, tune) for position in
                   sorted(set(rng.integers(1, length, 30).tolist()))]
        results, tags = run_bank(bank, items, itertools.cycle(
            rng.integers(1, 4000, 100).tolist()), actions=actions)
        self.check_channels(results, tags, items, 40, lambda channel: [taps], center_freqs)
        self.assertGreater(sum(len(freq_tags(t)) for t in tags), 0)

    def test_random_retunes(self):
        for algorithm in ("direct", "fast_convolution", "auto"):
            for channels in (1, 7, 64):
                with self.subTest(algorithm=algorithm, channels=channels):
                    self.check_random(channels, 201, 40000, algorithm, channels)

    def test_random_retunes_of_500_channels(self):
        self.check_random(500, 64, 12000, "auto", 500)

    def test_setter_in_a_thread_of_its_own(self):
        """The tags have the applied values; the scheduler decides when and how often they come."""
        rng = np.random.default_rng(3)
        taps = random_taps(rng, "ccf", 80)
        items = random_items(rng, "ccf", 4 * NEAR)
        center_freqs = [0.0, 1000.0, -1000.0, 50.0]
        bank = make_bank("ccf", 5, taps, center_freqs, FS, device="host", accuracy=0)
        running = threading.Event()
        running.set()

        def tune():
            count = 0
            while running.is_set():
                count += 1
                bank.set_center_freq(count % 3, 10.0 * (count % 100))
                time.sleep(1e-4)

        tuner = threading.Thread(target=tune)

        def finish():
            running.clear()
            tuner.join()
            bank.set_center_freq(0, -777.0)

        results, tags = run_bank(bank, items, actions=[(NEAR, tuner.start),
                                                       (3 * NEAR, finish)])
        self.check_channels(results, tags, items, 5, lambda channel: [taps], center_freqs)
        self.assertEqual(-777.0, freq_tags(tags[0])[-1][1])
        self.assertEqual([], freq_tags(tags[3]))

    def check_taps(self, suffix, decimation, counts, chunks=None, **options):
        """counts: for each set of taps their number per channel, or one number for all channels."""
        rng = np.random.default_rng(9)
        center_freqs = [1000.0, -3000.0, 10.0]
        sets = [[random_taps(rng, suffix, n) for n in (count if isinstance(count, tuple)
                                                       else (count,))] for count in counts]
        items = random_items(rng, suffix, apart(suffix) * len(counts))
        bank = make_bank(suffix, decimation, sets[0], center_freqs, FS, accuracy=0, **options)
        actions = [(apart(suffix) * (i + 1) - 13, lambda taps=taps: bank.set_taps(
            taps if len(taps) > 1 else taps[0])) for i, taps in enumerate(sets[1:])]
        results, tags = run_bank(bank, items, chunks, actions=actions)
        for channel, f in enumerate(center_freqs):
            self.assertEqual([f] * (len(counts) - 1), [v for _, v in freq_tags(tags[channel])])
        self.check_channels(
            results, tags, items, decimation,
            lambda channel: [taps[channel if len(taps) > 1 else 0] for taps in sets],
            center_freqs, suffix)
        self.assertEqual([len(t) for t in sets[-1]], [len(t) for t in bank.taps()])

    def test_taps(self):
        for algorithm in ("direct", "fast_convolution", "auto"):
            for counts in ((21, 41), (41, 21), (31, (1, 301, 30), (500, 2, 40), 31)):
                for decimation in (1, 7):
                    with self.subTest(algorithm=algorithm, counts=counts,
                                      decimation=decimation):
                        self.check_taps("ccf", decimation, counts, device="host",
                                        algorithm=algorithm)

    def test_taps_on_the_device(self):
        self.check_taps("ccc", 7, (31, (1, 301, 30), 500, 31), device=opencl_device(),
                        algorithm="direct")

    def test_many_more_taps_than_the_buffer_was_made_for(self):
        self.check_taps("cu8_f", 25, (11, 8192, (5000, 3, 700)), device="host")

    def test_more_taps_in_short_calls(self):
        for suffix in ("cs16_f", "cs12_f"):
            with self.subTest(suffix=suffix):
                self.check_taps(suffix, 3, (5, 700, (60, 1, 9)),
                                itertools.cycle([1, 50, 333, 4000]), device="host")

    def test_frequencies_and_taps_together(self):
        rng = np.random.default_rng(3)
        first, second = random_taps(rng, "ccf", 64), random_taps(rng, "ccf", 200)
        items = random_items(rng, "ccf", 20000)
        bank = make_bank("ccf", 3, first, [1000.0, 2000.0], FS, device="host", accuracy=0)
        bank.set_center_freqs([5.0, -2000.0])
        bank.set_taps(second)
        bank.set_center_freq(0, 6.0)
        results, tags = run_bank(bank, items)
        self.assertEqual([[(0, 6.0)], [(0, -2000.0)]], [freq_tags(t) for t in tags])
        # The phase moves by half of the length of the new taps.
        self.check_channels(results, tags, items, 3, lambda channel: [first, second],
                            [1000.0, 2000.0])

    def test_lists_set_only_what_differs(self):
        rng = np.random.default_rng(4)
        first, second = random_taps(rng, "ccf", 64), random_taps(rng, "ccf", 64)
        items = random_items(rng, "ccf", 5 * NEAR)
        bank = make_bank("ccf", 3, [first] * 3, [1.0, 2.0, 3.0], FS, device="host", accuracy=0)
        actions = [(NEAR, lambda: bank.set_center_freq(2, 77.0)),
                   (2 * NEAR, lambda: bank.update_center_freqs([1.0, -2.0, 3.0])),
                   (3 * NEAR, lambda: bank.update_taps([second, first, first])),
                   (4 * NEAR, lambda: (bank.update_taps([second, first, first]),
                                        bank.update_center_freqs([1.0, -2.0, 3.0])))]
        results, tags = run_bank(bank, items, actions=actions)
        self.assertEqual([[1.0], [-2.0], [77.0]], [[f for _, f in freq_tags(t)] for t in tags])
        self.check_channels(results, tags, items, 3,
                            lambda channel: [first, second if channel == 0 else first],
                            [1.0, 2.0, 3.0])
        bank.update_center_freqs([1.0, -2.0, 4.0])
        self.assertEqual([1.0, -2.0, 4.0], bank.center_freqs())
        bank.update_taps(second)
        self.assertEqual([second], bank.taps())
        for bad in ([], [1.0], [1.0, 2.0, np.nan]):
            with self.assertRaises(ValueError):
                bank.update_center_freqs(bad)
        with self.assertRaises(ValueError):
            bank.update_taps([first, second])

    def test_no_freq_tag_without_a_change(self):
        bank = make_bank("ccf", 3, [1.0], [1000.0, 2000.0], FS, device="host")
        _, tags = run_bank(bank, np.zeros(1000, np.complex64))
        self.assertEqual([[], []], tags)

    def test_tags_pass_to_every_output(self):
        """Tags pass at the offsets that every decimator of GNU Radio gives them."""
        for decimation, taps, offsets, expected in (
                (4, [1.0], range(10), [0, 0, 1, 1, 1, 1, 2, 2, 2, 2]),
                (5, [1.0], range(9), [0, 0, 0, 1, 1, 1, 1, 1, 2]),
                (4, [1.0] * 101, [100, 400], [25, 100])):
            source_tags = [tag_at(i, pmt.from_long(i), "in") for i in offsets]
            bank = make_bank("ccf", decimation, taps, [0.0, 10.0, 20.0], 100, device="host")
            bank.set_center_freq(1, 11.0)
            _, tags = run_bank(bank, np.zeros(1000, np.complex64), tags=source_tags)
            for channel, its in enumerate(tags):
                out = {pmt.to_long(t.value): t.offset for t in its
                       if pmt.symbol_to_string(t.key) == "in"}
                self.assertEqual(expected, [out[offset] for offset in offsets])
                self.assertEqual([(0, 11.0)] if channel == 1 else [], freq_tags(its))

    def test_the_tag_is_where_the_change_is(self):
        bank = make_bank("ccf", 4, [1.0], [0.0, 0.0], 1000, device="host")
        items = np.ones(3 * NEAR, np.complex64)
        results, tags = run_bank(bank, items, actions=[
            (NEAR, lambda: bank.set_taps([[3.0], [1.0]]))])
        (at, _), = freq_tags(tags[0])
        self.assertEqual([(at, 0.0)], freq_tags(tags[1]))
        np.testing.assert_allclose(results[0][:at], 1, atol=1e-6)
        np.testing.assert_allclose(results[0][at:], 3, atol=1e-6)
        np.testing.assert_allclose(results[1], 1, atol=1e-6)


if __name__ == "__main__":
    gr_unittest.run(qa_filter_bank_changes)
