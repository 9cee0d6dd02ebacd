/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/fast_convolution_bound.h"

#include "planning/output_check.h"

#include <algorithm>
#include <cmath>

namespace cldsp {

double fast_convolution_bound(const std::vector<std::complex<float>>& taps,
                              double accuracy)
{
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
