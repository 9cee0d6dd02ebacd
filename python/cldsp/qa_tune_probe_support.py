# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Shared by the tests of the probe: an endless stream, and the reports."""

import os
import tempfile
import time

# A separate cache folder: the tests must not use each other's tunings, nor the user's.
FOLDER = tempfile.TemporaryDirectory()
os.environ["GR_CONF_CLDSP_CACHE_FOLDER"] = FOLDER.name

import pmt
from gnuradio import gr, gr_unittest

LIMIT_S = float(os.environ.get("CLDSP_TEST_TIMEOUT", 1200)) / 2


class endless_source(gr.sync_block):
    """Repeats the items of a period in short calls with pauses, until it is told to end. If the
    period is a matrix, each of its rows is an item."""

    def __init__(self, period, most=1500):
        item = (period.dtype.type, period.shape[1]) if period.ndim > 1 else period.dtype.type
        gr.sync_block.__init__(self, "endless_source", [], [item])
        self.period = period
        self.most = most
        self.count = 0
        self.ended = self.over = False

    def work(self, input_items, output_items):
        if self.ended:
            self.over = True
            return -1
        at = self.count % len(self.period)
        piece = self.period[at:at + min(self.most, len(output_items[0]))]
        output_items[0][:len(piece)] = piece
        self.count += len(piece)
        time.sleep(0.01)
        return len(piece)


class report_list(gr.basic_block):
    """Stores the reports of a probe as Python values."""

    def __init__(self):
        gr.basic_block.__init__(self, "report_list", [], [])
        self.reports = []
        self.message_port_register_in(pmt.intern("report"))
        self.set_msg_handler(pmt.intern("report"), self.keep)

    def keep(self, message):
        self.reports.append(pmt.to_python(message))

    def of(self, event):
        return [r for r in list(self.reports) if r["event"] == event]


def wait_for(condition):
    limit = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < limit, "it took too long"
        time.sleep(0.02)


class ProbeTest(gr_unittest.TestCase):
    """A flowgraph with a probe that reports; it is ended whatever happens."""

    def setUp(self):
        self.tb = None

    def tearDown(self):
        if self.tb:
            self.tb.stop()
            self.tb.wait()

    def flowgraph(self, probe):
        self.reports = report_list()
        self.tb = gr.top_block()
        self.tb.msg_connect(probe, "report", self.reports, "report")
        return self.tb

    def end(self, source, *sinks, decimation):
        """Ends the stream after its last sample; blocks that have only message ports would not end
        by themselves."""
        source.ended = True
        wait_for(lambda: source.over)
        for sink in sinks:
            wait_for(lambda s=sink: s.nitems_read(0) == source.count // decimation)
        time.sleep(0.1)  # leaves time for reports that must not come
        self.tb.stop()
        self.tb.wait()

    def done(self):
        wait_for(lambda: self.reports.of("done"))
        return self.reports.of("done")[-1]
