# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
"""The functions and structures of the library's C interface, cldsp.h, for ctypes."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any, Callable, NoReturn, Optional

LIBRARY = "libcldsp.so.0"


class ContextConfig(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("log", c_void_p), ("user", c_void_p),
                ("cache_folder", c_char_p), ("no_files", c_int), ("queue_window", c_size_t),
                ("longest_kernel", c_double), ("drivers", c_char_p)]


class Device(ctypes.Structure):
    _fields_ = [("id", c_char_p), ("name", c_char_p), ("kind", c_char_p), ("platform", c_char_p),
                ("vendor", c_char_p), ("version", c_char_p), ("driver_version", c_char_p),
                ("compute_units", c_size_t), ("max_buffer", c_size_t)]


class Plan(ctypes.Structure):
    _fields_ = [("device", c_char_p), ("device_name", c_char_p), ("algorithm", c_char_p),
                ("variant", c_char_p), ("transfer", c_char_p), ("text", c_char_p),
                ("block_size", c_size_t), ("predicted", c_double), ("measured", c_double),
                ("remembered", c_int), ("fell_back", c_int), ("provisional", c_int)]


class Taps(ctypes.Structure):
    _fields_ = [("real_taps", c_void_p), ("complex_taps", c_void_p), ("count", c_size_t)]


class Rate(ctypes.Structure):
    _fields_ = [("interpolation", c_size_t), ("decimation", c_size_t)]


class FrequencyPoint(ctypes.Structure):
    _fields_ = [("sample", c_int64), ("hz", c_double), ("hz_per_second", c_double)]


class FilterBankConfig(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("input", c_int), ("sampling_freq", c_double),
                ("decimation", c_size_t), ("rates", POINTER(Rate)), ("rate_count", c_size_t),
                ("center_freqs", POINTER(c_double)), ("channels", c_size_t),
                ("max_channels", c_size_t), ("taps", POINTER(Taps)), ("tap_lists", c_size_t),
                ("max_taps", c_size_t), ("device", c_char_p), ("algorithm", c_char_p),
                ("variant", c_char_p), ("accuracy", c_double), ("threads", c_uint),
                ("typical_items", c_size_t), ("plan", c_char_p)]


class MatrixProductConfig(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("type", c_int), ("m", c_size_t), ("n", c_size_t),
                ("k", c_size_t), ("holds_b", c_int), ("device", c_char_p), ("variant", c_char_p),
                ("precision", c_char_p), ("plan", c_char_p)]


class CorrelatorConfig(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("input", c_int), ("antennas", c_size_t),
                ("integration", c_uint64), ("typical_samples", c_size_t), ("device", c_char_p),
                ("variant", c_char_p), ("plan", c_char_p)]


# The structure of each configuration of cldsp.h, and of what the library fills in.
STRUCTURES = {"cldsp_context_config": ContextConfig, "cldsp_device": Device, "cldsp_plan": Plan,
              "cldsp_taps": Taps, "cldsp_rate": Rate, "cldsp_frequency_point": FrequencyPoint,
              "cldsp_filter_bank_config": FilterBankConfig,
              "cldsp_matrix_product_config": MatrixProductConfig,
              "cldsp_correlator_config": CorrelatorConfig}

_HANDLE = POINTER(c_void_p)
_SIZES = POINTER(c_size_t)
# What each function takes. It returns a status, if no result is named.
FUNCTIONS: dict[str, tuple[list[Any], Any]] = {
    "cldsp_version": ([], c_char_p),
    "cldsp_last_error": ([], c_char_p),
    "cldsp_context_new": ([POINTER(ContextConfig), _HANDLE], c_int),
    "cldsp_context_free": ([c_void_p], None),
    "cldsp_devices_new": ([c_void_p, _HANDLE], c_int),
    "cldsp_devices_count": ([c_void_p], c_size_t),
    "cldsp_devices_at": ([c_void_p, c_size_t], POINTER(Device)),
    "cldsp_devices_free": ([c_void_p], None),
    "cldsp_item_size": ([c_int], c_size_t),
    "cldsp_low_pass_new": ([c_double, c_double, c_double, c_double, _HANDLE], c_int),
    "cldsp_low_pass_taps": ([c_void_p], POINTER(Taps)),
    "cldsp_low_pass_free": ([c_void_p], None),
    "cldsp_filter_bank_new": ([c_void_p, POINTER(FilterBankConfig), _HANDLE], c_int),
    "cldsp_filter_bank_free": ([c_void_p], None),
    "cldsp_filter_bank_process": ([c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p],
                                  c_int),
    "cldsp_filter_bank_max_outputs": ([c_void_p, c_size_t, _SIZES], c_int),
    "cldsp_filter_bank_slots": ([c_void_p, _SIZES], c_int),
    "cldsp_filter_bank_set_center_freq": ([c_void_p, c_size_t, c_double], c_int),
    "cldsp_filter_bank_schedule": ([c_void_p, c_size_t, POINTER(FrequencyPoint), c_size_t], c_int),
    "cldsp_filter_bank_set_taps": ([c_void_p, POINTER(Taps), c_size_t], c_int),
    "cldsp_filter_bank_set_active": ([c_void_p, c_size_t, c_int], c_int),
    "cldsp_filter_bank_add_channel": ([c_void_p, POINTER(Taps), c_double, POINTER(Rate), _SIZES],
                                      c_int),
    "cldsp_filter_bank_remove_channel": ([c_void_p, c_size_t], c_int),
    "cldsp_filter_bank_reset": ([c_void_p], c_int),
    "cldsp_filter_bank_plan": ([c_void_p, POINTER(POINTER(Plan))], c_int),
    "cldsp_matrix_product_new": ([c_void_p, POINTER(MatrixProductConfig), _HANDLE], c_int),
    "cldsp_matrix_product_free": ([c_void_p], None),
    "cldsp_matrix_product_multiply": ([c_void_p, c_size_t, c_size_t, c_size_t, c_void_p, c_void_p,
                                       c_size_t, c_void_p, c_size_t, c_void_p, c_void_p, c_size_t],
                                      c_int),
    "cldsp_matrix_product_plan": ([c_void_p, POINTER(POINTER(Plan))], c_int),
    "cldsp_correlator_new": ([c_void_p, POINTER(CorrelatorConfig), _HANDLE], c_int),
    "cldsp_correlator_free": ([c_void_p], None),
    "cldsp_correlator_process": ([c_void_p, c_void_p, c_size_t, c_size_t, c_void_p, c_size_t,
                                  _SIZES], c_int),
    "cldsp_correlator_outputs": ([c_void_p, c_size_t, _SIZES], c_int),
    "cldsp_correlator_reset": ([c_void_p], c_int),
    "cldsp_correlator_plan": ([c_void_p, POINTER(POINTER(Plan))], c_int),
}


def _load() -> ctypes.CDLL:
    # The loader's own places, and those of an environment with a prefix of its own.
    places = [LIBRARY, os.path.join(sys.prefix, "lib", LIBRARY)]
    failures = []
    for place in places:
        try:
            library = ctypes.CDLL(place)
            break
        except OSError as error:
            failures.append(str(error))
    else:
        raise ImportError(
            f"the library of gr-cldsp cannot be loaded ({failures[0]}); install it (Debian: the "
            f"package libcldsp0), or set LD_LIBRARY_PATH to the folder that has {LIBRARY}")
    for name, (arguments, result) in FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{place} is older than this package: it does not have the function "
                              f"{name}(); install both from the same release") from None
        function.argtypes, function.restype = arguments, result
    return library


library = _load()


def refuse(name: str, value: object, range_text: str) -> NoReturn:
    """Raises the error for an argument, in the words that the library has for its own."""
    raise ValueError(f"parameter '{name}' is {value}, but must be {range_text}")


def check(status: int) -> None:
    """Raises the exception for what a function of the library has returned."""
    if status == 0:
        return
    message = library.cldsp_last_error().decode(errors="replace")
    if status == 1:
        raise ValueError(message)
    if status == 4:
        raise MemoryError(message)
    raise RuntimeError(message)


def refuse_copies(this: object) -> NoReturn:
    """What copy and pickle call: an object of the library belongs to one process."""
    raise TypeError(f"a {type(this).__name__} cannot be copied or pickled; make one where it is "
                    "used, once in each process")


class Handle:
    """An object of the library, which one thread at a time may use, and which is freed once."""

    _kind = "object"

    def _own(self, handle: c_void_p, free: Callable[[c_void_p], None]) -> None:
        self._handle: Optional[c_void_p] = handle
        # Never waited for: in a forked process a lock of the parent might stay held for ever.
        self._lock = threading.Lock()
        self._finalizer = weakref.finalize(self, free, handle)
        self._finalizer.atexit = False  # a program may end while objects exist

    def _acquire(self) -> c_void_p:
        if not self._lock.acquire(False):
            self._refuse_thread()
        handle = self._handle
        if handle is None:
            self._lock.release()
            self._refuse_closed()
        return handle

    def _refuse_thread(self) -> NoReturn:
        raise RuntimeError(f"another thread uses the {self._kind}")

    def _refuse_closed(self) -> NoReturn:
        raise ValueError(f"the {self._kind} is closed")

    __reduce__ = refuse_copies

    def _call(self, function: Callable[..., int], *arguments: Any) -> None:
        handle = self._acquire()
        try:
            check(function(handle, *arguments))
        finally:
            self._lock.release()

    def close(self) -> None:
        """Frees what the object has, at once. Any later use is a ValueError."""
        if self._handle is None:
            return
        self._acquire()
        try:
            self._handle = None
            self._finalizer()
        finally:
            self._lock.release()

    def _plan(self, function: Callable[..., int]) -> dict[str, Any]:
        plan = POINTER(Plan)()
        self._call(function, ctypes.byref(plan))
        return as_dict(plan.contents, flags=("remembered", "fell_back", "provisional"))

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def as_dict(structure: ctypes.Structure, flags: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of a structure, with texts and truth values as Python has them."""
    values = {}
    for name, *_ in structure._fields_:
        value = getattr(structure, name)
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
        values[name] = bool(value) if name in flags else value
    return values
