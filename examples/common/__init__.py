# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Code that the examples share: sample formats, files and radios, progress, errors,
numbers of things."""

MOST_RATE, MOST_SECONDS = 10 ** 10, 10 ** 8  # 64 bits count the samples of such a stream


class ExampleError(Exception):
    """An error that the user can correct; its text is shown without a traceback."""


class NoDisplay(ExampleError):
    """There is no display for a window."""


def counted(number, what):
    """A number of things, such as "1 channel" and "2 channels"."""
    return f"{number} {what}{'' if number == 1 else 's'}"
