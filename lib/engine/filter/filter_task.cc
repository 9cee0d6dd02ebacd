// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Prepares a problem for planning, from its taps, options and threads.

#include "filter/filter_task.h"

#include "filter/channel_spans.h"
#include "filter/filter_variant.h"
#include "filter/kept_bins.h"

#include <algorithm>

namespace cldsp {

filter_task::filter_task(const filter_request& request)
    : problem(request.problem),
      options(request.options),
      named(plan_options::of(request.options)),
      rates(request.rates),
      registry(request.registry),
      channels(make_channels(request.problem)),
      d_pool(request.pool)
{
    if (registry)
        d_tuned.emplace(*registry);
    shape.input = problem.input;
    for (const auto& taps : problem.taps)
        shape.taps = std::max(shape.taps, taps.size());
    shape.decimation = problem.decimation;
    shape.channels = channels.size();
    shape.real_taps = std::all_of(channels.begin(),
                                  channels.end(),
                                  [](const auto& channel) { return channel.real_taps; });
    shape.threads = thread_pool::count_for(options.threads);
    const auto& all = filter_variants();
    if (std::any_of(all.begin(), all.end(), [this](const auto* variant) {
            return variant->leaves_bins_out() && named.allows(variant->name);
        }))
        shape.kept = kept();
    shape.items = items_of_typical_call(
        options.typical_items,
        std::vector<rate_ratio>(shape.channels, { 1, problem.decimation }));
}

const std::shared_ptr<thread_pool>& filter_task::pool() const
{
    if (!d_pool)
        d_pool = std::make_shared<thread_pool>(options.threads);
    return d_pool;
}

std::size_t filter_task::found_by(const variant_info& variant,
                                  const std::function<std::size_t()>& find) const
{
    const auto found = d_found.find(&variant);
    return found != d_found.end() ? found->second
                                  : d_found.emplace(&variant, find()).first->second;
}

//! The fraction of the bins that is kept, as the mean of up to `most` prototypes.
double filter_task::kept() const
{
    constexpr std::size_t most = 8;
    const std::size_t stride = (problem.taps.size() + most - 1) / most;
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < problem.taps.size(); i += stride, count++)
        sum += kept_bins(problem.taps[i], options.accuracy);
    return sum / count;
}

} // namespace cldsp
