# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A bar that shows a level, with a mark at a threshold."""

from .colours import FAINT, HEARD, INK, RAISED
from .qt import QtCore, QtGui, QtWidgets, Signal

HEIGHT = 12
FALL = 0.3  # the part of the way down that the bar goes with each level


class LevelMeter(QtWidgets.QWidget):
    """least, most: the ends in dB of full scale. The bar is bright above the threshold."""

    clicked = Signal(float)  # a level in dB

    def __init__(self, least, most, threshold):
        super().__init__()
        self.least, self.most, self.threshold = least, most, threshold
        self.level = least
        self.setFixedHeight(HEIGHT)
        self.setToolTip("The level of the tuned channel in dB of full scale. The mark is the "
                        "squelch; a click sets it.")

    def show_level(self, level):
        # A bar that follows every pause of a voice could not be read.
        self.level = max(level, self.level + FALL * (level - self.level))
        self.update()

    def set_threshold(self, threshold):
        self.threshold = threshold
        self.update()

    def place_of(self, level):
        share = (level - self.least) / (self.most - self.least)
        return min(1.0, max(0.0, share)) * self.width()

    def mousePressEvent(self, event):  # pylint: disable=invalid-name
        """The function that Qt calls when a button is pressed."""
        if event.button() == QtCore.Qt.MouseButton.LeftButton:
            share = event.pos().x() / max(1, self.width())
            self.clicked.emit(self.least + share * (self.most - self.least))

    def paintEvent(self, _event):  # pylint: disable=invalid-name
        """The function that Qt calls to draw the widget."""
        painter = QtGui.QPainter(self)
        painter.fillRect(self.rect(), QtGui.QColor(RAISED))
        painter.fillRect(QtCore.QRectF(0, 0, self.place_of(self.level), HEIGHT),
                         QtGui.QColor(HEARD if self.level > self.threshold else FAINT))
        painter.fillRect(QtCore.QRectF(self.place_of(self.threshold) - 1, 0, 2, HEIGHT),
                         QtGui.QColor(INK))
        painter.end()
