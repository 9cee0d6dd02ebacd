#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""
Runs satellites_channelize.py on the recordings. Exit status 77 means that the test could not run
here.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from qa_satellites_demo import FRAMES_OF_THE_COLLECTION, TIMEOUT_S

HERE = Path(__file__).resolve().parent


class channelize_satellites(unittest.TestCase):
    def run_example(self, *arguments, **environment):
        with tempfile.TemporaryDirectory(prefix="qa-satellites-") as folder:
            done = subprocess.run(
                [sys.executable, "-B", str(HERE / "satellites_channelize.py"), *map(str, arguments)],
                cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                timeout=TIMEOUT_S)
        print(done.stdout, done.stderr, sep="")
        self.assertNotIn("Traceback", done.stderr)
        return done

    def test_every_frame_in_every_way(self):
        recordings = os.environ.get("CLDSP_RECORDINGS")
        names = {p.stem for p in Path(recordings).glob("*.wav")} if recordings else set()
        if names != set(FRAMES_OF_THE_COLLECTION):
            self.skipTest("CLDSP_RECORDINGS does not name the recordings")
        with tempfile.TemporaryDirectory(prefix="qa-satellites-") as cache:
            done = self.run_example("--cldsp", os.environ["CLDSP_PROGRAM"], XDG_CACHE_HOME=cache)
        self.assertEqual(done.returncode, 0)
        rows = re.findall(r"^  (\S+) +(\d+) of (\d+) frames", done.stdout, re.MULTILINE)
        self.assertEqual(len(rows), 3 * len(FRAMES_OF_THE_COLLECTION))
        for name, decoded, expected in rows:
            self.assertEqual((int(decoded), int(expected)),
                             (FRAMES_OF_THE_COLLECTION[name],) * 2, name)
        for way in ("files", "pipe", "exec"):
            self.assertIn(f"{way}: 13 of 13 frames decoded", done.stdout)

    def test_refusals(self):
        for pattern, arguments in (("--ways tape", ["--ways", "files,tape"]),
                                   ("does not exist", ["--recordings", "/nonexistent"])):
            done = self.run_example(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, pattern)


if __name__ == "__main__":
    if shutil.which("atest") is None:
        print("skipped: atest is missing: install the package direwolf")
        sys.exit(77)
    outcome = unittest.main(verbosity=2, exit=False).result
    if not outcome.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if outcome.skipped else 0)
