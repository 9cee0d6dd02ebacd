#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Builds the documentation as a site, with warnings as errors, and checks its links.

The Markdown is written for GitHub and for this site. Everything is put together in a folder of
its own, in which each page lies where it lies in the repository, so that the links between
pages hold in both places. README.md is the front page, followed by the order of all pages,
contents.md. The reference of the Python module is written from its docstrings, that of the C++
headers by Doxygen. A site that was built before is replaced only by one without faults.

The exit status is 0 after success, 1 if something is wrong with the documentation, and 77 if a
tool is missing.
"""

import argparse
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys

import check_links
import python_reference

SITE = pathlib.Path(__file__).resolve().parent
ROOT = SITE.parent.parent
MISSING_TOOL = 77


def fail(text):
    sys.exit(f"docs: error: {text}")


def missing_tools():
    """The Debian packages of the tools that are missing."""
    modules = {"sphinx": "python3-sphinx", "myst_parser": "python3-myst-parser"}
    missing = [package for module, package in modules.items()
               if importlib.util.find_spec(module) is None]
    return missing if shutil.which("doxygen") else missing + ["doxygen"]


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^set\(VERSION (\S+)\)", text, re.MULTILINE)[1]


def pages():
    """The Markdown pages besides README.md, relative to the repository."""
    found = sorted(path.relative_to(ROOT) for path in (ROOT / "docs").glob("*.md"))
    return found + [pathlib.Path(name) for name in (
        "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/flowgraph_filters/README.md",
        "examples/README.md", "examples/trunk_recorder/README.md")]


def put_together(source):
    """Makes the folder that Sphinx reads."""
    for page in pages():
        # Only on the site is the front page called index.
        up = "../" * (len(page.parts) - 1)
        text = (ROOT / page).read_text(encoding="utf-8")
        text = re.sub(rf"\]\({re.escape(up)}README\.md\b", f"]({up}index.md", text)
        (source / page).parent.mkdir(parents=True, exist_ok=True)
        (source / page).write_text(text, encoding="utf-8")
    front_page = (ROOT / "README.md").read_text(encoding="utf-8")
    contents = (SITE / "contents.md").read_text(encoding="utf-8")
    (source / "index.md").write_text(front_page + contents, encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "images", source / "docs" / "images")


def write_references(reference):
    """Writes the pages of the Python module, and the one that leads to the C++ headers."""
    try:
        from gnuradio import cldsp
    except ImportError as error:
        fail(f"{sys.executable} cannot import gnuradio.cldsp ({error}): scripts/docs builds it, "
             "and PYTHONPATH has to name its folder, build/test_modules")
    (reference / "python").mkdir(parents=True)
    try:
        python_reference.write(cldsp, reference / "python")
    except ValueError as error:
        fail(error)
    shutil.copy(SITE / "cpp.rst", reference)


def header_with_way_back(work):
    """Writes the head of Doxygen's pages, with a link to the site's front page, and returns its file."""
    header = work / "header.html"
    subprocess.run(["doxygen", "-w", "html", header, work / "footer.html", work / "sheet.css"],
                   stdout=subprocess.DEVNULL, check=True)
    text = header.read_text(encoding="utf-8")
    place = text.find("<!--BEGIN TITLEAREA-->")
    if place < 0:
        fail("Doxygen's header has no TITLEAREA, above which the link to the front page goes")
    link = '<div id="wayback"><a href="$relpath^../../index.html">gr-cldsp documentation</a></div>\n'
    header.write_text(text[:place] + link + text[place:], encoding="utf-8")
    return header


def run_doxygen(output, work):
    """Writes the reference of the C++ headers."""
    output.mkdir(parents=True)
    include = ROOT / "include"
    settings = (SITE / "Doxyfile").read_text(encoding="utf-8") + f"""
        PROJECT_NUMBER = {version()}
        INPUT = "{include / 'gnuradio' / 'cldsp'}" "{include / 'cldsp'}" "{SITE / 'cpp.dox'}"
        STRIP_FROM_PATH = "{include}"
        STRIP_FROM_INC_PATH = "{include}"
        OUTPUT_DIRECTORY = "{output}"
        HTML_HEADER = "{header_with_way_back(work)}"
        HTML_EXTRA_STYLESHEET = "{SITE / 'cpp.css'}"
        PROJECT_LOGO = "{ROOT / 'docs' / 'images' / 'icon.svg'}"
        """
    if subprocess.run(["doxygen", "-"], input=settings, text=True, check=False).returncode != 0:
        fail("Doxygen found faults in the comments of the headers, which are listed above")


def run_sphinx(source, html, doctrees):
    command = [sys.executable, "-m", "sphinx", "-c", SITE, "-b", "html", "-q", "-W", "--keep-going",
               "-D", f"version={version()}", "-D", f"release={version()}", "-d", doctrees,
               source, html]
    if subprocess.run(command, check=False).returncode != 0:
        fail("Sphinx found faults, which are listed above")


def main():
    parser = argparse.ArgumentParser(description="Builds the documentation as a site.")
    parser.add_argument("--build", type=pathlib.Path, required=True, metavar="DIR",
                        help="the build folder; the site is made in its subfolder site")
    options = parser.parse_args()

    missing = missing_tools()
    if missing:
        print(f"docs: skipped, because {' and '.join(missing)} "
              f"{'is' if len(missing) == 1 else 'are'} not installed for {sys.executable}: "
              "scripts/install-deps docs installs what is needed")
        sys.exit(MISSING_TOOL)

    site = options.build.resolve() / "site"
    work = options.build.resolve() / "site-work"
    shutil.rmtree(work, ignore_errors=True)
    source = work / "source"
    html = work / "html"
    source.mkdir(parents=True)

    put_together(source)
    write_references(source / "reference")
    run_sphinx(source, html, work / "doctrees")
    run_doxygen(html / "reference" / "cpp", work)
    faults, links = check_links.check(html)
    for fault in faults:
        print(f"docs: {fault}", file=sys.stderr)
    if faults:
        fail(f"{len(faults)} of {links} links lead nowhere")

    shutil.rmtree(site, ignore_errors=True)
    html.rename(site)
    count = len(list(site.rglob("*.html")))
    print(f"docs: {count} pages, {links} links checked; the front page is {site / 'index.html'}")


if __name__ == "__main__":
    main()
