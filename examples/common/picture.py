# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The style of all pictures and windows, and a picture of a band: its spectrum over its waterfall."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from .colours import TRACE, style


def dark(font_size):
    """Set the style for what is drawn from now on."""
    plt.rcParams.update(style(font_size))


def title(figure, text, size=17):
    """A picture's title, at its left."""
    figure.suptitle(text, fontsize=size, x=0.012, ha="left", weight="bold")


def ends(frequency):
    """The ends of a spectrogram, from the frequencies of its bins: theirs are the middles."""
    half = (frequency[-1] - frequency[0]) / max(1, len(frequency) - 1) / 2
    return frequency[0] - half, frequency[-1] + half


class BandPicture:
    """
    powers: power of each bin, one row per moment, lowest frequency first. frequency: frequency of
    each bin, in the unit that label names. headroom: room above the spectrum in its axes.
    """

    def __init__(self, powers, frequency, duration, heading, label, headroom=0.5):
        decibels = 10 * np.log10(powers)
        spectrum = 10 * np.log10(powers.mean(axis=0))
        low, high = np.percentile(decibels, 20), np.percentile(decibels, 99.9)
        dark(13)
        self.figure, (self.top, self.bottom) = plt.subplots(
            2, 1, figsize=(11.25, 8), sharex=True, gridspec_kw={"height_ratios": [1, 1.35]},
            layout="constrained")
        self.figure.get_layout_engine().set(h_pad=0.08, w_pad=0.12)
        title(self.figure, heading)

        floor, peak = np.percentile(spectrum, 5) - 4, spectrum.max()
        self.label_y = peak + 4  # the level at which text over the spectrum begins
        top, bottom = self.top, self.bottom
        top.plot(frequency, spectrum, color=TRACE, linewidth=0.9)
        top.fill_between(frequency, floor, spectrum, color=TRACE, alpha=0.18, linewidth=0)
        top.set_ylim(floor, self.label_y + headroom * (peak - floor) + 6)
        top.set_ylabel("power in a bin (dBFS)")
        top.grid(axis="y")
        bottom.imshow(decibels, aspect="auto", origin="upper", cmap="inferno", vmin=low,
                      vmax=high, extent=(*ends(frequency), duration, 0),
                      interpolation="bilinear")
        bottom.set_ylabel("time (s)")
        bottom.set_xlabel(label)
        bottom.set_xlim(frequency[0], frequency[-1])

    def mark(self, centre, half, colour):
        """Mark a channel, from half below its centre to half above."""
        self.top.axvspan(centre - half, centre + half, color=colour, alpha=0.16, linewidth=0)
        for edge in (centre - half, centre + half):
            self.bottom.axvline(edge, color=colour, alpha=0.5, linewidth=0.8,
                                linestyle=(0, (4, 4)))

    def save(self, path):
        """Write the picture to a PNG."""
        self.figure.savefig(path, dpi=80)
        plt.close(self.figure)
