# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The channels of a band, and the filter that takes them out."""

import math
from argparse import ArgumentTypeError
from dataclasses import dataclass
from typing import List

from common import MOST_RATE, ExampleError
from common.hertz import hertz
from gnuradio.filter import firdes

from .options import LEAST_CHANNEL_RATE, MOST_CHANNEL_RATE, PASSBAND

# fraction of the sampled band; near its edges a radio's own filter distorts the channels
USABLE = 0.9
MOST_CHANNELS = 1000
USUAL_CHANNEL_RATE, USUAL_SPREAD = 48000, 1.5  # by which the default may be off, at most


@dataclass
class Channel:
    """One channel: its number, and its frequency in Hz."""

    number: int
    frequency: float
    offset: float  # distance from the band's centre


@dataclass
class Band:
    """A sampled band, divided into channels of one width. All frequencies are in Hz."""

    centre: float
    sample_rate: int
    raster: float  # the width of a channel
    channel_rate: int
    channels: List[Channel]

    @property
    def decimation(self):
        return self.sample_rate // self.channel_rate

    @property
    def offsets(self):
        return [channel.offset for channel in self.channels]

    def taps(self):
        """The taps of every channel's low-pass."""
        return self._low_pass(self.raster)

    def wide_taps(self):
        """Those of the channel that is listened to: as much as its rate has room for."""
        return self._low_pass(self.channel_rate)

    def _low_pass(self, width):
        return firdes.low_pass(1.0, self.sample_rate, PASSBAND / 2 * width,
                               (1 - PASSBAND) * width)

    def limit(self):
        """The largest offset that a channel's centre may have."""
        return self.sample_rate / 2 - self.raster / 2

    def tunable(self, frequency):
        """The nearest frequency to this one that lies in the band, and its offset."""
        limit = self.limit()
        offset = min(max(frequency - self.centre, -limit), limit)
        return self.centre + offset, offset

    def nearest(self, frequency):
        """
        The centre of the channel that holds this frequency; if there is none, the frequency itself.
        """
        channel = min(self.channels, key=lambda c: abs(c.frequency - frequency))
        inside = abs(channel.frequency - frequency) <= self.raster / 2
        return channel.frequency if inside else frequency


def make_band(args):
    """The band that the options describe; its channels are sorted by frequency."""
    if args.channel_rate is None:
        args.channel_rate = usual_rate(args.sample_rate)
    if not LEAST_CHANNEL_RATE <= args.channel_rate <= MOST_CHANNEL_RATE:
        raise ExampleError(f"--channel-rate {args.channel_rate}: must be "
                           f"{LEAST_CHANNEL_RATE} to {MOST_CHANNEL_RATE}")
    if not 2 * args.channel_rate <= args.sample_rate <= MOST_RATE or \
            args.sample_rate % args.channel_rate:
        raise ExampleError(f"--sample-rate {args.sample_rate}: must be 2 or more times "
                           f"--channel-rate {args.channel_rate}, a whole number of times, and "
                           f"{MOST_RATE} or less")
    if not (math.isfinite(args.raster) and 100 <= args.raster <= args.channel_rate):
        raise ExampleError(f"--raster {args.raster:g}: must be 100 to --channel-rate "
                           f"{args.channel_rate}")
    band = Band(args.freq or 0.0, args.sample_rate, args.raster, args.channel_rate, [])
    if args.channels:
        frequencies = _listed(args.channels, band)
    else:
        frequencies = _raster(args.raster_origin, band)
    band.channels = [Channel(k, f, f - band.centre) for k, f in enumerate(frequencies)]
    return band


def usual_rate(sample_rate):
    """The part of a rate that is nearest to the usual one; this one itself if none is near."""
    if sample_rate > MOST_RATE:
        return USUAL_CHANNEL_RATE
    first, last = (sample_rate * f / USUAL_CHANNEL_RATE for f in (1 / USUAL_SPREAD, USUAL_SPREAD))
    parts = range(max(1, math.ceil(first)), math.floor(last) + 1)
    rates = [sample_rate // k for k in parts if sample_rate % k == 0] or [USUAL_CHANNEL_RATE]
    return min(rates, key=lambda rate: abs(math.log(rate / USUAL_CHANNEL_RATE)))


def _check_count(channels):
    if channels > MOST_CHANNELS:
        raise ExampleError(f"{channels} channels: at most {MOST_CHANNELS}; a wider --raster or "
                           "--channels makes them fewer")


def _listed(text, band):
    try:
        frequencies = sorted({hertz(part) for part in text.split(",")})
    except ArgumentTypeError:
        raise ExampleError(f"--channels {text}: expected frequencies in Hz with commas between "
                           "them, for example 446.00625M,446.01875M") from None
    for frequency in frequencies:
        if not abs(frequency - band.centre) <= band.limit():
            raise ExampleError(f"--channels: {frequency:.15g} Hz is not in the band, "
                               f"{band.centre - band.limit():.15g} to "
                               f"{band.centre + band.limit():.15g} Hz")
    _check_count(len(frequencies))
    return frequencies


def _raster(origin, band):
    origin = band.centre if origin is None else origin
    if not math.isfinite(origin):
        raise ExampleError(f"--raster-origin {origin}: must be a finite number")
    reach = min(USABLE * band.sample_rate / 2, band.limit())
    first = math.ceil((band.centre - reach - origin) / band.raster)
    last = math.floor((band.centre + reach - origin) / band.raster)
    _check_count(last - first + 1)
    return [origin + k * band.raster for k in range(first, last + 1)]
