# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
A spectrum over its waterfall, on one axis of frequencies. Click and mouse wheel tune, the wheel zooms
with Ctrl, and the mouse drags the ends of the passband and the axis.
"""

import numpy as np

from .colours import BACKGROUND, EDGE, GRID, HEARD, INK, OTHER, QUIET, TRACE
from .history import NOTHING, History, columns
from .level_scale import LevelScale
from .qt import QtCore, QtGui, QtWidgets, Signal, draw_text

LEFT, RIGHT, TOP, BOTTOM, GAP = 74, 14, 8, 40, 10  # pixels around and between the two plots
SMOOTHING = 0.3  # weight of a new row in the range of levels, and at first in the spectrum
AVERAGES = (SMOOTHING, 0.1, 0.03, 1.0)  # weights of a new row in the spectrum, one after the other
SPAN_DB = 25  # the least distance of the colours' ends
ALIGN = QtCore.Qt.AlignmentFlag
WHEEL_STEP = 120  # of angleDelta(), a notch of a usual wheel
ZOOM_STEP = 2 ** 0.5  # a notch of the wheel with Ctrl
LEAST_BINS = 32  # are shown at the closest zoom
GRAB = 4  # pixels from an end of the passband at which the mouse takes it
ROOM_FOR_REMARKS = 400  # pixels; a smaller view shows none
POINTER_DIGITS = {"MHz": 4, "kHz": 2}
BUTTONS = QtCore.Qt.MouseButton


def steps(low, high, most):
    """Round numbers from low to high, at most so many."""
    least = (high - low) / max(1, most)
    power = 10.0 ** np.floor(np.log10(least))
    step = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= least * 0.999)
    return np.arange(np.ceil(low / step) * step, high + step / 1e6, step)


class SpectrumView(QtWidgets.QWidget):
    """
    bins: of a row. rows: of the waterfall; none: the spectrum alone. period: seconds from row to row.
    unit_hz, unit: the unit of the axis. Add rows with add(), and mark() what is tuned.
    """

    clicked = Signal(float)  # a frequency in Hz
    turned = Signal(int, bool)  # steps of the mouse wheel, upwards; and whether they are small ones
    dragged = Signal(float)  # an outer end of the passband, in Hz from the tuned frequency

    def __init__(self, bins, rows, period, unit_hz=1e6, unit="MHz"):
        super().__init__()
        self.unit_hz, self.unit, self.period = unit_hz, unit, period
        self.centre, self.rate = 0.0, 1.0  # of all bins
        self.shown = self.centre, self.rate  # the section of them that is drawn
        self.spectrum = None
        self.levels = None  # of the darkest and the brightest colour
        self.bins, self.history = bins, History(rows, bins)
        self.scale, self.colours = LevelScale(), LevelScale()
        self.weight = SMOOTHING
        self.peaks = None  # the highest level of each bin, while they are held
        self.bands = []  # pairs of frequencies: channels that are busy
        self.marked = None  # the tuned frequency, and the ends of its passband from there
        self.dragging = False  # an end of the passband
        self.panned = None  # where the mouse was that drags the axis
        self.turning = 0  # of the wheel, since the last step
        self.pointed = None  # where the mouse rests, while its tooltip is shown
        self.setMouseTracking(True)
        self.setMinimumSize(320, 160)
        self.setCursor(QtCore.Qt.CursorShape.CrossCursor)

    def set_range(self, centre, rate):
        """The frequencies that the bins cover, in Hz."""
        self.centre, self.rate = self.shown = centre, rate
        self.update()

    def show_all(self):
        self.show_section(self.centre, self.rate)

    def zoom(self, factor, frequency):
        """Show a section that is narrower by a factor; the frequency stays where it is."""
        centre, rate = self.shown
        wanted = self._shown_rate(rate / factor)
        self.show_section(frequency + (centre - frequency) * wanted / rate, wanted)

    def show_section(self, centre, rate):
        """Show a section in Hz, or the nearest that there is."""
        rate = self._shown_rate(rate)
        room = (self.rate - rate) / 2
        self.shown = self.centre + min(room, max(-room, centre - self.centre)), rate
        self.update()

    def _shown_rate(self, rate):
        return min(self.rate, max(rate, self.rate * LEAST_BINS / self.bins))

    def mark(self, frequency, low, high):
        """What is tuned: a frequency, and the ends of its passband in Hz from there."""
        moved = self.marked is None or frequency != self.marked[0]
        self.marked = frequency, low, high
        if moved:
            # A mouse that rests is not what tuned, or has told already what is there.
            self.pointed = None
            QtWidgets.QToolTip.hideText()
            # The section moves if it does not contain the tuned frequency.
            if abs(frequency - self.shown[0]) > self.shown[1] / 2:
                self.show_section(frequency, self.shown[1])
        self.update()

    def mark_busy(self, bands):
        self.bands = bands
        self.update()

    def hold_peaks(self, held):
        """Whether the highest level of each bin from now on is seen, too."""
        self.peaks = np.full(self.bins, NOTHING) if held else None
        self.update()

    def next_average(self):
        """Average the spectrum over more rows, or again over few."""
        self.weight = AVERAGES[(AVERAGES.index(self.weight) + 1) % len(AVERAGES)]
        self.update()

    def add(self, rows, noise=None):
        """Rows in dB, oldest first. noise: its level, if it is not that of half of the bins."""
        if not rows:
            return
        for row in rows:
            low, high = np.median(row) if noise is None else noise, row.max()
            if self.spectrum is None:
                self.spectrum, self.levels = row, [low, high]
            self.spectrum = self.spectrum + self.weight * (row - self.spectrum)
            for k, level in enumerate((low, high)):
                weight = SMOOTHING if k == 0 or level > self.levels[1] else SMOOTHING / 20
                self.levels[k] += weight * (level - self.levels[k])
            if self.peaks is not None:
                self.peaks = np.maximum(self.peaks, row)
        if len(self.history):
            self.history.add(rows)
        self._follow(rows[-1])
        self.update()
        # The tooltip shows the newest spectrum.
        if self.pointed is not None and self.underMouse():
            self.tell(self.pointed)

    def _follow(self, row):
        """Fit the scales to the levels."""
        low, high = self.levels
        floor = 10 * np.floor((low - 8) / 10)
        self.scale.automatic = floor, max(floor + 30, 10 * np.ceil((high + 4) / 10))
        # The noise is dark. It is higher where a column of pixels shows the strongest of some bins.
        _, step, _ = self.section()
        if step > 1:
            low += np.median(columns(row, 0.0, step, int(self.bins / step))) - np.median(row)
        self.colours.automatic = low + 2, max(low + 2 + SPAN_DB, high)

    def section(self):
        """The section that is shown, as columns() takes it."""
        centre, rate = self.shown
        count = max(1, self.width() - LEFT - RIGHT)
        return self.bin_of(centre - rate / 2), rate / self.rate * self.bins / count, count

    def plots(self):
        """The rectangles of spectrum and waterfall."""
        width, height = self.width() - LEFT - RIGHT, self.height() - TOP - BOTTOM
        if not len(self.history):
            return QtCore.QRectF(LEFT, TOP, width, height), None
        upper = 0.4 * (height - GAP)
        return (QtCore.QRectF(LEFT, TOP, width, upper),
                QtCore.QRectF(LEFT, TOP + upper + GAP, width, height - GAP - upper))

    def place_of(self, frequency):
        """The horizontal place of a frequency."""
        centre, rate = self.shown
        share = (frequency - centre) / rate + 0.5
        return LEFT + share * (self.width() - LEFT - RIGHT)

    def bin_of(self, frequency):
        """The number of the bin whose middle is at a frequency, with the part of a bin."""
        return ((frequency - self.centre) / self.rate + 0.5) * self.bins

    def frequency_at(self, place):
        centre, rate = self.shown
        share = (place - LEFT) / (self.width() - LEFT - RIGHT)
        return centre + (min(1.0, max(0.0, share)) - 0.5) * rate

    def mousePressEvent(self, event):  # pylint: disable=invalid-name
        """The function that Qt calls when a button is pressed."""
        place, left = event.pos(), event.button() == BUTTONS.LeftButton
        if not left or self.is_axis(place):
            self.panned = place.x()
        elif self.is_end(place):
            self.dragging = True
        elif not self.scale_at(place):
            self.clicked.emit(self.frequency_at(place.x()))

    def mouseReleaseEvent(self, _event):  # pylint: disable=invalid-name
        """The function that Qt calls when a button is released."""
        self.dragging, self.panned = False, None

    def mouseDoubleClickEvent(self, event):  # pylint: disable=invalid-name
        """The function that Qt calls when a button is pressed for the second time."""
        place = event.pos()
        if self.is_axis(place):
            self.show_all()
        elif self.scale_at(place):
            self.scale_at(place).follow()
            self._rescaled()
        else:
            self.mousePressEvent(event)

    def is_axis(self, place):
        """Whether a place is on the axis of frequencies."""
        return place.y() > self.height() - BOTTOM

    def scale_at(self, place):
        """The scale of levels beside the spectrum or, of the colours, beside the waterfall."""
        if place.x() >= LEFT or self.is_axis(place):
            return None
        upper, lower = self.plots()
        return self.colours if lower is not None and place.y() > upper.bottom() else self.scale

    def _rescaled(self):
        self.history.recolour()
        self.update()

    def is_end(self, place):
        """Whether an outer end of the passband is at a place, so that the mouse can drag it."""
        if self.marked is None or not TOP <= place.y() <= self.height() - BOTTOM:
            return False
        frequency, *ends = self.marked
        reach = max(abs(end) for end in ends)
        # A passband that is only some pixels wide is for clicks.
        if self.place_of(frequency + reach) - self.place_of(frequency) < 2.5 * GRAB:
            return False
        return any(abs(self.place_of(frequency + end) - place.x()) <= GRAB
                   for end in ends if abs(end) == reach)

    def wheelEvent(self, event):  # pylint: disable=invalid-name
        """The function that Qt calls when the mouse wheel turns."""
        # A touchpad sends parts of steps.
        self.turning += event.angleDelta().y() or event.angleDelta().x()
        count = int(self.turning / WHEEL_STEP)
        if count:
            self.turning -= WHEEL_STEP * count
            keys = QtCore.Qt.KeyboardModifier
            place = event.position()
            scale = self.scale_at(place)
            if scale:
                middle = self.plots()[scale is self.colours].center().y()
                scale.move(place.y() < middle, count)
                self._rescaled()
            elif event.modifiers() & keys.ControlModifier or self.is_axis(place):
                self.zoom(ZOOM_STEP ** count, self.frequency_at(place.x()))
            else:
                self.turned.emit(count, bool(event.modifiers() & keys.ShiftModifier))
        event.accept()

    def mouseMoveEvent(self, event):  # pylint: disable=invalid-name
        """The function that Qt calls when the mouse moves."""
        self.pointed = event.pos()
        if self.dragging:
            self.dragged.emit(self.frequency_at(self.pointed.x()) - self.marked[0])
        elif self.panned is not None:
            centre, rate = self.shown
            turned = (self.pointed.x() - self.panned) / (self.width() - LEFT - RIGHT)
            self.panned = self.pointed.x()
            self.show_section(centre - turned * rate, rate)
        shapes = QtCore.Qt.CursorShape
        self.setCursor(shapes.SizeHorCursor if self.dragging or self.is_end(self.pointed)
                       else shapes.OpenHandCursor if self.is_axis(self.pointed)
                       else shapes.SizeVerCursor if self.scale_at(self.pointed)
                       else shapes.CrossCursor)
        self.tell(self.pointed)

    def leaveEvent(self, event):  # pylint: disable=invalid-name
        """The function that Qt calls when the mouse leaves the widget."""
        self.pointed = None
        super().leaveEvent(event)

    def tell(self, place):
        """Show what is at a place, in a tooltip: nothing has to be drawn anew under it."""
        QtWidgets.QToolTip.showText(self.mapToGlobal(place), self.text_at(place), self)

    def text_at(self, place):
        """What is at a place: the frequency, and the level or the time before now."""
        upper, lower = self.plots()
        x, y = place.x(), place.y()
        if not upper.left() <= x <= upper.right():
            return ""
        frequency = self.frequency_at(x)
        unit = self.unit.split()[0].rstrip(",")
        text = f"{frequency / self.unit_hz + 0.0:.{POINTER_DIGITS.get(unit, 3)}f} {unit}"
        if upper.top() <= y <= upper.bottom() and self.spectrum is not None:
            shown = columns(self.spectrum, *self.section())
            return f"{text}   {shown[min(len(shown) - 1, int(x - LEFT))]:.0f} dBFS"
        if lower is not None and lower.top() <= y <= lower.bottom():
            seconds = (y - lower.top()) / lower.height() * len(self.history) * self.period
            return f"{text}   {seconds:.1f} s ago"
        return ""

    def paintEvent(self, _event):  # pylint: disable=invalid-name
        """The function that Qt calls to draw the widget."""
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QtGui.QColor(BACKGROUND))
        upper, lower = self.plots()
        if lower is not None:
            self._draw_waterfall(painter, lower)
        painter.save()
        painter.setClipRect(upper if lower is None else upper.united(lower))
        self._draw_marks(painter, upper, lower)
        painter.restore()
        self._draw_spectrum(painter, upper)
        self._draw_frequencies(painter, upper, lower)
        painter.end()

    def _draw_waterfall(self, painter, area):
        picture = self.history.draw(self.section(), *self.colours.ends())
        rows, width = picture.shape
        data = picture.tobytes()
        image = QtGui.QImage(data, width, rows, 4 * width, QtGui.QImage.Format.Format_RGB32)
        painter.setRenderHint(QtGui.QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(area, image)
        painter.setPen(QtGui.QColor(QUIET))
        seconds = rows * self.period
        for second in steps(0, seconds, area.height() / 45):
            y = area.top() + second / seconds * area.height()
            if y < area.bottom() - 4:
                draw_text(painter, QtCore.QRectF(0, y - 9, LEFT - 6, 18),
                          ALIGN.AlignRight | ALIGN.AlignVCenter, f"{second:g} s")

    def _draw_marks(self, painter, upper, lower):
        whole = upper if lower is None else upper.united(lower)
        faint = QtGui.QColor(HEARD)
        faint.setAlpha(34)
        for low, high in self.bands:
            left = self.place_of(low)
            painter.fillRect(QtCore.QRectF(left, upper.top(), self.place_of(high) - left,
                                           upper.height()), faint)
        if self.marked is None:
            return
        frequency, low, high = self.marked
        left, right = self.place_of(frequency + low), self.place_of(frequency + high)
        band = QtGui.QColor(TRACE)
        band.setAlpha(60)
        painter.fillRect(QtCore.QRectF(left, upper.top(), max(2.0, right - left), upper.height()),
                         band)
        if lower is not None:
            painter.setPen(QtGui.QPen(QtGui.QColor(TRACE), 1, QtCore.Qt.PenStyle.DotLine))
            for place in (left, right):
                painter.drawLine(QtCore.QPointF(place, lower.top()),
                                 QtCore.QPointF(place, lower.bottom()))
        painter.setPen(QtGui.QPen(QtGui.QColor(INK), 1))
        place = self.place_of(frequency)
        painter.drawLine(QtCore.QPointF(place, whole.top()),
                         QtCore.QPointF(place, upper.bottom()))

    def _draw_spectrum(self, painter, area):
        if self.spectrum is None:
            return
        low, high = self.scale.ends()
        painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing)

        def height_of(level):
            return area.bottom() - (level - low) / (high - low) * area.height()

        for level in steps(low, high, area.height() / 34):
            y = height_of(level)
            painter.setPen(QtGui.QColor(GRID))
            painter.drawLine(QtCore.QPointF(area.left(), y), QtCore.QPointF(area.right(), y))
            painter.setPen(QtGui.QColor(QUIET))
            if area.top() - 4 < y < area.bottom() - 8:
                draw_text(painter, QtCore.QRectF(0, y - 9, LEFT - 6, 18),
                          ALIGN.AlignRight | ALIGN.AlignVCenter, f"{level:g}")
        painter.save()
        painter.translate(0, area.bottom())
        painter.rotate(-90)
        draw_text(painter, QtCore.QRectF(0, 4, area.height(), 18), ALIGN.AlignCenter, "dBFS")
        painter.restore()
        section = self.section()
        places = LEFT + 0.5 + np.arange(section[2])

        def line(levels):
            heights = np.clip(height_of(columns(levels, *section)), area.top(), area.bottom())
            return [QtCore.QPointF(x, y) for x, y in zip(places, heights)]

        below = QtGui.QColor(TRACE)
        below.setAlpha(46)
        points = line(self.spectrum)
        # A bar for each pixel, and a pen of one pixel: a polygon and other pens take much longer.
        painter.setPen(QtCore.Qt.PenStyle.NoPen)
        painter.setBrush(below)
        painter.drawRects([QtCore.QRectF(p.x() - 0.5, p.y(), 1, area.bottom() - p.y())
                           for p in points])
        painter.setBrush(QtCore.Qt.BrushStyle.NoBrush)
        if self.peaks is not None:
            painter.setPen(QtGui.QPen(QtGui.QColor(OTHER), 1))
            painter.drawPolyline(QtGui.QPolygonF(line(self.peaks)))
        painter.setPen(QtGui.QPen(QtGui.QColor(TRACE), 1))
        painter.drawPolyline(QtGui.QPolygonF(points))
        if area.width() > ROOM_FOR_REMARKS:
            painter.setPen(QtGui.QColor(QUIET))
            draw_text(painter, QtCore.QRectF(area.left(), area.top() + 2, area.width() - 8, 18),
                      ALIGN.AlignRight, self.remarks())

    def remarks(self):
        """What is not as it is at first, in words."""
        found = []
        if self.peaks is not None:
            found.append("peaks held")
        if self.weight != SMOOTHING:
            found.append("not averaged" if self.weight == 1 else
                         f"average of {2 / self.weight - 1:.0f} spectra")
        if self.colours.chosen:
            low, high = self.colours.chosen
            found.append(f"colours of {low:g} to {high:g} dBFS")
        return ", ".join(found)

    def _draw_frequencies(self, painter, upper, lower):
        bottom = (upper if lower is None else lower).bottom()
        centre, rate = self.shown
        first, last = (centre - rate / 2) / self.unit_hz, (centre + rate / 2) / self.unit_hz
        ticks = steps(first, last, upper.width() / 95)
        digits = max(0, int(np.ceil(-np.log10(ticks[1] - ticks[0]) - 1e-9))) if len(ticks) > 1 else 3
        digits += len(ticks) > 1 and abs(round(ticks[1] - ticks[0], digits)
                                         - (ticks[1] - ticks[0])) > 1e-9
        for tick in ticks:
            place = self.place_of(tick * self.unit_hz)
            painter.setPen(QtGui.QColor(GRID))
            painter.drawLine(QtCore.QPointF(place, upper.top()),
                             QtCore.QPointF(place, upper.bottom()))
            painter.setPen(QtGui.QColor(QUIET))
            left = min(max(place - 40, 0), self.width() - 80)
            draw_text(painter, QtCore.QRectF(left, bottom + 3, 80, 16), ALIGN.AlignHCenter,
                      f"{tick + 0.0:.{digits}f}")
        draw_text(painter, QtCore.QRectF(LEFT, bottom + 19, upper.width(), 16), ALIGN.AlignHCenter,
                  self.unit)
        painter.setPen(QtGui.QColor(EDGE))
        painter.drawLine(QtCore.QPointF(upper.left(), upper.bottom()),
                         QtCore.QPointF(upper.right(), upper.bottom()))
