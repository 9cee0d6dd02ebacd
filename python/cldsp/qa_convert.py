#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The command "cldsp convert" replaces filters in flowgraphs, which stay valid and give the same
signals."""

import contextlib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from xml.sax.saxutils import escape

import qa_grc_support  # noqa: F401  must come before GNU Radio
import gnuradio.grc.core.platform  # noqa: F401  the next import needs it to come first
import gnuradio.grc.core.io.yaml as companion_yaml
import numpy as np
import pmt
import yaml
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_support import IN_TREE_TYPES, PATIENCE_S, error_db, messages_with_none, random_items

SCRIPTS = os.environ["CLDSP_CONVERT_SCRIPTS"]
PROGRAM = os.environ["CLDSP_PROGRAM"]
EXAMPLES = os.environ["CLDSP_EXAMPLES"]
sys.path.insert(0, SCRIPTS)

from companion import BANK, FFT, FIR, TUNER, Companion, Failure, errors  # noqa: E402
from filters import Conversion  # noqa: E402

IN_TREE_FIR = "freq_xlating_fir_filter_xxx"
IN_TREE_FFT = "freq_xlating_fft_filter_ccc"
INPUTS = {"c": ("complex", 8), "f": ("float", 4), "s": ("short", 2)}
ITEMS = 24000


@contextlib.contextmanager
def inside(folder):
    """Works in a folder, in which the generated programs find their files."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def changed_environment(**variables):
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class FlowGraph:
    """The nested data of a flowgraph's file."""

    def __init__(self, name="receiver"):
        self.options = {"parameters": {"id": name, "title": "A receiver",
                                       "generate_options": "no_gui", "run_options": "run",
                                       "output_language": "python"},
                        "states": {"coordinate": [8, 8], "rotation": 0, "state": "enabled"}}
        self.blocks = []
        self.connections = []
        self.variable("samp_rate", "32e3")
        self.variable("taps", "firdes.low_pass(1, 32e3, 2e3, 1e3)")
        self.add("import", "firdes_import", imports="from gnuradio.filter import firdes")

    def add(self, block_id, name, state="enabled", **parameters):
        self.blocks.append({
            "name": name, "id": block_id, "parameters": parameters,
            "states": {"bus_sink": False, "bus_source": False, "bus_structure": None,
                       "coordinate": [100 + len(self.blocks), 20 * len(self.blocks)],
                       "rotation": 180, "state": state}})

    def variable(self, name, value):
        self.add("variable", name, value=value)

    def source(self, name, letter="c"):
        self.add("blocks_file_source", name, file=f"{letter}.input", type=INPUTS[letter][0],
                 repeat="False")

    def filter(self, name, source, block_id=IN_TREE_FIR, sink=True, state="enabled", port="0",
               **parameters):
        values = {"type": "ccf", "decim": "2", "taps": "taps", "center_freq": "1e3",
                  "samp_rate": "samp_rate", **parameters}
        if block_id == IN_TREE_FFT:
            del values["type"]
        self.add(block_id, name, state, **values)
        self.connect(source, name, port)
        if sink:
            self.add("blocks_file_sink", name + "_sink", file=name + ".output", type="complex",
                     state="disabled" if state == "disabled" else "enabled")
            self.connect(name, name + "_sink")

    def connect(self, source, sink, port="0", into="0"):
        self.connections.append([source, port, sink, into])

    def data(self):
        return {"options": self.options, "blocks": self.blocks,
                "connections": self.connections,
                "metadata": {"file_format": 1, "grc_version": "3.8.0.0"}}

    def xml(self):
        """The text of the file as GNU Radio 3.7 writes it."""
        def element(name, *children):
            return f"<{name}>{''.join(children)}</{name}>"

        def block(name, block_id, parameters, states):
            values = {**parameters, "id": name, "_coordinate": tuple(states["coordinate"]),
                      "_rotation": states["rotation"],
                      "_enabled": {"enabled": "True", "disabled": "False"}[states["state"]]}
            if block_id == "import":
                values["import"] = values.pop("imports")
            return element("block", element("key", block_id), *(
                element("param", element("key", key), element("value", escape(str(value))))
                for key, value in sorted(values.items())))

        options = self.options["parameters"]
        return ("<?xml version='1.0' encoding='utf-8'?>\n<?grc format='1' created='3.7.13'?>\n" +
                element("flow_graph", element("timestamp", "Sat Nov 21 10:00:00 2020"),
                        block(options["id"], "options", options, self.options["states"]),
                        *(block(b["name"], b["id"], b["parameters"], b["states"])
                          for b in self.blocks),
                        *(element("connection", element("source_block_id", c[0]),
                                  element("sink_block_id", c[2]), element("source_key", c[1]),
                                  element("sink_key", c[3])) for c in self.connections)))


class qa_convert(gr_unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.companion = Companion()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def convert(self, flow_graph, valid=True, **options):
        """Writes and converts a flowgraph: (the new data, the report)."""
        path = self.folder / "original.grc"
        path.write_text(yaml.safe_dump(flow_graph.data()))
        conversion = Conversion(self.companion, self.companion.read(path), path, **options)
        self.assertEqual([], conversion.errors_after)
        if valid:
            self.assertEqual([], conversion.errors_before)
        self.companion.write(conversion.data, self.folder / "converted.grc")
        return self.companion.read(self.folder / "converted.grc"), conversion.report()

    @staticmethod
    def blocks_of(data):
        return {block["name"]: block for block in data["blocks"]}

    def generate(self, name):
        """The class of the program that GNU Radio Companion makes of a file."""
        folder = self.folder / name
        folder.mkdir()
        path = self.folder / (name + ".grc")
        flow_graph = self.companion.load(self.companion.read(path), path)
        self.assertEqual([], errors(flow_graph))
        generator = self.companion.platform.Generator(flow_graph, str(folder))
        generator.write()
        spec = importlib.util.spec_from_file_location(name, generator.file_path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for letter in INPUTS:
            random_items(np.random.default_rng(1), letter + "cf", ITEMS).tofile(
                folder / (letter + ".input"))
        return getattr(module, "receiver"), folder

    def run_flow_graph(self, name, change=lambda flow_graph: None):
        """The outputs of a flowgraph by the names of the files, and the flowgraph."""
        make, folder = self.generate(name)
        with inside(folder):
            flow_graph = make()
            change(flow_graph)
            flow_graph.run()
            for block in vars(flow_graph).values():
                if hasattr(block, "close"):
                    block.close()
        return {path.stem: np.fromfile(path, np.complex64)
                for path in folder.glob("*.output")}, flow_graph

    def check_same_signals(self, change=lambda flow_graph: None):
        expected, _ = self.run_flow_graph("original", change)
        results, flow_graph = self.run_flow_graph("converted", change)
        self.assertEqual(set(expected), set(results))
        for name, signal in expected.items():
            # The in-tree FFT filter loses the tail of a stream.
            self.assertLessEqual(len(signal), len(results[name]))
            self.assertGreater(len(signal), 1000)
            count = min(len(signal), 10000)
            self.assertLess(error_db(results[name][:count], signal[:count]), -55, name)
        return flow_graph

    def test_every_kind(self):
        graph = FlowGraph()
        graph.variable("wide", "[1j * t for t in taps]")
        for letter in INPUTS:
            graph.source(letter + "_source", letter)
        for kind in IN_TREE_TYPES:
            graph.filter(kind, kind[0] + "_source", type=kind, center_freq="-3e3",
                         taps="wide" if kind.endswith("c") else "taps")
        graph.filter("fft", "c_source", IN_TREE_FFT, taps="wide", decim="3", samp_delay="2",
                     nthreads="1")
        data, report = self.convert(graph)
        blocks = self.blocks_of(data)
        for kind in IN_TREE_TYPES:
            self.assertEqual((FIR, kind), (blocks[kind]["id"], blocks[kind]["parameters"]["type"]))
        self.assertEqual((FFT, "ccc", "2"), (
            blocks["fft"]["id"], blocks["fft"]["parameters"]["type"],
            blocks["fft"]["parameters"]["samp_delay"]))
        self.assertEqual([], report["banks"])
        flow_graph = self.check_same_signals()
        self.assertIn("cldsp", type(flow_graph.ccf).__module__ + str(type(flow_graph.ccf)))

    def test_all_else_is_kept(self):
        graph = FlowGraph()
        graph.source("source")
        graph.filter("one", "source", comment="first\nsecond", affinity="[0]", alias="name",
                     minoutbuf="16", unknown="kept")
        graph.filter("off", "source", state="disabled", type="ccc")
        graph.add("a_block_that_is_missing_here", "missing", state="disabled", what="ever")
        graph.connect("one", "missing", into="5")
        data, report = self.convert(graph)
        expected = graph.data()
        for block in expected["blocks"]:
            if block["name"] in ("one", "off"):
                block["id"] = FIR
        self.assertEqual(expected, json.loads(json.dumps(data)))
        self.assertEqual({"one": "enabled", "off": "disabled"},
                         {f["name"]: f["state"] for f in report["filters"]})

    def test_a_bypassed_filter(self):
        graph = FlowGraph()
        graph.source("source")
        graph.filter("fft", "source", IN_TREE_FFT, state="bypassed", decim="1")
        data, report = self.convert(graph)
        self.assertEqual("bypassed", self.blocks_of(data)["fft"]["states"]["state"])
        self.check_same_signals()

    def six_filters(self):
        graph = FlowGraph()
        graph.source("source")
        graph.variable("offset", "4e3")
        graph.variable("width", "1e3")
        for i in range(6):
            graph.variable(f"f{i}", str(1e3 * i - 2500))
            graph.filter(f"filter_{i}", "source", center_freq=f"f{i} + offset if f{i} else 0",
                         taps=f"firdes.low_pass(1, samp_rate, {i} * 100 + width, 1e3)",
                         comment="narrow" if i == 3 else "")
        return graph

    def test_six_filters_become_one_bank(self):
        data, report = self.convert(self.six_filters())
        blocks = self.blocks_of(data)
        name = BANK + "_0"
        self.assertEqual([(name, "ccf", 6, [])],
                         [(b["name"], b["type"], b["channels"], b["notes"])
                          for b in report["banks"]])
        self.assertEqual([(name, i) for i in range(6)],
                         [(f["bank"], f["channel"]) for f in report["filters"]])
        self.assertEqual([], [n for n in blocks if n.startswith("filter_") and "sink" not in n])
        self.assertEqual(("2", "samp_rate"), (blocks[name]["parameters"]["decim"],
                                              blocks[name]["parameters"]["samp_rate"]))
        self.assertIn("channel 3: filter_3\nnarrow\n", blocks[name]["parameters"]["comment"])
        original = next(b for b in self.six_filters().blocks if b["name"] == "filter_0")
        self.assertEqual(original["states"], json.loads(json.dumps(blocks[name]["states"])))
        self.assertEqual(["source", "0", name, "0"],
                         next(c for c in data["connections"] if c[2] == name))
        flow_graph = self.check_same_signals()
        self.assertEqual(6, getattr(flow_graph, name).channels())

    def test_variables_tune_and_change_the_taps(self):
        self.convert(self.six_filters())

        def change(flow_graph):
            flow_graph.set_f1(-7e3)
            flow_graph.set_width(3e3)
            flow_graph.set_f5(100.0)

        flow_graph = self.check_same_signals(change)
        bank = getattr(flow_graph, BANK + "_0")
        expected = [1500, -3000, 3500, 4500, 5500, 4100]
        self.assertEqual(expected, bank.center_freqs())

    def test_a_variable_tunes_only_its_channel(self):
        self.convert(self.six_filters())
        make, folder = self.generate("converted")
        with inside(folder):
            flow_graph = make()
        bank = getattr(flow_graph, BANK + "_0")
        bank.set_center_freq(2, 77.0)
        flow_graph.set_f4(0.0)
        self.assertEqual([1500, 2500, 77, 4500, 0, 6500], bank.center_freqs())

    def test_rates_and_taps_of_their_own(self):
        graph = FlowGraph()
        graph.source("source")
        graph.variable("rate", "samp_rate")
        for name, decim, taps, rate in (("a", "2", "[1.0, 2.0]", "samp_rate"),
                                        ("b", "int(samp_rate / 8e3)", "3", "32000"),
                                        ("c", "5", "(1, 1, 1, 1)", "rate")):
            graph.filter(name, "source", decim=decim, taps=taps, samp_rate=rate)
        data, report = self.convert(graph)
        parameters = self.blocks_of(data)[BANK + "_0"]["parameters"]
        self.assertEqual("[2, int(samp_rate / 8e3), 5]", parameters["decim"])
        self.assertEqual("[[1.0, 2.0], [3], ((1, 1, 1, 1))]", parameters["taps"])
        self.assertIn("rx_rate", report["banks"][0]["notes"][0])
        self.check_same_signals()

    def test_shared_taps_of_one_number(self):
        graph = FlowGraph()
        graph.source("source")
        for i in range(2):
            graph.filter(f"filter_{i}", "source", taps="1", center_freq=str(i))
        data, _ = self.convert(graph)
        self.assertEqual("[1]", self.blocks_of(data)[BANK + "_0"]["parameters"]["taps"])
        self.check_same_signals()

    def test_a_bank_for_each_source_and_rate(self):
        graph = FlowGraph()
        graph.add("parameter", "fs", label="", short_id="", type="eng_float", value="32e3")
        graph.add("blocks_file_source", "source", file="c.input", type="complex", repeat="False")
        graph.source("other")
        for i in range(8):
            graph.filter(f"filter_{i}", "source" if i < 6 else "other",
                         samp_rate="fs" if i in (1, 4) else "samp_rate",
                         center_freq=str(100 * i))
        _, report = self.convert(graph)
        self.assertEqual([4, 2, 2], [b["channels"] for b in report["banks"]])
        # A parameter of the program may have another value than the variable.
        self.assertEqual([0, 1, 0, 0, 1, 0, 2, 2],
                         [[b["name"] for b in report["banks"]].index(f["bank"])
                          for f in report["filters"]])
        self.check_same_signals()

    def test_virtual_sources(self):
        graph = FlowGraph()
        graph.source("source")
        graph.add("virtual_sink", "to", stream_id="wide")
        graph.connect("source", "to")
        for i in range(3):
            graph.add("virtual_source", f"from_{i}", stream_id="wide")
            graph.filter(f"filter_{i}", f"from_{i}", center_freq=str(100 * i))
        graph.add("blocks_null_sink", "more", type="complex")
        graph.connect("from_2", "more")
        data, report = self.convert(graph)
        self.assertEqual([3], [b["channels"] for b in report["banks"]])
        self.assertEqual({"from_0", "from_2"},
                         {n for n in self.blocks_of(data) if n.startswith("from")})
        self.check_same_signals()

    def test_filters_that_cannot_share(self):
        graph = FlowGraph()
        graph.source("source")
        graph.variable("tuned", "0")
        graph.filter("first", "source")
        graph.filter("second", "source", center_freq="-1e3")
        graph.filter("complex_taps", "source", type="ccc")
        graph.filter("rate", "source", samp_rate="2 * samp_rate")
        graph.filter("buffer", "source", maxoutbuf="4096")
        graph.filter("fft", "source", IN_TREE_FFT)
        graph.filter("off", "source", state="disabled")
        graph.filter("headed", "source", sink=False)
        graph.add("blocks_head", "head", type="complex", num_items="5000")
        graph.add("blocks_file_sink", "headed_sink", file="headed.output", type="complex")
        graph.connect("headed", "head")
        graph.connect("head", "headed_sink")
        graph.filter("mentioned", "source")
        graph.add("snippet", "code", section="main_after_init",
                  code="self.mentioned.set_center_freq(500)")
        data, report = self.convert(graph)
        blocks = self.blocks_of(data)
        self.assertEqual([2], [b["channels"] for b in report["banks"]])
        reasons = {f["name"]: f.get("reason") for f in report["filters"]}
        for name, words in (("first", None), ("second", None), ("complex_taps", "type is ccc"),
                            ("rate", "sample rate is 2 \\* samp_rate"),
                            ("buffer", "buffer is '4096'"), ("fft", "constant phase"),
                            ("off", None), ("headed", "head behind"),
                            ("mentioned", "code refers")):
            with self.subTest(name=name):
                if words is None:
                    self.assertIsNone(reasons[name])
                else:
                    self.assertRegex(reasons[name], words)
                if name not in ("first", "second"):
                    self.assertIn(blocks[name]["id"], (FIR, FFT))
        self.assertEqual("disabled", blocks["off"]["states"]["state"])
        self.check_same_signals()

    def graph_with_messages(self, period="1000000"):
        graph = FlowGraph()
        # The stream has no end, because a block that is done handles no messages.
        graph.add("blocks_null_source", "null", type="complex")
        graph.add("blocks_throttle", "source", type="complex", samples_per_second="samp_rate")
        graph.connect("null", "source")
        graph.variable("f2", "300")
        for i in range(4):
            graph.filter(f"filter_{i}", "source", alias="somebody" if i == 3 else "",
                         center_freq="f2" if i == 2 else "0")
        for i in (1, 3):
            graph.add("blocks_message_strobe", f"strobe_{i}", period=period,
                      msg=f"pmt.cons(pmt.intern('any'), pmt.from_double({i} * 100))")
            graph.connect(f"strobe_{i}", f"filter_{i}", "strobe", "freq")
        return graph

    def test_aliases_stay(self):
        data, report = self.convert(self.graph_with_messages())
        self.assertIn("alias 'somebody'", report["filters"][3]["reason"])
        self.assertEqual("somebody", self.blocks_of(data)["filter_3"]["parameters"]["alias"])
        self.assertIn(["strobe_3", "strobe", "filter_3", "freq"], data["connections"])

    def test_messages_tune_the_channel(self):
        graph = self.graph_with_messages("10")
        data, report = self.convert(graph)
        tuner = TUNER + "_0"
        self.assertEqual([3], [b["channels"] for b in report["banks"]])
        self.assertIn(f"{tuner} passes the messages for filter_1 on to channel 1",
                      report["banks"][0]["notes"])
        self.assertEqual("1", self.blocks_of(data)[tuner]["parameters"]["channel"])
        self.assertIn(["strobe_1", "strobe", tuner, "freq"], data["connections"])
        self.assertIn([tuner, "freq", BANK + "_0", "freq"], data["connections"])
        make, folder = self.generate("converted")
        with inside(folder):
            flow_graph = make()
        bank = getattr(flow_graph, BANK + "_0")
        self.assertEqual([0, 0, 300], bank.center_freqs())
        flow_graph.start()
        try:
            limit = time.monotonic() + PATIENCE_S
            while bank.center_freqs() != [0, 100, 300] and time.monotonic() < limit:
                time.sleep(0.01)
            flow_graph.set_f2(-5.0)
            self.assertEqual([0, 100, -5], bank.center_freqs())
        finally:
            flow_graph.stop()
            flow_graph.wait()

    def test_numbered_message_ports(self):
        """Files of early versions number the ports of messages."""
        graph = self.graph_with_messages()
        for connection in graph.connections:
            if connection[3] == "freq":
                connection[1], connection[3] = "0", "1"
        data = graph.data()
        data["metadata"]["file_format"] = 0
        path = self.folder / "original.grc"
        path.write_text(yaml.safe_dump(data))
        conversion = Conversion(self.companion, self.companion.read(path), path)
        self.assertEqual([], conversion.errors_after)
        self.assertEqual(
            {("strobe_1", "strobe", TUNER + "_0", "freq"),
             ("strobe_3", "strobe", "filter_3", "freq"),
             (TUNER + "_0", "freq", BANK + "_0", "freq")},
            {tuple(c.export_data()) for c in conversion.after.connections
             if c.type[1] == "message"})

    def test_xml_of_an_older_gnu_radio(self):
        """The result is a file of today's GNU Radio Companion."""
        graph = self.six_filters()
        graph.filter("off", "source", state="disabled", comment="a < b")
        graph.add("blocks_message_strobe", "strobe", period="1000000", msg="pmt.PMT_T")
        graph.filter("messages", "source")
        graph.connect("strobe", "messages", "strobe", "freq")
        path = self.folder / "old.grc"
        path.write_text(graph.xml())
        from_xml = self.companion.read(path)
        conversion = Conversion(self.companion, from_xml, path)
        data, report = self.convert(graph)
        expected = {**conversion.report(), "flowgraph": report["flowgraph"]}
        self.assertEqual(expected, report)
        self.assertEqual([7], [b["channels"] for b in report["banks"]])
        self.companion.write(conversion.data, self.folder / "new.grc")
        new = self.companion.read(self.folder / "new.grc")
        blocks, old_blocks = self.blocks_of(new), self.blocks_of(data)
        self.assertEqual(set(old_blocks), set(blocks))
        self.assertEqual("a < b", blocks["off"]["parameters"]["comment"])
        self.assertEqual("disabled", blocks["off"]["states"]["state"])
        for name, block in blocks.items():
            self.assertEqual(list(old_blocks[name]["states"]["coordinate"]),
                             list(block["states"]["coordinate"]))
        self.assertEqual(sorted(data["connections"]), sorted(new["connections"]))
        self.assertEqual([], errors(self.companion.load(new, path)))

    def test_another_version_is_installed(self):
        """The descriptions beside the scripts count, although another folder is read after them."""
        own = pathlib.Path(SCRIPTS).parents[1] / "grc" / f"{BANK}.block.yml"
        (self.folder / own.name).write_text(own.read_text().replace("label:", "label: other", 1))
        variable = "GR_CONF_GRC_LOCAL_BLOCKS_PATH"
        before = os.environ[variable]
        os.environ[variable] = str(self.folder)
        try:
            companion = Companion()
            self.assertIn(str(self.folder), companion.platform.config.block_paths)
        finally:
            os.environ[variable] = before
        self.assertEqual(str(own), companion.platform.block_classes[BANK].loaded_from)
        self.assertIsNone(companion.extra_folder)

    def test_without_banks(self):
        data, report = self.convert(self.six_filters(), with_banks=False)
        self.assertEqual([], report["banks"])
        self.assertEqual([FIR] * 6, [f["now"] for f in report["filters"]])

    def test_what_ours_refuses_stays(self):
        graph = FlowGraph()
        graph.source("source")
        graph.filter("bad", "source", samp_rate="-1.0")
        graph.filter("good", "source")
        data, report = self.convert(graph)
        blocks = self.blocks_of(data)
        self.assertEqual((IN_TREE_FIR, FIR), (blocks["bad"]["id"], blocks["good"]["id"]))
        self.assertIn("Sample Rate: enter a rate in Hz above 0", report["filters"][0]["reason"])

    def test_a_flowgraph_that_is_not_valid(self):
        graph = FlowGraph()
        graph.source("source")
        graph.filter("one", "source", taps="missing_module.taps")
        path = self.folder / "original.grc"
        path.write_text(yaml.safe_dump(graph.data()))
        conversion = Conversion(self.companion, self.companion.read(path), path)
        self.assertIn("missing_module", conversion.errors_before[0])
        self.assertEqual(FIR, conversion.report()["filters"][0]["now"])

    def test_a_source_and_sinks_that_are_missing_here(self):
        graph = FlowGraph()
        graph.add("a_radio_that_is_missing_here", "radio")
        for i in range(3):
            graph.filter(f"filter_{i}", "radio", sink=False, port="out")
            graph.add("a_sink_that_is_missing_here", f"sink_{i}")
            graph.connect(f"filter_{i}", f"sink_{i}", into="in")
        path = self.folder / "original.grc"
        path.write_text(yaml.safe_dump(graph.data()))
        conversion = Conversion(self.companion, self.companion.read(path), path)
        self.assertEqual([3], [b["channels"] for b in conversion.report()["banks"]])
        self.assertIn(["radio", "out", BANK + "_0", "0"], conversion.data["connections"])
        self.assertIn([BANK + "_0", "2", "sink_2", "in"], conversion.data["connections"])

    def test_the_examples(self):
        for path in sorted(pathlib.Path(EXAMPLES).glob("*.grc")):
            with self.subTest(example=path.name):
                try:
                    conversion = Conversion(self.companion, self.companion.read(path), path)
                except Failure as failure:
                    self.assertIn("has no frequency-xlating filter", str(failure))
                    self.assertNotIn(IN_TREE_FIR, path.read_text())
                    continue
                self.assertEqual([], conversion.errors_before)
                self.assertEqual([], conversion.errors_after)


class qa_channel_tuner(gr_unittest.TestCase):

    def test_messages(self):
        key = pmt.intern("freq")
        good = [(pmt.cons(pmt.intern("any"), pmt.from_double(1.5)), 1.5),
                (pmt.cons(pmt.PMT_NIL, pmt.from_long(-7)), -7.0),
                (pmt.cons(pmt.PMT_NIL, pmt.from_uint64(9)), 9.0),
                (pmt.dict_add(pmt.make_dict(), key, pmt.from_double(3e6)), 3e6)]
        bad = [pmt.PMT_NIL, pmt.from_double(1), pmt.intern("freq"),
               pmt.cons(key, pmt.intern("high")), pmt.cons(key, pmt.from_complex(1j)),
               pmt.dict_add(pmt.make_dict(), pmt.intern("gain"), pmt.from_double(1)),
               *messages_with_none()]
        tuner, debug = cldsp.channel_tuner(4), blocks.message_debug()
        flow_graph = gr.top_block()
        flow_graph.msg_connect(tuner, "freq", debug, "store")
        flow_graph.start()
        try:
            for message in bad + [m for m, _ in good]:
                tuner.to_basic_block()._post(key, message)
            limit = time.monotonic() + PATIENCE_S
            while debug.num_messages() < len(good) and time.monotonic() < limit:
                time.sleep(0.01)
        finally:
            flow_graph.stop()
            flow_graph.wait()
        got = [pmt.to_python(debug.get_message(i)) for i in range(debug.num_messages())]
        self.assertEqual([(4, value) for _, value in good], got)

    def test_bad_channels(self):
        for channel in (-1, 0.5, float("inf"), float("nan"), 65536, 2**63, 10**400):
            with self.assertRaisesRegex(ValueError, "parameter 'channel' is"):
                cldsp.channel_tuner(channel)


class qa_convert_program(gr_unittest.TestCase):
    """The command line."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        graph = FlowGraph()
        graph.source("source")
        for i in range(2):
            graph.filter(f"filter_{i}", "source")
        self.file = self.folder / "receiver.grc"
        self.text = yaml.safe_dump(graph.data())
        self.file.write_text(self.text)

    def run_program(self, *arguments, status=0):
        if not os.path.exists(PROGRAM):
            self.skipTest("the command cldsp was not built")
        done = subprocess.run([PROGRAM, "convert", *map(str, arguments)], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(status, done.returncode, done.stdout + done.stderr)
        return done

    def check_failure(self, words, *arguments, status=1):
        done = self.run_program(*arguments, status=status)
        self.assertEqual("", done.stdout)
        self.assertRegex(done.stderr, rf"\Acldsp: .*{words}.*\n\Z")

    def test_success(self):
        done = self.run_program(self.file)
        self.assertEqual("", done.stderr)
        self.assertIn("2 of 2 filters converted, 1 bank", done.stdout)
        self.assertIn(f"filter_1: {IN_TREE_FIR} ccf -> {BANK}_0, channel 1", done.stdout)
        self.assertIn(BANK, (self.folder / "receiver_cldsp.grc").read_text())
        self.assertEqual(self.text, self.file.read_text())
        self.check_failure("'--output' is '.*receiver_cldsp.grc', which exists", self.file,
                           status=2)
        report = json.loads(self.run_program(self.file, "-o", self.folder / "json.grc", "--json",
                                             "--no-banks").stdout)
        self.assertEqual([FIR] * 2, [f["now"] for f in report["filters"]])
        self.assertEqual(str(self.folder / "json.grc"), report["output"])

    def test_xml_to_json(self):
        graph = FlowGraph()
        graph.source("source")
        graph.filter("one", "source")
        old = self.folder / "old.grc"
        old.write_text(graph.xml())
        done = self.run_program(old, "--json")
        self.assertEqual("", done.stderr)
        self.assertEqual([FIR], [f["now"] for f in json.loads(done.stdout)["filters"]])

    def test_aliases_that_stand_for_too_much(self):
        bomb = "a0: &a0 [x, x]\n" + "".join(
            f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 40))
        merged = "b0: &b0 {x: x}\n" + "".join(
            f"b{i}: &b{i}\n  <<: [{', '.join([f'*b{i - 1}'] * 9)}]\n" for i in range(1, 40))
        long = "c: &c " + "x" * 100000 + "\nd: [" + "*c, " * 100000 + "]\n"
        for text in (merged, long):
            self.check_unreadable((self.text + text).encode(), "its aliases stand for more")
        self.file.write_text(self.text + bomb)
        self.check_failure("its aliases stand for more", self.file)
        self.file.write_text(self.text + "a: &a [x, y]\nb: [*a, *a]\n")
        self.run_program(self.file)

    def test_modules_beside_the_file(self):
        """The flowgraph finds what the generated program finds: modules in the folder of its file,
        even if they have names of this program's modules, and those of hierarchical blocks."""
        hier = self.folder / "hier"
        hier.mkdir()
        for path, text in ((self.folder / "my_design.py", "decim = 4"),
                           (self.folder / "filters.py", "freq = 2e3"),
                           (hier / "my_hier.py", "rate = 48e3"),
                           (hier / "my_design.py", "decim = 5")):
            path.write_text(text + "\n")
        graph = FlowGraph()
        graph.source("source")
        for name in ("my_design", "filters", "my_hier"):
            graph.add("import", "import_" + name, imports="import " + name)
        graph.variable("decim", "my_design.decim")
        for i in range(2):
            graph.filter(f"filter_{i}", "source", decim="decim", center_freq="filters.freq",
                         samp_rate="my_hier.rate")
        self.file.write_text(yaml.safe_dump(graph.data()))
        with inside("/"), changed_environment(GRC_HIER_PATH=str(hier)):
            report = json.loads(self.run_program(self.file, "--json", "--measure").stdout)
        self.assertEqual([], report["errors_before"])
        self.assertEqual([BANK] * 2, [f["now"] for f in report["filters"]])
        self.assertEqual(48e3, report["measured"][0]["samp_rate"])

    def test_names_do_nothing_to_a_terminal(self):
        graph = FlowGraph()
        graph.source("source")
        for name in ("a\x1b[2Jb", "c\u00b2", "d" + "9" * 5000, "e\u202e"):
            graph.filter(name, "source")
        self.file.write_text(yaml.safe_dump(graph.data()))
        done = self.run_program(self.file)
        self.assertIn(r"a\x1b[2Jb", done.stdout)
        self.assertTrue(all(c == "\n" or c.isprintable() for c in done.stdout))

    def test_measuring(self):
        done = self.run_program(self.file, "--measure", "--json")
        measured = json.loads(done.stdout)["measured"]
        self.assertEqual([(BANK + "_0", ["filter_0", "filter_1"])],
                         [(m["name"], m["filters"]) for m in measured])
        self.assertEqual(32e3, measured[0]["samp_rate"])
        self.assertGreater(measured[0]["cpu_seconds_per_second_before"], 0)
        self.assertLess(measured[0]["cpu_seconds_per_second_after"], 1)
        self.assertIn(" on ", measured[0]["plan"])
        self.assertIn("measuring 1 of 1", done.stderr)

    def test_the_original_is_overwritten_only_if_asked(self):
        self.check_failure("the flowgraph itself", self.file, "-o", self.file, status=2)
        link = self.folder / "link.grc"
        link.symlink_to(self.file)
        self.check_failure("the flowgraph itself", self.file, "-o", link, status=2)
        self.assertEqual(self.text, self.file.read_text())
        self.run_program(self.file, "-o", self.file, "--force")
        self.assertIn(BANK, self.file.read_text())

    def test_a_python_without_gnu_radio(self):
        done = subprocess.run([sys.executable, "-I", "-S", "-B", SCRIPTS, str(self.file)],
                              capture_output=True, text=True)
        self.assertEqual(1, done.returncode)
        self.assertRegex(done.stderr, r"\Acldsp: convert needs GNU Radio with its Companion for "
                                      r"\S+: No module named 'gnuradio'\n\Z")

    def test_bad_input(self):
        missing = self.folder / "missing.grc"
        self.check_failure("missing.grc: there is no such file", missing)
        self.check_failure("must be a file", self.file, "-o", self.folder, status=2)
        self.check_failure("not a folder that you may write", self.file, "-o",
                           self.folder / "nowhere" / "x.grc")
        self.assertEqual([self.file], list(self.folder.iterdir()))

    def check_unreadable(self, text, words):
        if not hasattr(qa_convert, "companion"):
            qa_convert.companion = Companion()
        path = self.folder / "bad.grc"
        path.write_bytes(text)
        with self.assertRaisesRegex(Failure, words) as caught:
            Conversion(qa_convert.companion, qa_convert.companion.read(path), path)
        self.assertNotIn("\n", str(caught.exception))

    def test_files_that_are_no_flowgraphs(self):
        no_filters = FlowGraph().data()
        for text, words in (
                (b"{]", "must be a flowgraph of GNU Radio Companion"),
                (b"", "must be a flowgraph"), (b"just a text", "must be a flowgraph"),
                (b"\xff\xfe\x00", "must be a flowgraph"), (b"[1, 2]", "must be a flowgraph"),
                (b"blocks: 5", "must be a flowgraph"),
                (b"<?xml version='1.0'?><flow_graph>", "must be a flowgraph"),
                (yaml.safe_dump({**no_filters, "blocks": [5]}).encode(), "a block lacks"),
                (yaml.safe_dump({**no_filters, "connections": [["a"]]}).encode(),
                 "list of four names"),
                (yaml.safe_dump({**no_filters, "connections": 5}).encode(),
                 "connections are no list"),
                (yaml.safe_dump({**no_filters, "connections": "none"}).encode(),
                 "connections are no list"),
                (yaml.safe_dump({**no_filters, "blocks": {"a": {}}}).encode(),
                 "with options and blocks"),
                (yaml.safe_dump({**no_filters, "options": {"states": {}}}).encode(),
                 "options block lacks the mapping 'parameters'"),
                (yaml.safe_dump({**no_filters, "metadata": {}}).encode(), "file_format"),
                (yaml.safe_dump(no_filters).encode(), "has no frequency-xlating filter")):
            with self.subTest(text=text[:40]):
                self.check_unreadable(text, words)
        self.check_unreadable(self.text.encode() + b"more: &more [*more]\n", "for themselves")
        self.check_unreadable(self.text.encode() + b"more: " + b"[" * 10000, "nested too deeply")
        with self.assertRaisesRegex(Failure, "cannot read .*: Is a directory"):
            qa_convert.companion.read(self.folder)

    def test_damaged_blocks(self):
        """Each damages one of two filters of one source, which would become a bank."""
        for key, value, words in (
                ("name", 5, "a block lacks the text 'name'"),
                ("name", None, "a block lacks the text 'name'"),
                ("id", ["blocks_head"], "a block lacks the text 'id'"),
                ("parameters", [], "a block lacks the mapping 'parameters'"),
                ("states", None, "a block lacks the mapping 'states'"),
                ("states", {"coordinate": None}, "not a list of two numbers"),
                ("states", {"coordinate": "x"}, "not a list of two numbers"),
                ("states", {"coordinate": 5}, "not a list of two numbers"),
                ("states", {"coordinate": ["1", 2]}, "not a list of two numbers"),
                ("states", {"coordinate": [1, 2, 3]}, "not a list of two numbers")):
            data = yaml.safe_load(self.text)
            next(b for b in data["blocks"] if b["name"] == "filter_1")[key] = value
            with self.subTest(key=key, value=value):
                self.check_unreadable(yaml.safe_dump(data).encode(), words)

    def test_damaged_file(self):
        data = yaml.safe_load(self.text)
        for block in data["blocks"]:
            block["states"]["coordinate"] = None
        self.file.write_text(yaml.safe_dump(data))
        self.check_failure("must be a flowgraph of GNU Radio Companion: a block has a coordinate",
                           self.file)
        self.assertEqual([self.file], list(self.folder.iterdir()))

    def test_a_name_that_cannot_be_encoded(self):
        graph = FlowGraph()
        graph.source("source")
        graph.filter("half\ud800", "source", sink=False)
        text = yaml.safe_dump(graph.data())
        self.file.write_text(text)
        try:
            companion_yaml.safe_load(text)
        except yaml.YAMLError:  # later versions of GNU Radio read files with libyaml
            self.check_failure("must be a flowgraph of GNU Radio Companion", self.file)
            return
        done = self.run_program(self.file)
        self.assertEqual("", done.stderr)
        self.assertIn(r"half\ud800: " + IN_TREE_FIR, done.stdout)

    def test_what_the_companion_accepts(self):
        """Blocks without a place, and connections of blocks that are missing."""
        data = yaml.safe_load(self.text)
        for block in data["blocks"]:
            del block["states"]["coordinate"]
        data["connections"].append(["nobody", "0", "filter_0", "0"])
        self.file.write_text(yaml.safe_dump(data))
        done = self.run_program(self.file)
        self.assertEqual("", done.stderr)
        self.assertIn("2 of 2 filters converted, 1 bank", done.stdout)


if __name__ == "__main__":
    gr_unittest.main()
