# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The picture: the powers of the beams, and the pattern of the steered beam."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from common.colours import HEARD, INK, MISSED, OTHER, TRACE
from common.picture import dark
from common.picture import title as write_title

from .array import beams, pattern
from .scene import INTERFERER

MOMENTS = (0.1, 0.5, 0.8)  # fractions of the whole time at which patterns are shown
COLOURS = (TRACE, HEARD, OTHER)


def save(path, tracker, truth, title):
    """Write the picture to a PNG. truth: the source's direction in degrees, at each look's end."""
    dark(10)
    figure, (top, bottom) = plt.subplots(
        2, 1, figsize=(10, 8), sharex=True, gridspec_kw={"height_ratios": [1, 1.1]},
        layout="constrained")
    write_title(figure, title, 13)

    decibels = 10 * np.log10(np.array(tracker.powers))
    looks = len(decibels)
    top.pcolormesh(tracker.directions, np.arange(looks) + 0.5, decibels, cmap="inferno",
                   shading="nearest", rasterized=True, vmin=np.percentile(decibels, 10))
    top.plot(tracker.sent, np.arange(looks) + 1, color=TRACE, linewidth=1.4,
             label="where the beam was steered")
    top.plot(truth, np.arange(looks) + 1, color=INK, linewidth=1, linestyle=(0, (2, 4)),
             label="where the source was")
    top.set_ylim(looks, 0)
    top.set_ylabel("look (time)")
    top.legend(loc="lower left", fontsize=9)

    fine = np.linspace(-90, 90, 3601)
    for moment, colour in zip(MOMENTS, COLOURS):
        look = min(int(moment * looks), looks - 1)
        weights = beams(tracker.antennas, tracker.sent[look])[0]
        bottom.plot(fine, pattern(weights, fine), color=colour, linewidth=1,
                    label=f"beam at look {look}: {tracker.sent[look]:+.1f}°")
        bottom.axvline(truth[look], color=colour, linewidth=1, linestyle=(0, (2, 4)))
    bottom.axvline(INTERFERER, color=MISSED, linewidth=1.2, label="strong interferer")
    bottom.set_ylim(-70, 5)
    bottom.set_yticks(range(-60, 1, 20))
    bottom.set_xlim(tracker.directions[0], tracker.directions[-1])
    bottom.set_ylabel("gain (dB)")
    bottom.set_xlabel("degrees off broadside")
    bottom.grid(axis="y")
    bottom.legend(loc="lower center", bbox_to_anchor=(0.5, 0.99), ncol=4, fontsize=9, frameon=False)
    figure.savefig(path, dpi=100)
    plt.close(figure)
