# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
"""Contexts, devices, low passes and the filter bank."""

from __future__ import annotations

import ctypes
import sys
import weakref
from ctypes import byref, c_size_t, c_void_p
from fractions import Fraction
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _arguments as arguments
from ._arguments import Array, address
from ._library import (ContextConfig, FilterBankConfig, FrequencyPoint, Handle, as_dict, check,
                       library, refuse, refuse_copies)


class _Input(NamedTuple):
    number: int  # of cldsp_sample_type
    dtype: np.dtype
    values: int  # of an item


COMPLEX = np.dtype(np.complex64)
# Without types of arguments ctypes converts nothing in a call: it gets arguments that are ready.
_process = library["cldsp_filter_bank_process"]
_pointer, _size = c_void_p.from_param, c_size_t.from_param
_from_buffer, _ndarray = ctypes.c_char.from_buffer, np.ndarray

# The types of items, by the names that the module for GNU Radio has for them.
INPUTS = {
    "fc32": _Input(0, np.dtype(np.complex64), 1),
    "f32": _Input(1, np.dtype(np.float32), 1),
    "s16": _Input(2, np.dtype(np.int16), 1),
    "cu8": _Input(3, np.dtype(np.uint8), 2),
    "cs8": _Input(4, np.dtype(np.int8), 2),
    "cs16": _Input(5, np.dtype(np.int16), 2),
    "s8": _Input(6, np.dtype(np.int8), 1),
    "cs12": _Input(7, np.dtype(np.uint8), 3),
}


def _takes(kind: _Input, dtype: np.dtype) -> bool:
    """Whether an array of a type can be the samples. A foreign order of bytes is no other type."""
    floats = dtype.kind == kind.dtype.kind and dtype.kind in "fc"
    return floats or dtype.newbyteorder("=") == kind.dtype


class Context:
    """What banks, products and correlators share: devices, compiled kernels and measurements.

    Nothing needs one: without it, all objects share that of the process.

    Args:
        cache_folder: where compiled kernels and measurements are kept; None: the folder gr-cldsp
            in the user's cache folder
        files: whether anything is read from that folder or written to it
        queue_window: the most commands that a device may have in flight; 0: no limit
        longest_kernel: the seconds that one kernel should take at most; 0: no limit
        drivers: "prove" (OpenCL's drivers are tried in another process first), "named" (no
            process is started, and only a device that is named is used) or "trust"

    Raises:
        ValueError: naming the parameter, its value and the range
    """

    def __init__(self, cache_folder: Optional[str] = None, files: bool = True, *,
                 queue_window: int = 0, longest_kernel: float = 0, drivers: str = "prove"):
        config = ContextConfig(size=ctypes.sizeof(ContextConfig))
        if cache_folder is not None:
            config.cache_folder = arguments.text("cache_folder", str(cache_folder))
        config.no_files = not files
        config.queue_window = arguments.whole("queue_window", queue_window)
        config.longest_kernel = arguments.number("longest_kernel", longest_kernel)
        config.drivers = arguments.text("drivers", drivers)
        handle = c_void_p()
        check(library.cldsp_context_new(byref(config), byref(handle)))
        self._handle = handle
        # What was made with the context keeps it alive in the library. A program may end
        # while it exists.
        weakref.finalize(self, library.cldsp_context_free, handle).atexit = False

    __reduce__ = refuse_copies


def handle_of(context: Optional[Context]) -> Optional[c_void_p]:
    """The library's handle of a context; None is that of the process."""
    if context is not None and not isinstance(context, Context):
        refuse("context", repr(context), "a cldsp.Context or None")
    return None if context is None else context._handle


def library_version() -> str:
    """The version of the library that runs."""
    return library.cldsp_version().decode()


def devices(context: Optional[Context] = None) -> list[dict[str, Any]]:
    """The OpenCL devices of this machine, and the host as the last entry.

    Returns:
        a list of dicts with the keys id ("P:D" or "host", which a bank takes as device), name,
        kind ("host", "cpu", "gpu" or "accelerator"), platform, vendor, version, driver_version,
        compute_units and max_buffer (bytes)

    >>> devices()[-1]["id"]
    'host'
    """
    listed = c_void_p()
    check(library.cldsp_devices_new(handle_of(context), byref(listed)))
    try:
        return [as_dict(library.cldsp_devices_at(listed, i).contents)
                for i in range(library.cldsp_devices_count(listed))]
    finally:
        library.cldsp_devices_free(listed)


def low_pass(sampling_freq: float, pass_freq: float, stop_freq: float,
             attenuation: float = 60) -> Array:
    """Designs a low pass with Kaiser's window, for the taps of a bank.

    If stop_freq is half of a channel's output rate, what is outside of the channel folds into it
    at most at the attenuation. The filter delays the stream by half of its length.

    Args:
        sampling_freq: the rate of the stream in Hz
        pass_freq: the end of the passband in Hz; a channel is twice as wide
        stop_freq: the begin of the stopband in Hz, at most half of sampling_freq
        attenuation: of the stopband in dB, 20 to 120

    Returns:
        the taps, float32, symmetric and odd in number, whose sum is 1

    Raises:
        ValueError: naming the parameter, its value and the range

    >>> taps = low_pass(2e6, 9e3, 12.5e3)
    >>> len(taps), taps.dtype
    (2095, dtype('float32'))
    """
    made = c_void_p()
    check(library.cldsp_low_pass_new(arguments.number("sampling_freq", sampling_freq),
                                     arguments.number("pass_freq", pass_freq),
                                     arguments.number("stop_freq", stop_freq),
                                     arguments.number("attenuation", attenuation), byref(made)))
    try:
        taps = library.cldsp_low_pass_taps(made).contents
        copy = np.empty(taps.count, np.float32)
        ctypes.memmove(address(copy), taps.real_taps, copy.nbytes)
        return copy
    finally:
        library.cldsp_low_pass_free(made)


class _Outputs:
    """The memory for the outputs of a call, and the places of its slots, as the library wants it.

    To get new memory, and to touch it first, costs a call some microseconds. So a bank takes old
    memory again when no array refers to it any more, as the number of its references tells.

    Attributes:
        items: of the call
        items_argument, places_argument, room_argument: for the library
        is_kept: whether the bank may take it again; large memory is freed with its arrays
    """

    __slots__ = ("memory", "items", "items_argument", "places_argument", "room_argument",
                 "is_kept")

    def __init__(self, slots: int, items: int, room: int):
        self.memory = np.empty((slots, room), COMPLEX)
        self.items = items
        first = address(self.memory)
        self.items_argument, self.room_argument = _size(items), _size(room)
        self.places_argument = byref((c_size_t * slots)(
            *(first + row * room * 8 for row in range(slots))))
        self.is_kept = self.memory.nbytes <= _MOST_KEPT


_MOST_KEPT = 4 << 20  # bytes
# The number of references to memory that only its _Outputs has. It is exact in CPython with its
# lock for all threads; any other Python takes new memory for each call.
_references = getattr(sys, "getrefcount", None) or (lambda memory: 0)
_UNSHARED = -1
if sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)():
    _probe = _Outputs(1, 0, 0)
    _UNSHARED = _references(_probe.memory)
    del _probe


class FilterBank(Handle):
    """Channels of one stream, each moved to 0 Hz, filtered and decimated.

    With x = 0 before the stream, output m of a channel at the frequency f, with the taps h and
    the decimation D, is

        y[m] = sum over k of h[k] x[m D - k] exp(-2j pi f (m D - k) / sampling_freq)

    The stream may be cut into calls of process() anywhere. Other Python threads run during a
    call. One thread at a time may use a bank; a second one gets a RuntimeError.

    Args:
        center_freqs: the frequency of each channel in Hz, or one number; an offset from the
            stream's centre. One outside of half of sampling_freq counts as its alias inside, as
            in C, with a warning
        taps: a low pass at 0 Hz, real or complex, such as that of low_pass(); or a list of such
            taps, one for each channel
        sampling_freq: the rate of the stream in Hz
        decimation: items for each output, 1 to 16777216; or a list, one for each slot
        output_rate: instead of a decimation the rate of the outputs in Hz, or a list, one for
            each slot: at most 0.9 of sampling_freq, or all of it
        input: the type of the items, see process()
        max_channels: the number of slots for channels, so that add_channel() has free ones;
            0: one for each channel
        max_taps: the most taps that a channel may get later; 0: those of the longest channel
        device: "auto" (measured), "host", "gpu", "cpu", an id or part of a name that devices()
            gives, or a list such as "0:0,1:0"
        algorithm: "auto", "direct" or "fast_convolution"
        variant: "auto", or a name that `cldsp bench` gives
        accuracy: the largest error that fast convolution may make in the frequency response,
            relative to the largest gain, 0 to 0.1
        threads: those that a call on the host may use, 1 to 1024; 0: one for each core
        typical_items: the items of a usual call, for which "auto" measures; 0: 8192
        plan: "auto" (the host computes at once, and what is faster is measured beside it and
            takes over) or "wait" (the constructor measures)
        context: see Context

    Raises:
        ValueError: naming the parameter, its value and the range

    >>> import numpy as np
    >>> rate = 2_000_000
    >>> stream = np.exp(2j * np.pi * 101e3 / rate * np.arange(200_000))
    >>> with FilterBank([100e3, -300e3], low_pass(rate, 9e3, 12.5e3), rate, 80) as bank:
    ...     wanted, other = bank.process(stream)
    >>> len(wanted), bank.output_rates
    (2500, [25000.0, 25000.0])
    >>> bool(abs(wanted[-1]) > 0.999), bool(abs(other[-1]) < 0.001)
    (True, True)
    """

    _kind = "bank"

    def __init__(self, center_freqs: Union[float, Sequence[float], Array], taps: Any,
                 sampling_freq: float, decimation: Union[int, Sequence[int], None] = None, *,
                 output_rate: Union[float, Sequence[float], None] = None, input: str = "fc32",
                 max_channels: int = 0, max_taps: int = 0, device: str = "auto",
                 algorithm: str = "auto", variant: str = "auto", accuracy: float = 1e-5,
                 threads: int = 0, typical_items: int = 0, plan: str = "auto",
                 context: Optional[Context] = None):
        if not isinstance(input, str) or input not in INPUTS:
            refuse("input", repr(input), "one of " + ", ".join(INPUTS))
        self._input = INPUTS[input]
        self._input_name = input
        self._item_size = self._input.values * self._input.dtype.itemsize
        self._sampling_freq = arguments.number("sampling_freq", sampling_freq)
        freqs = arguments.center_freqs(center_freqs)
        lists = arguments.TapLists(taps)
        config = FilterBankConfig(size=ctypes.sizeof(FilterBankConfig))
        config.input = self._input.number
        config.sampling_freq = self._sampling_freq
        config.center_freqs = freqs
        config.channels = len(freqs)
        config.taps = lists.structures
        config.tap_lists = len(lists)
        config.max_channels = arguments.whole("max_channels", max_channels)
        config.max_taps = arguments.whole("max_taps", max_taps)
        rates = arguments.ratios(decimation, output_rate, self._sampling_freq,
                                 max(config.max_channels, len(freqs)))
        if len(rates) == 1 and rates[0].numerator == 1:
            config.decimation = rates[0].denominator
        else:
            config.rates = arguments.rate_structures(rates)
            config.rate_count = len(rates)
        config.device = arguments.text("device", device)
        config.algorithm = arguments.text("algorithm", algorithm)
        config.variant = arguments.text("variant", variant)
        config.accuracy = arguments.number("accuracy", accuracy)
        config.threads = arguments.whole("threads", threads, 0, 1024)
        config.typical_items = arguments.whole("typical_items", typical_items)
        config.plan = arguments.text("plan", plan)
        handle = c_void_p()
        check(library.cldsp_filter_bank_new(handle_of(context), byref(config), byref(handle)))
        self._own(handle, library.cldsp_filter_bank_free)
        for i, freq in enumerate(freqs):
            arguments.tell_alias(f"center_freqs[{i}]", freq, self._sampling_freq)
        slots = c_size_t()
        self._call(library.cldsp_filter_bank_slots, byref(slots))
        self._rates = rates * slots.value if len(rates) == 1 else rates
        self._one_rate = len(set(self._rates)) == 1
        self._slots = slots.value
        self._counts = (c_size_t * self._slots)()
        self._handle_argument = _pointer(handle.value)
        self._counts_argument = byref(self._counts)
        self._plain_dtype = self._input.dtype if self._input.values == 1 else None
        # The memory of the call before the last one, which the next call takes if nobody has its
        # outputs any more, and of the last call, whose outputs a loop still has then.
        self._spare = self._last = _Outputs(self._slots, -1, 0)

    @property
    def slots(self) -> int:
        """The number of slots, each of which has a channel unless it is free."""
        return self._slots

    @property
    def input(self) -> str:
        """The type of the items."""
        return self._input_name

    @property
    def sampling_freq(self) -> float:
        """The rate of the stream in Hz."""
        return self._sampling_freq

    @property
    def output_rates(self) -> list[float]:
        """The rate of the outputs of each slot in Hz."""
        return [float(rate * Fraction(self._sampling_freq)) for rate in self._rates]

    def process(self, samples: Any) -> list[Array]:
        """Filters the next items of the stream, all of them.

        Args:
            samples: an array of items of the bank's type, in any layout of memory: complex64 or
                complex128 for "fc32", float32 or float64 for "f32", int16 for "s16", int8 for
                "s8". Pairs I, Q are an array of two columns, or I and Q in turns, as a file of a
                recording has them: uint8 for "cu8", int8 for "cs8", int16 for "cs16". "cs12" is
                three bytes of uint8 for each pair

        Returns:
            for each slot an array of complex64. Those of idle channels and of free slots are
            zeros

        Raises:
            ValueError: for an array of another type or shape
        """
        # A call costs what stands here, down to tenths of a microsecond: an array that can be
        # read as it is, which most are, calls nothing but the library.
        if type(samples) is _ndarray and samples.dtype is self._plain_dtype \
                and samples.ndim == 1 and samples.flags.carray and (items := len(samples)):
            place = byref(_from_buffer(samples))
        else:
            samples = self._items(samples)
            items, place = samples.nbytes // self._item_size, _pointer(address(samples))
        if not self._lock.acquire(False):
            self._refuse_thread()
        try:
            if self._handle is None:
                self._refuse_closed()
            outputs = self._spare
            if outputs.items != items or _references(outputs.memory) != _UNSHARED:
                outputs = self._new_outputs(items)
            if outputs.is_kept:
                self._spare, self._last = self._last, outputs
            status = _process(self._handle_argument, place, outputs.items_argument,
                              outputs.places_argument, outputs.room_argument,
                              self._counts_argument)
            if status:
                check(status)
            memory = outputs.memory
            if self._slots == 1:
                return [memory[0, :self._counts[0]]]
            if self._one_rate:
                return list(memory[:, :self._counts[0]])
            counts = self._counts[:]
        finally:
            self._lock.release()
        # A slow channel beside a fast one gets memory of its own, so that it does not keep that
        # of the fast one.
        return [row[:count].copy() for row, count in zip(memory, counts)]

    def _new_outputs(self, items: int) -> _Outputs:
        most = c_size_t()
        check(library.cldsp_filter_bank_max_outputs(self._handle, items, byref(most)))
        return _Outputs(self._slots, items, most.value)

    def _items(self, samples: Any) -> Array:
        """The array of items as the library reads it."""
        kind = self._input
        array = np.asarray(samples)
        if array.size == 0 and isinstance(samples, (list, tuple)):
            return np.empty(0, kind.dtype)  # a list of nothing has no type
        if array.dtype.kind == "S":
            refuse("samples", "a text of bytes",
                   f"an array, such as np.frombuffer(samples, np.{kind.dtype})")
        if not _takes(kind, array.dtype):
            wanted = {"c": "complex64 or complex128", "f": "float32 or float64"}.get(
                kind.dtype.kind, str(kind.dtype))
            others = " or ".join(f"input='{name}'" for name, other in INPUTS.items()
                                 if _takes(other, array.dtype))
            refuse("samples", f"an array of {array.dtype}",
                   f"one of {wanted} for the input '{self._input_name}'" +
                   (f"; a bank with {others} takes {array.dtype}" if others else ""))
        groups = kind.values > 1 and array.ndim == 2 and array.shape[1] == kind.values
        if not groups and (array.ndim != 1 or array.size % kind.values):
            refuse("samples", f"an array of the shape {array.shape}",
                   "a list of items" if kind.values == 1 else
                   f"one of {kind.values} columns, or a list of a multiple of {kind.values} "
                   "values")
        if array.dtype is kind.dtype and array.flags.c_contiguous and array.flags.aligned:
            return array
        return np.require(array, kind.dtype, ["C", "A"])

    def set_center_freq(self, channel: int, center_freq: float) -> None:
        """Retunes a channel, from its next output on. The phase continues."""
        frequency = arguments.number("center_freq", center_freq)
        self._call(library.cldsp_filter_bank_set_center_freq, arguments.whole("channel", channel),
                   frequency)
        arguments.tell_alias("center_freq", frequency, self._sampling_freq)

    def schedule(self, channel: int, points: Sequence[Sequence[float]]) -> None:
        """Makes a channel's frequency a function of time, such as a satellite's Doppler shift.

        Args:
            channel: the slot
            points: tuples (sample, hz) or (sample, hz, hz_per_second): from this item of the
                stream on, the frequency at item n is
                hz + hz_per_second (n - sample) / sampling_freq, until the next point. Without
                points the frequency stays as it is from now on
        """
        structures = (FrequencyPoint * len(points))()
        for i, (structure, point) in enumerate(zip(structures, points)):
            if not 2 <= np.size(point) <= 3:
                refuse(f"points[{i}]", repr(point), "(sample, hz) or (sample, hz, hz_per_second)")
            structure.sample = arguments.whole(f"points[{i}].sample", point[0])
            structure.hz = arguments.number(f"points[{i}].hz", point[1])
            if len(point) == 3:
                structure.hz_per_second = arguments.number(f"points[{i}].hz_per_second", point[2])
        self._call(library.cldsp_filter_bank_schedule, arguments.whole("channel", channel),
                   structures, len(points))
        for i, structure in enumerate(structures):
            arguments.tell_alias(f"points[{i}].hz", structure.hz, self._sampling_freq)

    def set_taps(self, taps: Any) -> None:
        """Sets one list of taps for all slots, or a list of one for each, from the next output
        on."""
        lists = arguments.TapLists(taps)
        self._call(library.cldsp_filter_bank_set_taps, lists.structures, len(lists))

    def set_active(self, channel: int, active: bool) -> None:
        """Makes a channel idle or active. An idle one costs nothing; one that is active again has
        the outputs that it would have had without the pause."""
        self._call(library.cldsp_filter_bank_set_active, arguments.whole("channel", channel),
                   bool(active))

    def add_channel(self, taps: Any, center_freq: float,
                    output_rate: Optional[float] = None) -> int:
        """Adds a channel in the first free slot, of this output rate if there are several.

        Returns:
            its slot. Its outputs are those that it would have had since the stream began
        """
        lists = arguments.TapLists(taps)
        if len(lists) != 1:
            refuse("taps", f"{len(lists)} lists", "one list of numbers")
        rate = None if output_rate is None else arguments.rate_structures(
            [arguments.ratio_of(output_rate, self._sampling_freq, "output_rate")])
        slot = c_size_t()
        frequency = arguments.number("center_freq", center_freq)
        self._call(library.cldsp_filter_bank_add_channel, lists.structures, frequency, rate,
                   byref(slot))
        arguments.tell_alias("center_freq", frequency, self._sampling_freq)
        return slot.value

    def remove_channel(self, channel: int) -> None:
        """Removes a channel, whose slot is free then."""
        self._call(library.cldsp_filter_bank_remove_channel, arguments.whole("channel", channel))

    def reset(self) -> None:
        """Begins a new stream. Channels, taps and frequencies stay."""
        self._call(library.cldsp_filter_bank_reset)

    def plan(self) -> dict[str, Any]:
        """What computes, and why.

        Returns:
            a dict with the keys device, device_name, algorithm, variant, transfer, text (the
            whole plan in a line), block_size, predicted and measured (items per second; 0: there
            is none), remembered, fell_back (a device has failed, and the host goes on; text has
            the reason) and provisional (a better plan may follow)
        """
        return self._plan(library.cldsp_filter_bank_plan)

    def __repr__(self) -> str:
        state = self.plan()["text"] if self._handle is not None else "closed"
        channels = "1 channel" if self.slots == 1 else f"{self.slots} channels"
        return (f"<cldsp.FilterBank of {channels} out of {self._sampling_freq:g} Hz "
                f"({self._input_name}): {state}>")
