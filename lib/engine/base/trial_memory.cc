/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "base/trial_memory.h"

#include <algorithm>
#include <random>

namespace cldsp {

trial_memory trial_input(sample_type type, std::size_t items)
{
    const std::size_t bytes = items * sample_size(type);
    trial_memory memory(bytes);
    // Random bytes make integers of any value; floats are drawn as such, for subnormal
    // ones would slow the host down.
    std::minstd_rand random(1);
    if (type == sample_type::fc32 || type == sample_type::f32) {
        std::uniform_real_distribution<float> uniform(-1, 1);
        std::generate_n(
            memory.as<float>(), bytes / sizeof(float), [&] { return uniform(random); });
    } else {
        std::generate_n(memory.as<unsigned char>(), bytes, [&] {
            return static_cast<unsigned char>(random() >> 8);
        });
    }
    return memory;
}

} // namespace cldsp
