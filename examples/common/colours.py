# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The colours of all pictures and windows."""

BACKGROUND = "#0b1020"
RAISED = "#141c30"  # what lies on the background: lists, buttons, tracks of bars
EDGE = "#2a3550"
GRID = "#1b2540"
FAINT = "#3b4a6b"
QUIET = "#8291ad"  # labels
INK = "#dbe4f3"
TRACE = "#7fd4ff"
HEARD = "#7ee787"
MISSED = "#ff7b72"
