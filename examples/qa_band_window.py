#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The band receiver's window, without a display."""

import os
import sys
import time

import numpy as np
from band_test_support import (CENTRE, CHANNEL_RATE, HERE, PNG, RASTER, SAMPLE_RATE, TIMEOUT_S,
                               BandTest, main, make_band, write)


class band_window(BandTest):
    """The window, without a display."""

    def test_runs_to_the_end_of_a_file(self):
        path = write(self.folder / "band.cu8", make_band(1.0))
        done = self.run_program("", "--input", path, "--sample-rate", SAMPLE_RATE, "--freq",
                                CENTRE, "--screenshot", "w.png", QT_QPA_PLATFORM="offscreen")
        self.assertIn("17 channels from band.cu8", done.stdout)
        self.assertEqual(PNG, (self.folder / "w.png").read_bytes()[:8])

    def test_refuses_screenshots(self):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        path = write(self.folder / "band.cu8", make_band(0.1))
        band = "--input", path, "--sample-rate", SAMPLE_RATE, "--freq", CENTRE
        self.refuse("", r"--screenshot is a\.jpg, but must end with \.png", *band, "--screenshot",
                    "a.jpg")
        self.refuse("", "--screenshot needs the window", *band, "--headless", "--screenshot",
                    "a.png")

    def test_mouse_and_sliders(self):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        sys.path.insert(0, str(HERE))
        from argparse import Namespace

        from band_receiver import band as bands
        from band_receiver import gui, options
        from band_receiver.receiver import BandReceiver
        from common import qt
        from common.qt import QtCore, QtWidgets

        qt_test = qt.module("QtTest")
        application = QtWidgets.QApplication.instance() or QtWidgets.QApplication(sys.argv[:1])
        path = write(self.folder / "band.cs8", make_band(1.0))
        args = Namespace(input=str(path), freq=CENTRE, sample_rate=SAMPLE_RATE, repeat=True,
                         seconds=None, raster=25000.0, raster_origin=None, channels=None,
                         channel_rate=CHANNEL_RATE)
        receiver = BandReceiver(options.open_stream(args, live=True), bands.make_band(args),
                                {"device": "host"}, -45.0, CENTRE)
        window = gui.Window(receiver, -45.0, self.folder, sound=False)
        receiver.start()
        window.show()
        try:
            self.wait_for(qt_test, lambda: receiver.levels.windows > 20)
            self.wait_for(qt_test, lambda: window.band_view.spectrum is not None)
            for share in (0.22, 0.83):
                view = window.band_view
                place = QtCore.QPoint(round(view.place_of((share - 0.5) * SAMPLE_RATE + CENTRE)),
                                      view.height() // 2)
                qt_test.QTest.mouseClick(view, QtCore.Qt.MouseButton.LeftButton,
                                         QtCore.Qt.KeyboardModifier.NoModifier, place)
                clicked = (share - 0.5) * SAMPLE_RATE
                self.wait_for(qt_test, lambda c=clicked: abs(
                    receiver.bank.center_freqs()[-1] - c) < 0.8 * RASTER)
                offset = receiver.bank.center_freqs()[-1]
                self.assertEqual(0, offset % RASTER)
                self.wait_for(qt_test, lambda o=offset: window.dial.frequency == CENTRE + o)
            self.wait_for(qt_test, lambda: window.busy_list.count() == 3)
            window.busy_list.itemClicked.emit(window.busy_list.item(1))
            self.wait_for(qt_test, lambda: receiver.bank.center_freqs()[-1] == 50000)
            # The strongest of the spectrum is where the strongest channel is.
            loudest = np.argmax(window.band_view.spectrum) / len(window.band_view.spectrum) - 0.5
            self.assertLess(abs(loudest * SAMPLE_RATE + 125000), RASTER / 2)
            # Noise is black, and signals are not.
            colours, counts = np.unique(window.band_view.waterfall, return_counts=True)
            self.assertEqual(0xff000004, colours[np.argmax(counts)])
            self.assertGreater(len(colours), 20)
            self.turn_and_type(qt, qt_test, window)
            # In a channel without a signal the noise is dark, too.
            receiver.tuner.tune(CENTRE - 50000)
            self.wait_for(qt_test, lambda: np.mean(
                window.channel_view.waterfall[0] == 0xff000004) > 0.8)
            self.mute(qt, qt_test, window)
            self.zoom(qt, qt_test, window)
            self.check_rows(qt, qt_test, window.busy_list)
            window.slider.setValue(1234)
            self.wait_for(qt_test, lambda: receiver.bank.center_freqs()[-1] == 123400)
            others = receiver.bank.center_freqs()[:-1]
            self.assertEqual(list(range(-200000, 200001, RASTER)), others)
            self.wait_for(qt_test, lambda: "3 of 17" in window.state_label.text())
            # The level of a carrier is that of its amplitude, 0.1.
            receiver.tuner.tune(CENTRE + 50000)
            self.wait_for(qt_test, lambda: abs(window.meter.level + 20) < 1)
            self.assertRegex(window.level_label.text(), r"level -\d+ dBFS, squelch")
            window.threshold.setValue(-10)
            self.wait_for(qt_test, lambda: "0 of 17" in window.state_label.text())
            self.assertEqual(-10, receiver.demodulator.squelch.threshold())
            self.assertEqual(-10, window.meter.threshold)
            meter = window.meter
            qt_test.QTest.mouseClick(meter, QtCore.Qt.MouseButton.LeftButton,
                                     QtCore.Qt.KeyboardModifier.NoModifier,
                                     QtCore.QPoint(round(meter.place_of(-60)), 4))
            self.assertAlmostEqual(-60, window.threshold.value(), delta=1)
            self.assertEqual(window.threshold.value(), receiver.demodulator.squelch.threshold())
        finally:
            receiver.stop()
            receiver.wait()
            window.close()
        del application

    def mute(self, qt, qt_test, window):
        """The key and the button silence the sound; the volume may be set meanwhile."""
        window.volume.setValue(50)
        self.assertAlmostEqual(0.25, window.volume_block.k())
        qt_test.QTest.keyClick(window.band_view, qt.QtCore.Qt.Key.Key_M)
        self.assertTrue(window.mute.isChecked())
        window.volume.setValue(60)
        self.assertEqual((0, "volume 60 %, muted"),
                         (window.volume_block.k(), window.volume_label.text()))
        qt_test.QTest.mouseClick(window.mute, qt.QtCore.Qt.MouseButton.LeftButton)
        self.assertAlmostEqual(0.36, window.volume_block.k())
        self.assertEqual("volume 60 %", window.volume_label.text())

    def zoom(self, qt, qt_test, window):
        """The wheel with Ctrl tunes nothing, and what is tuned is seen."""
        view, tuner = window.band_view, window.receiver.tuner
        control = qt.QtCore.Qt.KeyboardModifier.ControlModifier
        tuned, whole = tuner.frequency, (CENTRE, SAMPLE_RATE)
        self.assertEqual(whole, view.shown)
        place = qt.QtCore.QPoint(round(view.place_of(CENTRE - 125000)), 40)
        pointed = view.frequency_at(place.x())
        self.turn_wheel(qt, view, place, 4 * 120, control)
        self.assertEqual(tuned, tuner.frequency)
        self.assertAlmostEqual(SAMPLE_RATE / 4, view.shown[1])
        self.assertAlmostEqual(pointed, view.frequency_at(place.x()), places=3)
        # The strongest channel is drawn where the axis has it.
        image = view.grab().toImage()
        upper, lower = view.plots()
        heat = [image.pixel(x, round(lower.top()) + 6) & 0xffffff
                for x in range(round(lower.left()), round(lower.right()))]
        hot = [x + lower.left() for x, colour in enumerate(heat) if colour >> 16 > 200]
        self.assertLess(abs(view.frequency_at(np.mean(hot)) - (CENTRE - 125000)), RASTER / 2)
        self.assertRegex(view.text_at(place), r"^445\.87\d\d MHz   -\d+ dBFS$")
        tuner.tune(CENTRE + 200000)
        self.wait_for(qt_test, lambda: view.marked[0] == CENTRE + 200000)
        self.assertTrue(upper.left() < view.place_of(CENTRE + 200000) < upper.right())
        # Not out of the band, nor so close that there is nothing to see.
        self.turn_wheel(qt, view, place, 40 * 120, control)
        self.assertAlmostEqual(SAMPLE_RATE / 32, view.shown[1])
        self.turn_wheel(qt, view, place, -40 * 120, control)
        self.assertEqual(whole, view.shown)

    def check_rows(self, qt, qt_test, rows):
        """A list is as high as whole rows."""
        listed = qt.WholeRowList()
        listed.setStyleSheet(qt.STYLE)
        listed.addItems([str(k) for k in range(40)])
        listed.show()
        for height in (200, 211, 217):
            listed.resize(200, height)
            qt_test.QTest.qWait(1)
            row = listed.visualItemRect(listed.item(0)).height()
            self.assertEqual(0, listed.viewport().height() % row)
            self.assertLess(height - listed.viewport().height(), row + 8)
        row = rows.visualItemRect(rows.item(0)).height()
        self.assertEqual(0, rows.viewport().height() % row)

    def turn_and_type(self, qt, qt_test, window):
        """The mouse wheel and the keys, from the channel at 50 kHz."""
        tuner, view, dial = window.receiver.tuner, window.band_view, window.dial
        shift, none = (qt.QtCore.Qt.KeyboardModifier.ShiftModifier,
                       qt.QtCore.Qt.KeyboardModifier.NoModifier)
        keys = qt.QtCore.Qt.Key
        middle = qt.QtCore.QPoint(view.width() // 2, 40)
        ten_khz = qt.QtCore.QPoint(round(dial.place_of(4)) + 5, 5)  
        lower = qt.QtCore.QPoint(ten_khz.x(), dial.height() - 5)
        for act, offset in (
                (lambda: self.turn_wheel(qt, view, middle, 120), 75000),
                (lambda: self.turn_wheel(qt, view, middle, -60), 75000),  # half a notch
                (lambda: self.turn_wheel(qt, view, middle, -60), 50000),
                (lambda: self.turn_wheel(qt, view, middle, 240, shift), 50200),
                (lambda: qt_test.QTest.keyClick(view, keys.Key_Left, shift), 50100),
                (lambda: qt_test.QTest.keyClick(view, keys.Key_Right), 75000),
                (lambda: qt_test.QTest.keyClick(view, keys.Key_Left), 50000),
                (lambda: qt_test.QTest.keyClick(view, keys.Key_PageUp), 175000),
                (lambda: qt_test.QTest.keyClick(view, keys.Key_PageUp), -125000),
                (lambda: qt_test.QTest.keyClick(view, keys.Key_PageDown), 175000),
                (lambda: self.turn_wheel(qt, dial, ten_khz, -120), 165000),
                (lambda: qt_test.QTest.mouseClick(dial, qt.QtCore.Qt.MouseButton.LeftButton, none,
                                                  ten_khz), 175000),
                (lambda: qt_test.QTest.mouseClick(dial, qt.QtCore.Qt.MouseButton.LeftButton, none,
                                                  lower), 165000)):
            act()
            self.assertEqual(CENTRE + offset, tuner.frequency)
            self.wait_for(qt_test, lambda o=offset: dial.frequency == CENTRE + o)
        self.assertEqual("446 165 000 Hz", dial.text())
        # The tooltip names frequency and level, or time, of the place under the mouse.
        x = round(view.place_of(CENTRE - 125000))
        for place, pattern in ((qt.QtCore.QPoint(x, 40), r"^445\.87\d\d MHz   -\d+ dBFS$"),
                               (qt.QtCore.QPoint(x, view.height() - 60),
                                r"^445\.87\d\d MHz   \d+\.\d s ago$"),
                               (qt.QtCore.QPoint(2, 40), "^$")):
            self.assertRegex(view.text_at(place), pattern)
        # Each new spectrum renews the tooltip of a mouse that rests.
        told = []
        view.tell, view.underMouse = told.append, lambda: True
        rest = qt.QtCore.QPoint(x, 40)
        qt_test.QTest.mouseMove(view, rest)
        self.wait_for(qt_test, lambda: told.count(rest) > 3)
        view.leaveEvent(qt.QtCore.QEvent(qt.QtCore.QEvent.Type.Leave))
        self.assertIsNone(view.pointed)
        del view.tell, view.underMouse
        # The frequency of a file without a centre may be negative.
        below = type(dial)()
        below.show_frequency(-125000)
        self.assertEqual("-125 000 Hz", below.text())
        self.assertEqual([0, 3, 8], [below.power_at(below.place_of(p) + 1) for p in (0, 3, 8)])
        self.assertIsNone(below.power_at(1))
        below.grab()

    @staticmethod
    def turn_wheel(qt, widget, place, angle, modifiers=None):
        none = qt.QtCore.Qt.KeyboardModifier.NoModifier
        event = qt.QtGui.QWheelEvent(
            qt.QtCore.QPointF(place), qt.QtCore.QPointF(widget.mapToGlobal(place)),
            qt.QtCore.QPoint(0, 0), qt.QtCore.QPoint(0, angle),
            qt.QtCore.Qt.MouseButton.NoButton, modifiers or none,
            qt.QtCore.Qt.ScrollPhase.NoScrollPhase, False)
        qt.QtWidgets.QApplication.sendEvent(widget, event)

    def wait_for(self, qt_test, condition):
        limit = time.monotonic() + TIMEOUT_S
        while not condition():
            self.assertLess(time.monotonic(), limit)
            qt_test.QTest.qWait(50)


if __name__ == "__main__":
    main()
