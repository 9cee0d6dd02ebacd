#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The centre frequency is changed in mid-stream, by setter and by message."""

import threading
import time

import numpy as np
import pmt
from gnuradio import filter, gr_unittest
from qa_support import (NEAR, apart, change, error_db, freq_tags, item_values, make_block,
                        opencl_device, post, random_items, random_taps, reference, run_block, ways)

FS = 48000
FREQUENCIES = (1234.5, -20000.0, 7.0, 0.0, 23999.0)


class qa_retune(gr_unittest.TestCase):

    def check(self, retune, suffix="ccf", decimation=5, bound=-120, **options):
        """Calls retune(block, frequency) for each frequency, and compares with the model."""
        rng = np.random.default_rng(7)
        taps = random_taps(rng, suffix, 101)
        items = random_items(rng, suffix, apart(suffix) * (len(FREQUENCIES) + 1))
        block = make_block(suffix, decimation, taps, 4321.0, FS, **options)
        actions = [(apart(suffix) * (i + 1) // 7 * 7, lambda f=f: retune(block, f))
                   for i, f in enumerate(FREQUENCIES)]
        result, tags = run_block(block, items, actions=actions)

        applied = freq_tags(tags)
        self.assertEqual(list(FREQUENCIES), [f for _, f in applied])
        expected = reference(item_values(suffix, items), decimation, taps, 4321.0, FS,
                             [change(offset, taps, f) for offset, f in applied])
        self.assertLess(error_db(result, expected), bound)
        self.assertEqual(FREQUENCIES[-1], block.center_freq())

    def test_setter(self):
        for options in ways():
            with self.subTest(**options):
                self.check(lambda block, f: block.set_center_freq(f), **options)

    def test_setter_volk(self):
        self.check(lambda block, f: block.set_center_freq(f), "volk_ccf",
                   bound=-115)

    def test_message_pair(self):
        self.check(lambda block, f: post(block, pmt.cons(pmt.intern("freq"),
                                                         pmt.from_double(f))),
                   device=opencl_device())

    def test_message_pair_with_another_key(self):
        self.check(lambda block, f: post(block, pmt.cons(pmt.intern("tune"),
                                                         pmt.from_double(f))),
                   device="host")

    def test_message_dict(self):
        def retune(block, f):
            message = pmt.dict_add(pmt.make_dict(), pmt.intern("gain"), pmt.from_double(3))
            post(block, pmt.dict_add(message, pmt.intern("freq"), pmt.from_double(f)))
        self.check(retune, "fcf", 1, device=opencl_device())

    def test_setter_in_a_thread_of_its_own(self):
        """The tags have the applied values; the scheduler decides when and how often they come."""
        for options in ways(device=["direct"]):
            with self.subTest(**options):
                self.check_thread(**options)

    def check_thread(self, **options):
        rng = np.random.default_rng(8)
        taps = filter.firdes.low_pass(1, FS, 2000, 500)
        items = random_items(rng, "ccf", 5 * NEAR)
        block = make_block("ccf", 5, taps, 4321.0, FS, **options)
        last = -777.0
        running = threading.Event()
        running.set()
        tuned = threading.Event()

        def tune():
            count = 0
            while running.is_set():
                count += 1
                block.set_center_freq(100.0 * (count % 200) - 10000)
                tuned.set()
                time.sleep(1e-4)

        # The first and the last change certainly fall within the stream.
        tuner = threading.Thread(target=tune)

        def begin():
            tuner.start()
            tuned.wait()

        def finish():
            running.clear()
            tuner.join()
            block.set_center_freq(last)

        result, tags = run_block(block, items, actions=[(NEAR, begin),
                                                        (4 * NEAR, finish)])
        applied = freq_tags(tags)
        self.assertGreater(len(applied), 1)
        self.assertEqual(last, applied[-1][1])
        self.assertEqual(last, block.center_freq())
        expected = reference(items, 5, taps, 4321.0, FS,
                             [change(offset, taps, f) for offset, f in applied])
        self.assertLess(error_db(result, expected), -120)

    def run_messages(self, *messages):
        """The frequencies that each of the messages led to; the messages come far apart."""
        block = make_block("ccf", 4, [1.0], 1.0, FS, device="host")
        items = np.zeros(NEAR * (len(messages) + 1), np.complex64)
        actions = [(NEAR * (i + 1), lambda m=m: post(block, m))
                   for i, m in enumerate(messages)]
        result, tags = run_block(block, items, actions=actions)
        self.assertEqual(len(items) // 4, len(result))
        return [f for _, f in freq_tags(tags)]

    def test_message_with_integers(self):
        key = pmt.intern("freq")
        self.assertEqual([-5, 7, 9], self.run_messages(
            pmt.cons(key, pmt.from_long(-5)),
            pmt.dict_add(pmt.make_dict(), key, pmt.from_long(7)),
            pmt.cons(key, pmt.from_uint64(9))))

    def test_other_messages_are_dropped(self):
        key = pmt.intern("freq")
        self.assertEqual([12.0], self.run_messages(
            pmt.PMT_NIL,
            pmt.from_double(3.0),
            pmt.intern("freq"),
            pmt.cons(key, pmt.intern("fast")),
            pmt.cons(key, pmt.from_double(float("nan"))),
            pmt.dict_add(pmt.make_dict(), pmt.intern("gain"), pmt.from_double(3)),
            pmt.dict_add(pmt.make_dict(), key, pmt.PMT_T),
            pmt.cons(key, pmt.from_double(12.0))))

    def test_phase_goes_on_without_a_jump(self):
        """A tone in the passband before and after a retune: its phase is continuous at the tag."""
        for options in ways(device=["direct"]):
            with self.subTest(**options):
                self.check_phase(**options)

    def check_phase(self, **options):
        tone, decimation = 5000.0, 4
        taps = filter.firdes.low_pass(1, FS, 2000, 500)
        items = np.exp(2j * np.pi * np.mod(tone / FS * np.arange(4 * NEAR), 1))
        block = make_block("ccf", decimation, taps, 4800.0, FS, **options)
        result, tags = run_block(block, items.astype(np.complex64), actions=[
            (2 * NEAR, lambda: block.set_center_freq(5700.0))])

        (at, _), = freq_tags(tags)
        angles = np.unwrap(np.angle(result[at - 1000:at + 1000]))
        n = np.arange(1000)
        before = np.polyval(np.polyfit(n, angles[:1000], 1), 1000)
        after = np.polyval(np.polyfit(n, angles[1000:], 1), 0)
        self.assertAlmostEqual(0, np.angle(np.exp(1j * (after - before))), 3)


if __name__ == "__main__":
    gr_unittest.run(qa_retune)
