// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes, grows, wraps and maps buffers within the limits of the device.

#include "opencl/buffer.h"
#include "opencl/queue_window.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace cldsp {

namespace {

constexpr std::size_t page = 4096;

// Makes a buffer. If it exceeds the limits, it is refused here with the error of a
// driver, because a lowered profile has smaller limits than the driver.
cl::Buffer
make_buffer(const context& device, cl_mem_flags flags, std::size_t bytes, void* host)
{
    if (bytes > device.limits().max_buffer)
        throw opencl_error("clCreateBuffer",
                           CL_INVALID_BUFFER_SIZE,
                           device.name(),
                           std::to_string(bytes) + " bytes, at most " +
                               std::to_string(device.limits().max_buffer) +
                               " are allowed");
    device.check_injected(injected_call::allocate);
    try {
        return cl::Buffer(device.cl_context(), flags, bytes, host);
    } catch (const cl::Error& e) {
        throw opencl_error(
            e.what(), e.err(), device.name(), std::to_string(bytes) + " bytes");
    }
}

// The size of a buffer that has to grow: at least 1.5 times the old one, so that slowly
// growing sizes do not allocate each time.
std::size_t grown(std::size_t capacity, std::size_t bytes, const device_limits& limits)
{
    const std::size_t wanted = std::max(bytes, capacity + capacity / 2);
    const std::size_t whole_pages = (wanted + page - 1) / page * page;
    return std::max(bytes, std::min(whole_pages, limits.max_buffer));
}

//! Releases device memory. On a lost device it is kept, because commands may still use
//! it.
void drop(const context& device, cl::Buffer& buffer) noexcept
{
    if (device.is_lost())
        buffer() = nullptr;
    else
        replace(buffer);
}

std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

} // namespace

device_buffer::device_buffer(std::shared_ptr<const context> device, cl_mem_flags flags)
    : d_context(std::move(device)), d_flags(flags)
{
}

device_buffer::~device_buffer()
{
    if (d_context) // not moved from
        drop(*d_context, d_buffer);
}

void device_buffer::reserve(std::size_t bytes)
{
    if (bytes <= d_capacity && d_buffer())
        return;
    const std::size_t size = grown(d_capacity, bytes, d_context->limits());
    // The old memory is released first, so that both need not fit at the same time.
    drop(*d_context, d_buffer);
    d_capacity = 0;
    replace(d_buffer, make_buffer(*d_context, d_flags, size, nullptr));
    d_capacity = size;
}

mappable_buffer::mappable_buffer(std::shared_ptr<const context> device)
    : d_context(std::move(device))
{
}

mappable_buffer::~mappable_buffer() { release(); }

void mappable_buffer::create(cl_mem_flags flags, std::size_t bytes, void* host)
{
    release();
    replace(d_buffer, make_buffer(*d_context, flags, bytes, host));
    d_capacity = bytes;
}

void mappable_buffer::release() noexcept
{
    if (d_pointer && !d_context->is_lost())
        unmap_now();
    d_pointer = nullptr;
    if (d_context->is_lost())
        d_queue() = nullptr;
    else
        replace(d_queue);
    drop(*d_context, d_buffer);
    d_capacity = 0;
}

//! Calls the driver directly, because nothing may throw here, and because failures that
//! tests inject are not meant for this call.
void mappable_buffer::unmap_now() noexcept
{
    if (clEnqueueUnmapMemObject(d_queue(), d_buffer(), d_pointer, 0, nullptr, nullptr) !=
        CL_SUCCESS) {
        try {
            log_to(d_context->log(),
                   log_level::warning,
                   "a mapped buffer could not be unmapped on " + d_context->name());
        } catch (...) {
            // There is no memory for the message, or the logger failed.
        }
    }
    d_context->drain(d_queue);
}

void* mappable_buffer::map(const cl::CommandQueue& queue,
                           cl_map_flags flags,
                           std::size_t offset,
                           std::size_t bytes,
                           const std::vector<cl::Event>* after,
                           cl::Event* done)
{
    if (d_pointer)
        throw opencl_error("clEnqueueMapBuffer",
                           CL_INVALID_OPERATION,
                           d_context->name(),
                           "mapped already");
    auto slot = d_context->admit_command(queue);
    cl::Event event;
    try {
        replace(d_queue, cl::CommandQueue(queue));
        d_pointer = queue.enqueueMapBuffer(
            d_buffer, CL_FALSE, flags, offset, bytes, after, &event);
        slot.enqueued(event);
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err(), d_context->name());
    }
    if (done)
        replace(*done, std::move(event));
    else
        d_context->wait(event);
    return d_pointer;
}

void mappable_buffer::unmap(cl::Event* done)
{
    if (!d_pointer)
        return;
    auto slot = d_context->admit_command(d_queue);
    try {
        cl::Event event;
        d_queue.enqueueUnmapMemObject(d_buffer, d_pointer, nullptr, &event);
        slot.enqueued(event);
        if (done)
            replace(*done, std::move(event));
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err(), d_context->name());
    }
    d_pointer = nullptr;
}

mapped_buffer::mapped_buffer(std::shared_ptr<const context> device, cl_mem_flags flags)
    : mappable_buffer(std::move(device)), d_flags(flags | CL_MEM_ALLOC_HOST_PTR)
{
}

void mapped_buffer::reserve(std::size_t bytes)
{
    if (bytes > capacity() || !buffer()())
        create(d_flags, grown(capacity(), bytes, limits()), nullptr);
}

wrapped_buffer::wrapped_buffer(std::shared_ptr<const context> device, cl_mem_flags flags)
    : mappable_buffer(std::move(device)), d_flags(flags | CL_MEM_USE_HOST_PTR)
{
}

bool wrapped_buffer::can_wrap(const device_limits& limits, const memory_region& region)
{
    return region.base && region.bytes > 0 && region.bytes <= limits.max_buffer &&
           address(region.base) % limits.base_address_alignment == 0;
}

void wrapped_buffer::wrap(const memory_region& region)
{
    if (buffer()() && region.base == d_region.base && region.bytes == d_region.bytes)
        return;
    if (!can_wrap(limits(), region))
        throw_invalid("region",
                      std::to_string(region.bytes) + " bytes at " +
                          std::to_string(address(region.base)),
                      "1 to " + std::to_string(limits().max_buffer) +
                          " bytes at a multiple of " +
                          std::to_string(limits().base_address_alignment));
    forget();
    create(d_flags, region.bytes, const_cast<void*>(region.base));
    d_region = region;
}

void wrapped_buffer::forget() noexcept
{
    release();
    d_region = {};
}

bool wrapped_buffer::contains(const void* data, std::size_t bytes) const
{
    return d_region.base && address(data) >= address(d_region.base) &&
           address(data) - address(d_region.base) <= d_region.bytes &&
           bytes <= d_region.bytes - offset_of(data);
}

std::size_t wrapped_buffer::offset_of(const void* data) const
{
    return address(data) - address(d_region.base);
}

} // namespace cldsp
