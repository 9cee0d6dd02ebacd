// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Chooses decimations and designs the taps, as trunk-recorder does.

#include "channel_plan.h"
#include "refuse.h"
#include <gnuradio/fft/window.h>
#include <gnuradio/filter/firdes.h>
#include <cmath>
#include <limits>
#include <string>

namespace trunk_recorder {

namespace {

using gr::filter::firdes;

constexpr double min_first_rate = 96000;
constexpr double first_cutoff = 24000, first_transition = 12000, first_attenuation = 10;
constexpr double channel_attenuation = 60;
constexpr double resampler_filters = 32, resampler_attenuation = 30;
constexpr double resampler_passband = 0.8;
constexpr double min_bandwidth = 100;

int first_decimation_of(double input_rate)
{
    const double max = std::numeric_limits<int>::max();
    if (!(input_rate >= min_first_rate && input_rate <= max))
        refuse("input_rate", input_rate, "96000 Hz to 2147483647 Hz");
    return static_cast<int>(input_rate / min_first_rate);
}

double channel_rate_of(int samples_per_symbol, double symbol_rate, double first_rate)
{
    if (samples_per_symbol < 1)
        refuse("samples_per_symbol", samples_per_symbol, "1 or more");
    // The channel's rate is a whole number of Hz.
    const double rate = std::floor(symbol_rate * samples_per_symbol);
    if (!(rate >= 1 && rate <= first_rate)) {
        const auto limit = [&](double of_rate) {
            return std::to_string(of_rate / samples_per_symbol);
        };
        refuse("symbol_rate",
               symbol_rate,
               limit(1) + " Hz to " + limit(first_rate) + " Hz with " +
                   std::to_string(samples_per_symbol) + " samples per symbol");
    }
    return rate;
}

double checked_bandwidth(double bandwidth, double first_rate)
{
    if (!(bandwidth >= min_bandwidth && bandwidth <= first_rate))
        refuse("bandwidth",
               bandwidth,
               std::to_string(min_bandwidth) + " Hz to " + std::to_string(first_rate) +
                   " Hz");
    return bandwidth;
}

} // namespace

channel_plan::channel_plan(double input_rate,
                           int samples_per_symbol,
                           double symbol_rate,
                           double bandwidth)
    : d_input_rate(input_rate),
      d_samples_per_symbol(samples_per_symbol),
      d_bandwidth(bandwidth),
      d_first_decimation(first_decimation_of(input_rate)),
      d_channel_rate(channel_rate_of(samples_per_symbol, symbol_rate, first_rate())),
      d_second_decimation(static_cast<int>(first_rate() / d_channel_rate))
{
    checked_bandwidth(bandwidth, first_rate());
}

std::vector<float> channel_plan::first_taps() const
{
    return firdes::low_pass_2(
        1, d_input_rate, first_cutoff, first_transition, first_attenuation);
}

std::vector<float> channel_plan::second_taps() const
{
    return firdes::low_pass_2(
        1, first_rate(), d_bandwidth / 2, d_bandwidth / 4, channel_attenuation);
}

std::vector<float> channel_plan::second_taps(double max_dev) const
{
    if (!(max_dev > 0 && max_dev <= first_rate() / 2))
        refuse("max_dev",
               max_dev,
               "above 0 Hz, and at most " + std::to_string(first_rate() / 2) + " Hz");
    return firdes::low_pass_2(
        1, first_rate(), max_dev, d_bandwidth / 2, channel_attenuation);
}

std::vector<float> channel_plan::resampler_taps() const
{
    const double half_band = channel_rate() / filtered_rate() / 2;
    return firdes::low_pass_2(resampler_filters,
                              resampler_filters,
                              resampler_passband * half_band,
                              resampler_passband / 2 * half_band,
                              resampler_attenuation,
                              gr::fft::window::WIN_BLACKMAN_HARRIS);
}

std::vector<float> channel_plan::joint_taps(const std::vector<float>& second) const
{
    const auto first = first_taps();
    const std::size_t spacing = d_first_decimation;
    std::vector<double> sums(first.size() + (second.size() - 1) * spacing);
    for (std::size_t s = 0; s < second.size(); s++)
        for (std::size_t f = 0; f < first.size(); f++)
            sums[s * spacing + f] += static_cast<double>(second[s]) * first[f];
    return { sums.begin(), sums.end() };
}

} // namespace trunk_recorder
