/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "filter/kept_bins.h"

#include <algorithm>
#include <cmath>

namespace cldsp {

double kept_bins(const std::vector<std::complex<float>>& taps, double accuracy)
{
    if (accuracy <= 0)
        return 1;
    // Long filters are evaluated at fewer frequencies, to bound the time.
    constexpr std::size_t max_products = std::size_t(1) << 22;
    const std::size_t points =
        std::clamp<std::size_t>(max_products / taps.size(), 64, 512);
    std::vector<double> gains(points);
    std::complex<double> sum = 0;
    for (const auto& tap : taps)
        sum += tap;
    // The grid of frequencies would miss a passband that is narrower than its step.
    // Prototypes have their passband at 0 Hz, so the search begins with the gain there.
    double largest = std::abs(sum);
    for (std::size_t i = 0; i < points; i++) {
        // The frequencies are off the regular grid on which a filter's zeros often lie.
        const double turn =
            2 * M_PI * (static_cast<double>(i) + 0.37) / static_cast<double>(points);
        const double c = std::cos(turn), s = std::sin(turn);
        double re = 0, im = 0;
        for (auto tap = taps.rbegin(); tap != taps.rend(); ++tap) {
            const double next = re * c - im * s + static_cast<double>(tap->real());
            im = re * s + im * c + static_cast<double>(tap->imag());
            re = next;
        }
        gains[i] = std::hypot(re, im);
        largest = std::max(largest, gains[i]);
    }
    const auto kept = std::count_if(gains.begin(), gains.end(), [&](double gain) {
        return gain > accuracy * largest;
    });
    return static_cast<double>(kept) / static_cast<double>(points);
}

} // namespace cldsp
