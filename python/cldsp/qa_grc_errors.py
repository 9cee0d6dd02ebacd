#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""GNU Radio Companion tells what is wrong with a block in words: one short line for each fault.

Prints a table of all that it shows, in Markdown: for each block as it is freshly dropped, and for
each of its parameters with bad values. "ctest -R qa_grc_errors --verbose" shows it.
"""

import re

from qa_grc_support import BLOCKS  # must come before GNU Radio
import os
from gnuradio import cldsp, gr, gr_unittest
from gnuradio.grc.core.platform import Platform
from gnuradio.grc.core.utils.extract_docs import SubprocessLoader

MAX_LENGTH = 100
# What only source code has. A name and its key in brackets, as Companion writes it, is none.
CODE = re.compile(r"Assertion|Failed to|Traceback|__|[<=!]=|\bvars\b|\blambda\b|\bnot in\b|"
                  r"\.\w+\(|\b(?:len|all|any|abs|sum|hasattr|isinstance|float|max|min)\(|\bfor \w+ in\b")
FILTER = dict(decim=("0", "2.5", "-3"), samp_rate=("0", "-1e6", "float('inf')"),
              taps=("[]", "[1, 'a']", "[float('nan')]"))
CHANNEL = dict(FILTER, center_freq=("float('inf')", "'high'", "1j"))
ENGINE = dict(accuracy=("-1", "0.2", "'much'"), latency=("-1", "11", "'long'"),
              device=("", "' '", "'\\t'"), plan=("", "soon", "0"),
              algorithm=("", "magic", "fft"), transfer=("", "teleport", "dma"),
              variant=("", "espresso", "Simd"))
DEVICE = dict(device=ENGINE["device"], plan=ENGINE["plan"])
MATRIX = dict(DEVICE, A=("[]", "[[1, 2], [3]]", "5"), precision=("", "bf16", "auto"),
              variant=ENGINE["variant"])
#: three bad values for each parameter that takes any text
BAD = {
    "cldsp_freq_xlating_fir_filter_xxx": dict(CHANNEL, **ENGINE),
    "cldsp_freq_xlating_fir_filter_iq_xxx": dict(CHANNEL, **ENGINE),
    "cldsp_freq_xlating_fft_filter_xxx": dict(CHANNEL, samp_delay=("-1", "0.5", "'a'"),
                                              nthreads=("0", "-1", "1.5"), **ENGINE),
    "cldsp_freq_xlating_fir_filter_volk_xxx": CHANNEL,
    "cldsp_freq_xlating_filter_bank_xxx": dict(
        FILTER, decim=("2.5", "[1, 2, 3]", "'4'"), output_rate=("40e3", "[8e3]*3", "-1"),
        taps=("5", "[[1.0], [2.0], [3.0]]", "[1j]"), center_freqs=("[]", "[float('nan')]", "['a']"),
        max_channels=("-1", "1", "10**6"), **ENGINE),
    "cldsp_channel_tuner": dict(channel=("-1", "65536", "1.5")),
    "cldsp_multiply_matrix_xx": MATRIX,
    "cldsp_gemm_xx": MATRIX,
    "cldsp_gemm_1bit_bi": dict(DEVICE, codes=("[]", "[[1, 2], [3]]", "[[1, 256]]"),
                               variant=ENGINE["variant"]),
    "cldsp_correlator_xx": dict(DEVICE, antennas=("0", "4097", "1.5"),
                                integration=("0", "10**12", "'long'")),
    "cldsp_tune_probe": dict(device=ENGINE["device"], budget_s=("0", "3601", "'a'"),
                             report_s=("-1", "0.001", "'a'")),
}
#: the parameters of which Companion lets one choose, or takes anything
FREE = {"alias", "affinity", "minoutbuf", "maxoutbuf", "comment", "id", "type", "rewrite_tags",
        "vectors", "what", "strategy", "at_start", "tag_propagation_policy"}
#: faults of two parameters together
TOGETHER = {
    "cldsp_freq_xlating_fir_filter_xxx": [
        dict(variant="polyphase", algorithm="direct"), dict(variant="simd", device="gpu"),
        dict(variant="four_step", decim="4"), dict(type="fcf", variant="naive")],
    "cldsp_freq_xlating_filter_bank_xxx": [
        dict(decim="2", output_rate="15e3"), dict(decim="0"), dict(decim="[4, 0]"),
        dict(variant="four_step", decim="[1, 2]")],
    "cldsp_gemm_xx": [
        dict(type="byte", A="[[128]]"), dict(type="byte", A="[[0] * 131072]"),
        dict(type="float", A="[[1j]]"), dict(type="complex", A="[[float('inf')]]"),
        dict(type="byte", variant="naive"), dict(variant="simd", device="gpu")],
    "cldsp_multiply_matrix_xx": [
        dict(A="[[1, 2]]", tag_propagation_policy="gr.TPP_ONE_TO_ONE")],
}
IN_TREE = ("freq_xlating_fir_filter_xxx", "freq_xlating_fft_filter_ccc",
           "blocks_multiply_matrix_xx")


class qa_grc_errors(gr_unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        print("| block | entered | shown | longest line |\n| --- | --- | --- | --- |")
        cls.platform = Platform(version=gr.version(), version_parts=(3, 10, 0), prefs=gr.prefs())
        cls.platform.build_library()

    def block(self, block_id, **values):
        flow_graph = self.platform.make_flow_graph()
        rate = flow_graph.new_block("variable")
        rate.params["id"].set_value("samp_rate")
        rate.params["value"].set_value("32000")
        block = flow_graph.new_block(block_id)
        block.params["id"].set_value("dropped")
        for key, value in values.items():
            block.params[key].set_value(value)
        flow_graph.rewrite()
        flow_graph.validate()
        return block

    def shown(self, block_id, **values):
        """What the window of the block's properties shows, but for missing connections."""
        block = self.block(block_id, **values)
        return [text for text in block.get_error_messages() if "not connected" not in text]

    def check(self, block_id, values, at_least=1):
        errors = self.shown(block_id, **values)
        lines = "\n".join(errors).splitlines()
        told = ", ".join(f"{key} = {value}" for key, value in values.items()) or "freshly dropped"
        print("|", block_id.removeprefix("cldsp_"), "|", told.replace("\t", "\\t"), "|",
              " / ".join(line.strip() for line in lines) or "nothing", "|",
              max(map(len, lines), default=0), "|")
        with self.subTest(block=block_id, values=values):
            self.assertGreaterEqual(len(errors), at_least)
            for line in lines:
                self.assertLessEqual(len(line), MAX_LENGTH, line)
                self.assertNotRegex(line, CODE)
            faults = [error for error in errors if not error.startswith("Param - ")]
            self.assertLessEqual(len(faults), 1, errors)
        return errors

    def good(self, block_id):
        return dict(taps="[1.0]") if "filter" in block_id else {}

    def test_freshly_dropped(self):
        for block_id in BAD:
            self.assertEqual([], self.check(block_id, {}, 0))
            self.assertEqual([], self.shown(block_id, **self.good(block_id)))
        for in_tree in IN_TREE:
            self.assertEqual([], self.shown(in_tree))

    def test_no_taps_are_told_when_the_flowgraph_runs(self):
        for block_id in BAD:
            if "filter" in block_id:
                block = self.block(block_id)
                with self.assertRaisesRegex(ValueError, "'taps' is empty, but must be one"):
                    eval(block.templates.render("make").splitlines()[0],
                         dict(cldsp=cldsp, samp_rate=32000))
                self.assertRegex(block.cpp_templates.render("make"),
                                 r"std::vector<(float|gr_complex|std::vector<float>)>\{  \},")

    def test_no_taps_are_told_of_a_block_that_is_wired(self):
        for block_id in BAD:
            if "filter" in block_id:
                block = self.block(block_id)
                flow_graph = block.parent_flowgraph
                source = flow_graph.new_block("blocks_null_source")
                source.params["id"].set_value("source")
                stream, = (port for port in block.sinks if port.domain == "stream")
                wire = flow_graph.connect(source.sources[0], stream)
                flow_graph.validate()
                errors = [text for text in block.get_error_messages() if text.startswith("Taps")]
                print(f"| {block_id.removeprefix('cldsp_')} | wired, without taps |",
                      " / ".join(errors), "|", max(map(len, errors), default=0), "|")
                self.assertEqual(1, len(errors), block_id)
                self.assertRegex(errors[0], "^Taps: enter a list of numbers")
                self.assertLessEqual(len(errors[0]), MAX_LENGTH)
                flow_graph.disconnect(wire.source_port)
                flow_graph.rewrite()
                flow_graph.validate()
                self.assertEqual([], [text for text in block.get_error_messages()
                                      if "not connected" not in text])

    def test_every_bad_value(self):
        self.assertEqual({name.split(".")[0] for name in os.listdir(BLOCKS)
                          if name.endswith(".block.yml")}, set(BAD))
        for block_id, parameters in BAD.items():
            keys = {p["id"] for p in self.platform.block_classes[block_id].parameters_data}
            self.assertEqual(keys - FREE, set(parameters))
            for key, values in parameters.items():
                self.assertEqual(3, len(values))
                for value in values:
                    self.check(block_id, dict(self.good(block_id), **{key: value}))

    def test_faults_of_two_parameters(self):
        for block_id, cases in TOGETHER.items():
            for values in cases:
                self.check(block_id, dict(self.good(block_id), **values))

    def test_a_value_that_cannot_be_evaluated_is_told_once(self):
        for block_id, parameters in BAD.items():
            for key in parameters:
                if key in ("device", "plan", "algorithm", "transfer", "variant", "precision"):
                    continue  # any word is a text
                errors = self.shown(block_id, **dict(self.good(block_id), **{key: "no_such_name"}))
                self.assertEqual([], [e for e in errors if not e.startswith("Param - ")])
                self.assertEqual([], [e for e in errors if f"({key}):" not in e.splitlines()[0]])
                self.assertNotEqual([], errors)

    def test_without_companion_the_check_says_yes_or_no(self):
        right = cldsp.companion.tuner_is_right
        self.assertEqual([True, False], [right({"channel": channel}) for channel in (1, -1)])

    def test_a_module_that_companion_cannot_import(self):
        """Companion passes over an import that fails, so that no check can run."""
        block_class = self.platform.block_classes["cldsp_channel_tuner"]
        imports = block_class.templates["imports"]
        block_class.templates["imports"] = "from gnuradio import no_such_module"
        try:
            self.assertEqual(['Assertion "cldsp.companion.module_is_found" did not evaluate.'],
                             self.shown("cldsp_channel_tuner"))
        finally:
            block_class.templates["imports"] = imports

    def test_an_output_rate_needs_no_other_value(self):
        bank = "cldsp_freq_xlating_filter_bank_xxx"
        for rate in ("8e3", "[8e3, 12e3]", "32e3 / 3"):
            self.assertEqual([], self.shown(bank, taps="[1.0]", output_rate=rate))

    def test_the_search_finds_what_a_block_does_and_opencl(self):
        """Companion searches in the names of blocks and in their keys, but not in the category,
        which is the module's name: the host computes as well."""
        for block_id in BAD:
            label = self.platform.block_classes[block_id].label
            self.assertEqual("cldsp", self.platform.block_classes[block_id].category[0])
            self.assertIn("(cldsp", label)
            self.assertFalse(label.startswith("OpenCL"))
            self.assertIn("VOLK" if "volk" in block_id else "OpenCL", label)

    def test_the_documentation_is_that_of_the_description(self):
        """Without the docstrings of all classes of a kind, whose lines end early."""
        found = {}
        loader = SubprocessLoader(found.__setitem__)
        for block_id in [*BAD, "blocks_head"]:
            loader.query(block_id)
        loader.finish()
        loader.wait()
        self.assertNotEqual({}, found.pop("blocks_head"))
        self.assertEqual(dict.fromkeys(BAD, {}), found)
        self.assertIn("channel_tuner", dir(cldsp))

    def test_paragraphs_of_the_documentation_are_lines(self):
        for block_id in BAD:
            lines = self.platform.block_classes[block_id].documentation[""].splitlines()
            # A wrapped line would go on in the next one, which begins with a small letter.
            self.assertEqual([], [line for line in lines
                                  if line[:1].islower() and not line.startswith("http")])


if __name__ == "__main__":
    gr_unittest.main()
