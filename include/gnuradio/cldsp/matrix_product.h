// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The product of two matrices, without a flowgraph.

#ifndef INCLUDED_CLDSP_MATRIX_PRODUCT_H
#define INCLUDED_CLDSP_MATRIX_PRODUCT_H

#include <gnuradio/cldsp/api.h>
#include <gnuradio/gr_complex.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! The types of the factors and of the elements of C, for elements T of A and B.
template <class T>
struct matrix_product_types {
    using factor = T;
    using result = T;
};
template <>
struct matrix_product_types<std::int8_t> {
    using factor = float; //!< 0 or 1
    using result = std::int32_t;
};

//! C = alpha A B + beta C. A is m by k, B is k by n, C is m by n; element (i, j) of a
//! matrix is at i * leading + j.
template <class T>
struct matrix_product_args {
    using factor = typename matrix_product_types<T>::factor;
    using result = typename matrix_product_types<T>::result;

    std::size_t m = 1;
    std::size_t n = 1;
    std::size_t k = 1;
    factor alpha = 1;
    const T* a = nullptr;
    std::size_t a_leading = 0; //!< elements from row to row
    const T* b = nullptr;
    std::size_t b_leading = 0;
    factor beta = 0; //!< if it is 0, C is not read
    result* c = nullptr;
    std::size_t c_leading = 0;
};

/*!
 * \brief The general matrix product on an OpenCL device or the host, without a flowgraph.
 *
 * The engine of a device, a variant and a precision is kept for the next call. If the
 * arguments leave a choice, the host computes the first calls of the process, some
 * seconds of work, at once. After that the first call of each size, give or take a factor
 * of two, measures. With the preference [cldsp] plan=wait every first call does. If a
 * device fails, the host completes the call, and the reason is logged. Thread-safe.
 *
 * \param args the matrices and factors; \p T is float, gr_complex or std::int8_t. The
 *        sums of bytes are exact: k is at most 131071, and the factors are 0 or 1
 * \param device "auto" (measured, the host included), "gpu", "cpu" (an OpenCL CPU
 *        device), "host", "P:D" (platform and device index) or part of a device's name
 * \param variant "auto" or a name from list_gemm_variants()
 * \param precision the least precise arithmetic that is permitted: "exact", "tf32" or
 *        "half". The matrix units of NVIDIA GPUs use it, all else stays exact
 * \throws std::invalid_argument naming the parameter, its value and the range; also for a
 *         named device that cannot be used
 */
template <class T>
CLDSP_API void matrix_product(const matrix_product_args<T>& args,
                              const std::string& device = "auto",
                              const std::string& variant = "auto",
                              const std::string& precision = "exact");

//! An implementation of matrix products, as \p variant names it.
struct gemm_variant_description {
    std::string name;        //!< e.g. "tile4x4"
    std::string description; //!< one line
    std::string ladder;      //!< "desktop", "mobile", "production", "library", "host"
    std::vector<std::string> types; //!< "f32", "c32", "f16", "s8"
};

//! Every variant, in the ladders' order.
CLDSP_API std::vector<gemm_variant_description> list_gemm_variants();

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_MATRIX_PRODUCT_H */
