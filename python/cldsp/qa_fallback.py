#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""If a device fails while running, the host continues at the same sample."""

import unittest

import numpy as np
from gnuradio import cldsp, gr_unittest
from qa_support import (NEAR, change, error_db, freq_tags, make_block, opencl_device,
                        random_items, random_taps, reference, run_block)


@unittest.skipIf(opencl_device() == "host", "no OpenCL CPU device")
class qa_fallback(gr_unittest.TestCase):

    def setUp(self):
        rng = np.random.default_rng(11)
        self.taps = random_taps(rng, "ccf", 129)
        self.more_taps = random_taps(rng, "ccf", 4001)
        self.items = random_items(rng, "ccf", 4 * NEAR)

    def tearDown(self):
        cldsp.inject_failure("none")

    def make(self, **options):
        return make_block("ccf", 3, self.taps, 0.2, 1, device="cpu", **options)

    def check_lost(self, block):
        self.assertTrue(block.fell_back())
        self.assertEqual("host", block.device_name())
        self.assertEqual("none", block.transfer_name())

    def check_enqueue(self, transfer, after=0):
        block = self.make(transfer=transfer)
        self.assertFalse(block.fell_back())
        result, _ = run_block(block, self.items, actions=[
            (NEAR, lambda: cldsp.inject_failure("enqueue", after))])
        self.check_lost(block)
        expected = reference(self.items, 3, self.taps, 0.2, 1)
        self.assertLess(error_db(result, expected), -120)

    def test_refused_enqueue(self):
        for transfer in ("copy", "mapped", "zero_copy"):
            with self.subTest(transfer=transfer):
                self.check_enqueue(transfer)

    def test_refused_enqueue_in_the_middle_of_a_call(self):
        for after in (1, 2):
            with self.subTest(after=after):
                self.check_enqueue("copy", after)

    def test_refused_allocation(self):
        block = self.make(transfer="copy")

        def grow():
            cldsp.inject_failure("allocate")
            block.set_taps(self.more_taps)

        result, tags = run_block(block, self.items, actions=[(NEAR, grow)])
        self.check_lost(block)
        (at, _), = freq_tags(tags)
        expected = reference(self.items, 3, self.taps, 0.2, 1,
                             [change(at, self.more_taps, 0.2)])
        self.assertLess(error_db(result, expected), -120)

    def test_the_host_retunes_too(self):
        block = self.make()
        result, tags = run_block(block, self.items, actions=[
            (NEAR, lambda: cldsp.inject_failure("enqueue")),
            (2 * NEAR, lambda: block.set_center_freq(-0.1))])
        self.check_lost(block)
        (at, _), = freq_tags(tags)
        expected = reference(self.items, 3, self.taps, 0.2, 1, [change(at, self.taps, -0.1)])
        self.assertLess(error_db(result, expected), -120)

    def test_other_blocks_of_the_device_go_on(self):
        self.check_enqueue("auto")
        cldsp.inject_failure("none")
        block = self.make()
        run_block(block, self.items)
        self.assertFalse(block.fell_back())


if __name__ == "__main__":
    gr_unittest.run(qa_fallback)
