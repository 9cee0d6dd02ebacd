#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""multiply_matrix: arguments that it refuses, and messages that it accepts."""

import itertools

import numpy as np
import pmt
from gnuradio import gr, gr_unittest
from qa_matrix_support import (DTYPES, bad_messages, good_messages, inf, make_multiply as make,
                               nan, run_streams)
from qa_support import post


class qa_multiply_matrix_config(gr_unittest.TestCase):

    good = dict(A=[[1, 2], [3, 4]], tag_propagation_policy=gr.TPP_ALL_TO_ALL, device="host",
                variant="auto")

    def refuse(self, parameter, *values, suffixes=DTYPES):
        for suffix, value in itertools.product(suffixes, values):
            with self.subTest(suffix=suffix, value=value):
                with self.assertRaisesRegex(ValueError, parameter + ".* is .*must be"):
                    make(suffix, **dict(self.good, **{parameter: value}))

    def test_A(self):
        self.refuse("A", [], [[]], [[], []], ((),), [[1, 2], [3]], [[1], [2, 3]], [[1, 2], []],
                    [[nan]], [[1, inf]], [[1], [-inf]], [1, 2], [[1], 2], 5, None, "A", [["1"]],
                    [[None]], np.zeros((0, 2)), np.zeros((2, 0)), np.zeros(3),
                    np.zeros((1, 1, 1)), np.array([["a"]]), [[1e300]], np.array([[1e300]]))
        self.refuse("A", [[1j]], np.array([[1j]]), suffixes=["ff"])
        self.refuse("A", [[complex(0, nan)]], [[1, complex(inf, 0)]], suffixes=["cc"])

    def test_forms_of_A(self):
        for suffix in DTYPES:
            for A in ([[1, 2], [3, 4]], ((1, 2), (3, 4)), [(1.0, 2), (3, 4)],
                      np.array([[1, 2], [3, 4]]), np.array([[1, 3], [2, 4]], np.int8).T,
                      np.arange(1, 9, dtype=np.float32).reshape(2, 4)[:, :2] @ np.eye(2) -
                      [[0, 0], [2, 2]]):
                self.assertEqual([[1, 2], [3, 4]], make(suffix, A).get_A())

    def test_other_parameters(self):
        self.refuse("device", "", "toaster", "99:0")
        self.refuse("variant", "", "espresso", "naive")

    def test_positions_of_the_arguments(self):
        arguments = list(self.good.values())
        for i, bad in ((0, []), (2, "toaster"), (3, "espresso")):
            with self.assertRaisesRegex(ValueError, list(self.good)[i]):
                make("ff", *arguments[:i], bad, *arguments[i + 1:])

    def test_set_A(self):
        for suffix in DTYPES:
            block = make(suffix, [[1, 2, 3], [4, 5, 6]])
            for A in ([], [[]], [[1, 2, 3]], [[1, 2], [3, 4]], [[1, 2, 3], [4, 5]],
                      [[1, 2, 3], [4, 5, 6, 7]], [[1, 2, 3]] * 3, [[1, 2, nan], [4, 5, 6]],
                      [[1, 2, 3], [4, inf, 6]]):
                self.assertFalse(block.set_A(A), A)
            for A in (5, None, "A", [[1, 2, "3"], [4, 5, 6]], np.zeros(6)):
                with self.assertRaisesRegex(ValueError, "A"):
                    block.set_A(A)
            self.assertEqual([[1, 2, 3], [4, 5, 6]], block.get_A())
            self.assertTrue(block.set_A(np.array([[6, 5, 4], [3, 2, 1]])))
            self.assertEqual([[6, 5, 4], [3, 2, 1]], block.get_A())


class qa_multiply_matrix_messages(gr_unittest.TestCase):

    X = np.array([[1, 2, 3], [4, 5, 6]])

    def run_message(self, suffix, message):
        """A block and its outputs, after a message that comes before the first item."""
        block = make(suffix, [[1, 2], [3, 4]])
        post(block, message, "set_A")
        Y, _ = run_streams(block, suffix, self.X.astype(DTYPES[suffix]), 2)
        return block, Y

    def test_good_messages(self):
        for suffix in DTYPES:
            for A, message in good_messages(suffix):
                with self.subTest(suffix=suffix, message=pmt.write_string(message)):
                    block, Y = self.run_message(suffix, message)
                    self.assertEqual(A, block.get_A())
                    np.testing.assert_array_equal(np.array(A) @ self.X, Y)

    def test_wrong_messages(self):
        for suffix in DTYPES:
            for message in bad_messages(suffix):
                with self.subTest(suffix=suffix, message=pmt.write_string(message)):
                    block, Y = self.run_message(suffix, message)
                    self.assertEqual([[1, 2], [3, 4]], block.get_A())
                    np.testing.assert_array_equal(np.array([[1, 2], [3, 4]]) @ self.X, Y)

    def test_a_good_one_among_wrong_ones(self):
        for suffix in DTYPES:
            block = make(suffix, [[1, 2], [3, 4]])
            A, good = good_messages(suffix)[0]
            for message in bad_messages(suffix) + [good] + bad_messages(suffix):
                post(block, message, "set_A")
            Y, _ = run_streams(block, suffix, self.X.astype(DTYPES[suffix]), 2)
            self.assertEqual(A, block.get_A())
            np.testing.assert_array_equal(np.array(A) @ self.X, Y)


if __name__ == "__main__":
    gr_unittest.main()
