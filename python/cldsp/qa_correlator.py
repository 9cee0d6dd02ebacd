#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The correlator blocks and correlate(), against NumPy in double precision."""

import itertools

import numpy as np
import pmt
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_support import APART, array_source, opencl_device, post, tag_at

KINDS = ("cc", "cs8")
PLACES = sorted({"host", opencl_device()})


def random_samples(rng, kind, antennas, count):
    """A row for each antenna: complex values, or pairs of bytes."""
    if kind == "cs8":
        return rng.integers(-128, 128, (antennas, count, 2), dtype=np.int8)
    return (rng.standard_normal((antennas, count)) +
            1j * rng.standard_normal((antennas, count))).astype(np.complex64)


def expected(samples, integration):
    """The visibilities of each whole integration, one row each."""
    x = samples.astype(np.complex128)
    if samples.dtype == np.int8:
        x = (samples[..., 0] + 1j * samples[..., 1].astype(float)) / 128
    count = x.shape[1] // integration
    x = x[:, :count * integration].reshape(len(x), count, integration)
    products = np.einsum("ikt,jkt->kij", x, x.conj())
    return products[(slice(None),) + np.tril_indices(len(x))]


def run_block(block, samples, vectors=False, chunks=None, actions=(), tags=()):
    """The output vectors, one row each, and their tags."""
    tb = gr.top_block()
    if vectors:
        together = np.swapaxes(samples, 0, 1).reshape(samples.shape[1], -1)
        sources = [array_source(together, chunks, actions, tags)]
    else:
        sources = [array_source(row, chunks, actions if k == 0 else (), tags if k == 0 else ())
                   for k, row in enumerate(samples)]
    sink = blocks.vector_sink_c(block.visibilities())
    for k, source in enumerate(sources):
        tb.connect(source, (block, k))
    tb.connect(block, sink)
    tb.run()
    return np.array(sink.data(), np.complex64).reshape(-1, block.visibilities()), sink.tags()


def make(kind, *args, **kwargs):
    return getattr(cldsp, "correlator_" + kind)(*args, **kwargs)


class qa_correlator(gr_unittest.TestCase):

    def tearDown(self):
        cldsp.inject_failure("none")

    def check(self, got, wanted):
        self.assertEqual(wanted.shape, got.shape)
        self.assertLess(np.max(np.abs(got - wanted)), 1e-6 * np.max(np.abs(wanted)))

    def test_values(self):
        rng = np.random.default_rng(1)
        for kind, place, vectors, (antennas, integration) in itertools.product(
                KINDS, PLACES, (False, True), ((1, 1), (2, 100), (5, 3000), (17, 512))):
            with self.subTest(kind=kind, place=place, vectors=vectors, antennas=antennas):
                samples = random_samples(rng, kind, antennas, 10000)
                block = make(kind, antennas, integration, vectors, place)
                got, tags = run_block(block, samples, vectors)
                self.check(got, expected(samples, integration))
                self.assertEqual([(k, "first_sample", k * integration)
                                  for k in range(10000 // integration)],
                                 [(t.offset, pmt.symbol_to_string(t.key),
                                   pmt.to_uint64(t.value)) for t in tags])
                self.assertEqual(place == "host", block.device_name() == "host")
                self.assertFalse(block.fell_back())

    def test_partition(self):
        rng = np.random.default_rng(2)
        samples = random_samples(rng, "cc", 3, 20000)
        for place in PLACES:
            for integration in (7, 1000, 9000):
                whole = run_block(make("cc", 3, integration, device=place), samples)[0]
                chunks = itertools.cycle(rng.integers(1, 900, 1000).tolist())
                cut = run_block(make("cc", 3, integration, device=place), samples,
                                chunks=chunks)[0]
                np.testing.assert_array_equal(whole, cut)

    def test_long_integration(self):
        """An integration that no buffer of GNU Radio could hold."""
        samples = np.full((1, 3000000), 0.1 + 0.3j, np.complex64)
        block = make("cc", 1, samples.shape[1])
        got = run_block(block, samples)[0]
        self.check(got, expected(samples, samples.shape[1]))

    def test_a_new_integration_begins_after_the_present_one(self):
        samples = random_samples(np.random.default_rng(3), "cc", 2, 3 * APART)
        block = make("cc", 2, 1000, device="host")
        got, tags = run_block(block, samples, actions=[
            (APART, lambda: block.set_integration(700)),
            (2 * APART, lambda: post(block, pmt.cons(pmt.intern("x"), pmt.from_long(300)),
                                     "integration"))])
        self.assertEqual(300, block.integration())
        begins = [pmt.to_uint64(t.value) for t in tags]
        ends = begins[1:] + [None]
        lengths = [e - b for b, e in zip(begins, ends) if e is not None]
        # Each length comes once, in its turn, and no sample is lost between integrations.
        self.assertEqual([1000, 700, 300], [n for n, _ in itertools.groupby(lengths)])
        for row, begin, length in zip(got, begins, lengths):
            self.check(row[None], expected(samples[:, begin:begin + length], length))

    def test_a_restarted_flowgraph(self):
        """No integration has samples of the stream before."""
        samples = random_samples(np.random.default_rng(8), "cc", 2, 3650)
        block = make("cc", 2, 1000, device="host")
        for begin in (0, 1200, 2400):
            part = samples[:, begin:begin + 1250]
            got, tags = run_block(block, part)
            self.check(got, expected(part, 1000))
            self.assertEqual([0], [pmt.to_uint64(t.value) for t in tags])

    def test_tags_of_the_first_input(self):
        tags = [tag_at(n, pmt.from_long(n), "in") for n in (5, 1999, 2000, 9999)]
        samples = random_samples(np.random.default_rng(4), "cs8", 2, 10000)
        got = run_block(make("cs8", 2, 1000), samples, chunks=itertools.cycle([700]),
                        tags=tags)[1]
        self.assertEqual([(0, 5), (1, 1999), (2, 2000), (9, 9999)],
                         [(t.offset, pmt.to_long(t.value)) for t in got
                          if pmt.symbol_to_string(t.key) == "in"])

    def test_the_rate_is_that_of_the_vectors(self):
        samples = random_samples(np.random.default_rng(4), "cs8", 2, 2 * APART)
        block = make("cs8", 2, 1000, device="host")
        got = run_block(block, samples, actions=[(APART, lambda: block.set_integration(500))],
                        tags=[tag_at(3000, pmt.from_double(5e6), "rx_rate"),
                              tag_at(3001, pmt.from_double(2e6), "rx_rate"),
                              tag_at(4000, pmt.intern("fast"), "rx_rate")])[1]
        starts = [pmt.to_uint64(t.value) for t in got
                  if pmt.symbol_to_string(t.key) == "first_sample"]
        changed = 1 + [b - a for a, b in zip(starts, starts[1:])].index(500)
        self.assertEqual([(3, 2e3), (4, "fast"), (changed - 1, 4e3)],
                         [(t.offset, pmt.to_python(t.value)) for t in got
                          if pmt.symbol_to_string(t.key) == "rx_rate"])

    def test_lost_device(self):
        if PLACES == ["host"]:
            self.skipTest("no OpenCL device")
        samples = random_samples(np.random.default_rng(5), "cc", 3, 3 * APART)
        block = make("cc", 3, 50000, device=opencl_device())
        got = run_block(block, samples, actions=[
            (APART, lambda: cldsp.inject_failure("enqueue"))])[0]
        self.assertTrue(block.fell_back())
        self.assertEqual("host", block.device_name())
        self.check(got, expected(samples, 50000))

    def test_refused(self):
        good = dict(antennas=2, integration=10, device="host")
        for kind, (parameter, values) in itertools.product(KINDS, (
                ("antennas", (0, -1, 4097, 2.5, 2 ** 40)),
                ("integration", (0, -1, 10 ** 11 + 1, 0.5, 2 ** 80)),
                ("device", ("", "toaster", "99:0")))):
            for value in values:
                with self.subTest(kind=kind, parameter=parameter, value=value):
                    with self.assertRaisesRegex(ValueError, parameter + ".* is .*must be"):
                        make(kind, **dict(good, **{parameter: value}))
        block = make("cc", **good)
        for value in (0, -5, 10 ** 11 + 1, 2.5, 2 ** 80):
            with self.assertRaisesRegex(ValueError, "integration.* is .*must be"):
                block.set_integration(value)
        self.assertEqual(10, block.integration())

    def test_description(self):
        block = make("cc", 3, 10, device="host")
        self.assertEqual((3, 6, 10, "host", "simd", "none", "correlator"),
                         (block.antennas(), block.visibilities(), block.integration(),
                          block.device_name(), block.variant_name(), block.transfer_name(),
                          block.algorithm_name()))
        self.assertEqual(block.plan_details()["algorithm"], "correlator")
        run_block(block, random_samples(np.random.default_rng(6), "cc", 3, 1000))
        self.assertGreater(block.kernel_time_avg(), 0)


class qa_correlate(gr_unittest.TestCase):

    def check(self, samples, integration, **options):
        got = cldsp.correlate(samples, integration, **options)
        wanted = expected(samples, integration or samples.shape[1])
        self.assertEqual(np.complex64, got.dtype)
        self.assertEqual(wanted.shape if integration else wanted.shape[1:], got.shape)
        self.assertLess(np.max(np.abs(got - wanted)), 1e-6 * np.max(np.abs(wanted)))

    def test_values(self):
        rng = np.random.default_rng(7)
        for kind, place in itertools.product(KINDS, PLACES):
            samples = random_samples(rng, kind, 5, 3001)
            for integration in (None, 1, 500, 3001):
                self.check(samples, integration, device=place)
            self.check(samples[::2, 1::2], 100, device=place)
            self.check(samples, None)

    def test_order(self):
        x = np.array([[1 + 2j], [3 - 1j]], np.complex64)
        np.testing.assert_array_equal([5, 1 - 7j, 10], cldsp.correlate(x))

    def test_refused(self):
        good = np.ones((2, 10), np.complex64)
        for bad in (5, None, [[1]], np.ones((2, 10)), good[0], good[:, :0], good[:0],
                    np.ones((2, 10), np.int8), np.ones((2, 10, 3), np.int8),
                    np.ones((4097, 1), np.complex64)):
            with self.assertRaisesRegex(ValueError, "samples.* is .*must be"):
                cldsp.correlate(bad)
        for bad in (0, -1, 11, 2.5, 2 ** 80):
            with self.assertRaisesRegex(ValueError, "integration.* is .*must be"):
                cldsp.correlate(good, bad)
        with self.assertRaisesRegex(ValueError, "toaster"):
            cldsp.correlate(good, device="toaster")


if __name__ == "__main__":
    gr_unittest.main()
