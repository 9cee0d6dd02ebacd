#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Draws the picture of docs/overlap_save.md: overlap_save.py overlap_save.svg"""

import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "overlap_save"
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "common"))
import colours  # noqa: E402  the search path is set above

OLD = "#7a4d1f"  # samples of the block before, which are transformed again
NEW = "#1f5f80"
INVALID = colours.FAINT
STEP = colours.RAISED

# Lengths of the drawing, not of a real filter.
OVERLAP, BLOCK = 3.0, 7.0
DECIMATION = 4.0


def box(axes, left, bottom, width, text, colour, height=0.55, size=9):
    axes.add_patch(Rectangle((left, bottom), width, height, facecolor=colour,
                             edgecolor=colours.QUIET, linewidth=0.8))
    axes.text(left + width / 2, bottom + height / 2, text, ha="center", va="center",
              fontsize=size)


def dimension(axes, left, right, height, text):
    axes.annotate("", (left, height), (right, height),
                  arrowprops={"arrowstyle": "<->", "linewidth": 0.8,
                              "color": colours.QUIET, "shrinkA": 0, "shrinkB": 0})
    axes.text((left + right) / 2, height + 0.1, text, ha="center", va="bottom", fontsize=9)


def arrow(axes, start, end):
    axes.annotate("", end, start, arrowprops={"arrowstyle": "->", "linewidth": 0.9,
                                              "color": colours.TRACE, "shrinkA": 0, "shrinkB": 0})


def draw_input(axes):
    """The stream of input samples, and the two first blocks of a call below it."""
    box(axes, 0, 9.0, OVERLAP, "history", OLD)
    box(axes, OVERLAP, 9.0, 2 * BLOCK, "input samples of a call", NEW)
    for block in range(2):
        left = block * BLOCK
        bottom = 7.5 - 1.1 * block
        box(axes, left, bottom, OVERLAP, "old samples", OLD)
        box(axes, left + OVERLAP, bottom, BLOCK, f"new samples of block {block + 1}", NEW)
    dimension(axes, 0, OVERLAP, 8.15, "M - 1")
    dimension(axes, OVERLAP, OVERLAP + BLOCK, 8.15, "L")
    dimension(axes, BLOCK, 2 * BLOCK + OVERLAP, 7.05, "N = L + M - 1   (fft_size)")


def draw_bank(axes):
    """One forward transform, and what follows for each channel."""
    centre = (BLOCK + OVERLAP) / 2
    arrow(axes, (centre, 7.5), (centre, 5.75))
    box(axes, 0, 5.2, BLOCK + OVERLAP, "forward transform of N samples, once for all channels",
        STEP)
    for channel in range(3):
        left = channel * 3.45
        width = 3.1
        middle = left + width / 2
        arrow(axes, (middle, 5.2), (middle, 4.75))
        steps = ["times response H of\nthe rotated taps", "fold: sum of D parts\nof N/D bins",
                 "inverse transform of\nN/D bins  (ifft_size)"]
        for i, text in enumerate(steps):
            box(axes, left, 4.05 - 1.0 * i, width, text, STEP, height=0.7, size=8)
            arrow(axes, (middle, 4.05 - 1.0 * i), (middle, 3.75 - 1.0 * i))
        out = left
        invalid = width * OVERLAP / (OVERLAP + BLOCK)
        box(axes, out, 1.2, invalid, "overlap", INVALID, size=7.5)
        box(axes, out + invalid, 1.2, width - invalid, "L/D outputs", NEW, size=8)
        arrow(axes, (out + (width + invalid) / 2, 1.2), (out + (width + invalid) / 2, 0.75))
        box(axes, out, 0.2, width, "times rotator", STEP, size=8)
        axes.text(middle, -0.2, f"outputs of channel {channel + 1}", ha="center", va="center",
                  fontsize=8)
    axes.text(centre + 5.65, 1.47, "overlap: from samples that\n"
              "wrapped round; discarded", ha="left", va="center", fontsize=8)
    axes.text(centre + 5.65, 5.47, "block 2 goes the same way,\non this thread or on another",
              ha="left", va="center", fontsize=8)


def main():
    plt.rcParams.update(colours.style(10))
    figure, axes = plt.subplots(figsize=(10, 6.2))
    draw_input(axes)
    draw_bank(axes)
    axes.set_xlim(-0.1, 2 * BLOCK + OVERLAP + 0.1)
    axes.set_ylim(-0.45, 9.65)
    axes.axis("off")
    figure.tight_layout(pad=0.3)
    options = {"metadata": {"Date": None}} if sys.argv[1].endswith(".svg") else {}
    figure.savefig(sys.argv[1], dpi=110, **options)


if __name__ == "__main__":
    main()
