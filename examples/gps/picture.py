# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A picture of a code search: the best cell of each satellite, and the strongest surface."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import PowerNorm
from common.colours import FAINT, GRID, HEARD, INK
from common.picture import dark
from common.picture import title as write_title

PHASES_SHOWN = 240  # number of phases in the surface, so that its lines can be told apart


def save(path, results, threshold, surface, dopplers, chips, title):
    """
    results: the best value of each PRN, and whether it is a satellite. surface: the values of the
    strongest PRN, one row per Doppler frequency, in multiples of the noise's mean.
    """
    dark(13)
    figure = plt.figure(figsize=(15, 7.5))
    write_title(figure, title)

    bars = figure.add_axes((0.05, 0.1, 0.37, 0.8))
    prns = sorted(results)
    bars.bar(prns, [results[prn][0] for prn in prns],
             color=[HEARD if results[prn][1] else FAINT for prn in prns], width=0.7)
    bars.axhline(threshold, color=INK, linewidth=0.9, linestyle=(0, (4, 4)))
    # Beside the axes, where no bar is.
    bars.text(1.01, threshold, "threshold", color=INK, va="center", fontsize=13,
              transform=bars.get_yaxis_transform())
    bars.set_xlabel("satellite (PRN); green: found")
    bars.set_ylabel("best cell, in multiples of the noise's mean")
    bars.set_xlim(prns[0] - 0.7, prns[-1] + 0.7)
    bars.grid(axis="y")

    # Its background would hide what stands beside the bars.
    axes = figure.add_axes((0.415, -0.04, 0.55, 1.06), projection="3d", facecolor="none")
    # The largest value of neighbouring phases is kept, because a peak is one or two samples wide.
    width = -(-surface.shape[1] // PHASES_SHOWN)
    padded = np.pad(surface, ((0, 0), (0, -surface.shape[1] % width)), mode="edge")
    shown = padded.reshape(len(surface), -1, width).max(axis=2)
    phase, doppler = np.meshgrid(np.arange(shown.shape[1]) * width / surface.shape[1] * chips,
                                 np.asarray(dopplers) / 1e3)
    axes.plot_surface(phase, doppler, shown, cmap="inferno", rstride=1, cstride=1,
                      linewidth=0, antialiased=False, norm=PowerNorm(0.6, 0, shown.max()))
    axes.tick_params(labelsize=14)
    axes.set_xlabel("code phase (chips)", labelpad=14)
    axes.set_ylabel("Doppler (kHz)", labelpad=14)
    axes.set_zlabel("multiples of the noise's mean", labelpad=5)
    axes.set_box_aspect((1.6, 1, 0.9))
    axes.view_init(28, -60)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_pane_color((0, 0, 0, 0))
        axis._axinfo["grid"]["color"] = GRID
    figure.savefig(path, dpi=100)
    plt.close(figure)
