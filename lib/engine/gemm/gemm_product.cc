/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/gemm_product.h"

#include "planning/output_check.h"

#include <cldsp/gemm_reference.h>

#include <algorithm>
#include <cstdint>
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

double typical_product::error_of_c() const
{
    constexpr std::size_t each = 2; // rows
    const auto host = make_host_gemm(type);
    const std::size_t size = element_size(type);
    output_comparison comparison;
    for (const auto& range : some_outputs(shape.m, each)) {
        const page_memory expected(range.count * shape.n * size);
        gemm_call rows = call();
        rows.shape.m = range.count;
        rows.a.data = a.as<unsigned char>() + range.first * shape.k * size;
        rows.c.data = expected.as<void>();
        host->multiply(rows);

        const std::size_t elements = range.count * shape.n;
        const void* got = c.as<unsigned char>() + range.first * shape.n * size;
        if (type == gemm_type::f16) {
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
