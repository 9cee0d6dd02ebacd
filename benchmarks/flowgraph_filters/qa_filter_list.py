#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Lists of filters that bench_flowgraph_filters has to refuse, and the shipped one."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
SHIPPED = pathlib.Path(__file__).parent / "filters.json"


class FilterListTest(unittest.TestCase):

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.filter = {"type": "ccf", "decimation": 4, "center_freq": 1e3,
                       "sampling_freq": 48e3, "taps": 3, "complex_taps": False, "uses": 1,
                       "repository": "someone/something", "flowgraph": "receiver",
                       "format": "yaml", "block": "filter_0"}

    def refusal(self, text, taps=b"\0\0\x80\x3f" * 3):
        """Runs the program with a bad list; returns its error text."""
        path = self.folder / "filters.json"
        path.write_text(text, encoding="utf-8")
        (self.folder / "taps.f32").write_bytes(taps)
        environment = {k: v for k, v in os.environ.items() if k != "VOLK_GENERIC"}
        done = subprocess.run([PROGRAM, "--quick", "--filters", path], env=environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotIn("ratio", done.stdout)
        return done.stderr

    def changed(self, **members):
        return json.dumps({"taps_file": "taps.f32", "filters": [self.filter | members]})

    def test_a_bad_member_is_named(self):
        for member, values in {
                "type": ["cfc", "", 3, None], "decimation": [0, -1, 1.5, "4", 2**31],
                "sampling_freq": [0, -1, "fast"], "center_freq": ["high", None],
                "taps": [0, -3, 2.5], "uses": [0], "complex_taps": [1, True]}.items():
            for value in values:
                with self.subTest(member=member, value=value):
                    text = self.refusal(self.changed(**{member: value}))
                    self.assertIn("filters.json", text)
                    self.assertIn("filter 0", text)
                    # A library's message about a wrong type names that alone.
                    self.assertTrue(member in text or "type must be" in text, text)

    def test_a_missing_member_is_named(self):
        for member in self.filter.keys() - {"format"}:  # which only people read
            rest = {k: v for k, v in self.filter.items() if k != member}
            with self.subTest(member=member):
                self.assertIn(f"'{member}'", self.refusal(json.dumps(
                    {"taps_file": "taps.f32", "filters": [rest]})))

    def test_taps_have_to_fit(self):
        self.assertIn("beyond the end", self.refusal(self.changed(), b"\0\0\x80\x3f" * 2))
        self.assertIn("1 values more", self.refusal(self.changed(), b"\0\0\x80\x3f" * 4))
        self.assertIn("whole number of values", self.refusal(self.changed(), b"\0" * 11))
        self.assertIn("taps", self.refusal(self.changed(), b"\0\0\xc0\x7f" * 3))  # NaN

    def test_no_list(self):
        for text in ("", "[]", "{}", "{\"taps_file\": \"taps.f32\"}",
                     "{\"taps_file\": \"taps.f32\", \"filters\": []}",
                     "{\"taps_file\": \"taps.f32\", \"filters\": {}}"):
            self.assertIn("filters.json", self.refusal(text))
        self.assertIn("none.f32: cannot be opened", self.refusal(json.dumps(
            {"taps_file": "none.f32", "filters": [self.filter]})))

    def test_nothing_chosen(self):
        done = subprocess.run([PROGRAM, "--only", "no such filter"], capture_output=True,
                              text=True, check=False,
                              env={k: v for k, v in os.environ.items() if k != "VOLK_GENERIC"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such filter", done.stderr)

    def test_the_shipped_list(self):
        shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
        filters = shipped["filters"]
        taps = sum(f["taps"] * (2 if f["complex_taps"] else 1) for f in filters)
        self.assertEqual((SHIPPED.parent / shipped["taps_file"]).stat().st_size, 4 * taps)
        sources = {(f["repository"], f["flowgraph"], f["block"]) for f in filters}
        self.assertEqual(len(sources), len(filters))
        self.assertEqual({f["format"] for f in filters}, {"yaml", "xml"})


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
