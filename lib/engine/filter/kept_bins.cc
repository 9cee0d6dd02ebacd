// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Samples the gain of a filter, and counts the frequencies above the accuracy.

#include "filter/kept_bins.h"

#include <algorithm>
#include <cmath>

namespace cldsp {

namespace {

//! A frequency in turns for each item, and the gain of a filter there.
struct gain_point {
    double turns, gain;
};

//! The gains at \p points frequencies that are spread evenly over \p band turns around
//! 0 Hz.
std::vector<gain_point> gains_around_zero(const std::vector<std::complex<float>>& taps,
                                          double band,
                                          std::size_t points)
{
    // The number of frequencies that are evaluated at a time, so that their sums do not
    // wait for each other.
    constexpr std::size_t together = 16;
    std::vector<gain_point> result;
    for (std::size_t first = 0; first < points; first += together) {
        double turns[together], c[together], s[together];
        double re[together] = {}, im[together] = {};
        for (std::size_t i = 0; i < together; i++) {
            // The frequencies are off the regular grid on which a filter's zeros often
            // lie.
            const double part =
                (static_cast<double>(first + i) + 0.37) / static_cast<double>(points);
            turns[i] = band * (part < 0.5 ? part : part - 1);
            c[i] = std::cos(2 * M_PI * turns[i]);
            s[i] = std::sin(2 * M_PI * turns[i]);
        }
        for (auto tap = taps.rbegin(); tap != taps.rend(); ++tap) {
            const auto x = static_cast<double>(tap->real());
            const auto y = static_cast<double>(tap->imag());
            for (std::size_t i = 0; i < together; i++) {
                const double next = re[i] * c[i] - im[i] * s[i] + x;
                im[i] = re[i] * s[i] + im[i] * c[i] + y;
                re[i] = next;
            }
        }
        for (std::size_t i = 0; i < together && first + i < points; i++)
            result.push_back({ turns[i], std::hypot(re[i], im[i]) });
    }
    return result;
}

} // namespace

double kept_bins(const std::vector<std::complex<float>>& taps, double accuracy)
{
    if (accuracy <= 0)
        return 1;
    // Long filters are evaluated at fewer frequencies, to bound the time.
    constexpr std::size_t max_products = std::size_t(1) << 22;
    const std::size_t points =
        std::clamp<std::size_t>(max_products / taps.size(), 64, 512);
    // If fewer points are kept, the grid is too coarse for the passband: the band
    // around 0 Hz, where prototypes have it, gets a finer grid.
    constexpr std::size_t enough = 8;
    constexpr double finer = 1.0 / 8;
    const double finest = finer / static_cast<double>(taps.size());
    std::complex<float> sum = 0;
    for (const auto& tap : taps)
        sum += tap;
    double largest = std::abs(sum), outside = 0;
    for (double band = 1;; band *= finer) {
        const auto gains = gains_around_zero(taps, band, points);
        for (const auto& point : gains)
            largest = std::max(largest, point.gain);
        std::size_t kept = 0, beyond = 0;
        for (const auto& point : gains)
            if (point.gain > accuracy * largest) {
                kept++;
                beyond += std::abs(point.turns) > band * finer / 2;
            }
        const double each = band / static_cast<double>(points);
        if (kept >= enough || band < finest)
            return outside + static_cast<double>(kept) * each;
        outside += static_cast<double>(beyond) * each;
    }
}

} // namespace cldsp
