#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Makes the band that the pictures of the band receiver show: band.py SECONDS FILE.cu8"""

import sys

import numpy as np

RATE, RASTER = 2400000, 25000
VOICE_RATE = 24000
NOISE = 0.006  # standard deviation of I and of Q, full scale being 1
# The number of a channel from the centre, and its level in dB of full scale.
STATIONS = ((-39, -24), (-36, -31), (-35, -38), (-29, -17), (-25, -34), (-15, -20), (-7, -23),
            (-2, -26), (3, -18), (10, -20), (16, -25), (19, -21), (25, -19), (33, -36))
TALK_S, PAUSE_S = (0.4, 2.2), (0.3, 1.2)
RAMP_S = 0.004


def overs(random, seconds):
    """When a station talks: pairs of begin and end in seconds."""
    time = random.uniform(-1, 1)
    while time < seconds:
        end = time + random.uniform(*TALK_S)
        yield time, end
        time = end + random.uniform(*PAUSE_S)


class Station:
    """Frequency modulation by some tones whose strengths change as those of a voice do."""

    def __init__(self, channel, level, seed, seconds):
        self.random = np.random.default_rng(seed)
        self.offset, self.amplitude = channel * RASTER, 10 ** (level / 20)
        self.overs = list(overs(self.random, seconds))
        pitch = self.random.uniform(110, 220)
        self.tones = pitch * np.array([1, 2, 3, 5, 8])
        self.shares = self.random.uniform(0.2, 1, len(self.tones))
        self.syllables = self.random.uniform(2, 6, len(self.tones))
        self.turns = 0.0  # of the phase at the end of the last second

    def second(self, first):
        """The samples of a second."""
        time = first + np.arange(VOICE_RATE) / VOICE_RATE
        on = np.zeros(VOICE_RATE, np.float32)
        for begin, end in self.overs:
            on = np.maximum(on, np.clip(np.minimum(time - begin, end - time) / RAMP_S, 0, 1))
        if not on.any():
            return np.zeros(RATE, np.complex64)
        swing = sum(share * (1 + np.sin(2 * np.pi * syllable * time)) *
                    np.sin(2 * np.pi * tone * time)
                    for tone, share, syllable in zip(self.tones, self.shares, self.syllables))
        held = RATE // VOICE_RATE
        turns = self.turns + np.cumsum(self.offset + 900 * np.repeat(swing, held)) / RATE
        self.turns = turns[-1] % 1
        angles = (2 * np.pi * (turns % 1)).astype(np.float32)
        loud = self.amplitude * np.repeat(on, held)
        samples = np.empty(RATE, np.complex64)
        samples.real, samples.imag = loud * np.cos(angles), loud * np.sin(angles)
        return samples


def main():
    seconds, path = int(sys.argv[1]), sys.argv[2]
    stations = [Station(channel, level, seed, seconds)
                for seed, (channel, level) in enumerate(STATIONS)]
    noise = np.random.default_rng(99)
    with open(path, "wb") as file:
        for second in range(seconds):
            samples = sum(station.second(second) for station in stations)
            parts = samples.view(np.float32)
            parts += NOISE * noise.standard_normal(2 * RATE, np.float32)
            np.clip(np.round(parts * 127.5 + 127.5), 0, 255).astype(np.uint8).tofile(file)


if __name__ == "__main__":
    main()
