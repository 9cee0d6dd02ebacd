/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

// Brings in VkFFT, which is one header of functions: for vkfft_plan.cc alone.

#include "opencl/queue_window.h"

#include <cldsp/context.h>
#include <cldsp/errors.h>

#include <inttypes.h>
#include <math.h>
#include <memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace {

//! A kernel that VkFFT enqueues.
struct kernel_launch {
    cl_kernel kernel;
    std::size_t group_size; //!< work-items
};

/*
 * The one header that holds all of VkFFT calls OpenCL by itself. Here these calls meet
 * the engine's own rules: limits, injected failures, the program cache (VkFFT's way of
 * keeping binaries takes them for text, which PoCL's are not), profiling events. An
 * exception may not pass through VkFFT's code, which would leak; it waits in the
 * interception until VkFFT has returned.
 */
struct interception {
    const cldsp::context& device;
    const cl::CommandQueue& queue;
    //! Sees each kernel before it is enqueued and may change the groups of its grid;
    //! false leaves it out. None while a plan prepares itself.
    std::function<bool(std::size_t index, const kernel_launch&, std::size_t* groups)>
        launch = nullptr;
    std::vector<cl::Event>* events = nullptr;
    std::size_t launches = 0;
    std::exception_ptr failure = nullptr;
};
thread_local interception* intercepted = nullptr;

class intercept_while
{
public:
    explicit intercept_while(interception& i) { intercepted = &i; }
    ~intercept_while() { intercepted = nullptr; }
};

//! What \p call returns, or \p otherwise, with the exception kept.
template <class RESULT, class CALL>
RESULT guarded(RESULT otherwise, const CALL& call)
{
    try {
        return call();
    } catch (...) {
        intercepted->failure = std::current_exception();
        return otherwise;
    }
}

//! What VkFFT sees of the limits.
cldsp::device_limits shown_limits(const cldsp::context& device)
{
    auto limits = device.limits();
    if (device.device().kind == cldsp::device_kind::cpu) {
        // A CPU has no local memory: a group's values lie on one thread's stack, which
        // ends at some large groups, and in a cache that should be the nearest.
        limits.max_work_group_size =
            std::min<std::size_t>(limits.max_work_group_size, 256);
        limits.local_memory = std::min<std::size_t>(limits.local_memory, 32 * 1024);
    }
    return limits;
}

cl_int get_device_info(
    cl_device_id id, cl_device_info name, size_t size, void* value, size_t* actual)
{
    const cl_int result = clGetDeviceInfo(id, name, size, value, actual);
    if (result != CL_SUCCESS || !value)
        return result;
    const auto limits = shown_limits(intercepted->device);
    if (name == CL_DEVICE_MAX_WORK_GROUP_SIZE)
        *static_cast<size_t*>(value) = limits.max_work_group_size;
    if (name == CL_DEVICE_MAX_WORK_ITEM_SIZES)
        std::copy_n(limits.max_work_item_sizes, 3, static_cast<size_t*>(value));
    if (name == CL_DEVICE_LOCAL_MEM_SIZE)
        *static_cast<cl_ulong*>(value) = limits.local_memory;
    return result;
}

cl_mem create_buffer(
    cl_context context, cl_mem_flags flags, size_t bytes, void* host, cl_int* result)
{
    const auto& device = intercepted->device;
    *result = guarded(CL_MEM_OBJECT_ALLOCATION_FAILURE, [&] {
        if (bytes > device.limits().max_buffer)
            throw cldsp::opencl_error("clCreateBuffer",
                                      CL_INVALID_BUFFER_SIZE,
                                      device.name(),
                                      std::to_string(bytes) + " bytes for VkFFT");
        device.check_injected(cldsp::injected_call::allocate);
        return CL_SUCCESS;
    });
    return *result == CL_SUCCESS ? clCreateBuffer(context, flags, bytes, host, result)
                                 : nullptr;
}

cl_program create_program(
    cl_context, cl_uint, const char** source, const size_t* length, cl_int* result)
{
    cl_program program = nullptr;
    *result = guarded(CL_BUILD_PROGRAM_FAILURE, [&] {
        const cl::Program built =
            intercepted->device.build_source(std::string(*source, *length), "");
        // What is not retained is not VkFFT's to release.
        const cl_int retained = clRetainProgram(built());
        if (retained == CL_SUCCESS)
            program = built();
        return retained;
    });
    return program;
}

//! create_program() has built it.
cl_int build_program(
    cl_program, cl_uint, const cl_device_id*, const char*, const void*, const void*)
{
    return CL_SUCCESS;
}

cl_int enqueue_kernel(cl_command_queue queue,
                      cl_kernel kernel,
                      cl_uint dimensions,
                      const size_t* offset,
                      const size_t* global,
                      const size_t* local,
                      cl_uint,
                      const cl_event*,
                      cl_event*)
{
    return guarded(CL_OUT_OF_RESOURCES, [&] {
        std::size_t groups[3] = { 1, 1, 1 }, items[3] = { 1, 1, 1 }, group_size = 1;
        for (cl_uint d = 0; d < dimensions; ++d) {
            groups[d] = global[d] / local[d];
            group_size *= local[d];
        }
        if (intercepted->launch &&
            !intercepted->launch(intercepted->launches++, { kernel, group_size }, groups))
            return CL_SUCCESS;
        for (cl_uint d = 0; d < dimensions; ++d)
            items[d] = groups[d] * local[d];
        auto slot = intercepted->device.admit_command(intercepted->queue);
        cl_event event = nullptr;
        const cl_int result = clEnqueueNDRangeKernel(
            queue, kernel, dimensions, offset, items, local, 0, nullptr, &event);
        if (result != CL_SUCCESS)
            throw cldsp::opencl_error("clEnqueueNDRangeKernel",
                                      result,
                                      intercepted->device.name(),
                                      "a kernel of VkFFT");
        const cl::Event kept(event);
        slot.enqueued(kept);
        if (intercepted->events) // none while a plan prepares itself
            intercepted->events->push_back(kept);
        return result;
    });
}

//! VkFFT prints what went wrong; the exception tells it.
template <class... T>
int print_nothing(const T&...)
{
    return 0;
}

} // namespace

#define clGetDeviceInfo get_device_info
#define clCreateBuffer create_buffer
#define clCreateProgramWithSource create_program
#define clBuildProgram build_program
#define clEnqueueNDRangeKernel enqueue_kernel
#define printf print_nothing
#include <vkFFT.h>
#undef clGetDeviceInfo
#undef clCreateBuffer
#undef clCreateProgramWithSource
#undef clBuildProgram
#undef clEnqueueNDRangeKernel
#undef printf
