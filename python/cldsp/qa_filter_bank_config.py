#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Bad arguments of every bank raise a ValueError that names the parameter."""

import numpy as np
from gnuradio import gr_unittest
from qa_support import BANK_TYPES, make_bank

nan, inf = float("nan"), float("inf")


class qa_filter_bank_config(gr_unittest.TestCase):

    good = dict(decimation=2, taps=[1.0], center_freqs=[0.0, 0.1, 0.2], sampling_freq=1.0,
                device="host", variant="auto", transfer="auto", algorithm="auto",
                accuracy=1e-5)

    def check(self, parameter, *values, suffixes=BANK_TYPES):
        for suffix in suffixes:
            for value in values:
                arguments = dict(self.good)
                arguments[parameter] = value
                with self.subTest(suffix=suffix, value=value):
                    with self.assertRaisesRegex(ValueError, parameter + ".* is .*must be"):
                        make_bank(suffix, **arguments)

    def test_good(self):
        for suffix in BANK_TYPES:
            make_bank(suffix, **self.good)

    def test_decimation(self):
        self.check("decimation", 0, -1, -2147483648)

    def test_taps(self):
        self.check("taps", [], [nan], [1, inf], [[]], [[], []], [[1], [], [1]],
                   [[1], [nan], [1]], [[1], [2]], [[1]] * 4, [[1, 2], 3, 4], [1, [2], [3]],
                   ["1"], "123", [None], np.zeros((2, 2)), np.zeros((3, 0)),
                   np.zeros((3, 2, 2)), [[1, 2j, "3"]])

    def test_taps_that_are_no_list(self):
        for value in (1.0, None, {1.0}):
            with self.assertRaisesRegex(TypeError, "taps"):
                make_bank("ccf", **dict(self.good, taps=value))

    def test_complex_taps(self):
        self.check("taps", [complex(0, nan)], [[1], [1], [1, complex(inf, 0)]],
                   suffixes=[suffix for suffix in BANK_TYPES if suffix[-1] == "c"])
        self.check("taps", [1j], [[1], [1], [1j]], np.array([1 + 2j, 3]),
                   [[1], [2], np.array([1 + 2j])], [1, np.complex64(1 + 2j)],
                   suffixes=[suffix for suffix in BANK_TYPES if suffix[-1] == "f"])

    def test_center_freqs(self):
        self.check("center_freqs", [], [nan], [0, inf], [0, 1, -inf])

    def test_sampling_freq(self):
        self.check("sampling_freq", 0, -1, nan, inf, -inf)

    def test_device(self):
        self.check("device", "", "toaster", "99:0", "0:99")

    def test_algorithm(self):
        self.check("algorithm", "", "magic")

    def test_accuracy(self):
        self.check("accuracy", -1e-9, 0.11, nan, inf, -inf)

    def test_latency(self):
        self.check("latency", -1e-9, 10.1, nan, inf, -inf)

    def test_plan(self):
        self.check("plan", "", "soon")

    def test_variant(self):
        self.check("variant", "", "espresso")

    def test_transfer(self):
        self.check("transfer", "", "teleport")

    def test_positions_of_the_arguments(self):
        arguments = list(self.good.values())
        for i, (parameter, bad) in enumerate((
                ("decimation", 0), ("taps", []), ("center_freqs", []), ("sampling_freq", 0),
                ("device", "toaster"), ("variant", "espresso"), ("transfer", "teleport"),
                ("algorithm", "magic"), ("accuracy", -1))):
            with self.assertRaisesRegex(ValueError, parameter):
                make_bank("ccf", *arguments[:i], bad, *arguments[i + 1:])

    def test_algorithm_in_the_place_of_the_variant(self):
        """The bank's former order of arguments is refused, never misread."""
        values = list(self.good.values())[:4]
        for suffix in BANK_TYPES:
            for device in ("host", "auto"):
                for algorithm in ("direct", "fast_convolution"):
                    with self.subTest(suffix=suffix, device=device, algorithm=algorithm):
                        with self.assertRaisesRegex(
                                ValueError, f"variant.* is '{algorithm}'.*must be"):
                            make_bank(suffix, *values, device, algorithm)
            for rest in ((1e-5,), (1e-5, "auto", "auto")):
                with self.assertRaisesRegex(TypeError, "'transfer' is .* a text"):
                    make_bank(suffix, *values, "host", "auto", *rest)

    def test_set_center_freq(self):
        bank = make_bank("ccf", **self.good)
        for channel in (-1, 3, 2**31 - 1):
            with self.assertRaisesRegex(ValueError, f"channel.*{channel}.*0 to 2"):
                bank.set_center_freq(channel, 1.0)
        for value in (nan, inf, -inf):
            with self.assertRaisesRegex(ValueError, "center_freq"):
                bank.set_center_freq(0, value)
        self.assertEqual([0.0, 0.1, 0.2], bank.center_freqs())

    def test_channel_that_is_not_whole(self):
        bank = make_bank("ccf", **self.good)
        for call in (lambda channel: bank.set_center_freq(channel, 1.0),
                     lambda channel: bank.set_channel_active(channel, False),
                     bank.channel_active, bank.remove_channel,
                     lambda channel: bank.schedule(channel, [(0, 1.0)])):
            for value in (0.5, 2**40, -2**40, nan):
                with self.assertRaisesRegex(
                        ValueError, f"'channel' is {value}, but must be a whole number, 0 to"):
                    call(value)
        self.assertEqual([0.0, 0.1, 0.2], bank.center_freqs())
        self.assertTrue(bank.channel_active(1.0))
        self.check("max_channels", 2.5, 2**32, suffixes=["ccf"])
        with self.assertRaisesRegex(ValueError, "'decimation' is 1.5, but must be"):
            bank.add_channel([1.0], 0.0, 1.5)

    def test_set_center_freqs(self):
        bank = make_bank("ccf", **self.good)
        for value in ([], [1.0], [1.0] * 4, [0, nan, 0], [inf, 0, 0]):
            with self.assertRaisesRegex(ValueError, "center_freqs"):
                bank.set_center_freqs(value)
        self.assertEqual([0.0, 0.1, 0.2], bank.center_freqs())

    def test_set_taps(self):
        for suffix in BANK_TYPES:
            bank = make_bank(suffix, **self.good)
            for value in ([], [nan], [0, inf], [[]], [[1], [2]], [[1], [], [2]],
                          [[1], [2], [nan]], [[1], 2, 3]):
                with self.assertRaisesRegex(ValueError, "taps"):
                    bank.set_taps(value)
            self.assertEqual([[1.0]], bank.taps())

    def test_many_taps(self):
        bank = make_bank("ccf", **self.good)
        self.assertEqual(1 << 24, bank.max_taps())
        self.assertEqual(8192, bank.history())
        bank.set_taps([[1.0], [1.0] * 50000, [1.0]])
        self.assertEqual([1, 50000, 1], [len(t) for t in bank.taps()])
        self.assertEqual(8192, bank.history())

    def test_many_taps_at_construction(self):
        bank = make_bank("ccf", **dict(self.good, taps=[[1.0], [1.0] * 3000, [1.0]]))
        self.assertEqual(12000, bank.history())


if __name__ == "__main__":
    gr_unittest.run(qa_filter_bank_config)
