// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Fills the matrices of a typical product, and compares its results.

#include "gemm/typical_product.h"

#include <cldsp/gemm_reference.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace cldsp {

namespace {

std::vector<float> floats_of(const void* halves, std::size_t count)
{
    const auto* first = static_cast<const std::uint16_t*>(halves);
    std::vector<float> floats(count);
    std::transform(first, first + count, floats.begin(), from_half);
    return floats;
}

} // namespace

page_memory trial_matrix(gemm_type type, std::size_t elements)
{
    if (type == gemm_type::s8)
        return trial_input(sample_type::s8, elements);
    if (type != gemm_type::f16)
        return trial_input(type == gemm_type::c32 ? sample_type::fc32 : sample_type::f32,
                           elements);
    page_memory memory(elements * element_size(type));
    std::minstd_rand random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::generate_n(
        memory.as<std::uint16_t>(), elements, [&] { return to_half(uniform(random)); });
    return memory;
}

double max_trial_error(gemm_precision precision)
{
    // Each factor is rounded by at most 2^-11 of its magnitude, and the errors of many
    // terms cancel. A value in a wrong place gives about 1.
    constexpr double max_error_of_rounded_factors = 0x1p-7;
    return precision == gemm_precision::exact ? max_output_error
                                              : max_error_of_rounded_factors;
}

void expect_trial_peak(output_comparison& comparison,
                       gemm_precision precision,
                       std::size_t k)
{
    // The mean square of a value is 1/3, so that this is the effective value of a sum.
    if (precision != gemm_precision::exact)
        comparison.expect_peak(std::sqrt(static_cast<double>(k)) / 3);
}

double typical_product::error_of_c(gemm_precision precision) const
{
    constexpr std::size_t each = 2; // rows in each range
    const auto host = make_host_gemm(type);
    const std::size_t size = element_size(type), size_of_c = result_size(type);
    output_comparison comparison;
    expect_trial_peak(comparison, precision, shape.k);
    for (const auto& range : some_outputs(shape.m, each)) {
        const page_memory expected(range.count * shape.n * size_of_c);
        gemm_call rows = call();
        rows.shape.m = range.count;
        rows.a.data = a.as<unsigned char>() + range.first * shape.k * size;
        rows.c.data = expected.as<void>();
        host->multiply(rows);

        const std::size_t elements = range.count * shape.n;
        const void* got = c.as<unsigned char>() + range.first * shape.n * size_of_c;
        if (type == gemm_type::s8) {
            if (std::memcmp(got, expected.as<void>(), elements * size_of_c) != 0)
                return std::numeric_limits<double>::infinity();
        } else if (type == gemm_type::f16) {
            comparison.add(floats_of(got, elements).data(),
                           floats_of(expected.as<void>(), elements).data(),
                           elements);
        } else {
            const std::size_t floats = elements * size / sizeof(float);
            comparison.add(
                static_cast<const float*>(got), expected.as<const float>(), floats);
        }
    }
    return comparison.error();
}

} // namespace cldsp
