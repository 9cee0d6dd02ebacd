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

const std::vector<variant_info>& freq_xlating_fir_variants()
{
    static const std::vector<variant_info> variants = {
        { "naive", "one output a work-item", false, false },
        { "block", "several outputs a work-item, one work-item a group", false, false },
        { "float8", "as block, four complex products at a time in float8", false, false },
        { "float16",
          "as block, eight complex products at a time in float16",
          false,
          false },
        { "float8_evenodd",
          "as float8, by the vectors' even and odd halves",
          false,
          false },
        { "float16_evenodd",
          "as float16, by the vectors' even and odd halves",
          false,
          false },
        { "local",
          "as float16_evenodd; results leave through local memory by asynchronous copy",
          false,
          false },
        { "constant",
          "as float16_evenodd; taps and decimation are compiled in",
          false,
          false },
        { "cpu_tile",
          "for CPU devices: items become floats first, then a register tile",
          false,
          true },
        { "gpu_tile",
          "for GPUs: a work-group shares the taps, or the sums, of several outputs",
          false,
          true },
        { "volk", "on the host, VOLK's dot products", true, true },
        { "simd", "on the host, a register tile on its vector unit", true, true },
    };
    return variants;
}

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
    else
        queue.enqueueWriteBuffer(d_buffer, CL_TRUE, 0, bytes, data);
}

} // namespace cldsp
