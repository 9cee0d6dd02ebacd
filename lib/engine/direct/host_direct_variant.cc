// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The list of the host's direct variants, their predictions and operations.

#include "direct/host_direct_variant.h"

#include "filter/operation_counts.h"
#include "planning/output_check.h"

#include <cldsp/errors.h>

#include <algorithm>

namespace cldsp {

const std::vector<const host_direct_variant*>& host_direct_variants()
{
    static const auto& all =
        *new std::vector<const host_direct_variant*>{ &host_direct_simd(),
                                                      &host_direct_volk() };
    return all;
}

std::unique_ptr<host_fir> make_host_fir(const std::string& variant,
                                        const filter_channel& channel)
{
    for (const auto* one : host_direct_variants())
        if (variant == one->name || variant == "auto")
            return one->make_fir(channel);
    throw_invalid("variant", variant, "simd, volk or auto on the host");
}

double busy_threads(const plan_shape& shape, std::size_t parts)
{
    return static_cast<double>(
        std::max<std::size_t>(1, std::min<std::size_t>(shape.threads, parts)));
}

double shared_call_seconds(const plan_shape& shape, double by_one, std::size_t parts)
{
    plan_shape its = shape;
    its.threads = thread_pool::threads_for(by_one, shape.threads);
    const double busy = busy_threads(its, parts);
    return by_one / busy + (busy - 1) * waking_seconds;
}

double direct_operations(const counted_filter& filter, bool uses_real_taps)
{
    const auto& problem = filter.problem;
    double operations = 0;
    for (std::size_t c = 0; c < problem.channels(); c++) {
        const auto& taps = problem.taps_of(c);
        const bool real = uses_real_taps && taps.are_real();
        operations += (real ? real_product : complex_product) * filter.outputs *
                      static_cast<double>(taps.size());
    }
    return operations;
}

double host_direct_variant::predict(const plan_shape& shape,
                                    const host_rates& rates) const
{
    const double channel = cost(shape, rates).seconds(shape.outputs(), shape.taps);
    const double by_one = rates.call + static_cast<double>(shape.channels) * channel;
    return shared_call_seconds(shape, by_one, shape.channels);
}

host_costs host_direct_variant::costs(const plan_shape& shape,
                                      const host_rates& rates) const
{
    const auto channel = cost(shape, rates);
    const auto channels = static_cast<double>(shape.channels);
    return { rates.call,
             channels * channel.output,
             channels * channel.tap,
             channels * channel.first };
}

double host_direct_variant::predict(const plan_shape& shape,
                                    const plan_place&,
                                    std::size_t,
                                    const host_rates& rates) const
{
    return predict(shape, rates);
}

std::unique_ptr<filter_executor>
host_direct_variant::make(const filter_task& task, const plan_place&, std::size_t) const
{
    return make_host_direct(
        name, task.channels, task.pool(), costs(task.shape, task.rates));
}

double host_direct_variant::operations(const counted_filter& filter) const
{
    return direct_operations(filter, uses_real_taps());
}

} // namespace cldsp
