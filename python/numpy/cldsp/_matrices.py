# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
"""Products of matrices, and the correlations of antennas."""

from __future__ import annotations

import ctypes
import threading
from collections import OrderedDict
from ctypes import byref, c_size_t, c_void_p
from typing import Any, Optional

import numpy as np

from . import _arguments as arguments
from ._arguments import Array, address
from ._filter_bank import INPUTS, Context, handle_of
from ._library import CorrelatorConfig, Handle, MatrixProductConfig, check, library, refuse

# The number of cldsp_matrix_type, and the type of the result.
_MATRIX_TYPES = {"float32": (0, np.float32), "complex64": (1, np.complex64),
                 "float16": (2, np.float16), "int8": (3, np.int32)}
_MOST_BYTE_TERMS = 131071


class _Product(Handle):
    _kind = "product"

    def __init__(self, kind: int, sizes: tuple[int, int, int], device: str, variant: str,
                 precision: str):
        config = MatrixProductConfig(size=ctypes.sizeof(MatrixProductConfig))
        config.type = kind
        config.m, config.n, config.k = sizes
        config.device = arguments.text("device", device)
        config.variant = arguments.text("variant", variant)
        config.precision = arguments.text("precision", precision)
        handle = c_void_p()
        check(library.cldsp_matrix_product_new(None, byref(config), byref(handle)))
        self._own(handle, library.cldsp_matrix_product_free)

    def multiply(self, *operands: Any) -> None:
        self._call(library.cldsp_matrix_product_multiply, *operands)


class _Products(threading.local):
    """The products of a thread's latest calls. Few are kept, as each may hold memory of a
    device."""

    most = 16

    def __init__(self) -> None:
        self.kept: OrderedDict[tuple, _Product] = OrderedDict()

    def get(self, *key: Any) -> _Product:
        product = self.kept.get(key)
        if product is None:
            product = self.kept[key] = _Product(*key)
            if len(self.kept) > self.most:
                self.kept.popitem(last=False)
        self.kept.move_to_end(key)
        return product


_products = _Products()


def _matrix(name: str, value: Any, dtype: Optional[np.dtype] = None) -> Array:
    array = np.asarray(value)
    wanted = str(dtype) if dtype is not None else ", ".join(_MATRIX_TYPES)
    if str(array.dtype) not in wanted.split(", "):
        refuse(name, f"an array of {array.dtype}", f"one of {wanted}")
    if array.ndim != 2 or array.size == 0:
        refuse(name, f"an array of the shape {array.shape}",
               "one of two dimensions, with a row and a column or more")
    return array


def _leading(array: Array) -> int:
    """The elements from row to row; 0 if the library cannot read the rows as they are."""
    size = array.itemsize
    rows, columns = array.shape
    if not array.flags.aligned or (columns > 1 and array.strides[1] != size):
        return 0
    if rows == 1:
        return columns
    step = array.strides[0]
    return step // size if step % size == 0 and step >= columns * size else 0


def _factor(name: str, value: Any) -> "ctypes.Array[ctypes.c_float]":
    try:
        number = complex(value)
    except (TypeError, ValueError):
        refuse(name, repr(value), "a number")
    if not np.isfinite(np.complex64(number)):
        refuse(name, repr(value), "finite")
    return (ctypes.c_float * 2)(number.real, number.imag)


def _typical(size: int) -> int:
    return 1 << (size - 1).bit_length()


def gemm(a: Any, b: Any, c: Any = None, alpha: complex = 1, beta: complex = 0, *,
         device: str = "auto", variant: str = "auto", precision: str = "exact") -> Array:
    """The matrix product alpha a b + beta c, on whatever computes fastest.

    The first calls of about a size begin on the host. What is faster is measured beside them,
    and later calls use it. Other Python threads run meanwhile.

    Args:
        a: an array of m rows and k columns of float32, complex64, float16 or int8; rows need not
            follow each other without gaps
        b: an array of the same type, k rows and n columns
        c: an array of m rows and n columns of the same type, or of int32 for int8. It is not
            changed; None: beta has to be 0
        alpha: a number, real but for complex64, and 0 or 1 for int8
        beta: as alpha
        device: as for FilterBank
        variant: "auto", or a name that `cldsp bench G1` gives
        precision: the least precise arithmetic that is permitted: "exact", "tf32" or "half"

    Returns:
        a new array. For int8 it is of int32 and exact: k is at most 131071, and with a beta of 1
        the sums with c wrap around

    Raises:
        ValueError: naming the parameter, its value and the range

    >>> import numpy as np
    >>> gemm(np.float32([[1, 2], [3, 4]]), np.float32([[1, 0], [0, 2]]))
    array([[1., 4.],
           [3., 8.]], dtype=float32)
    """
    a = _matrix("a", a)
    b = _matrix("b", b, a.dtype)
    kind, result_type = _MATRIX_TYPES[str(a.dtype)]
    (m, k), n = a.shape, b.shape[1]
    if b.shape[0] != k:
        refuse("b", f"{b.shape[0]} by {n}", f"{k} by any number, as a has {k} columns")
    if kind == 3 and k > _MOST_BYTE_TERMS:
        refuse("a", f"{m} by {k}", f"any number by 1 to {_MOST_BYTE_TERMS} for int8")
    factors = _factor("alpha", alpha), _factor("beta", beta)
    if c is None:
        if complex(beta) != 0:
            refuse("beta", repr(beta), "0 without c")
        result = np.empty((m, n), result_type)
    else:
        c = _matrix("c", c, np.dtype(result_type))
        if c.shape != (m, n):
            refuse("c", f"{c.shape[0]} by {c.shape[1]}", f"{m} by {n}")
        result = np.array(c, order="C")
    a, b = (each if _leading(each) else np.array(each, order="C") for each in (a, b))
    typical = (_typical(m), _typical(n),
               min(_typical(k), _MOST_BYTE_TERMS) if kind == 3 else _typical(k))
    _products.get(kind, typical, device, variant, precision).multiply(
        m, n, k, factors[0], address(a), _leading(a), address(b), _leading(b), factors[1],
        address(result), n)
    return result


class Correlator(Handle):
    """The products of each pair of antennas, summed over integrations: the X of an FX correlator.

    Visibility (i, j), for antennas i >= j counted from 0, is the sum of x_i[t] conj(x_j[t]) over
    the samples t of an integration, and element i (i + 1) / 2 + j of the visibilities: with
    R[np.tril_indices(antennas)] = visibilities they fill the lower triangle of a matrix.

    Args:
        antennas: 1 to 4096
        integration: the samples of an integration, 1 to 100000000000
        input: "fc32", or "cs8", whose values count as v / 128
        typical_samples: those of each antenna in a usual call, for which "auto" measures; 0: 8192
        device, plan, context: as for FilterBank
        variant: "auto", or a name that `cldsp bench correlator` gives

    Raises:
        ValueError: naming the parameter, its value and the range
    """

    _kind = "correlator"

    def __init__(self, antennas: int, integration: int, *, input: str = "fc32",
                 typical_samples: int = 0, device: str = "auto", variant: str = "auto",
                 plan: str = "auto", context: Optional[Context] = None):
        if input not in ("fc32", "cs8"):
            refuse("input", repr(input), "'fc32' or 'cs8'")
        config = CorrelatorConfig(size=ctypes.sizeof(CorrelatorConfig))
        config.input = INPUTS[input].number
        config.antennas = self._antennas = arguments.whole("antennas", antennas)
        config.integration = arguments.whole("integration", integration)
        config.typical_samples = arguments.whole("typical_samples", typical_samples)
        config.device = arguments.text("device", device)
        config.variant = arguments.text("variant", variant)
        config.plan = arguments.text("plan", plan)
        self._input = input
        handle = c_void_p()
        check(library.cldsp_correlator_new(handle_of(context), byref(config), byref(handle)))
        self._own(handle, library.cldsp_correlator_free)

    def process(self, samples: Any) -> Array:
        """Takes the next samples of all antennas.

        Args:
            samples: an array of a row for each antenna: complex64, or for "cs8" int8 of antennas
                by samples by 2

        Returns:
            the visibilities of the integrations that have ended, a row for each, complex64
        """
        data = _antennas(samples, self._input)
        if data.shape[0] != self._antennas:
            refuse("samples", f"an array of {data.shape[0]} antennas", f"one of {self._antennas}")
        count = data.shape[1]
        row, start = data[:1].nbytes, address(data)
        first = (c_size_t * self._antennas)(*(start + i * row for i in range(self._antennas)))
        handle = self._acquire()
        try:
            ending = c_size_t()
            check(library.cldsp_correlator_outputs(handle, count, byref(ending)))
            out = np.empty((ending.value, self._antennas * (self._antennas + 1) // 2),
                           np.complex64)
            check(library.cldsp_correlator_process(handle, first, 1, count, address(out),
                                                   ending, byref(ending)))
        finally:
            self._lock.release()
        return out

    def reset(self) -> None:
        """Drops the samples of an integration that has not ended."""
        self._call(library.cldsp_correlator_reset)

    def plan(self) -> dict[str, Any]:
        """What computes, and why: see FilterBank.plan()."""
        return self._plan(library.cldsp_correlator_plan)


def _antennas(samples: Any, input: str) -> Array:
    array = np.asarray(samples)
    kind = INPUTS[input]
    shape = array.ndim == 2 if kind.values == 1 else array.ndim == 3 and array.shape[2] == 2
    if array.dtype.newbyteorder("=") != kind.dtype or not shape:
        refuse("samples", f"an array of {array.dtype} of the shape {array.shape}",
               "antennas by samples of complex64, or antennas by samples by 2 of int8")
    return np.require(array, kind.dtype, ["C", "A"])


# A device may be measured before calls of so many operations: some seconds of a few cores.
_LONG = 2e11


def correlate(samples: Any, integration: Optional[int] = None, *, device: str = "auto") -> Array:
    """The visibilities of antennas whose samples are all there: see Correlator.

    Args:
        samples: an array of a row for each of 1 to 4096 antennas: complex64, or int8 of antennas
            by samples by 2, pairs (I, Q) that count as v / 128
        integration: the samples of an integration; None: all samples
        device: as for FilterBank

    Returns:
        an array of visibilities, complex64; with integration a row of them for each whole
        integration. The samples after the last one are left out

    Raises:
        ValueError: naming the parameter, its value and the range

    >>> import numpy as np
    >>> correlate(np.complex64([[1, 1j], [1, 1]]))
    array([2.+0.j, 1.-1.j, 2.+0.j], dtype=complex64)
    """
    array = np.asarray(samples)
    data = _antennas(array, "cs8" if array.dtype == np.int8 else "fc32")
    count, length = data.shape[:2]
    if length == 0:
        refuse("samples", f"an array of the shape {data.shape}", "one of a sample or more")
    each = arguments.whole("integration", length if integration is None else integration, 1, length)
    long = 4.0 * count * (count + 1) * length > _LONG
    with Correlator(count, each, input="cs8" if data.ndim == 3 else "fc32", typical_samples=length,
                    device=device, plan="wait" if long else "auto") as correlator:
        found = correlator.process(data[:, :length // each * each])
    return found[0] if integration is None else found
