/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/gemm.h>

#include <complex>
#include <cstdint>
#include <vector>

namespace cldsp {

//! IEEE 754 half precision, rounded to nearest even; overflow gives infinity.
std::uint16_t to_half(float value);
float from_half(std::uint16_t half);

/*!
 * The double-precision model that every variant is compared with, slow and plain. Returns
 * m by n elements without gaps; real types have imaginary parts of 0.
 */
std::vector<std::complex<double>> gemm_reference(gemm_type type,
                                                 const gemm_shape& shape,
                                                 std::complex<float> alpha,
                                                 const_gemm_matrix a,
                                                 const_gemm_matrix b,
                                                 std::complex<float> beta,
                                                 const_gemm_matrix c);

/*!
 * The largest error of C's elements, each relative to the sum of the magnitudes of its
 * terms, |alpha| |A| |B| + |beta| |C|: rounding alone stays near 1e-7 times the
 * square root of k (1e-3 for half precision). The result is not a number if an element is
 * not.
 */
double gemm_error(gemm_type type,
                  const gemm_shape& shape,
                  std::complex<float> alpha,
                  const_gemm_matrix a,
                  const_gemm_matrix b,
                  std::complex<float> beta,
                  const_gemm_matrix c,       //!< before
                  const_gemm_matrix result); //!< after

} // namespace cldsp
