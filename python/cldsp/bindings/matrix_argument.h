// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The matrix in a Python object, or in the file that it names.

#ifndef INCLUDED_CLDSP_MATRIX_ARGUMENT_H
#define INCLUDED_CLDSP_MATRIX_ARGUMENT_H

#include <gnuradio/gr_complex.h>
#include <pybind11/pybind11.h>
#include <vector>

/*!
 * The matrix in a Python object: a list or tuple of rows of numbers, or a two-dimensional
 * NumPy array. Rows may differ in length; the blocks refuse them.
 *
 * \throws pybind11::value_error naming the parameter A
 */
template <class T>
std::vector<std::vector<T>> matrix_argument(const pybind11::object& A);

//! Whether the object is no text and no path, which name a file.
bool is_matrix(const pybind11::object& A);

//! As matrix_argument(), but a text or a path names a file, from which the matrix is
//! read.
template <class T>
std::vector<std::vector<T>> matrix_or_file_argument(const pybind11::object& A);

#endif /* INCLUDED_CLDSP_MATRIX_ARGUMENT_H */
