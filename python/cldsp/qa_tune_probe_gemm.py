#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The probe tunes matrix products that stream, and no item is lost or wrong."""

import time
import unittest

# This import comes first, because it sets the folder for tuned values.
from qa_tune_probe_support import ProbeTest, endless_source, wait_for

import numpy as np
import pmt
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_matrix_support import device_variant, product_error, random_values
from qa_support import post

PERIOD = 3000
ROWS, COLUMNS = 12, 16
# Items per call of the source, few because all outputs have to fit into a Python list at the end.
PIECE = 100


@unittest.skipIf(device_variant("cc") != "cpu_tile", "no OpenCL CPU device")
class qa_tune_probe_gemm(ProbeTest):

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(7)
        self.A, self.other = (random_values(rng, "ff", ROWS, COLUMNS) for _ in range(2))

    def start_stream(self, probe, suffix, block, split=None, join=None):
        """The stream has vectors; around a block without vectors they are split and joined."""
        self.period = random_values(np.random.default_rng(8), suffix, PERIOD, COLUMNS)
        self.source = endless_source(self.period, PIECE)
        sink = blocks.vector_sink_f if suffix == "ff" else blocks.vector_sink_c
        self.sink = sink(ROWS)
        tb = self.flowgraph(probe)
        if split:
            tb.connect(self.source, split)
            for port in range(COLUMNS):
                tb.connect((split, port), (block, port))
            for port in range(ROWS):
                tb.connect((block, port), (join, port))
            tb.connect(join, self.sink)
        else:
            tb.connect(self.source, block, self.sink)
        self.tb.start()
        self.wait_for_items(1)

    def wait_for_items(self, count):
        at = self.sink.nitems_read(0) + count
        wait_for(lambda: self.sink.nitems_read(0) >= at)

    def result(self):
        """Ends the stream, and checks that all items came out."""
        self.end(self.source, self.sink, decimation=1)
        x = np.resize(self.period, (self.source.count, COLUMNS))
        y = np.array(self.sink.data()).reshape(-1, ROWS)
        self.assertEqual(len(x), len(y))
        return x, y

    def check_reports(self, probe, block, type_name):
        done = self.done()
        self.assertEqual((1, 1, 0, False),
                         tuple(done[k] for k in ("tuned", "renewed", "failed", "stopped")))
        self.assertEqual([], self.reports.of("error"))
        progress = self.reports.of("progress")
        result, = self.reports.of("result")
        for report in progress + [result]:
            self.assertEqual(("gemm_cpu_tile", block.device_name()),
                             (report["family"], report["device"]))
            self.assertIn(type_name, report["problem"])
        self.assertEqual(len(progress), result["points"])
        self.assertIn("block_k=", result["point"])
        return result

    def check_statistics(self, probe, block):
        statistics = next(s for s in probe.block_statistics() if s["alias"] == block.alias())
        self.assertEqual(("gemm", "cpu_tile", block.device_name(), block.plan(), 1),
                         tuple(statistics[k] for k in ("algorithm", "variant", "device",
                                                       "plan", "renewals")))
        self.assertGreater(statistics["operations"], 0)
        self.assertFalse(statistics["fell_back"])

    def wait_for_renewals(self, probe, count):
        wait_for(lambda: probe.block_statistics()[0]["renewals"] == count)

    def test_a_product_of_vectors_takes_what_is_tuned(self):
        probe = cldsp.tune_probe("auto", "blocks", 0.1, "random")
        block = cldsp.gemm_ff(self.A, "cpu", "cpu_tile")
        self.start_stream(probe, "ff", block)
        self.assertEqual(0, probe.block_statistics()[0]["renewals"])
        post(probe, pmt.intern("go"), "tune")
        result = self.check_reports(probe, block, "f32")
        for text in (f"n={ROWS}", f"k={COLUMNS}", "m="):
            self.assertIn(text, result["problem"])
        self.wait_for_renewals(probe, 1)
        self.wait_for_items(500)
        self.check_statistics(probe, block)

        # The new engine accepts another matrix, as the old one did.
        block.set_A(self.other)
        self.wait_for_items(500)
        x, y = self.result()
        changed = next(i for i in range(len(x)) if product_error(
            self.other, x[i:i + 1], y[i:i + 1]) < 2e-6)
        self.assertGreater(changed, 500)
        self.assertGreaterEqual(len(x) - changed, 1)
        self.assertLess(product_error(self.A, x[:changed], y[:changed]), 2e-6)
        self.assertLess(product_error(self.other, x[changed:], y[changed:]), 2e-6)

    def test_again_and_again_while_the_matrix_changes(self):
        # Whichever event comes first, the last matrix stays.
        probe = cldsp.tune_probe("cpu", "blocks", 0.1, "random")
        block = cldsp.gemm_ff(self.A, "cpu", "cpu_tile")
        self.start_stream(probe, "ff", block)
        for count in range(1, 4):
            self.assertTrue(probe.tune())
            while probe.tuning():
                block.set_A(self.other)
                block.set_A(self.A)
                time.sleep(0.005)
            self.wait_for_renewals(probe, count)
            self.wait_for_items(300)
        x, y = self.result()
        good = [min(product_error(A, x[i:i + 1], y[i:i + 1]) for A in (self.A, self.other))
                for i in range(len(x))]
        self.assertLess(max(good), 2e-6)
        self.assertLess(product_error(self.A, x[-100:], y[-100:]), 2e-6)

    def test_a_product_of_streams_takes_what_is_tuned(self):
        probe = cldsp.tune_probe("cpu", "blocks", 0.1, "random")
        A = random_values(np.random.default_rng(9), "cc", ROWS, COLUMNS)
        block = cldsp.multiply_matrix_cc(A, gr.TPP_DONT, "cpu", "cpu_tile")
        split = blocks.vector_to_streams(gr.sizeof_gr_complex, COLUMNS)
        join = blocks.streams_to_vector(gr.sizeof_gr_complex, ROWS)
        self.start_stream(probe, "cc", block, split, join)
        post(probe, pmt.intern("go"), "tune")
        self.check_reports(probe, block, "c32")
        self.wait_for_renewals(probe, 1)
        self.wait_for_items(500)
        self.check_statistics(probe, block)
        self.assertLess(product_error(A, *self.result()), 2e-6)

    def test_by_name(self):
        for what, sizes in (("G1", ("f32", "m=1024", "n=1024", "k=1024")),
                            ("G2", ("c32", "m=64", "n=65536", "k=64"))):
            probe = cldsp.tune_probe("cpu", what, 0.1, "random")
            self.flowgraph(probe).start()
            self.assertTrue(probe.tune())
            self.done()
            self.assertEqual([], self.reports.of("error"))
            result, = self.reports.of("result")
            self.assertEqual("gemm_cpu_tile", result["family"])
            for text in sizes:
                self.assertIn(text, result["problem"])
            self.tearDown()

    def test_what_has_nothing_to_tune(self):
        # One block uses a variant of the ladder; the other has a matrix too small for a device.
        probe = cldsp.tune_probe("cpu", "blocks", 3600)
        for block in (cldsp.gemm_ff(self.A, "cpu", "naive"),
                      cldsp.multiply_matrix_ff([[1, 2], [3, 4]])):
            with self.subTest(block=block.name()):
                tb = self.flowgraph(probe)
                source = (blocks.null_source(4 * COLUMNS) if "gemm" in block.name()
                          else blocks.null_source(4))
                sink = blocks.null_sink(4 * ROWS if "gemm" in block.name() else 4)
                for port in range(block.input_signature().min_streams()):
                    tb.connect(source, (block, port))
                for port in range(block.output_signature().min_streams()):
                    tb.connect((block, port), (sink, port))
                tb.start()
                wait_for(lambda b=block: b.nitems_written(0) > 0)
                probe.tune()
                done = self.done()
                self.assertEqual((0, 0), (done["tuned"], done["renewed"]))
                self.assertIn("no running block", done["text"])
                self.tearDown()


if __name__ == "__main__":
    gr_unittest.main()
