# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Shows which fraction of the device's roofline the running blocks reach."""
