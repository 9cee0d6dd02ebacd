#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tags pass at the offsets that GNU Radio's decimators give, "freq" marks changes, and "rx_rate"
and "rx_freq" get the values of the output."""

import itertools

import numpy as np
import pmt
from gnuradio import blocks, cldsp, filter, gr, gr_unittest
from qa_support import (APART, FILTER_TYPES, IN_TREE_TYPES, NEAR, array_source, freq_tags,
                        make_bank, make_block, random_items, run_bank, run_block, tag_at)

REAL = pmt.from_double


def of_key(tags, key):
    """Offsets and values of the tags with a key."""
    return [(t.offset, pmt.to_python(t.value)) for t in tags if pmt.to_python(t.key) == key]


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
        tags = self.run_tags(block, [(NEAR, lambda: block.set_center_freq(100.0)),
                                     (2 * NEAR, lambda: block.set_taps([1.0, 2.0, 1.0]))])
        self.assertEqual([100.0, 100.0], [f for _, f in freq_tags(tags)])

    def test_the_tag_is_where_the_change_is(self):
        block = make_block("ccf", 4, [1.0], 0.0, 1000, device="host")
        items = np.ones(3 * NEAR, np.complex64)
        result, tags = run_block(block, items,
                                 actions=[(NEAR, lambda: block.set_taps([3.0]))])
        (at, _), = freq_tags(tags)
        self.assertGreaterEqual(at, (NEAR - 25000) // 4)
        np.testing.assert_allclose(result[:at], 1, atol=1e-6)
        np.testing.assert_allclose(result[at:], 3, atol=1e-6)

    def test_tags_pass_at_a_change(self):
        block = self.make(4)
        block.set_taps([1.0] * 50)
        self.assertEqual([1, 25, 100], self.offsets(block, [4, 100, 400]))

    def test_declared_delay_of_a_bank(self):
        for decimation in (4, [4, 8]):
            bank = make_bank("ccf", decimation, [1.0], [0.0, 1.0], 1000, device="host")
            bank.declare_sample_delay(10)
            tags = run_bank(bank, np.zeros(1000, np.complex64), tags=[
                tag_at(0, pmt.PMT_T, "in"), tag_at(80, REAL(1e3), "rx_rate")])[1]
            self.assertEqual([(3, True)], of_key(tags[0], "in"))
            self.assertEqual((23, 250.0), of_key(tags[0], "rx_rate")[-1])


class qa_rate_and_frequency(gr_unittest.TestCase):
    """The tags that say what the rate of a stream and the frequency of its 0 Hz is."""

    FS = 1e6
    CENTER = 25e3
    # At the start of the stream, as a radio gives them, and after changes.
    TAGS = ((0, "rx_time", pmt.make_tuple(pmt.from_uint64(7), REAL(0.5))),
            (0, "rx_rate", REAL(FS)), (0, "rx_freq", REAL(100e6)),
            (501, "rx_freq", REAL(101e6)), (501, "note", pmt.intern("a")),
            (1004, "rx_freq", REAL(102e6)), (1004, "rx_rate", REAL(2e6)))

    def tags(self, tags=TAGS):
        return [tag_at(offset, value, key) for offset, key, value in tags]

    def run_tags(self, block, items=4000, chunks=None, actions=(), tags=TAGS, suffix="ccf"):
        rng = np.random.default_rng(1)
        tb = gr.top_block()
        source = array_source(random_items(rng, suffix, items), chunks, actions, self.tags(tags))
        sink = blocks.vector_sink_c()
        tb.connect(source, block, sink)
        tb.run()
        return sink.tags()

    def check_tags(self, tags, decimation=10):
        places = [(2 * offset + decimation) // (2 * decimation) for offset in (0, 501, 1004)]
        self.assertEqual([(places[0], (7, 0.5))], of_key(tags, "rx_time"))
        self.assertEqual([(places[1], "a")], of_key(tags, "note"))
        self.assertEqual([(places[0], self.FS / decimation), (places[2], 2e6 / decimation)],
                         of_key(tags, "rx_rate"))
        # At twice the rate the block shifts by twice the frequency.
        self.assertEqual([(places[0], 100e6 + self.CENTER), (places[1], 101e6 + self.CENTER),
                          (places[2], 102e6 + 2 * self.CENTER)], of_key(tags, "rx_freq"))

    def test_filters_of_all_types(self):
        for kind, suffix in itertools.product(("fir", "fft"), FILTER_TYPES):
            block = make_block(suffix, 10, [1.0] * 31, self.CENTER, self.FS, kind=kind,
                               device="host")
            self.check_tags(self.run_tags(block, suffix=suffix))
        for suffix in IN_TREE_TYPES:
            block = make_block("volk_" + suffix, 10, [1.0] * 31, self.CENTER, self.FS)
            self.check_tags(self.run_tags(block, suffix=suffix))

    def test_calls_cut_anywhere(self):
        for decimation in (1, 7, 400):
            for sizes in ([1], [3, 500, 17], [4000]):
                block = make_block("ccf", decimation, [1.0], self.CENTER, self.FS, device="host")
                self.check_tags(self.run_tags(block, chunks=itertools.cycle(sizes)), decimation)

    def test_banks(self):
        for suffix in ("ccf", "cu8_c"):
            bank = make_bank(suffix, 10, [1.0] * 31, [self.CENTER, 0.0, -1e3], self.FS,
                             device="host")
            items = random_items(np.random.default_rng(1), suffix, 4000)
            tags = run_bank(bank, items, tags=self.tags())[1]
            self.check_tags(tags[0])
            for channel, hz in ((1, 0.0), (2, -1e3)):
                self.assertEqual([(0, 100e6 + hz), (50, 101e6 + hz), (100, 102e6 + 2 * hz)],
                                 of_key(tags[channel], "rx_freq"))

    def test_a_bank_with_rates_has_one_tag_for_each_place(self):
        """Its own "rx_rate" follows the rate that the input says it has."""
        driver = 1000000.026491  # the rate that a radio gave for 1e6
        for tags, rate, hz in (((), self.FS, None),
                               (((0, "rx_rate", REAL(driver)), (0, "rx_freq", REAL(1e8))), driver,
                                1e8)):
            bank = make_bank("ccf", [0, 10], [1.0] * 31, [self.CENTER, 1e3], self.FS,
                             output_rate=[96e3, 0], device="host")
            seen = run_bank(bank, np.zeros(4000, np.complex64), tags=self.tags(tags))[1]
            for channel, ratio, center in ((0, 12 / 125, self.CENTER), (1, 1 / 10, 1e3)):
                (at, value), = of_key(seen[channel], "rx_rate")
                self.assertEqual(0, at)
                self.assertAlmostEqual(rate * ratio, value, 9)
                shift = center * rate / self.FS
                self.assertEqual([] if hz is None else [(0, hz + shift)],
                                 of_key(seen[channel], "rx_freq"))

    def test_a_bank_with_rates_later(self):
        bank = make_bank("ccf", [0, 10], [1.0], [self.CENTER, 0.0], self.FS,
                         output_rate=[96e3, 0], device="host")
        tags = run_bank(bank, np.zeros(40000, np.complex64), itertools.cycle([11, 999]), tags=[
            tag_at(1000, REAL(2e6), "rx_rate"), tag_at(1002, REAL(3e6), "rx_rate"),
            tag_at(20000, REAL(5.0), "rx_freq")])[1]
        # Two tags of the input go to output 96, which is nearest to 1002 * 0.096, too.
        self.assertEqual([(0, 96e3), (96, 288e3)], of_key(tags[0], "rx_rate"))
        self.assertEqual([(0, 1e5), (100, 3e5)], of_key(tags[1], "rx_rate"))
        self.assertEqual([(1920, 5.0 + 3 * self.CENTER)], of_key(tags[0], "rx_freq"))

    def test_forms_of_values(self):
        """Numbers of any kind, also beside the number of a channel; all else passes as it is."""
        make = {"pair": lambda n: pmt.cons(pmt.from_long(3), n),
                "tuple": lambda n: pmt.make_tuple(pmt.from_long(3), n), "number": lambda n: n}
        for form, number in itertools.product(make, (REAL(1e6), pmt.from_long(1000000),
                                                     pmt.from_uint64(1000000))):
            block = make_block("ccf", 10, [1.0], self.CENTER, self.FS, device="host")
            tags = self.run_tags(block, tags=[(0, "rx_rate", make[form](number)),
                                              (0, "rx_freq", make[form](number))])
            values = {pmt.to_python(t.key): t.value for t in tags}
            for key, expected in (("rx_rate", 1e5), ("rx_freq", 1e6 + self.CENTER)):
                self.assertTrue(pmt.equal(make[form](REAL(expected)), values[key]),
                                (form, key, str(values[key])))
        others = (pmt.intern("fast"), pmt.PMT_NIL, pmt.PMT_T, pmt.from_complex(1, 2),
                  pmt.make_tuple(REAL(1.0)), pmt.make_tuple(REAL(1.0), REAL(2.0), REAL(3.0)),
                  pmt.list2(REAL(1.0), REAL(2.0)), pmt.init_f64vector(2, [1.0, 2.0]),
                  pmt.dict_add(pmt.make_dict(), pmt.intern("freq"), REAL(1.0)))
        for value in others:
            block = make_block("ccf", 10, [1.0], self.CENTER, self.FS, device="host")
            tags = self.run_tags(block, tags=[(0, "rx_rate", value), (5, "rx_freq", value)])
            self.assertEqual(2, len(tags), str(value))
            for tag in tags:
                self.assertTrue(pmt.equal(value, tag.value), str(value))

    def test_a_rate_that_cannot_be_true(self):
        for rate in (0.0, -1.0, float("inf")):
            block = make_block("ccf", 10, [1.0], self.CENTER, self.FS, device="host")
            tags = self.run_tags(block, tags=[(0, "rx_rate", REAL(rate)),
                                              (0, "rx_freq", REAL(1e6))])
            self.assertEqual([(0, rate / 10)], of_key(tags, "rx_rate"))
            self.assertEqual([(0, 1e6 + self.CENTER)], of_key(tags, "rx_freq"))

    def test_the_source_of_a_tag_is_kept(self):
        block = make_block("ccf", 10, [1.0], self.CENTER, self.FS, device="host")
        tag = tag_at(0, REAL(1e6), "rx_freq")
        tag.srcid = pmt.intern("radio")
        tb = gr.top_block()
        sink = blocks.vector_sink_c()
        tb.connect(blocks.vector_source_c([0] * 100, False, 1, [tag]), block, sink)
        tb.run()
        self.assertEqual(["radio"], [pmt.to_python(t.srcid) for t in sink.tags()])

    def test_a_retune_gives_the_new_frequency(self):
        """Once the input has said what its frequency is, each "freq" has an "rx_freq" beside it."""
        def run(block, set_center_freq):
            set_center_freq(1.0)
            return self.run_tags(block, 4 * APART, actions=[
                (2 * APART, lambda: set_center_freq(2e3)),
                (3 * APART, lambda: block.set_taps([2.0]))],
                tags=[(APART, "rx_freq", REAL(100e6)), (APART, "rx_rate", REAL(self.FS / 2))])
        block = make_block("ccf", 10, [1.0], self.CENTER, self.FS, device="host")
        bank = make_bank("ccf", 10, [1.0], [self.CENTER], self.FS, device="host")
        for one, tune in ((block, block.set_center_freq),
                          (bank, lambda hz: bank.set_center_freq(0, hz))):
            tags = run(one, tune)
            changes = freq_tags(tags)
            self.assertEqual([1.0, 2e3, 2e3], [hz for _, hz in changes])
            self.assertEqual([(APART // 10, 100e6 + 0.5)] +
                             [(at, 100e6 + 1e3) for at, _ in changes[1:]],
                             of_key(tags, "rx_freq"))

    def test_a_retune_where_a_tag_comes(self):
        block = make_block("ccf", 10, [1.0], self.CENTER, self.FS, device="host")
        block.set_center_freq(1e3)
        tags = self.run_tags(block, tags=[(0, "rx_freq", REAL(100e6))])
        self.assertEqual([(0, 1e3)], freq_tags(tags))
        self.assertEqual([(0, 100e6 + 1e3)], of_key(tags, "rx_freq"))

    def test_a_schedule_gives_the_frequencies(self):
        for decimation in (10, [10, 5]):
            bank = make_bank("ccf", decimation, [1.0], [self.CENTER, 0.0], self.FS, device="host")
            bank.schedule(0, [(1000, 5e3, 0.0), (2000, 1e3, 1e6)])
            tags = run_bank(bank, np.zeros(4000, np.complex64), tags=[
                tag_at(0, REAL(100e6), "rx_freq"), tag_at(1500, REAL(90e6), "rx_freq"),
                tag_at(3000, REAL(80e6), "rx_freq")])[1]
            self.assertEqual([(0, 100e6 + self.CENTER), (100, 100e6 + 5e3), (150, 90e6 + 5e3),
                              (200, 90e6 + 1e3), (300, 80e6 + 2e3)], of_key(tags[0], "rx_freq"))

    def test_a_channel_that_starts_has_the_inputs_values(self):
        bank = make_bank("ccf", 10, [1.0], [self.CENTER], self.FS, max_channels=2, device="host")
        tags = run_bank(bank, np.zeros(4 * APART, np.complex64), tags=[
            tag_at(50, REAL(100e6), "rx_freq"), tag_at(60, REAL(2e6), "rx_rate")],
            actions=[(APART, lambda: bank.add_channel([1.0], 7e3)),
                     (2 * APART, lambda: bank.set_channel_active(1, False)),
                     (3 * APART, lambda: bank.set_channel_active(1, True))])[1]
        starts = [at for at, _ in of_key(tags[1], "sample_start")]
        self.assertEqual(2, len(starts))
        self.assertEqual([(at, 2e5) for at in starts], of_key(tags[1], "rx_rate"))
        self.assertEqual([(at, 100e6 + 14e3) for at in starts], of_key(tags[1], "rx_freq"))

    def test_a_new_run_knows_nothing_of_the_last_one(self):
        block = make_block("ccf", 10, [1.0], self.CENTER, self.FS, device="host")
        self.run_tags(block)
        block.set_center_freq(3.0)
        tags = self.run_tags(block, tags=[(500, "rx_freq", REAL(1.0))])
        self.assertEqual([(50, 4.0)], of_key(tags, "rx_freq"))

    def test_as_in_tree(self):
        """Without rewriting the tags are those of the in-tree block."""
        def texts(tags):
            return sorted((t.offset, str(t.key), str(t.value)) for t in tags)
        expected = texts(self.run_tags(filter.freq_xlating_fir_filter_ccf(
            10, [1.0] * 31, self.CENTER, self.FS)))
        self.assertEqual(7, len(expected))
        arguments = 10, [1.0] * 31, self.CENTER, self.FS
        made = [make_block("ccf", *arguments, kind=kind, device="host", rewrite_tags=False)
                for kind in ("fir", "fft")]
        made += [cldsp.freq_xlating_fir_filter_volk_ccf(*arguments, rewrite_tags=False),
                 make_bank("ccf", 10, [1.0] * 31, [self.CENTER], self.FS, device="host",
                           rewrite_tags=False)]
        for block in made:
            self.assertEqual(expected, texts(self.run_tags(block)))

    def test_the_policy_is_kept(self):
        for policy, passed in ((gr.TPP_DONT, 0), (gr.TPP_CUSTOM, 0), (gr.TPP_ONE_TO_ONE, 7),
                               (gr.TPP_ALL_TO_ALL, 7)):
            block = make_block("ccf", 10, [1.0], self.CENTER, self.FS, device="host")
            block.set_tag_propagation_policy(policy)
            self.assertEqual(passed, len(self.run_tags(block)))
            self.assertEqual(policy, block.tag_propagation_policy())


if __name__ == "__main__":
    gr_unittest.main()
