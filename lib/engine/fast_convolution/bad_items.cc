// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Counts items that are NaN or infinite, before each place of a call.

#include "fast_convolution/bad_items.h"

namespace cldsp {

void bad_items::find(const void* items, sample_type type, std::size_t count)
{
    d_before.assign(count + 1, 0);
    const auto find_in = [&](const auto* values, const auto& is_good) {
        for (std::size_t i = 0; i < count; i++)
            d_before[i + 1] = d_before[i] + (is_good(values[i]) ? 0 : 1);
    };
    if (type == sample_type::fc32)
        find_in(static_cast<const std::complex<float>*>(items), is_finite);
    else if (type == sample_type::f32)
        find_in(static_cast<const float*>(items),
                [](float value) { return std::isfinite(value); });
}

} // namespace cldsp
