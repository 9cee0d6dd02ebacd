/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "opencl/fir_transfer_base.h"

#include "opencl/buffer.h"
#include "opencl/memory_alias.h"

#include <cstdint>

namespace cldsp {

namespace {

bool is_inside(const memory_region& region, const void* data, std::size_t bytes)
{
    const auto base = reinterpret_cast<std::uintptr_t>(region.base);
    const auto at = reinterpret_cast<std::uintptr_t>(data);
    return base && at >= base && at - base <= region.bytes &&
           bytes <= region.bytes - (at - base);
}

/*!
 * The kernel reads and writes the caller's memory. A stream's memory is wrapped once,
 * at a place of the engine's own where it is shared memory; data elsewhere are wrapped
 * for their call, and a command that hangs on those is a danger to their owner. A CPU
 * device needs nothing more; on others mapping and unmapping tells the driver when the
 * host has written and wants to read.
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
        d_in.forget();
        d_out.forget();
        d_in_stream = stream(in);
        d_out_stream = stream(out);
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
        const device_range range = wrap(d_out, d_out_stream, data, bytes);
        d_result_offset = range.offset;
        return range;
    }
    void finish(const cl::Event& kernel) override
    {
        if (d_coherent) {
            d_queue.flush();
            d_device->wait(kernel);
            return;
        }
        d_out.map(
            d_queue, CL_MAP_READ, d_result_offset, d_result_bytes, nullptr, next_event());
        wait_for_last();
        d_out.unmap();
        add_event_times();
    }

private:
    //! A stream's memory, and the place at which the device may see it.
    struct stream_memory {
        memory_region own;
        std::unique_ptr<memory_alias> alias;
    };

    //! Other devices than processors hold on to the memory itself, wherever it is seen.
    stream_memory stream(const memory_region& own) const
    {
        return { own, d_coherent ? memory_alias::of(*d_device, own) : nullptr };
    }

    device_range wrap(wrapped_buffer& buffer,
                      const stream_memory& stream,
                      const void* data,
                      std::size_t bytes)
    {
        memory_region whole = stream.own;
        if (stream.alias && is_inside(whole, data, bytes)) {
            const auto* const base = static_cast<const unsigned char*>(whole.base);
            whole = stream.alias->region();
            data = static_cast<const unsigned char*>(whole.base) +
                   (static_cast<const unsigned char*>(data) - base);
        }
        const auto region = region_to_wrap(d_device->limits(), whole, data, bytes);
        buffer.wrap(region);
        return { buffer.buffer(), buffer.offset_of(data) };
    }

    const bool d_coherent;
    stream_memory d_in_stream, d_out_stream; // before the buffers, which use it
    wrapped_buffer d_in, d_out;
    std::size_t d_result_offset = 0;
};

} // namespace

memory_region region_to_wrap(const device_limits& limits,
                             const memory_region& stream,
                             const void* data,
                             std::size_t bytes)
{
    // Some kernels count single components, of one byte each.
    constexpr std::size_t max_stream = std::size_t(1) << 31;
    if (is_inside(stream, data, bytes) && stream.bytes <= max_stream &&
        wrapped_buffer::can_wrap(limits, stream))
        return stream;
    const std::size_t before =
        reinterpret_cast<std::uintptr_t>(data) % limits.base_address_alignment;
    return { static_cast<const unsigned char*>(data) - before, bytes + before };
}

std::unique_ptr<fir_transfer> make_zero_copy_transfer(const std::string& name,
                                                      std::shared_ptr<context> device,
                                                      const cl::CommandQueue& queue)
{
    return std::make_unique<wrapped>(name, std::move(device), queue);
}

} // namespace cldsp
