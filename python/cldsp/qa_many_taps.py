#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""More taps than the stream buffer has room for: the block keeps a copy of the stream."""

import itertools

import numpy as np
from gnuradio import gr_unittest
from qa_support import (NEAR, apart, error_db, freq_tags, item_values, make_bank, make_block,
                        random_items, random_taps, run_bank, run_block)

FC, FS = 1000.0, 48000
PAST = 8191  # number of past items that GNU Radio keeps
# VOLK's plain kernels, which the tests use, sum the products one after the other: with 20001 taps
# the error has reached -103.5 dB. Which variant is fastest depends on the machine.
BOUNDS_DB = {"simd": -120, "volk": -100}


def output_part(values, decimation, taps, begin, end, oldest, turns):
    """The outputs from begin to end of a filter, if there is silence before the item oldest."""
    f = FC / FS
    h = np.asarray(taps).astype(np.complex64).astype(complex)
    rotated = h * np.exp(2j * np.pi * np.mod(f * np.arange(len(h)), 1))
    x = values[:max(1, (end - 1) * decimation + 1)].copy()
    x[:oldest] = 0
    size = 1 << int(len(x) + len(h) - 1).bit_length()
    full = np.fft.ifft(np.fft.fft(x, size) * np.fft.fft(rotated, size))
    n = np.arange(begin, end)
    return full[n * decimation] * np.exp(2j * np.pi * np.mod(turns - f * decimation * n, 1))


class qa_many_taps(gr_unittest.TestCase):

    def steps(self, applied, counts, decimation):
        """The first output of each part of the stream, and the oldest item of that part."""
        steps, oldest, kept = [(0, 0)], 0, PAST
        for at, count in zip(applied, counts[1:]):
            # The kept items are those that GNU Radio keeps or, while there is a copy, as many as
            # the longest taps since its beginning have needed.
            if count - 1 > kept:
                oldest = max(oldest, at * decimation - kept)
                kept = count - 1
            elif count - 1 <= PAST:
                oldest, kept = 0, PAST
            steps.append((at, oldest))
        return steps

    def expected(self, values, decimation, sets, applied, first_taps):
        steps = self.steps(applied, [len(s) for s in sets], decimation)
        ends = [at for at, _ in steps[1:]] + [len(values) // decimation]
        turns = -FC / FS * (first_taps - 1) / 2
        return np.concatenate([
            output_part(values, decimation, taps, begin, end, oldest, turns)
            for (begin, oldest), end, taps in zip(steps, ends, sets)])

    def check(self, suffix, decimation, counts, chunks=None):
        rng = np.random.default_rng(sum(counts))
        sets = [random_taps(rng, suffix, count) for count in counts]
        items = random_items(rng, suffix, apart(suffix) * len(counts))
        for variant, bound in BOUNDS_DB.items():
            with self.subTest(variant=variant):
                block = make_block(suffix, decimation, sets[0], FC, FS, device="host",
                                   variant=variant)
                actions = [(apart(suffix) * (i + 1) - 13, lambda taps=taps: block.set_taps(taps))
                           for i, taps in enumerate(sets[1:])]
                result, tags = run_block(block, items, chunks, actions=actions)
                applied = [at for at, _ in freq_tags(tags)]
                self.assertEqual(len(counts) - 1, len(applied))
                expected = self.expected(item_values(suffix, items), decimation, sets, applied,
                                         counts[0])
                self.assertLess(error_db(result, expected), bound)

    def test_grow_and_shrink(self):
        self.check("ccf", 8, (11, 20000, 30000, 25000, 500))
        self.check("ccc", 100, (11, 8193, 8192, 8194))

    def test_types(self):
        for suffix in ("cu8_f", "scf", "fcc"):
            with self.subTest(suffix=suffix):
                self.check(suffix, 50, (11, 20000, 40000))

    def test_short_calls(self):
        self.check("cu8_f", 10, (11, 12000, 16000), itertools.cycle([1, 50, 333, 4000]))

    def test_from_the_start(self):
        """The taps are set before the stream begins: there is silence before it, in unsigned bytes
        too."""
        for suffix, (variant, bound) in itertools.product(("ccf", "cu8_f"), BOUNDS_DB.items()):
            with self.subTest(suffix=suffix, variant=variant):
                rng = np.random.default_rng(5)
                taps = random_taps(rng, suffix, 20001)
                items = random_items(rng, suffix, apart(suffix))
                block = make_block(suffix, 8, [1.0], FC, FS, device="host", variant=variant)
                block.set_taps(taps)
                result, tags = run_block(block, items)
                self.assertEqual([(0, FC)], freq_tags(tags))
                expected = output_part(item_values(suffix, items), 8, taps, 0,
                                       len(items) // 8, 0, 0.0)
                self.assertLess(error_db(result, expected), bound)

    def test_a_new_run_starts_anew(self):
        for variant, bound in BOUNDS_DB.items():
            with self.subTest(variant=variant):
                rng = np.random.default_rng(6)
                taps = random_taps(rng, "ccf", 20001)
                items = random_items(rng, "ccf", NEAR)
                block = make_block("ccf", 8, [1.0], FC, FS, device="host", variant=variant)
                block.set_taps(taps)
                first, _ = run_block(block, items)
                turns = -FC / FS * 20000 / 2  # the phase of a new stream, for its first taps
                expected = output_part(items.astype(complex), 8, taps, 0, len(first), 0, turns)
                again, _ = run_block(block, items)
                self.assertLess(error_db(again, expected), bound)

    def test_a_bank(self):
        rng = np.random.default_rng(7)
        lists = [random_taps(rng, "cu8_f", count) for count in (20000, 300)]
        items = random_items(rng, "cu8_f", 2 * NEAR)
        bank = make_bank("cu8_f", 25, [1.0], [FC, FC], FS, device="host", accuracy=0)
        results, tags = run_bank(bank, items, actions=[
            (NEAR - 13, lambda: bank.set_taps(lists))])
        values = item_values("cu8_f", items)
        for result, taps, its_tags in zip(results, lists, tags):
            at, = [offset for offset, _ in freq_tags(its_tags)]
            oldest = max(0, at * 25 - PAST) if len(taps) - 1 > PAST else 0
            expected = np.concatenate([
                output_part(values, 25, [1.0], 0, at, 0, 0.0),
                output_part(values, 25, taps, at, len(items) // 25, oldest, 0.0)])
            self.assertLess(error_db(result, expected), -105)


if __name__ == "__main__":
    gr_unittest.run(qa_many_taps)
