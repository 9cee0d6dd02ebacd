#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""GNU Radio Companion knows the blocks, and every example flowgraph compiles and runs."""

import glob
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import wave

from qa_grc_support import BLOCKS  # must come before GNU Radio
import numpy as np
from gnuradio import cldsp, gr, gr_unittest
from gnuradio.grc.core.platform import Platform
from qa_support import (BANK_TYPES, FILTER_TYPES, IN_TREE_TYPES, IQ_TYPES,
                        REAL_BYTE_TYPES)

EXAMPLES = os.environ["CLDSP_EXAMPLES"]
BANK = "cldsp_freq_xlating_filter_bank_xxx"
FIR = "cldsp_freq_xlating_fir_filter_xxx"
FFT = "cldsp_freq_xlating_fft_filter_xxx"
VOLK = "cldsp_freq_xlating_fir_filter_volk_xxx"
TYPES = {
    BANK: BANK_TYPES,
    FFT: FILTER_TYPES,
    FIR: IN_TREE_TYPES + REAL_BYTE_TYPES,
    "cldsp_freq_xlating_fir_filter_iq_xxx": IQ_TYPES,
    VOLK: IN_TREE_TYPES,
}
MATRICES = ("cldsp_multiply_matrix_xx", "cldsp_gemm_xx")
CORRELATOR = "cldsp_gemm_1bit_bi"
VISIBILITIES = "cldsp_correlator_xx"
PROBE = "cldsp_tune_probe"
TUNER = "cldsp_channel_tuner"
ITEM_SIZES = {row["name"] if row["letters"].endswith("_") else row["letters"][0]: row["item_size"]
              for row in cldsp.sample_types()}


class log_collector(logging.Handler):
    def __init__(self):
        logging.Handler.__init__(self, logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


class qa_grc_blocks(gr_unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.log = log_collector()
        logging.getLogger("gnuradio.grc").addHandler(cls.log)
        cls.platform = Platform(version=gr.version(), version_parts=(3, 10, 0),
                                prefs=gr.prefs())
        cls.platform.build_library()

    def test_every_description_is_loaded(self):
        ids = {re.sub(r"\.block\.yml$", "", name) for name in os.listdir(BLOCKS)
               if name.endswith(".block.yml")}
        self.assertEqual(set(TYPES) | set(MATRICES) |
                         {CORRELATOR, PROBE, TUNER, VISIBILITIES}, ids)
        for block_id in ids:
            self.assertEqual(os.path.join(BLOCKS, block_id + ".block.yml"),
                             self.platform.block_classes[block_id].loaded_from)

    def test_no_warning(self):
        self.assertEqual([], [line for line in self.log.lines if "cldsp" in line])

    def make(self, block_id, variables=(), **parameters):
        """A block of a fresh flowgraph, and the problems that GRC finds in it."""
        flow_graph = self.platform.make_flow_graph()
        for name, value in variables:
            variable = flow_graph.new_block("variable")
            variable.params["id"].set_value(name)
            variable.params["value"].set_value(value)
        block = flow_graph.new_block(block_id)
        block.params["id"].set_value("channel")
        for key, value in parameters.items():
            self.assertIn(key, block.params)
            block.params[key].set_value(value)
        flow_graph.rewrite()
        flow_graph.validate()
        errors = [text for element, text in block.iter_error_messages()
                  if "not connected" not in text]
        return block, errors

    def test_every_type(self):
        for block_id, kinds in TYPES.items():
            for kind in kinds:
                with self.subTest(block=block_id, type=kind):
                    # Only the first block of a kind is planned, which takes longer than making.
                    planned = kind == kinds[0] or block_id == VOLK
                    block, errors = self.make(block_id, type=kind, decim="4",
                                              taps="[1.0, 2.0]", samp_rate="32e3",
                                              **{} if planned else dict(variant="simd"))
                    self.assertEqual([], errors)
                    port = block.sinks[0]
                    letters = kind.split("_")[0] if "_" in kind else kind[0]
                    size = {"complex": 8, "float": 4, "short": 2, "byte": 1, "sc8": 2,
                            "sc16": 4}[port.dtype] * port.vlen
                    self.assertEqual(ITEM_SIZES[letters], size)
                    self.check_make(block)

    def check_make(self, block):
        """The code that the template generates makes a block that Python accepts."""
        code, *more = block.templates.render("make").splitlines()
        flowgraph = types.SimpleNamespace(channel=eval(code, {"cldsp": cldsp}))
        for line in more:
            eval(line, {"self": flowgraph})
        made = flowgraph.channel
        self.assertEqual(4, made.decimation())
        taps = made.taps if block.key == FFT else made.taps()
        self.assertEqual([1.0, 2.0], taps[0] if block.key == BANK else taps)
        for callback in block.templates.render("callbacks"):
            eval("made." + callback, {"made": made})

    def test_bad_parameters_are_seen(self):
        for block_id in TYPES:
            for bad in ({"decim": "0"}, {"samp_rate": "0"}, {"taps": "[]"}):
                values = dict(decim="4", taps="[1.0]", samp_rate="32e3")
                values.update(bad)
                self.assertNotEqual([], self.make(block_id, **values)[1])

    @staticmethod
    def filter_variants(kind):
        """The variants that exist only for comparison accept only complex items."""
        return [v["name"] for v in cldsp.list_variants()
                if v["production"] or kind in ("ccc", "ccf")]

    def options(self, block_id, parameter):
        return list(self.make(block_id)[0].params[parameter].options)

    def test_variants_are_those_of_the_module(self):
        good = dict(taps="[1.0]", samp_rate="32e3")
        names = [v["name"] for v in cldsp.list_variants()]
        for block_id in set(TYPES) - {VOLK}:
            kinds = TYPES[block_id]
            # The block offers every variant that any of its types accepts.
            listed = self.options(block_id, "variant")
            self.assertEqual(sorted({"auto"}.union(*map(self.filter_variants, kinds))),
                             sorted(listed))
            for kind in (kinds[0], kinds[-1]):
                for name in names:
                    with self.subTest(block=block_id, type=kind, variant=name):
                        errors = self.make(block_id, type=kind, variant=name, **good)[1]
                        self.assertEqual(name in self.filter_variants(kind), not errors,
                                         errors)
        for block_id in MATRICES:
            self.assertEqual({"auto"}.union(v["name"] for v in cldsp.list_gemm_variants()),
                             set(self.options(block_id, "variant")))
            for v in cldsp.list_gemm_variants():
                kinds = {"float": "f32", "complex": "c32"}
                if block_id == "cldsp_gemm_xx":
                    kinds["byte"] = "s8"
                for kind, element in kinds.items():
                    with self.subTest(block=block_id, type=kind, variant=v["name"]):
                        errors = self.make(block_id, type=kind, variant=v["name"])[1]
                        self.assertEqual(element in v["types"], not errors, errors)

    def test_bad_texts_are_seen(self):
        """Without these checks in GRC, the errors would come only at the start."""
        good = dict(taps="[1.0]", samp_rate="32e3", decim="4")
        for block_id in set(TYPES) - {VOLK}:
            for bad in ({"algorithm": "magic"}, {"algorithm": ""}, {"transfer": "teleport"},
                        {"variant": "espresso"}, {"variant": ""}, {"device": ""},
                        {"device": "' '"}, {"variant": "polyphase", "algorithm": "direct"},
                        {"variant": "simd", "algorithm": "fast_convolution"},
                        {"variant": "simd", "device": "gpu"},
                        {"variant": "cpu_tile", "device": "host"}, {"variant": "four_step"}):
                with self.subTest(block=block_id, bad=bad):
                    self.assertNotEqual([], self.make(block_id, **good, **bad)[1])
        for block_id in MATRICES + (CORRELATOR,):
            for bad in ({"variant": "espresso"}, {"variant": ""}, {"device": ""},
                        {"variant": "simd", "device": "cpu"},
                        {"variant": "cpu_tile", "device": "host"}):
                with self.subTest(block=block_id, bad=bad):
                    self.assertNotEqual([], self.make(block_id, **bad)[1])
        for block_id in MATRICES:
            for precision in ("", "auto", "bf16"):
                with self.subTest(block=block_id, precision=precision):
                    self.assertNotEqual([], self.make(block_id, precision=precision)[1])
        self.assertNotEqual([], self.make(PROBE, device="")[1])
        for parameter, bad in (("nthreads", "0"), ("samp_delay", "-1")):
            self.assertNotEqual([], self.make(FFT, **good, **{parameter: bad})[1])

    def test_texts_may_be_expressions(self):
        good = dict(taps="[1.0]", samp_rate="32e3", variables=[
            ("how", "'fast_convolution'"), ("first", "'host'"), ("names", "['copy', 'polyphase']")])
        for block_id in set(TYPES) - {VOLK}:
            block, errors = self.make(block_id, algorithm="how", device="first",
                                      transfer="names[0]", variant="names[1]", **good)
            self.assertEqual([], errors)
            self.assertIn("first", block.templates.render("make"))
            for device in ("'0:1'", "Mali", "GeForce RTX"):
                self.assertEqual([], self.make(block_id, device=device, **good)[1])
            self.assertNotEqual([], self.make(block_id, algorithm="names[0]", **good)[1])

    def test_taps_from_the_filter_module(self):
        """GRC knows "filter" without an import block, as with the in-tree blocks."""
        for block_id in TYPES:
            for taps in ("filter.firdes.low_pass(1, 32e3, 1e3, 500)",
                         "firdes.low_pass(1, 32e3, 1e3, 500)"):
                with self.subTest(block=block_id, taps=taps):
                    block, errors = self.make(block_id, taps=taps, samp_rate="32e3")
                    self.assertEqual([], errors)
                    self.assertGreater(len(block.params["taps"].get_evaluated()), 10)

    def test_values_survive_a_change_of_the_id(self):
        for in_tree, replacement in (("freq_xlating_fft_filter_ccc", FFT),
                                     ("freq_xlating_fir_filter_xxx", FIR)):
            flow_graph = self.platform.make_flow_graph()
            before = flow_graph.new_block(in_tree)
            values = dict(id="channel", decim="5", taps="[1, 2]", center_freq="3e3",
                          samp_rate="48e3", samp_delay="7", nthreads="2", type="ccc",
                          affinity="[0]", alias="name", comment="text", maxoutbuf="8",
                          minoutbuf="4")
            for key, parameter in before.params.items():
                parameter.set_value(values[key])
            after = flow_graph.new_block(replacement)
            after.import_data(**dict(before.export_data(), id=replacement))
            for key in before.params:
                self.assertEqual(values[key], after.params[key].get_value())

    def test_headings_in_the_documentation_are_parameters(self):
        """No documentation line ends in a colon, because GRC would draw it bold."""
        for block_id in set(TYPES).union(MATRICES, (CORRELATOR, PROBE, TUNER, VISIBILITIES)):
            block = self.platform.block_classes[block_id]
            labels = {p.get("label", "").split(" (")[0] for p in block.parameters_data}
            headings = [line[:-1] for line in block.documentation[""].splitlines()
                        if line.endswith(":")]
            self.assertGreater(len(headings), 0 if block_id == TUNER else 1)
            self.assertEqual([], [h for h in headings if h not in labels], block_id)

    def test_correlator(self):
        block, errors = self.make(CORRELATOR)
        self.assertEqual([], errors)
        self.assertEqual(("byte", 2), (block.sinks[0].dtype, block.sinks[0].vlen))
        self.assertEqual(("int", 2), (block.sources[0].dtype, block.sources[0].vlen))
        made = eval(block.templates.render("make"), {"cldsp": cldsp})
        self.assertEqual([b"\xf9\xa8", b"\x06\x57"], made.codes())
        for callback in block.templates.render("callbacks"):
            eval("made." + callback, {"made": made})
        block, errors = self.make(CORRELATOR, codes="[bytes(3)] * 5", device="host",
                                  variant="simd")
        self.assertEqual([], errors)
        self.assertEqual((3, 5), (block.sinks[0].vlen, block.sources[0].vlen))
        self.assertEqual("simd", eval(block.templates.render("make"),
                                      {"cldsp": cldsp}).variant_name())
        for bad in ("[]", "[[]]", "[[1, 2], [3]]"):
            self.assertNotEqual([], self.make(CORRELATOR, codes=bad)[1])

    def test_visibilities(self):
        for kind, vectors, streams, vlen, size in (
                ("complex", "False", 3, 1, 8), ("complex", "True", 1, 3, 24),
                ("cs8", "False", 3, 2, 2), ("cs8", "True", 1, 6, 6)):
            with self.subTest(type=kind, vectors=vectors):
                block, errors = self.make(VISIBILITIES, type=kind, vectors=vectors,
                                          antennas="3", integration="10**6", device="host")
                self.assertEqual([], errors)
                sinks = [port for port in block.sinks if port.domain == "stream"]
                self.assertEqual((streams, vlen), (len(sinks), sinks[0].vlen))
                self.assertEqual(("complex", 6), (block.sources[0].dtype, block.sources[0].vlen))
                made = eval(block.templates.render("make"), {"cldsp": cldsp})
                self.assertEqual((3, 10 ** 6), (made.antennas(), made.integration()))
                self.assertEqual(size, made.input_signature().sizeof_stream_item(0))
                for callback in block.templates.render("callbacks"):
                    eval("made." + callback, {"made": made})
        for bad in (dict(antennas="0"), dict(antennas="4097"), dict(integration="0"),
                    dict(device="")):
            self.assertNotEqual([], self.make(VISIBILITIES, **bad)[1])

    def test_a_bank_has_an_output_a_channel(self):
        values = dict(decim="4", taps="[1.0]", samp_rate="32e3")
        for frequencies, outputs in (("[5]", 1), ("5", 1), ("[0, 10e3, -5e3]", 3),
                                     ("list(range(100))", 100)):
            block, errors = self.make(BANK, center_freqs=frequencies, **values)
            self.assertEqual([], errors)
            self.assertEqual(outputs, len(block.sources))
        self.assertNotEqual([], self.make(BANK, center_freqs="[]", **values)[1])

    def test_a_bank_takes_a_list_for_all_or_for_each(self):
        values = dict(samp_rate="32e3", center_freqs="[0, 10, 20]")
        for taps, good in (("[1.0, 2.0]", True), ("[[1.0, 2.0]]", True),
                           ("[[1.0], [2.0, 3.0], [4.0]]", True),
                           ("(1.0, 2.0)", True), ("[(1.0,)] * 3", True),
                           ("[[1.0], [2.0]]", False), ("[[1.0]] * 4", False),
                           ("[[1.0], [], [2.0]]", False), ("[[]]", False),
                           ("[[1.0], 2.0, [3.0]]", False), ("[1.0, [2.0], 3.0]", False),
                           ("1.0", False)):
            with self.subTest(taps=taps):
                errors = self.make(BANK, taps=taps, **values)[1]
                self.assertEqual(good, not errors, errors)

    def test_a_bank_takes_taps_for_each_channel(self):
        block, errors = self.make(BANK, decim="4", taps="[[1.0, 2.0], [3.0]]",
                                  samp_rate="32e3", center_freqs="[0, 10]", accuracy="1e-3",
                                  algorithm="direct")
        self.assertEqual([], errors)
        made = eval(block.templates.render("make"), {"cldsp": cldsp})
        self.assertEqual([[1, 2], [3]], made.taps())
        self.assertEqual("direct", made.algorithm_name())
        self.assertNotEqual([], self.make(BANK, decim="4", taps="[1.0]", samp_rate="32e3",
                                          accuracy="0.2")[1])

    def test_latency(self):
        values = dict(decim="42", taps="[1.0]", samp_rate="2016e3", device="host")
        for kind in ("fir_filter_xxx", "fft_filter_xxx", "fir_filter_iq_xxx", "filter_bank_xxx"):
            block_id = "cldsp_freq_xlating_" + kind
            with self.subTest(kind=kind):
                block, errors = self.make(block_id, latency="0.01", **values)
                self.assertEqual([], errors)
                make = block.templates.render("make").splitlines()
                self.assertIn("0.01,", "".join(make[:3]))
                for latency in ("-0.1", "10.5"):
                    self.assertNotEqual([], self.make(block_id, latency=latency, **values)[1])

    def test_rewriting_of_tags(self):
        values = dict(decim="42", taps="[1.0]", samp_rate="2016e3", device="host")
        for kind in ("fir_filter_xxx", "fft_filter_xxx", "fir_filter_iq_xxx", "filter_bank_xxx",
                     "fir_filter_volk_xxx"):
            for chosen in (None, "True", "False"):
                with self.subTest(kind=kind, chosen=chosen):
                    if "volk" in kind:
                        values.pop("device", None)
                    given = dict(values, rewrite_tags=chosen) if chosen else values
                    block, errors = self.make("cldsp_freq_xlating_" + kind, **given)
                    self.assertEqual([], errors)
                    make = "".join(block.templates.render("make").splitlines()[:3])
                    end = ")" if "volk" in kind else ", 'auto')"
                    self.assertIn(f", {chosen or True}{end}", make)

    def test_plan(self):
        filters = dict(decim="42", taps="[1.0]", samp_rate="2016e3")
        matrix = dict(A="[[1.0, 2.0]]")
        for kind, values in (
                *(("freq_xlating_" + kind, filters) for kind in (
                    "fir_filter_xxx", "fft_filter_xxx", "fir_filter_iq_xxx", "filter_bank_xxx")),
                ("gemm_xx", matrix), ("multiply_matrix_xx", matrix),
                ("gemm_1bit_bi", dict(codes="[[0, 1], [1, 0]]")), ("correlator_xx", {})):
            with self.subTest(kind=kind):
                for plan in ("auto", "wait"):
                    block, errors = self.make("cldsp_" + kind, plan=plan, **values)
                    self.assertEqual([], errors)
                    make = "".join(block.templates.render("make").splitlines()[:3])
                    self.assertIn(f", '{plan}')", make)
                self.assertNotEqual([], self.make("cldsp_" + kind, plan="soon", **values)[1])

    def test_a_bank_takes_rates_for_all_or_for_each(self):
        values = dict(samp_rate="32e3", taps="[1.0]", center_freqs="[0, 10, 20]", device="host",
                      algorithm="direct")
        for decim, rate, rates in (
                ("4", "0", [8e3] * 3), ("[4, 2, 8]", "0", [8e3, 16e3, 4e3]),
                ("0", "8e3", [8e3] * 3), ("0", "[12e3, 8e3, 3e3]", [12e3, 8e3, 3e3]),
                ("(4, 0, 8)", "[0, 12e3, 0]", [8e3, 12e3, 4e3]), ("4", "8e3", [8e3] * 3),
                ("[4]", "[0]", [8e3] * 3)):
            with self.subTest(decim=decim, rate=rate):
                block, errors = self.make(BANK, decim=decim, output_rate=rate, **values)
                self.assertEqual([], errors)
                made = eval(block.templates.render("make"), {"cldsp": cldsp})
                self.assertEqual(rates, made.output_rates())
        for decim, rate in (("[4, 2]", "0"), ("[]", "0"), ("0", "0"), ("[4, 0, 2]", "0"),
                            ("[4, -1, 2]", "0"), ("2.5", "0"), ("0", "[8e3, 0, 8e3]"),
                            ("0", "40e3"), ("0", "[8e3, 8e3]"), ("'4'", "0"), ("0", "'8e3'"),
                            ("0", "-8e3"), ("None", "0")):
            with self.subTest(decim=decim, rate=rate):
                self.assertNotEqual([], self.make(BANK, decim=decim, output_rate=rate,
                                                  **values)[1])
        self.assertEqual([], self.make(BANK, **dict(values, max_channels="4"),
                                       decim="[4, 2, 8, 2]")[1])
        self.assertNotEqual([], self.make(BANK, **dict(values, max_channels="4"),
                                          decim="[4, 2, 8]")[1])


    def test_what_is_seen_is_what_the_block_refuses(self):
        """GRC refuses a value if and only if the constructor does."""
        bank = dict(samp_rate="32e3", taps="[1.0]", center_freqs="[0, 10]", device="host")
        bank_values = [dict(bank, decim=decim, output_rate=rate) for decim, rate in (
            ("2.0", "0"), ("[2.0, 4]", "0"), ("[2, 2.5]", "0"), ("2", "16e3"), ("2", "15e3"),
            ("[2, 4]", "[16e3, 16e3]"), ("[2, 4]", "[16e3, 8e3]"), ("0", "28.8e3"),
            ("0", "28.9e3"), ("0", "[32e3, 8e3]"), ("1", "32e3"), ("3", "32e3 / 3"),
            ("0", "[31e3, 8e3]"))]
        bank_values += [dict(bank, variant="four_step", decim=decim, output_rate=rate)
                        for decim, rate in (("1", "0"), ("[1, 1]", "0"), ("[1, 2]", "0"),
                                            ("[2]", "0"), ("0", "32e3"), ("[1, 0]", "[0, 32e3]"),
                                            ("[1, 0]", "[0, 16e3]"))]
        np_array = "__import__('numpy').array"
        bank_values += [dict(bank, type=kind, taps=taps) for kind in ("ccf", "ccc") for taps in (
            "[1j]", "[[1], [1 + 2j]]", f"{np_array}([1 + 2j, 3])", f"{np_array}([1, 2])",
            "[float('nan')]", "[[1], [float('inf')]]")]
        bank_values += [dict(bank, **values) for values in (
            dict(center_freqs="[0, float('inf')]"), dict(samp_rate="float('inf')"))]
        matrices = (f"{np_array}([[1 + 2j]])", f"{np_array}([[1 + 0j]])",
                    f"{np_array}([[1, 2]], 'int8')", f"[{np_array}([1 + 2j])]",
                    "[[0] * 1000]", "[[1, 2]]", "[[1, 2.5]]", "[[1, 2j]]", "[[1, 2 + 0j]]", "[[1, -128]]",
                    "[[1, -129]]", "[[127.0]]", "[[128]]", "[[float('nan'), 1]]",
                    "[[1, float('inf')], [float('-inf'), 0]]", "[['1']]", "[[1e30, 1e30]]")
        # Of the products, only that of bytes has a limit of its own. As streams, so many columns
        # would be as many ports.
        large = [("cldsp_gemm_xx", [dict(type=kind, A="[[0] * 131072]", device="host")])
                 for kind in ("float", "byte")]
        codes = ("[[0, 255]]", "[[0, 256]]", "[[-1, 0]]", "[[1.0, 2]]", "[bytes(2)] * 2",
                 "['ab']", "[bytearray(2), (1, 2)]", "[[1], [2, 3]]", "[range(3)]",
                 f"{np_array}([[1, 2]], 'uint8')", f"{np_array}([[1, 2]], 'int8')",
                 f"{np_array}([[True]])", f"{np_array}([[[1], [2]]], 'uint8')")
        for block_id, every in [(BANK, bank_values)] + large + [
                (block_id, [dict(type=kind, A=A, device="host") for A in matrices])
                for block_id in MATRICES for kind in ("float", "complex", "byte")
                if (block_id, kind) != ("cldsp_multiply_matrix_xx", "byte")] + [
                (CORRELATOR, [dict(codes=value, device="host") for value in codes])]:
            for values in every:
                with self.subTest(block=block_id, values=values):
                    block, errors = self.make(block_id, **values)
                    try:
                        eval(block.templates.render("make"), {"cldsp": cldsp, "gr": gr})
                        refused = None
                    except (TypeError, ValueError) as error:
                        refused = error
                    self.assertEqual(bool(errors), bool(refused), (errors, refused))

    def make_matrix(self, block_id, **parameters):
        block, errors = self.make(block_id, **parameters)
        self.assertEqual([], errors)
        made = eval(block.templates.render("make"), {"cldsp": cldsp, "gr": gr})
        for callback in block.templates.render("callbacks"):
            eval("made." + callback, {"made": made})
        return block, made

    def test_matrices(self):
        for block_id in MATRICES:
            for kind, size in (("float", 4), ("complex", 8)):
                with self.subTest(block=block_id, type=kind):
                    self.make_matrix(block_id, type=kind)  # the defaults of the other type
                    block, made = self.make_matrix(block_id, type=kind,
                                                   A="[[1, 2, 3], [4, 5, 6]]", device="host")
                    multiply = block_id == MATRICES[0]
                    self.assertEqual([3, 2] if multiply else [1, 1],
                                     [len([p for p in ports if p.domain == "stream"])
                                      for ports in (block.sinks, block.sources)])
                    self.assertEqual([1, 1] if multiply else [3, 2],
                                     [block.sinks[0].vlen, block.sources[0].vlen])
                    self.assertEqual([[1, 2, 3], [4, 5, 6]],
                                     made.get_A() if multiply else made.A())
                    items = 3 if multiply else 1
                    self.assertEqual([size * 3 // items] * items,
                                     [made.input_signature().sizeof_stream_item(i)
                                      for i in range(items)])

    def test_bad_matrices_are_seen(self):
        for block_id in MATRICES:
            for A in ("[]", "[[]]", "[[1, 2], [3]]", "5"):
                self.assertNotEqual([], self.make(block_id, A=A)[1])
        for A, errors in (("[[1, 2]]", True), ("[[1, 2], [3, 4]]", False)):
            found = self.make(MATRICES[0], A=A, tag_propagation_policy="gr.TPP_ONE_TO_ONE")[1]
            self.assertEqual(errors, bool(found), found)

    def test_a_tuner(self):
        block, errors = self.make(TUNER, channel="3")
        self.assertEqual([], errors)
        self.assertEqual(["freq", "freq"], [port.key for port in block.sinks + block.sources])
        made = eval(block.templates.render("make"), {"cldsp": cldsp})
        self.assertEqual(3, made.channel())
        self.assertNotEqual([], self.make(TUNER, channel="-1")[1])

    def test_a_probe(self):
        for values, bad in (({}, False), (dict(what="W2", strategy="swarm", at_start="True",
                                               budget_s="0.5", report_s="2"), False),
                            ({"budget_s": "0.01"}, True), ({"report_s": "-1"}, True)):
            with self.subTest(values=values):
                block, errors = self.make(PROBE, device="host", **values)
                self.assertEqual(bad, bool(errors), errors)
                self.assertEqual(["tune", "query", "report"],
                                 [port.key for port in block.sinks + block.sources])
                if bad:
                    continue
                flowgraph = gr.top_block()
                made, connect = block.templates.render("make").splitlines()
                flowgraph.channel = eval(made, {"cldsp": cldsp})
                eval(connect, {"self": flowgraph})
                flowgraph.start()
                flowgraph.stop()
                flowgraph.wait()


class qa_grc_examples(gr_unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        """Compiles all examples."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.programs = folder.name
        cls.compiled = subprocess.run(
            [shutil.which("grcc"), "-o", cls.programs] +
            sorted(glob.glob(os.path.join(EXAMPLES, "*.grc"))),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def setUp(self):
        self.assertEqual(0, self.compiled.returncode, self.compiled.stdout)

    def run_program(self, name, *arguments):
        """The output of an example's flowgraph."""
        done = subprocess.run(
            [sys.executable, os.path.join(self.programs, name + ".py"), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(0, done.returncode, done.stdout)
        return done.stdout

    def test_xlating_compare(self):
        printed = self.run_program("xlating_compare")
        match = re.search(r"^cldsp on (.+), (\w+): (\d+) samples, largest error (\S+) dB$",
                          printed, re.MULTILINE)
        self.assertIsNotNone(match, printed)
        self.assertIn(match.group(1), [d["name"] for d in cldsp.devices()])
        self.assertIn(match.group(2), [v["name"] for v in cldsp.list_variants()])
        self.assertEqual(1000, int(match.group(3)))
        # Fast convolution may change the response by 1e-5, single precision less.
        self.assertLess(float(match.group(4)), -90)
        # After so many samples the phase of the in-tree block is off by about 1e-3 rad.
        in_tree = re.search(r"^in-tree: 1000 samples, largest error (\S+) dB", printed,
                            re.MULTILINE)
        self.assertIsNotNone(in_tree, printed)
        self.assertLess(float(in_tree.group(1)), -50)
        # The host may compute, so no name in the flowgraph mentions OpenCL.
        with open(os.path.join(EXAMPLES, "xlating_compare.grc")) as flowgraph:
            self.assertNotRegex(flowgraph.read(), "(?i)opencl")

    def test_the_manual_names_the_folder_of_installed_examples(self):
        folder = "/".join(os.environ["CLDSP_INSTALLED_EXAMPLES"].split("/")[-2:])
        with open(os.path.join(EXAMPLES, "..", "docs", "band_receiver.md")) as manual:
            self.assertEqual({folder}, set(re.findall(r"`share/(\S+/examples)`",
                                                      manual.read())))

    def test_filter_bank(self):
        printed = self.run_program("filter_bank")
        levels = re.findall(r"^(\S+) kHz: tone of (\S+) Hz, (\S+) dB", printed, re.MULTILINE)
        self.assertEqual(["-700", "-250", "100", "650"], [f for f, _, _ in levels])
        self.assertEqual([-3000, 1000, 0, 2000], [float(tone) for _, tone, _ in levels])
        for level, (_, _, measured) in zip((0, -20, -40, -60), levels):
            self.assertAlmostEqual(level, float(measured), delta=0.5)

    def test_channel_rates(self):
        printed = self.run_program("channel_rates")
        channels = re.findall(r"^(\d+) kS/s from (\S+) kHz: (\d+) samples since item (\d+), "
                              r"tone of (\S+) Hz, (\S+) dB", printed, re.MULTILINE)
        self.assertEqual(["48", "12", "16", "48"], [c[0] for c in channels], printed)
        self.assertEqual(["24000", "6000", "8000"], [c[2] for c in channels[:3]])
        self.assertEqual(["0"] * 3, [c[3] for c in channels[:3]])
        self.assertEqual(["1000", "1500", "-3000", "5000"],
                         [c[4] for c in channels])
        for channel, level in zip(channels, (-6, -20, -40, -20)):
            self.assertAlmostEqual(level, float(channel[5]), delta=0.5)
        # There are 3 outputs for 128 items, from the item at which the channel woke.
        start = int(channels[3][3])
        self.assertGreater(start, 0)
        self.assertEqual(24000, int(channels[3][2]) + -(-start * 3 // 128))

    def test_no_flowgraph_is_warned_of(self):
        """Such as of missing flow control, or of too much of it."""
        self.assertNotIn("Warning", self.compiled.stdout)

    def run_window(self, script, sound):
        """What a program prints that uses an example's window, without a display. The sound goes
        to this device of ALSA."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "asound.conf"), "w") as conf:
                conf.write(f"pcm.!default {{ {sound} }}\n")
            path = os.path.join(folder, "script.py")
            with open(path, "w") as code:
                code.write(WINDOW + script)
            items = np.random.default_rng(1).integers(0, 256, (240000, 2), dtype=np.uint8)
            items.tofile(os.path.join(folder, "recording.cu8"))
            environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", XDG_RUNTIME_DIR=folder,
                               ALSA_CONFIG_PATH=os.path.join(folder, "asound.conf"),
                               XDG_CONFIG_HOME=folder, PYTHONPATH=os.pathsep.join(
                                   [self.programs, os.environ.get("PYTHONPATH", "")]))
            done = subprocess.run([sys.executable, "-B", path], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, cwd=folder,
                                  env=environment)
        self.assertEqual(0, done.returncode, done.stdout)
        # A click is handled in a thread of GNU Radio's, where no widget may be touched.
        self.assertNotIn("another thread", done.stdout)
        # Qt tells so of what a style sheet sets, and ignores it.
        self.assertNotIn("does not have a property", done.stdout)
        return done.stdout

    def test_beams(self):
        printed = self.run_window(TURN, "type null")
        found = re.findall(r"of 64 beams the strongest looks at (\S+) degrees, (\S+) dB", printed)
        self.assertEqual(["21", "-31"], [direction for direction, _ in found], printed)
        for _, level in found:
            self.assertAlmostEqual(0, float(level), delta=0.5)

    def test_rtl_file_channel(self):
        with tempfile.TemporaryDirectory() as folder:
            recording = os.path.join(folder, "recording.cu8")
            sound = os.path.join(folder, "channel.wav")
            self.run_program("rtl_file_channel", "-o", sound)
            with wave.open(sound) as file:
                rate, count = file.getframerate(), file.getnframes()
                audio = np.frombuffer(file.readframes(count), np.int16)[-rate:]
            self.assertEqual((48000, 3 * 48000), (rate, count))
            # Bins of 1 Hz.
            self.assertEqual(1000, np.argmax(np.abs(np.fft.rfft(audio))))
            items = np.random.default_rng(1).integers(0, 256, (201600, 2), dtype=np.uint8)
            items.tofile(recording)
            self.run_program("rtl_file_channel", "-i", recording, "-o", sound)
            with wave.open(sound) as file:
                self.assertEqual(4800, file.getnframes())

    def test_a_recording_that_is_not_there_is_told_in_a_line(self):
        for name, rate in (("rtl_file_channel", 2016000), ("band_receiver", 240000)):
            done = subprocess.run(
                [sys.executable, os.path.join(self.programs, name + ".py"), "-i", "none.cu8"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env=dict(os.environ, QT_QPA_PLATFORM="offscreen"))
            self.assertEqual(1, done.returncode, done.stdout)
            self.assertIn("input_file is 'none.cu8', but must be empty or a recording of "
                          f"unsigned bytes at {rate} samples per second\n", done.stdout)
            self.assertNotIn("Traceback", done.stdout)

    def test_band_receiver(self):
        printed = self.run_window(CLICK, "type null")
        self.assertIn("tuned to 30000 Hz from the centre", printed)
        self.assertIn("others stay", printed)
        self.assertNotIn("no sound card", printed)

    def test_band_receiver_as_it_is_delivered(self):
        """Without a recording, a radio and a sound card."""
        printed = self.run_window(BAND, "type hw card 31")
        self.assertIn("There is no sound card", printed)
        levels = [float(level) for level in
                  re.search(r"^levels of (.*)$", printed, re.MULTILINE).group(1).split()]
        self.assertEqual(8, len(levels))
        # The channels without a station.
        self.assertLess(max(levels[k] for k in (0, 2, 6)), -45)
        self.assertAlmostEqual(-18, levels[4], delta=1)


# The beginning of each program that uses a window.
WINDOW = """
import os
import time
import numpy as np
import pmt
from PyQt5 import Qt, QtTest

application = Qt.QApplication([])
screen = application.primaryScreen().availableSize()


def wait(condition):
    limit = time.monotonic() + float(os.environ.get("CLDSP_TEST_TIMEOUT", 1200)) / 2
    while not condition():
        assert time.monotonic() < limit
        QtTest.QTest.qWait(50)


def end(window):
    window.stop()
    window.wait()
    # An interpreter that ends destroys GNU Radio's widgets and Qt's application in any order,
    # which now and then crashes.
    os._exit(0)
"""

TURN = """
import beams
window = beams.beams()
beams.snippets_main_after_init(window)
window.start()
window.show()


def is_strongest(direction):
    powers = window.latest.level()
    return max(powers) > -0.5 and window.directions[np.argmax(powers)] == direction


for direction in (21, -31):
    window.set_source_direction(direction)
    wait(lambda: is_strongest(direction))
    beams.snippets_main_after_stop(window)
    print(flush=True)
end(window)
"""

# A double click in a sink sends this message.
CLICK = """
from band_receiver import band_receiver, snippets_main_after_init
window = band_receiver(center_freq=100e6, input_file="recording.cu8")
snippets_main_after_init(window)
assert window.width() >= 0.9 * min(screen.width(), 1500), window.size()
assert window.height() >= 0.9 * min(screen.height(), 840), window.size()
window.start()
window.show()
before = window.bank.center_freqs()
message = pmt.cons(pmt.intern("freq"), pmt.from_double(100.03e6))
window.click.to_basic_block()._post(pmt.intern("inpair"), message)
wait(lambda: window.bank.center_freqs() != before and window.bank.nitems_written(8) >= 48000)
after = window.bank.center_freqs()
print(f"tuned to {after[8]:.0f} Hz from the centre", flush=True)
if after[:8] == before[:8] == [(k - 3.5) * 25e3 for k in range(8)]:
    print("others stay", flush=True)
end(window)
"""

BAND = """
from gnuradio import blocks, gr
from band_receiver import band_receiver, snippets_main_after_init
window = band_receiver()
snippets_main_after_init(window)
# All plots and controls fit into a small screen.
needed = window.top_widget.minimumSizeHint()
assert needed.width() < 1280 and needed.height() < 700, needed
outlines = blocks.vector_sink_f(16 * 8)
window.connect(window.levels, outlines)
begin = time.monotonic()
window.start()
window.show()
wait(lambda: window.bank.nitems_written(8) >= 96000)
# Nothing but the throttle holds it up: two seconds, without what the buffers take.
assert time.monotonic() - begin > 0.3, time.monotonic() - begin
window.stop()
window.wait()
bars = np.array(outlines.data()).reshape(-1, 8, 16)
# Between the bars is the bottom of the plot, and so one line does not join their levels.
assert (bars[:, :, [0, 15]] == -100).all()
print("levels of", *bars[:, :, 8].max(axis=0), flush=True)
end(window)
"""


if __name__ == "__main__":
    gr_unittest.main()
