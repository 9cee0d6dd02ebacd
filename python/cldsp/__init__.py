# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Frequency-xlating FIR filters, matrix products and correlators on OpenCL devices and the host.

The blocks freq_xlating_fir_filter_* replace those of gnuradio.filter by name; the blocks
freq_xlating_filter_bank_* take many channels at once. The blocks multiply_matrix_* replace
those of gnuradio.blocks; gemm_* multiply a stream of vectors by a matrix, and gemm() multiplies
NumPy arrays. The blocks correlator_* sum the products of all pairs of antennas, as correlate()
does with NumPy arrays. cldsp.devices() lists the devices that all of them can run on; tune_probe tunes
the running blocks and reports on them.
"""

from .cldsp_python import *
from .channel_tuner import channel_tuner
