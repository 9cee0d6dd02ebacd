#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
"""Installs the package cldsp by pip, without fetching anything, and uses it there."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TRY = """
import importlib.metadata, pathlib, sys
import numpy as np, cldsp
assert cldsp.__file__.startswith(sys.argv[1]), cldsp.__file__
assert importlib.metadata.version("cldsp") == cldsp.__version__
assert (pathlib.Path(cldsp.__file__).parent / "py.typed").exists()
with cldsp.FilterBank(0, [1.0], 1, 2, device="host") as bank:
    assert len(bank.process(np.ones(10, np.complex64))[0]) == 5
"""


def main():
    for module in ("pip", "setuptools", "wheel"):
        if subprocess.run([sys.executable, "-c", f"import {module}"], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            print(f"skipped: {module} is not installed")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "numpy"), pathlib.Path(folder, "installed")
        shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("build", "*.egg-info"))
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index",
                        "--no-deps", "--no-build-isolation", "--disable-pip-version-check",
                        "--root-user-action=ignore", "--target", target, source], check=True)
        subprocess.run([sys.executable, "-c", TRY, target], check=True, cwd=folder,
                       env={**os.environ, "PYTHONPATH": str(target)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
