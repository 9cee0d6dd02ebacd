#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The flowgraphs of the tutorial: one is built from the words of its table, the other one is the
file that it names. Both do what the page says.
"""

import os
import pathlib
import re
import shutil
import sys
import tempfile
import wave

from qa_grc_support import run  # must come before GNU Radio
import numpy as np
from gnuradio import gr, gr_unittest
from gnuradio.grc.core.platform import Platform

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "site"))
import qa_pages  # noqa: E402

PAGE = ROOT / "docs" / "tutorial.md"
SECTION = "In GNU Radio Companion"


def page_section():
    """The words about Companion."""
    return PAGE.read_text(encoding="utf-8").partition(f"## {SECTION}")[2]


def new_platform():
    """Companion with its blocks, without its window."""
    platform = Platform(version=gr.version(), version_parts=(3, 10, 0), prefs=gr.prefs())
    platform.build_library()
    return platform


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def only(found, description):
    """The one thing that was found."""
    if len(found) != 1:
        raise AssertionError(f"Companion shows not one but {len(found)}: {description}")
    return found[0]


class Described:
    """The flowgraph that the table describes: flow_graph, and blocks, those of its rows."""

    def __init__(self, platform):
        self.platform = platform
        section = page_section()
        rows = [cells(line) for line in section.splitlines() if line.startswith("|")][2:]
        self.flow_graph = platform.make_flow_graph(platform.config.default_flow_graph)
        self.flow_graph.rewrite()
        self.blocks = []
        for label, values in rows:
            self.blocks.append(self._found(label))
            for value in values.split("; "):
                self._set_value(self.blocks[-1], *value.split(": ", 1))
        if "Connect the last four in this order" not in section:
            raise AssertionError("the page connects the blocks in another way than this does")
        for source, sink in zip(self.blocks[-4:], self.blocks[-3:]):
            self.flow_graph.connect(source.sources[0],
                                    next(port for port in sink.sinks if port.domain == "stream"))
        self.flow_graph.options_block.params["id"].set_value("described")

    def _found(self, label):
        """The block of a new flowgraph with this name, or one of the library's."""
        for block in self.flow_graph.blocks:
            if block.label == label:
                return block
        key = only([key for key, block in self.platform.block_classes.items()
                    if block.label == label], f"blocks named {label}")
        block = self.flow_graph.new_block(key)
        block.params["id"].set_value(f"{key}_0")
        return block

    @staticmethod
    def _set_value(block, label, value):
        """Chooses or types a value as the reader does, who sees the labels."""
        seen = only([p for p in block.params.values() if p.name == label and p.hide != "all"],
                    f"parameters {label} of {block.label}")
        if seen.is_enum():
            value = only([key for key, text in seen.options.items() if text == value],
                         f"choices {value} for {label} of {block.label}")
        seen.set_value(value)
        block.rewrite()

    def save(self, path):
        """Writes the flowgraph, which has to be without faults."""
        self.flow_graph.rewrite()
        self.flow_graph.validate()
        errors = list(self.flow_graph.iter_error_messages())
        if errors:
            raise AssertionError(f"the described flowgraph has faults: {errors}")
        self.platform.save_flow_graph(str(path), self.flow_graph)


class qa_grc_tutorial(gr_unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.environment = {key: value for key, value in os.environ.items()
                           if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        cls.section = page_section()

    def run_here(self, *command):
        return run(*command, cwd=self.folder, env=self.environment)

    def generated(self, path):
        """What a flowgraph prints, which is generated and run without a display."""
        self.run_here(shutil.which("grcc"), "-o", self.folder, path)
        return self.run_here(sys.executable, self.folder / f"{path.stem}.py")

    def test_the_described_flowgraph(self):
        recording = [block for block in qa_pages.blocks(PAGE) if block.section == "A recording"]
        self.run_here(sys.executable, "-c", "\n".join(block.text for block in recording))
        described = Described(new_platform())
        self.assertEqual(6, len(described.blocks))
        described.save(self.folder / "described.grc")
        self.generated(self.folder / "described.grc")
        name, hertz = re.search(r"`(\w+\.wav)` has the tone of (\d+) Hz", self.section).groups()
        with wave.open(str(self.folder / name)) as file:
            rate = file.getframerate()
            audio = np.frombuffer(file.readframes(file.getnframes()), np.int16)
        self.assertEqual(48000, rate)
        self.assertLess(abs(len(audio) - 2 * rate), 100)
        found, bin_hz = qa_pages.strongest(audio[len(audio) // 8:], rate)
        self.assertLessEqual(abs(abs(found) - float(hertz)), 2 * bin_hz)

    def test_the_named_flowgraph(self):
        name = re.search(r"Open `(examples/\w+\.grc)`", self.section).group(1)
        printed = self.generated(ROOT / name)
        # What computed, and how they differ.
        self.assertRegex(printed, r"cldsp on .+: \d+ samples, largest error -\d")
        self.assertRegex(printed, r"in-tree: \d+ samples, largest error -\d")


if __name__ == "__main__":
    gr_unittest.main()
