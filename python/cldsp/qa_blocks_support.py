# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""One small run of each block that computes, compared with the double-precision model or NumPy."""

import numpy as np
from gnuradio import blocks, cldsp, gr
from qa_matrix_support import (DTYPES, make_multiply, product_error, random_values, run_streams,
                               run_vectors)
from qa_support import (FILTER_TYPES, IN_TREE_TYPES, array_source, error_db, item_values,
                        make_bank, make_block, random_items, random_taps, reference, run_bank,
                        run_block)

ITEMS = 3000


def check_filter(suffix, kind="fir", decimation=4, count=33, most_db=-100, **options):
    rng = np.random.default_rng(1)
    taps = random_taps(rng, suffix, count)
    items = random_items(rng, suffix, max(ITEMS, 2 * decimation))
    block = make_block(suffix, decimation, taps, 0.1, 1, kind=kind, **options)
    result, _ = run_block(block, items)
    expected = reference(item_values(suffix[-3:] if "volk" in suffix else suffix, items),
                         decimation, taps, 0.1, 1,
                         phase="input" if kind == "fft" else "group_delay")
    assert error_db(result, expected) < most_db
    return block


def check_bank(suffix, **options):
    rng = np.random.default_rng(2)
    taps = [random_taps(rng, suffix, count) for count in (33, 20)]
    items = random_items(rng, suffix, ITEMS)
    bank = make_bank(suffix, 4, taps, [0.1, -0.2], 1, accuracy=0, **options)
    results, _ = run_bank(bank, items)
    for result, of_channel, frequency in zip(results, taps, (0.1, -0.2)):
        expected = reference(item_values(suffix, items), 4, of_channel, frequency, 1)
        assert error_db(result, expected) < -100
    return bank


def check_gemm(suffix, **options):
    rng = np.random.default_rng(3)
    A, x = random_values(rng, suffix, 5, 9), random_values(rng, suffix, 300, 9)
    block = getattr(cldsp, "gemm_" + suffix)(A, **options)
    assert product_error(A, x, run_vectors(block, x, 5)[0]) < 2e-6
    return block


def check_multiply(suffix, **options):
    rng = np.random.default_rng(4)
    A, X = random_values(rng, suffix, 2, 3), random_values(rng, suffix, 3, 300)
    block = make_multiply(suffix, A, **options)
    assert product_error(A, X.T, run_streams(block, suffix, X, 2)[0].T) < 2e-6
    return block


def run_integers(block, items, rows):
    """The outputs of a block from vectors of bytes to vectors of integers, one row each."""
    tb = gr.top_block()
    source, sink = array_source(items), blocks.vector_sink_i(rows)
    tb.connect(source, block, sink)
    tb.run()
    return np.array(sink.data(), np.int64).reshape(-1, rows)


def check_gemm_bytes(**options):
    rng = np.random.default_rng(5)
    A, x = (rng.integers(-128, 128, shape, np.int8) for shape in ((5, 9), (300, 9)))
    block = cldsp.gemm_bi(A, **options)
    np.testing.assert_array_equal(x.astype(np.int64) @ A.T.astype(np.int64),
                                  run_integers(block, x, 5))
    return block


def check_gemm_1bit(**options):
    rng = np.random.default_rng(6)
    codes, items = (rng.integers(0, 256, (n, 7), dtype=np.uint8) for n in (5, 300))
    block = cldsp.gemm_1bit_bi(codes, **options)
    signs = [2 * np.unpackbits(m, axis=1).astype(np.int64) - 1 for m in (items, codes)]
    np.testing.assert_array_equal(signs[0] @ signs[1].T, run_integers(block, items, 5))
    return block


def check_correlator(kind, **options):
    rng = np.random.default_rng(7)
    if kind == "cs8":
        x = rng.integers(-128, 128, (3, 1000, 2), dtype=np.int8)
        values = (x[..., 0] + 1j * x[..., 1].astype(float)) / 128
    else:
        x = random_values(rng, "cc", 3, 1000)
        values = x.astype(complex)
    block = getattr(cldsp, "correlator_" + kind)(3, 500, **options)
    tb = gr.top_block()
    sink = blocks.vector_sink_c(6)
    sources = [array_source(row) for row in x]
    for antenna, source in enumerate(sources):
        tb.connect(source, (block, antenna))
    tb.connect(block, sink)
    tb.run()
    wanted = [(part @ part.conj().T)[np.tril_indices(3)] for part in np.split(values, 2, axis=1)]
    np.testing.assert_allclose(np.array(sink.data()).reshape(-1, 6), wanted, rtol=0,
                               atol=1e-6 * np.max(np.abs(wanted)))
    return block


def every_check():
    """The names of the blocks that have a device, each with its check, which takes the options of
    the block and returns it."""
    checks = {}
    for suffix in FILTER_TYPES:
        for kind in ("fir", "fft"):
            checks[f"freq_xlating_{kind}_filter_{suffix}"] = (
                lambda suffix=suffix, kind=kind, **o: check_filter(suffix, kind, **o))
        checks["freq_xlating_filter_bank_" + suffix] = (
            lambda suffix=suffix, **o: check_bank(suffix, **o))
    for suffix in DTYPES:
        checks["gemm_" + suffix] = lambda suffix=suffix, **o: check_gemm(suffix, **o)
        checks["multiply_matrix_" + suffix] = (
            lambda suffix=suffix, **o: check_multiply(suffix, **o))
    for kind in ("cc", "cs8"):
        checks["correlator_" + kind] = lambda kind=kind, **o: check_correlator(kind, **o)
    return dict(checks, gemm_bi=check_gemm_bytes, gemm_1bit_bi=check_gemm_1bit)


def volk_checks():
    """The same for the blocks that have no device."""
    return {"freq_xlating_fir_filter_volk_" + suffix:
            lambda suffix=suffix: check_filter("volk_" + suffix) for suffix in IN_TREE_TYPES}
