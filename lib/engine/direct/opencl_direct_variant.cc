// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The list of the direct variants on OpenCL devices, and their predictions.

#include "direct/opencl_direct_variant.h"

#include "direct/host_direct_variant.h"
#include "direct/opencl_direct.h"
#include "filter/device_cost.h"
#include "filter/operation_counts.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <functional>

namespace cldsp {

namespace {

std::vector<const opencl_direct_variant*> list_variants()
{
    auto all = opencl_direct_ladder();
    all.push_back(&opencl_direct_cpu_tile());
    all.push_back(&opencl_direct_gpu_tile());
    return all;
}

} // namespace

const std::vector<const opencl_direct_variant*>& opencl_direct_variants()
{
    static const auto& all =
        *new std::vector<const opencl_direct_variant*>(list_variants());
    return all;
}

std::string direct_variant(const device_info& device)
{
    if (device.is_host())
        return host_direct_variants().front()->name;
    const auto& all = opencl_direct_variants();
    return (*std::find_if(all.begin(),
                          all.end(),
                          [&](const auto* one) { return one->suits(device); }))
        ->name;
}

std::unique_ptr<fir_kernel> make_fir_kernel(const std::string& variant,
                                            const fir_kernel_args& args)
{
    for (const auto* one : opencl_direct_variants())
        if (one->name == variant ||
            (variant == "auto" && one->suits(args.device->device())))
            return one->make_kernel(args);
    throw_invalid("variant", "'" + variant + "'", "an OpenCL variant's name, or auto");
}

tuning_problem fir_tuning_problem(const filter_channel& setup, std::size_t items)
{
    return { std::string(sample_type_name(setup.problem.input)) +
                 (setup.real_taps ? ", real taps" : ", complex taps"),
             { { "taps", static_cast<double>(setup.taps()) },
               { "decimation", static_cast<double>(setup.problem.decimation) },
               { "items", static_cast<double>(items) } } };
}

double direct_device_seconds(const plan_shape& shape,
                             const plan_place& place,
                             const host_rates& host)
{
    // One channel runs after the other.
    const auto channels = static_cast<double>(shape.channels);
    const double operations = complex_product * channels *
                              static_cast<double>(shape.outputs()) *
                              static_cast<double>(shape.taps);
    return device_seconds(
        shape, place, estimated_rates(place.device).flop * operations, channels, host);
}

double opencl_direct_variant::predict(const plan_shape& shape,
                                      const plan_place& place,
                                      std::size_t,
                                      const host_rates& rates) const
{
    return direct_device_seconds(shape, place, rates);
}

std::unique_ptr<filter_executor> opencl_direct_variant::make(const filter_task& task,
                                                             const plan_place& place,
                                                             std::size_t) const
{
    return make_opencl_direct(
        task.registry->get(place.device),
        name,
        place.transfer,
        task.channels,
        [&](const filter_channel& channel) { return tuned(task, place, channel); });
}

const tuning_values& opencl_direct_variant::tuned(const filter_task& task,
                                                  const plan_place& place,
                                                  const filter_channel& channel) const
{
    return task.tuned().of(
        place.device,
        name,
        fir_tuning_problem(channel, task.shape.items),
        [&](const device_info& where) { return parameters(where.limits, channel); });
}

tuning_values opencl_direct_variant::tuned(const filter_task& task,
                                           const plan_place& place) const
{
    // A measurement depends on the values of all channels.
    for (const auto& channel : task.channels)
        tuned(task, place, channel);
    return tuned(task, place, task.channels.front());
}

double opencl_direct_variant::operations(const counted_filter& filter) const
{
    return direct_operations(filter, uses_real_taps());
}

} // namespace cldsp
