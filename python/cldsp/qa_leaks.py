#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Changes while streaming, and blocks that are made and deleted, leak no memory."""

import gc
import os
import unittest

import numpy as np
from gnuradio import gr, blocks, gr_unittest
from qa_support import make_block, opencl_device

# Bytes that a thousand changes may add: less than one buffer for each change.
BOUND = 16 * 1024 * 1024


def resident_bytes():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    raise RuntimeError("no VmRSS in /proc/self/status")


class changing_source(gr.sync_block):
    """A source of zeros that makes a change in each of its calls."""

    def __init__(self, calls, change):
        gr.sync_block.__init__(self, "changing_source", [], [np.complex64])
        self.calls, self.change = calls, change
        self.call = 0

    def work(self, input_items, output_items):
        if self.call == self.calls:
            return -1
        self.change(self.call)
        self.call += 1
        count = min(2000, len(output_items[0]))
        output_items[0][:count] = 0
        return count


@unittest.skipIf(os.environ.get("CLDSP_TEST_EMULATED"),
                 "an emulator's memory counts as the program's")
class qa_leaks(gr_unittest.TestCase):

    def run_changes(self, block, calls, change):
        tb = gr.top_block()
        source = changing_source(calls, change)
        tb.connect(source, block, blocks.null_sink(gr.sizeof_gr_complex))
        tb.run()

    def check(self, device, change):
        block = make_block("ccf", 4, [1.0] * 201, 0, 1, device=device)
        self.run_changes(block, 200, lambda i: change(block, i))
        before = resident_bytes()
        self.run_changes(block, 1000, lambda i: change(block, i))
        self.assertLess(resident_bytes() - before, BOUND)
        self.assertFalse(block.fell_back())

    def test_retune(self):
        for device in (opencl_device(), "host"):
            with self.subTest(device=device):
                self.check(device, lambda block, i: block.set_center_freq(i / 1001))

    def test_taps(self):
        taps = [[1.0] * count for count in (201, 150, 1000)]
        for device in (opencl_device(), "host"):
            with self.subTest(device=device):
                self.check(device, lambda block, i: block.set_taps(taps[i % 3]))

    def test_blocks(self):
        def make_blocks(count):
            for _ in range(count):
                block = make_block("ccf", 4, [1.0] * 2000, 0, 1, device=opencl_device())
                self.run_changes(block, 5, lambda i: None)
                del block
            gc.collect()

        make_blocks(10)
        before = resident_bytes()
        make_blocks(50)
        self.assertLess(resident_bytes() - before, BOUND)


if __name__ == "__main__":
    gr_unittest.run(qa_leaks)
