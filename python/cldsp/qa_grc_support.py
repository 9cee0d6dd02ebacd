#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Shared by the tests with GNU Radio Companion: it reads this tree's descriptions of the blocks,
not those of an installed gr-cldsp, and none of the user's files.

To be imported before GNU Radio, which reads the user's preferences once. Programs that a test
starts inherit all of it.
"""

import os
import pathlib
import subprocess
import tempfile

# GNU Radio Companion keeps the blocks that it has read in the user's cache, and takes a file
# that is older than the cache for unchanged, even if it is another one. The folder's name does
# not contain this module's, because warnings about other modules' descriptions contain it.
# Matplotlib may still write its list of fonts there while the folder is deleted.
FOLDER = tempfile.TemporaryDirectory(prefix="grc-test-", ignore_cleanup_errors=True)
os.environ["HOME"] = FOLDER.name
os.environ["GRC_PREFS_PATH"] = os.path.join(FOLDER.name, "grc.conf")
for name in ("GRC_HIER_PATH", "GR_CACHE_PATH", "GR_STATE_PATH", "XDG_CACHE_HOME",
             "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
    os.environ.pop(name, None)

from gnuradio import gr  # noqa: E402

#: the folder of this tree's descriptions
BLOCKS = os.environ["GRC_BLOCKS_PATH"]


def link_other_descriptions(source, target):
    """Links what GNU Radio Companion reads in a folder, without the blocks of gr-cldsp: of two
    descriptions of a block it takes the one that it reads last, which is the installed one."""
    for path in pathlib.Path(source).rglob("*.yml"):
        if path.name.startswith("cldsp_"):
            continue
        link = target / path.relative_to(source)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(path.resolve())


linked = []
for source in gr.prefs().get_string("grc", "global_blocks_path", "").split(os.pathsep):
    source = os.path.expandvars(source)
    if os.path.isdir(source):
        linked.append(os.path.join(FOLDER.name, "blocks", str(len(linked))))
        link_other_descriptions(source, pathlib.Path(linked[-1]))
os.environ["GR_CONF_GRC_GLOBAL_BLOCKS_PATH"] = os.pathsep.join(linked)
os.environ["GR_CONF_GRC_LOCAL_BLOCKS_PATH"] = ""


def run(*command, **options):
    """Runs a program, and returns what it prints."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise AssertionError(f"{command} ends with {done.returncode}:\n{done.stdout}")
    return done.stdout


def read_descriptions():
    """Fills the cache that all programs of this test share. PyYAML's own reader would take ten
    times as long as the one in C."""
    import yaml
    from gnuradio.grc.core.platform import Platform

    reader = yaml.SafeLoader
    yaml.SafeLoader = getattr(yaml, "CSafeLoader", reader)
    try:
        Platform(version=gr.version(), version_parts=(3, 10, 0), prefs=gr.prefs()).build_library()
    finally:
        yaml.SafeLoader = reader


read_descriptions()
