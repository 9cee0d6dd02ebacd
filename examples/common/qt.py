# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Qt in Python, through PyQt5, PyQt6 or PySide6. GNU Radio's Qt widgets are made with one version
of Qt, and a process cannot hold two versions, so the binding that these widgets load is used.
"""

import importlib
import os
import subprocess
import sys

from gnuradio import qtgui  # noqa: F401 (imported because it loads a Qt binding)

from . import ExampleError, NoDisplay
from .colours import BACKGROUND, EDGE, INK, MISSED, QUIET, RAISED, TRACE

BINDINGS = ("PyQt5", "PyQt6", "PySide6")


def find_binding():
    """The name of the binding that is loaded; if none is, of the first one that can be loaded."""
    loaded = [name for name in BINDINGS if f"{name}.QtCore" in sys.modules]
    for name in loaded or BINDINGS:
        try:
            importlib.import_module(f"{name}.QtWidgets")
            return name
        except ImportError:
            pass
    raise ExampleError(f"a window needs one of {', '.join(BINDINGS)}: install python3-pyqt5")


BINDING = find_binding()


def module(name):
    """A module of the binding, such as QtTest, which may be a package of its own."""
    return importlib.import_module(f"{BINDING}.{name}")


QtCore, QtGui, QtWidgets = module("QtCore"), module("QtGui"), module("QtWidgets")
Signal = QtCore.Signal if BINDING == "PySide6" else QtCore.pyqtSignal

# What opens a display, and ends without a file of what was in the memory where it cannot.
TRIAL = f"""
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
from {BINDING}.QtWidgets import QApplication
QApplication([])
"""


def need_display(instead):
    """
    Refuse to go on where there is no display: Qt would end this process. instead: what needs none,
    in words.
    """
    if os.environ.get("QT_QPA_PLATFORM", "").startswith("offscreen"):
        return
    tried = subprocess.run([sys.executable, "-c", TRIAL], check=False, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if tried.returncode:
        names = "DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"
        named = [f"{name} is {os.environ[name]!r}" for name in names if os.environ.get(name)]
        raise NoDisplay("there is no display for the window, or Qt cannot open it "
                        f"({', '.join(named) or 'DISPLAY is not set'}); {instead}")


STYLE = f"""
QWidget {{ background: {BACKGROUND}; color: {INK}; font-size: 13px; }}
QLabel[quiet="true"] {{ color: {QUIET}; }}
QLabel[large="true"] {{ font-size: 26px; font-weight: bold; }}
QLabel[alarm="true"] {{ color: {MISSED}; }}
QToolTip {{ background: {RAISED}; color: {INK}; border: 1px solid {EDGE}; padding: 3px; }}
QListWidget {{ background: {RAISED}; border: 1px solid {EDGE}; border-radius: 4px; outline: 0; }}
QListWidget::item {{ padding: 3px 8px; border: 0; }}
QListWidget::item:hover {{ background: {EDGE}; }}
QListWidget::item:selected {{ background: {EDGE}; color: {TRACE}; }}
QPushButton {{ background: {RAISED}; border: 1px solid {EDGE}; border-radius: 4px;
               padding: 6px 18px; }}
QPushButton:hover {{ border-color: {TRACE}; }}
QPushButton:checked {{ border-color: {TRACE}; color: {TRACE}; }}
QPushButton[alarm="true"]:checked {{ border-color: {MISSED}; color: {MISSED}; }}
QPushButton:disabled {{ color: {QUIET}; }}
QComboBox {{ background: {RAISED}; border: 1px solid {EDGE}; border-radius: 4px;
             padding: 5px 10px; combobox-popup: 0; }}
QComboBox:hover {{ border-color: {TRACE}; }}
QComboBox::drop-down {{ border: 0; width: 18px; }}
QComboBox::down-arrow {{ width: 0; height: 0; border-left: 4px solid {RAISED};
                         border-right: 4px solid {RAISED}; border-top: 5px solid {QUIET}; }}
QComboBox QAbstractItemView {{ background: {RAISED}; border: 1px solid {EDGE}; outline: 0;
                               selection-background-color: {EDGE}; selection-color: {TRACE}; }}
QComboBox QAbstractItemView::item {{ min-height: 24px; }}
QSlider::groove:horizontal {{ height: 4px; background: {EDGE}; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {TRACE}; border-radius: 2px; }}
QSlider::handle:horizontal {{ width: 14px; margin: -5px 0; border-radius: 7px;
                              background: {INK}; }}
QProgressBar {{ background: {RAISED}; border: 0; border-radius: 3px; max-height: 6px; }}
QProgressBar::chunk {{ background: {TRACE}; border-radius: 3px; }}
QScrollBar:vertical {{ background: {RAISED}; width: 8px; }}
QScrollBar::handle:vertical {{ background: {EDGE}; border-radius: 4px; min-height: 24px; }}
QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; }}
"""


def label(text="", kind=None, make=QtWidgets.QLabel):
    """A label; its kind may be quiet, large or alarm."""
    made = make(text)
    if kind:
        made.setProperty(kind, True)
    return made


class ElidedLabel(QtWidgets.QLabel):
    """A label that takes the room there is, and ends in dots where its text needs more."""

    def minimumSizeHint(self):  # pylint: disable=invalid-name
        """The function that Qt calls to lay out the window."""
        return QtCore.QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event):  # pylint: disable=invalid-name
        """The function that Qt calls to draw the widget."""
        painter = QtGui.QPainter(self)
        text = self.fontMetrics().elidedText(self.text(), QtCore.Qt.TextElideMode.ElideRight,
                                             self.width())
        draw_text(painter, QtCore.QRectF(self.rect()), QtCore.Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()


class WholeRowList(QtWidgets.QListWidget):
    """A list that shows no row in part: the room that is too low for one more stays empty."""

    def resizeEvent(self, event):  # pylint: disable=invalid-name
        """The function that Qt calls when the list has another size."""
        super().resizeEvent(event)
        self.fit()

    def fit(self):
        """To be called after the first row was added, because an empty list has no rows' height."""
        row, height = self.sizeHintForRow(0), self.height() - 2 * self.frameWidth()
        if row > 0:
            self.setViewportMargins(0, 0, 0, height % row if height > row else 0)


def draw_text(painter, area, alignment, text):
    """Draw one line of text, in the form of QPainter.drawText() that all bindings have."""
    option = QtGui.QTextOption(alignment)
    option.setWrapMode(QtGui.QTextOption.WrapMode.NoWrap)
    painter.drawText(area, text, option)
