# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Every channel of a band from one radio or file: on this machine, or over several."""
