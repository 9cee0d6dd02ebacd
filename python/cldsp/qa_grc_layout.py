#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""In GNU Radio Companion no block of an example flowgraph covers another one, or is cut off.

The blocks are laid out by GNU Radio Companion's own code, without a display: that code needs
only the sizes of texts from GTK, and Pango gives these without a display.
"""

import itertools
import os
import sys
import types
import unittest

try:
    import gi
    gi.require_version("Gtk", "3.0")
    gi.require_version("PangoCairo", "1.0")
    from gi.repository import Gtk, Pango, PangoCairo
except (ImportError, ValueError) as error:
    print(f"GTK 3's bindings are missing: {error}")
    sys.exit(77)

import qa_grc_support  # noqa: E402, F401  must come before GNU Radio

# The widgets that GNU Radio Companion makes on import would need a screen.
Gtk.StyleContext.add_provider_for_screen = lambda *_: None

from gnuradio import gr  # noqa: E402
from gnuradio.grc.core.FlowGraph import FlowGraph  # noqa: E402
from gnuradio.grc.gui.canvas import block as canvas_block  # noqa: E402
from gnuradio.grc.gui.canvas import port as canvas_port  # noqa: E402
from gnuradio.grc.gui.Platform import Platform  # noqa: E402

EXAMPLES = os.environ["CLDSP_EXAMPLES"]
# The fonts of another machine may be wider by this factor.
WIDER = 1.1


class layouts:
    """Replaces GTK's drawing area, which is only needed to measure texts."""

    context = PangoCairo.FontMap.get_default().create_context()

    def create_pango_layout(self, text):
        layout = Pango.Layout(self.context)
        layout.set_text(text, -1)
        return layout


for module in (canvas_block, canvas_port):
    module.Gtk = types.SimpleNamespace(DrawingArea=layouts)
# The canvas version of a flowgraph needs the main window; its blocks do not.
Platform.FlowGraph = FlowGraph


class rectangle:
    def __init__(self, name, extents):
        self.name = name
        self.left, self.top, right, self.bottom = extents
        self.right = self.left + WIDER * (right - self.left)

    def covers(self, other):
        return (self.left < other.right and other.left < self.right and
                self.top < other.bottom and other.top < self.bottom)

    def __repr__(self):
        return (f"{self.name} ({self.left:.0f}, {self.top:.0f}) to "
                f"({self.right:.0f}, {self.bottom:.0f})")


def rectangles(block):
    """The block with its ports and their names, and its comment below it."""
    for port in block.active_ports():
        port.force_show_label = True
    block.create_labels()
    block.create_shapes()
    yield rectangle(block.name, block.get_extents())
    if block.comment:
        yield rectangle(block.name + "'s comment", block.get_extents_comment())


class qa_grc_layout(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.platform = Platform(version=gr.version(), version_parts=(3, 10, 0),
                                prefs=gr.prefs(), install_prefix="")
        cls.platform.build_library()
        # What blocks show to one who has set nothing.
        shown = canvas_block.Actions
        for action in (shown.TOGGLE_SHOW_PARAMETER_EXPRESSION, shown.TOGGLE_SHOW_BLOCK_IDS):
            action.set_active(False)

    def test_every_block_is_seen(self):
        names = [name for name in os.listdir(EXAMPLES) if name.endswith(".grc")]
        self.assertGreater(len(names), 4)
        for name in names:
            with self.subTest(example=name):
                flow_graph = self.platform.make_flow_graph()
                flow_graph.import_data(
                    self.platform.parse_flow_graph(os.path.join(EXAMPLES, name)))
                flow_graph.rewrite()
                found = [r for block in flow_graph.blocks for r in rectangles(block)]
                self.assertEqual([], [pair for pair in itertools.combinations(found, 2)
                                      if pair[0].covers(pair[1])])
                self.assertEqual([], [r for r in found if r.left < 0 or r.top < 0])


if __name__ == "__main__":
    unittest.main()
