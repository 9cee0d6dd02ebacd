# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The picture: the powers of the beams, and the patterns of the steered beam."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from common.colours import HEARD, INK, MISSED, OTHER, TRACE
from common.picture import dark
from common.picture import title as write_title

from .array import SAMPLE_RATE, beams, pattern
from .scene import INTERFERER

MOMENTS = (0.1, 0.5, 0.8)  # fractions of the whole time at which patterns are shown
COLOURS = (TRACE, HEARD, OTHER)
LEAST_DB = -70  # of gain that is drawn


def save(path, tracker, look, truth, title):
    """Write the picture to a PNG. look: the number of snapshots of a look. truth: the source's
    direction in degrees, at each look's end."""
    dark(11)
    figure, (top, *patterns) = plt.subplots(
        1 + len(MOMENTS), 1, figsize=(10, 9), sharex=True, layout="constrained",
        gridspec_kw={"height_ratios": [2.2] + [1] * len(MOMENTS)})
    write_title(figure, title, 13)

    decibels = 10 * np.log10(np.array(tracker.powers))
    looks = len(decibels)
    ends = (np.arange(looks) + 1) * look / SAMPLE_RATE  # of the looks, in seconds
    top.pcolormesh(tracker.directions, ends - ends[0] / 2, decibels, cmap="inferno",
                   shading="nearest", rasterized=True, vmin=np.percentile(decibels, 10))
    top.plot(tracker.sent, ends, color=TRACE, linewidth=1.4,
             label="where the beam was steered")
    top.plot(truth, ends, color=INK, linewidth=1, linestyle=(0, (2, 4)),
             label="where the source was")
    top.set_ylim(ends[-1], 0)
    top.set_ylabel("time (s)")
    top.legend(loc="lower left", fontsize=11)
    top.annotate("strong interferer", (INTERFERER, ends[-1] / 2), color=MISSED, fontsize=11,
                 xytext=(-52, 0), textcoords="offset points", rotation=90, ha="right", va="center")

    # Each pattern has its own axes, because the sidelobes of several hide one another.
    fine = np.linspace(-90, 90, 3601)
    for axes, moment, colour in zip(patterns, MOMENTS, COLOURS):
        k = min(int(moment * looks), looks - 1)
        gain = pattern(beams(tracker.antennas, tracker.sent[k])[0], fine)
        axes.plot(fine, gain, color=colour, linewidth=1)
        axes.fill_between(fine, LEAST_DB, gain, color=colour, alpha=0.18, linewidth=0)
        axes.axvline(truth[k], color=INK, linewidth=1, linestyle=(0, (2, 4)))
        axes.axvline(INTERFERER, color=MISSED, linewidth=1.2)
        axes.set_title(f"beam after {ends[k]:.2g} s: {tracker.sent[k]:+.1f}°", loc="left",
                       color=colour, fontsize=11)
        axes.set_ylim(LEAST_DB, 5)
        axes.set_yticks(range(-60, 1, 20))
        axes.grid(axis="y")
    patterns[0].annotate("strong interferer", (INTERFERER, 1), xycoords=("data", "axes fraction"),
                         xytext=(-4, 3), textcoords="offset points", color=MISSED, ha="right",
                         fontsize=11)
    patterns[1].set_ylabel("gain (dB)")
    patterns[-1].set_xlim(tracker.directions[0], tracker.directions[-1])
    patterns[-1].set_xlabel("degrees off broadside")
    figure.savefig(path, dpi=100)
    plt.close(figure)
