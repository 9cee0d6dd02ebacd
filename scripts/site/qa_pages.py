#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of what the pages tell a reader to type: code, commands and recipes.

docs_blocks runs the code blocks that are marked as a language's, and looks up every option of the
commands that the pages show. docs_cookbook runs the tutorial and each recipe of the cookbook, and
checks what comes out. A recipe that cannot run here gives the reason.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import unittest
import wave

try:
    import numpy as np
except ImportError:
    print("skipped: there is no NumPy for", sys.executable)
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"),
                *(ROOT / "examples").glob("**/README.md")])
NUMPY_PACKAGE = ROOT / "python" / "numpy"
EXAMPLES = "/usr/share/gr-cldsp/examples/"
# Only a program that hangs takes so long: half of the time of a whole test.
TIMEOUT = float(os.environ.get("CLDSP_TEST_TIMEOUT", 1200)) / 2  # seconds
options = None


class Block:
    """A code block: its language, empty for an indented one, its text, and the section."""

    def __init__(self, page, section, language, lines):
        self.page, self.section, self.language = page, section, language
        self.text = "\n".join(lines) + "\n"


def blocks(page):
    """The code blocks of a page in their order."""
    found, lines, language, section = [], [], None, ""
    for line in page.read_text(encoding="utf-8").splitlines() + ["end"]:
        fence = re.match(r"```(\w*)", line)
        if language is None and fence:
            language = fence[1]
        elif language is not None and fence:
            found.append(Block(page, section, language, lines))
            lines, language = [], None
        elif language is not None or line.startswith("    ") and not line.lstrip().startswith("- "):
            lines.append(line if language is not None else line[4:])
        elif lines and line.strip():
            found.append(Block(page, section, "", lines))
            lines = []
        if language is None and line.startswith("#"):
            section = line.lstrip("# ")
    return found


def tool_environment():
    """The variables with which the build's command, library and module are found."""
    environment = dict(os.environ)
    build = options.build
    environment["PATH"] = f"{build / 'apps'}:{environment['PATH']}"
    environment["PKG_CONFIG_PATH"] = str(build / "lib" / "engine")
    environment["CLDSP_DRIVERS"] = "trust"
    if NUMPY_PACKAGE.is_dir():
        environment["PYTHONPATH"] = f"{environment.get('PYTHONPATH', '')}:{NUMPY_PACKAGE}"
    return environment


class ScratchTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cldsp-pages-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = tool_environment()
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")

    def run_here(self, command, **more):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False, **more)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def python(self, text):
        return self.run_here([sys.executable, "-c", text])

    def shell(self, text):
        return self.run_here(["bash", "-euo", "pipefail", "-c", text])


class docs_blocks(ScratchTest):
    """Code blocks and options."""

    # What the text around a block has made before it.
    BEFORE = ("import numpy as np\nfrom gnuradio import cldsp\nfrom gnuradio.filter import firdes\n"
              "samples = np.zeros(100000, np.complex64)\n"
              "taps = firdes.low_pass(1, 48000, 3e3, 1e3)\n")
    ELSEWHERE = ("tutorial.md", "cookbook.md")  # run by docs_cookbook

    def test_python(self):
        for page in PAGES:
            code = [b.text for b in blocks(page) if b.language == "python"]
            if code and page.name not in self.ELSEWHERE:
                with self.subTest(page.name):
                    self.python(self.BEFORE + "\n".join(code))

    def compile(self, compiler, name, before, code):
        # Where a page has "...", the reader's program goes on.
        body = re.sub(r"^\.\.\.$", "", code, flags=re.M)
        (self.folder / name).write_text(before + body + "return 0;\n}\n", encoding="utf-8")
        engine = options.build / "lib" / "engine"
        self.run_here([compiler, name, "-Wall", "-Werror", "-o", "program", f"-I{ROOT / 'include'}", f"-L{engine}",
                       "-lcldsp"] + (["-std=c++17"] if name.endswith("cc") else []))
        self.run_here(["./program"])

    def test_c(self):
        code = [b.text for p in PAGES for b in blocks(p) if b.language == "c"]
        self.assertTrue(code)
        for text in code:
            self.compile("cc", "page.c", "#include <cldsp/cldsp.h>\n#include <stdio.h>\n"
                         "#include <stdlib.h>\nint main(void) {\n"
                         "static cldsp_complex samples[4200];\nsize_t count = 4200;\n", text)

    def test_cpp(self):
        code = [b.text for p in PAGES for b in blocks(p) if b.language == "cpp"]
        self.assertTrue(code)
        for text in code:
            self.compile("c++", "page.cc", "#include <cldsp/cldsp.hpp>\n#include <complex>\n"
                         "#include <iostream>\n#include <vector>\nint main() {\n"
                         "std::vector<std::complex<float>> samples(4200);\n", text)

    def test_cmake(self):
        # The test installed_library builds these lines' program.
        lists = (ROOT / "examples" / "library" / "CMakeLists.txt").read_text(encoding="utf-8")
        for page in PAGES:
            for block in blocks(page):
                if block.language == "cmake":
                    self.assertIn("find_package(cldsp 0.1 REQUIRED)", block.text)
                    self.assertIn("find_package(cldsp 0.1 REQUIRED)", lists)
                    self.assertIn("cldsp::cldsp", lists)

    def test_every_language_is_tested(self):
        self.assertLessEqual({b.language for p in PAGES for b in blocks(p)},
                             {"", "python", "c", "cpp", "cmake", "sh", "toctree"})

    def test_a_page_is_no_diary(self):
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            with self.subTest(page.name):
                if page.name != "platforms.md":  # has the date of each system's test
                    self.assertNotRegex(text, r"(?<!--start )20\d\d-\d\d-\d\d")
                most = {"architecture.md": 2500}.get(page.name, 4000)
                self.assertLessEqual(len(text.split()), 700 if page.parent == ROOT and
                                     page.name == "README.md" else most)

    def help_of(self, command):
        if command not in self.helps:
            self.helps[command] = self.run_here([*command, "--help"])
        return self.helps[command]

    def test_options(self):
        """Programs and scripts of the pages exist, and have the options that pages give them."""
        self.helps = {}
        seen = 0
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            # A line that ends in a backslash goes on in the next one.
            lines = [line for b in blocks(page) for line in
                     re.sub(r"\\\n\s*", " ", b.text).splitlines()]
            lines += re.findall(r"`([^`\n]+)`", text)
            for line in lines:
                # A text in quotes is another program's command line.
                line = re.sub(r"^\$ |\s#\s.*$|'[^']*'", "", line)
                for piece in re.split(r"[|;&]", line):
                    words = piece.split()
                    while words and re.fullmatch(r"[A-Z_]+=\S*|python3|/usr/bin/python3", words[0]):
                        words.pop(0)
                    command = self.command(words)
                    if command is None:
                        continue
                    given = re.findall(r"(?<!\S)(--[a-z][a-z0-9-]*)", " ".join(words))
                    known = self.help_of(command) if given else ""
                    for option in given:
                        with self.subTest(page=page.name, line=line):
                            self.assertRegex(known, rf"(?<![\w-]){option}(?![\w-])")
                    seen += 1
        self.assertGreater(seen, 60)

    def command(self, words):
        """The command line's program, which exists; none for other programs."""
        if not words:
            return None
        name = words[0]
        if name == "cldsp" and len(words) > 1 and re.fullmatch("[a-z]+", words[1]):
            deeper = words[2:3] if words[1] == "wisdom" else []
            return (str(options.build / "apps" / "cldsp"), words[1], *deeper)
        if re.fullmatch(r"scripts/[\w-]+", name):
            self.assertTrue((ROOT / name).exists(), name)
            return None
        bench = re.fullmatch(r"(?:build(?:-benchmarks)?/(?:benchmarks/)?)?(bench_\w+)", name)
        if bench:
            program = options.build / "benchmarks" / bench[1]
            # Benchmarks may be left out of a build.
            return (str(program),) if program.exists() else None
        example = re.fullmatch(rf"(?:examples/|{EXAMPLES})?(\w+\.py|band_receiver)", name)
        if example and (ROOT / "examples" / example[1]).exists():
            return (sys.executable, str(ROOT / "examples" / example[1]))
        return None


def fm(offset, tone_hz, rate, count, deviation=3000):
    """A station: its tone, and where it is."""
    t = np.arange(count) / rate
    return 0.3 * np.exp(2j * np.pi * offset * t
                        + 1j * deviation / tone_hz * np.sin(2 * np.pi * tone_hz * t))


def pairs(samples, form):
    """Complex samples as the bytes of a type."""
    iq = np.stack([samples.real, samples.imag], axis=1)
    if form == "cu8":
        return np.round(127.5 + 127.5 * iq).astype("u1").tobytes()
    if form == "cs16":
        return np.round(32767 * iq).astype("<i2").tobytes()
    return iq.astype("<f4").tobytes()


def strongest(samples, rate):
    """The frequency of the largest bin, and the width of a bin."""
    spectrum = np.abs(np.fft.fft(samples * np.hanning(len(samples))))
    return np.fft.fftfreq(len(samples), 1 / rate)[np.argmax(spectrum)], rate / len(samples)


class docs_cookbook(ScratchTest):
    """The tutorial and the recipes."""

    def assert_tone(self, samples, rate, hertz):
        samples = np.asarray(samples)[len(samples) // 8:]
        found, bin_hz = strongest(samples - samples.mean() if hertz else samples, rate)
        self.assertLessEqual(abs(abs(found) - abs(hertz)), 2 * bin_hz + 1)

    def audio(self, path):
        with wave.open(str(self.folder / path)) as file:
            wide = file.getsampwidth()
            data = file.readframes(file.getnframes())
            return np.frombuffer(data, f"<i{wide}"), file.getframerate()

    def write(self, name, samples, form):
        (self.folder / name).write_bytes(pairs(samples, form))

    def meta(self, name, form, rate, centre, **more):
        (self.folder / f"{name}.sigmf-meta").write_text(json.dumps({
            "global": {"core:datatype": form, "core:sample_rate": rate, "core:version": "1.0.0"},
            "captures": [{"core:sample_start": 0, "core:frequency": centre}],
            "annotations": [], **more}), encoding="utf-8")

    def program(self, name, text):
        """A program of the reader's, which the recipe finds on the PATH."""
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        self.environment["PATH"] = f"{path.parent}:{self.environment['PATH']}"

    def recipe(self, page, section, **replaced):
        """Runs the blocks of a section one after the other."""
        found = [b for b in blocks(ROOT / "docs" / page) if b.section == section and b.language]
        self.assertTrue(found, section)
        for block in found:
            text = block.text.replace(EXAMPLES, f"{sys.executable} {ROOT / 'examples'}/")
            for old, new in replaced.get("texts", {}).items():
                self.assertIn(old, "".join(b.text for b in found))
                text = text.replace(old, new)
            (self.python if block.language == "python" else self.shell)(text)

    def test_every_recipe_is_tested(self):
        sections = re.findall(r"^## (.*)$", (ROOT / "docs" / "cookbook.md").read_text(), re.M)
        self.assertEqual(11, len(sections))
        source = pathlib.Path(__file__).read_text(encoding="utf-8")
        for section in sections:
            self.assertIn(f'"cookbook.md", "{section}"', source)

    def test_tutorial(self):
        self.recipe("tutorial.md", "A recording")
        self.recipe("tutorial.md", "With the command")
        for name, hertz in (("low", 440), ("high", 1000)):
            self.assert_tone(*self.audio(f"voices/{name}.wav"), hertz)
        self.recipe("tutorial.md", "In Python")
        self.assert_tone(*self.audio("high.wav"), 1000)

    def test_voice(self):
        self.write("recording.sigmf-data", fm(100e3, 700, 960e3, 960000), "cu8")
        self.meta("recording", "cu8", 960000, 145400000)
        self.recipe("cookbook.md", "FM voice from a SigMF recording")
        self.assert_tone(*self.audio("voice/voice.wav"), 700)

    def test_broadcast(self):
        self.write("broadcast.cu8", fm(300e3, 1000, 2.4e6, 480000, 50e3), "cu8")
        self.recipe("cookbook.md", "Broadcast FM")
        self.assert_tone(*self.audio("radio/radio.wav"), 1000)

    def test_trunked(self):
        count, rate = 240000, 2.4e6
        self.write("trunk.cs16", sum(fm(851012500 + i * 25000 - 851.25e6, 400 + 50 * i, rate, count,
                                        2000) for i in (0, 19)) / 2, "cs16")
        sockets, base = free_ports(20)
        for receiver in sockets:
            self.addCleanup(receiver.close)
        self.recipe("cookbook.md", "20 channels of a trunked system to UDP",
                    texts={":7000": f":{base}"})
        for i in (0, 19):
            sockets[i].setblocking(False)
            data = b""
            with contextlib.suppress(BlockingIOError):
                while True:
                    data += sockets[i].recv(2000)
            self.assert_tone(np.frombuffer(data, "<i2"), 16000, 400 + 50 * i)

    def test_pass(self):
        rate, count = 240e3, 1200000
        t = np.arange(count) / rate
        (self.folder / "shift.csv").write_text("".join(
            f"{x / 4},{20e3 - 2000 * x / 4}\n" for x in range(21)), encoding="utf-8")
        self.write("pass.cu8", 0.5 * np.exp(2j * np.pi * (20e3 * t - 1000 * t ** 2)), "cu8")
        self.recipe("cookbook.md", "A satellite pass")
        out = np.fromfile(self.folder / "pass.cf32", np.complex64)
        self.assertEqual(count // 5, len(out))
        self.assert_tone(out, 48e3, 0)

    def test_pi(self):
        modules = os.environ.get("CLDSP_TEST_SOAPY_MODULES")
        if not modules:
            self.skipTest("cldsp was built without SoapySDR")
        # The radio gives CS8 of a file of unsigned bytes, as an RTL-SDR does.
        self.write("air.raw", fm(25e3, 900, 960e3, 960000), "cu8")
        self.environment.update({"SOAPY_SDR_PLUGIN_PATH": modules,
                                 "SOAPY_SDR_ROOT": str(self.folder),
                                 "CLDSP_FAKE_RADIO_FILE": str(self.folder / "air.raw")})
        self.recipe("cookbook.md", "An RTL-SDR on a Pi",
                    texts={"driver=rtlsdr": "driver=cldsp-fake", "--gain 30 ": "",
                           "--seconds 60": "--seconds 0.5"})
        self.assert_tone(*self.audio("pi/aprs.wav"), 900)

    def test_real_stream(self):
        rate, count = 64.8e6, 6480000
        t = np.arange(count) / rate
        real = sum(0.2 * np.cos(2 * np.pi * (hz + 1500) * t) for hz in (7.1e6, 14.074e6, 10e6))
        (self.folder / "air.s16").write_bytes(np.round(32767 * real).astype("<i2").tobytes())
        self.program("rx888_stream", f"#!/bin/sh\ncat {self.folder / 'air.s16'}\n")
        self.recipe("cookbook.md", "A real stream, as of an RX888")
        for name, hertz in (("40m", 7.1e6), ("ft8", 14.074e6), ("time", 10e6)):
            out = np.fromfile(self.folder / "shortwave" / f"{name}.sigmf-data", np.complex64)
            found, bin_hz = strongest(out[len(out) // 4:], 12e3)
            self.assertLessEqual(abs(found - 1500), bin_hz)
            meta = json.loads((self.folder / "shortwave" / f"{name}.sigmf-meta").read_text())
            self.assertEqual(hertz, meta["captures"][0]["core:frequency"])

    def test_programs(self):
        self.write("wide.cu8", fm(-25e3, 800, 2.4e6, 480000), "cu8")
        self.recipe("cookbook.md", "Channels to several programs")
        for name in ("ais1", "ais2"):
            data = subprocess.run(["gzip", "-dc", self.folder / f"{name}.cs16.gz"],
                                  stdout=subprocess.PIPE, check=True).stdout
            self.assertEqual(480000 // 50 * 4, len(data))

    def test_annotations(self):
        self.write("survey.sigmf-data", fm(200e3, 600, 960e3, 480000), "cu8")
        self.meta("survey", "cu8", 960000, 433900000, annotations=[
            {"core:sample_start": 1000, "core:sample_count": 2000, "core:freq_lower_edge": low,
             "core:freq_upper_edge": low + 20000} for low in (433590000, 434090000)])
        self.recipe("cookbook.md", "Cut by annotations")
        powers = []
        for name in ("a0", "a1"):
            out = np.fromfile(self.folder / "cuts" / f"{name}.sigmf-data", np.complex64)
            powers.append(np.mean(np.abs(out) ** 2))
            meta = json.loads((self.folder / "cuts" / f"{name}.sigmf-meta").read_text())
            self.assertEqual(1, len(meta["annotations"]))
        self.assertGreater(powers[1], 1000 * powers[0])

    def test_numpy(self):
        if not NUMPY_PACKAGE.is_dir():
            self.skipTest("the package for NumPy is not in this tree")
        self.write("band.cf32", fm(60e3 + 1000, 500, 1e6, 500000, 0.001), "cf32")
        self.recipe("cookbook.md", "NumPy", texts={
            "    channels = bank.process(samples)":
                "    channels = bank.process(samples)\nnp.save('out.npy', channels[1])"})
        found, bin_hz = strongest(np.load(self.folder / "out.npy")[100:], 20e3)
        self.assertLessEqual(abs(found - 1000), bin_hz)

    def test_c(self):
        self.write("band.cf32", fm(60e3 + 1000, 500, 1e6, 200000, 0.001), "cf32")
        self.program("pkg-config", f"#!/bin/sh\necho -I{ROOT / 'include'} "
                     f"-L{options.build / 'lib' / 'engine'} -lcldsp\n")
        self.recipe("cookbook.md", "C", texts={"examples/library": f"{ROOT / 'examples/library'}"})
        found, bin_hz = strongest(np.fromfile(self.folder / "channel4.cf32", np.complex64)[100:],
                                  20e3)
        self.assertLessEqual(abs(found - 1000), bin_hz)

    def test_gpu_server(self):
        # A machine without a GPU runs the same program on what it has.
        self.recipe("cookbook.md", "A GPU server", texts={
            'device="gpus"': 'device="host"', "10**8": "10**6"})


def free_ports(count):
    """Sockets at neighbouring UDP ports, and the first port."""
    for base in range(20000, 30000, count):
        sockets = []
        try:
            for i in range(count):
                sockets.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                sockets[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
                sockets[-1].bind(("127.0.0.1", base + i))
            return sockets, base
        except OSError:
            for one in sockets:
                one.close()
    raise unittest.SkipTest("no free ports")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    options.build = options.build.resolve()
    if not (options.build / "apps" / "cldsp").exists() or not shutil.which("cc"):
        print("skipped: the command cldsp was not built, or there is no compiler")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
