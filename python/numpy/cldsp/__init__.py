# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
"""Narrow channels out of wide streams, for NumPy.

FilterBank takes channels out of a stream of samples, on whatever computes fastest on the machine:
its processor, or a GPU through OpenCL. low_pass() designs its taps, and devices() lists what may
compute. gemm() multiplies matrices, and correlate() and Correlator correlate antennas.

This package needs the library libcldsp and NumPy, and no GNU Radio; the blocks for GNU Radio are
the module gnuradio.cldsp. Errors of arguments are ValueErrors that name the parameter, its value
and the range.
"""

from ._filter_bank import Context, FilterBank, devices, library_version, low_pass
from ._matrices import Correlator, correlate, gemm

__version__ = "0.1.0"
__all__ = ["Context", "Correlator", "FilterBank", "correlate", "devices", "gemm",
           "library_version", "low_pass"]
