#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of the files that describe the project to others: MANIFEST.md, CITATION.cff, PyBOMBS's
recipes."""

import datetime
import pathlib
import re
import sys
import unittest

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^set\(VERSION (\S+)\)", text, re.MULTILINE)[1]


class metadata(unittest.TestCase):

    def text(self, value):
        self.assertIsInstance(value, str)
        self.assertTrue(value.strip())

    def texts(self, values):
        self.assertIsInstance(values, list)
        self.assertTrue(values)
        for value in values:
            self.text(value)

    def test_manifest(self):
        # CGRAN takes what comes before the first three hyphens as YAML, the rest as Markdown.
        text = (ROOT / "MANIFEST.md").read_text(encoding="utf-8")
        header, separator, body = text.partition("---")
        self.assertEqual(separator, "---")
        self.text(body)
        fields = yaml.safe_load(header)
        for name in ("title", "brief", "license"):
            self.text(fields.pop(name))
        for name in ("tags", "author", "copyright_owner", "dependencies", "gr_supported_version"):
            values = fields.pop(name)
            self.texts(values)
            # CGRAN stores a list as one joined text, and shows all lists but the dependencies in a
            # line.
            self.assertLessEqual(len(", ".join(values)), 500, name)
            if name == "gr_supported_version":
                for value in values:
                    self.assertRegex(value, r"^v3\.\d+$")
        for name in ("repo", "website", "icon"):
            if name in fields:
                self.assertRegex(fields.pop(name), r"^https://[^/]+/.")
        self.assertEqual(fields, {}, "unknown fields")

    def test_citation(self):
        fields = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        self.assertEqual(fields["cff-version"], "1.2.0")
        self.assertEqual(fields["type"], "software")
        self.assertEqual(str(fields["version"]), version())
        for name in ("message", "title", "abstract", "license"):
            self.text(fields[name])
        self.texts(fields["keywords"])
        for author in fields["authors"]:
            self.text(author.get("name") or author["family-names"])
        if "date-released" in fields:
            self.assertIsInstance(fields["date-released"], datetime.date)

    def test_license(self):
        manifest = (ROOT / "MANIFEST.md").read_text(encoding="utf-8").partition("---")[0]
        citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        self.assertEqual(yaml.safe_load(manifest)["license"], citation["license"])

    def test_recipes(self):
        recipes = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
                   for path in (ROOT / "packaging" / "pybombs").glob("*.lwr")}
        for name, recipe in recipes.items():
            with self.subTest(name):
                self.assertIn(recipe["category"], ("baseline", "common", "hardware"))
                self.assertEqual(recipe["inherit"], "cmake")
                self.assertRegex(recipe["source"], r"^git\+https://[^/]+/.+\.git$")
                self.text(recipe["vars"]["config_opt"])
        own = recipes.pop("gr-cldsp")
        self.text(own["description"])
        self.text(own["gitbranch"])
        self.texts(own["depends"])
        # A recipe beside that of the module is there because the module depends on it.
        self.assertLessEqual(set(recipes), set(own["depends"]))


if __name__ == "__main__":
    unittest.main()
