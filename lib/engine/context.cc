/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/context.h>
#include <cldsp/errors.h>

#include "kernel_source.h"
#include "program_cache.h"
#include "queue_window.h"

#include <cmath>

namespace cldsp {

namespace {

// Runs an OpenCL call and turns its exception into the engine's.
template <class Call>
auto checked(const device_info& device, const Call& call)
{
    try {
        return call();
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err(), device.name);
    }
}

cl::Device open_device(const device_info& device)
{
    prepare_opencl_environment();
    return checked(device, [&] {
        std::vector<cl::Platform> platforms;
        cl::Platform::get(&platforms);
        std::vector<cl::Device> devices;
        if (device.platform < platforms.size())
            platforms[device.platform].getDevices(CL_DEVICE_TYPE_ALL, &devices);
        if (device.index >= devices.size())
            throw opencl_error("clGetDeviceIDs", CL_DEVICE_NOT_FOUND, device.name);
        return devices[device.index];
    });
}

device_info with_profile(device_info device, const std::string& profile)
{
    if (device.is_host())
        throw_invalid("device", "the host", "an OpenCL device");
    device.limits = device.limits.lowered(profile);
    return device;
}

void check_longest_kernel(double seconds)
{
    if (!(seconds >= 0) || std::isinf(seconds))
        throw_invalid("longest_kernel", std::to_string(seconds), "0 or more seconds");
}

} // namespace

context::context(const device_info& device, const context_options& options)
    : d_device(with_profile(device, options.profile)),
      d_options(options),
      d_cl_device(open_device(d_device)),
      d_context(checked(d_device, [&] { return cl::Context(d_cl_device); })),
      d_wait(d_device),
      d_window(std::make_unique<queue_window>(
          options.queue_window, [this](const cl::Event& event) { d_wait.wait(event); }))
{
    check_longest_kernel(options.longest_kernel);
    d_programs = checked(d_device, [&] {
        return std::make_unique<program_cache>(d_context,
                                               d_cl_device,
                                               d_device,
                                               program_cache::folder_of(options),
                                               options.log);
    });
}

context::~context() = default;

cl::CommandQueue context::make_queue() const
{
    return checked(d_device, [&] {
        return cl::CommandQueue(d_context, d_cl_device, cl::QueueProperties::Profiling);
    });
}

command_slot context::admit_command() const
{
    check_injected(injected_call::enqueue);
    ++d_commands;
    return command_slot(*d_window);
}

std::size_t context::most_in_flight() const { return d_window->peak(); }

cl::Program context::build(const std::string& file, const std::string& options) const
{
    return build_source(kernel_source(file, d_options.kernel_path), options);
}

cl::Program context::build_source(const std::string& source,
                                  const std::string& options) const
{
    check_injected(injected_call::build);
    return d_programs->get(source, options);
}

std::size_t context::programs_compiled() const { return d_programs->compiled(); }

void context::wait(const cl::Event& event) const
{
    const int status = checked(d_device, [&] { return d_wait.wait(event); });
    if (status < 0)
        throw opencl_error("the execution of a command", status, d_device.name);
}

void context::inject_failure(injected_call call, int after)
{
    d_injected = injected_call::none; // nothing is due while the count changes
    d_injected_after = after;
    d_injected = call;
}

void context::check_injected(injected_call call) const
{
    if (call == injected_call::none || d_injected != call || d_injected_after-- != 0)
        return;
    d_injected = injected_call::none;
    switch (call) {
    case injected_call::enqueue:
        throw opencl_error(
            "clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES, d_device.name, "injected");
    case injected_call::allocate:
        throw opencl_error("clCreateBuffer",
                           CL_MEM_OBJECT_ALLOCATION_FAILURE,
                           d_device.name,
                           "injected");
    default:
        throw opencl_error(
            "clBuildProgram", CL_BUILD_PROGRAM_FAILURE, d_device.name, "injected");
    }
}

} // namespace cldsp
