#!/usr/bin/env python3
#
# Copyright 2026 the gr-cldsp authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Tags pass at the offsets that GNU Radio's decimators give, and "freq" marks changes."""

import numpy as np
import pmt
from gnuradio import blocks, gr, gr_unittest
from qa_support import APART, freq_tags, make_block, run_block


class qa_tags(gr_unittest.TestCase):

    def make(self, decimation=4, taps=(1.0, 2.0, 1.0)):
        return make_block("ccf", decimation, list(taps), 100.0, 1000, device="host")

    def offsets(self, block, offsets, count=1000):
        """The output offsets of tags at the given input offsets."""
        tags = []
        for offset in offsets:
            tag = gr.tag_t()
            tag.offset = offset
            tag.key = pmt.intern("in")
            tag.value = pmt.from_long(offset)
            tags.append(tag)
        tb = gr.top_block()
        sink = blocks.vector_sink_c()
        tb.connect(blocks.vector_source_c([0] * count, False, 1, tags), block, sink)
        tb.run()
        out = {pmt.to_long(t.value): t.offset for t in sink.tags()
               if pmt.symbol_to_string(t.key) == "in"}
        return [out[offset] for offset in offsets]

    def test_offsets_are_rounded_half_up(self):
        self.assertEqual([0, 0, 1, 1, 1, 1, 2, 2, 2, 2],
                         self.offsets(self.make(4), range(10)))
        self.assertEqual([0, 0, 0, 1, 1, 1, 1, 1, 2],
                         self.offsets(self.make(5), range(9)))

    def test_offsets_do_not_depend_on_the_taps(self):
        self.assertEqual([25, 100], self.offsets(self.make(4, [1.0] * 101), [100, 400]))

    def test_declared_delay(self):
        block = self.make(4)
        block.declare_sample_delay(10)
        self.assertEqual([3], self.offsets(block, [0]))

    def run_tags(self, block, actions=()):
        items = np.zeros(APART * (len(actions) + 1), np.complex64)
        return run_block(block, items, actions=actions)[1]

    def test_no_freq_tag_without_a_change(self):
        self.assertEqual([], freq_tags(self.run_tags(self.make())))

    def test_changes_before_the_start_give_one_tag_at_0(self):
        block = self.make()
        block.set_center_freq(5.0)
        block.set_taps([2.0])
        block.set_center_freq(6.0)
        tags = self.run_tags(block)
        self.assertEqual([(0, 6.0)], freq_tags(tags))
        self.assertEqual(block.alias(), pmt.symbol_to_string(tags[0].srcid))

    def test_a_change_to_the_same_value_gives_a_tag(self):
        block = self.make()
        tags = self.run_tags(block, [(APART, lambda: block.set_center_freq(100.0)),
                                     (2 * APART, lambda: block.set_taps([1.0, 2.0, 1.0]))])
        self.assertEqual([100.0, 100.0], [f for _, f in freq_tags(tags)])

    def test_the_tag_is_where_the_change_is(self):
        block = make_block("ccf", 4, [1.0], 0.0, 1000, device="host")
        items = np.ones(3 * APART, np.complex64)
        result, tags = run_block(block, items,
                                 actions=[(APART, lambda: block.set_taps([3.0]))])
        (at, _), = freq_tags(tags)
        self.assertGreaterEqual(at, (APART - 20000) // 4)
        np.testing.assert_allclose(result[:at], 1, atol=1e-6)
        np.testing.assert_allclose(result[at:], 3, atol=1e-6)

    def test_tags_pass_at_a_change(self):
        block = self.make(4)
        block.set_taps([1.0] * 50)
        self.assertEqual([1, 25, 100], self.offsets(block, [4, 100, 400]))


if __name__ == "__main__":
    gr_unittest.run(qa_tags)
