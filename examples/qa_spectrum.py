#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The spectra of windows and pictures: a tone is where its frequency is."""

import os
import re
import sys

import numpy as np

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from band_test_support import BandTest, main
from band_receiver.waterfall import Waterfall
from common import picture, qt
from common.history import COLOURS, History, columns
from common.live_spectrum import LiveSpectrum, bins_for
from common.spectrum_view import SpectrumView

RATE, CENTRE, BINS = 240000, 446e6, 256
APPLICATION = qt.QtWidgets.QApplication.instance() or qt.QtWidgets.QApplication(sys.argv[:1])


def tone(offset, count):
    return np.exp(2j * np.pi * offset / RATE * np.arange(count)).astype(np.complex64)


def middle(values):
    """The middle of what stands out of values, at least 0, in the unit of their indices."""
    return np.sum(values * np.arange(len(values))) / np.sum(values)


class spectrum(BandTest):
    def seen(self, offset, zoom=1):
        """A view of a tone."""
        made = LiveSpectrum(RATE, BINS, 20)
        samples = tone(offset, RATE // 2)
        self.assertEqual(len(samples), made.work([samples], []))
        view = SpectrumView(BINS, 40, made.period)
        view.set_range(CENTRE, RATE)
        view.resize(1100, 500)
        view.add(made.take())
        view.zoom(zoom, CENTRE + offset)
        view.mark(CENTRE + offset, 0, 0)
        return view

    @staticmethod
    def drawn(view):
        """Where spectrum and waterfall show what is strongest."""
        image = view.grab().toImage()
        upper, lower = view.plots()
        columns = range(round(upper.left()), round(upper.right()) + 1)
        row = round(lower.top()) + 8
        heat = np.array([image.pixel(x, row) >> 16 & 255 for x in columns], float)
        # The line is the only bright blue. A peak is as high as its first pixel from above.
        blue = np.array([[image.pixel(x, y) & 255 for x in columns]
                         for y in range(round(upper.top()), round(upper.bottom()))])
        high = np.argmax(blue > 200, axis=0) + np.where(blue.max(axis=0) > 200, 0, 1000)
        place = np.flatnonzero(high <= high.min() + 3).mean()
        return [view.frequency_at(columns[0] + x + 0.5)
                for x in (place, middle(np.maximum(0, heat - 128)))]

    def test_a_tone_in_a_window(self):
        bin_hz = RATE / BINS
        for offset in (0, 40 * bin_hz, -101 * bin_hz, 110 * bin_hz):
            for zoom in (1, 4):
                with self.subTest(offset=offset, zoom=zoom):
                    view = self.seen(offset, zoom)
                    for frequency in self.drawn(view):
                        self.assertLess(abs(frequency - CENTRE - offset), 0.2 * bin_hz)
                    # The tooltip reads what is drawn there: the tone's level, and less beside it.
                    for beside, level in ((0, 0), (0.5, -3), (-0.5, -3)):
                        x = view.place_of(CENTRE + offset + beside * bin_hz)
                        text = view.text_at(qt.QtCore.QPointF(x, 40))
                        seen = int(re.search(r" (-?\d+) dBFS$", text)[1])
                        self.assertLessEqual(abs(seen - level), 2)

    @staticmethod
    def press(view, kind, x, y, button="LeftButton"):
        """Sends a press, move, release or double click of a mouse's button."""
        kinds, buttons = qt.QtCore.QEvent.Type, qt.QtCore.Qt.MouseButton
        place = qt.QtCore.QPointF(x, y)
        kind = getattr(kinds, kind)
        button = getattr(buttons, button)
        down = buttons.NoButton if kind == kinds.MouseButtonRelease else button
        event = qt.QtGui.QMouseEvent(kind, place, place, button, down,
                                     qt.QtCore.Qt.KeyboardModifier.NoModifier)
        qt.QtWidgets.QApplication.sendEvent(view, event)

    def drag(self, view, begin, end, y, button="LeftButton"):
        self.press(view, "MouseButtonPress", begin, y, button)
        self.press(view, "MouseMove", end, y, button)
        self.press(view, "MouseButtonRelease", end, y, button)

    @staticmethod
    def turn(view, x, y, notches):
        place = qt.QtCore.QPointF(x, y)
        event = qt.QtGui.QWheelEvent(
            place, place, qt.QtCore.QPoint(0, 0), qt.QtCore.QPoint(0, 120 * notches),
            qt.QtCore.Qt.MouseButton.NoButton, qt.QtCore.Qt.KeyboardModifier.NoModifier,
            qt.QtCore.Qt.ScrollPhase.NoScrollPhase, False)
        qt.QtWidgets.QApplication.sendEvent(view, event)

    def test_the_axis_follows_the_mouse(self):
        view = self.seen(0, 4)
        clicks = []
        view.clicked.connect(clicks.append)
        axis, upper = view.height() - 10, view.plots()[0]
        for y, button in ((axis, "LeftButton"), (60, "RightButton"), (60, "MiddleButton")):
            view.show_section(CENTRE, RATE / 4)
            before = view.frequency_at(500)
            self.drag(view, 500, 620, y, button)
            self.assertAlmostEqual(before, view.frequency_at(620), places=3)
            self.assertAlmostEqual(RATE / 4, view.shown[1])
            self.press(view, "MouseMove", 800, y, button)
            self.assertAlmostEqual(before, view.frequency_at(620), places=3)
        # It ends with the band.
        self.drag(view, 100, 100 + 5 * upper.width(), axis)
        self.assertAlmostEqual(CENTRE - RATE / 2, view.frequency_at(upper.left()))
        self.turn(view, upper.left(), axis, 2)
        self.assertAlmostEqual(CENTRE - RATE / 2, view.frequency_at(upper.left()))
        self.assertAlmostEqual(RATE / 8, view.shown[1])
        self.press(view, "MouseButtonDblClick", 400, axis)
        self.assertEqual((CENTRE, RATE), view.shown)
        self.assertEqual([], clicks)
        self.press(view, "MouseButtonPress", upper.center().x(), 60)
        self.assertAlmostEqual(CENTRE, clicks[0], delta=1)

    def test_scales(self):
        """The wheel moves the end of a scale that is nearer; a double click lets it go."""
        view = self.seen(0)
        upper, lower = view.plots()
        turned = []
        view.turned.connect(turned.append)
        for area, scale in ((upper, view.scale), (lower, view.colours)):
            followed = scale.ends()
            low, high = (5 * round(end / 5) for end in followed)
            self.turn(view, 20, area.bottom() - 5, 3)
            self.assertEqual((low + 15, high), scale.ends())
            self.turn(view, 20, area.top() + 5, -1)
            self.assertEqual((low + 15, high - 5), scale.ends())
            self.turn(view, 20, area.top() + 5, -100)
            self.assertEqual((low + 15, low + 25), scale.ends())
            self.press(view, "MouseButtonDblClick", 20, area.center().y())
            self.assertEqual(followed, scale.ends())
        self.assertEqual([], turned)
        # A row that was drawn has the new colours, too.
        dark = self.drawn_red(view)
        self.turn(view, 20, lower.bottom() - 5, -10)
        self.assertGreater(self.drawn_red(view), dark + 20)
        self.assertRegex(view.remarks(), r"^colours of -\d+ to -?\d+ dBFS$")
        # A higher top of the spectrum's scale makes the tone lower.
        top = self.top_of_line(view)
        self.turn(view, 20, upper.top() + 5, 4)
        self.assertGreater(self.top_of_line(view), top + 5)

    def drawn_red(self, view):
        view.grab()
        return np.mean(view.history.picture >> 16 & 255)

    def top_of_line(self, view):
        image = view.grab().toImage()
        x = round(view.place_of(CENTRE)) + 12
        return next(y for y in range(10, 200) if image.pixel(x, y) & 255 > 150)

    def test_peaks_and_averages(self):
        view = self.seen(0)
        view.hold_peaks(True)
        self.assertEqual("peaks held", view.remarks())
        row = np.full(BINS, -80.0)
        row[40] = -30
        view.add([row])
        view.add([np.full(BINS, -90.0)] * 50)
        self.assertEqual((-30, -80), (view.peaks[40], view.peaks[41]))
        # The line of the peaks is seen where the spectrum's is low.
        image = view.grab().toImage()
        x = round(view.place_of(CENTRE + (40 / BINS - 0.5) * RATE))
        orange = [y for y in range(300) for d in (-1, 0, 1)
                  if image.pixel(x + d, y) >> 16 & 255 > 200 > image.pixel(x + d, y) & 255]
        self.assertTrue(orange)
        view.hold_peaks(False)
        self.assertEqual("", view.remarks())
        for text, share in (("average of 19 spectra", 0.1), ("average of 66 spectra", 0.03),
                            ("not averaged", 1.0), ("", 0.3)):
            view.next_average()
            self.assertEqual(text, view.remarks())
            before = view.spectrum[7]
            view.add([np.full(BINS, -20.0)])
            self.assertAlmostEqual(before + share * (-20 - before), view.spectrum[7], places=3)
            view.add([np.full(BINS, -90.0)])

    def test_the_tooltip_goes_where_another_frequency_is_tuned(self):
        view = self.seen(0)
        told, view.tell, view.underMouse = [], lambda place: told.append(place), lambda: True
        self.press(view, "MouseMove", 300, 60)
        view.add([np.full(BINS, -90.0)])
        self.assertEqual(2, len(told))
        view.mark(CENTRE, -100, 200)  # another passband
        view.add([np.full(BINS, -90.0)])
        self.assertEqual(3, len(told))
        view.mark(CENTRE + 1000, -100, 200)
        view.add([np.full(BINS, -90.0)])
        self.assertEqual(3, len(told))
        self.press(view, "MouseMove", 301, 60)
        self.assertEqual(4, len(told))

    def test_resolution(self):
        """A channel of 12.5 kHz is some dozens of bins wide, at about the same cost."""
        for rate in (240e3, 1e6, 2.4e6, 10e6, 24e6):
            made = LiveSpectrum(rate, bins_for(rate), 20)
            self.assertGreaterEqual(12500 / rate * made.bins, 31)
            self.assertLessEqual(made.whole, 1 << 16)
            self.assertEqual(0, made.whole % made.bins)
        self.assertEqual((1024, 8192, 65536), tuple(map(bins_for, (48000, 2.4e6, 1e9))))

    def test_columns(self):
        """Where a column has many bins, the strongest is seen, and else lines between them."""
        row = np.full(4096, -100.0)
        row[[0, 1000, 4095]] = -10, -20, -30
        for count in (100, 613, 4096):
            seen = columns(row, 0.0, 4096 / count, count)
            self.assertEqual(count, len(seen))
            # The last column ends with the middle of the first bin after the band.
            places = [0, int(1000 * count / 4096), count - 1]
            self.assertEqual([-10, -20, -30], list(seen[places]))
            self.assertEqual(3, np.count_nonzero(seen > -100))
        np.testing.assert_allclose(columns(row, 998.75, 0.5, 5), [-100, -60, -20, -60, -100])
        rows = np.stack([row, row - 5])
        both = columns(rows, 0.0, 8.0, 512)
        np.testing.assert_array_equal(both[0] - 5, both[1])

    def test_history(self):
        """A picture to which rows are added is the one that is drawn at once."""
        random = np.random.default_rng(2)
        grown, section = History(7, 64), (3.0, 2.0, 20)
        rows = [random.uniform(-90, -30, 64) for _ in range(19)]
        for first, last in ((0, 1), (1, 4), (4, 4), (4, 19)):
            grown.add(rows[first:last])
            once = History(7, 64)
            once.add(rows[:last])
            np.testing.assert_array_equal(once.draw(section, -90, -30),
                                          grown.draw(section, -90, -30))
        levels = columns(np.array(rows[:-8:-1], np.float32), *section)
        index = np.clip((levels + 90) * (255 / 60), 0, 255).astype(np.uint8)
        np.testing.assert_array_equal(COLOURS[index], grown.picture)
        # Other colours take effect on new rows alone, until all are coloured anew.
        before = grown.picture.copy()
        grown.add(rows[:1])
        np.testing.assert_array_equal(before[:-1], grown.draw(section, -60, -30)[1:])
        grown.recolour()
        self.assertFalse(np.array_equal(before[:-1], grown.draw(section, -60, -30)[1:]))

    def test_a_tone_in_a_picture(self):
        for offset in (0, 30000, -60000):
            samples = tone(offset, 1 << 16)
            rows = Waterfall("cf32", len(samples))
            rows.work([samples.view(np.float32).reshape(-1, 2)], [])
            powers = rows.powers()
            bins = powers.shape[1]
            frequency = (np.arange(bins) / bins - 0.5) * RATE
            drawn = picture.BandPicture(powers, frequency, 1.0, "tone", "Hz")
            line = drawn.top.lines[0].get_xdata()[np.argmax(drawn.top.lines[0].get_ydata())]
            image, = drawn.bottom.get_images()
            first, last, *_ = image.get_extent()
            column = np.argmax(image.get_array().mean(axis=0))
            heat = first + (column + 0.5) / bins * (last - first)
            for place in (line, heat):
                self.assertLess(abs(place - offset), 0.05 * RATE / bins)
            drawn.save(self.folder / "tone.png")


if __name__ == "__main__":
    main()
