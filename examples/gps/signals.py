# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The signal of an antenna at 0 Hz: satellites far below the noise."""

from dataclasses import dataclass

import numpy as np

from .ca_code import CARRIER, CHIP_RATE, CHIPS, PRNS, ca_code

DATA_RATE = 50  # bits a second


@dataclass
class Satellite:
    """A satellite that is in view."""
    prn: int
    phase: float    # code phase at the first sample, in chips
    doppler: float  # Hz
    density: float  # carrier to noise density, dB-Hz

    def describe(self):
        """The values as text for a column of a table."""
        return f"{self.phase:7.1f} chips {self.doppler:+6.0f} Hz {self.density:4.0f} dB-Hz"


def random_satellites(count, most_doppler, rng):
    """Some random satellites, with random phases."""
    prns = sorted(rng.choice(np.array(PRNS), count, replace=False))
    return [Satellite(int(prn), rng.uniform(0, CHIPS), rng.uniform(-1, 1) * most_doppler,
                      rng.uniform(45, 51)) for prn in prns]


def receive(satellites, samples, sample_rate, rng):
    """The sum of the satellites' signals in complex white noise of power 1."""
    time = np.arange(samples) / sample_rate
    signal = (rng.standard_normal(samples) + 1j * rng.standard_normal(samples)) / np.sqrt(2)
    for satellite in satellites:
        # The Doppler effect changes the rate of the code by the same factor as the carrier.
        rate = CHIP_RATE * (1 + satellite.doppler / CARRIER)
        chips = satellite.phase + rate * time
        code = 2.0 * ca_code(satellite.prn)[chips.astype(int) % CHIPS] - 1
        bits = rng.integers(0, 2, int(time[-1] * DATA_RATE) + 2) * 2.0 - 1
        data = bits[(time * DATA_RATE + rng.uniform()).astype(int)]
        carrier = np.exp(2j * np.pi * (satellite.doppler * time + rng.uniform()))
        amplitude = np.sqrt(10 ** (satellite.density / 10) / sample_rate)
        signal += amplitude * data * code * carrier
    return signal


def one_bit_items(signal, samples_per_code, dopplers, sample_rate):
    """
    Pieces of the signal, each as long as a code, shifted by each Doppler frequency and then reduced
    to one bit: items for the block in the order code, Doppler, I and Q.
    """
    codes = len(signal) // samples_per_code
    time = np.arange(codes * samples_per_code) / sample_rate
    items = []
    for doppler in dopplers:
        moved = signal[:len(time)] * np.exp(-2j * np.pi * doppler * time)
        bits = np.stack([moved.real > 0, moved.imag > 0])
        items.append(np.packbits(bits.reshape(2, codes, samples_per_code), axis=2))
    return np.stack(items).transpose(2, 0, 1, 3)
