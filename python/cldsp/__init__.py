# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Frequency-xlating filters, matrix products and correlators on OpenCL devices and the host.

Blocks; * stands for the types of the items, and help() of a block explains its letters, arguments,
messages and tags:

    freq_xlating_fir_filter_*       a channel out of a wide stream; replaces gnuradio.filter's
    freq_xlating_fft_filter_*       the same with the phase of gnuradio.filter's FFT filter
    freq_xlating_filter_bank_*      many channels at once, each with its own frequency and rate
    freq_xlating_fir_filter_volk_*  the filter on the host with VOLK, for comparison
    channel_tuner                   lets what tunes a filter tune a channel of a bank
    multiply_matrix_*               weighted sums of streams; replaces gnuradio.blocks'
    gemm_*                          a matrix times each vector of a stream
    gemm_1bit_bi                    correlates 1-bit samples with many codes
    correlator_*                    the products of all pairs of antennas, summed
    tune_probe                      tunes the running blocks, and reports on them

Functions and files:

    devices()                       what all of these can run on
    gemm(), correlate()             the products and sums of NumPy arrays
    list_variants(), list_gemm_variants(), sample_types()
                                    the names that arguments take, and the types of items
    recording                       reads what the command does: SigMF, WAV and raw samples

The repr of a block has its arguments and its plan: where it runs, by which algorithm, how fast.
"""

from .cldsp_python import *
from .cldsp_python import __version__
from . import arguments, companion, representation

arguments.add_to(globals())
representation.add_to(globals().values())

# What only this module and its tests use.
_HIDDEN = {"arguments", "cldsp_python", "companion", "inject_failure", "representation"}


def __dir__():
    return [] if companion.collects_docstrings() else sorted(globals().keys() - _HIDDEN)
