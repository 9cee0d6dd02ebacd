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
import subprocess
import sys
import tempfile
import wave

import qa_grc_support  # noqa: F401  must come before GNU Radio
import numpy as np
from gnuradio import gr, gr_unittest
from gnuradio.grc.core.platform import Platform

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "site"))
import qa_pages  # noqa: E402

PAGE = ROOT / "docs" / "tutorial.md"
SECTION = "In GNU Radio Companion"


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


class qa_grc_tutorial(gr_unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.environment = {key: value for key, value in os.environ.items()
                           if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        cls.section = PAGE.read_text(encoding="utf-8").partition(f"## {SECTION}")[2]
        cls.platform = Platform(version=gr.version(), version_parts=(3, 10, 0), prefs=gr.prefs())
        cls.platform.build_library()

    def run_here(self, *command):
        done = subprocess.run([str(word) for word in command], cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(0, done.returncode, done.stdout)
        return done.stdout

    def generated(self, path):
        """What a flowgraph prints, which is generated and run without a display."""
        self.run_here(shutil.which("grcc"), "-o", self.folder, path)
        return self.run_here(sys.executable, self.folder / f"{path.stem}.py")

    def found(self, flow_graph, label):
        """The block of a new flowgraph with this name, or one of the library's."""
        for block in flow_graph.blocks:
            if block.label == label:
                return block
        keys = [key for key, block in self.platform.block_classes.items() if block.label == label]
        self.assertEqual(1, len(keys), f"Companion has no block, or several, named {label}")
        block = flow_graph.new_block(keys[0])
        block.params["id"].set_value(f"{keys[0]}_0")
        return block

    def set_value(self, block, label, value):
        """Chooses or types a value as the reader does, who sees the labels."""
        seen = [p for p in block.params.values() if p.name == label and p.hide != "all"]
        self.assertEqual(1, len(seen), f"{block.label} shows no parameter {label}")
        if seen[0].is_enum():
            chosen = [key for key, text in seen[0].options.items() if text == value]
            self.assertEqual(1, len(chosen), f"{label} of {block.label} offers no {value}")
            value = chosen[0]
        seen[0].set_value(value)
        block.rewrite()

    def described(self):
        """The flowgraph that the table describes."""
        rows = [cells(line) for line in self.section.splitlines() if line.startswith("|")][2:]
        self.assertGreater(len(rows), 4)
        flow_graph = self.platform.make_flow_graph(self.platform.config.default_flow_graph)
        flow_graph.rewrite()
        chain = []
        for label, values in rows:
            block = self.found(flow_graph, label)
            for value in values.split("; "):
                self.set_value(block, *value.split(": ", 1))
            chain.append(block)
        self.assertIn("Connect the last four in this order", self.section)
        for source, sink in zip(chain[-4:], chain[-3:]):
            flow_graph.connect(source.sources[0],
                               next(port for port in sink.sinks if port.domain == "stream"))
        flow_graph.options_block.params["id"].set_value("described")
        flow_graph.rewrite()
        flow_graph.validate()
        self.assertEqual([], list(flow_graph.iter_error_messages()))
        path = self.folder / "described.grc"
        self.platform.save_flow_graph(str(path), flow_graph)
        return path

    def test_the_described_flowgraph(self):
        recording = [block for block in qa_pages.blocks(PAGE) if block.section == "A recording"]
        self.run_here(sys.executable, "-c", "\n".join(block.text for block in recording))
        self.generated(self.described())
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
