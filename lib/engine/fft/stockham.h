// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The radices and the roots of unity of transforms by Stockham's algorithm.

#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The largest radix, and the largest number of passes, of the kernels that transform by
 * Stockham's algorithm.
 */
constexpr std::size_t max_stockham_radix = 16, max_stockham_passes = 4;
//! The values that a work-item has in registers where these are few.
constexpr std::size_t few_stockham_values = 8;

//! The radices of the passes of a transform, largest first.
//! \param size of the transform, a power of two
//! \param values that a work-item has in registers, a power of two from 2 on
std::vector<std::size_t> stockham_radices(std::size_t size, std::size_t values);

//! The macros PASS_1 to PASS_4 of the kernels.
std::string stockham_options(std::vector<std::size_t> radices);

/*!
 * The roots by which a pass multiplies its values. Those of a pass of radix R after
 * passes whose radices have the product S are exp(j 2 pi r i / (R S)) at place r S + i,
 * with r = 1 to R - 1 and i = 0 to S - 1, so that neighbouring work-items read
 * neighbouring roots. The result has as many places as the transform has values.
 */
std::vector<std::complex<float>> stockham_roots(const std::vector<std::size_t>& radices);

//! exp(j 2 pi k / size) for k = 0 to size - 1.
std::vector<std::complex<float>> roots_of_unity(std::size_t size);
//! exp(j 2 pi k / size)
std::complex<float> root_of_unity(std::size_t k, std::size_t size);

} // namespace cldsp
