#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The probe tunes fast convolution and the 1-bit correlator while they stream."""

import unittest

# This import comes first, because it sets the folder for tuned values.
from qa_tune_probe_support import ProbeTest, endless_source, wait_for

import numpy as np
from gnuradio import blocks, cldsp, gr_unittest
from qa_support import (connect_sinks, error_db, make_bank, opencl_device, random_items,
                        random_taps, reference)

PERIOD = 1 << 14


class KindTest(ProbeTest):

    def check_tuned(self, probe, block, family):
        """Checks that one problem was tuned, and that the block changed to the new engine."""
        done = self.done()
        self.assertEqual([], self.reports.of("error"))
        self.assertEqual((1, 1, 0), tuple(done[k] for k in ("tuned", "renewed", "failed")))
        result, = self.reports.of("result")
        self.assertEqual((family, block.device_name()), (result["family"], result["device"]))
        wait_for(lambda: probe.block_statistics()[0]["renewals"] == 1)
        statistics, = probe.block_statistics()
        self.assertEqual((block.alias(), block.plan(), False),
                         tuple(statistics[k] for k in ("alias", "plan", "fell_back")))
        return result

    def wait_for_outputs(self, block, count):
        at = block.nitems_written(0) + count
        wait_for(lambda: block.nitems_written(0) > at)


@unittest.skipIf(opencl_device() != "cpu", "no OpenCL CPU device")
class qa_tune_probe_fast_convolution(KindTest):

    def start_stream(self, probe, frequencies, **options):
        rng = np.random.default_rng(5)
        self.period = random_items(rng, "ccf", PERIOD)
        self.taps = random_taps(rng, "ccf", 301)
        self.frequencies = frequencies
        self.block = make_bank("ccf", 5, self.taps, frequencies, 1, device="cpu",
                               accuracy=0, **options)
        self.source = endless_source(self.period)
        tb = self.flowgraph(probe)
        self.sinks = connect_sinks(tb, self.source, self.block, len(frequencies))
        tb.start()
        wait_for(lambda: self.block.nitems_written(0) > 0)

    def check_stream(self):
        self.end(self.source, *self.sinks, decimation=5)
        items = np.resize(self.period, self.source.count)
        for frequency, sink in zip(self.frequencies, self.sinks):
            self.assertLess(error_db(np.array(sink.data()),
                                     reference(items, 5, self.taps, frequency, 1)), -120)

    def test_where_it_is_named(self):
        for frequencies, variant in (([0.15], "fused_fold"), ([0.1, -0.2], "vkfft")):
            with self.subTest(frequencies=frequencies):
                try:
                    self.check_named(frequencies, variant)
                finally:
                    self.tearDown()

    def check_named(self, frequencies, variant):
        probe = cldsp.tune_probe("cpu", "blocks", 0.1, "random")
        self.start_stream(probe, frequencies, variant=variant)
        self.assertEqual(variant, self.block.variant_name())
        probe.tune()
        result = self.check_tuned(probe, self.block, "fast_convolution_" + variant)
        self.assertIn("taps=301", result["problem"])
        self.assertIn("ifft_size=", result["point"])
        self.assertEqual(variant, self.block.variant_name())
        self.wait_for_outputs(self.block, 10000)
        self.check_stream()

    def test_no_block_is_kept_waiting_for_it_on_a_processor(self):
        # On a CPU device each point would take seconds to compile, and "auto" does not run fast
        # convolution.
        probe = cldsp.tune_probe("cpu", "blocks", 0.1, "random")
        self.start_stream(probe, [0.15])
        probe.tune()
        self.check_tuned(probe, self.block, "fir_cpu_tile")
        self.check_stream()

    def test_by_name(self):
        probe = cldsp.tune_probe("cpu", "W3-fast", 0.1, "random")
        self.flowgraph(probe).start()
        probe.tune()
        self.done()
        self.assertEqual([], self.reports.of("error"))
        result, = self.reports.of("result")
        self.assertEqual("fast_convolution_vkfft", result["family"])
        self.assertIn("taps=101", result["problem"])


@unittest.skipIf(opencl_device() != "cpu", "no OpenCL CPU device")
class qa_tune_probe_gemm_1bit(KindTest):

    CODES, BYTES = 24, 32

    def start_stream(self, probe, **options):
        rng = np.random.default_rng(6)
        self.period = rng.integers(0, 256, (3000, self.BYTES), dtype=np.uint8)
        self.codes, self.other = (rng.integers(0, 256, (self.CODES, self.BYTES), dtype=np.uint8)
                                  for _ in range(2))
        self.block = cldsp.gemm_1bit_bi(self.codes, device="cpu", **options)
        self.source = endless_source(self.period, 100)
        self.sink = blocks.vector_sink_i(self.CODES)
        self.flowgraph(probe).connect(self.source, self.block, self.sink)
        self.tb.start()
        wait_for(lambda: self.block.nitems_written(0) > 0)

    def correlations(self, codes):
        """The correlations of the items of a period: sums of the products of +1 and -1."""
        items, codes = (2 * np.unpackbits(m, axis=1).astype(np.int64) - 1
                        for m in (self.period, codes))
        return items @ codes.T

    def check_stream(self):
        """
        All items came out, first with the first codes and then, if they changed, with the others.
        """
        self.end(self.source, self.sink, decimation=1)
        result = np.array(self.sink.data()).reshape(-1, self.CODES)
        self.assertEqual(self.source.count, len(result))
        first, second = (np.resize(self.correlations(codes), result.shape)
                         for codes in (self.codes, self.other))
        wrong = np.flatnonzero((result != first).any(axis=1))
        changed = wrong[0] if len(wrong) else len(result)
        np.testing.assert_array_equal(second[changed:], result[changed:])
        return changed, len(result)

    def test_it_takes_what_is_tuned_and_keeps_its_codes(self):
        probe = cldsp.tune_probe("cpu", "blocks", 0.1, "random")
        self.start_stream(probe, variant="cpu_tile")
        probe.tune()
        result = self.check_tuned(probe, self.block, "gemm_1bit_cpu_tile")
        for text in (f"codes={self.CODES}", f"bits={8 * self.BYTES}", "items="):
            self.assertIn(text, result["problem"])
        self.assertEqual(self.codes.tolist(), [list(code) for code in self.block.codes()])
        self.wait_for_outputs(self.block, 500)
        statistics, = probe.block_statistics()
        self.assertEqual("cpu_tile", statistics["variant"])
        self.assertGreater(statistics["kernel_time"], 0)
        # The block counts bits, so the single-precision roofline does not apply to it.
        self.assertEqual((0, 0), (statistics["operations"], statistics["roof_fraction"]))

        # The new engine accepts other codes, as the old one did.
        before = self.block.nitems_written(0)
        self.block.set_codes(self.other)
        self.wait_for_outputs(self.block, 500)
        changed, count = self.check_stream()
        self.assertTrue(before <= changed < count, (before, changed, count))

    def test_codes_set_while_it_is_tuned_stay(self):
        probe = cldsp.tune_probe("cpu", "blocks", 1, "random")
        self.start_stream(probe, variant="cpu_tile")
        probe.tune()
        wait_for(lambda: self.reports.of("progress"))
        self.block.set_codes(self.other)
        self.check_tuned(probe, self.block, "gemm_1bit_cpu_tile")
        self.wait_for_outputs(self.block, 500)
        changed, count = self.check_stream()
        self.assertLess(changed, count)

    def test_a_variant_without_parameters(self):
        probe = cldsp.tune_probe("cpu", "blocks", 3600)
        self.start_stream(probe, variant="naive")
        probe.tune()
        done = self.done()
        self.assertEqual((0, 0), (done["tuned"], done["renewed"]))
        self.assertIn("no running block", done["text"])
        self.check_stream()

    def test_by_name(self):
        probe = cldsp.tune_probe("cpu", "G3", 0.1, "random")
        self.flowgraph(probe).start()
        probe.tune()
        self.done()
        self.assertEqual([], self.reports.of("error"))
        result, = self.reports.of("result")
        self.assertEqual("gemm_1bit_cpu_tile", result["family"])
        self.assertIn("items=4096", result["problem"])


@unittest.skipIf(opencl_device() != "cpu", "no OpenCL CPU device")
class qa_tune_probe_rates(KindTest):
    """A bank whose channels have different rates has nothing to tune, but is renewed."""

    def test_a_bank_of_different_rates(self):
        decimations = [4, 10]
        rng = np.random.default_rng(8)
        period = random_items(rng, "ccf", PERIOD)
        taps = random_taps(rng, "ccf", 101)
        bank = make_bank("ccf", decimations, taps, [0.1, -0.2], 1, device="cpu",
                         algorithm="direct", accuracy=0)
        source = endless_source(period)
        probe = cldsp.tune_probe("cpu", "blocks", 0.1, "random")
        tb = self.flowgraph(probe)
        sinks = connect_sinks(tb, source, bank, len(decimations))
        tb.start()
        wait_for(lambda: bank.nitems_written(1) > 0)
        probe.tune()
        done = self.done()
        self.assertEqual((0, 0, 0), tuple(done[k] for k in ("tuned", "renewed", "failed")))
        self.assertIn("no running block", done["text"])
        wait_for(lambda: not probe.tuning())

        probe.tune("W2", 0.1, "random")
        wait_for(lambda: len(self.reports.of("done")) == 2)
        done = self.reports.of("done")[-1]
        self.assertEqual((1, 1, 0), tuple(done[k] for k in ("tuned", "renewed", "failed")))
        wait_for(lambda: probe.block_statistics()[0]["renewals"] == 1)
        self.wait_for_outputs(bank, 500)
        source.ended = True
        wait_for(lambda: source.over)
        for sink, decimation in zip(sinks, decimations):
            wait_for(lambda: sink.nitems_read(0) == source.count // decimation)
        tb.stop()
        tb.wait()
        items = np.resize(period, source.count)
        for decimation, frequency, sink in zip(decimations, (0.1, -0.2), sinks):
            self.assertLess(error_db(np.array(sink.data()),
                                     reference(items, decimation, taps, frequency, 1)), -110)


if __name__ == "__main__":
    gr_unittest.main()
