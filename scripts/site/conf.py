# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Sphinx's settings for the documentation as a site; build.py passes the version."""

import importlib.util

project = "gr-cldsp"
author = "the gr-cldsp authors"
copyright = f"2026 {author}"

extensions = ["myst_parser"]
root_doc = "index"
# Code that is not marked as a language's is a terminal's or a picture made of letters.
highlight_language = "none"
# Headings get the anchors that GitHub gives them, so that links work in both places.
myst_heading_anchors = 4
# "..." and -- stand for themselves in the texts, which GitHub shows without changes.
smartquotes = False
# The Python reference lists many names, too many for the contents beside a page.
add_module_names = False
toc_object_entries = False

# Ubuntu 22.04 has no furo; the plain theme is part of Sphinx.
html_theme = "furo" if importlib.util.find_spec("furo") else "alabaster"
html_title = project
html_favicon = "../../docs/images/icon.svg"
if html_theme == "furo":
    html_logo = html_favicon
html_copy_source = False
html_show_sourcelink = False
# Nothing is fetched while the site is read, so it also works without a network.
html_css_files = ["site.css"]
html_static_path = ["static"]
