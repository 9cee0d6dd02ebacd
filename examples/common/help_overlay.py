# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A table of what mouse and keys do, over the middle of a window."""

import html

from .colours import EDGE, QUIET, RAISED, TRACE
from .qt import QtCore, QtWidgets


class HelpOverlay(QtWidgets.QLabel):
    """rows: pairs of what is pressed and what it does. Hidden until toggle(); a click hides it."""

    def __init__(self, window, rows):
        cells = "".join(f'<tr><td style="color: {TRACE}">{html.escape(what)}</td>'
                        f"<td>{html.escape(does)}</td></tr>" for what, does in rows)
        super().__init__(f'<table cellpadding="4">{cells}</table>'
                         f'<p style="color: {QUIET}">H or a click closes this.</p>', window)
        self.setTextFormat(QtCore.Qt.TextFormat.RichText)
        self.setStyleSheet(f"background: {RAISED}; border: 1px solid {EDGE}; border-radius: 6px; "
                           "padding: 14px 20px;")
        self.hide()

    def toggle(self):
        self.setVisible(not self.isVisible())
        self.place()
        self.raise_()

    def place(self):
        """To be called when the window has another size."""
        self.adjustSize()
        self.move((self.window().width() - self.width()) // 2,
                  max(0, (self.window().height() - self.height()) // 2))

    def mousePressEvent(self, _event):  # pylint: disable=invalid-name
        """The function that Qt calls when a button is pressed."""
        self.hide()
