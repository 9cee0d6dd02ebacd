/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tuning/kernel_tunable.h"

#include "tuning/tuner_internal.h"

#include <cldsp/errors.h>

#include <chrono>
#include <stdexcept>

namespace cldsp {

namespace {

context_options off_the_disk(context_options options)
{
    options.disk_cache = false;
    return options;
}

} // namespace

kernel_tunable::kernel_tunable(context_registry& registry, const device_info& device)
    : d_registry(registry),
      d_device(device),
      d_trials(std::make_shared<context>(device, off_the_disk(registry.options())))
{
}

void kernel_tunable::describe(const kernel_place& place,
                              const tuning_problem& problem,
                              const tuning_space& space,
                              const tuning_values& untuned,
                              double tolerance)
{
    d_place = place.for_wisdom();
    d_problem = problem;
    d_space = space;
    const auto why = d_space->why_not(untuned, tuning_point());
    if (!why.empty())
        throw std::invalid_argument("the default of " + family() +
                                    " does not fit the device: " + why);
    d_default = *d_space->find(untuned, tuning_point());
    d_tolerance = tolerance;
}

std::string tiled_variant(const std::string& name, const device_info& device)
{
    if (name == "auto" && !device.is_host())
        return tile_for(device);
    if (!is_tiled(name))
        throw_invalid("variant",
                      "'" + name + "'" + (device.is_host() ? " on the host" : ""),
                      "'cpu_tile', 'gpu_tile' or 'auto' on an OpenCL device");
    return name;
}

double call_trial::run()
{
    return seconds_of_calls([this] { return timed_call(); });
}

double call_trial::timed_call()
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
double call_trial::kernel_seconds() const
{
    const auto s = statistics();
    return s.kernel_time * static_cast<double>(s.calls);
}

} // namespace cldsp
