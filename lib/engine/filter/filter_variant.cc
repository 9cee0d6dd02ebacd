// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What all variants of filters have in common: when they are candidates, their errors.

#include "filter/filter_variant.h"

#include "planning/output_check.h"

#include <algorithm>
#include <cmath>
#include <complex>

namespace cldsp {

std::vector<std::size_t> filter_variant::sizes(const filter_task& task,
                                               const plan_place& place) const
{
    const bool is_named = task.names(*this);
    if (!task.named.allows(name) || !(is_named || may_gain(task, place)))
        return {};
    auto all = block_sizes(task, place);
    if (all.empty() && is_named)
        all.push_back(0);
    return all;
}

double filter_variant::error_bound(const shared_taps& taps, double accuracy) const
{
    if (algorithm != "fast_convolution")
        return max_output_error;
    // The response changes by at most accuracy times its largest value, which is at most
    // the sum of the magnitudes of the taps. Noise of variance 1 gives outputs whose
    // variance is the sum of the squares of the taps. peak_factor allows for the peak of
    // the error.
    double sum = 0, squares = 0;
    for (const auto& tap : taps) {
        const double magnitude = std::abs(std::complex<double>(tap));
        sum += magnitude;
        squares += magnitude * magnitude;
    }
    if (!(squares > 0))
        return max_output_error;
    // Outputs that are all zero have an error of 1, which must not pass at any accuracy.
    constexpr double most = 0.9;
    constexpr double peak_factor = 8;
    return std::clamp(
        peak_factor * accuracy * sum / std::sqrt(squares), max_output_error, most);
}

} // namespace cldsp
