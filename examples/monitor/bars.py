# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Bars relative to the roofline, one for each running block."""

from collections import deque

from common.colours import BACKGROUND, HEARD, INK, QUIET, RAISED, TRACE
from common.device_names import short_name
from common.qt import QtCore, QtGui, QtWidgets, draw_text

PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
RATE_OVER_S, RATE_AFTER_S = 3.0, 0.5
ROW_HEIGHT = 70
MARGIN = 12
BAR_HEIGHT = 14
LEFT, RIGHT, MIDDLE = (QtCore.Qt.AlignmentFlag.AlignLeft, QtCore.Qt.AlignmentFlag.AlignRight,
                       QtCore.Qt.AlignmentFlag.AlignVCenter)


def quantity(value, unit):
    """A number of three digits with a prefix, such as 12.3 GFLOP/s."""
    rounded = float(f"{value:.3g}")  # 999.9 thousand is a million
    factor, prefix = next(((f, p) for f, p in PREFIXES if rounded >= f), (1, ""))
    return f"{rounded / factor:#.3g}".rstrip(".") + f" {prefix}{unit}"


class Rate:
    """Items a second of a count that grows, over the last seconds."""

    def __init__(self):
        self.counts = deque()

    def add(self, seconds, count):
        self.counts.append((seconds, count))
        while seconds - self.counts[0][0] > RATE_OVER_S and len(self.counts) > 2:
            self.counts.popleft()

    def value(self):
        """None until it is known."""
        (first, before), (last, now) = self.counts[0], self.counts[-1]
        return (now - before) / (last - first) if last - first >= RATE_AFTER_S else None


def times(count):
    """How often, in words: once, twice, 3 times."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def figure(block):
    """How fast a block computes, in words."""
    if block["operations"] > 0:
        speed = quantity(block["operations"], "FLOP/s")
        if block["roof_fraction"] > 0:
            return f"{100 * block['roof_fraction']:.1f} % of what the device can do, {speed}"
        return f"{speed}; what the device can do is not known yet"
    return "its work is not known" if block["kernel_time"] > 0 else "has computed nothing yet"


def describe(block):
    """Where and how a block computes, in words."""
    parts = [f"{short_name(block['device'])} computes by {block['algorithm']}/{block['variant']}",
             f"{1e6 * block['kernel_time']:.1f} µs a call"]
    if block["transfer_time"] > 0:
        parts.append(f"{1e6 * block['transfer_time']:.1f} µs for transfers")
    if block["fell_back"]:
        parts.append("instead of its own device, which failed")
    elif block["renewals"]:
        parts.append(f"switched to a faster variant {times(block['renewals'])}")
    return ", ".join(parts)


class Bars(QtWidgets.QWidget):
    """Each bar is the part of what its device can do that the kernel of a block reaches. Until that
    is known there is neither bar nor mark."""

    def __init__(self):
        super().__init__()
        self.blocks = []
        self.setMinimumWidth(760)
        self.setToolTip("A bar shows which part of its speed the device reaches with this filter; "
                        "the green mark is all that it can do.")

    def show_blocks(self, blocks):
        """Draw these blocks, in the form of the probe's block_statistics()."""
        self.blocks = blocks
        self.setMinimumHeight(2 * MARGIN + ROW_HEIGHT * max(1, len(blocks)))
        self.update()

    def paintEvent(self, _event):  # pylint: disable=invalid-name
        """The function that Qt calls to draw the widget."""
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QtGui.QColor(BACKGROUND))
        width = self.width() - 2 * MARGIN
        for row, block in enumerate(self.blocks):
            top = MARGIN + row * ROW_HEIGHT
            line = QtCore.QRectF(MARGIN, top, width, 20)
            painter.setPen(QtGui.QColor(INK))
            draw_text(painter, line, LEFT | MIDDLE, block["alias"])
            painter.setPen(QtGui.QColor(TRACE if block["roof_fraction"] > 0 else QUIET))
            draw_text(painter, line, RIGHT | MIDDLE, figure(block))
            place = QtCore.QRectF(MARGIN, top + 23, width, BAR_HEIGHT)
            painter.fillRect(place, QtGui.QColor(RAISED))
            place.setWidth(width * min(1.0, block["roof_fraction"]))
            painter.fillRect(place, QtGui.QColor(TRACE))
            if block["roof_fraction"] > 0:  # the roof's mark
                painter.fillRect(QtCore.QRectF(MARGIN + width - 2, top + 20, 2, BAR_HEIGHT + 6),
                                 QtGui.QColor(HEARD))
            painter.setPen(QtGui.QColor(QUIET))
            draw_text(painter, QtCore.QRectF(MARGIN, top + 41, width, 18),
                      LEFT | MIDDLE, describe(block))
        painter.end()
