#
# Copyright 2026 the gr-cldsp authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Frequency-xlating FIR filters on OpenCL devices and the host.

The blocks freq_xlating_fir_filter_* replace those of gnuradio.filter by name; the blocks
freq_xlating_filter_bank_* take many channels at once. cldsp.devices() tells what they can run
on.
"""

from .cldsp_python import *
