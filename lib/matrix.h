// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The matrix argument of a block: checks, changes and messages.

#ifndef INCLUDED_CLDSP_MATRIX_H
#define INCLUDED_CLDSP_MATRIX_H

#include "block_support.h"
#include <gnuradio/gr_complex.h>
#include <cldsp/gemm.h>
#include <pmt/pmt.h>
#include <type_traits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! The matrix of a block, as a list of its rows.
template <class T>
using matrix = std::vector<std::vector<T>>;

template <class T>
constexpr ::cldsp::gemm_type gemm_type_of()
{
    return std::is_same_v<T, gr_complex>    ? ::cldsp::gemm_type::c32
           : std::is_same_v<T, std::int8_t> ? ::cldsp::gemm_type::s8
                                            : ::cldsp::gemm_type::f32;
}

//! Checks a matrix.
//! \throws std::invalid_argument if A is empty, its rows differ in length, or a value is
//! not finite
//! \return A
template <class T>
const matrix<T>& checked_matrix(const matrix<T>& A);

//! As checked_matrix(), for a new matrix that replaces \p now.
//! \throws std::invalid_argument also if the sizes of the two differ
template <class T>
const matrix<T>& checked_change(const matrix<T>& now, const matrix<T>& A);

//! The elements of a matrix row by row, without gaps.
template <class T>
std::vector<T> flattened(const matrix<T>& A);
//! The elements of a matrix column by column, without gaps.
template <class T>
std::vector<T> flattened_transpose(const matrix<T>& A);

/*!
 * The matrix that a message carries: a vector or tuple of rows, each a vector or tuple of
 * numbers or a uniform vector.
 *
 * \throws std::invalid_argument for another message; the text of the exception says what
 * it is
 */
template <class T>
matrix<T> matrix_from_message(const pmt::pmt_t& message);

//! The options of the engine from a block's arguments and the preferences.
//! \throws std::invalid_argument if the device or the variant is empty, and as
//!         plans_later() does
::cldsp::gemm_options gemm_options_of(const std::string& device,
                                      const std::string& variant,
                                      const std::string& plan,
                                      const block_logs& logs,
                                      const std::string& precision = "exact");

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_MATRIX_H */
