#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Tests of the programs that build the site: they find faults in pages and docstrings."""

import pathlib
import re
import tempfile
import types
import unittest

import check_links
import python_reference


class links(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.site = pathlib.Path(folder.name)
        (self.site / "images").mkdir()
        (self.site / "images" / "a b.png").write_bytes(b"")
        (self.site / "index.html").write_text("<h1>Front page</h1>")
        (self.site / "b.html").write_text('<h1 id="here">B</h1><a name="there"></a>')

    def faults(self, text, page="a.html"):
        (self.site / page).parent.mkdir(parents=True, exist_ok=True)
        (self.site / page).write_text(text)
        return check_links.check(self.site)

    def test_good(self):
        faults, count = self.faults(
            '<p id="top"><a href="#top"><a href="b.html"><a href="b.html#here">'
            '<a href="b.html#there"><img src="images/a%20b.png">'
            '<a href="https://example.org/no#thing"><a href="mailto:x@example.org">')
        self.assertEqual(faults, [])
        self.assertEqual(count, 5)

    def test_bad(self):
        for link in ("no.html", "images/no.png", "images", "../outside.html", "b.html#no", "#no"):
            with self.subTest(link):
                tag = f'<img src="{link}">' if link.endswith("png") else f'<a href="{link}">'
                faults, _ = self.faults(f"<p>\n{tag}")
                self.assertEqual(len(faults), 1)
                self.assertIn(f"a.html:2: {link}: ", faults[0])

    def test_doxygen(self):
        faults, _ = self.faults('<a href="../../index.html"><a href="#no">'
                                '<a href="../../b.html#no"><a href="no.html">',
                                "reference/cpp/c.html")
        self.assertEqual(len(faults), 1)
        self.assertIn("no.html", faults[0])

    def test_way_back(self):
        (self.site / "reference" / "cpp" / "search").mkdir(parents=True)
        (self.site / "reference" / "cpp" / "search" / "d.html").write_text("<p>")
        faults, _ = self.faults('<a href="../../b.html">', "reference/cpp/c.html")
        self.assertEqual(faults, ["reference/cpp/c.html: no link leads to the front page"])


class pictures(unittest.TestCase):
    """Those of the pages: scripts/pictures makes each one, some page shows it, and it is small."""

    ROOT = pathlib.Path(__file__).resolve().parents[2]
    MOST_BYTES = 300000

    def test_each(self):
        images = self.ROOT / "docs" / "images"
        script = (self.ROOT / "scripts" / "pictures").read_text()
        made = set(re.findall(r"^picture_(\w+)\(\)", script, re.MULTILINE))
        files = {path.stem: path for path in images.iterdir() if path.suffix in (".png", ".svg")}
        del files["icon"]
        self.assertEqual(made, set(files))
        pages = [self.ROOT / "README.md", *(self.ROOT / "docs").glob("*.md"),
                 *(self.ROOT / "examples").glob("*.md")]
        text = "".join(page.read_text(encoding="utf-8") for page in pages)
        self.assertEqual([], [path.name for path in files.values()
                              if f"images/{path.name})" not in text])
        sizes = {path.name: path.stat().st_size for path in files.values()}
        self.assertEqual({}, {name: n for name, n in sizes.items() if n > self.MOST_BYTES})


def binding(name, arguments, doc, result="None"):
    """A function as pybind11 makes it, as far as its docstring goes."""
    return types.SimpleNamespace(__doc__=f"{name}({arguments}) -> {result}\n\n{doc}\n")


class reference(unittest.TestCase):
    def block(self, taps, set_taps="Sets the taps, at most max_taps()."):
        constructor = binding(
            "__init__", f"self: x.y, taps: List[{taps}], policy: gnuradio.gr.gr_python.p = "
            "<p.TPP_ALL: 1>, name: str = 'a, b'",
            "\nArgs:\n    taps: of\n        h_\n    policy, name: other")
        return type("block", (), {
            "__doc__": "A block.\n\n2**30 of block_*.", "__init__": constructor,
            "set_taps": binding("set_taps", f"self: x.y, taps: List[{taps}]", set_taps),
            "max_taps": binding("max_taps", "self: x.y", "The largest number.", "int")})

    def page(self, **names):
        module = types.ModuleType("module", "A module.")
        vars(module).update(names)
        pages = python_reference.PAGES
        python_reference.PAGES = [("page", "Page", "Words.", ["block_*", "run"])]
        try:
            with tempfile.TemporaryDirectory() as folder:
                python_reference.write(module, pathlib.Path(folder))
                return (pathlib.Path(folder) / "page.rst").read_text()
        finally:
            python_reference.PAGES = pages

    def test_family(self):
        def run(channel, rate=1.5):
            """Runs cldsp.run() and other().

            Returns:
                nothing
            """
        text = self.page(block_ccf=self.block("float"), block_ccc=self.block("complex"), run=run)
        self.assertIn(".. py:class:: block_ccc\n"
                      "              block_ccf(taps: list[complex] | list[float], "
                      "policy: gr.p = gr.TPP_ALL, name: str = 'a, b')\n", text)
        self.assertIn("   2\\*\\*30 of block\\_\\*.\n", text)
        self.assertIn("   :param taps: of h\\_\n"
                      "   :param policy: other\n   :param name: other\n", text)
        self.assertIn("   .. py:method:: set_taps(taps: list[complex] | list[float])\n\n"
                      "      Sets the taps, at most :py:meth:`max_taps`.\n", text)
        self.assertIn("   .. py:method:: max_taps() -> int\n", text)
        self.assertIn(".. py:function:: run(channel, rate=1.5)\n\n"
                      "   Runs :py:func:`run` and ``other()``.\n\n   :returns: nothing\n", text)

    def test_faults(self):
        def run():
            """Runs."""
        good = {"block_ccc": self.block("float"), "run": run}
        self.page(**good)
        for reason, change in (
                ("no page has other", {"other": run}),
                ("set_taps is not the same", {"block_ccf": self.block("float", "Other words.")}),
                ("set_taps has no docstring", {"block_ccc": self.block("float", "")}),
                ("unknown section", {"block_ccc": self.block("float", "Notes:\n    text")})):
            with self.subTest(reason), self.assertRaisesRegex(ValueError, reason):
                self.page(**{**good, **change})


if __name__ == "__main__":
    unittest.main()
