# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Checks that every link within a site leads to a file, an image or an anchor that exists, and that
every page of the C++ reference leads back to the front page."""

import html.parser
import pathlib
import urllib.parse


class _page(html.parser.HTMLParser):
    """Collects the links of a page and the anchors to which others can lead."""

    def __init__(self, text):
        super().__init__()
        self.anchors = set()
        self.links = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.links.append((self.getpos()[0], value))


def check(site, by_doxygen="reference/cpp"):
    """Returns the faults as texts, and the number of links within the site.

    On the pages that Doxygen has written, anchors are left to Doxygen: it reports references that
    do not resolve, and its own lists of a page's sections name some that are empty.
    """
    site = pathlib.Path(site).resolve()
    doxygen_pages = site / by_doxygen
    pages = {path: _page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    faults = []
    count = 0
    front_page = site / "index.html"
    for path, page in pages.items():
        # Those of its search are parts of other pages.
        leads_back = path.parent != doxygen_pages
        for line, link in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            count += 1
            target = path
            if url.path:
                target = (path.parent / urllib.parse.unquote(url.path)).resolve()
            leads_back = leads_back or target == front_page
            where = f"{path.relative_to(site)}:{line}: {link}"
            if site not in target.parents or not target.is_file():
                faults.append(f"{where}: there is no such file in the site")
            elif url.fragment and target in pages and doxygen_pages not in path.parents:
                anchor = urllib.parse.unquote(url.fragment)
                if anchor not in pages[target].anchors:
                    faults.append(f"{where}: there is no such anchor on that page")
        if not leads_back:
            faults.append(f"{path.relative_to(site)}: no link leads to the front page")
    return faults, count
