# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The parts of satellites_demo.py: many narrow channels out of one wide 8-bit stream."""
