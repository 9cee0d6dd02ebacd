#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A probe does not keep a flowgraph from ending, nor does it end before the others."""

import threading
import time

from qa_tune_probe_support import LIMIT_S, ProbeTest, wait_for  # this import comes first

import pmt
from gnuradio import blocks, cldsp, gr, gr_unittest

ITEMS = 20000


class qa_tune_probe_end(ProbeTest):

    def finite(self, tb):
        source = blocks.null_source(gr.sizeof_gr_complex)
        self.head = blocks.head(gr.sizeof_gr_complex, ITEMS)
        self.sink = blocks.null_sink(gr.sizeof_gr_complex)
        block = cldsp.freq_xlating_fir_filter_ccf(4, [1.0] * 30, 1e3, 1e6, device="host")
        tb.connect(source, self.head, block, self.sink)

    def check_it_ends(self, tb):
        ended = threading.Thread(target=tb.wait, daemon=True)
        ended.start()
        ended.join(LIMIT_S)
        self.assertFalse(ended.is_alive())

    def test_a_finite_stream_ends_the_flowgraph(self):
        probe = cldsp.tune_probe(device="host", report_s=0.05)
        tb = self.flowgraph(probe)
        self.finite(tb)
        for run in range(3):
            self.head.reset()
            tb.start()
            self.check_it_ends(tb)
            self.assertEqual(ITEMS // 4, self.sink.nitems_read(0))

    def test_what_was_begun_is_finished(self):
        probe = cldsp.tune_probe(device="host", what="roofline", budget_s=1, at_start=True)
        tb = self.flowgraph(probe)
        self.finite(tb)
        tb.start()
        self.check_it_ends(tb)
        self.assertFalse(probe.tuning())
        self.assertFalse(self.done()["stopped"])

    def test_it_answers_while_there_is_a_stream(self):
        # While the flowgraph is reconfigured, Python's blocks could not continue.
        probe = cldsp.tune_probe(device="host")
        reports = blocks.message_debug()
        self.tb = tb = gr.top_block()
        tb.msg_connect(probe, "report", reports, "store")
        source = blocks.null_source(gr.sizeof_gr_complex)
        throttle = blocks.throttle(gr.sizeof_gr_complex, 1e5)
        block = cldsp.freq_xlating_fir_filter_ccf(4, [1.0] * 30, 1e3, 1e6, device="host")
        tb.connect(source, throttle, block, blocks.null_sink(gr.sizeof_gr_complex))
        tb.start()
        for change in range(3):
            tb.lock()
            tb.connect(block, blocks.null_sink(gr.sizeof_gr_complex))
            tb.unlock()
            before = reports.num_messages()
            probe.to_basic_block()._post(pmt.intern("query"), pmt.PMT_NIL)
            wait_for(lambda: reports.num_messages() > before)

    def test_alone_it_runs_until_it_is_stopped(self):
        probe = cldsp.tune_probe(device="host", report_s=0.05)
        tb = self.flowgraph(probe)
        tb.start()
        wait_for(lambda: len(self.reports.of("blocks")) >= 3)
        time.sleep(0.1)
        count = len(self.reports.of("blocks"))
        wait_for(lambda: len(self.reports.of("blocks")) > count)


if __name__ == "__main__":
    gr_unittest.run(qa_tune_probe_end)
