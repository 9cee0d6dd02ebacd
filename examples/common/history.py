# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The rows of a waterfall, and a picture of any section of them."""

import numpy as np

from .colours import heat

COLOURS = np.array([red << 16 | green << 8 | blue | 0xff000000 for red, green, blue in heat()],
                   dtype=np.uint32)
NOTHING = -1000.0  # dB, of rows that are not there yet


def columns(rows, first, step, count):
    """
    The levels of columns of pixels, from those of bins in dB; the last axis is that of the bins.
    The first column begins at a place among the bins, whole numbers of which are the middles of
    bins, and step is a column's width in bins. Of many bins the strongest is seen; between few
    there are straight lines.
    """
    bins = rows.shape[-1]
    if step < 1:
        places = first + step * (np.arange(count) + 0.5)
        whole = np.floor(places).astype(int)
        part = (places - whole).astype(np.float32)
        return (rows[..., whole % bins] * (1 - part) + rows[..., (whole + 1) % bins] * part)
    ends = np.ceil(first + step * np.arange(count + 1) - 1e-6).astype(int)
    ends = np.clip(ends, 0, bins)
    return np.maximum.reduceat(rows[..., :ends[-1]], np.minimum(ends[:-1], ends[-1] - 1), axis=-1)


class History:
    """The last rows, of a number of bins each. A new row costs only its own colours."""

    def __init__(self, rows, bins):
        self.rows = np.full((rows, bins), NOTHING, np.float32)
        self.newest = 0  # the place of the newest one; older ones follow it, around the end
        self.fresh = rows  # number of rows that the picture does not have yet
        self.section = None  # of the picture
        self.picture = None  # colours, newest row first

    def __len__(self):
        return len(self.rows)

    def add(self, rows):
        """Rows in dB, oldest first."""
        for row in rows[-len(self):]:
            self.newest = (self.newest - 1) % len(self)
            self.rows[self.newest] = row
        self.fresh += len(rows)

    def recolour(self):
        """Let the next picture colour all rows anew."""
        self.fresh = len(self)

    def draw(self, section, low, high):
        """
        The picture of a section, as columns() takes it. low and high are the levels of the darkest
        and the brightest colour, for the rows that the picture does not have yet.
        """
        if section != self.section:
            self.section, self.fresh = section, len(self)
            self.picture = np.empty((len(self), section[2]), np.uint32)
        fresh = min(self.fresh, len(self))
        if fresh:
            order = (self.newest + np.arange(fresh)) % len(self)
            levels = columns(self.rows, *section)[order] if fresh == len(self) else \
                columns(self.rows[order], *section)
            index = np.clip((levels - low) * (255 / (high - low)), 0, 255).astype(np.uint8)
            self.picture[fresh:] = self.picture[:-fresh].copy()
            self.picture[:fresh] = COLOURS[index]
            self.fresh = 0
        return self.picture
