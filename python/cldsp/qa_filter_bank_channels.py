#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A bank's channels are made idle and active, added and removed in mid-stream."""

import itertools
import threading
import time

import numpy as np
import pmt
from gnuradio import blocks, gr, gr_unittest
from qa_support import (NEAR, PATIENCE_S, apart, array_source, connect_sinks, error_db, freq_tags,
                        item_values, make_bank, opencl_device, post, random_items, random_taps,
                        reference, run_bank, tag_at)

FS = 48000
WAYS = (dict(device="host", algorithm="direct"),
        dict(device="host", algorithm="fast_convolution"),
        dict(device=opencl_device(), algorithm="direct"), dict())


def message(**values):
    result = pmt.make_dict()
    for key, value in values.items():
        result = pmt.dict_add(result, pmt.intern(key), pmt.to_pmt(value))
    return result


def tags_of(tags, key):
    """Offsets and values of the tags with a key."""
    return [(t.offset, pmt.to_python(t.value)) for t in tags
            if pmt.symbol_to_string(t.key) == key]


class qa_filter_bank_channels(gr_unittest.TestCase):

    def segments(self, result, tags, decimation, runs_from_start):
        """The parts of the stream in which a channel was active. Each part has the offset in its
        outputs, the matching output of the model, and the number of outputs."""
        starts = [(0, 0)] if runs_from_start else []
        for offset, sample in tags_of(tags, "sample_start"):
            self.assertEqual(0, sample % decimation)
            starts.append((offset, sample // decimation))
        ends = [offset for offset, _ in starts[1:]] + [len(result)]
        return [(offset, first, end - offset) for (offset, first), end in zip(starts, ends)]

    def check_channel(self, result, tags, expected, decimation, runs_from_start=True):
        """Compares every output with the model's output of the same input item."""
        segments = self.segments(result, tags, decimation, runs_from_start)
        last = 0
        for offset, first, count in segments:
            self.assertGreaterEqual(first, last)
            last = first + count
            if count:
                self.assertLess(error_db(result[offset:offset + count],
                                         expected[first:first + count]), -110)
        self.assertEqual(len(result), sum(count for _, _, count in segments))
        return segments

    def check_pauses(self, pause, suffix="ccf", decimation=5, chunks=None, **options):
        """pause(bank, channel, active) for two of three channels, also for all at once."""
        rng = np.random.default_rng(1)
        taps = random_taps(rng, suffix, 101)
        center_freqs = [100.0, -200.0, 23000.0]
        items = random_items(rng, suffix, 6 * apart(suffix))
        bank = make_bank(suffix, decimation, taps, center_freqs, FS, accuracy=0, **options)
        steps = [(1, (1, False)), (2, (0, False)), (2, (2, False)), (3, (1, True)),
                 (4, (0, True)), (4, (2, True)), (5, (1, False)), (5, (1, True))]
        actions = [(apart(suffix) * at, lambda some=[s for a, s in steps if a == at]:
                    [pause(bank, *s) for s in some]) for at in (1, 2, 3, 4, 5)]
        results, tags = run_bank(bank, items, chunks, actions=actions)
        values = item_values(suffix, items)
        for channel, f in enumerate(center_freqs):
            expected = reference(values, decimation, taps, f, FS)
            segments = self.check_channel(results[channel], tags[channel], expected, decimation)
            # A call may come between the last two steps, so that their pause is one, too.
            self.assertIn(len(segments), (2, 3) if channel == 1 else (2,))
            self.assertGreater(segments[1][1], segments[0][2] + apart(suffix) // decimation)
            self.assertEqual(len(expected), segments[-1][1] + segments[-1][2])
            starts = [offset for offset, _, _ in segments[1:]]
            self.assertEqual([(offset, f) for offset in starts], freq_tags(tags[channel]))
            self.assertEqual([(offset, FS / decimation) for offset in starts],
                             tags_of(tags[channel], "rx_rate"))
        self.assertEqual([True] * 3, [bank.channel_active(c) for c in range(3)])

    def test_pauses(self):
        for options in WAYS:
            with self.subTest(**options):
                self.check_pauses(lambda bank, c, on: bank.set_channel_active(c, on), **options)

    def test_pauses_of_bytes_in_short_calls(self):
        self.check_pauses(lambda bank, c, on: bank.set_channel_active(c, on), "cu8_f", 7,
                          itertools.cycle([1, 50, 333, 4000]), device="host")

    def test_pauses_by_message_pair(self):
        self.check_pauses(lambda bank, c, on: post(bank, pmt.cons(
            pmt.from_long(c), pmt.from_bool(on)), "channels"), device="host")

    def test_pauses_by_message_dict(self):
        for key in ("chan", "channel"):
            with self.subTest(key=key):
                self.check_pauses(lambda bank, c, on: post(bank, message(
                    active=on, **{key: c}), "channels"), device="host")

    def check_additions(self, add, remove, suffix="ccf", long_taps=40, **options):
        """A channel is added, retuned while idle, removed, and its slot used again."""
        rng = np.random.default_rng(2)
        decimation = 4
        first, second, third = (random_taps(rng, suffix, n) for n in (40, long_taps, 9))
        items = random_items(rng, suffix, 6 * apart(suffix))
        bank = make_bank(suffix, decimation, first, [1000.0], FS, accuracy=0, max_channels=3,
                         **options)
        self.assertEqual(3, bank.channels())
        actions = [(apart(suffix), lambda: add(bank, second, -500.0)),
                   (2 * apart(suffix), lambda: add(bank, third, 70.0)),
                   (3 * apart(suffix), lambda: remove(bank, 1)),
                   (4 * apart(suffix), lambda: add(bank, third, 11000.0)),
                   (5 * apart(suffix), lambda: remove(bank, 0))]
        results, tags = run_bank(bank, items, actions=actions)
        values = item_values(suffix, items)
        model = [reference(values, decimation, *channel, FS) for channel in (
            (first, 1000.0), (second, -500.0), (third, 70.0), (third, 11000.0))]
        self.check_channel(results[0], tags[0], model[0], decimation)
        self.assertLess(len(results[0]), len(model[0]) - apart(suffix) // decimation // 2)
        self.check_channel(results[2], tags[2], model[2], decimation, False)
        segments = self.segments(results[1], tags[1], decimation, False)
        self.assertEqual(2, len(segments))
        for (offset, start, count), expected in zip(segments, (model[1], model[3])):
            self.assertGreater(count, apart(suffix) // decimation // 2)
            self.assertLess(error_db(results[1][offset:offset + count],
                                     expected[start:start + count]), -110)
        self.assertEqual([-500.0, 11000.0], [f for _, f in freq_tags(tags[1])])
        self.assertEqual([False, True, True], [bank.channel_active(c) for c in range(3)])
        self.assertEqual([0.0, 11000.0, 70.0], bank.center_freqs())

    def test_additions(self):
        for options in WAYS:
            with self.subTest(**options):
                self.check_additions(lambda bank, taps, f: bank.add_channel(taps, f),
                                     lambda bank, c: bank.remove_channel(c), **options)

    def test_additions_with_longer_taps_than_any_before(self):
        for algorithm in ("direct", "fast_convolution"):
            self.check_additions(lambda bank, taps, f: bank.add_channel(taps, f),
                                 lambda bank, c: bank.remove_channel(c), long_taps=300,
                                 device="host", algorithm=algorithm)

    def test_additions_by_message(self):
        for suffix, vector in (
                ("ccf", lambda taps: pmt.init_f32vector(len(taps), [float(t) for t in taps])),
                ("ccf", lambda taps: pmt.init_f64vector(len(taps), [float(t) for t in taps])),
                ("ccc", lambda taps: pmt.init_c32vector(len(taps), [complex(t) for t in taps])),
                ("cu8_c", lambda taps: pmt.to_pmt(tuple(complex(t) for t in taps)))):
            if suffix == "cu8_c":
                def vector(taps):
                    values = pmt.make_vector(len(taps), pmt.PMT_NIL)
                    for i, tap in enumerate(taps):
                        pmt.vector_set(values, i, pmt.from_complex(complex(tap)))
                    return values
            with self.subTest(suffix=suffix):
                self.check_additions(
                    lambda bank, taps, f: post(bank, pmt.dict_add(
                        message(freq=f), pmt.intern("add"), vector(taps)), "channels"),
                    lambda bank, c: post(bank, message(remove=c), "channels"), suffix,
                    device="host")

    def test_a_message_may_name_the_slot(self):
        bank = make_bank("ccf", 4, [1.0], [0.0], FS, max_channels=4, device="host")
        items = np.ones(2 * NEAR, np.complex64)
        wish = pmt.dict_add(message(freq=0.0, chan=2), pmt.intern("add"),
                            pmt.init_f32vector(1, [3.0]))
        results, tags = run_bank(bank, items, actions=[
            (NEAR, lambda: [post(bank, wish, "channels"), post(bank, wish, "channels")])])
        self.assertEqual([0, 0], [len(results[1]), len(results[3])])
        self.assertGreater(len(results[2]), NEAR // 8)
        np.testing.assert_allclose(results[2], 3, atol=1e-6)
        self.assertEqual(1, len(freq_tags(tags[2])))

    def test_other_messages_are_dropped(self):
        good = pmt.init_f32vector(1, [1.0])
        add = pmt.intern("add")
        messages = (
            pmt.PMT_NIL, pmt.PMT_T, pmt.intern("add"), pmt.from_long(1), good,
            pmt.cons(pmt.from_long(0), pmt.from_long(0)), pmt.cons(pmt.PMT_T, pmt.PMT_F),
            pmt.cons(pmt.from_long(1), pmt.PMT_F), pmt.cons(pmt.from_long(7), pmt.PMT_F),
            pmt.cons(pmt.from_long(-1), pmt.PMT_F), pmt.make_dict(), message(chan=0),
            message(active=False), message(chan=0, active=0), message(chan="a", active=False),
            message(remove=1), message(remove=-1), message(remove="all"), message(remove=0.5),
            message(chan=0, active=False, remove=0), message(freq=5.0),
            pmt.dict_add(message(), add, good), pmt.dict_add(message(freq="5"), add, good),
            pmt.dict_add(message(freq=float("nan")), add, good),
            pmt.dict_add(message(freq=5.0), add, pmt.init_f32vector(0, [])),
            pmt.dict_add(message(freq=5.0), add, pmt.init_c32vector(1, [1j])),
            pmt.dict_add(message(freq=5.0), add, pmt.init_s32vector(1, [1])),
            pmt.dict_add(message(freq=5.0), add, pmt.make_vector(2, pmt.PMT_NIL)),
            pmt.dict_add(message(freq=5.0, chan=0), add, good),
            pmt.dict_add(message(freq=5.0, chan=9), add, good),
            pmt.dict_add(message(freq=5.0, chan="x"), add, good),
            pmt.dict_add(message(freq=5.0, remove=0), add, good))
        bank = make_bank("ccf", 4, [1.0], [0.0], FS, max_channels=2, device="host")
        results, tags = run_bank(bank, np.zeros(2 * NEAR, np.complex64), actions=[
            (NEAR, lambda: [post(bank, m, "channels") for m in messages])])
        self.assertEqual([2 * NEAR // 4, 0], [len(r) for r in results])
        self.assertEqual([[], []], tags)
        self.assertEqual([True, False], [bank.channel_active(c) for c in range(2)])

    def test_a_retune_while_idle(self):
        rng = np.random.default_rng(5)
        taps = random_taps(rng, "ccf", 33)
        items = random_items(rng, "ccf", 4 * NEAR)
        bank = make_bank("ccf", 4, taps, [0.0, 1000.0], FS, device="host", accuracy=0)
        results, tags = run_bank(bank, items, actions=[
            (NEAR, lambda: bank.set_channel_active(1, False)),
            (2 * NEAR, lambda: bank.set_center_freq(1, 2000.0)),
            (3 * NEAR, lambda: bank.set_channel_active(1, True))])
        (offset, sample), = tags_of(tags[1], "sample_start")
        self.assertEqual([(offset, 2000.0)], freq_tags(tags[1]))
        # The phase depends on where the retune took effect, so magnitudes are compared.
        expected = reference(item_values("ccf", items), 4, taps, 2000.0, FS)[sample // 4:]
        self.assertLess(error_db(np.abs(results[1][offset:]), np.abs(expected)), -110)

    def test_changes_before_the_start(self):
        bank = make_bank("ccf", 4, [1.0], [0.0, 10.0], FS, max_channels=3, device="host")
        bank.set_channel_active(1, False)
        self.assertEqual(2, bank.add_channel([2.0], 0.0))
        results, tags = run_bank(bank, np.ones(1000, np.complex64))
        self.assertEqual([250, 0, 250], [len(r) for r in results])
        np.testing.assert_allclose(results[2], 2, atol=1e-6)
        self.assertEqual([[], [], [(0, 0)]], [tags_of(t, "sample_start") for t in tags])

    def test_a_restarted_flowgraph(self):
        bank = make_bank("ccf", 4, [1.0], [0.0, 10.0], FS, device="host")
        tb = gr.top_block()
        source = array_source(np.ones(1000, np.complex64))
        sinks = connect_sinks(tb, source, bank, 2)
        for active in (True, False, True):
            bank.set_channel_active(1, active)
            for sink in sinks:
                sink.reset()
            tb.run()
            self.assertEqual([250, 250 if active else 0], [len(s.data()) for s in sinks])

    def check_tags(self, decimation, chunks):
        """Tags of the input land on the outputs of their items, wherever a port was idle."""
        length = 6 * NEAR
        offsets = list(range(0, length, 37))
        bank = make_bank("ccf", decimation, [1.0], [0.0, 10.0], FS, device="host")
        source = array_source(np.zeros(length, np.complex64), chunks, [
            (NEAR, lambda: bank.set_channel_active(1, False)),
            (2 * NEAR, lambda: bank.set_channel_active(1, True)),
            (3 * NEAR, lambda: bank.set_channel_active(0, False)),
            (4 * NEAR, lambda: bank.set_channel_active(0, True)),
            (5 * NEAR, lambda: bank.set_channel_active(1, False))],
            [tag_at(offset, pmt.from_long(offset), "in") for offset in offsets])
        tb = gr.top_block()
        sinks = connect_sinks(tb, source, bank, 2)
        tb.run()
        for sink in sinks:
            expected = set()
            for at, first, count in self.segments(sink.data(), sink.tags(), decimation, True):
                for offset in offsets:
                    output = (2 * offset + decimation) // (2 * decimation)
                    if first <= output < first + count:
                        expected.add((at + output - first, offset))
            self.assertGreater(len(expected), 1000)
            self.assertEqual(expected, set(tags_of(sink.tags(), "in")))

    def test_tags_after_a_pause(self):
        for decimation in (1, 4, 25, 50):
            for chunks in (None, itertools.cycle([11, 400, 37, 8000])):
                with self.subTest(decimation=decimation):
                    self.check_tags(decimation, chunks)

    def test_tags_one_to_one_after_a_pause(self):
        """With one output, one-to-one means what all-to-all means."""
        decimation, length = 4, 4 * NEAR

        bank = make_bank("ccf", decimation, [1.0], [0.0], FS, device="host")
        bank.set_tag_propagation_policy(gr.TPP_ONE_TO_ONE)
        source = array_source(np.zeros(length, np.complex64), None, [
            (NEAR, lambda: bank.set_channel_active(0, False)),
            (2 * NEAR, lambda: bank.set_channel_active(0, True))],
            [tag_at(i, pmt.from_long(i), "in") for i in range(0, length, 400)])
        tb = gr.top_block()
        sink = blocks.vector_sink_c()
        tb.connect(source, bank, sink)
        tb.run()
        expected = set()
        for at, first, count in self.segments(sink.data(), sink.tags(), decimation, True):
            expected |= {(at + offset // decimation - first, offset)
                         for offset in range(0, length, 400)
                         if first <= offset // decimation < first + count}
        self.assertGreater(len(expected), 20)
        self.assertLess(len(expected), length // 400)
        self.assertEqual(expected, set(tags_of(sink.tags(), "in")))
        self.assertEqual(gr.TPP_ONE_TO_ONE, bank.tag_propagation_policy())

    def test_the_end_of_a_reader_of_an_idle_output(self):
        """A head ends the flowgraph, though no output is ever full."""
        bank = make_bank("ccf", 50, [1.0], [0.0, 10.0], FS, device="host")

        class endless_source(gr.sync_block):
            def __init__(self):
                gr.sync_block.__init__(self, "endless_source", [], [np.complex64])
                self.given = 0

            def work(self, input_items, output_items):
                out = output_items[0]
                out[:] = 0
                if self.given == 0:  # too few for a full output
                    self.given = min(len(out), 2000)
                    return self.given
                while len(sink.data()) < 10:
                    time.sleep(0.001)
                bank.set_channel_active(0, False)
                return len(out)

        tb = gr.top_block()
        sink = blocks.vector_sink_c()
        source = endless_source()
        tb.connect(source, bank, blocks.head(gr.sizeof_gr_complex, 10), sink)
        tb.start()
        waiting = threading.Thread(target=tb.wait)
        waiting.start()
        waiting.join(PATIENCE_S)
        ended = not waiting.is_alive()
        tb.stop()
        waiting.join()
        self.assertTrue(ended)
        self.assertEqual(10, len(sink.data()))

    def test_tags_that_must_not_pass(self):
        tag = tag_at(40, pmt.PMT_T, "in")
        for policy in (gr.TPP_DONT, gr.TPP_CUSTOM):
            bank = make_bank("ccf", 4, [1.0], [0.0, 1.0], FS, device="host")
            bank.set_tag_propagation_policy(policy)
            _, tags = run_bank(bank, np.zeros(1000, np.complex64), tags=[tag])
            self.assertEqual([[], []], tags)
            self.assertEqual(policy, bank.tag_propagation_policy())

    def test_outputs_that_are_not_connected(self):
        rng = np.random.default_rng(7)
        taps = random_taps(rng, "ccf", 65)
        items = random_items(rng, "ccf", 20000)
        center_freqs = [10.0, 20.0, -30.0, 40.0]
        for options in WAYS:
            with self.subTest(**options):
                bank = make_bank("ccf", 4, taps, center_freqs, FS, accuracy=0, **options)
                bank.set_center_freq(3, 50.0)  # no place for its tag
                bank.set_center_freq(1, 25.0)
                results, tags = run_bank(bank, items, outputs=2)
                for f, result in zip((10.0, 25.0), results):
                    expected = reference(item_values("ccf", items), 4, taps, f, FS)
                    self.assertLess(error_db(result, expected), -110)
                self.assertEqual([(0, 25.0)], freq_tags(tags[1]))

    def test_gaps_between_connected_outputs_are_refused(self):
        bank = make_bank("ccf", 4, [1.0], [1.0, 2.0, 3.0], FS, device="host")
        tb = gr.top_block()
        sinks = [blocks.null_sink(gr.sizeof_gr_complex) for _ in range(2)]
        tb.connect(blocks.null_source(gr.sizeof_gr_complex), bank)
        tb.connect((bank, 0), sinks[0])
        tb.connect((bank, 2), sinks[1])
        with self.assertRaisesRegex(RuntimeError, "output port 1"):
            tb.start()

    def test_setters_of_some_channels(self):
        """Setters accept lists with a value for each slot, or for each channel of the constructor."""
        bank = make_bank("ccf", 4, [[1.0], [2.0]], [1.0, 2.0], FS, max_channels=4,
                         device="host")
        self.assertEqual([1.0, 2.0, 0.0, 0.0], bank.center_freqs())
        bank.set_center_freqs([3.0, 4.0])
        self.assertEqual([3.0, 4.0, 0.0, 0.0], bank.center_freqs())
        self.assertEqual(2, bank.add_channel([5.0, 6.0], 7.0))
        bank.set_center_freqs([1.0, 2.0, 3.0, 4.0])
        self.assertEqual([1.0, 2.0, 3.0, 0.0], bank.center_freqs())
        bank.set_taps([[7.0], [8.0, 9.0]])
        self.assertEqual([[7.0], [8.0, 9.0], [5.0, 6.0]], bank.taps()[:3])
        for taps in ([[1.0]] * 3, [[1.0]] * 5):
            with self.assertRaisesRegex(ValueError, "taps"):
                bank.set_taps(taps)
        for frequencies in ([1.0] * 3, [1.0] * 5):
            with self.assertRaisesRegex(ValueError, "center_freqs"):
                bank.set_center_freqs(frequencies)

    def test_bad_arguments(self):
        bank = make_bank("ccf", 4, [1.0], [1.0, 2.0], FS, max_channels=3, device="host")
        for name, call in (
                ("channel", lambda: bank.set_channel_active(-1, True)),
                ("channel", lambda: bank.set_channel_active(3, True)),
                ("channel.* is .*free slot", lambda: bank.set_channel_active(2, True)),
                ("channel", lambda: bank.channel_active(3)),
                ("channel", lambda: bank.remove_channel(-1)),
                ("channel.* is .*free slot", lambda: bank.remove_channel(2)),
                ("channel.* is .*free slot", lambda: bank.set_center_freq(2, 1.0)),
                ("taps", lambda: bank.add_channel([], 1.0)),
                ("taps", lambda: bank.add_channel([float("nan")], 1.0)),
                ("center_freq", lambda: bank.add_channel([1.0], float("inf")))):
            with self.assertRaisesRegex(ValueError, name + ".*must be"):
                call()
        self.assertEqual(2, bank.add_channel([1.0], 0.0))
        with self.assertRaisesRegex(ValueError, "channels.* is .*0 to 2.*must be.*max_channels"):
            bank.add_channel([1.0], 0.0)
        bank.remove_channel(0)
        self.assertEqual(0, bank.add_channel([1.0], 0.0))
        for value in (-1, 1, 65537):
            with self.assertRaisesRegex(ValueError, "max_channels.* is .*must be"):
                make_bank("ccf", 4, [1.0], [1.0, 2.0], FS, max_channels=value, device="host")


if __name__ == "__main__":
    gr_unittest.run(qa_filter_bank_channels)
