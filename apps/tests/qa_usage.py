#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of the command line itself: exit status, help, and every command and option in the
manual and in the completion."""

import os
import re
import shlex
import shutil
import subprocess
import unittest

from support import PROGRAM, SOURCE, CommandTest


class UsageTest(CommandTest):

    def commands(self, *parents):
        """The names of the commands in the help."""
        text = self.run_command(*parents, "--help").stdout
        listed = re.split(r"^Commands:$", text, flags=re.M)
        if len(listed) == 1:
            return []
        return re.findall(r"^  ([a-z_]+)\s", listed[1].split("\n\n")[0], flags=re.M)

    def leaves(self):
        """Each command that can be run, with its parent commands."""
        for command in self.commands():
            children = self.commands(command)
            for child in children:
                yield (command, child)
            if not children:
                yield (command,)

    def options(self, *command):
        text = self.run_command(*command, "--help").stdout
        return set(re.findall(r"^  (?:-[a-z],)?(--[a-z-]+)", text, flags=re.M))

    def test_commands(self):
        self.assertLessEqual({"bench", "channelize", "devices", "doctor", "roofline", "tune", "wisdom"},
                             set(self.commands()))

    def test_help_and_version(self):
        for arguments in ([], ["wisdom"], *self.leaves()):
            done = self.run_command(*arguments, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Usage: cldsp", done.stdout)
            self.assertEqual(done.stderr, "")
        done = self.run_command("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^cldsp \d+\.\d+\.\d+\n$")

    def test_help_in_words(self):
        for arguments in ([], ["wisdom"], *self.leaves()):
            self.assertEqual(self.run_command("help", *arguments).stdout,
                             self.run_command(*arguments, "--help").stdout)
        for arguments in (["help", "channlize"], ["channlize", "--help"]):
            done = self.run_command(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("did you mean 'channelize'?", done.stderr)

    def test_the_form_of_the_help(self):
        for arguments in ([], ["wisdom"], *self.leaves()):
            text = self.run_command(*arguments, "--help").stdout
            self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
            self.assertFalse(re.findall(r" $|\n\n\n", text, flags=re.M), text)
        text = self.run_command("channelize", "--help").stdout
        self.assertEqual(re.findall(r"^(\w[\w ]*):$", text, flags=re.M),
                         ["Input", "Radios", "Channels", "Audio", "Output", "Engine",
                          "Other options", "Examples"])
        self.assertRegex(text, r"(?m)^  --demod \{fm,am\}  +M")
        self.assertRegex(text, r"(?m)^  INPUT  +A SigMF")
        self.assertIn("  --repetitions NUMBER      Default: 5; 1 to 1000\n",
                      self.run_command("bench", "--help").stdout)
        # The command for which people come is the first one.
        self.assertEqual(self.commands()[0], "channelize")

    def test_wrong_usage(self):
        wrong = [[], ["nonsense"], ["--nonsense"], ["devices", "doctor"], ["wisdom"],
                 ["wisdom", "nonsense"]]
        wrong += [[*command, "--nonsense"] for command in self.leaves()]
        for arguments in wrong:
            done = self.run_command(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stdout, "")
            self.assertTrue(done.stderr, arguments)

    def test_suggestions(self):
        for words, meant in ((["channlize"], "channelize"), (["chanelise"], "channelize"),
                             (["docter"], "doctor"), (["wisdom", "lst"], "list"),
                             (["channelize", "--demodulate"], "--demod"),
                             (["channelize", "--chanel", "0,8k"], "--channel"),
                             (["bench", "--quik"], "--quick")):
            done = self.run_command(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"did you mean '{meant}'?", done.stderr)
        self.assertIn("no command 'nonsense'", self.run_command("nonsense").stderr)
        for words in (["nonsense"], ["devices", "--xyzzy"], []):
            self.assertNotIn("did you mean", self.run_command(*words).stderr)

    def test_no_command(self):
        # The first thing that a newcomer types says what there is, and an example.
        text = self.run_command().stderr
        for command in self.commands():
            self.assertRegex(text, rf"(?m)^  {command} +[A-Z]")
        self.assertIn("Example: cldsp channelize", text)
        text = self.run_command("wisdom").stderr
        self.assertIn("Usage: cldsp wisdom", text)
        self.assertRegex(text, r"(?m)^  clear +[A-Z]")

    def test_errors_are_sentences(self):
        for words, says in (
                (["devices", "extra"], "extra; 'cldsp devices --help' lists"),
                (["wisdom", "list", "--xyzzy"],
                 "there is no option '--xyzzy'; 'cldsp wisdom list --help' lists"),
                (["channelize", "--ppm", "x"], "--ppm = x; 'cldsp channelize --help'"),
                (["channelize", "x", "--demod", "ssb"],
                 "parameter '--demod' is 'ssb', but must be fm or am"),
                (["channelize", "x", "--plan", "soon"],
                 "parameter '--plan' is 'soon', but must be auto or wait"),
                (["bench", "W1", "--device", "host", "--quick", "--kernels", "none,no"],
                 "parameter '--kernels' is 'none', 'no', but must be")):
            done = self.run_command(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertTrue(done.stderr.startswith("cldsp: "), done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(says, done.stderr)

    def test_errors_do_nothing_to_a_terminal(self):
        for text, shown in (("a\x1b[2Jb", r"a\x1b[2Jb"), ("\u009b2J", r"\x9b2J"),
                            ("a\rb\x7f", r"a\x0db\x7f")):
            for arguments in (["channelize", text, "--rate", "1M", "--channel", "0,8k",
                                       "--type", "cu8", "--out", "x"],
                              ["channelize", "/dev/null", "--type", "cu8", "--rate", "1M",
                               "--channel", "0,8k,taste=" + text]):
                done = self.run_command(*arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(shown, done.stderr)
                self.assertTrue(all(c == "\n" or c.isprintable() for c in done.stderr), done.stderr)

    def test_output_that_cannot_be_written(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "wisdom", "list"], env=self.environment,
                                  stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not be written", done.stderr)

    def test_convert_without_a_standard_output(self):
        good = SOURCE / "examples" / "xlating_compare.grc"
        output = ["--output", self.folder / "made.grc", "--overwrite"]
        if self.run_command("convert", good, *output).returncode != 0:
            self.skipTest("no GNU Radio Companion")
        unwritten = "the output could not be written"
        # Python's own buffer may or may not notice the failure before its end.
        for flowgraph, unbuffered, says in (
                (good, "", unwritten), (good, "1", unwritten),
                (self.folder / "none.grc", "", "none.grc: there is no such file")):
            done = subprocess.run(
                [PROGRAM, "convert", flowgraph, *output], check=False, text=True,
                env={**self.environment, "PYTHONUNBUFFERED": unbuffered},
                stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(says, done.stderr)

    def test_the_manual_knows_everything(self):
        text = (SOURCE / "docs" / "cldsp.1").read_text(encoding="utf-8").replace("\\", "")
        sections = dict(zip(*[iter(re.split(r"^\.SS (\w+)$", text, flags=re.M)[1:])] * 2))
        for command, *child in self.leaves():
            self.assertIn(command, sections)
            for word in [*child, *self.options(command, *child) - {"--help"}]:
                self.assertIn(word, sections[command], command)

    def complete(self, *words):
        """The completions that bash offers for the last word."""
        script = SOURCE / "apps" / "completion" / "cldsp.bash"
        quoted = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(
            ["bash", "--norc", "-c",
             f"source {shlex.quote(str(script))}; "
             f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
             "_cldsp; printf '%s\\n' \"${COMPREPLY[@]}\""],
            env={**self.environment,
                 "PATH": f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"},
            capture_output=True, text=True, check=True)
        return set(done.stdout.split())

    def complete_in_fish(self, *words):
        """What fish offers for the last word."""
        script = SOURCE / "apps" / "completion" / "cldsp.fish"
        line = shlex.quote(" ".join(words))
        return self.words_of("fish", "--no-config", "-c",
                             f"source {shlex.quote(str(script))}; complete -C {line}")

    def complete_in_zsh(self, *words):
        """What zsh is offered for the last word, by functions that print it."""
        script = SOURCE / "apps" / "completion" / "_cldsp"
        quoted = " ".join(shlex.quote(word) for word in words)
        return self.words_of(
            "zsh", "-f", "-c",
            "compdef() { :; }; _files() { print FILES; }; compadd() { print -l -- ${@:#--}; };"
            "_describe() { print -l -- ${(P)2%%:*}; };"
            f"source {shlex.quote(str(script))}; words=({quoted}); CURRENT={len(words)}; _cldsp")

    def words_of(self, *command):
        done = subprocess.run(
            command, capture_output=True, text=True, check=True,
            env={**self.environment, "HOME": str(self.folder),
                 "PATH": f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"})
        self.assertEqual(done.stderr, "")
        return {line.split("\t")[0] for line in done.stdout.splitlines()}

    def test_other_shells(self):
        shells = {"fish": self.complete_in_fish, "zsh": self.complete_in_zsh}
        present = [shell for shell in shells if shutil.which(shell)]
        if not present:
            self.skipTest("neither fish nor zsh")
        for shell in present:
            with self.subTest(shell):
                complete = shells[shell]
                self.assertEqual(complete("cldsp", ""), set(self.commands()))
                self.assertEqual(complete("cldsp", "wisdom", ""), set(self.commands("wisdom")))
                for leaf in (("channelize",), ("bench",), ("wisdom", "list")):
                    self.assertEqual(complete("cldsp", *leaf, "--"), self.options(*leaf), leaf)
                self.assertEqual(complete("cldsp", "channelize", "x", "--demod", ""),
                                 {"fm", "am"})
                self.assertLessEqual({"auto", "host"},
                                     complete("cldsp", "channelize", "--device", ""))

    def test_the_completion_knows_everything(self):
        if not shutil.which("bash"):
            self.skipTest("no bash")
        self.assertEqual(self.complete("cldsp", ""), set(self.commands()))
        self.assertEqual(self.complete("cldsp", "help", ""), set(self.commands()))
        self.assertEqual(self.complete("cldsp", "--"), {"--version", "--help"})
        for command in self.commands():
            children = self.commands(command)
            if children:
                self.assertEqual(self.complete("cldsp", command, ""), set(children))
        for leaf in self.leaves():
            self.assertEqual(self.complete("cldsp", *leaf, "--"), self.options(*leaf), leaf)
        known = self.run_command("bench", "--input", "none").stderr.split("must be one of ")[1]
        types = set(re.findall(r"\w+", known))
        self.assertEqual(self.complete("cldsp", "bench", "--input", ""), types)
        self.assertEqual(self.complete("cldsp", "channelize", "--type", ""),
                         types - {"fc32"} | {"cf32", "wav", "sigmf"})
        self.assertIn("vc4", self.complete("cldsp", "bench", "--profile", ""))
        help_text = self.run_command("bench", "--help").stdout.split("Workloads:")[1]
        workloads = set(re.findall(r"^  ([\w-]+)", help_text, flags=re.M))
        self.assertEqual(self.complete("cldsp", "bench", ""), workloads)


if __name__ == "__main__":
    unittest.main()
