/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_product.h"

#include <cldsp/gemm_reference.h>

#include <algorithm>
#include <cstdint>
#include <random>

namespace cldsp {

trial_memory trial_matrix(gemm_type type, std::size_t elements)
{
    if (type != gemm_type::f16)
        return trial_input(type == gemm_type::c32 ? sample_type::fc32 : sample_type::f32,
                           elements);
    trial_memory memory(elements * element_size(type));
    std::minstd_rand random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::generate_n(
        memory.as<std::uint16_t>(), elements, [&] { return to_half(uniform(random)); });
    return memory;
}

} // namespace cldsp
