/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fir_kernel.h"

#include <cldsp/errors.h>

#include <cstring>
#include <new>

namespace cldsp {

std::unique_ptr<fir_kernel> make_fir_kernel(const std::string& variant,
                                            const fir_kernel_args& args)
{
    if (variant == "cpu_tile")
        return make_fir_kernel_cpu(args);
    if (variant == "gpu_tile")
        return make_fir_kernel_gpu(args);
    return make_fir_kernel_ladder(variant, args);
}

void device_table::set(const context& device,
                       const cl::CommandQueue& queue,
                       const void* data,
                       std::size_t bytes)
{
    if (bytes > device.limits().max_buffer)
        throw opencl_error("clCreateBuffer",
                           CL_INVALID_BUFFER_SIZE,
                           device.name(),
                           "a table of " + std::to_string(bytes) + " bytes");
    const bool in_place = device.device().kind == device_kind::cpu;
    if (bytes > d_capacity) {
        device.check_injected(injected_call::allocate);
        constexpr std::size_t page = 4096;
        const std::size_t capacity = (bytes + page - 1) / page * page;
        d_buffer = cl::Buffer();
        d_capacity = 0;
        d_memory.reset(in_place ? std::aligned_alloc(page, capacity) : nullptr);
        if (in_place && !d_memory)
            throw std::bad_alloc();
        d_buffer = cl::Buffer(device.cl_context(),
                              CL_MEM_READ_ONLY | (in_place ? CL_MEM_USE_HOST_PTR : 0),
                              in_place ? capacity : bytes,
                              d_memory.get());
        d_capacity = in_place ? capacity : bytes;
    }
    if (in_place)
        std::memcpy(d_memory.get(), data, bytes);
    else {
        const auto slot = device.admit_command();
        queue.enqueueWriteBuffer(d_buffer, CL_TRUE, 0, bytes, data);
    }
}

} // namespace cldsp
