// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Products in double precision, and the error of a result relative to its terms.

#include <cldsp/gemm_reference.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace cldsp {

namespace {

std::complex<double>
element(gemm_type type, const_gemm_matrix matrix, std::size_t row, std::size_t column)
{
    const std::size_t at = row * matrix.leading + column;
    switch (type) {
    case gemm_type::f32:
        return static_cast<const float*>(matrix.data)[at];
    case gemm_type::c32:
        return static_cast<const std::complex<float>*>(matrix.data)[at];
    case gemm_type::f16:
        return from_half(static_cast<const std::uint16_t*>(matrix.data)[at]);
    case gemm_type::s8:
        break;
    }
    return static_cast<const std::int8_t*>(matrix.data)[at];
}

//! An element of C.
std::complex<double> element_of_c(gemm_type type,
                                  const_gemm_matrix matrix,
                                  std::size_t row,
                                  std::size_t column)
{
    return type == gemm_type::s8 ? static_cast<const std::int32_t*>(
                                       matrix.data)[row * matrix.leading + column]
                                 : element(type, matrix, row, column);
}

//! One element of the result, and the sum of the magnitudes of its terms.
struct exact_element {
    std::complex<double> value = 0;
    double magnitude = 0;
};

//! Some rows of A, or columns of B, one after another: the factors of products, and their
//! magnitudes.
struct factors {
    std::vector<std::complex<double>> values;
    std::vector<double> magnitudes;

    void add(std::complex<double> value)
    {
        values.push_back(value);
        magnitudes.push_back(std::abs(value));
    }
    void clear()
    {
        values.clear();
        magnitudes.clear();
    }
};

/*!
 * Calls f(row, column, exact_element) for each element of the result. Elements are
 * converted for a square of results at a time, since this takes longer than to multiply
 * them, and since the whole matrices could be too large in double precision.
 */
template <typename function>
void for_each_exact(gemm_type type,
                    const gemm_shape& shape,
                    std::complex<double> alpha,
                    const_gemm_matrix a,
                    const_gemm_matrix b,
                    std::complex<double> beta,
                    const_gemm_matrix c,
                    function f)
{
    constexpr std::size_t square = 64;
    const std::size_t terms = alpha != 0.0 ? shape.k : 0;
    factors rows, columns;
    for (std::size_t left = 0; left < shape.n; left += square) {
        const std::size_t right = std::min(left + square, shape.n);
        columns.clear();
        for (std::size_t column = left; column < right; ++column)
            for (std::size_t i = 0; i < terms; ++i)
                columns.add(element(type, b, i, column));
        for (std::size_t top = 0; top < shape.m; top += square) {
            const std::size_t bottom = std::min(top + square, shape.m);
            rows.clear();
            for (std::size_t row = top; row < bottom; ++row)
                for (std::size_t i = 0; i < terms; ++i)
                    rows.add(alpha * element(type, a, row, i));
            for (std::size_t row = top; row < bottom; ++row)
                for (std::size_t column = left; column < right; ++column) {
                    const std::size_t at_a = (row - top) * terms;
                    const std::size_t at_b = (column - left) * terms;
                    exact_element result;
                    for (std::size_t i = 0; i < terms; ++i) {
                        result.value += rows.values[at_a + i] * columns.values[at_b + i];
                        result.magnitude +=
                            rows.magnitudes[at_a + i] * columns.magnitudes[at_b + i];
                    }
                    if (beta != 0.0) {
                        const auto term = beta * element_of_c(type, c, row, column);
                        result.value += term;
                        result.magnitude += std::abs(term);
                    }
                    f(row, column, result);
                }
        }
    }
}

} // namespace

std::uint16_t to_half(float value)
{
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
    if (std::isnan(value))
        return sign | 0x7e00;
    const float magnitude = std::fabs(value);
    if (magnitude >= 65520.0f) // halfway from the largest half-precision number to the
                               // next power of two
        return sign | 0x7c00;
    if (magnitude == 0)
        return sign;
    // The exponent of the last place in half precision: -24 for values below 2^-14, else
    // 10 less than the exponent of the value.
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const int place = std::max(exponent - 11, -24);
    const auto steps =
        static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -place)));
    // The fraction lies directly below the biased exponent. A fraction that rounds up to
    // 2^11 steps therefore carries into the exponent by itself.
    return static_cast<std::uint16_t>(sign + ((place + 24) << 10) + steps);
}

float from_half(std::uint16_t half)
{
    const int exponent = half >> 10 & 0x1f;
    const int fraction = half & 0x3ff;
    float magnitude;
    if (exponent == 0x1f)
        magnitude = fraction != 0 ? std::numeric_limits<float>::quiet_NaN()
                                  : std::numeric_limits<float>::infinity();
    else if (exponent == 0)
        magnitude = std::ldexp(static_cast<float>(fraction), -24);
    else
        magnitude = std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

std::vector<std::complex<double>> gemm_reference(gemm_type type,
                                                 const gemm_shape& shape,
                                                 std::complex<float> alpha,
                                                 const_gemm_matrix a,
                                                 const_gemm_matrix b,
                                                 std::complex<float> beta,
                                                 const_gemm_matrix c)
{
    std::vector<std::complex<double>> result(shape.m * shape.n);
    for_each_exact(type,
                   shape,
                   alpha,
                   a,
                   b,
                   beta,
                   c,
                   [&](std::size_t row, std::size_t column, const exact_element& exact) {
                       result[row * shape.n + column] = exact.value;
                   });
    return result;
}

double gemm_error(gemm_type type,
                  const gemm_shape& shape,
                  std::complex<float> alpha,
                  const_gemm_matrix a,
                  const_gemm_matrix b,
                  std::complex<float> beta,
                  const_gemm_matrix c,
                  const_gemm_matrix result)
{
    double largest = 0;
    for_each_exact(type,
                   shape,
                   alpha,
                   a,
                   b,
                   beta,
                   c,
                   [&](std::size_t row, std::size_t column, const exact_element& exact) {
                       const double difference = std::abs(
                           element_of_c(type, result, row, column) - exact.value);
                       if (difference == 0)
                           return;
                       const double error = difference / exact.magnitude;
                       // NaN is the largest error of all.
                       if (!(error <= largest) && !std::isnan(largest))
                           largest = error;
                   });
    return largest;
}

} // namespace cldsp
