#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Banks on an OpenCL device, with the direct algorithm for each channel."""

import unittest

import numpy as np
from gnuradio import cldsp, gr_unittest
from qa_filter_bank_support import bank_test_case
from qa_support import (BANK_TYPES, NEAR, make_bank, opencl_device, random_items, random_taps,
                        run_bank)


@unittest.skipIf(opencl_device() == "host", "no OpenCL CPU device")
class qa_filter_bank_device(bank_test_case):

    def tearDown(self):
        cldsp.inject_failure("none")

    def test_numbers_of_channels(self):
        for channels in (1, 7, 64):
            with self.subTest(channels=channels):
                self.check(channels, algorithm="direct", device=opencl_device(), bound=-120)

    def test_every_type(self):
        for suffix in BANK_TYPES:
            with self.subTest(suffix=suffix):
                self.check(3, suffix, algorithm="direct", device=opencl_device(), bound=-120)

    def test_what_ran(self):
        names = [d["name"] for d in cldsp.devices() if d["kind"] == "cpu"]
        variants = [v["name"] for v in cldsp.list_variants() if not v["host"]]
        bank = make_bank("ccf", 4, [1.0] * 20, [0.1, 0.2], 1, device="cpu", transfer="copy",
                         algorithm="direct")
        self.assertIn(bank.device_name(), names)
        self.assertIn(bank.variant_name(), variants)
        self.assertEqual(("direct", "copy"), (bank.algorithm_name(), bank.transfer_name()))

    def test_a_lost_device_is_left_for_the_host(self):
        rng = np.random.default_rng(2)
        taps = random_taps(rng, "ccf", 129)
        items = random_items(rng, "ccf", 4 * NEAR)
        center_freqs = [0.2, -0.3, 0.01]
        bank = make_bank("ccf", 3, taps, center_freqs, 1, device="cpu", algorithm="direct")
        results, _ = run_bank(bank, items, actions=[
            (NEAR, lambda: cldsp.inject_failure("enqueue"))])
        self.assertTrue(bank.fell_back())
        self.assertEqual("host", bank.device_name())
        self.check_outputs(results, "ccf", items, 3, [taps] * 3, center_freqs)

    def test_several_devices(self):
        """Every CPU device and the host share the channels, in whatever parts."""
        ids = [d["id"] for d in cldsp.devices() if d["kind"] in ("cpu", "host")]
        rng = np.random.default_rng(3)
        taps = random_taps(rng, "ccf", 129)
        items = random_items(rng, "ccf", 4 * NEAR)
        center_freqs = np.linspace(-0.4, 0.4, 9)
        bank = make_bank("ccf", 3, taps, center_freqs, 1, device=",".join(ids),
                         algorithm="direct")
        shares = bank.plan_details()["shares"]
        self.assertEqual(9, sum(share["channels"] for share in shares), shares)
        for share in shares:
            self.assertIn(share["device"], ids)
            self.assertIn(share["device_name"], bank.plan())
            self.assertEqual("direct", share["algorithm"])
        self.assertRegex(bank.plan(), r"^\d channels? on ")
        results, _ = run_bank(bank, items, actions=[
            (NEAR, lambda: cldsp.inject_failure("enqueue"))])
        self.check_outputs(results, "ccf", items, 3, [taps] * 9, center_freqs)
        self.assertEqual(any(share["device"] != "host" for share in shares),
                         bank.fell_back())
        self.assertEqual("host", bank.device_name())

    def test_bad_lists(self):
        device = opencl_device()
        first = cldsp.devices()[0]["id"]
        for bad, reason in ((f"{first},{first}", "twice"), (f"{first},9:9", "9:9"),
                            (f"{first},", "entry ''"), (f"host,{device}", device)):
            with self.assertRaisesRegex(ValueError, "parameter 'device'.*" + reason):
                make_bank("ccf", 4, [1.0] * 20, [0.1, 0.2], 1, device=bad)


if __name__ == "__main__":
    gr_unittest.run(qa_filter_bank_device)
