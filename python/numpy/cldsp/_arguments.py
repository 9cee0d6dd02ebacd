# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
"""Python's arguments as those of the library: checked numbers, texts, taps and rates."""

from __future__ import annotations

import ctypes
import operator
import warnings
from fractions import Fraction
from typing import Any, Iterable, Optional, Sequence, Union

import numpy as np

from ._library import Rate, Taps, refuse

Array = np.ndarray

_LARGEST = 2**63 - 1  # what the fields of the library take; its own bounds are lower
_MOST_INTERPOLATION = 4096
_MOST_OF_STREAM = Fraction(9, 10)
_LOW_RATE = 1000  # Hz; who gives less may have thought of kHz or MHz
_RATE_TOLERANCE = Fraction(1, 1_000_000)


def whole(name: str, value: Any, least: int = 0, most: int = _LARGEST) -> int:
    """A whole number in a range."""
    try:
        number = operator.index(value)
    except TypeError:
        refuse(name, repr(value), "a whole number")
    if not least <= number <= most:
        refuse(name, number, f"{least} or more" if number < least and most == _LARGEST
               else f"{least} to {most}")
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
    if array.size == 0:
        refuse(name, "an empty list", "a list of numbers")
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
    single = np.ndim(values) == 0
    listed = [values] if single else list(values)
    if not listed:
        refuse("center_freqs", "an empty list", "a frequency, or a list of one for each channel")
    return (ctypes.c_double * len(listed))(
        *(number("center_freqs" if single else f"center_freqs[{i}]", value)
          for i, value in enumerate(listed)))


def tell_alias(name: str, frequency: float, sampling_freq: float) -> None:
    """Warns of a frequency outside of the band, which the library takes for the one inside that
    has the same samples. It is called by methods that a program calls."""
    if abs(frequency) <= sampling_freq / 2 or not abs(frequency) < float("inf"):
        return
    alias = frequency - sampling_freq * round(frequency / sampling_freq)
    warnings.warn(
        f"parameter '{name}' is {frequency:.12g} Hz, outside of the band of "
        f"{-sampling_freq / 2:.12g} to {sampling_freq / 2:.12g} Hz, and counts as {alias:.12g} Hz: "
        "frequencies are offsets from the centre of the stream", stacklevel=3)


def ratio_of(output_rate: Any, sampling_freq: float, name: str) -> Fraction:
    """The ratio of two rates, as the library has it: P / Q with a P of at most 4096."""
    rate = number(name, output_rate)
    if not 0 < sampling_freq < float("inf"):
        refuse("sampling_freq", f"{sampling_freq:g} Hz", "above 0 Hz, and finite")
    if not 0 < rate <= sampling_freq:
        hint = " (2.4 MS/s are 2.4e6 Hz)" if sampling_freq < _LOW_RATE else ""
        refuse(name, f"{rate:g} Hz",
               f"above 0 and at most sampling_freq, {sampling_freq:g} Hz{hint}")
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
           sampling_freq: float, slots: int) -> list[Fraction]:
    """The rate of each slot, or one for all, by exactly one of two arguments."""
    if decimation is None and output_rate is None:
        refuse("decimation", "missing", "1 to 16777216, unless output_rate is given instead")
    if decimation is not None and output_rate is not None:
        refuse("output_rate", repr(output_rate),
               f"left out where decimation is given, which is {decimation!r}")
    given: Any = output_rate if decimation is None else decimation
    single = np.ndim(given) == 0
    name = "output_rate" if decimation is None else "decimation"
    listed: Iterable[Any] = [given] if single else given
    found = []
    for i, value in enumerate(listed):
        label = name if single else f"{name}[{i}]"
        found.append(ratio_of(value, sampling_freq, label) if decimation is None
                     else Fraction(1, whole(label, value, 1, 2**24)))
    if len(found) not in (1, slots):
        refuse(name, f"a list of {len(found)}",
               "one value" + (f", or a list of {slots}, one for each slot" if slots > 1 else ""))
    return found


def rate_structures(values: Sequence[Fraction]) -> "ctypes.Array[Rate]":
    return (Rate * len(values))(*(Rate(value.numerator, value.denominator) for value in values))


def address(array: Array) -> int:
    """The address of an array's memory."""
    return array.ctypes.data
