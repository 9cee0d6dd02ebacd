#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Takes a picture of GNU Radio Companion on an empty display:
companion.py FLOWGRAPH.grc WIDTH HEIGHT PICTURE.png [STEPS]
STEPS: how often the flowgraph is zoomed in. One with a missing block or a red one gives no picture.
"""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "cldsp"))
# Companion's cache of the user may hold the blocks of another tree, or none of them.
import qa_grc_support  # noqa: E402  must come before GNU Radio

import gi  # noqa: E402

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

LIMIT_S, SETTLE_S = 120, 3

flowgraph, width, height, picture = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
zoom_steps = int(sys.argv[5]) if len(sys.argv) > 5 else 0


def arrange():
    """Size the window when it is there, show only the flowgraph, and then take the picture."""
    window = next((w for w in Gtk.Window.list_toplevels() if hasattr(w, "btwin")), None)
    if window is None or not window.get_visible():
        return True
    window.unmaximize()
    window.move(0, 0)
    window.resize(width, height)
    window.update_panel_visibility(window.CONSOLE, False)
    window.update_panel_visibility(window.VARIABLES, False)
    window.update_panel_visibility(window.BLOCKS, False)
    for _ in range(zoom_steps):
        window.current_page.drawing_area.zoom_in()
    GLib.timeout_add_seconds(SETTLE_S, take, window)
    return False


def end(error=None):
    """End the program, and not only Gtk's loop."""
    if error:
        print(f"{flowgraph}: {error}", file=sys.stderr, flush=True)
    qa_grc_support.FOLDER.cleanup()
    os._exit(1 if error else 0)


def faults(shown):
    """What Companion draws in red."""
    missing = [f"there is no block {block.key}" for block in shown.blocks if block.is_dummy_block]
    shown.validate()
    return missing + [f"{element}: {message}"
                      for element, message in shown.iter_error_messages()]


def take(window):
    """Take the picture, if it shows what the reader shall see."""
    found = faults(window.current_flow_graph)
    if found:
        end("\n".join(found))
    done = subprocess.run(["import", "-window", "root", picture], check=False)
    end("import made no picture" if done.returncode else None)


def give_up():
    end("Companion's window did not come")


GLib.timeout_add(500, arrange)
GLib.timeout_add_seconds(LIMIT_S, give_up)
sys.argv = ["gnuradio-companion", flowgraph]
from gnuradio.grc.main import main  # noqa: E402

sys.exit(main())
