#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""multiply_matrix: the in-tree block's cases, and cases where the in-tree block fails."""

import itertools

import numpy as np
import pmt
from gnuradio import cldsp, gr, gr_unittest
from qa_matrix_support import (DTYPES, make_multiply as make, places, product_error,
                               random_values, run_streams)
from qa_support import NEAR, post


def make_tag(offset, key, value):
    tag = gr.tag_t()
    tag.offset, tag.key, tag.value = offset, pmt.intern(key), pmt.from_long(value)
    return tag


class qa_in_tree_cases(gr_unittest.TestCase):
    """The cases of the in-tree block's own tests."""

    X = ((1, 2, 3, 4), (5, 6, 7, 8))

    def run_once(self, A, A2=None, policy=gr.TPP_DONT, tags=None):
        for suffix, dtype in DTYPES.items():
            for place in places():
                block = make(suffix, A, policy, **place)
                self.assertEqual(np.array(A).tolist(), block.get_A())
                if A2 is not None:
                    self.assertTrue(block.set_A(A2))
                last = A if A2 is None else A2
                Y, out_tags = run_streams(block, suffix, np.array(self.X, dtype), len(A), tags)
                self.assertEqual(np.array(last).tolist(), block.get_A())
                np.testing.assert_allclose(Y, np.array(last) @ np.array(self.X), atol=1e-5)
        return out_tags

    def test_unit_matrix(self):
        self.run_once(((1, 0), (0, 1)))

    def test_switch(self):
        self.run_once(((0, 1), (1, 0)))

    def test_average(self):
        self.run_once(((0.5, 0.5), (0.5, 0.5)))

    def test_set(self):
        self.run_once(((1, 0), (0, 1)), ((0.5, 0.5), (0.5, -0.5)))

    def test_tags_by_matrix(self):
        tags = [[make_tag(0, "in1", 1)], [make_tag(0, "in2", 2)]]
        out = self.run_once(((0, 1), (1, 0)), policy=gr.TPP_CUSTOM, tags=tags)
        self.assertEqual(["in2"], [pmt.symbol_to_string(t.key) for t in out[0]])
        self.assertEqual(["in1"], [pmt.symbol_to_string(t.key) for t in out[1]])

    def test_message(self):
        A2 = ((0.5, 0.5), (0.5, -0.5))
        message = pmt.make_tuple(*[pmt.make_tuple(*map(pmt.from_double, row)) for row in A2])
        for suffix, dtype in DTYPES.items():
            block = make(suffix, ((1, 0), (0, 1)), gr.TPP_DONT)
            post(block, message, block.MSG_PORT_NAME_SET_A)
            Y, _ = run_streams(block, suffix, np.array(self.X, dtype), 2)
            np.testing.assert_allclose(Y, np.array(A2) @ np.array(self.X), atol=1e-5)


class qa_multiply_matrix(gr_unittest.TestCase):

    def tearDown(self):
        cldsp.inject_failure("none")

    def check(self, A, X, Y):
        self.assertLess(product_error(A, X.T, Y.T), 2e-6)

    def test_shapes(self):
        rng = np.random.default_rng(1)
        shapes = ((1, 1), (1, 5), (5, 1), (3, 2), (7, 9), (20, 33))
        for suffix, place, (rows, columns) in itertools.product(DTYPES, places(), shapes):
            with self.subTest(suffix=suffix, rows=rows, columns=columns, **place):
                A = random_values(rng, suffix, rows, columns)
                X = random_values(rng, suffix, columns, 1001)
                block = make(suffix, A, **place)
                Y, _ = run_streams(block, suffix, X, rows)
                self.check(A, X, Y)
                self.assertFalse(block.fell_back())
                self.assertEqual(place["device"] == "host", block.device_name() == "host")

    def test_partition(self):
        rng = np.random.default_rng(2)
        for suffix, place in itertools.product(DTYPES, places()):
            for largest, most in ((3, 7), (100, 100000), (5000, 333)):
                A = random_values(rng, suffix, 3, 4)
                X = random_values(rng, suffix, 4, min(6000, 300 * min(largest, most)))
                chunks = itertools.cycle(rng.integers(1, largest + 1, 1000).tolist())
                Y, _ = run_streams(make(suffix, A, **place), suffix, X, 3, chunks=chunks,
                                   max_noutput=most)
                self.check(A, X, Y)

    def test_large_matrix_chosen_by_measurement(self):
        rng = np.random.default_rng(3)
        A = random_values(rng, "cc", 32, 32)
        X = random_values(rng, "cc", 32, 10000)
        block = make("cc", A)
        self.assertTrue(block.plan().startswith("gemm/"), block.plan())
        self.check(A, X, run_streams(block, "cc", X, 32)[0])

    def test_small_matrix_is_the_hosts(self):
        for suffix in DTYPES:
            block = make(suffix, [[1, 2], [3, 4]])
            self.assertEqual(("host", "simd", "none", "gemm"),
                             (block.device_name(), block.variant_name(),
                              block.transfer_name(), block.algorithm_name()))

    def test_statistics(self):
        for place in places():
            block = make("ff", [[1, 2], [3, 4]], **place)
            self.assertEqual(0, block.kernel_time_avg())
            run_streams(block, "ff", np.ones((2, 50000), np.float32), 2)
            self.assertGreater(block.kernel_time_avg(), 0)

    def test_a_new_matrix_while_running(self):
        rng = np.random.default_rng(4)
        for suffix, place in itertools.product(DTYPES, places()):
            matrices = [random_values(rng, suffix, 3, 2) for _ in range(3)]
            block = make(suffix, matrices[0], **place)
            X = random_values(rng, suffix, 2, 3 * NEAR)
            Y, _ = run_streams(block, suffix, X, 3, actions=[
                (NEAR, lambda: self.assertTrue(block.set_A(matrices[1]))),
                (2 * NEAR, lambda: post(block, pmt.make_tuple(*[
                    pmt.init_c32vector(2, row.tolist()) if suffix == "cc" else
                    pmt.init_f32vector(2, row.tolist()) for row in matrices[2]]), "set_A"))])
            self.check_changes(matrices, X, Y)
            np.testing.assert_array_equal(matrices[2], np.array(block.get_A()))

    def check_changes(self, matrices, X, Y):
        """Every output belongs to one matrix, and no earlier matrix comes back."""
        self.assertEqual(X.shape[1], Y.shape[1])
        errors = np.array([np.max(np.abs(Y - A @ X), axis=0) for A in matrices])
        self.assertLess(np.max(np.min(errors, axis=0)), 1e-4)
        which = np.argmin(errors, axis=0)
        self.assertTrue(np.all(np.diff(which) >= 0))
        self.assertEqual(set(range(len(matrices))), set(which))

    def test_lost_device(self):
        rng = np.random.default_rng(5)
        for place in places()[1:]:
            A = random_values(rng, "cc", 3, 4)
            X = random_values(rng, "cc", 4, 3 * NEAR)
            block = make("cc", A, **place)
            Y, _ = run_streams(block, "cc", X, 3, actions=[
                (NEAR, lambda: cldsp.inject_failure("enqueue"))])
            cldsp.inject_failure("none")
            self.assertTrue(block.fell_back())
            self.assertEqual("host", block.device_name())
            self.check(A, X, Y)


class qa_multiply_matrix_tags(gr_unittest.TestCase):

    A = [[1, 0, 2], [0, 3, 0]]

    def run_tags(self, A, policy, place):
        tags = [[make_tag(10 * k, "in", k), make_tag(5000, "late", k)]
                for k in range(len(A[0]))]
        X = np.ones((len(A[0]), 6000), np.float32)
        _, out = run_streams(make("ff", A, policy, **place), "ff", X, len(A), tags)
        return [sorted((t.offset, pmt.symbol_to_string(t.key), pmt.to_long(t.value))
                       for t in stream) for stream in out]

    @staticmethod
    def expected(inputs):
        return sorted([(10 * k, "in", k) for k in inputs] + [(5000, "late", k) for k in inputs])

    def test_policies(self):
        for place in places():
            for policy, inputs in ((gr.TPP_DONT, ([], [])), (gr.TPP_ALL_TO_ALL, ([0, 1, 2],) * 2),
                                   (gr.TPP_CUSTOM, ([0, 2], [1]))):
                with self.subTest(policy=policy, **place):
                    self.assertEqual([self.expected(i) for i in inputs],
                                     self.run_tags(self.A, policy, place))

    def test_one_to_one(self):
        for place in places():
            self.assertEqual([self.expected([0]), self.expected([1])],
                             self.run_tags([[0, 1], [1, 0]], gr.TPP_ONE_TO_ONE, place))

    def test_one_to_one_needs_a_square_matrix(self):
        for suffix in DTYPES:
            with self.assertRaisesRegex(ValueError, "tag_propagation_policy.*ONE_TO_ONE.*2 rows "
                                        "and 3 columns"):
                make(suffix, self.A, gr.TPP_ONE_TO_ONE)

    def test_precision(self):
        for suffix in DTYPES:
            for precision in ("", "auto", "bf16"):
                with self.assertRaisesRegex(ValueError, "precision.* is .*must be"):
                    make(suffix, self.A, precision=precision)
            block = make(suffix, self.A, gr.TPP_ALL_TO_ALL, "host", "auto", "half")
            self.assertIn("exact: no matrix units", block.plan())

    def test_tags_follow_the_matrix_in_use(self):
        tags = [[make_tag(0, "a", 0)], [make_tag(0, "b", 1)]]
        block = make("cc", [[1, 0], [0, 1]], gr.TPP_CUSTOM)
        block.set_A([[0, 1j], [0, 0]])
        _, out = run_streams(block, "cc", np.ones((2, 100), np.complex64), 2, tags)
        self.assertEqual([["b"], []],
                         [[pmt.symbol_to_string(t.key) for t in stream] for stream in out])


if __name__ == "__main__":
    gr_unittest.main()
