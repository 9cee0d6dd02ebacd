/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "opencl/transfer_round.h"

#include "opencl/buffer.h"

#include <cstring>

namespace cldsp {

namespace {

//! "mapped" for devices that work on the host's memory: the kernel uses the staging
//! buffers directly.
class staged_in_place : public transfer_round
{
public:
    staged_in_place(const std::string& name,
                    std::shared_ptr<context> device,
                    cl::CommandQueue queue)
        : transfer_round(name, device, queue),
          d_in(device, CL_MEM_READ_ONLY),
          d_out(device)
    {
    }

    device_range input(const void* data, std::size_t bytes) override
    {
        start_round();
        timed([&] {
            d_in.unmap(); // a round that failed may have left it mapped
            d_out.unmap();
            d_in.reserve(bytes);
            std::memcpy(
                d_in.map(d_queue, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes), data, bytes);
            d_in.unmap();
        });
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
        timed([&] {
            std::memcpy(d_result,
                        d_out.map(d_queue, CL_MAP_READ, 0, d_result_bytes),
                        d_result_bytes);
            d_out.unmap();
        });
    }

private:
    mapped_buffer d_in, d_out;
};

//! "mapped" for devices with memory of their own: the staging buffers stay mapped, and
//! thus pinned, and are copied to and from buffers of the device.
class staged_pinned : public transfer_round
{
public:
    staged_pinned(const std::string& name,
                  std::shared_ptr<context> device,
                  cl::CommandQueue queue)
        : transfer_round(name, device, queue),
          d_in(device, CL_MEM_READ_ONLY),
          d_out(device),
          d_in_staging(device),
          d_out_staging(device)
    {
    }

    device_range input(const void* data, std::size_t bytes) override
    {
        start_round();
        timed([&] {
            d_in.reserve(bytes);
            std::memcpy(pinned(d_in_staging, d_in_at, CL_MAP_WRITE, bytes), data, bytes);
        });
        write(d_in.buffer(), d_in_at, bytes);
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
        timed([&] { std::memcpy(d_result, d_out_at, d_result_bytes); });
        add_event_times();
    }

private:
    void* pinned(mapped_buffer& staging, void*& at, cl_map_flags flags, std::size_t bytes)
    {
        if (!staging.is_mapped() || staging.capacity() < bytes) {
            staging.reserve(bytes);
            at = staging.map(d_queue, flags, 0, staging.capacity());
        }
        return at;
    }

    device_buffer d_in, d_out;
    mapped_buffer d_in_staging, d_out_staging;
    void* d_in_at = nullptr;
    void* d_out_at = nullptr;
};

} // namespace

std::unique_ptr<device_transfer> make_mapped_transfer(const std::string& name,
                                                      std::shared_ptr<context> device,
                                                      const cl::CommandQueue& queue)
{
    if (device->limits().host_unified_memory)
        return std::make_unique<staged_in_place>(name, std::move(device), queue);
    return std::make_unique<staged_pinned>(name, std::move(device), queue);
}

} // namespace cldsp
