#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A filter is made with placeholder taps, as applications do. It gets a plan for the real taps
while it streams."""

import subprocess
import sys
import time

import numpy as np
from gnuradio import blocks, gr, gr_unittest
from qa_support import (PATIENCE_S, connect_sinks, error_db, freq_tags, make_bank, make_block,
                        random_items, random_taps)

FC, FS, DECIMATION = 1000.0, 48000, 8
SECONDS = PATIENCE_S  # on a busy machine the planning thread gets the processor last


class patient_source(gr.sync_block):
    """A periodic stream in small calls, which ends after the last step. A step is a pair: an
    action, and a condition that has to become true after it."""

    TAIL = 20000

    def __init__(self, period, steps):
        gr.sync_block.__init__(self, "patient_source", [], [np.complex64])
        self.period = period
        self.steps = list(steps)
        self.condition = None
        self.left = self.TAIL
        self.position = 0
        self.late = False

    def work(self, input_items, output_items):
        if self.condition and not self.condition():
            time.sleep(5e-3)
            self.late = time.monotonic() > self.end
            if self.late:
                return -1
        elif self.left <= 0:
            if not self.steps:
                return -1
            action, self.condition = self.steps.pop(0)
            action()
            self.end = time.monotonic() + SECONDS
            self.left = self.TAIL
        else:
            self.condition = None
            self.left -= 512
        count = min(512, len(output_items[0]))
        at = np.arange(self.position, self.position + count) % len(self.period)
        output_items[0][:count] = self.period[at]
        self.position += count
        return count


def outputs_of(items, taps, begin, end, turns):
    """Outputs of a filter from the double-precision model."""
    f = FC / FS
    h = np.asarray(taps).astype(complex)
    rotated = h * np.exp(2j * np.pi * np.mod(f * np.arange(len(h)), 1))
    first = max(0, begin * DECIMATION - len(h) + 1)
    x = items[first:(end - 1) * DECIMATION + 1]
    size = 1 << int(len(x) + len(h)).bit_length()
    full = np.fft.ifft(np.fft.fft(x, size) * np.fft.fft(rotated, size))
    n = np.arange(begin, end)
    phase = np.exp(2j * np.pi * np.mod(turns - f * DECIMATION * n, 1))
    return full[n * DECIMATION - first] * phase


class qa_new_plan(gr_unittest.TestCase):

    def run_steps(self, block, outputs, steps):
        rng = np.random.default_rng(1)
        period = random_items(rng, "ccf", 1 << 15)
        source = patient_source(period, steps)
        tb = gr.top_block()
        sinks = connect_sinks(tb, source, block, outputs)
        tb.run()
        self.assertFalse(source.late, "the plan stayed: " + block.plan())
        return np.resize(period, source.position).astype(complex), sinks

    def check(self, items, sink, sets):
        """sets: the lists of taps, in their order."""
        result = np.array(sink.data())
        self.assertEqual(len(items) // DECIMATION, len(result))
        applied = [at for at, _ in freq_tags(sink.tags())]
        self.assertEqual(len(sets) - 1, len(applied))
        ends = applied + [len(result)]
        turns = -FC / FS * (len(sets[0]) - 1) / 2
        expected = np.concatenate([
            outputs_of(items, taps, begin, end, turns)
            for taps, begin, end in zip(sets, [0] + applied, ends)])
        self.assertLess(error_db(result, expected), -105)

    def test_while_streaming(self):
        rng = np.random.default_rng(2)
        sets = [[1.0], random_taps(rng, "ccf", 5781), [0.5]]
        block = make_block("ccf", DECIMATION, [1.0], FC, FS, device="host",
                           algorithm="auto", accuracy=0)
        self.assertEqual("direct", block.algorithm_name())
        self.assertIn("not measured", block.plan())
        items, (sink,) = self.run_steps(block, 1, [
            (lambda: block.set_taps(sets[1]),
             lambda: block.algorithm_name() == "fast_convolution"),
            (lambda: block.set_taps(sets[2]),
             lambda: block.algorithm_name() == "direct")])
        self.check(items, sink, sets)
        self.assertFalse(block.fell_back())

    def test_the_last_wish_counts(self):
        rng = np.random.default_rng(3)
        more, fewer = random_taps(rng, "ccf", 6000), random_taps(rng, "ccf", 5000)
        block = make_block("ccf", DECIMATION, [1.0], FC, FS, device="host",
                           algorithm="auto", accuracy=0)
        for taps in (more, fewer, more, [1.0], fewer):
            block.set_taps(taps)
        items, (sink,) = self.run_steps(block, 1, [
            (lambda: None, lambda: block.algorithm_name() == "fast_convolution")])
        self.check(items, sink, [[1.0], fewer])

    def test_before_the_start(self):
        rng = np.random.default_rng(4)
        taps = random_taps(rng, "ccf", 5781)
        block = make_block("ccf", DECIMATION, [1.0], FC, FS, device="host",
                           algorithm="auto", accuracy=0)
        block.set_taps(taps)
        items, (sink,) = self.run_steps(block, 1, [
            (lambda: None, lambda: block.algorithm_name() == "fast_convolution")])
        self.assertEqual([(0, FC)], freq_tags(sink.tags()))
        self.check(items, sink, [[1.0], taps])

    def test_a_bank(self):
        rng = np.random.default_rng(5)
        lists = [random_taps(rng, "ccf", 5781), random_taps(rng, "ccf", 4000)]
        bank = make_bank("ccf", DECIMATION, [1.0], [FC, FC], FS, device="host", accuracy=0)
        self.assertIn("not measured", bank.plan())
        items, sinks = self.run_steps(bank, 2, [
            (lambda: bank.set_taps(lists), lambda: "not measured" not in bank.plan())])
        for sink, taps in zip(sinks, lists):
            self.check(items, sink, [[1.0], taps])

    def test_ending_while_it_plans(self):
        """The ends of block, flowgraph and process do not wait for a plan."""
        rng = np.random.default_rng(6)
        for count in (3000, 5781, 8000):
            block = make_block("ccf", DECIMATION, [1.0], FC, FS, device="host",
                               algorithm="auto", accuracy=0)
            tb = gr.top_block()
            tb.connect(blocks.null_source(gr.sizeof_gr_complex),
                       blocks.head(gr.sizeof_gr_complex, 100000), block,
                       blocks.null_sink(gr.sizeof_gr_complex))
            tb.start()
            block.set_taps(random_taps(rng, "ccf", count))
            tb.stop()
            tb.wait()
            del tb, block

    def run_program(self, code):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              timeout=2 * PATIENCE_S, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_exit_while_it_plans(self):
        """The block still exists, as in a program that is interrupted."""
        code = f"""
from gnuradio import cldsp
block = cldsp.freq_xlating_fir_filter_ccf({DECIMATION}, [1.0], 0, 1, device="host")
block.set_taps([1.0] * 5781)
"""
        self.run_program(code)

    def test_the_interpreter_ends_planning(self):
        """Planning ends before exit unloads the libraries that it may use."""
        code = """
import atexit
from gnuradio import gr
before = atexit._ncallbacks()
from gnuradio import cldsp
assert atexit._ncallbacks() == before + 1
atexit._run_exitfuncs()
block = cldsp.freq_xlating_fir_filter_ccf(8, [1.0], 0, 1, device="host")
block.set_taps([1.0] * 5781)
"""
        self.run_program(code)


if __name__ == "__main__":
    gr_unittest.run(qa_new_plan)
