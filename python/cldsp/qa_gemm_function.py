#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""cldsp.gemm(): matrix products of NumPy arrays, without a flowgraph."""

import itertools
import threading

import numpy as np
from gnuradio import cldsp, gr_unittest
from qa_matrix_support import DTYPES, inf, nan, places, random_values, variants_of_types


class qa_gemm_function(gr_unittest.TestCase):

    def tearDown(self):
        cldsp.inject_failure("none")

    def check(self, a, b, c=None, alpha=1, beta=0, **options):
        before = None if c is None else c.copy()
        result = cldsp.gemm(a, b, c, alpha, beta, **options)
        self.assertEqual(a.dtype, result.dtype)
        self.assertEqual((len(a), b.shape[1]), result.shape)
        self.assertTrue(result.flags.c_contiguous and result.flags.owndata)
        wide = np.complex128
        expected = alpha * (a.astype(wide) @ b.astype(wide))
        scale = abs(alpha) * (np.abs(a) @ np.abs(b))
        if beta:
            expected += beta * c.astype(wide)
            scale = scale + abs(beta) * np.abs(c)
        self.assertTrue(np.all(np.abs(result - expected) <= 2e-6 * scale))
        if c is not None:
            np.testing.assert_array_equal(before, c)

    def test_shapes(self):
        rng = np.random.default_rng(1)
        for suffix, place in itertools.product(DTYPES, places()):
            for m, n, k in ((1, 1, 1), (1, 9, 3), (5, 1, 7), (4, 3, 1), (17, 33, 65),
                            (100, 64, 80)):
                with self.subTest(suffix=suffix, m=m, n=n, k=k, **place):
                    self.check(random_values(rng, suffix, m, k),
                               random_values(rng, suffix, k, n), **place)

    def test_factors(self):
        rng = np.random.default_rng(2)
        for suffix, place in itertools.product(DTYPES, places()):
            a, b, c = (random_values(rng, suffix, *shape) for shape in ((7, 5), (5, 6), (7, 6)))
            factors = [0, 1, -0.5, 3] + ([1j, 2 - 1j] if suffix == "cc" else [])
            for alpha, beta in itertools.product(factors, factors):
                self.check(a, b, c, alpha, beta, **place)
            self.check(a, b, c, np.float32(2), np.int64(3), **place)

    def test_bytes(self):
        rng = np.random.default_rng(10)
        variants = [dict(device="host")]
        variants += [dict(device="cpu", variant=name) for name in ("cpu_tile", "gpu_tile")
                     if any(d["kind"] == "cpu" for d in cldsp.devices())]

        def values(*shape):
            return rng.integers(-128, 128, shape, np.int8)

        for (m, n, k), place in itertools.product(
                ((1, 1, 1), (1, 9, 3), (5, 1, 7), (17, 33, 65), (3, 2, 2500)),
                variants + [{}]):
            with self.subTest(m=m, n=n, k=k, **place):
                a, b = values(m, k), values(k, n)
                expected = a.astype(np.int32) @ b.astype(np.int32)
                result = cldsp.gemm(a, b, **place)
                self.assertEqual(np.int32, result.dtype)
                np.testing.assert_array_equal(expected, result)
                c = rng.integers(-1000, 1000, (m, n), np.int32)
                before = c.copy()
                np.testing.assert_array_equal(expected + c,
                                              cldsp.gemm(a, b, c, beta=1, **place))
                np.testing.assert_array_equal(c, cldsp.gemm(a, b, c, 0, 1, **place))
                np.testing.assert_array_equal(before, c)
        whole = values(40, 60)
        a, b = whole[3:20:2, 5:30], whole[4:29, 59:40:-1]
        np.testing.assert_array_equal(a.astype(np.int32) @ b.astype(np.int32),
                                      cldsp.gemm(a, b, device="host"))

    def test_bad_products_of_bytes(self):
        a = np.ones((2, 2), np.int8)
        c = np.ones((2, 2), np.int32)
        long = np.ones((1, 131072), np.int8)
        for words, arguments in ((("alpha", "0 or 1"), (a, a, None, 2)),
                                 (("alpha", "0 or 1"), (a, a, None, 1e-50)),
                                 (("alpha", "0 or 1"), (a, a, None, 1 + 1e-9)),
                                 (("beta", "0 or 1"), (a, a, c, 1, 0.5)),
                                 (("alpha", "real for int8"), (a, a, None, 1j)),
                                 (("'c'", "int8", "int32"), (a, a, a, 1, 1)),
                                 (("'b'", "int8"), (a, a.astype(np.float32))),
                                 (("'b'", "int32"), (a, c)),
                                 (("'k' is 131072", "at most 131071"), (long, long.T))):
            for device in ("host", "auto"):
                with self.assertRaises(ValueError) as caught:
                    cldsp.gemm(*arguments, device=device)
                for word in words:
                    self.assertIn(word, str(caught.exception))

    def test_c_is_not_read_where_beta_is_0(self):
        for place in places():
            c = np.full((2, 2), nan, np.float32)
            result = cldsp.gemm(np.eye(2, dtype=np.float32), np.eye(2, dtype=np.float32), c,
                                **place)
            np.testing.assert_array_equal(np.eye(2), result)
            self.assertTrue(np.all(np.isnan(c)))

    def test_nan_in_a_product(self):
        a = np.array([[1, nan], [2, 3]], np.float32)
        result = cldsp.gemm(a, np.eye(2, dtype=np.float32))
        self.assertTrue(np.all(np.isnan(result[0])))
        np.testing.assert_array_equal([2, 3], result[1])

    def test_rows_with_gaps(self):
        rng = np.random.default_rng(3)
        for suffix, place in itertools.product(DTYPES, places()):
            whole = random_values(rng, suffix, 60, 60)
            a, b, c = whole[3:20, 5:30], whole[30:55, 1:11], whole[40:57, 50:60]
            self.check(a, b, c, 1, 1, **place)
            self.check(whole[::2, :25], b, **place)

    def test_arrays_that_have_to_be_copied(self):
        rng = np.random.default_rng(4)
        for suffix in DTYPES:
            whole = random_values(rng, suffix, 40, 40)
            b, c = whole[:20, :7], whole[:10, :7]
            for a in (whole[:20, :10].T, whole[9::-1, :20], whole[:10, 19::-1],
                      whole[:10, ::2], np.asfortranarray(whole[:10, :20]),
                      np.broadcast_to(whole[0, :20], (10, 20)),
                      np.broadcast_to(whole[:10, :1], (10, 20))):
                self.check(a, b, device="host")
                self.check(b.T, a.T, device="host")
                self.check(a, b, np.asfortranarray(c), 1, 1, device="host")
            raw = np.zeros(10 * 20 * whole.itemsize + 1, np.uint8)
            odd = raw[1:].view(whole.dtype).reshape(10, 20)
            odd[:] = whole[:10, :20]
            self.check(odd, b, device="host")

    def test_auto(self):
        rng = np.random.default_rng(5)
        for suffix in DTYPES:
            for m, n, k in ((2, 3, 4), (200, 300, 100)):
                self.check(random_values(rng, suffix, m, k), random_values(rng, suffix, k, n))

    def test_precision_is_a_permission(self):
        rng = np.random.default_rng(9)
        for suffix, precision, place in itertools.product(DTYPES, ("exact", "tf32", "half"),
                                                          places()):
            self.check(random_values(rng, suffix, 9, 17), random_values(rng, suffix, 17, 5),
                       precision=precision, **place)

    def test_every_variant(self):
        rng = np.random.default_rng(6)
        ran = 0
        for suffix, variant in variants_of_types():
            with self.subTest(suffix=suffix, variant=variant["name"]):
                try:
                    self.check(random_values(rng, suffix, 9, 17),
                               random_values(rng, suffix, 17, 5), variant=variant["name"])
                except ValueError as error:  # this variant is for other devices
                    self.assertIn("variant", str(error))
                    self.skipTest(str(error))
                ran += 1
        self.assertGreaterEqual(ran, 2)

    def test_variants_are_told(self):
        variants = cldsp.list_gemm_variants()
        names = [v["name"] for v in variants]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({"naive", "dual_image", "cpu_tile", "gpu_tile", "clblast", "simd"},
                             set(names))
        for variant in variants:
            self.assertEqual({"name", "description", "ladder", "types"}, set(variant))
            self.assertIn(variant["ladder"],
                          ("desktop", "mobile", "production", "library", "host"))
            self.assertLessEqual(set(variant["types"]), {"f32", "c32", "f16", "s8"})

    def test_lost_device(self):
        rng = np.random.default_rng(7)
        for suffix, place in itertools.product(DTYPES, places()[1:]):
            a, b, c = (random_values(rng, suffix, *shape) for shape in ((7, 5), (5, 6), (7, 6)))
            self.check(a, b, c, 1, 1, **place)
            cldsp.inject_failure("enqueue")
            self.check(a, b, c, 1, 1, **place)
            cldsp.inject_failure("none")
            self.check(a, b, c, 1, 1, **place)

    def test_threads(self):
        rng = np.random.default_rng(8)
        errors = []

        def work(a, b, options):
            try:
                for _ in range(20):
                    self.check(a, b, **options)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(
            random_values(rng, suffix, 30, 40), random_values(rng, suffix, 40, 20), place))
            for suffix, place in itertools.product(DTYPES, places()) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], errors)


class qa_gemm_function_config(gr_unittest.TestCase):

    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)

    def refuse(self, parameter, **bad):
        for dtype in DTYPES.values():
            good = dict(a=self.a.astype(dtype), b=self.b.astype(dtype), device="host")
            with self.subTest(dtype=dtype, **bad):
                with self.assertRaisesRegex(ValueError, f"'{parameter}' is .*must be"):
                    cldsp.gemm(**dict(good, **bad))

    def test_types(self):
        for parameter, value in (("a", self.a), ("b", self.b), ("c", np.ones((2, 4)))):
            for dtype in (np.float64, np.complex128, np.float16, np.int32, bool, object, "U1",
                          ">f4", ">c8"):
                self.refuse(parameter, **{parameter: value.astype(dtype)})
            self.refuse(parameter, **{parameter: value.tolist()})
            self.refuse(parameter, **{parameter: 1.0})
            self.refuse(parameter, **{parameter: "a"})
        for parameter in "ab":
            self.refuse(parameter, **{parameter: None})

    def test_types_that_differ(self):
        a, b = self.a, self.b
        for bad in (dict(b=b.astype(np.complex64)),
                    dict(c=np.ones((2, 4), np.complex64))):
            with self.assertRaisesRegex(ValueError, f"'{list(bad)[0]}' is .*same type"):
                cldsp.gemm(**dict(dict(a=a, b=b), **bad))

    def test_shapes(self):
        for parameter, shapes in (("a", ((2,), (2, 3, 1), (0, 3), (2, 0), ())),
                                  ("b", ((3,), (3, 4, 1), (2, 4), (4, 3), (0, 4), (3, 0))),
                                  ("c", ((2,), (2, 4, 1), (4, 2), (2, 3), (1, 4), (0, 4)))):
            for shape in shapes:
                for dtype in DTYPES.values():
                    good = dict(a=self.a.astype(dtype), b=self.b.astype(dtype))
                    with self.assertRaisesRegex(ValueError, f"'{parameter}' is .*must be"):
                        cldsp.gemm(**dict(good, **{parameter: np.ones(shape, dtype)}))

    def test_factors(self):
        c = np.ones((2, 4))
        for value in (nan, inf, -inf, complex(0, nan), 1e300):
            for dtype in DTYPES.values():
                good = dict(a=self.a.astype(dtype), b=self.b.astype(dtype), c=c.astype(dtype))
                for parameter in ("alpha", "beta"):
                    with self.assertRaisesRegex(ValueError, f"'{parameter}' is .*must be"):
                        cldsp.gemm(**dict(good, **{parameter: value}))
        for parameter in ("alpha", "beta"):
            with self.assertRaisesRegex(ValueError, f"'{parameter}' is .*must be real"):
                cldsp.gemm(self.a, self.b, c.astype(np.float32), **{parameter: 1j})
            with self.assertRaisesRegex(TypeError, parameter):
                cldsp.gemm(self.a, self.b, c.astype(np.float32), **{parameter: "1"})

    def test_beta_needs_c(self):
        self.refuse("beta", beta=1)

    def test_device_and_variant(self):
        for device in ("", "toaster", "99:0"):
            self.refuse("device", device=device)
        for variant in ("", "espresso", "naive"):
            self.refuse("variant", variant=variant)

    def test_precision(self):
        for precision in ("", "auto", "bf16"):
            self.refuse("precision", precision=precision)


if __name__ == "__main__":
    gr_unittest.main()
