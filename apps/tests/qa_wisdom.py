#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of `cldsp wisdom`."""

import contextlib
import json
import os
import subprocess
import unittest

from support import PROGRAM, TIMEOUT, CommandTest


class WisdomTest(CommandTest):

    def write(self, content):
        folder = self.folder / "cache" / "gr-cldsp"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "wisdom.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content),
                        encoding="utf-8")
        return path

    def two_kinds(self):
        return self.write({
            "format": 1,
            "plans": {"a problem": {"answer": {"rows": 4}, "time": 1000000000}},
            "fftw": {"a transform": {"answer": "text", "time": 1000000001}}})

    def test_nothing_yet(self):
        self.assertEqual(self.run_json("wisdom", "list")["entries"], [])
        self.assertIn("0 answers", self.run_command("wisdom", "list").stdout)
        done = self.run_command("wisdom", "clear")
        self.assertEqual(done.returncode, 0)
        self.assertFalse((self.folder / "cache" / "gr-cldsp" / "wisdom.json").exists())

    def test_list(self):
        path = self.two_kinds()
        found = self.run_json("wisdom", "list")
        self.assertEqual(found["file"], str(path))
        self.assertEqual(
            sorted((e["kind"], e["key"], e["time"]) for e in found["entries"]),
            [("fftw", "a transform", "2001-09-09T01:46:41Z"),
             ("plans", "a problem", "2001-09-09T01:46:40Z")])
        self.assertIn({"rows": 4}, [e["answer"] for e in found["entries"]])
        text = self.run_command("wisdom", "list").stdout
        self.assertIn("2 answers", text)
        self.assertEqual(text.splitlines()[2:], [
            "  kind   question     answer                    measured",
            "  fftw   a transform  plans of FFTW, 4 bytes  2001-09-09",
            "  plans  a problem    rows 4                  2001-09-09"])

    def test_the_table_is_for_people(self):
        machine = "AMD EPYC, simd_avx2, 2 cores, gr-cldsp 0.1.0"
        self.write({
            "format": 1,
            "plans": {"freq_xlating_filter_bank cu8 taps=101r decimation=42 channels=2 items=8400 "
                      "threads=2 kept=100% device=auto variant=auto transfer=copy accuracy=1e-05 "
                      f"profile= kernels=0123 vkfft=1 | 0:0 a GPU | host {machine}": {
                          "answer": {"algorithm": "fast_convolution", "variant": "polyphase",
                                     "device": "host", "measured": 6e8, "rows": 0},
                          "time": 1000000000}},
            "fftw": {f"{machine}, (fftw-3.3.10 fftwf_wisdom #x70": {
                "answer": "(fftw-3.3.10 fftwf_wisdom #x70\n (fftwf_codelet" + 900 * "x",
                "time": 1000000000}},
            "tuning": {"fir 1 | device": {"answer": {"seconds": 0.5, "default_seconds": 1.0},
                                          "time": 1000000000}}})
        text = self.run_command("wisdom", "list").stdout
        self.assertIn("bank cu8 taps=101r decimation=42 channels=2 items=8400", text)
        self.assertIn("fast_convolution/polyphase on host, 600 MS/s", text)
        self.assertIn("2.00 times as fast as the usual values", text)
        for technical in ("kernels=", "vkfft=", "codelet", "fftwf_wisdom"):
            self.assertNotIn(technical, text)
        self.assertLess(max(map(len, text.splitlines()[1:])), 160)

    def test_rows_can_be_told_apart(self):
        machine = "Some processor of a long name with many cores, simd_avx512, 2 cores, gr-cldsp 0.1.0"
        questions = [machine + ", the arithmetic", machine + ", the far memory", machine,
                     "bank cu8 " + 40 * "x" + " taps=101r decimation=42",
                     "bank cu8 " + 40 * "x" + " taps=101r decimation=43",
                     "bank cs8 threads=1 | 0:0 a GPU", "bank cs8 threads=2 | 0:0 a GPU"]
        self.write({"format": 1, "calibration": {
            q: {"answer": {"factor": 0.123456789012}, "time": 1000000000} for q in questions}})
        rows = self.run_command("wisdom", "list").stdout.splitlines()[3:]
        self.assertEqual(len(set(rows)), len(questions), rows)
        for part in ("the arithmetic", "the far memory", "decimation=42", "decimation=43"):
            self.assertEqual(sum(part in row for row in rows), 1, rows)
        self.assertLess(max(map(len, rows)), 110)
        self.assertTrue(all("factor 0.123 " in row for row in rows), rows)

    def test_list_of_one_kind(self):
        self.two_kinds()
        entries = self.run_json("wisdom", "list", "--kind", "fftw")["entries"]
        self.assertEqual([e["key"] for e in entries], ["a transform"])

    def test_clear(self):
        path = self.two_kinds()
        self.assertIn("1 answer ",
                      self.run_command("wisdom", "clear", "--kind", "fftw").stdout)
        self.assertEqual([e["kind"] for e in self.run_json("wisdom", "list")["entries"]],
                         ["plans"])
        self.assertEqual(self.run_command("wisdom", "clear").returncode, 0)
        self.assertEqual(json.loads(path.read_text(encoding="utf-8")), {"format": 1})

    def clear_at_a_terminal(self, reply, *arguments):
        """What is said on a terminal, at which a person writes a line."""
        ours, terminal = os.openpty()
        with os.fdopen(ours, "r+b", buffering=0) as person:
            process = subprocess.Popen([PROGRAM, "wisdom", "clear", *arguments],
                                       env=self.environment, stdin=terminal, stdout=terminal,
                                       stderr=terminal)
            os.close(terminal)
            person.write(reply)
            said = b""
            with contextlib.suppress(OSError):  # the terminal ends with the process
                while part := person.read(1000):
                    said += part
            self.assertEqual(process.wait(TIMEOUT), 0)
        return said.decode()

    def test_clear_asks_at_a_terminal(self):
        path = self.two_kinds()
        for reply in (b"n\n", b"\n", b"\x04"):
            said = self.clear_at_a_terminal(reply)
            self.assertIn(f"Drop 2 answers from {path}? 'cldsp wisdom export FILE'", said)
            self.assertIn("nothing was dropped", said)
        self.assertEqual(len(self.run_json("wisdom", "list")["entries"]), 2)
        self.assertIn("2 answers dropped", self.clear_at_a_terminal(b"y\n"))
        self.assertEqual(self.run_json("wisdom", "list")["entries"], [])
        for arguments in (["--yes"], ["-y"], ["--kind", "plans"]):
            self.two_kinds()
            self.assertNotIn("?", self.clear_at_a_terminal(b"", *arguments))

    def test_clear_of_programs(self):
        path = self.two_kinds()
        program = path.parent / "program-0123456789abcdef.bin"
        other = path.parent / "program-notes.txt"
        for file in (program, other):
            file.write_text("", encoding="utf-8")
        self.run_command("wisdom", "clear")
        self.assertTrue(program.exists())
        self.assertIn("1 compiled program removed",
                      self.run_command("wisdom", "clear", "--programs").stdout)
        self.assertFalse(program.exists())
        self.assertTrue(other.exists())

    def test_export_and_import(self):
        path = self.two_kinds()
        exported = self.folder / "exported.json"
        done = self.run_command("wisdom", "export", str(exported))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("2 answers", done.stdout)
        before = self.run_json("wisdom", "list")["entries"]
        path.unlink()
        self.assertEqual(self.run_json("wisdom", "list")["entries"], [])
        done = self.run_command("wisdom", "import", str(exported))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 added", done.stdout)
        self.assertEqual(self.run_json("wisdom", "list")["entries"], before)
        self.assertIn("0 added, 0 replaced, 2",
                      self.run_command("wisdom", "import", str(exported)).stdout)

    def test_export_of_one_kind(self):
        self.two_kinds()
        done = self.run_command("wisdom", "export", "--kind", "fftw", "-")
        self.assertEqual(list(json.loads(done.stdout)["fftw"]), ["a transform"])
        self.assertNotIn("plans", json.loads(done.stdout))

    def test_the_younger_answer_stays(self):
        self.two_kinds()
        other = self.folder / "other.json"
        other.write_text(json.dumps({
            "format": 1,
            "plans": {"a problem": {"answer": {"rows": 8}, "time": 1000000002}},
            "fftw": {"a transform": {"answer": "older", "time": 999999999}}}),
            encoding="utf-8")
        self.assertIn("0 added, 1 replaced, 1",
                      self.run_command("wisdom", "import", str(other)).stdout)
        answers = [e["answer"] for e in self.run_json("wisdom", "list")["entries"]]
        self.assertEqual(answers, ["text", {"rows": 8}])

    def test_files_of_no_use(self):
        damaged = self.folder / "damaged.json"
        damaged.write_text("{ damaged", encoding="utf-8")
        for arguments in (["import", str(damaged)], ["import", "/nonexistent"],
                          ["export", "/nonexistent/file"]):
            done = self.run_command("wisdom", *arguments)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn(arguments[1], done.stderr)
            self.assertEqual(done.stdout, "")

    def test_damaged_file(self):
        path = self.write("{ damaged")
        done = self.run_command("wisdom", "list")
        self.assertEqual(done.returncode, 0)
        self.assertIn("damaged", done.stderr)
        self.assertEqual(self.run_command("wisdom", "clear").returncode, 0)
        self.assertEqual(json.loads(path.read_text(encoding="utf-8")), {"format": 1})

    def test_hostile_files(self):
        deep = "[" * 100000 + "]" * 100000
        answer = '{"format": 1, "plans": {"a": {"time": 1, "answer": %s}}}'
        exported = self.folder / "exported.json"
        for content in (answer % deep,
                        answer % json.dumps('{"a": ' + deep + "}"),
                        '{"a": ' * 100000 + "1" + "}" * 100000):
            for arguments in (["list"], ["list", "--json"], ["export", str(exported)],
                              ["clear", "--kind", "plans"], ["clear"]):
                path = self.write(content)
                done = self.run_command("wisdom", *arguments)
                self.assertEqual(done.returncode, 0, (arguments, done.stderr))
            self.assertEqual(json.loads(path.read_text(encoding="utf-8")), {"format": 1})
            exported.write_text(content, encoding="utf-8")
            done = self.run_command("wisdom", "import", str(exported))
            self.assertIn(done.returncode, (0, 1), done.stderr)

    def test_what_is_no_file(self):
        path = self.write("")
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for source in (pipe, "/dev/zero", self.folder):
            done = self.run_command("wisdom", "import", str(source))
            self.assertEqual(done.returncode, 1, source)
            self.assertIn("no regular file", done.stderr)
        for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
            path.unlink()
            make(path)
            self.assertEqual(self.run_command("wisdom", "list").returncode, 0)
            self.assertEqual(self.run_command("wisdom", "clear").returncode, 0)
            self.assertEqual(json.loads(path.read_text(encoding="utf-8")), {"format": 1})
        path.unlink()
        path.mkdir()
        done = self.run_command("wisdom", "clear")
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(path), done.stderr)

    def test_texts_that_command_a_terminal(self):
        self.write({"format": 1, "plans": {
            "\x1b[2Jkey": {"answer": "\x1b]0;text\x07", "time": 1}}})
        self.assertNotIn("\x1b", self.run_command("wisdom", "list").stdout)

    def test_no_folder(self):
        done = self.run_command("wisdom", "list", XDG_CACHE_HOME=None, HOME=None)
        self.assertEqual(done.returncode, 1)
        self.assertIn("XDG_CACHE_HOME", done.stderr)


if __name__ == "__main__":
    unittest.main()
