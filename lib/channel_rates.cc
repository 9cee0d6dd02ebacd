// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks that decimations and output rates agree, and names the argument that does not.

#include "channel_rates.h"
#include <cldsp/errors.h>
#include <algorithm>
#include <cmath>
#include <string>

namespace gr {
namespace cldsp {

namespace {

using ::cldsp::rate_ratio;

//! The decimation that counts beside an output rate: 1 is what a decimation is that
//! nobody has touched, and gives way.
int beside_rate(int decimation, double output_rate)
{
    return decimation == 1 && output_rate != 0 ? 0 : decimation;
}

//! \param decimation_index,rate_index "[2]", or empty for an argument that is no list
rate_ratio rate_of(int decimation,
                   const std::string& decimation_index,
                   double output_rate,
                   const std::string& rate_index,
                   double sampling_freq)
{
    constexpr std::size_t most = rate_ratio::max_decimation;
    decimation = beside_rate(decimation, output_rate);
    if (decimation < 0 || static_cast<std::size_t>(decimation) > most ||
        (decimation == 0 && output_rate == 0))
        ::cldsp::throw_invalid("decimation" + decimation_index,
                               std::to_string(decimation),
                               "1 to " + std::to_string(most) +
                                   ", or 0 where output_rate is given");
    const auto count = static_cast<std::size_t>(decimation);
    if (output_rate == 0)
        return { 1, count };
    const auto rate =
        rate_ratio::of_rates(output_rate, sampling_freq, "output_rate" + rate_index);
    if (decimation != 0 && rate != rate_ratio{ 1, count })
        ::cldsp::throw_invalid(
            "output_rate" + rate_index,
            ::cldsp::number_text(output_rate),
            "0, or " + ::cldsp::number_text(rate_ratio{ 1, count }.rate(sampling_freq)) +
                ", the rate by the decimation " + std::to_string(decimation));
    return rate;
}

//! Checks that a list has one value, or one for each slot.
template <class VALUE>
void check_list(const char* name, const std::vector<VALUE>& list, std::size_t slots)
{
    if (list.size() != 1 && list.size() != slots)
        ::cldsp::throw_invalid(name,
                               "a list of " + std::to_string(list.size()) + " values",
                               "one value, or a list of " + std::to_string(slots) +
                                   ", one for each slot");
}

template <class VALUE>
std::string index_of(const std::vector<VALUE>& list, std::size_t slot)
{
    return list.size() == 1 ? "" : "[" + std::to_string(slot) + "]";
}

} // namespace

std::vector<rate_ratio> channel_rates(const std::vector<int>& decimations,
                                      const std::vector<double>& output_rates,
                                      double sampling_freq,
                                      std::size_t slots)
{
    check_list("decimation", decimations, slots);
    check_list("output_rate", output_rates, slots);
    const bool one = decimations.size() == 1 && output_rates.size() == 1;
    std::vector<rate_ratio> rates;
    for (std::size_t slot = 0; slot < (one ? 1 : slots); slot++)
        rates.push_back(rate_of(decimations[decimations.size() == 1 ? 0 : slot],
                                index_of(decimations, slot),
                                output_rates[output_rates.size() == 1 ? 0 : slot],
                                index_of(output_rates, slot),
                                sampling_freq));
    if (one)
        rates.resize(slots, rates.front());
    return rates;
}

std::vector<std::string> other_rates(const std::vector<double>& output_rates,
                                     double sampling_freq,
                                     const std::vector<rate_ratio>& rates)
{
    std::vector<std::string> texts;
    for (std::size_t slot = 0; slot < rates.size(); slot++) {
        const double wanted = output_rates[output_rates.size() == 1 ? 0 : slot];
        const auto text =
            wanted == 0 ? "" : rates[slot].other_rate_text(wanted, sampling_freq);
        if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end())
            texts.push_back(text);
    }
    return texts;
}

std::optional<rate_ratio> added_rate(int decimation,
                                     double output_rate,
                                     double sampling_freq,
                                     const std::vector<rate_ratio>& rates)
{
    decimation = beside_rate(decimation, output_rate);
    if (decimation == 0 && output_rate == 0)
        return std::nullopt;
    // The rate of a slot may differ from what was asked for when it was made.
    if (decimation == 0 && !rates.empty()) {
        const auto difference = [&](const rate_ratio& slot) {
            return std::abs(slot.rate(sampling_freq) - output_rate);
        };
        const auto nearest = *std::min_element(
            rates.begin(), rates.end(), [&](const rate_ratio& a, const rate_ratio& b) {
                return difference(a) < difference(b);
            });
        if (difference(nearest) <= rate_ratio::max_deviation * output_rate)
            return nearest;
    }
    const auto rate = rate_of(decimation, "", output_rate, "", sampling_freq);
    if (std::find(rates.begin(), rates.end(), rate) == rates.end()) {
        const bool by_rate = output_rate != 0;
        std::string all;
        for (const auto& slot : ::cldsp::different_rates(rates))
            all +=
                (all.empty() ? "" : ", ") +
                (by_rate ? ::cldsp::number_text(slot.rate(sampling_freq)) : slot.text());
        ::cldsp::throw_invalid(by_rate ? "output_rate" : "decimation",
                               by_rate ? ::cldsp::number_text(output_rate)
                                       : std::to_string(decimation),
                               "that of a slot: " + all);
    }
    return rate;
}

std::size_t decimation_of(const std::vector<rate_ratio>& rates)
{
    std::size_t least = rate_ratio::max_decimation;
    for (const auto& rate : rates)
        least = std::min(least, rate.decimation / rate.interpolation);
    return least;
}

} // namespace cldsp
} // namespace gr
