#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""gemm: products of a stream of vectors, in flowgraphs."""

import itertools
import os
import pathlib
import signal
import tempfile

import numpy as np
import pmt
from gnuradio import blocks, cldsp, gr, gr_unittest
from qa_blocks_support import run_integers
from qa_matrix_support import (DTYPES, bad_messages, device_variant, good_messages, inf, nan,
                               places, product_error, random_values, run_vectors,
                               variants_of_types)
from qa_support import NEAR, post


def make(suffix, *args, **kwargs):
    return getattr(cldsp, "gemm_" + suffix)(*args, **kwargs)


class qa_gemm(gr_unittest.TestCase):

    def tearDown(self):
        cldsp.inject_failure("none")

    def check(self, A, x, y):
        self.assertLess(product_error(A, x, y), 2e-6)

    def test_shapes(self):
        rng = np.random.default_rng(1)
        for suffix, place in itertools.product(DTYPES, places()):
            for rows, columns in ((1, 1), (1, 5), (5, 1), (3, 2), (7, 65), (64, 16), (20, 33)):
                with self.subTest(suffix=suffix, rows=rows, columns=columns, **place):
                    A = random_values(rng, suffix, rows, columns)
                    x = random_values(rng, suffix, 3001, columns)
                    block = make(suffix, A, **place)
                    self.check(A, x, run_vectors(block, x, rows)[0])
                    self.assertFalse(block.fell_back())
                    self.assertEqual(place["device"] == "host", block.device_name() == "host")

    def test_every_variant(self):
        rng = np.random.default_rng(2)
        ran = set()
        for suffix, variant in variants_of_types():
            A, x = random_values(rng, suffix, 5, 9), random_values(rng, suffix, 100, 9)
            with self.subTest(suffix=suffix, variant=variant["name"]):
                try:
                    block = make(suffix, A, variant=variant["name"])
                except ValueError as error:  # this variant is for other devices
                    self.assertIn("variant", str(error))
                    self.skipTest(str(error))
                ran.add((suffix, variant["name"]))
                if variant["ladder"] == "host" or device_variant(suffix):
                    self.assertEqual(variant["name"], block.variant_name())
                self.check(A, x, run_vectors(block, x, 5)[0])
        self.assertLessEqual({("ff", "simd"), ("cc", "simd")}, ran)

    def test_variants_of_other_types(self):
        for variant in cldsp.list_gemm_variants():
            for suffix, kind in (("ff", "f32"), ("cc", "c32")):
                if kind not in variant["types"]:
                    with self.assertRaisesRegex(ValueError, "variant"):
                        make(suffix, [[1, 2], [3, 4]], variant=variant["name"])

    def test_bytes(self):
        rng = np.random.default_rng(20)

        def values(*shape):
            return rng.integers(-128, 128, shape, np.int8)

        variants = [dict(device="host"), {}]
        if device_variant("ff"):
            variants += [dict(device="cpu", variant=name) for name in ("cpu_tile", "gpu_tile")]
        for place in variants:
            for rows, columns in ((1, 1), (5, 1), (3, 2), (7, 65), (20, 1500)):
                with self.subTest(rows=rows, columns=columns, **place):
                    A, x = values(rows, columns), values(101, columns)
                    block = cldsp.gemm_bi(A, **place)
                    np.testing.assert_array_equal(x.astype(np.int64) @ A.T.astype(np.int64),
                                                  run_integers(block, x, rows))
                    self.assertFalse(block.fell_back())
        block = cldsp.gemm_bi([[1, 2], [3, 4]], "host")
        block.set_A(np.array([[-128, 127], [0, -1]]))
        self.assertEqual([[-128, 127], [0, -1]], block.A())
        x = values(10, 2)
        np.testing.assert_array_equal(
            x.astype(np.int64) @ np.array([[-128, 0], [127, -1]]), run_integers(block, x, 2))
        # Messages with other values are dropped.
        block = cldsp.gemm_bi([[1, 2], [3, 4]], "host")
        bad = pmt.to_pmt(((1, 2), (3, 200)))
        good = pmt.to_pmt(((1, 2), (3, -100)))
        post(block, good, "set_A")
        post(block, bad, "set_A")
        run_integers(block, x, 2)
        self.assertEqual([[1, 2], [3, -100]], block.A())

    def test_bad_bytes(self):
        for value in (128, -129, 0.5, 1e9, 1e-50, 126.000000001):
            with self.assertRaisesRegex(ValueError, "A.1..0.' is .* whole number from -128 to 127"):
                cldsp.gemm_bi([[1, 2], [value, 3]])
            block = cldsp.gemm_bi([[1, 2], [3, 4]], "host")
            with self.assertRaisesRegex(ValueError, "whole number from -128 to 127"):
                block.set_A([[1, value], [3, 4]])
            self.assertEqual([[1, 2], [3, 4]], block.A())
        for A in ([np.array([1 + 2j, 3])], [np.array(1.0)]):
            for suffix in ("ff", "bi"):
                with self.assertRaisesRegex(ValueError, "'A' is .* rows of real numbers"):
                    getattr(cldsp, f"gemm_{suffix}")(A)
        with self.assertRaisesRegex(ValueError, "131072 columns.*at most 131071"):
            cldsp.gemm_bi(np.zeros((1, 131072), np.int8))
        with self.assertRaisesRegex(ValueError, "variant"):
            cldsp.gemm_bi([[1]], variant="naive")

    def test_auto(self):
        rng = np.random.default_rng(3)
        for suffix in DTYPES:
            A, x = random_values(rng, suffix, 16, 64), random_values(rng, suffix, 1000, 64)
            block = make(suffix, A)
            self.assertTrue(block.plan().startswith("gemm/" + block.variant_name()),
                            block.plan())
            self.assertNotIn("\n", block.plan())
            self.check(A, x, run_vectors(block, x, 16)[0])

    def test_partition(self):
        rng = np.random.default_rng(4)
        for suffix, place in itertools.product(DTYPES, places()):
            for largest, most in ((1, 100000), (3, 7), (100, 100000), (5000, 333)):
                A = random_values(rng, suffix, 3, 4)
                x = random_values(rng, suffix, min(6000, 300 * min(largest, most)), 4)
                chunks = itertools.cycle(rng.integers(1, largest + 1, 1000).tolist())
                self.check(A, x, run_vectors(make(suffix, A, **place), x, 3, chunks, most)[0])

    def test_tags_stay_at_their_items(self):
        for place in places():
            t = gr.tag_t()
            t.offset, t.key, t.value = 777, pmt.intern("here"), pmt.PMT_T
            tb = gr.top_block()
            sink = blocks.vector_sink_f(3)
            tb.connect(blocks.vector_source_f([1.0] * 4000, False, 2, [t]),
                       make("ff", np.ones((3, 2)), **place), sink)
            tb.run()
            self.assertEqual([777], [t.offset for t in sink.tags()])

    def test_a_new_matrix_while_running(self):
        rng = np.random.default_rng(5)
        for suffix, place in itertools.product(DTYPES, places()):
            matrices = [random_values(rng, suffix, 3, 2) for _ in range(3)]
            block = make(suffix, matrices[0], **place)
            x = random_values(rng, suffix, 3 * NEAR, 2)
            message = pmt.make_tuple(*[
                pmt.init_c32vector(2, row.tolist()) if suffix == "cc" else
                pmt.init_f32vector(2, row.tolist()) for row in matrices[2]])
            y, _ = run_vectors(block, x, 3, actions=[
                (NEAR, lambda: block.set_A(matrices[1])),
                (2 * NEAR, lambda: post(block, message, "set_A"))])
            self.assertEqual(len(x), len(y))
            errors = np.array([np.max(np.abs(y - x @ A.T), axis=1) for A in matrices])
            self.assertLess(np.max(np.min(errors, axis=0)), 1e-4)
            which = np.argmin(errors, axis=0)
            self.assertTrue(np.all(np.diff(which) >= 0))
            self.assertEqual({0, 1, 2}, set(which))
            np.testing.assert_array_equal(matrices[2], np.array(block.A()))

    def test_lost_device(self):
        rng = np.random.default_rng(6)
        for place in places()[1:]:
            for after in (0, 2):
                A, x = random_values(rng, "cc", 3, 4), random_values(rng, "cc", 3 * NEAR, 4)
                block = make("cc", A, **place)
                y, _ = run_vectors(block, x, 3, actions=[
                    (NEAR, lambda: cldsp.inject_failure("enqueue", after))])
                cldsp.inject_failure("none")
                self.assertTrue(block.fell_back())
                self.assertEqual(("host", "none"), (block.device_name(), block.transfer_name()))
                self.check(A, x, y)

    def test_device_lost_while_a_matrix_is_set(self):
        rng = np.random.default_rng(7)
        for place in places()[1:]:
            A = [random_values(rng, "ff", 3, 4) for _ in range(2)]
            x = random_values(rng, "ff", 2 * NEAR, 4)
            block = make("ff", A[0], **place)
            block.set_A(A[1])
            cldsp.inject_failure("enqueue")
            y, _ = run_vectors(block, x, 3)
            cldsp.inject_failure("none")
            self.assertTrue(block.fell_back())
            self.check(A[1], x, y)

    def test_statistics(self):
        for place in places():
            block = make("ff", np.ones((8, 8)), **place)
            self.assertEqual("gemm", block.algorithm_name())
            self.assertEqual(0, block.kernel_time_avg())
            run_vectors(block, np.ones((5000, 8), np.float32), 8)
            self.assertGreater(block.kernel_time_avg(), 0)
            self.assertGreaterEqual(block.transfer_time_avg(), 0)


class qa_gemm_config(gr_unittest.TestCase):

    good = dict(A=[[1, 2], [3, 4]], device="host", variant="auto")

    def refuse(self, parameter, *values, suffixes=DTYPES):
        for suffix, value in itertools.product(suffixes, values):
            with self.subTest(suffix=suffix, value=value):
                with self.assertRaisesRegex(ValueError, parameter + ".* is .*must be"):
                    make(suffix, **dict(self.good, **{parameter: value}))

    def test_A(self):
        self.refuse("A", [], [[]], [[1, 2], [3]], [[1], [2, 3]], [[nan]], [[1, inf]], [1, 2],
                    5, None, [["1"]], np.zeros((0, 2)), np.zeros((2, 0)), np.zeros(3),
                    np.zeros((1, 1, 1)), np.array([[nan]]), "no such file.npy",
                    pathlib.Path("/nowhere"))
        self.refuse("A", [[1j]], np.array([[1j]]), suffixes=["ff"])

    def test_device_and_variant(self):
        self.refuse("device", "", "toaster", "99:0")
        self.refuse("variant", "", "espresso", "naive")
        self.refuse("variant", "float8", suffixes=["cc"])

    def test_precision(self):
        self.refuse("precision", "", "auto", "bf16")
        for suffix, precision in itertools.product(DTYPES, ("exact", "tf32", "half")):
            block = make(suffix, [[1]], "host", "auto", precision)
            self.assertEqual(precision != "exact", "exact: no matrix units" in block.plan(),
                             block.plan())

    def test_set_A(self):
        for suffix in DTYPES:
            block = make(suffix, [[1, 2, 3], [4, 5, 6]])
            for A in ([], [[1, 2, 3]], [[1, 2], [3, 4]], [[1, 2, 3], [4, 5]],
                      [[1, 2, nan], [4, 5, 6]], np.zeros(6), "no such file.npy", 5, None):
                with self.assertRaisesRegex(ValueError, "A"):
                    block.set_A(A)
            self.assertEqual([[1, 2, 3], [4, 5, 6]], block.A())
            block.set_A(np.array([[6, 5, 4], [3, 2, 1]]))
            self.assertEqual([[6, 5, 4], [3, 2, 1]], block.A())


class qa_gemm_files(gr_unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "A.npy")

    def tearDown(self):
        self.folder.cleanup()

    A = np.array([[1, 0, 3], [4, 5, 100]])

    def test_types(self):
        for dtype in ("f2", "f4", "f8", ">f4", ">f8", "i1", "i2", ">i2", "i4", "i8", "u1", "u2",
                      "u4", "u8", ">u4"):
            for order in "CF":
                np.save(self.path, np.array(self.A, dtype, order=order))
                for suffix in DTYPES:
                    with self.subTest(dtype=dtype, order=order, suffix=suffix):
                        self.assertEqual(self.A.tolist(),
                                         make(suffix, self.path, "host").A())

    def test_complex_types(self):
        A = self.A * (1 - 2j)
        for dtype in ("c8", "c16", ">c8", ">c16"):
            for order in "CF":
                np.save(self.path, np.array(A, dtype, order=order))
                self.assertEqual(A.tolist(), make("cc", self.path, "host").A())
        with self.assertRaisesRegex(ValueError, "A.npy.*c16"):
            make("ff", self.path)

    def test_bool(self):
        np.save(self.path, np.array([[True, False]]))
        self.assertEqual([[1, 0]], make("ff", self.path, "host").A())

    def test_path_objects(self):
        np.save(self.path, self.A)
        block = make("ff", pathlib.Path(self.path), "host")
        np.save(self.path, 2 * self.A)
        block.set_A(pathlib.Path(self.path))
        self.assertEqual((2 * self.A).tolist(), block.A())

    def test_versions_of_the_format(self):
        for version in ((1, 0), (2, 0), (3, 0)):
            with open(self.path, "wb") as file:
                np.lib.format.write_array(file, self.A.astype(np.float32), version)
            self.assertEqual(self.A.tolist(), make("ff", self.path, "host").A())

    def test_damaged_files(self):
        np.save(self.path, self.A.astype(np.float32))
        with open(self.path, "rb") as file:
            good = file.read()
        damaged = [good[:n] for n in (0, 5, 8, 9, 20, len(good) - 1)]
        damaged += [b"not NumPy's at all", good.replace(b"'<f4'", b"'<f3'"),
                    good.replace(b"(2, 3)", b"(2, 4)"), good.replace(b"'descr'", b"'dexcr'"),
                    good.replace(b"(2, 3)", b"(2,)  "), good.replace(b"False", b"Maybe"),
                    good.replace(b"(2, 3)", b"(0, 3)"), good[:8] + b"\xff\xff" + good[10:]]
        for shape in ("(99999999999999999999, 3)", "(4294967296, 4294967296)"):
            header = "{'descr': '<f4', 'fortran_order': False, 'shape': %s}" % shape
            damaged.append(good[:10] + header.ljust(117).encode() + b"\n" + good[-24:])
        for content in damaged:
            with open(self.path, "wb") as file:
                file.write(content)
            with self.assertRaisesRegex(ValueError, "A.*npy"):
                make("ff", self.path)

    def write_header(self, header, data=b"", version=1):
        header = header.encode()
        length = len(header).to_bytes(2 if version == 1 else 4, "little")
        with open(self.path, "wb") as file:
            file.write(b"\x93NUMPY" + bytes([version, 0]) + length + header + data)

    def test_headers_that_numpy_reads_too(self):
        data = self.A.astype("<f4").tobytes()
        for header in ("{'shape':(2,3),'fortran_order':False,'descr':'<f4'}",
                       "{ 'descr' : '<f4' ,\t'shape' : ( 2 , 3 , ) ,\n'fortran_order' : False , } \n",
                       '{"descr": "<f4", "fortran_order": False, "shape": (2, 3)}',
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" + 9000 * " "):
            with self.subTest(header=header.rstrip()):
                self.write_header(header, data)
                self.assertEqual(self.A.tolist(), np.load(self.path).tolist())
                self.assertEqual(self.A.tolist(), make("ff", self.path, "host").A())

    def test_hostile_headers(self):
        # Each of these headers once ended the process, or could end it.
        good = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }"
        for header in (good % ("<f4", "(1, 1)") + 60000 * " ", 60000 * " ",
                       "{'descr':" + 60000 * " " + "'<f4'}", 9000 * "{", 9000 * "(", 9000 * "'",
                       "{'descr': " + 9000 * "[", good % ("<f4", 4000 * "(1, "),
                       good % ("<f4", "(1" + 9000 * ",1" + ")"),
                       good % ("<f4", "(" + 9000 * "9" + ", 1)"),
                       good % ("<f4", "(1, 1)") + "{", "{}", "", "{", "{'descr'", "{'descr':",
                       "{'descr': '<f4'", "{'descr': '<f4', 'fortran_order': True}",
                       "{'descr': '<f4', 'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}",
                       "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), 'more': 1}",
                       *(good % (dtype, "(1, 1)") for dtype in
                         (">c9", ">c17", "<c9", "c8", "", "<", "<f", "<f0", "<f16", "<f04", "<c4",
                          "<c32", "<i3", "<b4", "|O", "<f99999999999999999999", 300 * "<")),
                       *(good % ("<i1", shape) for shape in
                         ("(-1, -1)", "()", "(1)", "(,)", "(1,,1)", "(1 1)", "[1, 1]", "(1.0, 1)",
                          "(16777217, 1)", "(1, 16777217)", "(16777216, 16777216)",
                          "(18446744073709551617, 1)", "(9223372036854775808, 2)"))):
            for suffix in DTYPES:
                with self.subTest(header=header[:80], suffix=suffix):
                    self.write_header(header, 64 * b"\1")
                    with self.assertRaisesRegex(ValueError, "A.*npy"):
                        make(suffix, self.path)

    def test_long_header_in_a_message(self):
        self.write_header("{'descr':" + 60000 * " " + "'<f4'}")
        block = make("ff", np.zeros((2, 3)))
        post(block, pmt.intern(self.path), "set_A")
        post(block, pmt.intern(100000 * "x"), "set_A")
        np.save(self.path, self.A)
        post(block, pmt.intern(self.path), "set_A")
        run_vectors(block, np.eye(3, dtype=np.float32), 2)
        self.assertEqual(self.A.tolist(), block.A())

    def test_versions_that_there_are_not(self):
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }"
        for version in (0, 4, 255):
            self.write_header(header, 4 * b"\0", version)
            with self.assertRaisesRegex(ValueError, "A.*npy.*NumPy has not written"):
                make("ff", self.path)

    def test_matrices_too_large_for_their_file(self):
        # The size of the file is checked before memory is allocated for its elements.
        self.write_header("{'descr': '<f8', 'fortran_order': False, 'shape': (16384, 16384), }",
                          1000 * b"\0")
        with self.assertRaisesRegex(ValueError, "A.*npy.*ends too early"):
            make("ff", self.path)
        self.write_header("{'descr': '|i1', 'fortran_order': False, 'shape': (1000000, 1000000), }")
        with self.assertRaisesRegex(ValueError, "A.*npy.*more than 268435456 elements"):
            make("ff", self.path)

    def test_what_is_no_regular_file(self):
        fifo = os.path.join(self.folder.name, "fifo.npy")
        os.mkfifo(fifo)
        # The alarm ends the process if it waits for a writer of the FIFO.
        signal.alarm(120)
        try:
            for path in (fifo, self.folder.name, "/dev/zero", "/dev/null"):
                with self.assertRaisesRegex(ValueError, "A.*no regular file"):
                    make("ff", path)
        finally:
            signal.alarm(0)

    def test_other_arrays(self):
        for array in (np.zeros(3), np.zeros((1, 2, 3)), np.array([["a"]]), np.zeros((0, 3)),
                      np.array([[nan]]), np.zeros((2, 2), "f4,f4"), np.zeros((2, 2), "M8[s]"),
                      np.zeros((2, 2), "g")):
            np.save(self.path, array)
            with self.assertRaisesRegex(ValueError, "A"):
                make("cc", self.path)

    def test_message(self):
        np.save(self.path, self.A)
        for suffix, dtype in DTYPES.items():
            block = make(suffix, np.zeros((2, 3)))
            for text in ("no such file.npy", self.folder.name):
                post(block, pmt.intern(text), "set_A")
            post(block, pmt.intern(self.path), "set_A")
            y, _ = run_vectors(block, np.eye(3, dtype=dtype), 2)
            np.testing.assert_array_equal(self.A.T, y)


class qa_gemm_messages(gr_unittest.TestCase):

    def run_message(self, suffix, message):
        """The block and its outputs after a message that came before the first item."""
        block = make(suffix, [[1, 2], [3, 4]], device="host")
        post(block, message, "set_A")
        y, _ = run_vectors(block, np.eye(2, dtype=DTYPES[suffix]), 2)
        return block, y.T

    def test_good_messages(self):
        for suffix in DTYPES:
            for A, message in good_messages(suffix):
                with self.subTest(suffix=suffix, message=pmt.write_string(message)):
                    block, y = self.run_message(suffix, message)
                    self.assertEqual(A, block.A())
                    np.testing.assert_array_equal(np.array(A), y)

    def test_wrong_messages(self):
        for suffix in DTYPES:
            for message in bad_messages(suffix):
                with self.subTest(suffix=suffix, message=pmt.write_string(message)):
                    block, y = self.run_message(suffix, message)
                    self.assertEqual([[1, 2], [3, 4]], block.A())
                    np.testing.assert_array_equal([[1, 2], [3, 4]], y)


if __name__ == "__main__":
    gr_unittest.main()
