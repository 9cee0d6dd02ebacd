# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Qt in Python, through PyQt5, PyQt6 or PySide6. GNU Radio's Qt widgets are made with one version
of Qt, and a process cannot hold two versions, so the binding that these widgets load is used.
"""

import importlib
import sys

from gnuradio import qtgui  # noqa: F401 (imported because it loads a Qt binding)

from . import ExampleError

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


def widget_of(sink):
    """The widget of one of GNU Radio's Qt sinks, which gives a C++ pointer."""
    if BINDING == "PySide6":
        return importlib.import_module("shiboken6").wrapInstance(sink.qwidget(), QtWidgets.QWidget)
    return module("sip").wrapinstance(sink.qwidget(), QtWidgets.QWidget)
