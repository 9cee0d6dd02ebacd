# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The colours of all pictures and windows."""

BACKGROUND = "#0b1020"
RAISED = "#141c30"  # what lies on the background: lists, buttons, tracks of bars
EDGE = "#2a3550"
GRID = "#1b2540"
FAINT = "#3b4a6b"
QUIET = "#8291ad"  # labels
INK = "#dbe4f3"
TRACE = "#7fd4ff"
HEARD = "#7ee787"
MISSED = "#ff7b72"
OTHER = "#ffa657"  # a third line or bar beside TRACE and HEARD

# From the noise to the strongest signal, as matplotlib's inferno, which a window does without.
_HEAT = ((0, 0, 4), (31, 12, 72), (85, 15, 109), (136, 34, 106), (186, 54, 85), (227, 89, 51),
         (249, 140, 10), (249, 201, 50), (252, 255, 164))


def heat(steps=256):
    """The colours of a waterfall as red, green and blue from 0 to 255, darkest first."""
    places = [i * (len(_HEAT) - 1) / (steps - 1) for i in range(steps)]
    table = []
    for place in places:
        k = min(int(place), len(_HEAT) - 2)
        table.append(tuple(round(a + (b - a) * (place - k))
                           for a, b in zip(_HEAT[k], _HEAT[k + 1])))
    return table


def style(font_size):
    """The settings of matplotlib for a picture: no ticks, and no frame above and on the right."""
    return {
        "font.family": "DejaVu Sans", "font.size": font_size, "text.color": INK,
        "axes.labelcolor": QUIET, "axes.edgecolor": EDGE, "axes.facecolor": BACKGROUND,
        "axes.titlecolor": QUIET, "axes.spines.top": False, "axes.spines.right": False,
        "axes.axisbelow": True, "grid.color": GRID, "grid.linewidth": 0.8,
        "xtick.color": QUIET, "xtick.major.size": 0, "xtick.minor.size": 0,
        "ytick.color": QUIET, "ytick.major.size": 0, "ytick.minor.size": 0,
        "figure.facecolor": BACKGROUND, "legend.facecolor": BACKGROUND, "legend.edgecolor": EDGE,
    }
