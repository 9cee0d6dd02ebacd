# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The ends of a scale of levels, which follow the signal until one of them is set."""

STEP_DB = 5  # that a turn of the wheel moves an end by
LEAST, MOST, LEAST_SPAN = -200, 40, 10  # dB of full scale


class LevelScale:
    """The lowest and the highest level in dB."""

    def __init__(self):
        self.automatic = -100.0, 0.0
        self.chosen = None

    def ends(self):
        return self.chosen or self.automatic

    def move(self, upper, steps):
        """Move the upper or the lower end by a number of steps, from where it is now."""
        low, high = (STEP_DB * round(end / STEP_DB) for end in self.ends())
        if upper:
            high = min(MOST, max(low + LEAST_SPAN, high + steps * STEP_DB))
        else:
            low = max(LEAST, min(high - LEAST_SPAN, low + steps * STEP_DB))
        self.chosen = low, high

    def follow(self):
        """Let both ends follow the signal again."""
        self.chosen = None
