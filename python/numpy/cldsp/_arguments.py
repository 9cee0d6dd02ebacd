# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
"""Python's arguments as those of the library: checked numbers, texts, taps and rates."""

from __future__ import annotations

import ctypes
import operator
from fractions import Fraction
from typing import Any, Iterable, Optional, Sequence, Union

import numpy as np

from ._library import Rate, Taps, refuse

Array = np.ndarray

_LARGEST = 2**63 - 1  # what the fields of the library take; its own bounds are lower
_MOST_INTERPOLATION = 4096
_MOST_OF_STREAM = Fraction(9, 10)
_RATE_TOLERANCE = Fraction(1, 1_000_000)


def whole(name: str, value: Any, least: int = 0, most: int = _LARGEST) -> int:
    """A whole number in a range."""
    try:
        number = operator.index(value)
    except TypeError:
        refuse(name, repr(value), "a whole number")
    if not least <= number <= most:
        refuse(name, number, f"{least} to {most}" if most != _LARGEST else f"{least} or more")
    return number


def number(name: str, value: Any) -> float:
    """A real number; the library knows its range."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        refuse(name, repr(value), "a number")


def text(name: str, value: Any) -> bytes:
    """A text without zeros, as C has it."""
    if not isinstance(value, str) or "\0" in value:
        refuse(name, repr(value), "a text")
    return value.encode()


def _numbers(name: str, values: Any) -> Array:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "iufc":
            raise TypeError
    except (TypeError, ValueError):
        refuse(name, repr(values)[:60], "a list of numbers")
    if array.ndim != 1:
        refuse(name, f"an array of {array.ndim} dimensions", "a list of numbers")
    kind = np.complex64 if np.iscomplexobj(array) else np.float32
    with np.errstate(over="ignore"):  # the library refuses what is infinite
        return np.ascontiguousarray(array, kind)


class TapLists:
    """The taps of a bank for the library: one list of all channels, or one for each.

    Attributes:
        structures: the array of cldsp_taps, as long as this object exists
    """

    def __init__(self, taps: Any, name: str = "taps"):
        try:
            several = len(taps) > 0 and np.ndim(taps[0]) > 0
        except (TypeError, KeyError, IndexError, ValueError):
            several = True  # a list of lists of different lengths has no number of dimensions
        if not hasattr(taps, "__len__"):
            refuse(name, repr(taps)[:60], "a list of numbers, or one such list for each channel")
        self.arrays = ([_numbers(f"{name}[{i}]", each) for i, each in enumerate(taps)] if several
                       else [_numbers(name, taps)])
        self.structures = (Taps * len(self.arrays))()
        for structure, array in zip(self.structures, self.arrays):
            is_complex = array.dtype == np.complex64
            structure.real_taps = None if is_complex else array.ctypes.data
            structure.complex_taps = array.ctypes.data if is_complex else None
            structure.count = array.size

    def __len__(self) -> int:
        return len(self.arrays)


def center_freqs(values: Any) -> "ctypes.Array[ctypes.c_double]":
    """Frequencies, one or a list of them."""
    listed = [values] if np.ndim(values) == 0 else list(values)
    return (ctypes.c_double * len(listed))(
        *(number(f"center_freqs[{i}]", value) for i, value in enumerate(listed)))


def ratio_of(output_rate: Any, sampling_freq: float, name: str) -> Fraction:
    """The ratio of two rates, as the library has it: P / Q with a P of at most 4096."""
    rate = number(name, output_rate)
    if not (0 < rate <= sampling_freq < float("inf")):
        refuse(name, f"{rate:g} Hz", f"above 0 and at most sampling_freq, {sampling_freq:g} Hz")
    wanted = Fraction(rate) / Fraction(sampling_freq)
    # The denominator of the reciprocal is the interpolation.
    ratio = 1 / (1 / wanted).limit_denominator(_MOST_INTERPOLATION)
    if abs(ratio - wanted) > _RATE_TOLERANCE * wanted:
        refuse(name, f"{rate!r} Hz",
               f"sampling_freq, {sampling_freq!r} Hz, times P / Q with a P of at most "
               f"{_MOST_INTERPOLATION}, such as {float(ratio) * sampling_freq!r} Hz")
    if _MOST_OF_STREAM < ratio < 1:
        refuse(name, f"{rate:g} Hz",
               f"at most {float(_MOST_OF_STREAM)} of sampling_freq, {sampling_freq:g} Hz, or all "
               "of it")
    return ratio


def ratios(decimation: Union[int, Sequence[int], None],
           output_rate: Union[float, Sequence[float], None],
           sampling_freq: float) -> list[Fraction]:
    """The rate of each slot, or one for all, by exactly one of two arguments."""
    if (decimation is None) == (output_rate is None):
        refuse("decimation", repr(decimation),
               "given where output_rate is not, and only there (it is " + repr(output_rate) + ")")
    given: Any = output_rate if decimation is None else decimation
    single = np.ndim(given) == 0
    name = "output_rate" if decimation is None else "decimation"
    listed: Iterable[Any] = [given] if single else given
    found = []
    for i, value in enumerate(listed):
        label = name if single else f"{name}[{i}]"
        found.append(ratio_of(value, sampling_freq, label) if decimation is None
                     else Fraction(1, whole(label, value, 1, 2**24)))
    if not found:
        refuse(name, "an empty list", "one value, or one for each slot")
    return found


def rate_structures(values: Sequence[Fraction]) -> "ctypes.Array[Rate]":
    return (Rate * len(values))(*(Rate(value.numerator, value.denominator) for value in values))


def address(array: Array) -> int:
    """The address of an array's memory."""
    return array.ctypes.data
