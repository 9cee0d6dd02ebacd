# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The picture: spectrograms before and after the bank, and the frequency that is left."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from common.picture import BACKGROUND, INK, QUIET, TRACE


def save(path, before, after, curve_hz, left, duration, title):
    """
    Write it to a PNG. before, after: frequencies and rows of powers of the input and of the output.
    curve_hz: the channel's frequency over the time. left: Hz in each second.
    """
    plt.rcParams.update({
        "font.family": "DejaVu Sans", "font.size": 10, "text.color": INK,
        "axes.labelcolor": QUIET, "axes.edgecolor": "#2a3550", "axes.facecolor": BACKGROUND,
        "xtick.color": QUIET, "ytick.color": QUIET, "figure.facecolor": BACKGROUND,
    })
    figure, panels = plt.subplots(1, 3, figsize=(12, 6.5), sharey=True, layout="constrained",
                                  gridspec_kw={"width_ratios": [1.5, 1.2, 0.7]})
    figure.suptitle(title, fontsize=13, x=0.012, ha="left", weight="bold")
    for axes, (frequencies, rows), text in zip(panels, (before, after),
                                               ("the stream", "the scheduled channel")):
        axes.imshow(rows, aspect="auto", origin="upper", cmap="inferno",
                    vmin=np.percentile(rows, 20), vmax=np.percentile(rows, 99.9),
                    extent=(frequencies[0] / 1e3, frequencies[-1] / 1e3, duration, 0),
                    interpolation="bilinear")
        axes.set_title(text, color=QUIET, fontsize=11)
        axes.set_xlabel("kHz off the centre")
    panels[0].plot(curve_hz / 1e3, np.linspace(0, duration, len(curve_hz)), color=TRACE,
                   linewidth=0.9, linestyle=(0, (2, 5)), label="the schedule")
    panels[0].legend(loc="upper right", facecolor=BACKGROUND, edgecolor="#2a3550", fontsize=9)
    panels[0].set_ylabel("time (s)")
    panels[2].plot(left, np.arange(len(left)) + 1, color=TRACE, linewidth=0.9)
    panels[2].set_title("what is left", color=QUIET, fontsize=11)
    panels[2].set_xlabel("Hz")
    panels[2].grid(axis="x", color="#1b2540", linewidth=0.8)
    for axes in panels:
        axes.tick_params(length=0)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.savefig(path, dpi=75)
    plt.close(figure)
