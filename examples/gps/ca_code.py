# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The coarse/acquisition codes of GPS, by IS-GPS-200, section 3.3.2.3 and table 3-Ia."""

import numpy as np

CHIPS = 1023
CHIP_RATE = 1.023e6   # chips a second: a code lasts one millisecond
CARRIER = 1575.42e6   # Hz, L1

# The two stages of G2 whose sum is the delayed G2 sequence, for PRN 1 to 32.
G2_STAGES = ((2, 6), (3, 7), (4, 8), (5, 9), (1, 9), (2, 10), (1, 8), (2, 9),
             (3, 10), (2, 3), (3, 4), (5, 6), (6, 7), (7, 8), (8, 9), (9, 10),
             (1, 4), (2, 5), (3, 6), (4, 7), (5, 8), (6, 9), (1, 3), (4, 6),
             (5, 7), (6, 8), (7, 9), (8, 10), (1, 6), (2, 7), (3, 8), (4, 9))
PRNS = range(1, len(G2_STAGES) + 1)


def _shift_register(feedback, outputs):
    """The chips of a register of ten stages, which all start as ones."""
    stages = [1] * 10
    chips = np.empty(CHIPS, np.uint8)
    for i in range(CHIPS):
        chips[i] = sum(stages[stage - 1] for stage in outputs) % 2
        stages = [sum(stages[stage - 1] for stage in feedback) % 2] + stages[:-1]
    return chips


def ca_code(prn):
    """The 1023 chips of a satellite, 0 or 1."""
    if prn not in PRNS:
        raise ValueError(f"PRN {prn} is not one of 1 to {len(G2_STAGES)}")
    g1 = _shift_register((3, 10), (10,))
    g2 = _shift_register((2, 3, 6, 8, 9, 10), G2_STAGES[prn - 1])
    return g1 ^ g2


def shifted_codes(prn, samples_per_chip):
    """
    A satellite's code at every phase, in the form of the block's codes: row p starts p samples
    later in the code. The bits that fill up the last byte are 0, both here and in the items of a
    signal. They are equal, so each of them adds 1 to every correlation. Some rows of zeros at the
    end bring the number of rows to a multiple of 1024, which suits GNU Radio's buffers.
    """
    samples = np.repeat(ca_code(prn), samples_per_chip)
    twice = np.concatenate([samples, samples[:-1]])
    rows = np.packbits(np.lib.stride_tricks.sliding_window_view(twice, len(samples)), axis=1)
    return np.pad(rows, ((0, -len(rows) % 1024), (0, 0)))
