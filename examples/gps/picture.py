# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A picture of a code search: the best cell of each satellite, and the map of the strongest one."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from common.colours import FAINT, HEARD, INK
from common.picture import dark
from common.picture import title as write_title
from matplotlib.colors import LogNorm

PHASES_SHOWN = 100  # number of phases in the map, each some pixels wide


def save(path, results, threshold, surface, dopplers, chips, title):
    """
    results: the best value of each PRN, and whether it is a satellite. surface: the values of the
    strongest PRN, one row per Doppler frequency, in multiples of the noise's mean.
    """
    dark(13)
    figure, (bars, cells) = plt.subplots(1, 2, figsize=(12, 5.5), layout="constrained",
                                         gridspec_kw={"width_ratios": [1, 1.25]})
    figure.get_layout_engine().set(w_pad=0.12)
    write_title(figure, title, 15)

    prns = sorted(results)
    bars.bar(prns, [results[prn][0] for prn in prns],
             color=[HEARD if results[prn][1] else FAINT for prn in prns], width=0.7)
    bars.axhline(threshold, color=INK, linewidth=0.9, linestyle=(0, (4, 4)))
    bars.annotate("threshold", (1, threshold), xycoords=("axes fraction", "data"), xytext=(4, 0),
                  textcoords="offset points", color=INK, va="center", fontsize=11)
    bars.set_xlabel("satellite (PRN); green: found")
    bars.set_ylabel("best cell, times the mean noise")
    bars.set_xlim(prns[0] - 0.7, prns[-1] + 0.7)
    bars.grid(axis="y")

    # The largest value of neighbouring phases is kept, because a peak is one or two samples wide.
    width = -(-surface.shape[1] // PHASES_SHOWN)
    padded = np.pad(surface, ((0, 0), (0, -surface.shape[1] % width)), mode="edge")
    shown = padded.reshape(len(surface), -1, width).max(axis=2)
    phases = (np.arange(shown.shape[1]) + 0.5) * width / surface.shape[1] * chips
    drawn = cells.pcolormesh(phases, np.asarray(dopplers) / 1e3, shown, cmap="inferno",
                             shading="nearest", rasterized=True, norm=LogNorm(1, shown.max()))
    cells.set_xlabel("code phase (chips)")
    cells.set_ylabel("Doppler (kHz)")
    scale = figure.colorbar(drawn, ax=cells, pad=0.02, ticks=(1, 3, 10, 30, 100), format="%g")
    scale.minorticks_off()
    scale.set_label("times the mean noise")
    scale.outline.set_visible(False)
    figure.savefig(path, dpi=75)
    plt.close(figure)
