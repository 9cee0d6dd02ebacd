#
# Copyright 2026 the gr-cldsp authors
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Code that the examples share: sample formats, files and radios, progress, errors."""


class ExampleError(Exception):
    """An error that the user can correct; its text is shown without a traceback."""
