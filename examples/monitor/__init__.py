#
# Copyright 2026 the gr-cldsp authors
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Shows which fraction of the device's roofline the running blocks reach."""
