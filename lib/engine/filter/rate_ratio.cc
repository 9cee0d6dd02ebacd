// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds the ratio of integers for an output rate, and counts outputs and items by it.

#include <cldsp/rate_ratio.h>

#include <cldsp/interpolated_taps.h>

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace cldsp {

namespace {

// The largest fraction of the input's rate that is no decimation: the sinc between the
// items needs some room between its band and its images.
constexpr double max_fraction = 0.9;

// Decimal rates are rounded when they are stored as doubles.
constexpr double rounding = 4e-15;

bool is_near(double rate, double other)
{
    return std::abs(rate - other) <= rate_ratio::max_deviation * other;
}

bool is_in_range(double interpolation, double decimation)
{
    return interpolation <= static_cast<double>(rate_ratio::max_interpolation) &&
           decimation <= static_cast<double>(rate_ratio::max_decimation);
}

rate_ratio ratio_of(double interpolation, double decimation)
{
    return rate_ratio::of(static_cast<std::size_t>(interpolation),
                          static_cast<std::size_t>(decimation));
}

//! The ratio with Q / P = \p wanted, up to rounding, if there is one in range.
std::optional<rate_ratio> exact_ratio(double wanted)
{
    // The continued fraction of Q / P.
    double rest = wanted;
    double before[2] = { 0, 1 }, last[2] = { 1, 0 }; // numerator and denominator
    while (true) {
        const double whole = std::floor(rest);
        const double next[2] = { whole * last[0] + before[0],
                                 whole * last[1] + before[1] };
        if (!is_in_range(next[1], next[0]))
            return std::nullopt;
        if (std::abs(next[0] / next[1] - wanted) <= rounding * wanted)
            return ratio_of(next[1], next[0]);
        std::copy(last, last + 2, before);
        std::copy(next, next + 2, last);
        rest = 1 / (rest - whole);
    }
}

//! The ratio for the round number that the input's rate nearly is, if there is one.
std::optional<rate_ratio> nominal_ratio(double output_rate, double sampling_freq)
{
    for (double unit = 1e6; unit >= 1; unit /= 10) {
        const double nominal = std::round(sampling_freq / unit) * unit;
        if (is_near(nominal, sampling_freq))
            return exact_ratio(nominal / output_rate);
    }
    return std::nullopt;
}

//! The ratio in range with the smallest P and Q whose rate differs by at most
//! max_deviation, if there is one.
std::optional<rate_ratio> simplest_ratio(double wanted)
{
    // The continued fractions of the two ends of the range begin alike. Where they part,
    // the simplest fraction between them ends with the next whole number.
    double low = wanted / (1 + rate_ratio::max_deviation);
    double high = wanted / (1 - rate_ratio::max_deviation);
    double before[2] = { 0, 1 }, last[2] = { 1, 0 };
    while (true) {
        const double whole = std::floor(low);
        const bool is_last = whole == low || whole + 1 <= high;
        const double step = whole == low ? whole : (is_last ? whole + 1 : whole);
        const double next[2] = { step * last[0] + before[0], step * last[1] + before[1] };
        if (!is_in_range(next[1], next[0]))
            return std::nullopt;
        if (is_last)
            return ratio_of(next[1], next[0]);
        std::copy(last, last + 2, before);
        std::copy(next, next + 2, last);
        low = std::exchange(high, 1 / (low - whole));
        low = 1 / (low - whole);
    }
}

//! The ratio in range that is closest to Q / P = \p wanted.
rate_ratio nearest_ratio(double wanted)
{
    const double most = static_cast<double>(rate_ratio::max_decimation);
    rate_ratio nearest{ 1, rate_ratio::max_decimation };
    double least = std::numeric_limits<double>::infinity();
    for (double p = 1; p <= static_cast<double>(rate_ratio::max_interpolation); p++) {
        const double q = std::min(std::round(p * wanted), most);
        const double difference = std::abs(q / p - wanted);
        if (difference < least && (p <= max_fraction * q || p == q)) {
            least = difference;
            nearest = ratio_of(p, q);
        }
    }
    return nearest;
}

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

rate_ratio
rate_ratio::of_rates(double output_rate, double sampling_freq, const std::string& name)
{
    const double most = max_fraction * sampling_freq;
    if (!std::isfinite(output_rate) || output_rate <= 0 ||
        (output_rate > most * (1 + max_deviation) &&
         !is_near(output_rate, sampling_freq)))
        throw_invalid(name,
                      number_text(output_rate),
                      "above 0 and at most " + number_text(most) +
                          " (0.9 of sampling_freq), or " + number_text(sampling_freq));
    const double wanted = sampling_freq / output_rate;
    if (const auto exact = exact_ratio(wanted))
        return *exact;
    if (const auto nominal = nominal_ratio(output_rate, sampling_freq))
        return *nominal;
    if (const auto close = simplest_ratio(wanted))
        return *close;
    throw_invalid(name,
                  number_text(output_rate),
                  "P / Q of sampling_freq (" + number_text(sampling_freq) + "), P " +
                      range(max_interpolation) + " and Q " + range(max_decimation) +
                      ", or within 1 ppm of that; the nearest is " +
                      number_text(nearest_ratio(wanted).rate(sampling_freq)));
}

double rate_ratio::rate_near(double wanted, double sampling_freq) const
{
    const double made = rate(sampling_freq);
    return std::abs(made - wanted) <= rounding * wanted ? wanted : made;
}

std::string rate_ratio::other_rate_text(double wanted, double sampling_freq) const
{
    const double made = rate_near(wanted, sampling_freq);
    if (made == wanted)
        return "";
    return number_text(made) + " Hz instead of " + number_text(wanted) + " Hz, " +
           std::to_string(interpolation) + "/" + std::to_string(decimation) + " of " +
           number_text(sampling_freq) + " Hz";
}

// Every call of a bank asks for these numbers, and a call may be short. A decimation, the
// usual rate, takes one division at most.

std::uint64_t rate_ratio::outputs(std::uint64_t items) const
{
    if (is_integer())
        return items / decimation;
    return multiply_divide(items, interpolation, decimation);
}

std::uint64_t rate_ratio::items(std::uint64_t outputs) const
{
    if (is_integer())
        return outputs * decimation;
    const std::uint64_t whole = outputs / interpolation, rest = outputs % interpolation;
    return whole * decimation + (rest * decimation + interpolation - 1) / interpolation;
}

std::uint64_t rate_ratio::newest_item(std::uint64_t output) const
{
    if (is_integer())
        return output * decimation;
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
    if (interpolation != decimation && static_cast<double>(interpolation) >
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
