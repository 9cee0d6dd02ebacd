# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The table of channels, and the picture of the band."""

import numpy as np
from common import counted
from common.colours import HEARD, QUIET
from common.picture import BandPicture

from .levels import decibels

MOST_NAMES = 20  # number of channel names in the picture
NUMBER_WIDTH = 0.025  # of the band, what a number takes in the picture


def table(band, levels, stream=None):
    """Print every channel's power and squelch."""
    print(f"{'channel':>7}  {'MHz':>12}  {'mean dBFS':>9}  {'peak dBFS':>9}  {'open %':>6}  "
          "squelch", file=stream)
    rows = zip(band.channels, levels.mean(), decibels(levels.peak), levels.open_share(),
               decibels(levels.last))
    for channel, mean, peak, share, last in rows:
        state = "open" if last > levels.squelch else "closed"
        print(f"{channel.number:>7}  {channel.frequency / 1e6:>12.6f}  {mean:>9.1f}  "
              f"{peak:>9.1f}  {100 * share:>6.1f}  {state}", file=stream)


def picture(band, levels, powers, duration, path):
    """Write the band's spectrum and waterfall to a PNG, its busy channels marked."""
    bins = powers.shape[1]
    offsets = (np.arange(bins) / bins - 0.5) * band.sample_rate
    busy = [c for c, share in zip(band.channels, levels.open_share()) if share > 0]
    title = (f"{counted(len(band.channels), 'channel')} of {band.raster / 1e3:g} kHz in "
             f"{band.sample_rate / 1e6:g} MHz, {len(busy)} of them busy")
    drawn = BandPicture(powers, (band.centre + offsets) / 1e6, duration, title,
                        "frequency (MHz)", headroom=0.15)
    last, line = float("-inf"), 0
    for channel in busy:
        drawn.mark(channel.frequency / 1e6, band.raster / 2e6, HEARD)
        if len(busy) <= MOST_NAMES:
            # The number of a neighbour is higher, because two do not fit side by side.
            near = channel.frequency - last < NUMBER_WIDTH * band.sample_rate
            last, line = channel.frequency, 1 - line if near else 0
            drawn.top.annotate(f"{channel.number}", (channel.frequency / 1e6, drawn.label_y),
                               (0, 15 * line), textcoords="offset points", ha="center",
                               va="bottom", color=QUIET)
    if 0 < len(busy) <= MOST_NAMES:
        # One word before the numbers, for which alone there is room.
        drawn.top.annotate("channel", (busy[0].frequency / 1e6, drawn.label_y), (-12, 0),
                           textcoords="offset points", ha="right", va="bottom", color=QUIET)
    for axis in (drawn.top.xaxis, drawn.bottom.xaxis):
        axis.get_major_formatter().set_useOffset(False)
    drawn.save(path)
