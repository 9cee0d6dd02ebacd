/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fir_transfer.h"

#include "buffer.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>

namespace cldsp {

namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start)
{
    return std::chrono::duration<double>(clock::now() - start).count();
}

//! What the three ways share: the device, its queue and the round's events.
class transfer_base : public fir_transfer
{
public:
    transfer_base(std::string name,
                  std::shared_ptr<context> device,
                  cl::CommandQueue queue)
        : d_name(std::move(name)), d_device(std::move(device)), d_queue(std::move(queue))
    {
    }
    double time() const override { return d_time; }
    const std::string& name() const override { return d_name; }

protected:
    void start_round()
    {
        d_events.clear();
        d_time = 0;
    }
    cl::Event* next_event()
    {
        d_events.emplace_back();
        return &d_events.back();
    }
    //! Injected failures hit transfers as they hit kernels.
    cl::CommandQueue& queue()
    {
        d_device->check_injected(injected_call::enqueue);
        return d_queue;
    }
    void read_result(const cl::Buffer& from, void* to, std::size_t bytes)
    {
        queue().enqueueReadBuffer(from, CL_FALSE, 0, bytes, to, nullptr, next_event());
        wait_for_last();
    }
    //! Room for the outputs in \p buffer, from where finish() takes them.
    template <class BUFFER>
    device_range result_in(BUFFER& buffer, void* data, std::size_t bytes)
    {
        buffer.reserve(bytes);
        d_result = data;
        d_result_bytes = bytes;
        return { buffer.buffer(), 0 };
    }
    void wait_for_last()
    {
        d_queue.flush();
        d_device->wait(d_events.back());
    }
    void add_event_times()
    {
        for (const auto& e : d_events)
            d_time += event_seconds(e);
    }

    std::string d_name;
    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    std::vector<cl::Event> d_events;
    double d_time = 0;
    void* d_result = nullptr; //!< where finish() puts the outputs
    std::size_t d_result_bytes = 0;
};

class copied : public transfer_base
{
public:
    copied(const std::string& name,
           std::shared_ptr<context> device,
           cl::CommandQueue queue)
        : transfer_base(name, device, queue),
          d_in(device, CL_MEM_READ_ONLY),
          d_out(device, CL_MEM_WRITE_ONLY)
    {
    }

    device_range input(const void* data, std::size_t bytes) override
    {
        start_round();
        d_in.reserve(bytes);
        queue().enqueueWriteBuffer(
            d_in.buffer(), CL_FALSE, 0, bytes, data, nullptr, next_event());
        return { d_in.buffer(), 0 };
    }
    device_range output(void* data, std::size_t bytes) override
    {
        return result_in(d_out, data, bytes);
    }
    void finish(const cl::Event&) override
    {
        read_result(d_out.buffer(), d_result, d_result_bytes);
        add_event_times();
    }

private:
    device_buffer d_in, d_out;
};

//! Staging that is the kernel's own memory: for devices that compute on the host's
//! memory.
class staged_in_place : public transfer_base
{
public:
    staged_in_place(const std::string& name,
                    std::shared_ptr<context> device,
                    cl::CommandQueue queue)
        : transfer_base(name, device, queue),
          d_in(device, CL_MEM_READ_ONLY),
          d_out(device, CL_MEM_WRITE_ONLY)
    {
    }

    device_range input(const void* data, std::size_t bytes) override
    {
        start_round();
        const auto start = clock::now();
        d_in.unmap(); // a round that failed may have left it mapped
        d_out.unmap();
        d_in.reserve(bytes);
        std::memcpy(
            d_in.map(queue(), CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes), data, bytes);
        d_in.unmap();
        d_time += seconds_since(start);
        return { d_in.buffer(), 0 };
    }
    device_range output(void* data, std::size_t bytes) override
    {
        return result_in(d_out, data, bytes);
    }
    void finish(const cl::Event& kernel) override
    {
        d_queue.flush();
        d_device->wait(kernel);
        const auto start = clock::now();
        std::memcpy(
            d_result, d_out.map(queue(), CL_MAP_READ, 0, d_result_bytes), d_result_bytes);
        d_out.unmap();
        d_time += seconds_since(start);
    }

private:
    mapped_buffer d_in, d_out;
};

//! Staging that stays mapped, and so pinned, and feeds buffers of the device's own.
class staged_pinned : public transfer_base
{
public:
    staged_pinned(const std::string& name,
                  std::shared_ptr<context> device,
                  cl::CommandQueue queue)
        : transfer_base(name, device, queue),
          d_in(device, CL_MEM_READ_ONLY),
          d_out(device, CL_MEM_WRITE_ONLY),
          d_in_staging(device),
          d_out_staging(device)
    {
    }

    device_range input(const void* data, std::size_t bytes) override
    {
        start_round();
        const auto start = clock::now();
        d_in.reserve(bytes);
        std::memcpy(pinned(d_in_staging, d_in_at, CL_MAP_WRITE, bytes), data, bytes);
        d_time += seconds_since(start);
        queue().enqueueWriteBuffer(
            d_in.buffer(), CL_FALSE, 0, bytes, d_in_at, nullptr, next_event());
        return { d_in.buffer(), 0 };
    }
    device_range output(void* data, std::size_t bytes) override
    {
        d_out.reserve(bytes);
        pinned(d_out_staging, d_out_at, CL_MAP_READ, bytes);
        d_result = data;
        d_result_bytes = bytes;
        return { d_out.buffer(), 0 };
    }
    void finish(const cl::Event&) override
    {
        read_result(d_out.buffer(), d_out_at, d_result_bytes);
        const auto start = clock::now();
        std::memcpy(d_result, d_out_at, d_result_bytes);
        d_time += seconds_since(start);
        add_event_times();
    }

private:
    void* pinned(mapped_buffer& staging, void*& at, cl_map_flags flags, std::size_t bytes)
    {
        if (!staging.is_mapped() || staging.capacity() < bytes) {
            staging.reserve(bytes);
            at = staging.map(queue(), flags, 0, staging.capacity());
        }
        return at;
    }

    device_buffer d_in, d_out;
    mapped_buffer d_in_staging, d_out_staging;
    void* d_in_at = nullptr;
    void* d_out_at = nullptr;
};

/*!
 * The kernel reads and writes the caller's memory. A stream's memory is wrapped once;
 * data elsewhere are wrapped for their call. A CPU device needs nothing more; on others
 * mapping and unmapping tells the driver when the host has written and wants to read.
 */
class wrapped : public transfer_base
{
public:
    wrapped(const std::string& name,
            std::shared_ptr<context> device,
            cl::CommandQueue queue)
        : transfer_base(name, device, queue),
          d_coherent(device->device().kind == device_kind::cpu),
          d_in(device, CL_MEM_READ_ONLY),
          d_out(device, CL_MEM_READ_WRITE)
    {
    }

    void set_stream_memory(memory_region in, memory_region out) override
    {
        d_in_stream = in;
        d_out_stream = out;
        d_in.forget();
        d_out.forget();
    }
    device_range input(const void* data, std::size_t bytes) override
    {
        start_round();
        const device_range range = wrap(d_in, d_in_stream, data, bytes);
        if (!d_coherent) {
            d_in.unmap(); // a round that failed may have left it mapped
            // "Invalidate" keeps the driver from putting stale data over the host's.
            d_in.map(queue(),
                     CL_MAP_WRITE_INVALIDATE_REGION,
                     range.offset,
                     bytes,
                     nullptr,
                     next_event());
            d_in.unmap(next_event());
        }
        return range;
    }
    device_range output(void* data, std::size_t bytes) override
    {
        d_result_bytes = bytes;
        d_out.unmap();
        return d_range = wrap(d_out, d_out_stream, data, bytes);
    }
    void finish(const cl::Event& kernel) override
    {
        if (d_coherent) {
            d_queue.flush();
            d_device->wait(kernel);
            return;
        }
        d_out.map(
            queue(), CL_MAP_READ, d_range.offset, d_result_bytes, nullptr, next_event());
        wait_for_last();
        d_out.unmap();
        add_event_times();
    }

private:
    device_range wrap(wrapped_buffer& buffer,
                      memory_region stream,
                      const void* data,
                      std::size_t bytes)
    {
        const auto& limits = d_device->limits();
        memory_region region = stream;
        const auto* at = static_cast<const unsigned char*>(data);
        const auto* base = static_cast<const unsigned char*>(stream.base);
        const bool inside = base && at >= base && at + bytes <= base + stream.bytes;
        if (!inside || !wrapped_buffer::can_wrap(limits, stream)) {
            // From the boundary before the data on, which the kernel does not touch.
            const std::size_t before =
                reinterpret_cast<std::uintptr_t>(data) % limits.base_address_alignment;
            region = { at - before, bytes + before };
        }
        buffer.wrap(region);
        return { buffer.buffer(), buffer.offset_of(data) };
    }

    const bool d_coherent;
    wrapped_buffer d_in, d_out;
    memory_region d_in_stream, d_out_stream;
    device_range d_range{};
};

} // namespace

double event_seconds(const cl::Event& event)
{
    const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    // Some drivers tell the end of a zero-length command as before its start.
    return end > start ? static_cast<double>(end - start) * 1e-9 : 0.0;
}

std::unique_ptr<fir_transfer> make_fir_transfer(const std::string& name,
                                                std::shared_ptr<context> device,
                                                const cl::CommandQueue& queue)
{
    if (name == "copy")
        return std::make_unique<copied>(name, std::move(device), queue);
    if (name == "mapped") {
        if (device->limits().host_unified_memory)
            return std::make_unique<staged_in_place>(name, std::move(device), queue);
        return std::make_unique<staged_pinned>(name, std::move(device), queue);
    }
    return std::make_unique<wrapped>(name, std::move(device), queue);
}

} // namespace cldsp
