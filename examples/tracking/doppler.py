# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A Doppler shift over time, and the schedule that takes it out."""

import csv

import numpy as np
from common import ExampleError

# A piece of a schedule is a straight line that has the mean and the change of the curve's frequency
# f. Within a piece of T seconds its phase is off by at most this factor times f'' T^3, in turns.
CUBIC = 3 ** 0.5 / 216


class DopplerCurve:
    """
    A natural cubic spline through a table of times in s and shifts in Hz, and its integral. Before
    and after the table the shift is that of the first and last row.
    """

    def __init__(self, times, hz):
        self.times = np.asarray(times, float)
        self.hz = np.asarray(hz, float)
        width = np.diff(self.times)
        slope = np.diff(self.hz) / width
        bend = _second_derivatives(width, slope)
        self.largest_bend = float(np.abs(bend).max())
        # The piece k is a polynomial of the time since its start.
        self.coefficients = (self.hz[:-1], slope - width * (2 * bend[:-1] + bend[1:]) / 6,
                             bend[:-1] / 2, np.diff(bend) / (6 * width))
        turns = self._integral(np.arange(len(width)), width)
        self.turns = np.concatenate([[0.0], np.cumsum(turns)])

    @property
    def duration(self):
        return float(self.times[-1] - self.times[0])

    def _integral(self, piece, x):
        a, b, c, d = (values[piece] for values in self.coefficients)
        return x * (a + x * (b / 2 + x * (c / 3 + x * d / 4)))

    def _place(self, times):
        inside = np.clip(times, self.times[0], self.times[-1])
        piece = np.clip(np.searchsorted(self.times, inside, side="right") - 1, 0,
                        len(self.times) - 2)
        return inside, piece, inside - self.times[piece]

    def frequency(self, times):
        """The shift in Hz."""
        _, piece, x = self._place(np.asarray(times, float))
        a, b, c, d = (values[piece] for values in self.coefficients)
        return a + x * (b + x * (c + x * d))

    def phase(self, times):
        """The integral of the shift since the first row, in turns."""
        times = np.asarray(times, float)
        inside, piece, x = self._place(times)
        outside = (times - inside) * np.where(times < inside, self.hz[0], self.hz[-1])
        return self.turns[piece] + self._integral(piece, x) + outside


def _second_derivatives(width, slope):
    """The second derivatives of a natural cubic spline at its knots, by elimination."""
    count = len(width) + 1
    bend = np.zeros(count)
    if count < 3:
        return bend
    diagonal = 2 * (width[:-1] + width[1:])
    right = 6 * np.diff(slope)
    for k in range(1, count - 2):
        factor = width[k] / diagonal[k - 1]
        diagonal[k] -= factor * width[k]
        right[k] -= factor * right[k - 1]
    for k in range(count - 3, -1, -1):
        bend[k + 1] = (right[k] - (width[k + 1] * bend[k + 2] if k < count - 3 else 0)) / \
            diagonal[k]
    return bend


def spacing(curve, phase_error):
    """The time between points, in s, that keeps the phase within phase_error turns; 10 at most."""
    if curve.largest_bend == 0:
        return 10.0
    return min(10.0, (phase_error / (CUBIC * curve.largest_bend)) ** (1 / 3))


def schedule(curve, offset, sample_rate, phase_error):
    """
    The points (sample, hz, hz_per_second) for the bank, for a channel that is offset Hz off the
    centre and moves by the curve. The sample 0 is at the curve's first row. Each piece has the
    curve's phase at both of its ends, so that errors do not add up from piece to piece.
    """
    pieces = max(1, int(np.ceil(curve.duration / spacing(curve, phase_error))))
    samples = np.unique(np.round(np.linspace(0, curve.duration, pieces + 1) * sample_rate)
                        .astype(np.int64))
    times = samples / sample_rate + curve.times[0]
    length = np.diff(times)
    mean = np.diff(curve.phase(times)) / length
    slope = np.diff(curve.frequency(times)) / length
    points = [(int(sample), float(offset + hz), float(rate))
              for sample, hz, rate in zip(samples, mean - slope * length / 2, slope)]
    last = float(offset + curve.frequency(times[-1]))
    return [*points, (int(samples[-1]), last, 0.0)]


def phase_of(points, samples, sample_rate):
    """The phase in turns that the bank reaches at some samples, if it follows such points. It is
    for checks."""
    starts = np.array([point[0] for point in points])
    hz, rate = (np.array([point[k] for point in points]) for k in (1, 2))
    length = np.diff(starts) / sample_rate
    turns = np.concatenate([[0.0], np.cumsum(length * (hz[:-1] + rate[:-1] * length / 2))])
    piece = np.clip(np.searchsorted(starts, samples, side="right") - 1, 0, len(starts) - 1)
    x = (samples - starts[piece]) / sample_rate
    return turns[piece] + x * (hz[piece] + rate[piece] * x / 2)


def read_table(path):
    """The curve of a CSV file: rows of a time in s and a shift in Hz, perhaps below a heading."""
    rows, heading_may_come = [], True
    with path.open(newline="", encoding="utf-8") as file:
        try:
            for number, row in enumerate(csv.reader(file), start=1):
                if not row or row[0].lstrip().startswith("#"):
                    continue
                try:
                    values = [float(value) for value in row]
                except ValueError as error:
                    if not heading_may_come:
                        raise ExampleError(f"--table {path}, line {number}: {error}") from error
                    heading_may_come = False
                    continue
                heading_may_come = False
                if len(values) != 2 or not np.isfinite(values).all():
                    raise ExampleError(f"--table {path}, line {number}: has to be a time in s and "
                                       "a shift in Hz, but is " + ",".join(row))
                if rows and values[0] <= rows[-1][0]:
                    raise ExampleError(f"--table {path}, line {number}: the time {values[0]:g} has "
                                       f"to be above that of the row before, {rows[-1][0]:g}")
                rows.append(values)
        except (UnicodeDecodeError, csv.Error) as error:
            raise ExampleError(f"--table {path}: {error}") from error
    if len(rows) < 2:
        raise ExampleError(f"--table {path}: has {len(rows)} rows, but must have 2 or more")
    return DopplerCurve(*np.array(rows).T)
