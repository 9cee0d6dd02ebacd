# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Frequencies and rates as the command cldsp takes them: 446.1M, 12.5k, 2.4MS/s, 1e6."""

import argparse
import re
from decimal import Decimal

_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?)([kKMG]?)(?:Hz|S/s)?")
_FACTORS = {"": 1, "k": 10 ** 3, "K": 10 ** 3, "M": 10 ** 6, "G": 10 ** 9}
_MOST = Decimal(10) ** 300


def _exact(text):
    found = _NUMBER.fullmatch(text)
    value = Decimal(found[1]) * _FACTORS[found[2]] if found else None
    if value is None or abs(value) > _MOST:
        raise argparse.ArgumentTypeError(f"'{text}' must be a number of Hz such as 446.1M or 12.5k")
    return value


def hertz(text):
    """Reads a number of Hz, as the type of an option."""
    return float(_exact(text))


def whole_hertz(text):
    """Reads a whole number of Hz, as the type of an option."""
    value = _exact(text)
    if value != value.to_integral_value():
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number of Hz")
    return int(value)
