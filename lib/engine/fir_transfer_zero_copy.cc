/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fir_transfer_base.h"

#include "buffer.h"

#include <cstdint>

namespace cldsp {

namespace {

/*!
 * The kernel reads and writes the caller's memory. A stream's memory is wrapped once;
 * data elsewhere are wrapped for their call. A CPU device needs nothing more; on others
 * mapping and unmapping tells the driver when the host has written and wants to read.
 */
class wrapped : public fir_transfer_base
{
public:
    wrapped(const std::string& name,
            std::shared_ptr<context> device,
            cl::CommandQueue queue)
        : fir_transfer_base(name, device, queue),
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
            d_in.map(d_queue,
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
            d_queue, CL_MAP_READ, d_range.offset, d_result_bytes, nullptr, next_event());
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

std::unique_ptr<fir_transfer> make_zero_copy_transfer(const std::string& name,
                                                      std::shared_ptr<context> device,
                                                      const cl::CommandQueue& queue)
{
    return std::make_unique<wrapped>(name, std::move(device), queue);
}

} // namespace cldsp
