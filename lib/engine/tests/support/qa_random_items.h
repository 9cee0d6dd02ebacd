// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Random complex samples, the same for the same seed.

#pragma once

#include "fft/fftw_plan.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>

namespace cldsp {

//! \p count complex items with parts from -1 to 1, the same ones for the same seed.
inline fftw_vector<std::complex<float>> random_items(std::size_t count,
                                                     std::uint32_t seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    fftw_vector<std::complex<float>> items(count);
    for (auto& item : items)
        item = { uniform(random), uniform(random) };
    return items;
}

} // namespace cldsp
