// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Computes the outputs of channels with rates of their own, and the items they need.

#include "filter/channel_spans.h"

#include <algorithm>
#include <complex>

namespace cldsp {

std::size_t unit_of_calls(const std::vector<rate_ratio>& rates)
{
    const auto& first = rates.front();
    const auto is_same = [&](const auto& rate) { return rate == first; };
    return first.is_integer() && std::all_of(rates.begin(), rates.end(), is_same)
               ? first.decimation
               : 1;
}

std::size_t history_of(const filter_channel& channel, std::size_t unit)
{
    const rate_ratio rate = channel.problem.rate();
    const std::size_t late =
        rate.is_integer() && unit % rate.decimation == 0
            ? 0
            : (rate.decimation + rate.interpolation - 2) / rate.interpolation;
    return channel.items_of_output() - 1 + late;
}

void find_spans(const std::vector<filter_channel>& channels,
                std::uint64_t items_before,
                std::size_t history,
                std::size_t items,
                std::vector<channel_span>& spans)
{
    spans.resize(channels.size());
    for (std::size_t c = 0; c < channels.size(); c++) {
        const rate_ratio rate = channels[c].problem.rate();
        auto& span = spans[c];
        span.first = rate.outputs(items_before);
        span.outputs =
            static_cast<std::size_t>(rate.outputs(items_before + items) - span.first);
        span.newest = history - static_cast<std::size_t>(items_before -
                                                         rate.newest_item(span.first));
    }
}

filter_call without_early_items(const filter_call& call,
                                std::vector<channel_call>& channels,
                                std::size_t history,
                                std::size_t item_bytes)
{
    std::size_t newest = channels.front().span.newest;
    for (const auto& channel : channels)
        newest = std::min(newest, channel.span.newest);
    const std::size_t early = newest - std::min(newest, history);
    for (auto& channel : channels)
        channel.span.newest -= early;
    const std::size_t past = call.history - std::min(call.history, early);
    return { static_cast<const unsigned char*>(call.in) + early * item_bytes,
             past,
             call.history + call.items - early - past,
             channels.data() };
}

std::size_t items_of_an_output(const std::vector<rate_ratio>& rates)
{
    std::uint64_t most = 1;
    for (const auto& rate : rates)
        most = std::max(most, rate.items(1));
    return static_cast<std::size_t>(most);
}

std::size_t items_of_typical_call(std::size_t wanted,
                                  const std::vector<rate_ratio>& rates)
{
    constexpr double max_bytes = 1 << 28; // of the outputs of all channels together
    constexpr double max_outputs = max_bytes / sizeof(std::complex<float>);
    const std::size_t unit = unit_of_calls(rates);
    double outputs = 0; // of all channels, for a unit
    for (const auto& rate : rates)
        outputs += rate.rate(static_cast<double>(unit));
    const auto most = static_cast<std::size_t>(max_outputs / outputs);
    const std::size_t least = items_of_an_output(rates);
    return std::max(least, unit * std::min(wanted / unit, most));
}

} // namespace cldsp
