#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Decimations that are too large for GNU Radio's counters are refused; all others work."""

import re
import subprocess
import sys

import numpy as np
from gnuradio import blocks, gr, gr_unittest
from qa_support import make_bank, make_block, run_bank, run_block

ITEM_SIZES = {"ccf": 8, "fcf": 4, "scf": 2, "bcf": 1, "cu8_f": 2, "cs16_c": 4, "cs12_f": 3,
              "volk_ccf": 8}


def items(size):
    """The largest number of items in GNU Radio's buffer before a block."""
    return (2**31 - 1) // size // 2


def run(kind, decimation, output_items):
    """A decimator whose output buffer has room for some items; GNU Radio asks for half of them in
    each call."""
    options = dict(device="host", algorithm="direct")
    block = (make_bank("ccf", decimation, [1], [0], 1, **options) if kind == "bank" else
             make_block("ccf", decimation, [1], 0, 1, **options))
    block.set_min_output_buffer(output_items)
    outputs = 3
    items = np.zeros(outputs * decimation + 7, np.complex64)
    items[::decimation] = np.arange(1, outputs + 2)
    result = run_bank(block, items)[0][0] if kind == "bank" else run_block(block, items)[0]
    assert np.array_equal(result, items[:outputs * decimation:decimation]), result


class qa_decimation(gr_unittest.TestCase):

    def refused(self, make, *arguments, **options):
        """The largest decimation that is accepted."""
        with self.assertRaisesRegex(ValueError, "decimation.*2 GiB") as caught:
            make(*arguments, **options)
        return int(re.search("1 to ([0-9]+)", str(caught.exception)).group(1))

    def test_bounds_of_filters(self):
        for suffix, size in ITEM_SIZES.items():
            with self.subTest(suffix=suffix):
                options = {} if "volk" in suffix else dict(device="host", variant="simd")
                most = self.refused(make_block, suffix, 2**31 - 1, [1], 0, 1, **options)
                self.assertEqual(items(size) - 1, most)
                # The history counts too.
                block = make_block(suffix, 1, [1], 0, 1, **options)
                most = self.refused(make_block, suffix, most, [1], 0, 1, **options)
                self.assertEqual(items(size) - block.history(), most)
                self.refused(make_block, suffix, most + 1, [1], 0, 1, **options)
                block = make_block(suffix, most, [1], 0, 1, **options)
                self.assertEqual(most, block.decimation())

    def test_bounds_of_banks(self):
        options = dict(device="host", algorithm="direct")
        most = self.refused(make_bank, "cu8_f", 2**31 - 1, [1], [0, 0], 1, **options)
        self.assertEqual(items(2) - 1, most)

    def test_an_output_multiple_counts(self):
        block = make_block("ccf", 2**20, [1], 0, 1, device="host", algorithm="direct")
        tb = gr.top_block()
        tb.connect(blocks.null_source(8), blocks.head(8, 1), block, blocks.null_sink(8))
        block.set_output_multiple(127)
        tb.run()
        block.set_output_multiple(128)
        with self.assertRaisesRegex(ValueError, "decimation.*output multiple of 128"):
            tb.run()

    def test_what_only_the_block_may_set(self):
        # GNU Radio would hand it fewer items than it reads.
        for make, offset in ((make_block, 0), (make_bank, [0])):
            for name in ("decimation", "history"):
                with self.subTest(make=make.__name__, name=name):
                    block = make("ccf", 1000, [1, 2], offset, 1, device="host")
                    tb = gr.top_block()
                    tb.connect(blocks.null_source(8), blocks.head(8, 2000), block,
                               blocks.null_sink(8))
                    getattr(block, "set_" + name)(10)
                    with self.assertRaisesRegex(ValueError, f"parameter '{name}' is '?10"):
                        tb.run()

    def test_products_beyond_32_bits(self):
        # Half of the room in the output buffer times the decimation is 2^32, or close to it.
        for kind in ("filter", "bank"):
            with self.subTest(kind=kind):
                done = subprocess.run([sys.executable, __file__, kind], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(0, done.returncode, done.stdout)
                self.assertIn("PASSED", done.stdout)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        gr_unittest.run(qa_decimation)
    for decimation, room in ((2**20, 8192), (2**20 + 1, 8192), (2**21, 8192), (2**16, 2**17),
                             (2**22 - 1, 2048)):
        print(sys.argv[1], decimation, room, flush=True)
        run(sys.argv[1], decimation, room)
    print("PASSED")
