// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Opens a device, builds kernels, and admits commands to its queues.

#include <cldsp/context.h>
#include <cldsp/errors.h>
#include <cldsp/opencl_platforms.h>

#include "base/engine_threads.h"
#include "base/exits.h"
#include "base/thread_pool.h"
#include "opencl/device_watch.h"
#include "opencl/host_copies.h"
#include "opencl/kernel_source.h"
#include "opencl/pocl_workers.h"
#include "opencl/program_cache.h"
#include "opencl/queue_window.h"

#include <system_error>
#include <cmath>

namespace cldsp {

namespace {

// Runs an OpenCL call, and turns its cl::Error into an opencl_error.
template <class Call>
auto checked(const device_info& device, const Call& call)
{
    try {
        return call();
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err(), device.name);
    }
}

cl::Device open_device(const device_info& device, const context_options& options)
{
    return checked(device, [&] { return opencl_device(device, options.drivers); });
}

// Drivers start threads with a context, and PoCL starts its workers anew with the first
// one after all contexts are gone. Streams use these threads.
cl::Context open_context(const device_info& device, const cl::Device& cl_device)
{
    return at_normal_priority([&] {
        const pocl_worker_binding binding(device.is_pocl);
        cl::Context opened = checked(device, [&] { return cl::Context(cl_device); });
        libraries_were_loaded();
        return opened;
    });
}

std::unique_ptr<thread_pool> make_copy_threads(const logger& log)
{
    try {
        return std::make_unique<thread_pool>(host_copies::threads());
    } catch (const std::system_error& e) {
        log_to(log,
               log_level::warning,
               std::string("one thread copies, because others cannot start: ") +
                   e.what());
        return std::make_unique<thread_pool>(1);
    }
}

device_info with_profile(device_info device, const std::string& profile)
{
    if (device.is_host())
        throw_invalid("device", "the host", "an OpenCL device");
    device.limits = device.limits.lowered(profile);
    return device;
}

void check_seconds(const std::string& parameter, double seconds)
{
    if (!(seconds >= 0) || std::isinf(seconds))
        throw_invalid(parameter, number_text(seconds), "0 or more seconds");
}

} // namespace

context::context(const device_info& device, const context_options& options)
    : d_device(with_profile(device, options.profile)),
      d_options(options),
      d_cl_device(open_device(d_device, d_options)),
      d_context(open_context(d_device, d_cl_device)),
      d_watch(std::make_shared<device_watch>(d_device, d_options, d_context)),
      d_window(std::make_unique<queue_window>(
          options.queue_window,
          [this](const cl::Event& event) { d_watch->wait(event); },
          [this] { d_watch->check_usable(); }))
{
    check_seconds("longest_kernel", options.longest_kernel);
    check_seconds("device_timeout", options.device_timeout);
    program_limits limits;
    limits.owner = options.owner;
    d_programs = checked(d_device, [&] {
        return std::make_unique<program_cache>(d_context,
                                               d_cl_device,
                                               d_device,
                                               program_cache::program_folder(options),
                                               options.log,
                                               limits);
    });
}

context::~context() = default;

device_queue context::make_queue() const
{
    check_usable();
    // Some drivers start a thread for each queue.
    return at_normal_priority([&] {
        return checked(d_device, [&] { return device_queue(open_queue(), d_watch); });
    });
}

//! A queue that tells the times of its commands, or one without them where the driver
//! refuses that: V3D's does.
cl::CommandQueue context::open_queue() const
{
    using properties = cl::QueueProperties;
    if (d_watch->has_driver_clock()) {
        try {
            return cl::CommandQueue(d_context, d_cl_device, properties::Profiling);
        } catch (const cl::Error& e) {
            if (e.err() != CL_INVALID_QUEUE_PROPERTIES && e.err() != CL_INVALID_VALUE)
                throw;
        }
    }
    cl::CommandQueue plain(d_context, d_cl_device, properties::None);
    d_watch->use_host_clock("its driver refuses queues that tell times");
    return plain;
}

bool context::has_driver_clock() const { return d_watch->has_driver_clock(); }

command_slot context::admit_command(const cl::CommandQueue& queue) const
{
    check_injected(injected_call::enqueue);
    d_programs->check_room(); // a driver may compile at a kernel's first command
    hang_when_due(queue);
    ++d_commands;
    return command_slot(*d_window, *d_watch, queue());
}

thread_pool& context::copy_threads() const
{
    // A stream may wait until they are made.
    at_normal_priority([this] {
        std::call_once(d_copy_threads_made,
                       [this] { d_copy_threads = make_copy_threads(log()); });
    });
    return *d_copy_threads;
}

std::size_t context::max_in_flight() const { return d_window->peak(); }

cl::Program context::build(const std::string& file,
                           const std::string& options,
                           const std::string& architecture) const
{
    // kernels/portable.clh says what these do.
    auto all = options;
    if (!limits().fma)
        all += " -DNO_FMA";
    if (d_device.platform_name == "Oclgrind")
        all += " -DPLAIN_HELPERS";
    return build_source(kernel_source(file, d_options.kernel_path), all, architecture);
}

cl::Program context::build_source(const std::string& source,
                                  const std::string& options,
                                  const std::string& architecture) const
{
    check_injected(injected_call::build);
    d_watch->built();
    auto program =
        checked(d_device, [&] { return d_programs->get(source, options, architecture); });
    libraries_were_loaded(); // some drivers load their compiler when it is needed
    return program;
}

std::size_t context::programs_compiled() const { return d_programs->compiled(); }

void context::wait(const cl::Event& event) const
{
    const int status = d_watch->wait(event);
    if (status < 0)
        throw opencl_error("the execution of a command", status, d_device.name);
}

void context::finish(const cl::CommandQueue& queue) const
{
    checked(d_device, [&] { d_watch->finish(queue); });
}

void context::check_commands(const cl::CommandQueue& queue) const
{
    d_watch->check(queue);
}

void context::drain(const cl::CommandQueue& queue) const noexcept
{
    d_watch->drain(queue);
}

bool context::is_lost_after(const cl::CommandQueue& queue) const noexcept
{
    return d_watch->is_lost_after(queue);
}

expected_work context::expect(double multiply_adds) const
{
    return expected_work(d_watch, multiply_adds);
}

bool context::is_lost() const noexcept { return d_watch->is_lost(); }

void context::check_usable() const { d_watch->check_usable(); }

std::size_t context::commands_in_flight() const { return d_watch->in_flight(); }

void context::inject_failure(injected_call call, int after)
{
    d_injected = injected_call::none; // no failure may be due while the count changes
    d_injected_after = after;
    d_injected = call;
}

bool context::is_due(injected_call call) const
{
    if (call == injected_call::none || d_injected != call || d_injected_after-- != 0)
        return false;
    d_injected = injected_call::none;
    return true;
}

void context::check_injected(injected_call call) const
{
    check_usable();
    if (!is_due(call))
        return;
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

//! Enqueues a barrier that waits for a user event, which only a test completes. All later
//! commands in the queue wait behind it.
void context::hang_when_due(const cl::CommandQueue& queue) const
{
    if (!is_due(injected_call::hang))
        return;
    checked(d_device, [&] {
        replace<cl::Event>(d_injected_hang, cl::UserEvent(d_context));
        const std::vector<cl::Event> after{ d_injected_hang };
        queue.enqueueBarrierWithWaitList(&after);
    });
}

void context::end_injected_hang()
{
    if (d_injected_hang())
        clSetUserEventStatus(d_injected_hang(), CL_COMPLETE);
}

} // namespace cldsp
