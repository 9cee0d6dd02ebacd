// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The predictions and refusals that all operations have in common.

#include "planning/operation.h"

#include "base/thread_pool.h"
#include "planning/device_rates.h"

#include <cldsp/errors.h>

namespace cldsp {

double host_seconds(const operation_work& work, double rate)
{
    constexpr double call_seconds = 1e-6;
    const double by_one = work.operations / rate;
    const unsigned threads = thread_pool::threads_for(by_one, thread_pool::count_for(0));
    return call_seconds + by_one / threads + (threads - 1) * waking_seconds;
}

double
device_seconds(const operation_work& work, const operation_place& place, double per_flop)
{
    const auto rates = estimated_rates(place.device);
    double seconds = rates.call + rates.flop * work.operations / per_flop +
                     rates.transfer * work.bytes;
    if (place.transfer != "zero_copy")
        seconds += rates.map * work.buffers + rates.copy * work.bytes;
    return seconds;
}

std::string operation_options::key() const
{
    return " device=" + device + " variant=" + variant +
           (precision.empty() ? "" : " precision=" + precision);
}

void refuse_variant(const std::string& name,
                    const std::vector<std::string>& known,
                    const std::string& what_they_take)
{
    std::string names = "one of auto";
    for (const auto& one : known)
        names += ", " + one;
    throw_invalid("variant", "'" + name + "'", names + what_they_take);
}

std::string no_device_reason(const operation_options& options)
{
    // If the options name none, the host computes instead, as in every flowgraph without
    // OpenCL.
    if (options.device != "auto")
        throw_invalid("variant",
                      "'" + options.variant + "'",
                      "one that device '" + options.device + "' can run");
    const std::string why = "variant '" + options.variant + "' needs OpenCL";
    log_to(options.log, log_level::warning, "the host computes instead: " + why);
    return why;
}

} // namespace cldsp
