# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Shared by the tests of `cldsp channelize`: running it, signals, and the filter's definition."""

import json
import subprocess
import sys
import tempfile

from support import PROGRAM, TIMEOUT, CommandTest

try:
    import numpy as np
except ImportError:
    print("skipped: there is no NumPy for", sys.executable)
    sys.exit(77)

RATE = 96000
OFFSET = 12345.678  # Hz
EXACT = ("--device", "host", "--variant", "simd")

# For each type of raw samples: whether the signal is complex, with I and Q in turns; how the bytes
# are made of numbers from -1 to 1; and how they are read again.
TYPES = {
    "cu8": (True, lambda v: np.round(v * 127.5 + 127.5).astype("u1"),
            lambda b: (np.frombuffer(b, "u1") - 127.5) / 127.5),
    "cs8": (True, lambda v: np.round(v * 127).astype("i1"),
            lambda b: np.frombuffer(b, "i1") / 128),
    "cs16": (True, lambda v: np.round(v * 32767).astype("<i2"),
             lambda b: np.frombuffer(b, "<i2") / 32768),
    "cf32": (True, lambda v: v.astype("<f4"), lambda b: np.frombuffer(b, "<f4")),
    "s8": (False, lambda v: np.round(v * 127).astype("i1"),
           lambda b: np.frombuffer(b, "i1") / 128),
    "s16": (False, lambda v: np.round(v * 32767).astype("<i2"),
            lambda b: np.frombuffer(b, "<i2") / 32768),
    "f32": (False, lambda v: v.astype("<f4"), lambda b: np.frombuffer(b, "<f4")),
    "ri16_be": (False, lambda v: np.round(v * 32767).astype(">i2"),
                lambda b: np.frombuffer(b, ">i2") / 32768),
    "cf32_be": (True, lambda v: v.astype(">f4"), lambda b: np.frombuffer(b, ">f4")),
    "cf64_le": (True, lambda v: v.astype("<f8"), lambda b: np.frombuffer(b, "<f8")),
    "ci32_le": (True, lambda v: np.round(v * 2147483000).astype("<i4"),
                lambda b: np.frombuffer(b, "<i4") / 2**31),
    "ru16_le": (False, lambda v: np.round(v * 32767.5 + 32767.5).astype("<u2"),
                lambda b: (np.frombuffer(b, "<u2") - 32767.5) / 32767.5),
    "ru8": (False, lambda v: np.round(v * 127.5 + 127.5).astype("u1"),
            lambda b: (np.frombuffer(b, "u1") - 127.5) / 127.5),
}


def noise(count, seed=1):
    """Numbers that fill most of the range from -1 to 1."""
    return np.clip(np.random.default_rng(seed).standard_normal(count) / 4, -0.99, 0.99)


def tone(hertz, count, rate=RATE):
    return 0.5 * np.exp(2j * np.pi * hertz / rate * np.arange(count))


def raw(samples):
    return samples.astype("<c8").tobytes()


def reference(items, taps, offset, decimation, rate=RATE):
    """The filter's definition: mixed, filtered, decimated."""
    mixed = items * np.exp(-2j * np.pi * offset / rate * np.arange(len(items)))
    size = 1 << (len(items) + len(taps)).bit_length()
    filtered = np.fft.ifft(np.fft.fft(mixed, size) * np.fft.fft(taps, size))
    return filtered[:len(items) // decimation * decimation:decimation]


def error_db(got, expected):
    return 20 * np.log10(np.abs(got - expected).max() / np.abs(expected).max() + 1e-30)


class ChannelizeCommandTest(CommandTest):

    @classmethod
    def setUpClass(cls):
        # All tests share a cache, so that the host is measured only once.
        folder = tempfile.TemporaryDirectory(prefix="cldsp-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.cache = folder.name

    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = self.cache
        self.out = self.folder / "out"

    def start(self, *arguments, exact=True, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        return subprocess.Popen(
            [PROGRAM, "channelize", *map(str, arguments), *(EXACT if exact else ())],
            env=self.environment, stderr=subprocess.PIPE, **options)

    def channelize(self, *arguments, status=0, data=None, **options):
        """Runs the command. Returns its standard output, and the lines of its standard error."""
        if data is not None:
            options["stdin"] = subprocess.PIPE
        with self.start(*arguments, **options) as process:
            try:
                written, said = process.communicate(data, timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        said = said.decode()
        self.assertEqual(process.returncode, status, said)
        return written, said.splitlines()

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def sigmf(self, name, content, datatype="cf32_le", **more):
        """A recording; \"global\" and \"captures\" replace or add keys."""
        meta = {"global": {"core:datatype": datatype, "core:sample_rate": RATE,
                           "core:version": "1.0.0", **more.get("globals", {})},
                "captures": more.get("captures", [{"core:sample_start": 0}]),
                "annotations": []}
        meta["global"] = {k: v for k, v in meta["global"].items() if v is not None}
        self.file(f"{name}.sigmf-data", content)
        return self.file(f"{name}.sigmf-meta", json.dumps(meta))

    def result(self, name="ch1"):
        return np.fromfile(self.out / f"{name}.cf32", "<c8")

    def taps(self, *arguments):
        design = json.loads(self.channelize(*arguments, "--taps", "-", exact=False)[0])
        return design, [np.array(taps) for taps in design["filters"]]

    def assert_refused(self, *arguments, names=(), status=None, **options):
        """Runs the command, which has to fail with one clear line and a status other than 0."""
        done = self.start(*arguments, **options)
        with done:
            _, said = done.communicate(timeout=TIMEOUT)
        said = said.decode()
        self.assertIn(done.returncode, (1, 2) if status is None else (status,), said)
        lines = [line for line in said.splitlines()
                 if not any(part in line for part in ("real time", " on host: ", " Hz, auto"))]
        self.assertEqual(len(lines), 1, said)
        for name in names:
            self.assertIn(str(name), lines[0])
        return lines[0]
