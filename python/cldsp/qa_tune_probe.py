#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The probe tunes the block that streams and reports on it, and no sample is lost."""

import os
import unittest

# This import comes first, because it sets the folder for tuned values.
from qa_tune_probe_support import ProbeTest, endless_source, wait_for

import numpy as np
import pmt
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_support import (connect_sinks, error_db, make_block, opencl_device, post, random_items,
                        random_taps, reference, run_block)

PERIOD = 1 << 14
FIGURES = ("fp32", "global_read", "launch_latency")


class StreamTest(ProbeTest):
    """Tests with one filter that streams."""

    def start_stream(self, probe, **options):
        rng = np.random.default_rng(3)
        self.period = random_items(rng, "ccf", PERIOD)
        self.taps = random_taps(rng, "ccf", 301)
        self.options = dict(dict(device="cpu", variant="cpu_tile"), **options)
        self.block = make_block("ccf", 5, self.taps, 0.15, 1, **self.options)
        self.source = endless_source(self.period)
        self.sink = blocks.vector_sink_c()
        self.flowgraph(probe).connect(self.source, self.block, self.sink)
        self.tb.start()
        wait_for(lambda: self.block.nitems_written(0) > 0)

    def check_stream(self):
        """
        Ends the stream, and compares its outputs with the model's and with those of another run.
        """
        self.end(self.source, self.sink, decimation=5)
        result = np.array(self.sink.data())
        items = np.resize(self.period, self.source.count)
        self.assertEqual(len(items) // 5, len(result))
        self.assertLess(error_db(result, reference(items, 5, self.taps, 0.15, 1)), -120)
        undisturbed = make_block("ccf", 5, self.taps, 0.15, 1, **self.options)
        expected, _ = run_block(undisturbed, items)
        self.assertLess(error_db(result, expected), -120)


@unittest.skipIf(opencl_device() == "host", "no OpenCL CPU device")
class qa_tune_probe(StreamTest):

    def test_a_streaming_block_takes_what_is_tuned(self):
        probe = cldsp.tune_probe("auto", "blocks", 3, "random")
        self.start_stream(probe)
        self.assertEqual(("idle", "", 0), (probe.state(), probe.last_report, probe.speedup()))
        name = self.block.device_name()
        post(probe, pmt.intern("go"), "tune")
        done = self.done()
        self.assertEqual((1, 1, 0, False),
                         tuple(done[k] for k in ("tuned", "renewed", "failed", "stopped")))
        self.assertEqual([], self.reports.of("error"))

        progress = self.reports.of("progress")
        self.assertEqual(list(range(1, len(progress) + 1)), [p["done"] for p in progress])
        self.assertGreaterEqual(min(p["of"] - p["done"] for p in progress), 0)
        times = [p["best"] for p in progress if "best" in p]
        self.assertEqual(sorted(times, reverse=True), times)
        self.assertGreater(times[-1], 0)
        result, = self.reports.of("result")
        for report in progress + [result]:
            self.assertEqual(("fir_cpu_tile", name), (report["family"], report["device"]))
            self.assertIn("taps=301", report["problem"])
            self.assertIn("decimation=5", report["problem"])
        self.assertEqual(len(progress), result["points"])
        self.assertIn("width=", result["point"])
        self.assertAlmostEqual(result["speedup"], result["default_seconds"] / result["seconds"])
        self.assertEqual(result["speedup"], probe.speedup())
        # Whatever was measured, a slower point never takes the place of the default.
        self.assertGreaterEqual(result["speedup"], 1)
        self.assertEqual("done", probe.state())
        self.assertEqual(done["text"], probe.last_report)
        self.assertFalse(probe.tuning())

        # The stream changes to the new engine.
        wait_for(lambda: probe.block_statistics()[0]["renewals"] == 1)
        before = self.block.nitems_written(0)
        wait_for(lambda: self.block.nitems_written(0) > before + 20000)
        statistics, = probe.block_statistics()
        self.assertEqual((self.block.alias(), name, "direct", "cpu_tile", self.block.plan()),
                         tuple(statistics[k] for k in ("alias", "device", "algorithm",
                                                       "variant", "plan")))
        self.assertGreater(statistics["kernel_time"], 0)
        self.assertGreater(statistics["operations"], 0)
        self.assertGreater(statistics["samples"], before)
        self.assertFalse(statistics["fell_back"])
        self.check_stream()
        self.assertEqual([], probe.block_statistics())

    def test_stopped_it_keeps_what_it_found(self):
        for stop in (pmt.intern("stop"), pmt.to_pmt({"stop": True})):
            probe = cldsp.tune_probe("cpu", "blocks", 3600, "random")
            self.start_stream(probe)
            post(probe, pmt.PMT_NIL, "tune")
            wait_for(lambda: self.reports.of("progress"))
            self.assertEqual((True, "tuning"), (probe.tuning(), probe.state()))
            post(probe, stop, "tune")
            self.assertTrue(self.done()["stopped"])
            self.assertEqual("stopped", probe.state())
            self.assertEqual(1, len(self.reports.of("result")))
            wait_for(lambda: probe.block_statistics()[0]["renewals"] == 1)
            self.check_stream()

    def test_the_flowgraphs_end_is_the_tunings(self):
        probe = cldsp.tune_probe("cpu", "blocks", 3600, "random", at_start=True)
        self.start_stream(probe)
        wait_for(lambda: self.reports.of("progress"))
        self.tb.stop()
        self.tb.wait()
        self.assertEqual((False, "stopped"), (probe.tuning(), probe.state()))
        # The next run begins from the start.
        self.tb.start()
        wait_for(probe.tuning)

    def test_one_at_a_time(self):
        first = cldsp.tune_probe("cpu", "W1", 3600, "random")
        second = cldsp.tune_probe("cpu", "W1", 3600, "random")
        self.flowgraph(second).start()
        self.assertTrue(first.tune())
        self.assertFalse(first.tune())
        self.assertFalse(second.tune())
        self.assertIn("under way", second.last_report)
        self.assertEqual((False, "idle"), (second.tuning(), second.state()))
        post(second, pmt.intern("go"), "tune")
        wait_for(lambda: len(self.reports.of("error")) == 2)
        first.stop_tuning()
        wait_for(lambda: not first.tuning())
        self.assertTrue(second.tune(what="W3", budget_s=2))
        self.done()
        result, = self.reports.of("result")
        self.assertIn("taps=101", result["problem"])

    def test_a_message_has_its_own_wishes(self):
        probe = cldsp.tune_probe("cpu", "blocks", 3600, "random")
        self.flowgraph(probe).start()
        post(probe, pmt.to_pmt({"what": "W2", "budget_s": 2.0, "strategy": "annealing"}), "tune")
        self.done()
        result, = self.reports.of("result")
        self.assertIn("taps=201", result["problem"])
        self.assertIn("annealing", result["text"])

    def test_nothing_to_tune(self):
        # The variants of the ladder have no parameters to tune.
        probe = cldsp.tune_probe("cpu", "blocks", 3600)
        self.start_stream(probe, variant="local")
        probe.tune()
        done = self.done()
        self.assertEqual((0, 0), (done["tuned"], done["renewed"]))
        self.assertIn("no running block", done["text"])
        self.check_stream()

    def test_a_bank_takes_what_is_tuned(self):
        probe = cldsp.tune_probe("cpu", "blocks", 2, "random")
        rng = np.random.default_rng(4)
        period, taps = random_items(rng, "ccf", PERIOD), random_taps(rng, "ccf", 101)
        bank = cldsp.freq_xlating_filter_bank_ccf(4, taps, [0.1, -0.2], 1, device="cpu",
                                                  variant="cpu_tile")
        source = endless_source(period)
        tb = self.flowgraph(probe)
        sinks = connect_sinks(tb, source, bank, 2)
        tb.start()
        wait_for(lambda: bank.nitems_written(0) > 0)
        probe.tune()
        done = self.done()
        self.assertEqual((1, 1), tuple(done[k] for k in ("tuned", "renewed")))
        self.assertEqual("1 kernel tuned, 1 block chose its variant again", done["text"])
        wait_for(lambda: probe.block_statistics()[0]["renewals"] == 1)
        before = bank.nitems_written(0)
        wait_for(lambda: bank.nitems_written(0) > before + 10000)
        self.end(source, *sinks, decimation=4)
        items = np.resize(period, source.count)
        for frequency, sink in zip((0.1, -0.2), sinks):
            result = np.array(sink.data())
            self.assertLess(error_db(result, reference(items, 4, taps, frequency, 1)), -120)

    def test_roofline_and_queries(self):
        probe = cldsp.tune_probe("cpu", "roofline", 1, report_s=0.05)
        self.start_stream(probe)
        self.assertEqual({}, probe.roofline())
        wait_for(lambda: self.reports.of("blocks"))
        shown = self.reports.of("blocks")[-1]["blocks"][self.block.alias()]
        self.assertEqual((self.block.device_name(), "direct", "cpu_tile", False),
                         tuple(shown[k] for k in ("device", "algorithm", "variant",
                                                  "fell_back")))
        self.assertEqual(0, shown["roof_fraction"])
        observer = cldsp.tune_probe("cpu")
        self.assertEqual(0, observer.block_statistics()[0]["roof_fraction"])
        probe.tune()
        self.done()
        report = self.reports.of("roofline")[0]
        figures = probe.roofline()
        for name in FIGURES:
            self.assertGreater(figures[name], 0)
            self.assertEqual(figures[name], report[name])
        fraction = probe.block_statistics()[0]["roof_fraction"]
        self.assertGreater(fraction, 0)
        # A probe that had asked before learns of it.
        self.assertGreater(observer.block_statistics()[0]["roof_fraction"], 0)
        wait_for(lambda: self.reports.of("blocks")[-1]["blocks"][self.block.alias()][
            "roof_fraction"] > 0)
        # A probe that only reports uses the roofline that was measured.
        self.check_stream()
        other = cldsp.tune_probe("cpu")
        self.flowgraph(other).start()
        self.assertEqual(figures, other.roofline())
        post(other, pmt.PMT_T, "query")
        wait_for(lambda: self.reports.of("blocks"))
        self.assertEqual(["roofline", "blocks"], [r["event"] for r in self.reports.reports])


class qa_tune_probe_config(ProbeTest):

    def test_bad_arguments(self):
        for pattern, arguments in (
                (r"toaster.*host", dict(device="toaster")),
                (r"device.*empty", dict(device="")),
                (r"what.*'W9'.*'blocks', 'roofline', 'W1', 'W2', 'W3', 'W1-fast', 'W3-fast', "
                 r"'G1', 'G2' or 'G3'", dict(what="W9")),
                (r"what.*''", dict(what="")),
                (r"budget_s.*0\.05.*0\.1 to 3600", dict(budget_s=0.05)),
                (r"budget_s.*3601", dict(budget_s=3601)),
                (r"budget_s.*nan", dict(budget_s=float("nan"))),
                (r"strategy.*'luck'.*'annealing', 'swarm'", dict(strategy="luck")),
                (r"report_s.*-1.*0 for never", dict(report_s=-1)),
                (r"report_s.*0\.001", dict(report_s=0.001)),
                (r"report_s.*inf", dict(report_s=float("inf"))),
                (r"report_s.*nan", dict(report_s=float("nan")))):
            with self.subTest(arguments=arguments):
                self.assertRaisesRegex(ValueError, pattern, cldsp.tune_probe,
                                       **dict(dict(device="host"), **arguments))
        probe = cldsp.tune_probe("host")
        for pattern, arguments in ((r"what.*'W9'", dict(what="W9")),
                                   (r"budget_s.*-1", dict(budget_s=-1)),
                                   (r"strategy.*'luck'", dict(strategy="luck"))):
            self.assertRaisesRegex(ValueError, pattern, probe.tune, **arguments)
        self.assertEqual("idle", probe.state())

    def test_bad_messages_are_reported(self):
        probe = cldsp.tune_probe("host")
        self.flowgraph(probe).start()
        bad = (({"what": "W9"}, "'W9'"), ({"what": 5}, "what"), ({"budget_s": "long"}, "long"),
               ({"budget_s": 0}, "budget_s"), ({"budget_s": 1e9}, "is 1000000000,"),
               ({"strategy": "luck"}, "luck"), ({"stop": 1}, "stop"), ({"speed": 1}, "speed"))
        for count, (message, text) in enumerate(bad, 1):
            post(probe, pmt.to_pmt(message), "tune")
            wait_for(lambda: len(self.reports.of("error")) == count)
            self.assertIn(text, self.reports.of("error")[-1]["text"])
            self.assertIn("dropped", probe.last_report)
        self.assertEqual((False, "idle"), (probe.tuning(), probe.state()))

    def test_the_host_has_a_roofline_only(self):
        probe = cldsp.tune_probe("host", budget_s=0.5)
        self.flowgraph(probe).start()
        probe.tune()
        done = self.done()
        self.assertIn("the host has no kernels to tune", done["text"])
        self.assertEqual("host", self.reports.of("roofline")[0]["device"])
        self.assertGreater(probe.roofline()["fp32"], 0)

    @unittest.skipUnless(os.path.isdir("/proc/self/task"), "threads cannot be counted here")
    def test_an_unused_probe_ends(self):
        def threads():
            return len(os.listdir("/proc/self/task"))

        counts = []
        for _ in range(4):
            probe = cldsp.tune_probe("host", at_start=True, report_s=3600, budget_s=3600)
            tb = gr.top_block()
            tb.connect(probe)
            tb.start()
            tb.stop()
            tb.wait()
            del probe, tb
            counts.append(threads())
        # A thread that was joined stays in the list for a moment.
        wait_for(lambda: threads() <= counts[0])


if __name__ == "__main__":
    gr_unittest.main()
