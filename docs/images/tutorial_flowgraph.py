#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Writes the flowgraph of the tutorial's table, laid out for its picture:
tutorial_flowgraph.py FLOWGRAPH.grc
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "cldsp"))
import qa_grc_tutorial  # noqa: E402

# Of the table's rows: its options and its variable above, its chain in one row below.
PLACES = ((8, 8), (216, 8), (8, 120), (248, 152), (656, 176), (848, 144))

described = qa_grc_tutorial.Described(qa_grc_tutorial.new_platform())
for block, place in zip(described.blocks, PLACES, strict=True):
    block.states["coordinate"] = place
described.save(sys.argv[1])
