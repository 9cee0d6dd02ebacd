#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Each block is made once and runs once, on the host, in a few seconds."""

import inspect
import pathlib
import re

import pmt
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_blocks_support import every_check, volk_checks
from qa_support import post


class qa_blocks_once(gr_unittest.TestCase):

    def test_blocks_that_compute(self):
        for name, check in every_check().items():
            with self.subTest(block=name):
                # Variants are named, because measuring takes longer than running.
                named = {} if name.startswith("correlator") else dict(variant="simd")
                block = check(device="host", **named)
                self.assertEqual(name, block.name())
                self.assertEqual(("host", "simd"), (block.device_name(), block.variant_name()))
                self.assertEqual(1, len(repr(block).splitlines()))
                self.assertRegex(repr(block), rf"^<{name}: .*; plan: .*simd on host.*>$")

    def test_blocks_on_volk(self):
        for name, check in volk_checks().items():
            with self.subTest(block=name):
                self.assertEqual(name, check().name())

    def test_fast_convolution(self):
        for name in ("freq_xlating_fir_filter_ccf", "freq_xlating_fft_filter_ccf",
                     "freq_xlating_filter_bank_ccf"):
            with self.subTest(block=name):
                block = every_check()[name](device="host", variant="polyphase")
                self.assertEqual("fast_convolution", block.algorithm_name())

    def run_messages(self, block, port, *messages):
        """What a block that has only messages sends."""
        received = blocks.message_debug()
        tb = gr.top_block()
        tb.msg_connect(block, port, received, "store")
        tb.start()
        for into, message in messages:
            post(block, message, into)
        # The block handles its messages in their order before the one that ends it.
        post(block, pmt.cons(pmt.intern("done"), pmt.from_long(1)), "system")
        tb.wait()
        return [pmt.to_python(received.get_message(i)) for i in range(received.num_messages())]

    def test_channel_tuner(self):
        tuner = cldsp.channel_tuner(3)
        self.assertEqual([(3, 5.0)], self.run_messages(
            tuner, "freq", ("freq", pmt.cons(pmt.intern("freq"), pmt.from_double(5.0)))))

    def test_probe(self):
        probe = cldsp.tune_probe("host")
        self.assertEqual(("idle", False), (probe.state(), probe.tuning()))
        with self.assertRaisesRegex(ValueError, "what"):
            probe.tune("nothing of this name")

    def test_a_repr_has_the_arguments_as_they_are_now(self):
        block = cldsp.freq_xlating_fir_filter_ccf(42, [1.0] * 61, 1e5, 2.016e6, device="host",
                                                  variant="simd")
        block.set_center_freq(250e3)
        self.assertIn("<freq_xlating_fir_filter_ccf: decimation=42, taps=<61 numbers>, "
                      "center_freq=250000 Hz, sampling_freq=2016000 Hz; plan: direct/simd on host",
                      repr(block))
        bank = cldsp.freq_xlating_filter_bank_ccf(
            taps=[[1.0], [1.0, 2.0]], center_freqs=[1, 2], sampling_freq=8e3, output_rate=1e3,
            device="host", variant="simd")
        self.assertIn("taps=<2 x 1 to 2>, center_freqs=[1, 2] Hz, output_rates=[1000] * 2 Hz; ",
                      str(bank))
        self.assertEqual("<channel_tuner: channel=3>", repr(cldsp.channel_tuner(3)))
        self.assertEqual("<tune_probe: state=idle>", repr(cldsp.tune_probe("host")))

    def test_the_help_lists_every_name(self):
        families = re.findall(r"\b(\w+)(\*|\b)", cldsp.__doc__)
        for name, value in vars(cldsp).items():
            if not name.startswith("_") and not inspect.ismodule(value) and \
                    name != "inject_failure":  # for tests
                self.assertTrue(any(name == start or star and name.startswith(start)
                                    for start, star in families), name)
        self.assertTrue(all(len(line) < 100 for line in cldsp.__doc__.splitlines()))

    def test_version(self):
        source = pathlib.Path(__file__).parents[2] / "CMakeLists.txt"
        self.assertIn(f"set(VERSION {cldsp.__version__})", source.read_text(encoding="utf-8"))

    def test_no_block_is_left_out(self):
        made = {name for name, value in vars(cldsp).items()
                if inspect.isclass(value) and hasattr(value, "to_basic_block")}
        self.assertEqual(made - {"channel_tuner", "tune_probe"},
                         set(every_check()) | set(volk_checks()))


if __name__ == "__main__":
    gr_unittest.run(qa_blocks_once)
