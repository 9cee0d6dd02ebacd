#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The host replaces a device that runs every kernel without an error and computes nothing."""

import os
import pathlib
import unittest

# This import comes first, because it sets the folder for tuned values.
from qa_tune_probe_support import FOLDER, ProbeTest

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "kernels"
KERNELS = pathlib.Path(FOLDER.name) / "kernels"


def idle(source):
    """The kernels of a file, changed so that they return before they have done anything."""
    at = source.find("__kernel")
    while at >= 0:
        depth = 0
        while at < len(source) and (depth or source[at] != "{"):
            depth += (source[at] == "(") - (source[at] == ")")
            at += 1
        source = source[:at + 1] + " return;" + source[at + 1:]
        at = source.find("__kernel", at)
    return source


KERNELS.mkdir()
for path in SOURCE.rglob("*.cl"):
    (KERNELS / path.name).write_text(idle(path.read_text()))
os.environ["GR_CONF_CLDSP_KERNEL_PATH"] = str(KERNELS)

import numpy as np
import pmt
from gnuradio import cldsp, gr_unittest
from qa_support import (error_db, post, random_items, random_taps, reference, run_block)


@unittest.skipIf("cpu" not in [d["kind"] for d in cldsp.devices()], "no OpenCL CPU device")
class qa_nonsense_device(ProbeTest):

    def test_the_host_computes_for_a_named_device(self):
        rng = np.random.default_rng(1)
        taps, items = random_taps(rng, "ccf", 64), random_items(rng, "ccf", 20000)
        block = cldsp.freq_xlating_fir_filter_ccf(5, taps, 0.15, 1, device="cpu",
                                                  algorithm="direct")
        self.assertTrue(block.fell_back())
        self.assertEqual("host", block.device_name())
        self.assertIn("outputs", block.plan())
        result, _ = run_block(block, items)
        self.assertLess(error_db(result, reference(items, 5, taps, 0.15, 1)), -120)

    def test_a_probe_fails(self):
        probe = cldsp.tune_probe("cpu", "W2", 2, "random")
        self.flowgraph(probe).start()
        post(probe, pmt.intern("go"), "tune")
        done = self.done()
        self.assertEqual((0, 1), (done["tuned"], done["failed"]))
        self.assertEqual("failed", probe.state())
        error, = self.reports.of("error")
        self.assertIn("no point was right", error["text"])
        self.assertIn("it computes something else", error["text"])


if __name__ == "__main__":
    gr_unittest.run(qa_nonsense_device)
