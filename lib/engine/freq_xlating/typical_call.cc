// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A call of typical length with which executors of filters and banks are measured.

#include "freq_xlating/typical_call.h"

#include "filter/channel_spans.h"
#include "planning/output_check.h"

#include <algorithm>

namespace cldsp {

typical_call::layout typical_call::layout_of(const std::vector<filter_channel>& channels,
                                             std::size_t items)
{
    std::vector<rate_ratio> rates;
    for (const auto& channel : channels)
        rates.push_back(channel.problem.rate());
    const std::size_t unit = unit_of_calls(rates);
    layout its;
    for (const auto& channel : channels)
        its.history = std::max(its.history, history_of(channel, unit));
    find_spans(channels, 0, its.history, items, its.spans);
    for (const auto& span : its.spans)
        its.outputs += span.outputs;
    // The items behind the newest one of the last outputs are left out.
    its.items = items - (unit - 1);
    return its;
}

typical_call::typical_call(const std::vector<filter_channel>& channels, std::size_t items)
    : typical_call(channels, layout_of(channels, items))
{
}

typical_call::typical_call(const std::vector<filter_channel>& channels, const layout& its)
    : d_item_bytes(sample_size(channels.front().problem.input)),
      d_in(trial_input(channels.front().problem.input, its.history + its.items)),
      d_out(std::max<std::size_t>(1, its.outputs) * sizeof(std::complex<float>))
{
    auto* place = d_out.as<std::complex<float>>();
    for (const auto& span : its.spans) {
        d_calls.push_back({ place, {}, span });
        place += span.outputs;
    }
    d_call = { d_in.as<void>(), its.history, its.items, d_calls.data() };
}

void typical_call::spoil() const
{
    fill_with_nonsense(d_out.as<void>(), d_out.region().bytes);
}

const void* typical_call::window(std::size_t channel, std::size_t taps) const
{
    return d_in.as<unsigned char>() +
           (d_calls[channel].span.newest + 1 - taps) * d_item_bytes;
}

} // namespace cldsp
