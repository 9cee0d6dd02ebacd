#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The tune monitor's window, without a display."""

import contextlib
import os
import re
import sys
import time

from band_test_support import HERE, PNG, TIMEOUT_S, BandTest, main
from gnuradio import cldsp

PROGRAM = HERE / "tune_monitor.py"
# A separate cache folder, so that other tests do not use these tunings and measurements.
FOLDER = "GR_CONF_CLDSP_CACHE_FOLDER"


class tune_monitor(BandTest):

    def show(self, *arguments):
        done = self.run_program(PROGRAM, "--sample-rate", "100e3", "--screenshot", "w.png",
                                "--strategy", "random", *arguments, QT_QPA_PLATFORM="offscreen",
                                **{FOLDER: str(self.folder / "cache")})
        self.assertEqual(PNG, (self.folder / "w.png").read_bytes()[:8])
        # At the start and at the end, in the words of the window.
        self.assertEqual(8, len(re.findall(r"^\d+ (?:taps|channels).*; \S.* computes by \S+/\S+, "
                                           r"\S+ µs a call, .*\d+ samples$", done.stdout, re.M)),
                         done.stdout)
        return done.stdout

    def test_tunes(self):
        if "cpu" not in [d["kind"] for d in cldsp.devices()]:
            self.skipTest("there is no OpenCL CPU device")
        printed = self.show("--device", "cpu", "--budget", 1)
        tuned, renewed = re.search(r"(\d+) kernels? tuned, (\d+) blocks chose", printed).groups()
        self.assertGreater(int(tuned), 0)
        self.assertEqual("4", renewed)
        shares = [float(share)
                  for share in re.findall(r": (\S+) % of what the device can do", printed)]
        self.assertGreater(max(shares), 0)

    def test_the_host(self):
        self.assertIn("the host has no kernels to tune", self.show("--device", "host"))

    def test_without_a_display(self):
        os.environ.pop("WAYLAND_DISPLAY", None)
        done = self.run_program(PROGRAM, "--device", "host", status=1, DISPLAY=":4711",
                                QT_QPA_PLATFORM="xcb")
        self.assertRegex(done.stderr, "^error: there is no display.* need none\n$")

    @contextlib.contextmanager
    def window(self, device, probe, measurements=()):
        """The window over a running stream, and Qt's tests."""
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        sys.path.insert(0, str(HERE))
        from common import qt
        from monitor import stream, window

        application = qt.QtWidgets.QApplication.instance() or \
            qt.QtWidgets.QApplication(sys.argv[:1])
        flowgraph = stream.Stream(100e3, device, "auto", probe)
        shown = window.Window(flowgraph, list(measurements))
        shown.show()
        try:
            yield shown, qt.module("QtTest"), qt.QtCore
        finally:
            shown.timer.stop()
            flowgraph.stop()
            flowgraph.wait()
            shown.close()
        del application

    def test_the_button_stops_and_starts(self):
        device = "cpu" if "cpu" in [d["kind"] for d in cldsp.devices()] else "host"
        probe = cldsp.tune_probe(device, "W3", 3600, "random")
        with self.window(device, probe) as (shown, qt_test, qt_core):
            self.wait_for(qt_test, shown.button.isEnabled)
            self.wait_for(qt_test, lambda: len(shown.bars.blocks) == 4)
            self.wait_for(qt_test, lambda: all(b["samples"] > 0 for b in shown.bars.blocks))
            qt_test.QTest.mouseClick(shown.button, qt_core.Qt.MouseButton.LeftButton)
            if device == "cpu":
                self.wait_for(qt_test, lambda: shown.button.text() == "Stop")
                self.wait_for(qt_test, lambda: "points" in shown.report_label.text())
                qt_test.QTest.mouseClick(shown.button, qt_core.Qt.MouseButton.LeftButton)
            self.wait_for(qt_test, lambda: not probe.tuning() and shown.button.text() == "Tune")

    def test_quantities(self):
        sys.path.insert(0, str(HERE))
        from monitor.bars import describe, figure, quantity, times

        self.assertEqual(["once", "twice", "3 times"], [times(count) for count in (1, 2, 3)])
        block = {"alias": "a filter", "algorithm": "direct", "variant": "cpu_tile", "renewals": 2,
                 "device": "cpu-haswell-Intel(R) Core(TM) i7-4770K CPU @ 3.50GHz", "samples": 9,
                 "kernel_time": 34.3e-6, "transfer_time": 1e-6, "operations": 79.1e9,
                 "roof_fraction": 0.29, "fell_back": False}
        self.assertEqual("29.0 % of what the device can do, 79.1 GFLOP/s", figure(block))
        self.assertEqual("PoCL on Intel Core i7-4770K computes by direct/cpu_tile, 34.3 µs a call, "
                         "1.0 µs for transfers, switched to a faster variant twice", describe(block))
        self.assertEqual("79.1 GFLOP/s; what the device can do is not known yet",
                         figure({**block, "roof_fraction": 0}))
        self.assertEqual("has computed nothing yet",
                         figure({**block, "operations": 0, "kernel_time": 0}))
        lost = {**block, "device": "host", "transfer_time": 0, "fell_back": True}
        self.assertEqual("host computes by direct/cpu_tile, 34.3 µs a call, instead of its own "
                         "device, which failed", describe(lost))
        for value, text in ((0, "0.00 S/s"), (12.34, "12.3 S/s"), (999.4, "999 S/s"),
                            (999.9, "1.00 kS/s"), (999949, "1.00 MS/s"), (23.456e9, "23.5 GS/s")):
            self.assertEqual(text, quantity(value, "S/s"))

    def test_the_stream_comes_before_the_measurements(self):
        class Measurement:
            """One that never ends."""

            last_report = "0 of 9 steps"
            begun = False

            def tune(self):
                self.begun = True
                return True

            def tuning(self):
                return self.begun

            def progress(self):
                return 0.1

        probe = cldsp.tune_probe("host", "W3", 1, "random")
        with self.window("host", probe, [Measurement()]) as (shown, qt_test, _):
            self.wait_for(qt_test, lambda: shown.view.spectrum is not None)
            self.wait_for(qt_test, lambda: re.fullmatch(r"(Keeps up with|Too slow: \S+ .?S/s of) "
                                                        r"100 kS/s", shown.speed_label.text()))
            self.wait_for(qt_test, lambda: len(shown.bars.blocks) == 4)
            self.wait_for(qt_test, lambda: all(b["samples"] > 0 for b in shown.bars.blocks))
            for rate, text in ((1.03, "Keeps up with 100 kS/s"),
                               (0.5, "Too slow: 50.0 kS/s of 100 kS/s")):
                shown.speed.value = lambda r=rate: r * 100e3
                shown._show_speed()
                self.assertEqual(text, shown.speed_label.text())
            self.assertFalse(shown.ready)
            self.assertIn("measuring what the devices can do", shown.roof_label.text())
            self.assertEqual("0 of 9 steps", shown.report_label.text())

    def wait_for(self, qt_test, condition):
        limit = time.monotonic() + TIMEOUT_S
        while not condition():
            self.assertLess(time.monotonic(), limit)
            qt_test.QTest.qWait(50)


class tune_monitor_bad_input(BandTest):

    def test_arguments(self):
        for pattern, *arguments in (
                (r"--sample-rate is 100,.*10e3 to 100e6", "--sample-rate", 100),
                (r"--seconds is 0", "--seconds", 0),
                (r"budget_s.*0\.1 to 3600", "--budget", 0),
                (r"strategy.*'luck'", "--strategy", "luck"),
                (r"device.*toaster", "--device", "toaster"),
                (r"variant.*espresso", "--variant", "espresso"),
                (r"--seconds is 2\.14748e\+06, but must be above 0, to 2147483", "--seconds",
                 2147484),
                (r"--seconds is nan", "--seconds", "nan"),
                (r"--screenshot is a.jpg, but must end with \.png", "--screenshot", "a.jpg"),
                (r"unrecognized arguments: --bogus", "--bogus")):
            with self.subTest(arguments=arguments):
                os.environ["QT_QPA_PLATFORM"] = "offscreen"
                self.refuse(PROGRAM, pattern, *arguments)

    def test_screenshots(self):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        self.refuse_outputs(PROGRAM, "--screenshot")


if __name__ == "__main__":
    main()
