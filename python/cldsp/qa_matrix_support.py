# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Shared by the tests of the matrix blocks."""

import functools

import numpy as np
import pmt
from gnuradio import blocks, cldsp, gr
from qa_support import array_source

nan, inf = float("nan"), float("inf")
DTYPES = {"ff": np.float32, "cc": np.complex64}


@functools.lru_cache(maxsize=None)
def device_variant(suffix):
    """
    A variant that OpenCL's CPU device can run, the fastest kinds first; None if there is none.
    """
    if "cpu" not in [d["kind"] for d in cldsp.devices()]:
        return None
    kind = "f32" if suffix == "ff" else "c32"
    names = [v["name"] for v in cldsp.list_gemm_variants()
             if v["ladder"] != "host" and kind in v["types"]]
    for name in ["cpu_tile", "gpu_tile"] + names:
        try:
            getattr(cldsp, "gemm_" + suffix)([[1]], "cpu", name)
            return name
        except ValueError:
            pass
    return None


def variants_of_types():
    """Pairs of "ff" or "cc" and a variant for them: those for production, and one of each other
    ladder. The engine's tests run all."""
    pairs = {}
    for suffix, kind in (("ff", "f32"), ("cc", "c32")):
        for variant in cldsp.list_gemm_variants():
            if kind in variant["types"]:
                production = variant["name"] if variant["ladder"] == "production" else None
                pairs.setdefault((suffix, variant["ladder"], production), variant)
    return [(suffix, variant) for (suffix, _, _), variant in pairs.items()]


def places():
    """Arguments for the host, and for a device if there is one."""
    variant = device_variant("cc")
    return [dict(device="host")] + ([dict(device="cpu", variant=variant)] if variant else [])


def random_values(rng, suffix, *shape):
    values = rng.standard_normal(shape)
    if suffix == "cc":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(DTYPES[suffix])


def largest_error(result, expected, scale):
    """The largest error of the values, relative to the magnitudes of the sums' terms."""
    assert result.shape == expected.shape, (result.shape, expected.shape)
    return np.max(np.abs(result - expected) / (scale + 1e-30)) if result.size else 0


def product_error(A, x, y):
    """The error of y = x A^T, one row per item, in double precision; rounding stays below 2e-6."""
    wide = np.complex128
    return largest_error(y, x.astype(wide) @ np.asarray(A).astype(wide).T,
                         np.abs(x) @ np.abs(np.asarray(A)).T)


def vector(items):
    """A PMT vector with these items."""
    result = pmt.make_vector(len(items), pmt.PMT_NIL)
    for i, item in enumerate(items):
        pmt.vector_set(result, i, item)
    return result


def bad_messages(suffix):
    """Messages for the port set_A of a block with two rows and two columns. The block must accept
    none of them, not even in part."""
    good = pmt.make_tuple(pmt.from_double(5), pmt.from_double(5))
    f32 = pmt.init_f32vector(2, [5, 5])
    long, short = pmt.init_f32vector(3, [5, 5, 5]), pmt.init_f32vector(1, [5])
    pair = pmt.cons(pmt.from_double(5), pmt.from_double(5))
    messages = [
        pmt.PMT_NIL, pmt.PMT_T, pmt.from_double(5), pmt.from_long(2), pair,
        pmt.list2(f32, f32), pmt.make_dict(),
        pmt.dict_add(pmt.make_dict(), pmt.intern("A"), f32),
        f32, pmt.init_f32vector(4, [1, 2, 3, 4]), pmt.make_vector(0, good),
        pmt.make_vector(1, f32), pmt.make_vector(3, f32), pmt.make_vector(2, pmt.PMT_NIL),
        pmt.make_vector(2, long), pmt.make_vector(2, short), pmt.make_tuple(f32, long),
        pmt.make_tuple(long, f32), pmt.make_tuple(f32, short), pmt.make_tuple(f32, pair),
        pmt.make_tuple(f32, pmt.intern("row")), pmt.make_tuple(f32, pmt.from_double(5)),
        pmt.make_tuple(f32, pmt.init_u8vector(0, [])), pmt.make_tuple(f32, pmt.make_dict()),
        pmt.make_tuple(f32, pmt.make_tuple(pmt.from_double(5), pmt.intern("x"))),
        pmt.make_tuple(f32, pmt.make_tuple(pmt.from_double(5), pmt.PMT_T)),
        pmt.make_tuple(f32, pmt.make_tuple(pmt.from_double(5), pmt.PMT_NIL)),
        pmt.make_tuple(f32, pmt.make_tuple(pmt.from_double(5), f32)),
        pmt.make_tuple(good, pmt.make_tuple(pmt.from_double(nan), pmt.from_double(5))),
        pmt.make_tuple(good, pmt.make_tuple(pmt.from_double(inf), pmt.from_double(5))),
        pmt.make_tuple(good, pmt.make_tuple(pmt.from_double(1e300), pmt.from_double(5))),
        pmt.make_tuple(f32, pmt.init_f32vector(2, [nan, 5])),
        pmt.make_tuple(f32, pmt.init_f64vector(2, [5, -inf])),
        pmt.make_tuple(f32, pmt.init_u8vector(8, list(b"12345678"))),
    ]
    if suffix == "ff":
        complex_five = pmt.from_complex(5 + 1j)
        messages += [pmt.make_tuple(f32, pmt.init_c32vector(2, [5, 5])),
                     pmt.make_tuple(f32, pmt.init_c64vector(2, [5, 5])),
                     pmt.make_tuple(good, pmt.make_tuple(pmt.from_double(5), complex_five))]
    return messages


def good_messages(suffix):
    """Pairs of a matrix and a message with this matrix."""
    A = [[1, -2], [3, 4]]
    numbers = lambda values, make=pmt.from_double: [make(v) for v in values]
    messages = [
        vector([vector(numbers(row)) for row in A]),
        pmt.make_tuple(*[pmt.make_tuple(*numbers(row)) for row in A]),
        pmt.make_tuple(*[vector(numbers(row, pmt.from_long)) for row in A]),
        vector([pmt.init_f32vector(2, row) for row in A]),
        pmt.make_tuple(pmt.init_f64vector(2, A[0]), pmt.init_s8vector(2, A[1])),
        pmt.make_tuple(pmt.init_s16vector(2, A[0]), pmt.init_s32vector(2, A[1])),
        pmt.make_tuple(pmt.init_f32vector(2, A[0]),
                       pmt.make_tuple(pmt.from_uint64(3), pmt.from_long(4))),
        pmt.make_tuple(pmt.init_s64vector(2, A[0]), pmt.init_u8vector(2, A[1])),
        pmt.make_tuple(pmt.init_f32vector(2, A[0]), pmt.init_u16vector(2, A[1])),
        pmt.make_tuple(pmt.init_f32vector(2, A[0]), pmt.init_u32vector(2, A[1])),
    ]
    pairs = [(A, message) for message in messages]
    if suffix == "cc":
        B = [[1 + 2j, -2], [3j, 4 - 1j]]
        pairs += [
            (B, pmt.make_tuple(*[pmt.init_c32vector(2, row) for row in B])),
            (B, vector([pmt.init_c64vector(2, row) for row in B])),
            (B, pmt.make_tuple(*[pmt.make_tuple(*numbers(row, pmt.from_complex))
                                 for row in B])),
        ]
    return pairs


def run_vectors(block, x, rows, chunks=None, max_noutput=100000, actions=()):
    """Runs a gemm block over the rows of x. Returns its outputs, one row per item, and its tags."""
    tb = gr.top_block()
    source = array_source(x, chunks, actions)
    make_sink = blocks.vector_sink_c if x.dtype == np.complex64 else blocks.vector_sink_f
    sink = make_sink(rows)
    tb.connect(source, block, sink)
    tb.run(max_noutput)
    return np.array(sink.data(), x.dtype).reshape(-1, rows), sink.tags()


SINKS = {"ff": blocks.vector_sink_f, "cc": blocks.vector_sink_c}
SOURCES = {"ff": blocks.vector_source_f, "cc": blocks.vector_source_c}


def make_multiply(suffix, *args, **kwargs):
    return getattr(cldsp, "multiply_matrix_" + suffix)(*args, **kwargs)


def run_streams(block, suffix, X, rows, tags=None, chunks=None, actions=(), max_noutput=100000):
    """Runs a block over the rows of X, of which each is a stream; actions belong to the first
    stream. Returns the outputs, one row for each, and their tags."""
    tb = gr.top_block()
    sources = []
    for k, stream in enumerate(X):
        if tags is None:
            sources.append(array_source(stream, chunks, actions if k == 0 else ()))
        else:
            sources.append(SOURCES[suffix](list(stream), False, 1, tags[k]))
        tb.connect(sources[-1], (block, k))
    sinks = [SINKS[suffix]() for _ in range(rows)]
    for row, sink in enumerate(sinks):
        tb.connect((block, row), sink)
    tb.run(max_noutput)
    return np.array([sink.data() for sink in sinks], X.dtype), [sink.tags() for sink in sinks]
