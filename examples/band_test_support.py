# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Shared by the tests of the examples: a generated band, and programs run as a user does."""

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
RECEIVER = HERE / "band_receiver"
SAMPLE_RATE, CHANNEL_RATE, RASTER, CENTRE = 480000, 48000, 25000, 446e6
# Offset of a channel -> amplitude of its carrier, and frequency of its tone in Hz. All other
# channels are noise.
BUSY = {-125000: (0.2, 800), 50000: (0.1, 1000), 175000: (0.05, 2000)}
RADIO_RATE = 960000
NOISE = 0.004  # standard deviation of I and of Q
# Only a program that hangs takes so long: half of the time of a whole test.
TIMEOUT_S = float(os.environ.get("CLDSP_TEST_TIMEOUT", 1200)) / 2
QUIET = 8  # channel numbers: 0 is at -200 kHz
BUSY_NUMBERS = [3, 10, 15]
PNG = b"\x89PNG\r\n\x1a\n"


def make_band(seconds, sample_rate=SAMPLE_RATE):
    """Complex samples that can be repeated without a jump."""
    count = int(seconds * sample_rate)
    time_s = np.arange(count) / sample_rate
    noise = np.random.default_rng(5).normal(scale=NOISE, size=(count, 2))
    band = noise[:, 0] + 1j * noise[:, 1]
    for offset, (amplitude, tone) in BUSY.items():
        swing = 5000 / tone * np.sin(2 * np.pi * tone * time_s)
        band += amplitude * np.exp(1j * (2 * np.pi * offset * time_s + swing))
    return band


def write(path, band):
    """Writes a file in the format that its name ends in."""
    from common.streams import FORMATS

    form = FORMATS[path.suffix[1:]]
    parts = np.stack([band.real, band.imag], axis=-1) * form.one + form.zero
    if form.bits:
        sign = 1 << (form.bits - 1)
        i, q = np.clip(np.round(parts), -sign, sign - 1).astype(int).T & (2 * sign - 1)
        words = i | q << form.bits
        parts = np.stack([words >> 8 * k & 255 for k in range(form.parts)], axis=-1)
    elif np.issubdtype(form.part, np.integer):
        ends = np.iinfo(form.part)
        parts = np.clip(np.round(parts), ends.min, ends.max)
    parts = parts.astype(form.part)
    parts.tofile(path)
    return path


def free_port():
    """A port that is free, with room for the channels' ports above it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return min(free.getsockname()[1], 65000)


class RepeatedRuns:
    """Runs of one program that share its imports: see repeated_runs.py."""

    of_program = {}

    def __init__(self, program):
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(HERE / "repeated_runs.py"), str(program), str(int(TIMEOUT_S))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(self.end)

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def run(self, folder, arguments, environment):
        request = [str(folder), [str(argument) for argument in arguments], environment]
        print(json.dumps(request), file=self.process.stdin, flush=True)
        status, out, errors = json.loads(self.process.stdout.readline())
        return subprocess.CompletedProcess(arguments, status, out, errors)


def run_again(program, folder, *arguments, **environment):
    """Runs a program like subprocess.run(), but with modules that an earlier run imported."""
    if program not in RepeatedRuns.of_program:
        RepeatedRuns.of_program[program] = RepeatedRuns(program)
    return RepeatedRuns.of_program[program].run(folder, arguments, environment)


class BandTest(unittest.TestCase):
    """Runs the programs in an empty folder."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="qa-band-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def command(self, program, *arguments):
        return [sys.executable, "-B", str(RECEIVER / program), *map(str, arguments)]

    def run_program(self, program, *arguments, status=0, **environment):
        done = subprocess.run(self.command(program, *arguments), cwd=self.folder,
                              env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=TIMEOUT_S, check=False)
        return self.check(done, status)

    def check(self, done, status):
        print(done.stdout, done.stderr, sep="")
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(status, done.returncode)
        return done

    def run_again(self, program, *arguments, status=0, **environment):
        """As run_program(), with modules that an earlier run of the program imported."""
        return self.check(run_again(RECEIVER / program, self.folder, *arguments, **environment),
                          status)

    def refuse(self, program, pattern, *arguments):
        done = self.run_again(program, *arguments, status=2)
        self.assertRegex(done.stderr, pattern)
        self.assertLess(len(done.stderr), 3000)

    def refuse_outputs(self, program, option, *arguments):
        """Bad values of an option that names a picture; no refused run leaves or changes a file."""
        (self.folder / "folder.png").mkdir()
        kept = self.folder / "kept.png"
        kept.write_bytes(b"old")
        before = sorted(self.folder.rglob("*"))
        for pattern, path in (
                (r"is \., but must be a file", "."),
                (r"is folder\.png, but must be a file", "folder.png"),
                (r"is picture, but must end with .*\.png", "picture"),
                (r"is run\.v2, but must end with .*\.png", "run.v2"),
                (r"/dev/null/x\.png: must be a file that can be written", "/dev/null/x.png"),
                # These are refused for another reason, after the file was found to be good.
                ("toaster", "new.png"), ("toaster", kept)):
            more = ("--device", pattern) if pattern == "toaster" else ()
            with self.subTest(path=path):
                self.refuse(program, pattern if more else f"{option} {pattern}", *arguments,
                            option, path, *more)
        self.assertEqual(before, sorted(self.folder.rglob("*")))
        self.assertEqual(b"old", kept.read_bytes())


def main():
    """
    Without an argument every test runs; with the name of a class, only the tests of this class.
    Exit status 77 means that the tests could not run here.
    """
    outcome = unittest.main(module="__main__", verbosity=2, exit=False).result
    if not outcome.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if len(outcome.skipped) == outcome.testsRun else 0)
