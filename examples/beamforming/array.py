# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""A uniform linear array with half a wavelength between its antennas, and its beams."""

import numpy as np

SAMPLE_RATE = 100e3  # of each antenna in samples a second, so that the signals last some seconds


def response(antennas, direction):
    """
    The response of the antennas to a wave from a direction in degrees off broadside, relative to
    the first antenna; one row for each direction.
    """
    sine = np.sin(np.radians(np.atleast_1d(direction)))
    return np.exp(1j * np.pi * np.outer(sine, np.arange(antennas)))


def taper(antennas):
    """Weights that lower the sidelobes to some -40 dB, and make the main lobe wider."""
    window = np.hamming(antennas)
    return window / window.sum()


def beams(antennas, directions):
    """The matrix whose rows are beams with a gain of one in their directions."""
    return (np.conj(response(antennas, directions)) * taper(antennas)).astype(np.complex64)


def array_gain(antennas):
    """The number of dB by which a beam improves the signal-to-noise ratio."""
    return -10 * np.log10(np.sum(taper(antennas) ** 2))


def pattern(weights, directions):
    """The gain of a beam in dB, for waves from these directions."""
    gain = np.abs(response(len(weights), directions) @ weights)
    return 20 * np.log10(np.maximum(gain, 1e-5))
