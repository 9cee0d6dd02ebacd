/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "roofline/roofline_opencl.h"

#include "opencl/queue_window.h"

#include <cldsp/errors.h>

#include <algorithm>

namespace cldsp {

namespace {

// fp32, fp16, int32, popcount; read, write, copy, local; four transfers; two launches.
constexpr std::size_t step_count = 14;

} // namespace

opencl_meter::opencl_meter(std::shared_ptr<context> device)
    : d_device(std::move(device)), d_queue(d_device->make_queue())
{
}

cl::Kernel opencl_meter::kernel(const std::string& name, const std::string& options) const
{
    return cl::Kernel(d_device->build("roofline", options), name.c_str());
}

held_memory<cl::Buffer> opencl_meter::buffer(std::size_t bytes, cl_mem_flags flags) const
{
    d_device->check_injected(injected_call::allocate);
    return { *d_device, cl::Buffer(d_device->cl_context(), flags, bytes) };
}

cl::Event
opencl_meter::launch(const cl::Kernel& kernel, std::size_t items, std::size_t group) const
{
    auto slot = d_device->admit_command(d_queue);
    cl::Event done;
    d_queue.enqueueNDRangeKernel(
        kernel, cl::NullRange, cl::NDRange(items), cl::NDRange(group), nullptr, &done);
    slot.enqueued(done);
    return done;
}

double
opencl_meter::run(const cl::Kernel& kernel, std::size_t items, std::size_t group) const
{
    const stopwatch watch;
    const cl::Event done = launch(kernel, items, group);
    d_device->wait(done);
    const double by_host = watch.seconds();
    const auto start = done.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const auto end = done.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    const double by_device = end > start ? 1e-9 * static_cast<double>(end - start) : 0;
    return by_device > 0 && by_device <= by_host ? by_device : by_host;
}

double opencl_meter::run_on_cores(const cl::Kernel& kernel,
                                  std::size_t items,
                                  std::size_t group) const
{
    const core_watch watch;
    const double seconds = run(kernel, items, group);
    // A profile may tell fewer units than the driver uses.
    const auto cores = d_device->cl_device().getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    return is_cpu() && cores > 0 ? std::min(seconds, watch.seconds(cores)) : seconds;
}

std::size_t opencl_meter::group() const
{
    // A CPU's work-item is vector enough.
    constexpr std::size_t wanted = 256;
    if (is_cpu())
        return 1;
    return std::min(
        { wanted, limits().max_work_group_size, limits().max_work_item_sizes[0] });
}

std::size_t opencl_meter::items() const
{
    // Some groups more than units, so that a unit that starts late takes fewer.
    const std::size_t groups = std::max<std::size_t>(1, limits().compute_units) * 16;
    return groups * group();
}

double figure_or_none(const opencl_meter& meter,
                      roofline_steps& steps,
                      const std::string& name,
                      const std::function<double(double)>& measure)
{
    const double seconds = steps.next(name);
    std::string reason;
    try {
        const double figure = measure(seconds);
        meter.device().check_commands(meter.queue());
        return figure;
    } catch (const opencl_error& e) {
        reason = e.what();
    } catch (const cl::Error& e) {
        reason = std::string(e.what()) + ": " + opencl_error_name(e.err());
    }
    meter.device().drain(meter.queue());
    log_to(meter.device().log(),
           log_level::warning,
           meter.device().name() + ": " + name + " is not measured: " + reason);
    return 0;
}

roofline measure_opencl_roofline(const std::shared_ptr<context>& device,
                                 const roofline_options& options)
{
    try {
        const opencl_meter meter(device);
        roofline_steps steps(options, step_count);
        roofline r;
        r.device = device->name();
        if (meter.is_cpu())
            r.cache = static_cast<double>(
                device->cl_device().getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>());
        measure_opencl_arithmetic(meter, steps, r);
        measure_opencl_memory(meter, steps, r);
        measure_opencl_transfers(meter, steps, r);
        measure_opencl_launches(meter, steps, r);
        const auto& all = roofline_figures();
        if (std::any_of(
                all.begin(), all.end(), [&](const auto& f) { return r.*f.value > 0; }))
            return r;
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err(), device->name());
    }
    throw opencl_error("the roofline's kernels",
                       CL_INVALID_OPERATION,
                       device->name(),
                       "the device refuses every one of them");
}

double measure_opencl_fp32(const std::shared_ptr<context>& device,
                           const roofline_options& options)
{
    try {
        const opencl_meter meter(device);
        roofline_steps steps(options, 1);
        return opencl_fp32_rate(meter, steps.next("fp32"));
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err(), device->name());
    }
}

} // namespace cldsp
