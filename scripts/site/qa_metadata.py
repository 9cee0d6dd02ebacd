#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of the files that describe the project to others: MANIFEST.md and .yml, CITATION.cff, the
recipes of PyBOMBS and conda."""

import datetime
import pathlib
import re
import subprocess
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

    def test_one_source(self):
        subprocess.run([sys.executable, "-B", ROOT / "scripts" / "write-metadata", "--check"],
                       check=True)

    def test_manifest_of_gr_modtool(self):
        fields = yaml.safe_load((ROOT / "MANIFEST.yml").read_text(encoding="utf-8"))
        header = (ROOT / "MANIFEST.md").read_text(encoding="utf-8").partition("---")[0]
        other = yaml.safe_load(header)
        self.assertEqual(fields["file_format"], 1)
        self.assertEqual(fields["version"], version())
        self.assertEqual([f"v{each}" for each in fields["gr_supported_version"]],
                         other["gr_supported_version"])
        for name in ("title", "brief", "tags", "author", "copyright_owner", "license",
                     "dependencies"):
            self.assertEqual(fields[name], other[name], name)
        self.text(fields["description"])

    def test_conda_recipe(self):
        try:
            import jinja2
        except ImportError:
            self.skipTest("python3-jinja2 is not installed")
        text = (ROOT / ".conda" / "recipe" / "meta.yaml").read_text(encoding="utf-8")
        # As conda renders it on Linux, not on another machine than that of the packages.
        kept = [line for line in text.splitlines()
                if not re.search(r"# \[(not linux|build_platform != target_platform)\]", line)
                and 'os.environ.get("CI")]' not in line.replace("not os", "")]
        rendered = jinja2.Template("\n".join(kept)).render(
            compiler=lambda language: f"{language}_compiler", environ={})
        recipe = yaml.safe_load(rendered)
        self.assertEqual(recipe["package"], {"name": "gnuradio-cldsp", "version": version()})
        self.assertEqual(recipe["about"]["license"], "GPL-3.0-or-later")
        self.assertTrue((ROOT / recipe["about"]["license_file"]).exists())
        self.assertLessEqual(len(recipe["about"]["summary"]), 80)
        for part in ("build", "host", "run"):
            self.texts(recipe["requirements"][part])
        self.assertIn("gnuradio-core", recipe["requirements"]["host"])
        self.assertEqual(recipe["test"]["imports"], ["gnuradio.cldsp", "cldsp"])
        settings = yaml.safe_load((ROOT / ".conda" / "conda-forge.yml").read_text(encoding="utf-8"))
        self.assertTrue((ROOT / settings["recipe_dir"] / "meta.yaml").exists())

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
