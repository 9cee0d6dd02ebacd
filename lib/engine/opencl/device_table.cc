// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Keeps a table on the host for CPU devices, and copies it to other devices.

#include "opencl/device_table.h"

#include "opencl/staging.h"

#include <cldsp/errors.h>

#include <cstring>

namespace cldsp {

device_table::~device_table()
{
    if (d_device && d_device->is_lost()) {
        d_buffer() = nullptr;
        (void)d_memory.release();
    }
}

void device_table::set(const std::shared_ptr<const context>& device,
                       const cl::CommandQueue& queue,
                       const void* data,
                       std::size_t bytes)
{
    device->check_usable(); // on a lost device a command may still read the old table
    d_device = device;
    if (bytes > device->limits().max_buffer)
        throw opencl_error("clCreateBuffer",
                           CL_INVALID_BUFFER_SIZE,
                           device->name(),
                           "a table of " + std::to_string(bytes) + " bytes");
    const bool in_place = device->device().kind == device_kind::cpu;
    if (bytes > d_capacity) {
        device->check_injected(injected_call::allocate);
        constexpr std::size_t page = 4096;
        const std::size_t capacity = (bytes + page - 1) / page * page;
        replace(d_buffer);
        d_capacity = 0;
        d_memory.reset(in_place ? std::aligned_alloc(page, capacity) : nullptr);
        if (in_place && !d_memory)
            throw opencl_error("aligned_alloc",
                               CL_OUT_OF_HOST_MEMORY,
                               device->name(),
                               "a table of " + std::to_string(bytes) + " bytes");
        replace(d_buffer,
                cl::Buffer(device->cl_context(),
                           CL_MEM_READ_ONLY | (in_place ? CL_MEM_USE_HOST_PTR : 0),
                           in_place ? capacity : bytes,
                           d_memory.get()));
        d_capacity = in_place ? capacity : bytes;
    }
    if (in_place)
        std::memcpy(d_memory.get(), data, bytes);
    else
        write_now(device, queue, d_buffer, data, bytes);
}

} // namespace cldsp
