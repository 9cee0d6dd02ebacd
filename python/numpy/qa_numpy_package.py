#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
"""Tests of the package cldsp for NumPy, which need no GNU Radio.

Streams are compared with the textbook's sum in double precision, and with SciPy where it is
installed. With --installed the package that Python finds is tested, else the one beside this file.
"""

import contextlib
import copy
import ctypes
import doctest
import gc
import io
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
if "--installed" in sys.argv:
    sys.argv.remove("--installed")
    # Neither this folder nor one named numpy beside others is searched.
    sys.path[:] = [path for path in sys.path if pathlib.Path(path or ".").resolve() != HERE]
elif str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

import numpy as np  # noqa: E402  after the search path is set

import cldsp  # noqa: E402
from cldsp import _filter_bank, _library, _matrices  # noqa: E402

try:
    import scipy.signal
except ImportError:
    scipy = None

RATE = 1e6


def random(shape, seed=1):
    values = np.random.default_rng(seed).normal(size=(*np.atleast_1d(shape), 2))
    return (values[..., 0] + 1j * values[..., 1]).astype(np.complex64)


def textbook(stream, taps, frequency, decimation):
    """Mixes, filters and decimates in double precision."""
    mixed = stream * np.exp(-2j * np.pi * frequency / RATE * np.arange(len(stream)))
    return np.convolve(mixed, taps)[:len(stream)][::decimation][:len(stream) // decimation]


def error_db(found, expected):
    if len(found) != len(expected):
        return np.inf
    return 20 * np.log10(np.abs(found - expected).max() / np.abs(expected).max() + 1e-20)


def bank_of(freqs=(100e3,), taps=None, decimation=20, **more):
    taps = cldsp.low_pass(RATE, 15e3, 25e3) if taps is None else taps
    more.setdefault("device", "host")
    return cldsp.FilterBank(freqs, taps, RATE, decimation, accuracy=0, **more)


class Streams(unittest.TestCase):

    def check(self, found, expected):
        self.assertLess(error_db(found, expected), -100)

    def test_textbook(self):
        stream, freqs = random(30011), (-312.5e3, 0, 123456.789)
        taps = [random(n, n) for n in (101, 57, 1)]
        for given in (taps, [list(each) for each in taps]):
            with bank_of(freqs, given, 7) as bank:
                # The stream is cut anywhere.
                cuts = np.split(stream, [0, 1, 5000, 5003, 30000])
                parts = [bank.process(cut) for cut in cuts]
            for c, channel in enumerate(zip(*parts)):
                found = np.concatenate(channel)
                self.assertEqual(found.dtype, np.complex64)
                self.check(found, textbook(stream, taps[c], freqs[c], 7))

    @unittest.skipUnless(scipy, "SciPy is not installed")
    def test_scipy(self):
        stream, taps = random(50000), cldsp.low_pass(RATE, 20e3, 45e3)
        with bank_of(0, taps, 8) as bank:
            found, = bank.process(stream)
        self.check(found, scipy.signal.upfirdn(taps.astype(float), stream, 1, 8)[:len(found)])
        self.check(found, scipy.signal.lfilter(taps.astype(float), 1, stream)[::8])
        numtaps, beta = scipy.signal.kaiserord(60, 25e3 / (RATE / 2))
        self.assertLess(abs(len(taps) - numtaps), 0.1 * numtaps)
        response = np.abs(scipy.signal.freqz(taps, worN=8192, fs=RATE)[1])
        edges = np.arange(8192) / 8192 * RATE / 2
        self.assertLess(response[edges >= 45e3].max(), 1.0001e-3)
        self.assertLess(np.abs(response[edges <= 20e3] - 1).max(), 2.0001e-3)

    def test_every_input(self):
        integers = np.random.default_rng(2).integers
        raw = integers(0, 256, (4000, 3), np.uint8)
        i12 = raw[:, 0] | (raw[:, 1] & 15).astype(np.int16) << 8
        q12 = raw[:, 1] >> 4 | raw[:, 2].astype(np.int16) << 4
        signed = [np.where(each >= 2048, each - 4096, each) for each in (i12, q12)]
        real16, pairs16 = (integers(-32768, 32768, n, np.int16) for n in (4000, (4000, 2)))
        real8, pairs8 = (integers(-128, 128, n, np.int8) for n in (4000, (4000, 2)))
        bytes_ = integers(0, 256, (4000, 2), np.uint8)
        floats = random(4000)
        cases = {
            "fc32": ([floats, floats.astype(complex), floats.astype(">c8")], floats),
            "f32": ([floats.real, floats.real.astype(float)], floats.real),
            "s16": ([real16, real16.astype(">i2")], real16),
            "s8": ([real8], real8),
            "cu8": ([bytes_], (bytes_ - 127.5) @ [1, 1j] / 127.5),
            "cs8": ([pairs8], pairs8 @ [1, 1j] / 128),
            "cs16": ([pairs16, pairs16.astype(">i2")], pairs16 @ [1, 1j] / 32768),
            "cs12": ([raw], (signed[0] + 1j * signed[1]) / 2048),
        }
        self.assertEqual(set(cases), set(_filter_bank.INPUTS))
        taps = np.float32([0.25, 0.5, 0.25])
        for name, (arrays, values) in cases.items():
            expected = textbook(values, taps, 100e3, 2)
            for array in arrays:
                wide = np.repeat(array, 3, axis=0)
                readonly = array.copy()
                readonly.flags.writeable = False
                unaligned = np.frombuffer(b"x" + np.ascontiguousarray(array).tobytes(),
                                          array.dtype, offset=1).reshape(array.shape)
                layouts = [array, wide[::3], array[::-1][::-1], readonly, unaligned,
                           np.asfortranarray(array)]
                if array.ndim == 2:
                    layouts.append(array.reshape(-1))
                for layout in layouts:
                    with self.subTest(name, type=layout.dtype), \
                            bank_of(taps=taps, decimation=2, input=name) as bank:
                        self.check(bank.process(layout)[0], expected)

    def test_changes(self):
        stream, taps = random(40000), cldsp.low_pass(RATE, 15e3, 25e3)
        with bank_of([0, 100e3], max_channels=3, max_taps=2 * len(taps)) as bank:
            self.assertEqual(bank.slots, 3)
            bank.set_active(0, False)
            first = bank.process(stream[:20000])
            self.assertFalse(first[0].any() or first[2].any())
            bank.set_active(0, True)
            self.assertEqual(bank.add_channel(taps, -200e3), 2)
            second = bank.process(stream[20000:])
            for c, frequency in enumerate((0, 100e3, -200e3)):
                self.check(second[c], textbook(stream, taps, frequency, 20)[1000:])
            bank.remove_channel(2)
            bank.set_center_freq(1, 50e3)
            longer = np.concatenate([taps, taps])
            bank.set_taps(longer)
            bank.reset()
            found = bank.process(stream)
            self.assertFalse(found[2].any())
            self.check(found[1], textbook(stream, longer, 50e3, 20))

    def test_schedule(self):
        n = np.arange(40000)
        hz_per_second = 1e6
        turns = 1e3 * n / RATE + hz_per_second / 2 * (n / RATE) ** 2
        with bank_of([0, 0], np.ones(1), 10) as bank:
            bank.schedule(1, [(0, 1e3, hz_per_second), (60000, 5e3)])
            steady = bank.process(np.exp(2j * np.pi * turns))[1]
            self.assertLess(np.abs(steady - steady[0]).max(), 1e-2)
            bank.schedule(1, [])
            for points, words in (([(5, 1), (4, 1)], "points[1].sample"),
                                  ([(1,)], "points[0]"), ([(1.5, 0)], "points[0].sample"),
                                  ([(0, np.nan)], "points[0].hz"), ([(0, "x")], "points[0].hz")):
                with self.assertRaisesRegex(ValueError, re.escape(words)):
                    bank.schedule(1, points)

    def test_rates(self):
        with bank_of([0, 1e5, 2e5], decimation=None, output_rate=[48e3, 25e3, 1e6 / 3]) as bank:
            self.assertTrue(np.allclose(bank.output_rates, [48e3, 25e3, 1e6 / 3], rtol=1e-6))
            found = bank.process(np.ones(100000, np.complex64))
            self.assertEqual([len(each) for each in found], [4800, 2500, 33333])
            # A slow channel does not keep the memory of a fast one.
            self.assertEqual([each.base is None for each in found], [True] * 3)
        with bank_of(output_rate=44100, decimation=None, max_channels=2) as bank:
            self.assertEqual(bank.output_rates, [44100, 44100])
            self.assertEqual(bank.add_channel([1.0], 0, output_rate=44100), 1)
        with bank_of([0, 1], decimation=[4, 10]) as bank:
            self.assertEqual([len(each) for each in bank.process(random(100))], [25, 10])
        for rate, words in ((0, "above 0"), (2e6, "at most sampling_freq"), ("x", "a number"),
                            ([], "a list of 0, but must be one value"), (np.nan, "above 0"),
                            (0.95e6, "'output_rate' is 950000 Hz.*0.9 of sampling_freq")):
            with self.assertRaisesRegex(ValueError, words):
                bank_of(output_rate=rate, decimation=None)
        for both, words in (
                (dict(decimation=None), "'decimation' is missing, .*output_rate is given"),
                (dict(decimation=4, output_rate=1e5), "'output_rate' is 100000.0, .*decimation")):
            with self.assertRaisesRegex(ValueError, words):
                bank_of(**both)
        with self.assertRaisesRegex(ValueError, "48000 Hz, .*2.4 Hz .2.4 MS/s are 2.4e6 Hz"):
            cldsp.FilterBank(0, [1.0], 2.4, output_rate=48e3)
        with self.assertRaisesRegex(ValueError, "'sampling_freq' is 0 Hz"):
            cldsp.FilterBank(0, [1.0], 0, output_rate=48e3)

    def test_frequencies_outside_of_the_band(self):
        stream = random(5000)
        with self.assertWarnsRegex(UserWarning, r"'center_freqs\[1\]' is 100300000 Hz, .*"
                                   "-500000 to 500000 Hz, and counts as 300000 Hz") as warned:
            bank = bank_of([0, 100.3e6], max_channels=3)
        self.assertEqual(warned.filename, __file__)  # the place of the call
        with bank:
            inside, = bank_of([300e3]).process(stream)
            self.check(bank.process(stream)[1], inside)
            for name, use in (("center_freq", lambda: bank.set_center_freq(0, -6e5)),
                              ("center_freq", lambda: bank.add_channel([1.0], -6e5)),
                              (r"points\[1\].hz", lambda: bank.schedule(0, [(0, 0), (9, -6e5)]))):
                with self.assertWarnsRegex(UserWarning, f"'{name}' is -600000 Hz, .* 400000 Hz"):
                    use()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            bank_of([5e5, -5e5]).close()

    def test_plan(self):
        with bank_of() as bank:
            plan = bank.plan()
            self.assertEqual((plan["device"], plan["device_name"]), ("host", "host"))
            self.assertIs(plan["fell_back"], False)
            self.assertIn(plan["variant"], plan["text"])
            self.assertIn(plan["text"], repr(bank))
        self.assertIn("closed", repr(bank))
        for offsets, channels in (([0], "of 1 channel out"), ([0, 1e3], "of 2 channels out")):
            with bank_of(offsets) as bank:
                self.assertIn(channels, repr(bank))

    def test_samples_of_another_type_get_the_input_that_takes_them(self):
        with bank_of([0]) as bank:
            for samples, words in (
                    (np.zeros(9), "an array of float64, but must be one of complex64 or complex128 "
                     "for the input 'fc32'; a bank with input='f32' takes float64"),
                    (np.zeros(8, np.uint8), "an array of uint8, .* for the input 'fc32'; a bank "
                     "with input='cu8' or input='cs12' takes uint8"),
                    (np.zeros(8, np.int64), "an array of int64, .* for the input 'fc32'$")):
                with self.assertRaisesRegex(ValueError, words):
                    bank.process(samples)
            bank.process(np.zeros(9, np.complex128))  # as the words say

    def test_memory_of_outputs(self):
        # The outputs of a call stay as they are in later calls.
        with bank_of() as bank:
            first = bank.process(random(5000))
            copy = first[0].copy()
            for seed in range(5):
                bank.process(random(5000, seed))
            self.assertTrue(np.array_equal(first[0], copy))
            for nothing in (np.zeros(0, np.complex64), [], ()):
                self.assertEqual(len(bank.process(nothing)[0]), 0)

    def test_memory_is_taken_again(self):
        # Only the memory that no array, no view of one and no buffer refers to.
        stream = random(5000)
        for freqs in ([100e3], [100e3, 0, -200e3]):
            for keep in (lambda each: each, lambda each: each[5:][::2], memoryview,
                         lambda each: each.base, lambda each: [each.real]):
                with bank_of(freqs) as bank, self.subTest(len(freqs)):
                    kept = [keep(bank.process(stream)[-1]) for _ in range(4)]
                    # As bytes: what lies behind the outputs may be no number.
                    copies = [np.array(each).tobytes() for each in kept]
                    places = {bank.process(stream)[0].ctypes.data for _ in range(40)}
                    for each, copy in zip(kept, copies):
                        self.assertEqual(np.array(each).tobytes(), copy)
                    if _filter_bank._UNSHARED > 0:
                        self.assertLessEqual(len(places), 2)

    def test_copies(self):
        with bank_of() as bank:
            for use in (copy.copy, copy.deepcopy, pickle.dumps):
                for each in (bank, cldsp.Context()):
                    with self.assertRaisesRegex(TypeError, "cannot be copied or pickled"):
                        use(each)


class Errors(unittest.TestCase):

    def assertRefused(self, function, *words):
        with self.assertRaises(ValueError) as raised:
            function()
        for word in words:
            self.assertIn(word, str(raised.exception))

    def test_arguments(self):
        for change, *words in (
                (dict(input="cf32"), "'input'", "'cf32'", "fc32, f32"), (dict(input=[]), "'input'"),
                (dict(decimation=[1, 2]), "'decimation'", "a list of 2", "one value"),
                (dict(typical_items=10**30), "'typical_items'", "0 to 9223372036854775807"),
                (dict(decimation=0), "'decimation'", "0", "1 to 16777216"),
                (dict(decimation=2.5), "'decimation'", "2.5", "a whole number"),
                (dict(taps=[]), "taps"), (dict(taps="abc"), "taps"), (dict(taps=5), "'taps'", "5"),
                (dict(taps=[1, np.nan]), "taps"),
                (dict(taps=[[1, 2], ["a"]]), "taps[1]"),
                (dict(taps=[[1.0], [2.0], [3.0]]), "tap"),
                (dict(freqs=[]), "'center_freqs'", "an empty list"), (dict(freqs=[np.inf]), "center_freq"),
                (dict(freqs=["x"]), "center_freqs[0]", "'x'"),
                (dict(device="no such"), "no such"), (dict(device=5), "'device'", "5", "a text"),
                (dict(max_channels=-1), "'max_channels'", "-1", "0 or more"),
                (dict(threads=5000), "'threads'", "5000", "0 to 1024"),
                (dict(plan="soon"), "'plan'", "soon"), (dict(variant="x"), "variant", "x"),
                (dict(context=5), "'context'", "5")):
            with self.subTest(change):
                self.assertRefused(lambda: bank_of(**change), *words)

    def test_samples(self):
        with bank_of() as bank:
            for bad, *words in ((np.zeros(3, np.int16), "'samples'", "int16", "complex64"),
                                (np.zeros((3, 2), np.complex64), "(3, 2)"), ("abc", "samples"),
                                (None, "samples")):
                self.assertRefused(lambda: bank.process(bad), *words)
        with bank_of(input="cu8") as bank:
            self.assertRefused(lambda: bank.process(np.zeros(3, np.uint8)), "multiple of 2")
            self.assertRefused(lambda: bank.process(np.zeros((3, 3), np.uint8)), "2 columns")
            self.assertRefused(lambda: bank.process(np.zeros((3, 2), np.int8)), "int8", "uint8")
            self.assertRefused(lambda: bank.process(b"ab"), "bytes", "np.frombuffer", "uint8")

    def test_calls(self):
        with bank_of() as bank:
            self.assertRefused(lambda: bank.set_center_freq(3, 0), "channel", "3")
            self.assertRefused(lambda: bank.set_center_freq(-1, 0), "'channel'", "-1")
            self.assertRefused(lambda: bank.set_center_freq(0, np.nan), "center_freq")
            self.assertRefused(lambda: bank.add_channel([1.0], 0), "max_channels")
            self.assertRefused(lambda: bank.add_channel([[1.0], [2.0]], 0), "'taps'", "2 lists")
        for use in (lambda: bank.process(random(5)), bank.plan, bank.reset):
            self.assertRefused(use, "closed")
        bank.close()
        self.assertRefused(lambda: cldsp.low_pass(1e6, 3e5, 2e5), "stop_freq")
        self.assertRefused(lambda: cldsp.low_pass("x", 1, 2), "'sampling_freq'", "'x'")

    def test_contexts(self):
        with tempfile.TemporaryDirectory() as folder:
            context = cldsp.Context(folder, drivers="named")
            self.assertEqual([each["id"] for each in cldsp.devices(context)], ["host"])
            bank = bank_of(context=context)
            del context
            gc.collect()
            self.assertEqual(len(bank.process(random(100))[0]), 5)
            bank.close()
        self.assertRefused(lambda: cldsp.Context(drivers="x"), "drivers", "'x'")
        self.assertRefused(lambda: cldsp.Context(longest_kernel=-1), "longest_kernel", "-1")


class Threads(unittest.TestCase):

    def test_the_gil(self):
        # Another thread goes on while a call computes.
        stream, counted = random(400000), []
        with bank_of(np.linspace(-4e5, 4e5, 64), random(2000), 4, algorithm="direct",
                     threads=1) as bank:
            done = threading.Event()

            def count():
                n = 0
                while not done.is_set():
                    n += 1
                counted.append(n)

            before = sys.getswitchinterval()
            sys.setswitchinterval(10)  # only a thread that lets go of the lock hands it over
            try:
                thread = threading.Thread(target=count)
                started = threading.Thread(target=lambda: (bank.process(stream), done.set()))
                started.start()
                thread.start()
                started.join()
                thread.join()
            finally:
                sys.setswitchinterval(before)
        self.assertGreater(counted[0], 0)

    def test_one_thread_at_a_time(self):
        with bank_of() as bank:
            bank._lock.acquire()  # as another thread in a call has it
            for use in (lambda: bank.process(random(5)), bank.plan, bank.close):
                with self.assertRaisesRegex(RuntimeError, "another thread uses the bank"):
                    use()
            bank._lock.release()
            self.assertEqual(len(bank.process(random(100))[0]), 5)

    def test_fork(self):
        with bank_of() as bank:
            child = os.fork()
            if child == 0:
                try:
                    bank.process(random(100))
                except RuntimeError as error:
                    os._exit(7 if "forked" in str(error) else 8)
                os._exit(9)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)

    def test_exit_with_open_banks(self):
        program = ("import numpy as np, cldsp\n"
                   "bank = cldsp.FilterBank(0, [1.0], 1.0, 1)\n"
                   "bank.process(np.zeros(9, np.complex64))\n")
        done = subprocess.run([sys.executable, "-B", "-c", program], check=False,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual(done.returncode, 0)


class Matrices(unittest.TestCase):

    def test_gemm(self):
        rng = np.random.default_rng(3)
        a, b, c = (random(shape, 4) for shape in ((17, 30), (30, 9), (17, 9)))
        kinds = {np.complex64: 1 - 2j, np.float32: -1.5, np.float16: 2}
        for kind, alpha in kinds.items():
            x, y, z = (each.astype(kind) if kind == np.complex64 else each.real.astype(kind)
                       for each in (a, b, c))
            wide = np.complex128 if kind == np.complex64 else np.float64
            tolerance = 3e-3 if kind == np.float16 else 1e-5
            expected = alpha * (x.astype(wide) @ y) + 0.5 * z.astype(wide)
            for left, right in ((x, y), (np.repeat(x, 2, 0)[::2], np.repeat(y, 2, 1)[:, ::2])):
                found = cldsp.gemm(left, right, z, alpha, 0.5, device="host")
                self.assertEqual(found.dtype, kind)
                self.assertLess(np.abs(found - expected).max(), tolerance * 50)
        x, y = (rng.integers(-128, 128, shape, np.int8) for shape in ((5, 70), (70, 6)))
        found = cldsp.gemm(x, y, device="host")
        self.assertTrue(np.array_equal(found, x.astype(np.int32) @ y.astype(np.int32)))
        twice = cldsp.gemm(x, y, found, beta=1, device="host")
        self.assertTrue(np.array_equal(twice, 2 * found))

    def test_bad_products(self):
        one = np.ones((2, 2), np.float32)
        for arguments, more, word in (
                ((one, one.astype(complex)), {}, "'b'"), ((one, np.ones((3, 2), "f4")), {}, "'b'"),
                ((one[0], one), {}, "'a'"), ((one, one, one[:1]), {}, "'c'"),
                ((one, one), dict(beta=1), "'beta'"), ((one, one), dict(alpha=1j), "alpha"),
                ((one, one), dict(alpha=np.inf), "'alpha'"), ((one, one), dict(alpha="x"), "'alpha'"),
                ((one, one), dict(device="no such"), "no such"),
                ((one, one), dict(precision="x"), "precision")):
            with self.subTest(more=more, word=word), self.assertRaisesRegex(ValueError, word):
                cldsp.gemm(*arguments, **more)

    def test_correlations(self):
        samples = random((5, 1000))
        rows, columns = np.tril_indices(5)
        for integration in (None, 300, 1000):
            found = cldsp.correlate(samples, integration, device="host")
            length = integration or 1000
            parts = [samples[:, start:start + length].astype(complex)
                     for start in range(0, 1000 - length + 1, length)]
            expected = np.array([(part @ part.conj().T)[rows, columns] for part in parts])
            self.assertEqual(found.shape, expected.shape if integration else expected[0].shape)
            self.assertLess(np.abs(found - expected).max(), 1e-2)
        pairs = np.random.default_rng(5).integers(-128, 128, (3, 64, 2), np.int8)
        x = pairs @ [1, 1j] / 128
        rows, columns = np.tril_indices(3)
        found = cldsp.correlate(pairs, device="host")
        self.assertLess(np.abs(found - (x @ x.conj().T)[rows, columns]).max(), 1e-5)

    def test_correlator(self):
        samples = random((4, 1000))
        with cldsp.Correlator(4, 300, device="host") as correlator:
            parts = [correlator.process(samples[:, a:b]) for a, b in ((0, 1), (1, 601), (601, 1000))]
            self.assertEqual([len(part) for part in parts], [0, 2, 1])
            found = np.concatenate(parts)
            self.assertTrue(np.array_equal(found, cldsp.correlate(samples, 300, device="host")))
            correlator.reset()
            self.assertEqual(correlator.plan()["device"], "host")
            with self.assertRaisesRegex(ValueError, "3 antennas"):
                correlator.process(samples[:3])
        for bad, word in (((0, 1), "antennas"), ((2, 0), "integration"), ((5000, 1), "antennas")):
            with self.assertRaisesRegex(ValueError, word):
                cldsp.Correlator(*bad)
        for bad in (np.zeros((2, 5)), np.zeros(5, np.complex64), np.zeros((2, 0), np.complex64)):
            with self.assertRaisesRegex(ValueError, "samples"):
                cldsp.correlate(bad)
        with self.assertRaisesRegex(ValueError, "'integration' is 6, but must be 1 to 5"):
            cldsp.correlate(random((2, 5)), 6)


class Package(unittest.TestCase):

    def test_doctests(self):
        for module in (_filter_bank, _matrices):
            with self.subTest(module.__name__):
                results = doctest.testmod(module)
                self.assertGreater(results.attempted, 0)
                self.assertEqual(results.failed, 0)

    def test_docstrings(self):
        for name in cldsp.__all__:
            public = getattr(cldsp, name)
            self.assertTrue(public.__doc__, name)
            for member in vars(public) if isinstance(public, type) else ():
                if not member.startswith("_"):
                    self.assertTrue(getattr(public, member).__doc__, f"{name}.{member}")

    def test_the_devices(self):
        listed = cldsp.devices()
        self.assertEqual((listed[-1]["id"], listed[-1]["kind"]), ("host", "host"))
        self.assertRegex(cldsp.library_version(), r"^\d+\.\d+\.\d+")

    def test_no_library(self):
        done = subprocess.run(
            [sys.executable, "-B", "-c",
             "import ctypes\n"
             "def none(*arguments): raise OSError('libcldsp.so.0: cannot open')\n"
             "ctypes.CDLL = none\n"
             "import cldsp"],
            check=False, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertIn("ImportError: the library of gr-cldsp cannot be loaded", done.stderr)
        self.assertIn("libcldsp0", done.stderr)

    @unittest.skipUnless((ROOT / "include/cldsp/cldsp.h").exists(), "the sources are not here")
    def test_the_header(self):
        header = (ROOT / "include/cldsp/cldsp.h").read_text(encoding="utf-8")
        plain = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
        structures = dict(re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", plain, re.DOTALL))
        structures = {name: body for body, name in structures.items()}
        types = {"size_t": ctypes.c_size_t, "double": ctypes.c_double, "int": ctypes.c_int,
                 "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
                 "unsigned": ctypes.c_uint}
        for name, structure in _library.STRUCTURES.items():
            body = re.sub(r"void \(\*(\w+)\)\([^)]*\)", r"void* \1", structures.pop(name))
            fields = [line.split() for line in body.replace("const ", "").replace("*", "* ")
                      .split(";") if line.strip()]
            self.assertEqual([words[-1] for words in fields],
                             [field for field, _ in structure._fields_], name)
            for words, (field, kind) in zip(fields, structure._fields_):
                if "*" in "".join(words[:-1]):
                    self.assertEqual(ctypes.sizeof(kind), ctypes.sizeof(ctypes.c_void_p), field)
                else:
                    self.assertIs(types[words[0]], kind, f"{name}.{field}")
        self.assertEqual(structures, {}, "structures that the package does not have")
        declared = set(re.findall(r"\b(cldsp_\w+)\(", plain))
        self.assertLessEqual(set(_library.FUNCTIONS), declared)
        for name, (arguments, _) in _library.FUNCTIONS.items():
            listed = re.search(rf"\b{name}\(\s*([^)]*)\)", plain)[1]
            count = 0 if listed.strip() == "void" else listed.count(",") + 1
            self.assertEqual(count, len(arguments), name)

    @unittest.skipUnless((ROOT / "CMakeLists.txt").exists(), "the sources are not here")
    def test_the_version(self):
        text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"^set\(VERSION (\S+)\)", text, re.MULTILINE)[1],
                         cldsp.__version__)

    @unittest.skipUnless((ROOT / "docs/numpy.md").exists(), "the sources are not here")
    def test_the_page(self):
        page = (ROOT / "docs/numpy.md").read_text(encoding="utf-8")
        printed, before = io.StringIO(), os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                with contextlib.redirect_stdout(printed):
                    exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), {})
                sizes = [os.path.getsize(f"{name}.cf32") for name in (433200000, 432862500)]
            finally:
                os.chdir(before)
        self.assertEqual(sizes, [50000 * 8] * 2)
        self.assertEqual(printed.getvalue().splitlines()[-2:], ["1000 Hz", "400 Hz"])


if __name__ == "__main__":
    unittest.main()
