# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The signal of a pass at a receiver, and the Doppler shift that is left after the bank."""

import numpy as np

SIGNALS = ("carrier", "fsk")
BAUD = 1200
DEVIATION = 300.0  # Hz to either side: minimum-shift keying


class PassSignal:
    """
    A carrier, or minimum-shift keying, in noise, which is offset Hz off the centre and follows a
    Doppler curve. Its amplitude is 1; noise is the standard deviation of I and of Q. Each bit is
    followed by its opposite, so that keying does not move the mean phase.
    """

    def __init__(self, curve, offset, sample_rate, kind, noise, seed):
        self.curve, self.offset, self.sample_rate = curve, offset, sample_rate
        self.noise, self.random = noise, np.random.default_rng(seed)
        self.length = int(curve.duration * sample_rate)
        self.bits = None
        if kind == "fsk":
            pairs = self.random.integers(0, 2, int(curve.duration * BAUD / 2) + 2) * 2 - 1
            self.bits = np.stack([pairs, -pairs], axis=1).ravel()

    def samples(self, first, count):
        times = np.arange(first, first + count) / self.sample_rate
        turns = self.offset * times + self.curve.phase(times + self.curve.times[0])
        if self.bits is not None:
            symbols = times * BAUD
            bit = symbols.astype(np.int64)
            inside = (symbols - bit) / BAUD
            start = np.where(bit % 2 == 1, self.bits[bit - 1] / BAUD, 0.0)
            turns += DEVIATION * (start + self.bits[bit] * inside)
        parts = self.noise * self.random.standard_normal((count, 2), np.float32)
        parts[:, 0] += np.cos(2 * np.pi * (turns % 1.0))
        parts[:, 1] += np.sin(2 * np.pi * (turns % 1.0))
        return np.ascontiguousarray(parts).view(np.complex64)[:, 0]


def residual(outputs, rate, delay):
    """
    The frequency that is left, in Hz, from each second to the next, and the phase of each second in
    turns. delay: the delay of the outputs in s. The outputs of the first 2 delay seconds are left
    out, because the filter is still filling.
    """
    second = int(rate)
    outputs = outputs[int(np.ceil(2 * delay * rate)):]
    seconds = len(outputs) // second
    phase = np.unwrap(np.angle(outputs[:seconds * second])) / (2 * np.pi)
    means = phase.reshape(seconds, second).mean(axis=1)
    return np.diff(means) * rate / second, means


def spectrogram(samples_at, length, rate, rows, bins):
    """Powers in dB of the samples that samples_at(first, count) gives, a row for each of some
    times."""
    window = np.hanning(bins).astype(np.float32)
    averaged = 4
    picture = np.empty((rows, bins))
    for row, first in enumerate(np.linspace(0, length - averaged * bins, rows).astype(int)):
        pieces = samples_at(first, averaged * bins).reshape(averaged, bins) * window
        power = np.square(np.abs(np.fft.fft(pieces, axis=1))).mean(axis=0)
        picture[row] = 10 * np.log10(np.fft.fftshift(power) + 1e-12)
    return np.fft.fftshift(np.fft.fftfreq(bins, 1 / rate)), picture
