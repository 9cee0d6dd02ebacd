/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "planning/output_check.h"

#include "filter/fir_executor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace cldsp {

namespace {

// Below this, devices that flush subnormal numbers to zero are right.
constexpr double least_peak = 1e-30;

constexpr std::size_t filter_outputs = 16; // of each range

} // namespace

template <class Number>
void output_comparison::add(const Number* got, const Number* expected, std::size_t count)
{
    for (std::size_t i = 0; i < count; i++) {
        const auto right = static_cast<double>(expected[i]);
        const auto found = static_cast<double>(got[i]);
        if (!std::isfinite(right))
            continue; // what overflows says nothing
        d_no_number = d_no_number || !std::isfinite(found);
        d_peak = std::max(d_peak, std::abs(right));
        d_difference = std::max(d_difference, std::abs(found - right));
    }
}

template void output_comparison::add(const float*, const float*, std::size_t);
template void
output_comparison::add(const std::int32_t*, const std::int32_t*, std::size_t);

void output_comparison::add(const std::complex<float>* got,
                            const std::complex<float>* expected,
                            std::size_t count)
{
    add(reinterpret_cast<const float*>(got),
        reinterpret_cast<const float*>(expected),
        2 * count);
}

double output_comparison::error() const
{
    if (d_no_number)
        return std::numeric_limits<double>::infinity();
    return d_peak < least_peak ? 0 : d_difference / d_peak;
}

std::vector<output_range> some_outputs(std::size_t outputs, std::size_t each)
{
    if (outputs <= 3 * each)
        return { { 0, outputs } };
    return { { 0, each },
             { std::min(outputs / 2, outputs - 2 * each), each },
             { outputs - each, each } };
}

double fast_convolution_bound(const std::vector<std::complex<float>>& taps,
                              double accuracy)
{
    // The response is changed by accuracy times its largest value at most, and that value
    // is at most the sum of the taps' magnitudes; noise of variance 1 leaves with the sum
    // of their squares. Several times that, for a peak.
    double sum = 0, squares = 0;
    for (const auto& tap : taps) {
        const double magnitude = std::abs(std::complex<double>(tap));
        sum += magnitude;
        squares += magnitude * magnitude;
    }
    if (!(squares > 0))
        return most_output_error;
    // Zeros differ by 1, whatever the accuracy.
    constexpr double most = 0.9;
    constexpr double peak_factor = 8;
    return std::clamp(
        peak_factor * accuracy * sum / std::sqrt(squares), most_output_error, most);
}

void fill_with_nonsense(void* data, std::size_t bytes) { std::memset(data, 0xff, bytes); }

void compare_filter_outputs(const fir_setup& setup,
                            const void* in,
                            const std::complex<float>* got,
                            std::size_t outputs,
                            output_comparison& to)
{
    const auto host = make_host_fir("auto", setup);
    const phase64 step = -setup.step * setup.problem.decimation;
    const std::size_t stride =
        setup.problem.decimation * sample_size(setup.problem.input);
    for (const auto& range : some_outputs(outputs, filter_outputs)) {
        std::vector<std::complex<float>> expected(range.count);
        host->run({ static_cast<const unsigned char*>(in) + range.first * stride,
                    expected.data(),
                    range.count,
                    step * range.first });
        to.add(got + range.first, expected.data(), range.count);
    }
}

} // namespace cldsp
