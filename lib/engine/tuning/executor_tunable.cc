// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Times the calls of a kernel that is being tuned.

#include "tuning/executor_tunable.h"

#include "tuning/tuner_internal.h"

#include <cldsp/errors.h>

#include <chrono>
#include <stdexcept>

namespace cldsp {

std::shared_ptr<context> context_for_trials(const context_registry& registry,
                                            const device_info& device)
{
    auto options = registry.options();
    options.disk_cache = false;
    return std::make_shared<context>(device, options);
}

tuning_point point_of(const tuning_space& space,
                      const tuning_values& values,
                      const std::string& family)
{
    const auto why = space.why_not(values, tuning_point());
    if (!why.empty())
        throw std::invalid_argument("the default of " + family +
                                    " does not fit the device: " + why);
    return *space.find(values, tuning_point());
}

std::string tiled_variant(const std::string& name, const device_info& device)
{
    if (name == "auto" && !device.is_host())
        return tile_for(device);
    if (device.is_host() || (name != "cpu_tile" && name != "gpu_tile"))
        throw_invalid("variant",
                      "'" + name + "'" + (device.is_host() ? " on the host" : ""),
                      "'cpu_tile', 'gpu_tile' or 'auto' on an OpenCL device");
    return name;
}

double timed_trial::run()
{
    return seconds_of_calls([this] { return timed_call(); });
}

double timed_trial::timed_call()
{
    using clock = std::chrono::steady_clock;
    const double kernels_before = d_whole ? 0 : kernel_seconds();
    const auto start = clock::now();
    call();
    const double whole = std::chrono::duration<double>(clock::now() - start).count();
    const double kernels = d_whole ? 0 : kernel_seconds() - kernels_before;
    return kernels > 0 ? kernels : whole; // not every driver reports the time of kernels
}

//! The time of the kernels of all calls so far.
double timed_trial::kernel_seconds() const
{
    const auto s = statistics();
    return s.kernel_time * static_cast<double>(s.calls);
}

} // namespace cldsp
