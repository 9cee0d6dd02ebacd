// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The plain matrix product in double precision, and the error of a result.

#pragma once

#include <cldsp/gemm.h>

#include <complex>
#include <cstdint>
#include <vector>

namespace cldsp {

//! Conversions between float and IEEE 754 half precision. to_half() rounds to the nearest
//! value, ties to even; values out of range become infinity.
std::uint16_t to_half(float value);
float from_half(std::uint16_t half);

/*!
 * The plain, slow product in double precision, with which every variant is compared.
 *
 * \returns m by n elements without gaps; with real types the imaginary parts are 0
 */
std::vector<std::complex<double>> gemm_reference(gemm_type type,
                                                 const gemm_shape& shape,
                                                 std::complex<float> alpha,
                                                 const_gemm_matrix a,
                                                 const_gemm_matrix b,
                                                 std::complex<float> beta,
                                                 const_gemm_matrix c);

/*!
 * The largest error of an element of C, relative to the sum of the magnitudes of the
 * terms of this element, |alpha| |A| |B| + |beta| |C|. Rounding alone gives about 1e-7
 * times the square root of k (1e-3 for half precision). The function returns NaN if an
 * element of the result is NaN.
 *
 * \param type,shape,alpha,a,b,beta as for gemm::multiply()
 * \param c C before the call
 * \param result C after the call
 */
double gemm_error(gemm_type type,
                  const gemm_shape& shape,
                  std::complex<float> alpha,
                  const_gemm_matrix a,
                  const_gemm_matrix b,
                  std::complex<float> beta,
                  const_gemm_matrix c,
                  const_gemm_matrix result);

} // namespace cldsp
