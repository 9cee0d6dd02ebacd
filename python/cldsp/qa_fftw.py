#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""FFTW's planner and GNU Radio's wisdom, which this module's filters share with gr::fft."""

import json
import os
import subprocess
import sys
import tempfile

from gnuradio import gr_unittest

# Seconds of processor time in which the in-tree filters and this module's plan side by side. The
# variable may ask for more.
SECONDS = float(os.environ.get("CLDSP_TEST_SECONDS", "0.5"))

# A filter whose transforms use FFTW: with one row, the block has the size of the decimation, for
# which there is no faster method.
PRELUDE = """
import sys, time
from gnuradio import blocks, fft, filter, gr

def in_tree(size=1000):
    return fft.fft_vcc(size, True, [], True, 1)

def make_filter(decimation=10, taps=301):
    from gnuradio import cldsp
    return cldsp.freq_xlating_fir_filter_ccf(
        decimation, [1.0 / taps] * taps, 0.1, 1, device="host",
        algorithm="fast_convolution", variant="selected_bins")
"""

# The programs by name; each plans with FFTW in a different way.
PROGRAMS = {
    "in_tree": "in_tree()",
    "filter": "make_filter()",
    "filter_first": "make_filter(); in_tree()",
    "in_tree_first": "in_tree(); make_filter()",
    "other_filter_first": "make_filter(14, 333); in_tree(1200)",
    "threads": "fft.fft_vcc(4096, True, [], True, 3)",
    "threads_first": "fft.fft_vcc(4096, True, [], True, 3); make_filter(); in_tree()",
}

# In-tree filters change their taps while they run, and filters of this module are made meanwhile.
# The in-tree filters plan in their own threads, because each change also changes the size of the
# transform. They have much to plan, because FFTW's measurements are valid for one number of
# threads.
BESIDE = """
seconds = float(sys.argv[1])
tb = gr.top_block()
source = blocks.throttle(gr.sizeof_gr_complex, 2e6)
tb.connect(blocks.null_source(gr.sizeof_gr_complex), source)
# The largest calls come first, since buffers are made for them.
in_tree_filters = [filter.fft_filter_ccc(1, [1.0] * 513, 1 + i) for i in range(4)]
for each in in_tree_filters:
    tb.connect(source, each, blocks.null_sink(gr.sizeof_gr_complex))
tb.start()
end = time.process_time() + seconds
changes = 0
while time.process_time() < end or changes < 3:
    for i, each in enumerate(in_tree_filters):
        each.set_taps([1.0] * (20 << (changes + i) % 5))
    make_filter(11 + changes % 9)
    changes += 1
tb.stop()
tb.wait()
print(changes * len(in_tree_filters), "changes of taps,", changes, "filters")
"""


class qa_fftw(gr_unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def start(self, program, *args):
        """Runs a program with a home folder of this test."""
        home = self.folder.name
        environment = dict(os.environ, HOME=home, XDG_CACHE_HOME=home + "/cache",
                           GR_CONF_CLDSP_CACHE_FOLDER=home + "/cldsp")
        environment.pop("GR_CACHE_PATH", None)
        return subprocess.Popen([sys.executable, "-c", PRELUDE + program, *args],
                                env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def run_program(self, program, *args):
        process = self.start(program, *args)
        output = process.communicate()[0]
        self.assertEqual(0, process.returncode, output)
        self.assertNotIn(":error:", output)
        return output

    def gnuradio_wisdom(self):
        """The lines of GNU Radio's file: first the solvers, then one plan per line."""
        for name in ".gr_fftw_wisdom", "cache/gnuradio/fftw_wisdom", "cache/fftw_wisdom":
            path = os.path.join(self.folder.name, name)
            if os.path.exists(path):
                with open(path, encoding="ascii") as file:
                    return file.read().splitlines()
        return []

    def own_wisdom(self):
        """The lines of FFTW's wisdom that this module stores, for one set of solvers."""
        with open(self.folder.name + "/cldsp/wisdom.json", encoding="utf-8") as file:
            answers = list(json.load(file)["fftw"].values())
        self.assertEqual(1, len(answers), answers)
        return answers[0]["answer"].splitlines()

    def test_wisdom_is_valid_for_all(self):
        """In whatever order programs run, none refuses or loses wisdom of the others."""
        known, own = [], []
        for name in ("filter_first", "in_tree", "filter_first", "in_tree_first", "filter",
                     "in_tree", "other_filter_first", "in_tree", "filter"):
            output = self.run_program(PROGRAMS[name])
            with self.subTest(name, output=output):
                now = self.gnuradio_wisdom()
                self.assertEqual(set(), set(known) - set(now))
                if known:
                    self.assertEqual(known[0], now[0])
                known = now
                if name != "in_tree":
                    now = self.own_wisdom()
                    self.assertEqual(known[0], now[0])
                    self.assertEqual(set(), set(own) - set(now))
                    own = now

    def test_nothing_is_planned_again(self):
        for name in "filter_first", "in_tree_first", "in_tree":
            self.run_program(PROGRAMS[name])
        known, own = self.gnuradio_wisdom(), self.own_wisdom()
        for name in "in_tree", "filter_first", "in_tree_first", "filter":
            self.run_program(PROGRAMS[name])
            self.assertEqual(sorted(known), sorted(self.gnuradio_wisdom()), name)
            self.assertEqual(set(own), set(self.own_wisdom()) & set(own), name)

    def test_threads_of_others_are_not_ours(self):
        """For another number of threads FFTW makes other plans, and uses as many threads."""
        for name in "filter_first", "threads":
            self.run_program(PROGRAMS[name])
        known = self.gnuradio_wisdom()
        self.run_program(PROGRAMS["threads_first"])
        self.assertEqual(sorted(known), sorted(self.gnuradio_wisdom()))

    def test_beside_in_tree_filters_that_run(self):
        print(self.run_program(BESIDE, str(SECONDS)), end="")
        self.run_program(PROGRAMS["in_tree"])


if __name__ == "__main__":
    gr_unittest.run(qa_fftw)
