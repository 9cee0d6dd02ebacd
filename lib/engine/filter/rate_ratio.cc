/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/rate_ratio.h>

#include <cldsp/interpolated_taps.h>

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cldsp {

namespace {

// The largest fraction of the input's rate that is no decimation: the sinc between the
// items needs some room between its band and its images.
constexpr double max_fraction = 0.9;

std::string range(std::size_t most) { return "1 to " + std::to_string(most); }

//! floor(a b / c) without overflow, where the result fits 64 bits.
std::uint64_t multiply_divide(std::uint64_t a, std::uint64_t b, std::uint64_t c)
{
    // b and c are at most 2^24, and so is the remainder.
    return a / c * b + a % c * b / c;
}

} // namespace

rate_ratio rate_ratio::of(std::size_t interpolation, std::size_t decimation)
{
    const std::size_t common = std::gcd(interpolation, decimation);
    if (common == 0)
        return { interpolation, decimation };
    return { interpolation / common, decimation / common };
}

rate_ratio rate_ratio::of_rates(double output_rate,
                                double sampling_freq,
                                const std::string& name)
{
    if (!std::isfinite(output_rate) || output_rate <= 0 ||
        (output_rate > max_fraction * sampling_freq && output_rate != sampling_freq))
        throw_invalid(name,
                      number_text(output_rate),
                      "above 0 and at most " + number_text(max_fraction * sampling_freq) +
                          " (0.9 of sampling_freq), or " + number_text(sampling_freq));
    // The continued fraction of Q / P. Decimal rates are rounded when they are stored as
    // doubles, so the fraction has to match the quotient only to that rounding.
    const double wanted = sampling_freq / output_rate;
    const double close = 4e-15 * wanted;
    double rest = wanted;
    double before[2] = { 0, 1 }, last[2] = { 1, 0 }; // numerator and denominator
    while (true) {
        const double whole = std::floor(rest);
        const double next[2] = { whole * last[0] + before[0],
                                 whole * last[1] + before[1] };
        if (next[0] > static_cast<double>(max_decimation) ||
            next[1] > static_cast<double>(max_interpolation))
            break;
        if (std::abs(next[0] / next[1] - wanted) <= close)
            return of(static_cast<std::size_t>(next[1]),
                      static_cast<std::size_t>(next[0]));
        before[0] = last[0];
        before[1] = last[1];
        last[0] = next[0];
        last[1] = next[1];
        rest = 1 / (rest - whole);
    }
    throw_invalid(name,
                  number_text(output_rate),
                  "P / Q of sampling_freq (" + number_text(sampling_freq) + "), P " +
                      range(max_interpolation) + " and Q " + range(max_decimation));
}

std::uint64_t rate_ratio::outputs(std::uint64_t items) const
{
    return multiply_divide(items, interpolation, decimation);
}

std::uint64_t rate_ratio::items(std::uint64_t outputs) const
{
    const std::uint64_t whole = outputs / interpolation, rest = outputs % interpolation;
    return whole * decimation + (rest * decimation + interpolation - 1) / interpolation;
}

std::uint64_t rate_ratio::newest_item(std::uint64_t output) const
{
    return multiply_divide(output, decimation, interpolation);
}

std::string rate_ratio::text() const
{
    std::string text = std::to_string(decimation);
    if (!is_integer())
        text += "/" + std::to_string(interpolation);
    return text;
}

std::size_t rate_ratio::further_taps() const { return 2 * interpolation_delay(*this); }

void rate_ratio::check(const std::string& name) const
{
    const auto fail = [&](const std::string& allowed) {
        throw_invalid(name,
                      std::to_string(interpolation) + " outputs for " +
                          std::to_string(decimation) + " items",
                      allowed);
    };
    if (interpolation < 1 || interpolation > max_interpolation)
        fail(range(max_interpolation) + " outputs");
    if (decimation < 1 || decimation > max_decimation)
        fail(range(max_decimation) + " items");
    if (interpolation != decimation &&
        static_cast<double>(interpolation) >
            max_fraction * static_cast<double>(decimation))
        fail("at most 0.9 outputs an item, or 1");
    if (std::gcd(interpolation, decimation) != 1)
        fail("a fraction in lowest terms");
}

std::vector<rate_ratio> different_rates(const std::vector<rate_ratio>& rates)
{
    std::vector<rate_ratio> different;
    for (const auto& rate : rates)
        if (std::find(different.begin(), different.end(), rate) == different.end())
            different.push_back(rate);
    return different;
}

} // namespace cldsp
