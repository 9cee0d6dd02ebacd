# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The picture: spectrograms before and after the bank, and the frequency that is left."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from common.colours import GRID, QUIET, TRACE
from common.picture import bare, dark
from matplotlib.ticker import MaxNLocator


def save(path, before, after, curve_hz, left, duration, title):
    """
    Write it to a PNG. before, after: frequencies and rows of powers of the input and of the output.
    curve_hz: the channel's frequency over the time. left: Hz in each second.
    """
    dark(10)
    figure, panels = plt.subplots(1, 3, figsize=(12, 6.5), sharey=True, layout="constrained",
                                  gridspec_kw={"width_ratios": [1.5, 1.2, 0.7]})
    # Room for the last label of a panel beside the first one of the next.
    figure.get_layout_engine().set(w_pad=0.14)
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
    panels[0].legend(loc="upper right", fontsize=9)
    panels[0].set_ylabel("time (s)")
    panels[2].plot(left, np.arange(len(left)) + 1, color=TRACE, linewidth=0.9)
    panels[2].set_title("what is left", color=QUIET, fontsize=11)
    panels[2].set_xlabel("Hz")
    panels[2].grid(axis="x", color=GRID, linewidth=0.8)
    most = 1.1 * max(np.abs(left).max(), 1e-6)
    panels[2].set_xlim(-most, most)
    panels[2].xaxis.set_major_locator(MaxNLocator(2, symmetric=True))
    bare(*panels)
    figure.savefig(path, dpi=75)
    plt.close(figure)
