// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The transfers by copies and over the caller's memory, and outputs of many channels.

#include "opencl/transfer.h"

#include "opencl/buffer.h"
#include "opencl/memory_alias.h"
#include "opencl/pinned_transfer.h"
#include "opencl/queue_window.h"
#include "opencl/staging.h"
#include "opencl/transfer_round.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace cldsp {

namespace {

//! The transfer "copy": write and read commands, through staging memory of the engine.
class copied : public transfer_round
{
public:
    copied(const std::string& name,
           std::shared_ptr<context> device,
           cl::CommandQueue queue)
        : transfer_round(name, device, queue),
          d_in(device, CL_MEM_READ_ONLY),
          d_out(device),
          d_copies(device, queue)
    {
    }

    device_range input(const void* data, std::size_t bytes) override
    {
        start_round();
        d_in.reserve(bytes);
        d_copies.write(d_in.buffer(), { data, bytes, 1, bytes }, d_events);
        return { d_in.buffer(), 0 };
    }
    device_range output(void* data, std::size_t bytes) override
    {
        return result_in(d_out, data, bytes);
    }
    void start_result() override
    {
        d_copies.begin_read(d_out.buffer(),
                            { d_result, d_result_bytes, 1, d_result_bytes });
    }
    void finish(const cl::Event&) override
    {
        d_queue.flush();
        d_copies.finish_read(d_events);
        add_event_times();
    }

private:
    device_buffer d_in, d_out; // d_out is not write-only: a kernel may add to it
    staged_copies d_copies;
};

bool is_inside(const memory_region& region, const void* data, std::size_t bytes)
{
    const auto base = reinterpret_cast<std::uintptr_t>(region.base);
    const auto at = reinterpret_cast<std::uintptr_t>(data);
    return base && at >= base && at - base <= region.bytes &&
           bytes <= region.bytes - (at - base);
}

/*!
 * The transfer "zero_copy" for devices that work on the host's memory: the kernel reads
 * and writes the caller's memory.
 *
 * A stream's memory is wrapped in an OpenCL buffer once; shared memory is wrapped through
 * a second mapping (memory_alias). Other memory is wrapped for one call, and a hanging
 * command may access it after the call. On a CPU device this is all. On a GPU, map and
 * unmap commands also tell the driver when the host has written the items and is about to
 * read the outputs.
 */
class wrapped : public transfer_round
{
public:
    wrapped(const std::string& name,
            std::shared_ptr<context> device,
            cl::CommandQueue queue)
        : transfer_round(name, device, queue),
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
    void start_result() override
    {
        if (!d_coherent)
            d_out.map(d_queue,
                      CL_MAP_READ,
                      d_result_offset,
                      d_result_bytes,
                      nullptr,
                      next_event());
    }
    void finish(const cl::Event& kernel) override
    {
        if (d_coherent) {
            d_queue.flush();
            d_device->wait(kernel);
            return;
        }
        wait_for_last();
        d_out.unmap();
        add_event_times();
    }

private:
    //! The memory of a stream, and the second mapping that the device uses if there is
    //! one.
    struct stream_memory {
        memory_region own;
        std::unique_ptr<memory_alias> alias;
    };

    //! Only CPU devices get an alias. Other devices pin the physical pages, so that
    //! replacing a mapping would not stop their access.
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
    stream_memory d_in_stream, d_out_stream; // declared first: the buffers use it
    wrapped_buffer d_in, d_out;
    std::size_t d_result_offset = 0;
};

} // namespace

memory_region region_to_wrap(const device_limits& limits,
                             const memory_region& stream,
                             const void* data,
                             std::size_t bytes)
{
    // 2^31 bytes, because kernels have 32-bit offsets in bytes.
    constexpr std::size_t max_stream = std::size_t(1) << 31;
    if (is_inside(stream, data, bytes) && stream.bytes <= max_stream &&
        wrapped_buffer::can_wrap(limits, stream))
        return stream;
    const std::size_t before =
        reinterpret_cast<std::uintptr_t>(data) % limits.base_address_alignment;
    return { static_cast<const unsigned char*>(data) - before, bytes + before };
}

std::unique_ptr<device_transfer>
make_device_transfer(const std::string& name,
                     std::shared_ptr<context> device,
                     const cl::CommandQueue& queue,
                     std::shared_ptr<pinned_stream> stream)
{
    if (name == "copy")
        return std::make_unique<copied>(name, std::move(device), queue);
    if (name == "mapped")
        return make_mapped_transfer(name, std::move(device), queue);
    if (shares_memory(device->device()))
        return std::make_unique<wrapped>(name, std::move(device), queue);
    if (!stream)
        stream = std::make_shared<pinned_stream>(device);
    return make_pinned_transfer(name, std::move(device), queue, std::move(stream));
}

channel_outputs::channel_outputs(std::shared_ptr<context> device,
                                 const cl::CommandQueue& queue,
                                 std::size_t max_slice)
    : d_device(device),
      d_queue(queue),
      d_max_slice(max_slice),
      d_in_place(device->limits().host_unified_memory &&
                 device->limits().maps_in_place),
      d_mapped(device),
      d_results(device),
      d_slots{ slot(device), slot(device), slot(device), slot(device) },
      d_copies(*device)
{
}

const cl::Buffer& channel_outputs::reserve(std::size_t channels, std::size_t outputs)
{
    d_channels = channels;
    d_outputs = outputs;
    d_time = 0;
    if (d_in_place) {
        d_mapped.unmap(); // a round that failed may have left it mapped
        d_mapped.reserve(bytes());
        return d_mapped.buffer();
    }
    for (std::size_t i = 0; i < std::min(slices(), d_slots.size()); ++i)
        d_slots[i].memory.reserve(d_queue, std::min(bytes(), d_max_slice));
    d_results.reserve(bytes());
    return d_results.buffer();
}

void channel_outputs::enqueue()
{
    if (d_in_place) {
        d_at = d_mapped.map(d_queue, CL_MAP_READ, 0, bytes(), nullptr, &d_done);
        return;
    }
    constexpr std::size_t early = 2;
    for (d_begun = 0; d_begun < std::min(slices(), early); ++d_begun)
        enqueue_slice(d_begun);
}

void channel_outputs::enqueue_slice(std::size_t index)
{
    auto& to = d_slots[index % d_slots.size()];
    const std::size_t first = index * d_max_slice;
    replace(to.done);
    auto slot = d_device->admit_command(d_queue);
    d_queue.enqueueReadBuffer(d_results.buffer(),
                              CL_FALSE,
                              first,
                              std::min(d_max_slice, bytes() - first),
                              to.memory.data(),
                              nullptr,
                              &to.done);
    slot.enqueued(to.done);
}

void channel_outputs::finish(std::complex<float>* const* out)
{
    if (d_in_place) {
        d_device->wait(d_done);
        d_time = event_seconds(*d_device, d_done);
        place(out, 0, d_channels * d_outputs, d_at);
        d_mapped.unmap();
        return;
    }
    const auto begin_until = [&](std::size_t end) {
        for (end = std::min(end, slices()); d_begun < end; ++d_begun)
            enqueue_slice(d_begun);
        d_queue.flush();
    };
    const std::size_t most = d_max_slice / sizeof(std::complex<float>);
    begin_until(d_slots.size());
    for (std::size_t i = 0; i < slices(); ++i) {
        auto& from = d_slots[i % d_slots.size()];
        d_device->wait(from.done);
        d_time += event_seconds(*d_device, from.done);
        const std::size_t first = i * most;
        place(out,
              first,
              std::min(most, d_channels * d_outputs - first),
              from.memory.data());
        begin_until(i + 1 + d_slots.size());
    }
}

//! Copies \p count outputs to the memory of their channels. The first of them has the
//! number \p first among the outputs of all channels.
void channel_outputs::place(std::complex<float>* const* out,
                            std::size_t first,
                            std::size_t count,
                            const void* from)
{
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    const auto* next = static_cast<const std::complex<float>*>(from);
    for (const std::size_t end = first + count; first < end;) {
        const std::size_t channel = first / d_outputs, at = first % d_outputs;
        const std::size_t part = std::min(d_outputs - at, end - first);
        d_copies.add(out[channel] + at, next, part * sizeof(*next));
        next += part;
        first += part;
    }
    d_copies.run();
    d_time += std::chrono::duration<double>(clock::now() - start).count();
}

} // namespace cldsp
