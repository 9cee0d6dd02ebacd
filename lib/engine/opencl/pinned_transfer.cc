// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Copies straight from a pinned stream, or through pinned staging memory.

#include "opencl/pinned_transfer.h"

#include "opencl/host_copies.h"
#include "opencl/staging.h"
#include "opencl/transfer_round.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <utility>

namespace cldsp {

namespace {

//! Items in the memory of a pinned stream are copied straight to the device. Other items,
//! and all outputs, go through pinned staging memory.
class pinned_transfer : public transfer_round
{
public:
    pinned_transfer(const std::string& name,
                    std::shared_ptr<context> device,
                    cl::CommandQueue queue,
                    std::shared_ptr<pinned_stream> stream)
        : transfer_round(name, device, queue),
          d_stream(std::move(stream)),
          d_in(device, CL_MEM_READ_ONLY),
          d_out(device),
          d_in_staging(device),
          d_out_staging(device),
          d_copies(*device)
    {
    }

    void set_stream_memory(memory_region in, memory_region) override
    {
        if (d_stream)
            d_stream->set(in);
    }
    device_range input(const void* data, std::size_t bytes) override
    {
        start_round();
        d_in.reserve(bytes);
        if (d_stream && d_stream->has(data, bytes)) {
            start_write(d_in.buffer(), 0, data, bytes);
            d_queue.flush(); // the copy runs while the kernels are enqueued
            return { d_in.buffer(), 0 };
        }
        auto* const staging = d_in_staging.reserve(d_queue, bytes);
        for_each_part(bytes, [&](std::size_t first, std::size_t part) {
            copy(staging + first, static_cast<const unsigned char*>(data) + first, part);
            start_write(d_in.buffer(), first, staging + first, part);
            d_queue.flush();
        });
        return { d_in.buffer(), 0 };
    }
    device_range output(void* data, std::size_t bytes) override
    {
        d_out_staging.reserve(d_queue, bytes);
        return result_in(d_out, data, bytes);
    }
    void start_result() override
    {
        d_first_read = d_events.size();
        for_each_part(d_result_bytes, [&](std::size_t first, std::size_t part) {
            start_read(d_out.buffer(), first, d_out_staging.data() + first, part);
        });
    }
    void finish(const cl::Event&) override
    {
        d_queue.flush();
        for_each_part(d_result_bytes, [&](std::size_t first, std::size_t part) {
            d_device->wait(d_events[d_first_read + first / max_part]);
            copy(static_cast<unsigned char*>(d_result) + first,
                 d_out_staging.data() + first,
                 part);
        });
        add_event_times();
    }

private:
    // The bus carries a part while threads copy the next one.
    static constexpr std::size_t max_part = std::size_t(8) << 20;

    template <class Action>
    static void for_each_part(std::size_t bytes, const Action& action)
    {
        for (std::size_t first = 0; first < bytes; first += max_part)
            action(first, std::min(max_part, bytes - first));
    }
    void copy(void* to, const void* from, std::size_t bytes)
    {
        timed([&] {
            d_copies.add(to, from, bytes);
            d_copies.run();
        });
    }

    std::shared_ptr<pinned_stream> d_stream;
    device_buffer d_in, d_out;
    pinned_memory d_in_staging, d_out_staging;
    host_copies d_copies;
    std::size_t d_first_read = 0; //!< the place of the first read among the events
};

} // namespace

pinned_stream::pinned_stream(std::shared_ptr<context> device)
    : d_device(std::move(device)), d_pin(d_device, CL_MEM_READ_ONLY)
{
}

void pinned_stream::set(memory_region region)
{
    if (region.base == d_region.base && region.bytes == d_region.bytes)
        return;
    d_pin.forget();
    d_region = region;
    d_refused = false;
}

bool pinned_stream::has(const void* data, std::size_t bytes)
{
    if (d_refused || !wrapped_buffer::can_wrap(d_device->limits(), d_region))
        return false;
    try {
        d_pin.wrap(d_region);
    } catch (const opencl_error& e) {
        d_device->check_usable();
        d_refused = true;
        log_to(d_device->log(),
               log_level::debug,
               std::string("the stream's memory is copied, because the driver does not "
                           "pin it: ") +
                   e.what());
        return false;
    }
    return d_pin.contains(data, bytes);
}

std::unique_ptr<device_transfer>
make_pinned_transfer(const std::string& name,
                     std::shared_ptr<context> device,
                     const cl::CommandQueue& queue,
                     std::shared_ptr<pinned_stream> stream)
{
    return std::make_unique<pinned_transfer>(
        name, std::move(device), queue, std::move(stream));
}

} // namespace cldsp
