# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A picture of a code search: the best cell of each satellite, and the strongest surface."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import PowerNorm
from common.picture import BACKGROUND, HEARD, INK, QUIET

GRID = "#1b2540"
FAINT = "#3b4a6b"
PHASES_SHOWN = 240  # number of phases in the surface, so that its lines can be told apart


def save(path, results, threshold, surface, dopplers, chips, title):
    """
    results: the best value of each PRN, and whether it is a satellite. surface: the values of the
    strongest PRN, one row per Doppler frequency, in multiples of the noise's mean.
    """
    plt.rcParams.update({
        "font.family": "DejaVu Sans", "font.size": 11, "text.color": INK,
        "axes.labelcolor": QUIET, "axes.edgecolor": "#2a3550", "axes.facecolor": BACKGROUND,
        "xtick.color": QUIET, "ytick.color": QUIET, "figure.facecolor": BACKGROUND,
    })
    figure = plt.figure(figsize=(15, 7.5))
    figure.suptitle(title, fontsize=17, x=0.02, ha="left", weight="bold")

    bars = figure.add_axes((0.05, 0.1, 0.37, 0.8))
    prns = sorted(results)
    bars.bar(prns, [results[prn][0] for prn in prns],
             color=[HEARD if results[prn][1] else FAINT for prn in prns], width=0.7)
    bars.axhline(threshold, color=INK, linewidth=0.9, linestyle=(0, (4, 4)))
    bars.text(prns[-1] + 0.6, threshold, " threshold", color=INK, va="bottom", ha="right",
              fontsize=10)
    bars.set_xlabel("satellite (PRN)")
    bars.set_ylabel("best cell, in multiples of the noise's mean")
    bars.set_xlim(prns[0] - 0.7, prns[-1] + 0.7)
    bars.grid(axis="y", color=GRID, linewidth=0.8)
    bars.set_axisbelow(True)
    bars.tick_params(length=0)
    for side in ("top", "right"):
        bars.spines[side].set_visible(False)

    axes = figure.add_axes((0.43, -0.04, 0.56, 1.06), projection="3d")
    # The largest value of neighbouring phases is kept, because a peak is one or two samples wide.
    width = -(-surface.shape[1] // PHASES_SHOWN)
    padded = np.pad(surface, ((0, 0), (0, -surface.shape[1] % width)), mode="edge")
    shown = padded.reshape(len(surface), -1, width).max(axis=2)
    phase, doppler = np.meshgrid(np.arange(shown.shape[1]) * width / surface.shape[1] * chips,
                                 np.asarray(dopplers) / 1e3)
    axes.plot_surface(phase, doppler, shown, cmap="inferno", rstride=1, cstride=1,
                      linewidth=0, antialiased=False, norm=PowerNorm(0.6, 0, shown.max()))
    axes.set_xlabel("code phase (chips)", labelpad=10)
    axes.set_ylabel("Doppler (kHz)", labelpad=10)
    axes.set_box_aspect((1.6, 1, 0.9))
    axes.view_init(28, -60)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_pane_color((0, 0, 0, 0))
        axis._axinfo["grid"]["color"] = GRID
    figure.savefig(path, dpi=100)
    plt.close(figure)
