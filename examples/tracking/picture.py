# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The picture: spectrograms before and after the bank, and the frequency that is left."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from common.colours import TRACE
from common.picture import dark, ends
from common.picture import title as write_title
from matplotlib.ticker import MaxNLocator


def save(path, before, after, curve_hz, half_hz, left, duration, title):
    """
    Write it to a PNG. before, after: frequencies and rows of powers of the input and of the output.
    curve_hz: the channel's frequency over the time, half_hz: from there to its edges. left: Hz in
    each second.
    """
    dark(10)
    figure, panels = plt.subplots(1, 3, figsize=(12, 6.5), sharey=True, layout="constrained",
                                  gridspec_kw={"width_ratios": [1.5, 1.2, 0.7]})
    # Room for the last label of a panel beside the first one of the next.
    figure.get_layout_engine().set(w_pad=0.14)
    write_title(figure, title, 13)
    for axes, (frequencies, rows), text in zip(panels, (before, after),
                                               ("the stream", "the scheduled channel")):
        axes.imshow(rows, aspect="auto", origin="upper", cmap="inferno",
                    vmin=np.percentile(rows, 20), vmax=np.percentile(rows, 99.9),
                    extent=(*ends(frequencies / 1e3), duration, 0),
                    interpolation="bilinear")
        axes.set_title(text, fontsize=11)
        axes.set_xlabel("kHz off the centre")
    # A line along the frequency would hide the signal, or be hidden by it.
    for edge, label in ((-half_hz, "the scheduled channel's edges"), (half_hz, None)):
        panels[0].plot((curve_hz + edge) / 1e3, np.linspace(0, duration, len(curve_hz)),
                       color=TRACE, linewidth=1, label=label)
    panels[0].set_xlim(before[0][0] / 1e3, before[0][-1] / 1e3)
    panels[0].legend(loc="lower right", fontsize=9)
    panels[0].set_ylabel("time (s)")
    panels[2].plot(left, np.arange(len(left)) + 1, color=TRACE, linewidth=0.9)
    panels[2].set_title("the shift that is left", fontsize=11)
    panels[2].set_xlabel("Hz")
    panels[2].grid(axis="x")
    most = 1.1 * max(np.abs(left).max(), 1e-6)
    panels[2].set_xlim(-most, most)
    panels[2].xaxis.set_major_locator(MaxNLocator(2, symmetric=True))
    figure.savefig(path, dpi=90)
    plt.close(figure)
