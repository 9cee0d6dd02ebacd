#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The device, variant and times of a block can be read over ControlPort."""

import os
import socket
import sys
import time
import unittest

# GNU Radio takes its preferences from the environment when it is imported.
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    PORT = probe.getsockname()[1]
os.environ["GR_CONF_THRIFT_PORT"] = str(PORT)

from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_support import PATIENCE_S, make_block

try:
    from gnuradio.ctrlport.GNURadioControlPortClient import GNURadioControlPortClient
    from thrift.transport.TTransport import TTransportException
except ImportError:
    TTransportException = None


@unittest.skipIf(TTransportException is None, "GNU Radio has no Thrift for ControlPort here")
class qa_controlport(gr_unittest.TestCase):

    def connect(self):
        """Returns a client after the server's own thread has opened its port."""
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit:
            try:
                return GNURadioControlPortClient(host="127.0.0.1", port=PORT,
                                                 rpcmethod="thrift").client
            except TTransportException:
                time.sleep(0.1)
        raise RuntimeError(f"ControlPort does not listen on port {PORT}")

    def variables(self, tb, *wanted):
        """The variables of the blocks of a running flowgraph, one dict per block."""
        tb.start()
        try:
            knobs = self.connect().getKnobs([])
        finally:
            tb.stop()
            tb.wait()
        return [{name.split("::")[1]: knob.value for name, knob in knobs.items()
                 if name.startswith(block.alias() + "::")} for block in wanted]

    def test_variables(self):
        block = make_block("ccf", 4, [1.0] * 10, 0, 1, device="host")
        matrices = [cldsp.gemm_cc([[1]], "host"),
                    cldsp.multiply_matrix_cc([[1]], gr.TPP_DONT, "host")]
        correlator = cldsp.gemm_1bit_bi([[1, 2]], "host")
        visibilities = cldsp.correlator_cc(1, 10, device="host")
        tb = gr.top_block()
        tb.connect(blocks.null_source(gr.sizeof_gr_complex), block, *matrices, visibilities,
                   blocks.null_sink(gr.sizeof_gr_complex))
        tb.connect(blocks.null_source(2), correlator, blocks.null_sink(4))
        values, of_codes, of_visibilities, *of_matrices = self.variables(
            tb, block, correlator, visibilities, *matrices)
        self.assertEqual("correlator", of_visibilities["algorithm_name"])
        self.assertEqual(visibilities.plan(), of_visibilities["plan"])
        self.assertEqual("simd", of_codes["variant_name"])
        self.assertEqual("popcount", of_codes["algorithm_name"])
        self.assertEqual(correlator.plan(), of_codes["plan"])
        for matrix, told in zip(matrices, of_matrices):
            self.assertEqual(("host", "simd", "none", "gemm", matrix.plan()),
                             tuple(told[name + "_name"] for name in (
                                 "device", "variant", "transfer", "algorithm")) +
                             (told["plan"],))
            self.assertGreaterEqual(told["kernel_time_avg"], 0)
        self.assertEqual("host", values["device_name"])
        self.assertEqual(block.variant_name(), values["variant_name"])
        self.assertEqual("none", values["transfer_name"])
        self.assertEqual("direct", values["algorithm_name"])
        self.assertEqual(block.plan(), values["plan"])
        self.assertGreaterEqual(values["kernel_time_avg"], 0)
        self.assertEqual(0, values["transfer_time_avg"])

    def test_probe(self):
        probe = cldsp.tune_probe("host")
        tb = gr.top_block()
        tb.connect(probe)
        values, = self.variables(tb, probe)
        self.assertEqual(("idle", 0, 0, ""), tuple(
            values[name] for name in ("state", "progress", "speedup", "last_report")))


if __name__ == "__main__":
    passed = unittest.main(exit=False).result.wasSuccessful()
    # GNU Radio's ControlPort server sometimes crashes at the end of a process, also with in-tree
    # blocks alone; this test does not check that.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0 if passed else 1)
