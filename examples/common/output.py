# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Checks, before any work, that a file can be written after it."""

import os
import tempfile

from . import ExampleError


def check_picture(option, path):
    """Refuse a path of an option that matplotlib cannot write a picture to."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as error:
        raise ExampleError(f"{option} needs matplotlib ({error}): install python3-matplotlib") \
            from error
    check_file(option, path, [f".{kind}" for kind in FigureCanvasBase.get_supported_filetypes()])


def check_file(option, path, endings):
    """
    Refuse a path of an option that is no file with one of the endings, or cannot be written. Makes
    the folder, but no file, and keeps one that exists.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise ExampleError(f"{option} is {path}, but must be a file")
    # Without an ending of its own, matplotlib would add one, and write another file.
    if path.suffix.lower() not in endings:
        raise ExampleError(f"{option} is {path}, but must end with {' or '.join(endings)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _try_to_write(path)
    except OSError as error:
        raise ExampleError(f"{option} {path}: must be a file that can be written "
                           f"({error.strerror})") from error


def check_folder(option, path):
    """Refuse a path of an option that is no folder, or in which no file can be made. Makes it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise ExampleError(f"{option} {path}: must be a folder that can be written to "
                           f"({error.strerror})") from error


def _try_to_write(path):
    target = os.path.realpath(path)  # so that a link to no file stays
    new = not os.path.exists(target)
    with open(target, "ab"):
        pass
    if new:
        os.unlink(target)
