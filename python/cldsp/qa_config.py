#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Bad arguments of every block raise a ValueError that names the parameter."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
from gnuradio import cldsp, gr_unittest
from qa_support import FILTER_TYPES, IN_TREE_TYPES, make_block

nan, inf = float("nan"), float("inf")
VOLK_TYPES = tuple("volk_" + suffix for suffix in IN_TREE_TYPES)


class qa_config(gr_unittest.TestCase):

    good = dict(decimation=2, taps=[1.0], center_freq=0.0, sampling_freq=1.0)

    def check(self, suffixes, parameter, value):
        for suffix in suffixes:
            arguments = dict(self.good)
            if "volk" not in suffix:
                arguments["device"] = "host"
            arguments[parameter] = value
            with self.subTest(suffix=suffix, value=value):
                with self.assertRaisesRegex(ValueError, parameter):
                    make_block(suffix, **arguments)

    def check_all(self, parameter, *values):
        for value in values:
            self.check(FILTER_TYPES + VOLK_TYPES, parameter, value)

    def test_good(self):
        for suffix in FILTER_TYPES:
            make_block(suffix, **self.good, device="host")
        for suffix in VOLK_TYPES:
            make_block(suffix, **self.good)

    def test_decimation(self):
        self.check_all("decimation", 0, -1, -2147483648)

    def test_decimation_that_is_not_whole(self):
        for value in (2.5, np.float32(2.5), np.float64(0.5), nan, inf, 1e10, 2**31, 2**70,
                      -2**70, Fraction(5, 2)):
            with self.subTest(value=value):
                text = (re.escape(f"parameter 'decimation' is {value!r}, but must be ") +
                        "a whole number, 1 to 2147483647")
                for suffix in ("ccf", "cs16_c", "volk_scc"):
                    with self.assertRaisesRegex(ValueError, text):
                        make_block(suffix, **dict(self.good, decimation=value))
                with self.assertRaisesRegex(ValueError, text.replace("decimation", "decim")):
                    cldsp.freq_xlating_fft_filter_ccf(value, [1.0], 0, 1)
        for value in (Decimal("2.0000000000000000000001"), 10**5000):
            with self.assertRaisesRegex(ValueError, "'decimation' is .* whole number, 1 to"):
                make_block("ccf", **dict(self.good, decimation=value))
        for value in ("2", None, [2], 2 + 0j, np.complex64(2 + 3j), np.array([2, 3])):
            with self.assertRaisesRegex(TypeError, "decimation"):
                make_block("ccf", **dict(self.good, decimation=value))

    def test_whole_numbers_of_any_type(self):
        for value in (2.0, np.float32(2), np.int8(2), np.uint64(2), np.array(2),
                      np.array(2.0), Fraction(2)):
            with self.subTest(value=value):
                arguments = dict(self.good, decimation=value, device="host")
                self.assertEqual(2, make_block("ccf", **arguments).decimation())

    def test_taps_of_other_kinds(self):
        class tensor(list):  # of a library whose types have no kind
            dtype = object()

        endless = []
        endless.append(endless)
        for suffix in ("ccf", "fcc"):
            self.assertEqual([1.0, 2.0], list(make_block(
                suffix, **dict(self.good, taps=tensor([1, 2]), device="host")).taps()))
            with self.assertRaisesRegex(TypeError, "taps"):
                make_block(suffix, **dict(self.good, taps=endless))

    def test_an_interruption_is_no_bad_argument(self):
        class interrupted:
            def __int__(self):
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            make_block("ccf", **dict(self.good, decimation=interrupted()))

    def test_taps(self):
        self.check_all("taps", [], [nan], [1, inf], [-inf, 0])

    def test_complex_taps(self):
        for suffix in FILTER_TYPES + VOLK_TYPES:
            if suffix[-1] == "c":
                self.check([suffix], "taps", [complex(0, nan)])
            else:
                for taps in ([1j], [1, np.complex64(1 + 2j)], np.array([1 + 2j, 3])):
                    self.check([suffix], "taps", taps)
                    if "volk" not in suffix:
                        block = make_block(suffix, **self.good, device="host")
                        with self.assertRaisesRegex(ValueError, "taps.* real numbers"):
                            block.set_taps(taps)
                        self.assertEqual([1.0], list(block.taps()))

    def test_center_freq(self):
        self.check_all("center_freq", nan, inf, -inf)

    def test_sampling_freq(self):
        self.check_all("sampling_freq", 0, -1, nan, inf, -inf)

    def test_device(self):
        for value in ("", "toaster", "99:0", "0:99"):
            self.check(FILTER_TYPES, "device", value)

    def test_unknown_device_lists_what_there_is(self):
        with self.assertRaisesRegex(ValueError, "host"):
            make_block("ccf", **self.good, device="toaster")

    def test_variant(self):
        for value in ("", "espresso"):
            self.check(FILTER_TYPES, "variant", value)

    def test_transfer(self):
        for value in ("", "teleport"):
            self.check(FILTER_TYPES, "transfer", value)

    def test_algorithm(self):
        for value in ("", "magic"):
            self.check(FILTER_TYPES, "algorithm", value)

    def test_accuracy(self):
        for value in (-1e-9, 0.11, nan, inf, -inf):
            self.check(FILTER_TYPES, "accuracy", value)

    def test_latency(self):
        for value in (-1e-9, 10.1, nan, inf, -inf):
            self.check(FILTER_TYPES, "latency", value)
        with self.assertRaisesRegex(ValueError, "'latency' is -0.5, but must be 0 to 10 seconds"):
            make_block("ccf", **self.good, latency=-0.5)

    def test_plan(self):
        for value in ("", "soon", "Auto"):
            self.check(FILTER_TYPES, "plan", value)
        with self.assertRaisesRegex(ValueError,
                                    "'plan' is 'soon', but must be \"auto\" or \"wait\""):
            make_block("ccf", **self.good, plan="soon")

    def test_positions_of_the_arguments(self):
        for i, (parameter, bad) in enumerate((
                ("device", "toaster"), ("variant", "espresso"), ("transfer", "teleport"),
                ("algorithm", "magic"), ("accuracy", -1), ("latency", -1), (None, True),
                ("plan", "soon"))):
            if parameter is None:
                continue # any value is a truth value
            arguments = [2, [1.0], 0.0, 1.0, "host", "auto", "auto", "auto", 1e-5, 0.025, True,
                         "wait"]
            arguments[4 + i] = bad
            with self.assertRaisesRegex(ValueError, parameter):
                cldsp.freq_xlating_fir_filter_ccf(*arguments)

    def blocks(self):
        for suffix in FILTER_TYPES:
            yield make_block(suffix, **self.good, device="host")
        for suffix in VOLK_TYPES:
            yield make_block(suffix, **self.good)

    def test_set_center_freq(self):
        for block in self.blocks():
            for value in (nan, inf, -inf):
                with self.assertRaisesRegex(ValueError, "center_freq"):
                    block.set_center_freq(value)
            self.assertEqual(0.0, block.center_freq())

    def test_set_taps(self):
        for block in self.blocks():
            for value in ([], [nan], [0, inf]):
                with self.assertRaisesRegex(ValueError, "taps"):
                    block.set_taps(value)
            self.assertEqual([1.0], list(block.taps()))

    def test_many_taps(self):
        for block in self.blocks():
            self.assertEqual(1 << 24, block.max_taps())
            self.assertEqual(8192, block.history())
            block.set_taps([1.0] * 50000)
            self.assertEqual(50000, len(block.taps()))
            self.assertEqual(8192, block.history())

    def test_many_taps_at_construction(self):
        block = make_block("ccf", 1, [1.0] * 3000, 0, 1, device="host")
        self.assertEqual(12000, block.history())


if __name__ == "__main__":
    gr_unittest.run(qa_config)
