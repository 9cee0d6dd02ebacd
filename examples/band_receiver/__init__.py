#
# Copyright 2026 the gr-cldsp authors
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Every channel of a band from one radio or file: on this machine, or over several."""
