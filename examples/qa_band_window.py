#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The band receiver's window, without a display."""

import os
import re
import sys
import time
import wave
from contextlib import contextmanager

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

    def test_without_a_display(self):
        path = write(self.folder / "band.cu8", make_band(0.1))
        os.environ.pop("WAYLAND_DISPLAY", None)
        for display, words in (("", r"\(QT_QPA_PLATFORM is 'xcb'\)"),
                               (":4711", r"\(DISPLAY is ':4711', .*\)")):
            done = self.run_program("", "--input", path, "--sample-rate", SAMPLE_RATE, status=1,
                                    DISPLAY=display, QT_QPA_PLATFORM="xcb")
            self.assertRegex(done.stderr, f"^error: there is no display.* {words}; "
                             "--headless needs none\n$")
            self.assertEqual("", done.stdout)

    def test_refuses_screenshots(self):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        path = write(self.folder / "band.cu8", make_band(0.1))
        band = "--input", path, "--sample-rate", SAMPLE_RATE, "--freq", CENTRE
        self.refuse("", r"--screenshot is a\.jpg, but must end with \.png", *band, "--screenshot",
                    "a.jpg")
        self.refuse("", "--screenshot needs the window", *band, "--headless", "--screenshot",
                    "a.png")

    @contextmanager
    def opened(self, gain=None):
        """The window over a running stream, Qt, and its tests."""
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        sys.path.insert(0, str(HERE))
        from argparse import Namespace

        from band_receiver import band as bands
        from band_receiver import gui, options
        from band_receiver.receiver import BandReceiver
        from common import qt
        from common.qt import QtWidgets

        application = QtWidgets.QApplication.instance() or QtWidgets.QApplication(sys.argv[:1])
        path = write(self.folder / "band.cs8", make_band(1.0))
        args = Namespace(input=str(path), type="", freq=CENTRE, sample_rate=SAMPLE_RATE,
                         repeat=True, seconds=None, raster=25000.0, raster_origin=None, channels=None,
                         channel_rate=CHANNEL_RATE)
        stream = options.open_stream(args, options.open_recording(args), live=True)
        stream.gain = gain
        receiver = BandReceiver(stream, bands.make_band(args), {"device": "host"}, -45.0, CENTRE)
        window = gui.Window(receiver, -45.0, self.folder, sound=False)
        receiver.start()
        window.show()
        try:
            yield window, qt, qt.module("QtTest")
        finally:
            receiver.stop()
            receiver.wait()
            receiver.recorder.close()
            window.close()
        del application

    def test_mouse_and_sliders(self):
        with self.opened() as (window, qt, qt_test):
            receiver, QtCore = window.receiver, qt.QtCore
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
            colours, counts = np.unique(window.band_view.history.picture, return_counts=True)
            self.assertEqual(0xff000004, colours[np.argmax(counts)])
            self.assertGreater(len(colours), 20)
            self.turn_and_type(qt, qt_test, window)
            # In a channel without a signal the noise is dark, too.
            receiver.tuner.tune(CENTRE - 50000)
            self.wait_for(qt_test, lambda: np.mean(
                window.channel_view.history.picture[0] == 0xff000004) > 0.8)
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

    def test_modes_and_widths(self):
        with self.opened() as (window, qt, qt_test):
            demodulator, mode = window.receiver.demodulator, window.mode
            view, keys = window.channel_view, qt.QtCore.Qt.Key
            self.assertEqual(("NFM", "21 kHz"), self.shown(mode))
            for key, name, ends, width in (
                    (keys.Key_A, "AM", (-5000, 5000), "10 kHz"),
                    (keys.Key_L, "LSB", (-2800, -100), "2.7 kHz"),
                    (keys.Key_U, "USB", (100, 2800), "2.7 kHz"),
                    (keys.Key_N, "NFM", (-10500, 10500), "21 kHz"),
                    (keys.Key_U, "USB", (100, 2800), "2.7 kHz")):
                qt_test.QTest.keyClick(window.band_view, key)
                self.assertEqual(name.lower(), demodulator.mode.name)
                self.assertEqual(ends, demodulator.passband())
                self.assertEqual((name, width), self.shown(mode))
                self.assertEqual((0.0, *ends), view.marked)
                self.assertEqual((window.receiver.tuner.frequency, *ends), window.band_view.marked)
            # The lists set what they show.
            mode.widths.activated.emit(mode.widths.findText("1.8 kHz"))
            self.assertEqual((100, 1900), demodulator.passband())
            mode.modes.activated.emit(mode.modes.findText("AM"))
            self.assertEqual((-5000, 5000), demodulator.passband())
            self.assertEqual(("AM", "10 kHz"), self.shown(mode))
            # The outer ends follow the mouse, which tunes nothing then, and has another shape there.
            shapes = qt.QtCore.Qt.CursorShape
            for hz, shape in ((5000, shapes.SizeHorCursor), (-5000, shapes.SizeHorCursor),
                              (1000, shapes.CrossCursor)):
                self.move(qt, view, hz)
                self.assertEqual(shape, view.cursor().shape())
            self.drag(qt, qt_test, view, 5000, 3000)
            self.assertAlmostEqual(6000, demodulator.width, delta=400)
            self.drag(qt, qt_test, view, demodulator.passband()[0], -12000)
            self.assertAlmostEqual(24000, demodulator.width, delta=400)
            self.assertEqual(f"{demodulator.width / 1e3:g} kHz", mode.widths.currentText())
            self.assertEqual((0.0, *demodulator.passband()), view.marked)
            self.drag(qt, qt_test, view, demodulator.passband()[1], 0)
            self.assertEqual(300, demodulator.width)
            mode.set_mode(demodulator.mode)
            qt_test.QTest.keyClick(window.band_view, keys.Key_L)
            self.drag(qt, qt_test, view, -2800, -4000)
            self.assertAlmostEqual(3900, demodulator.width, delta=200)
            self.assertEqual(CENTRE, window.receiver.tuner.frequency)
            # The meter shows what is heard: noise beside a carrier is quiet.
            window.receiver.tuner.tune(CENTRE + 50000)
            self.assertTrue(mode.key("N"))
            self.wait_for(qt_test, lambda: abs(window.meter.level + 20) < 1)
            window.receiver.tuner.tune(CENTRE + 50000 + 15000)
            self.drag(qt, qt_test, view, 10500, 2000)
            self.wait_for(qt_test, lambda: window.meter.level < -40)
            # A passband of some pixels is for clicks.
            self.assertFalse(window.band_view.is_end(qt.QtCore.QPoint(
                round(window.band_view.place_of(window.receiver.tuner.frequency + 2000)), 40)))

    @staticmethod
    def shown(mode):
        return mode.modes.currentText(), mode.widths.currentText()

    @staticmethod
    def place(qt, view, hz):
        return qt.QtCore.QPoint(round(view.place_of(hz)), 30)

    def move(self, qt, view, hz):
        """Moves the mouse to a frequency."""
        place, buttons = self.place(qt, view, hz), qt.QtCore.Qt.MouseButton
        moved = qt.QtGui.QMouseEvent(
            qt.QtCore.QEvent.Type.MouseMove, qt.QtCore.QPointF(place),
            qt.QtCore.QPointF(view.mapToGlobal(place)), buttons.NoButton, buttons.LeftButton,
            qt.QtCore.Qt.KeyboardModifier.NoModifier)
        qt.QtWidgets.QApplication.sendEvent(view, moved)

    def drag(self, qt, qt_test, view, begin, end):
        """Moves the mouse with its button down, from a frequency to another one."""
        left, none = qt.QtCore.Qt.MouseButton.LeftButton, qt.QtCore.Qt.KeyboardModifier.NoModifier
        qt_test.QTest.mousePress(view, left, none, self.place(qt, view, begin))
        self.move(qt, view, end)
        qt_test.QTest.mouseRelease(view, left, none, self.place(qt, view, end))

    def test_keys_of_the_spectrum(self):
        with self.opened() as (window, qt, qt_test):
            band, channel, keys = window.band_view, window.channel_view, qt.QtCore.Qt.Key

            def press(key):
                qt_test.QTest.keyClick(band, key)

            window.receiver.tuner.tune(CENTRE + 50000)
            narrow = channel.shown
            place = band.place_of(CENTRE + 50000)
            for key, count, rate in ((keys.Key_Plus, 2, 2), (keys.Key_Equal, 2, 4),
                                     (keys.Key_Minus, 2, 2)):
                for _ in range(count):
                    press(key)
                self.assertAlmostEqual(SAMPLE_RATE / rate, band.shown[1])
                self.assertAlmostEqual(place, band.place_of(CENTRE + 50000), places=3)
            channel.zoom(4, 1000)
            press(keys.Key_0)
            self.assertEqual(((CENTRE, SAMPLE_RATE), narrow), (band.shown, channel.shown))
            press(keys.Key_P)
            self.wait_for(qt_test, lambda: channel.peaks is not None and channel.peaks.max() > -40)
            # Those of another channel are not shown with this one.
            window.timer.stop()
            window.receiver.tuner.tune(CENTRE - 50000)
            qt_test.QTest.qWait(1)
            self.assertLess(channel.peaks.max(), -200)
            window.timer.start()
            press(keys.Key_V)
            self.assertEqual("peaks held, average of 19 spectra", band.remarks())
            self.assertEqual(band.weight, channel.weight)
            press(keys.Key_P)
            self.assertEqual((None, None), (band.peaks, channel.peaks))
            # The table of keys stays in the middle, and goes by a key or a click.
            shown = window.help
            left = qt.QtCore.Qt.MouseButton.LeftButton
            for hides in (lambda: press(keys.Key_H), lambda: press(keys.Key_Escape),
                          lambda: qt_test.QTest.mouseClick(shown, left)):
                press(keys.Key_H)
                self.assertTrue(shown.isVisible())
                hides()
                self.assertFalse(shown.isVisible())
            press(keys.Key_Question)
            self.assertTrue(shown.isVisible())
            for size in ((1400, 900), (1100, 820)):
                window.resize(*size)
                self.wait_for(qt_test, lambda: abs(shown.geometry().center().x()
                                                   - window.width() / 2) < 2)
                self.assertTrue(window.rect().contains(shown.geometry()))

    def test_recording(self):
        with self.opened() as (window, qt, qt_test):
            recorder, button = window.receiver.recorder, window.record
            window.receiver.tuner.tune(CENTRE + 50000)
            self.wait_for(qt_test, lambda: window.meter.level > -25)
            self.assertEqual("Record", button.text())
            window.mute.toggle()
            qt_test.QTest.keyClick(window.band_view, qt.QtCore.Qt.Key.Key_R)
            self.assertTrue(button.isChecked())
            path = recorder.path
            self.assertRegex(path.name, r"^446050000Hz_\d{8}T\d{6}Z\.wav$")
            self.wait_for(qt_test, lambda: recorder.seconds > 1)
            self.wait_for(qt_test, lambda: re.match("^\u25cf 0:0[1-9]$", button.text()))
            self.assertEqual(path.name, window.file_label.text())
            self.assertTrue(window.file_label.isVisible())
            qt_test.QTest.mouseClick(button, qt.QtCore.Qt.MouseButton.LeftButton)
            self.assertEqual(("Record", None), (button.text(), recorder.path))
            self.wait_for(qt_test, lambda: not window.file_label.isVisible())
            # The sound is in the file, though it was muted.
            with wave.open(str(path)) as audio:
                self.assertEqual((1, 2, CHANNEL_RATE), audio.getparams()[:3])
                self.assertEqual(recorder.seconds, audio.getnframes() / CHANNEL_RATE)
                frames = np.frombuffer(audio.readframes(audio.getnframes()), dtype="<i2") / 32768
            heard = np.abs(np.fft.rfft(frames[-CHANNEL_RATE // 2:]))
            self.assertEqual(1000, 2 * np.argmax(heard[5:]) + 10)
            # A folder that is gone is told, and the stream goes on.
            button.folder = self.folder / "gone"
            button.toggle()
            self.assertFalse(button.isChecked())
            self.wait_for(qt_test, lambda: "gone" in window.failure_label.text())
            self.assertTrue(window.failure_label.isVisible())
            self.assertFalse(window.help_label.isVisible())
            before = window.receiver.levels.windows
            self.wait_for(qt_test, lambda: window.receiver.levels.windows > before + 10)
            button.folder = self.folder
            button.toggle()
            self.wait_for(qt_test, lambda: window.help_label.isVisible())

    def test_gain(self):
        class Gain:
            least, most, has_automatic = 0.0, 49.6, True
            is_automatic, gain = True, 12.5

            def automatic(self):
                return self.is_automatic

            def value(self):
                return self.gain

            def set(self, gain):
                self.is_automatic, self.gain = False, gain

            def set_automatic(self):
                self.is_automatic = True

        gain = Gain()
        with self.opened(gain) as (window, qt, qt_test):
            from band_receiver.controls import GainControl

            control = window.findChild(GainControl)
            self.assertEqual(("gain automatic", 125), (control.label.text(), control.slider.value()))
            self.assertTrue(control.automatic.isChecked())
            control.slider.setValue(496)
            self.assertEqual((False, 49.6), (gain.is_automatic, gain.gain))
            self.assertEqual("gain 49.6 dB", control.label.text())
            self.assertFalse(control.automatic.isChecked())
            left = qt.QtCore.Qt.MouseButton.LeftButton
            qt_test.QTest.mouseClick(control.automatic, left)
            self.assertEqual((True, "gain automatic"), (gain.is_automatic, control.label.text()))
            qt_test.QTest.mouseClick(control.automatic, left)
            self.assertEqual((False, 49.6), (gain.is_automatic, gain.gain))
            gain.has_automatic = gain.is_automatic = False
            self.assertFalse(GainControl(gain).automatic.isVisibleTo(control))
        with self.opened() as (window, _qt, _qt_test):
            self.assertIsNone(window.findChild(GainControl))

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
        self.assertAlmostEqual(SAMPLE_RATE / 64, view.shown[1])
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
