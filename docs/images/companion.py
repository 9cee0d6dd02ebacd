#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Takes a picture of GNU Radio Companion on an empty display:
companion.py FLOWGRAPH.grc WIDTH HEIGHT PICTURE.png [TEXT]
The tree of blocks is shown with TEXT searched in it, and else not at all.
"""

import os
import subprocess
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

TREE_WIDTH = 440  # of the widest name
LIMIT_S, SETTLE_S = 120, 3

flowgraph, width, height, picture = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
searched = sys.argv[5] if len(sys.argv) > 5 else None


def arrange():
    """Size the window when it is there, search the tree, and then take the picture."""
    window = next((w for w in Gtk.Window.list_toplevels() if hasattr(w, "btwin")), None)
    if window is None or not window.get_visible():
        return True
    window.unmaximize()
    window.move(0, 0)
    window.resize(width, height)
    window.update_panel_visibility(window.CONSOLE, False)
    window.update_panel_visibility(window.VARIABLES, False)
    window.update_panel_visibility(window.BLOCKS, searched is not None)
    if searched:
        window.btwin.search_entry.show()
        window.btwin.search_entry.set_text(searched)
        GLib.timeout_add_seconds(1, place, window)
    GLib.timeout_add_seconds(SETTLE_S, take)
    return False


def place(window):
    window.main.set_position(window.get_allocated_width() - TREE_WIDTH)
    return False


def take():
    subprocess.run(["import", "-window", "root", picture], check=True)
    os._exit(0)


def give_up():
    print("Companion's window did not come", file=sys.stderr)
    os._exit(1)


GLib.timeout_add(500, arrange)
GLib.timeout_add_seconds(LIMIT_S, give_up)
sys.argv = ["gnuradio-companion", flowgraph]
from gnuradio.grc.main import main  # noqa: E402

sys.exit(main())
