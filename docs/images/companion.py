#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Takes a picture of a flowgraph in GNU Radio Companion, twice as fine as on a screen:
companion.py FLOWGRAPH.grc PICTURE.png
Needs a display. A flowgraph with a missing block or a red one gives no picture.
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "cldsp"))
# Companion's cache of the user may hold the blocks of another tree, or none of them.
import qa_grc_support  # noqa: E402  must come before GNU Radio

import gi  # noqa: E402

gi.require_version("Gtk", "3.0")
import cairo  # noqa: E402
from gi.repository import GLib, Gtk  # noqa: E402

LIMIT_S, FINENESS, MARGIN = 120, 2, 16

flowgraph, picture = sys.argv[1:]


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


def draw(shown):
    """Draw all of a flowgraph, and nothing else of the window."""
    drawing = cairo.RecordingSurface(cairo.CONTENT_COLOR_ALPHA, None)
    context = cairo.Context(drawing)
    context.scale(FINENESS, FINENESS)
    shown.create_labels(context)
    shown.create_shapes()
    shown.draw(context)
    left, top, width, height = drawing.ink_extents()
    surface = cairo.ImageSurface(cairo.FORMAT_RGB24, round(width) + 2 * MARGIN,
                                 round(height) + 2 * MARGIN)
    context = cairo.Context(surface)
    context.set_source_rgb(1, 1, 1)
    context.paint()
    context.set_source_surface(drawing, MARGIN - left, MARGIN - top)
    context.paint()
    surface.write_to_png(picture)


def take():
    """Take the picture when the window is there, if it shows what the reader shall see."""
    window = next((w for w in Gtk.Window.list_toplevels() if hasattr(w, "btwin")), None)
    if window is None or not window.get_visible():
        return True
    found = faults(window.current_flow_graph)
    if not found:
        draw(window.current_flow_graph)
    end("\n".join(found))


def give_up():
    end("Companion's window did not come")


GLib.timeout_add(500, take)
GLib.timeout_add_seconds(LIMIT_S, give_up)
sys.argv = ["gnuradio-companion", flowgraph]
from gnuradio.grc.main import main  # noqa: E402

sys.exit(main())
