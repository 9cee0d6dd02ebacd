#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The blocks of products start at once on the host, and move to a device while they stream."""

import gc
import os
import threading
import time
import unittest

os.environ["GR_CONF_CLDSP_PLAN"] = "auto"

import numpy as np  # noqa: E402
from gnuradio import blocks, cldsp, gr, gr_unittest  # noqa: E402
from qa_support import opencl_device  # noqa: E402

ROWS, COLUMNS, PERIOD = 32, 48, 1000
TAIL = 5000  # items after the change


def whole(seed, *shape):
    """Whole numbers, whose products are exact sums in every arithmetic."""
    return np.random.default_rng(seed).integers(-100, 101, shape)


class endless_source(gr.sync_block):
    """Repeats some items in calls of random lengths until it is released, and then for a tail."""

    def __init__(self, items):
        row = items.shape[1:]
        gr.sync_block.__init__(self, "endless_source", [], [(items.dtype.type, row or (1,))])
        self.items = items
        self.random = np.random.default_rng(3)
        self.released = threading.Event()
        self.position = self.left = 0

    def work(self, input_items, output_items):
        if not self.released.is_set():
            time.sleep(1e-3)
            self.left = TAIL
        elif self.left <= 0:
            return -1
        count = min(len(output_items[0]), int(self.random.integers(1, 300)))
        at = np.arange(self.position, self.position + count) % len(self.items)
        output_items[0][:count] = self.items[at].reshape(output_items[0][:count].shape)
        self.position += count
        self.left -= count
        return count


def gemm_ff(**options):
    A, x = whole(1, ROWS, COLUMNS), whole(2, PERIOD, COLUMNS).astype(np.float32)
    return cldsp.gemm_ff(A, **options), [x], x @ A.T, blocks.vector_sink_f(ROWS)


def gemm_bi(**options):
    A, x = whole(1, ROWS, COLUMNS), whole(2, PERIOD, COLUMNS)
    return (cldsp.gemm_bi(A, **options), [x.astype(np.int8)], x @ A.T,
            blocks.vector_sink_i(ROWS))


def gemm_1bit_bi(**options):
    rng = np.random.default_rng(1)
    codes, x = (rng.integers(0, 256, (n, COLUMNS), dtype=np.uint8) for n in (ROWS, PERIOD))
    signs = [2 * np.unpackbits(m, axis=1).astype(int) - 1 for m in (x, codes)]
    return (cldsp.gemm_1bit_bi(codes, **options), [x], signs[0] @ signs[1].T,
            blocks.vector_sink_i(ROWS))


def correlator_cs8(**options):
    options.pop("variant", None)
    antennas, integration = 16, 50
    x = whole(2, PERIOD, antennas, 2)
    z = (x[..., 0] + 1j * x[..., 1]) / 128
    parts = z.reshape(-1, integration, antennas)
    sums = np.einsum("nti,ntj->nij", parts, parts.conj())
    sums = sums[(slice(None),) + np.tril_indices(antennas)]
    return (cldsp.correlator_cs8(antennas, integration, vectors=True, **options),
            [x.astype(np.int8).reshape(PERIOD, -1)], sums, blocks.vector_sink_c(sums.shape[1]))


def multiply_matrix_ff(**options):
    A, x = whole(1, 20, 24), whole(2, PERIOD, 24).astype(np.float32)
    return cldsp.multiply_matrix_ff(A, **options), [x], x @ A.T, None


KINDS = (gemm_ff, gemm_bi, gemm_1bit_bi, correlator_cs8, multiply_matrix_ff)
OPTIONS = dict(device="cpu", variant="cpu_tile")


class flowgraph:
    """A flowgraph of a block of one kind, which streams until it is told to end."""

    def __init__(self, kind, **options):
        self.block, (items,), self.outputs, sink = kind(**options)
        self.source = endless_source(items)
        self.tb = gr.top_block()
        if sink:
            self.sinks = [sink]
            self.tb.connect(self.source, self.block, sink)
            return
        # A stream for each column and each row.
        apart = blocks.vector_to_streams(gr.sizeof_float, items.shape[1])
        self.tb.connect(self.source, apart)
        for k in range(items.shape[1]):
            self.tb.connect((apart, k), (self.block, k))
        self.sinks = [blocks.vector_sink_f() for _ in range(self.outputs.shape[1])]
        for k, one in enumerate(self.sinks):
            self.tb.connect((self.block, k), one)

    def results(self):
        columns = [np.array(sink.data()) for sink in self.sinks]
        if len(columns) == 1:
            return columns[0].reshape(-1, self.outputs.shape[1])
        return np.stack(columns, axis=1)

    def check(self, test, least):
        got = self.results()
        test.assertGreater(len(got), least)
        at = np.arange(len(got)) % len(self.outputs)
        np.testing.assert_array_equal(got, self.outputs[at].astype(got.dtype))


@unittest.skipUnless(opencl_device() == "cpu", "there is no OpenCL device for processors")
class qa_plan_later(gr_unittest.TestCase):

    def wait_for_device(self, block):
        while block.device_name() == "host":
            time.sleep(1e-3)

    def test_moves_to_the_device(self):
        for kind in KINDS:
            with self.subTest(kind=kind.__name__):
                graph = flowgraph(kind, **OPTIONS)
                self.assertEqual("host", graph.block.device_name())
                self.assertFalse(graph.block.fell_back())
                graph.tb.start()
                self.wait_for_device(graph.block)
                graph.source.released.set()
                graph.tb.wait()
                self.assertFalse(graph.block.fell_back())
                graph.check(self, least=TAIL // 50 - 2)

    def test_the_first_call_needs_no_plan(self):
        for kind in KINDS:
            graph = flowgraph(kind, **OPTIONS)
            graph.source.released.set()
            graph.source.left = TAIL
            graph.tb.run()
            graph.check(self, least=TAIL // 50 - 2)

    def test_ends_and_starts_while_planning(self):
        # Each flowgraph has another size, so that no plan is remembered.
        for n in range(10):
            A = whole(1, 30 + n, COLUMNS)
            block = cldsp.gemm_ff(A)
            x = whole(2, PERIOD, COLUMNS).astype(np.float32)
            for stop_after in (0, 1e-3 * n, 3e-2):
                source, sink = endless_source(x), blocks.vector_sink_f(len(A))
                tb = gr.top_block()
                tb.connect(source, block, sink)
                tb.start()
                time.sleep(stop_after)
                source.released.set()
                tb.stop()
                tb.wait()
                got = np.array(sink.data()).reshape(-1, len(A))
                np.testing.assert_array_equal(got, (x @ A.T)[np.arange(len(got)) % PERIOD])
                del tb, source, sink
            del block
            gc.collect()

    def test_plans_on_after_a_stop(self):
        graph = flowgraph(gemm_ff, **OPTIONS)
        graph.tb.start()
        graph.tb.stop()
        graph.tb.wait()
        graph.tb.start()
        self.wait_for_device(graph.block)
        graph.source.released.set()
        graph.tb.wait()
        self.assertNotEqual("host", graph.block.device_name())

    def test_a_block_that_never_runs(self):
        made = [kind(**OPTIONS)[0] for kind in KINDS]
        for block in made:
            self.assertEqual("host", block.device_name())

    def test_bad_names_are_refused_at_once(self):
        for options, words in ((dict(device="toaster"), ("device", "toaster")),
                               (dict(variant="espresso"), ("variant", "espresso")),
                               (dict(device="host", variant="cpu_tile"), ("variant", "host"))):
            for kind in KINDS:
                if kind is correlator_cs8 and "variant" in options:
                    continue
                with self.assertRaises(ValueError) as caught:
                    kind(**options)
                for word in words:
                    self.assertIn(word, str(caught.exception))


if __name__ == "__main__":
    gr_unittest.run(qa_plan_later)
