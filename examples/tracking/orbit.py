# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Passes of satellites over an observer: a made-up circular orbit, and orbits of TLE sets."""

from collections import namedtuple
from datetime import datetime, timedelta, timezone

import numpy as np
from common import ExampleError

from .doppler import DopplerCurve

LIGHT = 299792.458  # km/s
GRAVITY = 398600.4418  # km^3/s^2
EARTH = 6378.137  # km, the equator's radius
FLATTENING = 1 / 298.257223563
EARTH_TURN = 7.292115e-5  # rad/s
STEP = 0.5  # s between the rows of a curve
DAYS = 2  # for how long a pass is looked for
SHORTEST = 60.0  # s

# start: a time, or None for a made-up pass. elevation: in degrees, of the highest point.
Pass = namedtuple("Pass", "name start curve elevation")


def circular_pass(frequency, height=500.0, beside=2.0):
    """
    A satellite in a circular orbit of a height in km above an Earth that does not turn. Its track
    passes the observer so many degrees of a great circle beside the zenith.
    """
    radius = EARTH + height
    rate = np.sqrt(GRAVITY / radius ** 3)
    beside = np.radians(beside)
    # The satellite is above the horizon while the angle at the Earth's centre is below this.
    horizon = np.arccos(EARTH / radius / np.cos(beside))
    times = np.arange(-horizon / rate, horizon / rate, STEP)
    angle = rate * times
    place = radius * np.stack([np.cos(beside) * np.cos(angle), np.cos(beside) * np.sin(angle),
                               np.full_like(angle, np.sin(beside))])
    speed = radius * rate * np.stack([-np.cos(beside) * np.sin(angle),
                                      np.cos(beside) * np.cos(angle), np.zeros_like(angle)])
    line = place - np.array([[EARTH], [0.0], [0.0]])
    distance = np.linalg.norm(line, axis=0)
    shift = -frequency / LIGHT * (line * speed).sum(axis=0) / distance
    elevation = np.degrees(np.arcsin(line[0] / distance)).max()
    return Pass("a circular orbit", None, DopplerCurve(times - times[0], shift), elevation)


def read_tle(path, name):
    """The name and the two lines of a satellite; of the first one if name is None."""
    try:
        lines = [line.rstrip() for line in path.read_text(encoding="ascii").splitlines()]
    except UnicodeDecodeError as error:
        raise ExampleError(f"--tle {path}: {error}") from error
    found = []
    for k in range(len(lines) - 1):
        first, second = lines[k], lines[k + 1]
        if not (first.startswith("1 ") and second.startswith("2 ")):
            continue
        title = lines[k - 1].removeprefix("0 ").strip() if k > 0 else ""
        if not title or title.startswith("2 "):
            title = first[2:7].strip()
        for number, line in ((k + 1, first), (k + 2, second)):
            if len(line) != 69 or _checksum(line) != line[68]:
                raise ExampleError(f"--tle {path}, line {number}: is no line of a TLE set of 69 "
                                   "characters with a right checksum")
        if name is None or name.lower() in title.lower():
            return title, first, second
        found.append(title)
    if found:
        raise ExampleError(f"--satellite is {name}, but {path} has only {', '.join(found)}")
    raise ExampleError(f"--tle {path}: has no two lines that begin with 1 and 2")


def _checksum(line):
    return str(sum(int(c) if c.isdigit() else c == "-" for c in line[:68]) % 10)


def tle_pass(lines, observer, start, min_elevation, frequency):
    """
    The first pass after a time over an observer (latitude and longitude in degrees, height in m).
    lines are what read_tle() gives; if start is None, the pass follows the epoch of the set.
    """
    try:
        from sgp4.api import Satrec, jday
    except ImportError as error:
        raise ExampleError(f"--tle needs the Python module sgp4 ({error}): install python3-sgp4, "
                           "or give a --table") from error
    name, first, second = lines
    satellite = Satrec.twoline2rv(first, second)
    if start is None:
        start = datetime(2000, 1, 1, 12, tzinfo=timezone.utc) + timedelta(
            days=satellite.jdsatepoch - 2451545.0 + satellite.jdsatepochF)
    day, fraction = jday(start.year, start.month, start.day, start.hour, start.minute,
                         start.second + start.microsecond * 1e-6)

    def seen(seconds):
        """Elevation in degrees and Doppler shift in Hz, at seconds after the start."""
        fractions = fraction + seconds / 86400
        error, place, speed = satellite.sgp4_array(np.full_like(fractions, day), fractions)
        if error.any():
            raise ExampleError(f"{name}: SGP4 gives no position {seconds[error > 0][0]:.0f} s "
                               f"after {start:%Y-%m-%d %H:%M} (its error {error.max()}); the TLE "
                               "set may be too old")
        up, there, moving = _observer(observer, day + fractions)
        line, relative = place - there, speed - moving
        distance = np.linalg.norm(line, axis=1)
        return (np.degrees(np.arcsin((line * up).sum(axis=1) / distance)),
                -frequency / LIGHT * (line * relative).sum(axis=1) / distance)

    coarse = np.arange(0, DAYS * 86400, 10.0)
    above = seen(coarse)[0] > min_elevation
    edges = np.flatnonzero(np.diff(above.astype(int)))
    rises = [k for k in edges if not above[k]]
    for rise in rises:
        sets = [k for k in edges if k > rise]
        if not sets:
            break
        times = np.arange(coarse[rise], coarse[sets[0] + 1], STEP)
        elevation, shift = seen(times)
        inside = elevation > min_elevation
        if inside.sum() * STEP >= SHORTEST:
            times, shift = times[inside], shift[inside]
            return Pass(name, start + timedelta(seconds=float(times[0])),
                        DopplerCurve(times - times[0], shift), float(elevation.max()))
    raise ExampleError(f"{name} does not pass above {min_elevation:g} degrees for {SHORTEST:.0f} s "
                       f"in the {DAYS} days after {start:%Y-%m-%d %H:%M} UTC")


def _observer(observer, julian):
    """The directions of the zenith, and the places in km and speeds in km/s, in SGP4's frame."""
    latitude, longitude = np.radians(observer[0]), np.radians(observer[1])
    centuries = (julian - 2451545.0) / 36525
    # Greenwich's mean sidereal time in seconds, of the IAU's model of 1982.
    sidereal = 67310.54841 + centuries * (876600 * 3600 + 8640184.812866 +
                                          centuries * (0.093104 - 6.2e-6 * centuries))
    east = longitude + 2 * np.pi * (sidereal % 86400) / 86400
    squared = FLATTENING * (2 - FLATTENING)
    normal = EARTH / np.sqrt(1 - squared * np.sin(latitude) ** 2)
    height = observer[2] / 1000
    across = (normal + height) * np.cos(latitude)
    along = np.full_like(east, (normal * (1 - squared) + height) * np.sin(latitude))
    place = np.stack([across * np.cos(east), across * np.sin(east), along], axis=1)
    speed = EARTH_TURN * np.stack([-place[:, 1], place[:, 0], np.zeros_like(east)], axis=1)
    up = np.stack([np.cos(latitude) * np.cos(east), np.cos(latitude) * np.sin(east),
                   np.full_like(east, np.sin(latitude))], axis=1)
    return up, place, speed
