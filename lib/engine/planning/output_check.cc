// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds the largest difference of outputs, relative to their peak.

#include "planning/output_check.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace cldsp {

namespace {

// With outputs below this peak, a device that flushes subnormal numbers to zero is right.
constexpr double min_peak = 1e-30;

} // namespace

template <class Number>
void output_comparison::add(const Number* got, const Number* expected, std::size_t count)
{
    for (std::size_t i = 0; i < count; i++) {
        const auto right = static_cast<double>(expected[i]);
        const auto found = static_cast<double>(got[i]);
        if (!std::isfinite(right))
            continue; // an expected overflow says nothing
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
    return d_peak < min_peak ? 0 : d_difference / d_peak;
}

std::vector<output_range> some_outputs(std::size_t outputs, std::size_t each)
{
    if (outputs <= 3 * each)
        return { { 0, outputs } };
    return { { 0, each },
             { std::min(outputs / 2, outputs - 2 * each), each },
             { outputs - each, each } };
}

void fill_with_nonsense(void* data, std::size_t bytes) { std::memset(data, 0xff, bytes); }

std::string output_error::text() const
{
    if (!std::isfinite(error))
        return "its outputs are not numbers where the host's are";
    return "its outputs differ from the host's by " +
           fixed_text(20 * std::log10(std::max(error, 1e-30)), 1) + " dB of their peak";
}

} // namespace cldsp
