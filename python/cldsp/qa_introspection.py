#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A block reports its device, variant, transfer, times and plan."""

import inspect
import itertools
import pathlib
import re
import unittest

import numpy as np
from gnuradio import cldsp, gr_unittest
from qa_support import make_block, opencl_device, run_block


class qa_introspection(gr_unittest.TestCase):

    items = np.ones(100000, np.complex64)

    def test_host(self):
        block = make_block("ccf", 4, [1.0] * 100, 0, 1, device="host")
        self.assertEqual(0, block.kernel_time_avg())
        run_block(block, self.items)
        self.assertEqual("host", block.device_name())
        self.assertEqual("none", block.transfer_name())
        self.assertGreater(block.kernel_time_avg(), 0)
        self.assertEqual(0, block.transfer_time_avg())
        self.assertFalse(block.fell_back())

    def test_algorithm(self):
        for algorithm in ("direct", "fast_convolution"):
            block = make_block("ccf", 4, [1.0] * 100, 0, 1, device="host",
                               algorithm=algorithm)
            self.assertEqual(algorithm, block.algorithm_name())
            self.assertTrue(block.plan().startswith(algorithm), block.plan())
            self.assertNotIn("\n", block.plan())
            details = block.plan_details()
            self.assertEqual(algorithm, details["algorithm"])
            self.assertEqual(block.variant_name(), details["variant"])
            self.assertEqual(block.device_name(), details["device_name"])
            self.assertEqual(block.transfer_name(), details["transfer"])
            self.assertEqual("block" in block.plan().split(":")[0], details["block"] > 0)
            self.assertIn(details["runner_up"], block.plan())
            self.assertEqual("", details["reason"])
            for rate in ("predicted", "measured"):
                told = rate + f" {details[rate] / 1e6:.4g} MS/s"
                self.assertEqual(details[rate] > 0, told in block.plan(), block.plan())

    def test_auto_says_what_it_chose(self):
        block = make_block("ccf", 4, [1.0] * 100, 0, 1, algorithm="auto")
        self.assertIn(block.algorithm_name(), ("direct", "fast_convolution"))
        for name in (block.algorithm_name(), block.variant_name()):
            self.assertIn(name, block.plan())

    def test_volk(self):
        block = make_block("volk_ccf", 4, [1.0] * 100, 0, 1)
        self.assertEqual(("host", "direct", "volk", "none"),
                         (block.device_name(), block.algorithm_name(), block.variant_name(),
                          block.transfer_name()))

    @unittest.skipIf(opencl_device() == "host", "no OpenCL CPU device")
    def test_device(self):
        names = [d["name"] for d in cldsp.devices() if d["kind"] == "cpu"]
        variants = [v["name"] for v in cldsp.list_variants() if not v["host"]]
        for transfer in ("copy", "mapped", "zero_copy"):
            block = make_block("ccf", 4, [1.0] * 100, 0, 1, device="cpu", transfer=transfer)
            run_block(block, self.items)
            self.assertIn(block.device_name(), names)
            self.assertIn(block.variant_name(), variants)
            self.assertEqual("direct", block.algorithm_name())
            self.assertEqual(transfer, block.transfer_name())
            self.assertGreater(block.kernel_time_avg(), 0)
            self.assertLess(block.kernel_time_avg(), 60)

    @unittest.skipIf(opencl_device() == "host", "no OpenCL CPU device")
    def test_named_variant(self):
        # The engine's tests make all of them. Here are the ones that compile quickly.
        for variant in cldsp.list_variants():
            if variant["host"] or variant["name"] not in ("naive", "local", "cpu_tile",
                                                          "fused_fold"):
                continue
            with self.subTest(variant=variant["name"]):
                try:
                    block = make_block("ccc", 4, [1.0] * 100, 0, 1, device="cpu",
                                       variant=variant["name"])
                except ValueError as e:  # this variant is for another kind of device
                    self.assertIn(variant["name"], str(e))
                    self.skipTest(str(e))
                self.assertEqual(variant["name"], block.variant_name())

    def test_devices(self):
        devices = cldsp.devices()
        self.assertEqual("host", devices[-1]["id"])
        for device in devices:
            self.assertEqual({"id", "name", "kind", "platform", "vendor", "version", "driver",
                              "compute_units", "max_work_group_size", "local_memory",
                              "max_buffer"}, set(device))
            self.assertIn(device["kind"], ("host", "cpu", "gpu", "accelerator"))

    def test_every_device_can_be_named_by_its_id(self):
        for device in cldsp.devices():
            block = make_block("ccf", 4, [1.0], 0, 1, device=device["id"])
            self.assertEqual(device["name"], block.device_name())

    def test_variants(self):
        variants = cldsp.list_variants()
        names = [v["name"] for v in variants]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("volk", names)
        self.assertTrue(any(v["production"] and not v["host"] for v in variants))
        self.assertTrue(all(v["description"] for v in variants))
        self.assertEqual({"direct", "fast_convolution"}, {v["algorithm"] for v in variants})

    def test_sample_types(self):
        for row in cldsp.sample_types():
            with self.subTest(type=row["name"]):
                parts = 2 if row["complex"] else 1
                self.assertEqual(8 * row["item_size"], row["bits"] * parts)
                value = ("v" if row["zero"] == 0 else f"(v - {row['zero']:g})") + \
                    f" / {row['one']:g}"
                self.assertTrue(row["number"] == "float" or row["description"].endswith(
                    value if row["complex"] else "not scaled"), row)
                for kind, taps in itertools.product(("fir_filter", "fft_filter", "filter_bank"),
                                                    "cf"):
                    name = f"freq_xlating_{kind}_{row['letters']}{taps}"
                    block = getattr(cldsp, name)(1, [1.0], [0] if "bank" in kind else 0, 1,
                                                 device="host", variant="simd")
                    self.assertEqual(row["item_size"],
                                     block.input_signature().sizeof_stream_item(0))

    def test_the_manual_lists_every_type(self):
        manual = pathlib.Path(__file__).resolve().parents[2] / "docs" / "blocks.md"
        listed = re.findall(r"^\| `freq_xlating_fir_filter_(\w+)c`, `_(\w+)f` \| `(\w+)` \| (.+) "
                            r"\| complex, float \|$", manual.read_text(encoding="utf-8"), re.M)
        self.assertEqual(sorted((row["letters"], row["letters"], row["name"], row["description"])
                                for row in cldsp.sample_types()), sorted(listed))

    def test_what_only_tests_use_is_not_listed(self):
        listed = dir(cldsp)
        self.assertTrue({"devices", "gemm", "tune_probe", "freq_xlating_fir_filter_ccf",
                         "__version__"} <= set(listed))
        self.assertEqual([], [name for name in listed if inspect.ismodule(getattr(cldsp, name))])
        self.assertNotIn("inject_failure", listed)

    def test_an_argument_of_a_wrong_type_is_named_in_a_line(self):
        taps = [1.0] * 1000

        def fir(*given, **named):
            return cldsp.freq_xlating_fir_filter_ccf(*given, **named)

        block = fir(42, taps, 0, 1e6, "host", "simd")
        bank = cldsp.freq_xlating_filter_bank_ccf(42, taps, [0], 1e6, "host", "simd")
        for sentence, call in {
                "parameter 'taps' is 'abc', but must be a list of numbers":
                lambda: fir(42, "abc", 0, 1e6),
                "parameter 'taps' has 'b' at [1000], but must be a list of numbers":
                lambda: fir(42, taps + ["b"], 0, 1e6),
                "parameter 'device' is 3, but must be a text": lambda: fir(42, taps, 0, 1e6, 3),
                "parameter 'center_freq' is a list of 1000, but must be a number":
                lambda: fir(42, taps, taps, 1e6),
                "parameter 'rewrite_tags' is 'no', but must be True or False":
                lambda: fir(42, taps, 0, 1e6, "host", rewrite_tags="no"),
                "there is no parameter 'devise': did you mean 'device'?":
                lambda: fir(42, taps, 0, 1e6, devise="host"),
                "parameter 'taps' is given twice": lambda: fir(42, taps, 0, 1e6, taps=taps),
                "parameter 'channel' is missing: channel_tuner() takes channel":
                lambda: cldsp.channel_tuner(),
                "too many arguments, 2: set_center_freq() takes center_freq":
                lambda: block.set_center_freq(0, 1e3),
                "parameter 'channel' is 'a', but must be a whole number":
                lambda: bank.set_center_freq("a", 1e3),
                "parameter 'decimation' is 'a', but must be a whole number, or a list of whole "
                "numbers": lambda: cldsp.freq_xlating_filter_bank_ccf("a", taps, [0], 1e6),
                "parameter 'tag_propagation_policy' is 'all', but must be a "
                "tag_propagation_policy_t": lambda: cldsp.multiply_matrix_ff([[1]], "all"),
                "too many arguments, 1: devices() takes no arguments":
                lambda: cldsp.devices("host")}.items():
            with self.assertRaises(TypeError) as caught:
                call()
            self.assertEqual(sentence, str(caught.exception))
        # No later call of a right one is hindered.
        block.set_center_freq(1)
        self.assertEqual(1, block.center_freq())

    def test_the_types_of_other_releases_of_pybind11_are_known(self):
        for text in ("f(a: collections.abc.Sequence[typing.SupportsFloat], b: typing.SupportsInt)",
                     "f(a: list[typing.SupportsFloat | typing.SupportsIndex], b: int = 3)"):
            self.assertEqual("parameter 'a' has 'x' at [1], but must be a list of numbers",
                             cldsp.arguments._told("f", text, ([1, "x"], 2), {}))
            self.assertEqual("parameter 'b' is 2.5, but must be a whole number",
                             cldsp.arguments._told("f", text, ([1.5], 2.5), {}))
        # A type that is not known is never called wrong.
        self.assertEqual("an argument is of a wrong type: f() takes a",
                         cldsp.arguments._told("f", "f(a: new.kind[int]) -> None", (object(),), {}))

    def test_inject_failure_checks_its_arguments(self):
        with self.assertRaisesRegex(ValueError, "call.*coffee"):
            cldsp.inject_failure("coffee")
        with self.assertRaisesRegex(ValueError, "after.*-1"):
            cldsp.inject_failure("enqueue", -1)


if __name__ == "__main__":
    gr_unittest.run(qa_introspection)
