#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""GNU Radio Companion's C++ for a flowgraph with every block compiles, without and with a window of
Qt, and gives the outputs of its Python."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from qa_grc_support import BLOCKS, run  # must come before GNU Radio
import numpy as np
import yaml
from gnuradio import gr_unittest
from qa_support import PATIENCE_S

LIBRARY, INCLUDES = os.environ["CLDSP_LIBRARY"], os.environ["CLDSP_INCLUDES"]
# A package file as the installed module has it, for this build.
PACKAGE = """
add_library(gnuradio::gnuradio-cldsp SHARED IMPORTED)
set_target_properties(gnuradio::gnuradio-cldsp PROPERTIES IMPORTED_LOCATION "{library}"
    INTERFACE_INCLUDE_DIRECTORIES "{includes}" INTERFACE_COMPILE_FEATURES cxx_std_17)
target_link_libraries(gnuradio::gnuradio-cldsp INTERFACE gnuradio::gnuradio-runtime)
"""
ITEMS = 20160  # of each input
FIXED = dict(device="host", variant="simd")  # the same in both programs, whatever is measured
# Where a hierarchical block is found, as docs/blocks.md says. The test needs no fast program.
CMAKE_OPTIONS = '-DCMAKE_CXX_FLAGS="-O0 -I$ENV{GRC_HIER_PATH}"'
# What a program with a window needs, to be built.
QT = """
cmake_minimum_required(VERSION 3.8)
project(qt CXX)
find_package(Qt5Widgets)
find_package(Gnuradio "3.10" COMPONENTS qtgui)
if(NOT TARGET Qt5::Widgets OR NOT TARGET qwt::qwt OR NOT TARGET gnuradio::gnuradio-qtgui)
    message(FATAL_ERROR)
endif()
"""
TYPES = dict(complex=np.complex64, float=np.float32, byte=np.int8, short=np.int16, int=np.int32)


class flow_graph:
    """A flowgraph's file in the making; of a hierarchical block, if it is to be one."""

    def __init__(self, folder, name, made="no_gui"):
        self._folder, self.name, self._made = folder, name, made
        self._blocks, self._connections = [], []
        self.sinks = []

    def add(self, name, block_id, **parameters):
        parameters = {key: str(value) for key, value in parameters.items()}
        self._blocks.append(dict(name=name, id=block_id, parameters=parameters,
                                 states=dict(coordinate=[8, 8], rotation=0, state="enabled")))

    def connect(self, source, port, sink, other):
        self._connections.append([source, str(port), sink, str(other)])

    def source(self, kind, vlen=1):
        """A file of noise as a source, of which there is one for each type and length."""
        name = f"in_{kind}_{vlen}"
        if not any(block["name"] == name for block in self._blocks):
            path = self._folder / name
            noise = np.random.default_rng(1).standard_normal((ITEMS * vlen, 2)) * 50
            if kind == "complex":
                noise.astype(np.float32).tofile(path)
            else:
                noise[:, 0].astype(TYPES[kind]).tofile(path)
            # The template of C++ takes the text as it is.
            self.add(name, "blocks_file_source", type=kind, vlen=vlen, file=f'"{path}"',
                     repeat="False", begin_tag="pmt.PMT_NIL")
        return name

    def block(self, name, block_id, inputs, outputs, module="cldsp_", **parameters):
        """A block with inputs and outputs, each a type and the length of its vectors."""
        self.add(name, module + block_id, **parameters)
        for port, which in enumerate(inputs):
            self.connect(self.source(*which), 0, name, port)
        for port, (kind, vlen) in enumerate(outputs):
            sink = f"out_{name}_{port}"
            self.sinks.append(sink)
            # A program with a window ends by a signal, which loses what is buffered.
            self.add(sink, "blocks_file_sink", type=kind, vlen=vlen, file=sink,
                     unbuffered="True")
            self.connect(name, port, sink, 0)

    def write(self, language):
        options = dict(id=self.name, title=self.name, generate_options=self._made,
                       output_language=language, run_options="run", cmake_opt=CMAKE_OPTIONS)
        path = self._folder / f"{self.name}_{language}.grc"
        path.write_text(yaml.safe_dump(dict(
            options=dict(parameters=options, states=dict(coordinate=[8, 8], rotation=0,
                                                         state="enabled")),
            blocks=self._blocks, connections=self._connections,
            metadata=dict(file_format=1))))
        return path


def hierarchical_block(folder):
    """One input, one output and no parameter: of others GNU Radio's C++ does not compile."""
    g = flow_graph(folder, "hierarchical", "hb")
    g.add("pad_in", "pad_source", label="in", type="complex")
    g.add("pad_out", "pad_sink", label="out", type="complex")
    g.add("inner", "cldsp_freq_xlating_fir_filter_xxx", type="ccf", taps="[1.0, 0.5]", decim="4",
          center_freq="1e3", samp_rate="32e3", **FIXED)
    g.connect("pad_in", 0, "inner", 0)
    g.connect("inner", 0, "pad_out", 0)
    return g


def every_block(folder, made="no_gui"):
    """Each kind of parameter is a value in some block, and a variable or expression in others. A
    window has a field for a frequency, and a spectrum in which a click chooses it."""
    g = flow_graph(folder, f"every_block_{made}", made)
    for name, value in (("samp_rate", "2016000"), ("decim", "42"),
                        ("freqs", "[-100e3, 300e3]"), ("A", "[[1.0, 2.0], [3.0, -4.0]]"),
                        ("where", '"host"')):
        g.add(name, "variable", value=value)
    if made == "qt_gui":
        g.add("freq", "variable_qtgui_entry", type="real", value="250e3")
        g.add("spectrum", "qtgui_freq_sink_x", type="complex", bw="samp_rate / 42",
              showports="True")
        g.connect("fir", 0, "spectrum", 0)
        g.connect("spectrum", "freq", "fir", "freq")
    else:
        g.add("freq", "variable", value="250e3")
    g.add("taps", "variable_low_pass_filter_taps", gain="1.0", samp_rate="samp_rate",
          cutoff_freq="8e3", width="20e3", win="window.WIN_HAMMING", beta="6.76")
    complex_ = ("complex", 1)
    g.block("fir", "freq_xlating_fir_filter_xxx", [complex_], [complex_], type="ccf", taps="taps",
            decim="decim", center_freq="freq / 2", samp_rate="samp_rate",
            **dict(FIXED, device="where"))
    g.block("iq", "freq_xlating_fir_filter_iq_xxx", [("byte", 2)], [complex_], type="cu8_c",
            taps="[0.5, 0.25 + 1j]", decim="6 * 7", center_freq="-freq", samp_rate="samp_rate",
            **FIXED)
    g.block("fft", "freq_xlating_fft_filter_xxx", [complex_], [complex_], type="ccf",
            taps="firdes.low_pass(1, samp_rate, 10e3, 40e3, window.WIN_HAMMING)", decim="21",
            center_freq="freq", samp_rate="samp_rate", samp_delay="3", algorithm="direct", **FIXED)
    g.block("volk", "freq_xlating_fir_filter_volk_xxx", [("short", 1)], [complex_], type="scf",
            taps="[float(n) for n in range(9)]", decim="4", center_freq="10**4", samp_rate="10**6",
            rewrite_tags="False")
    g.block("bank", "freq_xlating_filter_bank_xxx", [complex_], [complex_] * 2, type="ccf",
            taps="taps", center_freqs="freqs", samp_rate="samp_rate", output_rate="48e3", **FIXED)
    g.block("rates", "freq_xlating_filter_bank_xxx", [complex_], [complex_] * 2, type="ccf",
            taps="[taps, [0.5, 0.25]]", center_freqs="[0, freq]", samp_rate="samp_rate",
            decim="[42, 0]", output_rate="[0, 32e3]", max_channels="2", **FIXED)
    g.block("streams", "multiply_matrix_xx", [complex_] * 2, [complex_] * 2, type="complex",
            A="[[1, 2j], [3, 4]]", tag_propagation_policy="gr.TPP_CUSTOM", **FIXED)
    g.block("vectors", "gemm_xx", [("float", 2)], [("float", 2)], type="float", A="A", **FIXED)
    g.block("sums_of_bytes", "gemm_xx", [("byte", 2)], [("int", 3)], type="byte",
            A="[[1, -128], [127, 0], [5, 6]]", device="host")
    g.block("codes", "gemm_1bit_bi", [("byte", 2)], [("int", 3)], **FIXED,
            codes="[bytes([1, 2]), [0xF9, 0xA8], [0, 255]]")
    g.block("visibilities", "correlator_xx", [complex_] * 3, [("complex", 6)], antennas="3",
            integration="10**3", device="host")
    g.block("whole", "hierarchical", [complex_], [complex_], module="")
    g.block("probe", "tune_probe", [], [], device="host", what="W1", strategy="swarm")
    g.add("tuner", "cldsp_channel_tuner", channel="1")
    # The probe's reports have no frequency, which the tuner drops.
    g.connect("probe", "report", "tuner", "freq")
    g.connect("tuner", "freq", "bank", "freq")
    return g


class qa_grc_cpp(gr_unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.graph = every_block(cls.folder)
        package = cls.folder / "package"
        package.mkdir()
        (package / "gnuradio-cldspConfig.cmake").write_text(
            PACKAGE.format(library=LIBRARY, includes=INCLUDES.replace(":", ";")))
        python, environment = cls.generated(cls.graph, "python")
        cls.outputs = cls.folder / "outputs"
        cls.outputs.mkdir()
        run(sys.executable, f"{python}.py", cwd=cls.outputs, env=environment)

    @classmethod
    def generated(cls, graph, language):
        """What Companion makes of a flowgraph: the program's path without its ending, and the
        environment to build and run it."""
        made = cls.folder / f"{graph.name}_{language}"
        hier = made / "hierarchical"
        hier.mkdir(parents=True)
        environment = dict(os.environ, GR_CONF_CLDSP_PLAN="wait", GRC_HIER_PATH=str(hier),
                           QT_QPA_PLATFORM="offscreen")
        grcc = shutil.which("grcc")
        run(grcc, "-u", hierarchical_block(cls.folder).write(language), env=environment)
        run(grcc, "-o", made, graph.write(language), env=environment)
        return made / graph.name, environment

    def compiled(self, graph):
        """The program of a flowgraph in C++, and its environment."""
        source, environment = self.generated(graph, "cpp")
        build = source / "build"
        run("cmake", "-S", source, "-B", build,
            f"-Dgnuradio-cldsp_DIR={self.folder / 'package'}", env=environment)
        run("cmake", "--build", build)
        return build / graph.name, environment

    def is_complete(self, folder):
        """Whether all outputs are there. A window stays open behind the last sample."""
        return all((folder / sink).exists() and
                   (folder / sink).stat().st_size >= (self.outputs / sink).stat().st_size
                   for sink in self.graph.sinks)

    def assert_same_outputs(self, folder):
        for sink in self.graph.sinks:
            with self.subTest(sink=sink):
                ours, theirs = ((where / sink).read_bytes() for where in (folder, self.outputs))
                self.assertGreater(len(ours), 0)
                self.assertEqual(len(theirs), len(ours))
                self.assertEqual(theirs, ours)

    def test_every_block_is_in_it(self):
        text = self.graph.write("cpp").read_text()
        for name in os.listdir(BLOCKS):
            if name.endswith(".block.yml"):
                self.assertIn(f"id: {name.split('.')[0]}\n", text)

    def test_a_program_gives_the_same_outputs(self):
        program, environment = self.compiled(self.graph)
        run(program, cwd=program.parent, env=environment)
        self.assert_same_outputs(program.parent)
        self.assert_variables_tune_the_blocks(self.graph)

    def test_a_window_gives_the_same_outputs(self):
        project = self.folder / "qt"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(QT)
        if subprocess.run(["cmake", "-S", project, "-B", project / "build"], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            why = "no headers of Qt and Qwt (Debian: qtbase5-dev, libqwt-qt5-dev)"
            print("skipped:", why)
            self.skipTest(why)
        graph = every_block(self.folder, "qt_gui")
        program, environment = self.compiled(graph)
        with subprocess.Popen([program], cwd=program.parent, env=environment) as window:
            try:
                limit = time.monotonic() + PATIENCE_S
                while not self.is_complete(program.parent) and time.monotonic() < limit:
                    self.assertIsNone(window.poll(), "the window is gone")
                    time.sleep(0.05)
                self.assertIsNone(window.poll(), "the window is gone")
            finally:
                window.kill()
        self.assert_same_outputs(program.parent)
        self.assert_variables_tune_the_blocks(graph)
        self.assertIn('msg_connect(this->spectrum, "freq", this->fir, "freq")',
                      self.source_of(graph))

    def source_of(self, graph):
        return (self.folder / f"{graph.name}_cpp" / graph.name / f"{graph.name}.cpp").read_text()

    def assert_variables_tune_the_blocks(self, graph):
        """The setters that Companion makes of variables call those of the blocks."""
        source = self.source_of(graph)

        def setter(name):
            return source.partition(f"::set_{name} (")[2].partition("\n}")[0]

        for variable, calls in (
                ("taps", ["fir->set_taps(", "bank->update_taps("]),
                ("freq", ["fir->set_center_freq(", "iq->set_center_freq(-(this->freq))"]),
                ("freqs", ["bank->update_center_freqs("]), ("A", ["vectors->set_A("]),
                ("samp_rate", ["fft->set_taps(gr::filter::firdes::low_pass(1, this->samp_rate"])):
            for call in calls:
                self.assertIn(call, setter(variable))


if __name__ == "__main__":
    gr_unittest.main()
