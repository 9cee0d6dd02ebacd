// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Enqueues kernels within a device's limits, and reads the times of commands.

#include "opencl/commands.h"

#include "opencl/queue_window.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace cldsp {

namespace {

// Refuses a kernel's work-group that exceeds the limits, with the error of a driver,
// because a lowered profile has smaller limits than the driver. The local memory is
// asked for under a profile only: some drivers report less than their kernels may have.
void check_group(const context& device,
                 const cl::Kernel& kernel,
                 const cl::NDRange& group)
{
    const auto refuse = [&](cl_int error, std::size_t value, std::size_t most) {
        throw opencl_error("clEnqueueNDRangeKernel",
                           error,
                           device.name(),
                           std::to_string(value) + ", at most " + std::to_string(most) +
                               " are allowed");
    };
    const auto& limits = device.limits();
    std::size_t items = 1;
    for (std::size_t i = 0; i < group.dimensions(); i++) {
        if (group[i] > limits.max_work_item_sizes[i])
            refuse(CL_INVALID_WORK_ITEM_SIZE, group[i], limits.max_work_item_sizes[i]);
        items *= group[i];
    }
    const auto most = std::min(limits.max_work_group_size, limits.max_kernel_group);
    if (items > most)
        refuse(CL_INVALID_WORK_GROUP_SIZE, items, most);
    const auto& profile = device.options().profile;
    if (profile.empty() || profile == "native")
        return;
    const auto local = static_cast<std::size_t>(
        kernel.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE>(device.cl_device()));
    if (local > limits.local_memory)
        refuse(CL_OUT_OF_RESOURCES, local, limits.local_memory);
}

} // namespace

std::size_t max_group_of(const context& device, const cl::Kernel& kernel)
{
    const auto& limits = device.limits();
    const auto most = std::min(limits.max_work_group_size, limits.max_kernel_group);
    std::size_t told = 0;
    const cl_int error = clGetKernelWorkGroupInfo(kernel(),
                                                  device.cl_device()(),
                                                  CL_KERNEL_WORK_GROUP_SIZE,
                                                  sizeof(told),
                                                  &told,
                                                  nullptr);
    return error == CL_SUCCESS && told > 0 ? std::min(most, told) : most;
}

cl::Event enqueue_kernel(const context& device,
                         const cl::CommandQueue& queue,
                         const cl::Kernel& kernel,
                         const cl::NDRange& items,
                         const cl::NDRange& group)
{
    check_group(device, kernel, group);
    auto slot = device.admit_command(queue);
    cl::Event done;
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, items, group, nullptr, &done);
    slot.enqueued(done);
    return done;
}

void read_into(const context& device,
               const cl::CommandQueue& queue,
               const cl::Buffer& from,
               const page_memory& to)
{
    try {
        with_opencl_errors(device, [&] {
            auto slot = device.admit_command(queue);
            cl::Event done;
            queue.enqueueReadBuffer(
                from, CL_FALSE, 0, to.region().bytes, to.as<void>(), nullptr, &done);
            slot.enqueued(done);
            queue.flush();
            device.wait(done);
        });
    } catch (...) {
        to.keep();
        throw;
    }
}

double event_seconds(const context& device, const cl::Event& event)
{
    const auto span = device.shared_watch()->span_of(event);
    return static_cast<double>(span.second - span.first) * 1e-9;
}

void time_spans::add(const cl::Event& event)
{
    d_spans.push_back(d_device.shared_watch()->span_of(event));
}

double time_spans::seconds() const
{
    auto spans = d_spans;
    std::sort(spans.begin(), spans.end());
    std::uint64_t sum = 0, last = 0;
    for (const auto& [begin, end] : spans) {
        if (end > last)
            sum += end - std::max(begin, last);
        last = std::max(last, end);
    }
    return static_cast<double>(sum) * 1e-9;
}

} // namespace cldsp
