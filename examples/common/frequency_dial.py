# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A frequency in large digits, of which each can be turned by the mouse wheel."""

from .colours import FAINT, INK, QUIET, TRACE
from .qt import QtCore, QtGui, QtWidgets, Signal, draw_text

DIGIT, SPACE, HEIGHT = 22, 9, 44  # pixels
UNIT_WIDTH = 40
LEAST_DIGITS = 9
CENTRE = QtCore.Qt.AlignmentFlag.AlignCenter


class FrequencyDial(QtWidgets.QWidget):
    """Shows Hz, in groups of three digits. A wheel over a digit, or a click on its upper or lower
    half, changes it."""

    changed = Signal(float)  # the frequency in Hz that the user asks for

    def __init__(self):
        super().__init__()
        self.frequency = 0
        self.under = None  # the power of ten under the mouse
        self.setMouseTracking(True)
        self.setFixedHeight(HEIGHT)
        self.setToolTip("The tuned frequency in Hz. The mouse wheel over a digit changes it, as "
                        "does a click on its upper or lower half.")

    def show_frequency(self, frequency):
        self.frequency = round(frequency)
        self.setMinimumWidth(round(self.place_of(0) + DIGIT + UNIT_WIDTH))
        self.update()

    def text(self):
        return f"{self.frequency:,}".replace(",", " ") + " Hz"

    def digits(self):
        return max(LEAST_DIGITS, len(str(abs(self.frequency))))

    def place_of(self, power):
        """Where the digit of a power of ten begins."""
        last = self.digits() - 1
        sign = DIGIT if self.frequency < 0 else 0
        return sign + (last - power) * DIGIT + (last // 3 - power // 3) * SPACE

    def power_at(self, place):
        """The power of ten of the digit at a place; None between and beside them."""
        return next((p for p in range(self.digits())
                     if self.place_of(p) <= place < self.place_of(p) + DIGIT), None)

    def turn(self, power, count):
        self.changed.emit(float(self.frequency + count * 10 ** power))

    def wheelEvent(self, event):  # pylint: disable=invalid-name
        """The function that Qt calls when the mouse wheel turns."""
        power = self.power_at(event.position().x())
        turned = event.angleDelta().y()
        if power is not None and turned:
            self.turn(power, 1 if turned > 0 else -1)
        event.accept()

    def mousePressEvent(self, event):  # pylint: disable=invalid-name
        """The function that Qt calls when a button is pressed."""
        power = self.power_at(event.pos().x())
        if power is not None and event.button() == QtCore.Qt.MouseButton.LeftButton:
            self.turn(power, 1 if event.pos().y() < HEIGHT / 2 else -1)

    def mouseMoveEvent(self, event):  # pylint: disable=invalid-name
        """The function that Qt calls when the mouse moves."""
        self.under = self.power_at(event.pos().x())
        self.update()

    def leaveEvent(self, _event):  # pylint: disable=invalid-name
        """The function that Qt calls when the mouse leaves the widget."""
        self.under = None
        self.update()

    def paintEvent(self, _event):  # pylint: disable=invalid-name
        """The function that Qt calls to draw the widget."""
        painter = QtGui.QPainter(self)
        font = painter.font()
        font.setPixelSize(32)
        font.setBold(True)
        painter.setFont(font)
        digits = f"{abs(self.frequency):0{self.digits()}d}"
        for power, digit in enumerate(reversed(digits)):
            leading = power > 0 and abs(self.frequency) < 10 ** power
            colour = TRACE if power == self.under else FAINT if leading else INK
            painter.setPen(QtGui.QColor(colour))
            draw_text(painter, QtCore.QRectF(self.place_of(power), 0, DIGIT, HEIGHT), CENTRE, digit)
        if self.frequency < 0:
            painter.setPen(QtGui.QColor(INK))
            draw_text(painter, QtCore.QRectF(0, 0, DIGIT, HEIGHT), CENTRE, "-")
        font.setPixelSize(15)
        font.setBold(False)
        painter.setFont(font)
        painter.setPen(QtGui.QColor(QUIET))
        draw_text(painter, QtCore.QRectF(self.place_of(0) + DIGIT, 0, UNIT_WIDTH, HEIGHT + 10),
                  CENTRE, "Hz")
        painter.end()
