// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What all transfers have in common: the device, its queue, the events of a call.

#pragma once

#include "opencl/queue_window.h"
#include "opencl/transfer.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! The base class of every transfer. It has the device, the queue, and the events of the
//! round: the transfers of one call.
class transfer_round : public device_transfer
{
public:
    transfer_round(std::string name,
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
    //! Enqueues a copy to the device. \p from stays valid until the end of the round.
    void start_write(const cl::Buffer& to,
                     std::size_t offset,
                     const void* from,
                     std::size_t bytes)
    {
        auto slot = d_device->admit_command(d_queue);
        cl::Event* const event = next_event();
        d_queue.enqueueWriteBuffer(to, CL_FALSE, offset, bytes, from, nullptr, event);
        slot.enqueued(*event);
    }
    //! Enqueues a copy from the device. \p to stays valid until the end of the round.
    void
    start_read(const cl::Buffer& from, std::size_t offset, void* to, std::size_t bytes)
    {
        auto slot = d_device->admit_command(d_queue);
        cl::Event* const event = next_event();
        d_queue.enqueueReadBuffer(from, CL_FALSE, offset, bytes, to, nullptr, event);
        slot.enqueued(*event);
    }
    //! Makes room for the outputs in \p buffer, from which finish() copies them.
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
            d_time += event_seconds(*d_device, e);
    }

    //! Runs \p action and adds the time that it took on the host.
    template <class F>
    void timed(F&& action)
    {
        using clock = std::chrono::steady_clock;
        const auto start = clock::now();
        action();
        d_time += std::chrono::duration<double>(clock::now() - start).count();
    }

    std::string d_name;
    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    std::vector<cl::Event> d_events;
    double d_time = 0;
    void* d_result = nullptr; //!< the memory to which finish() copies the outputs
    std::size_t d_result_bytes = 0;
};

//! Makes the transfer "mapped", which is in ladder/mapped_transfer.cc.
std::unique_ptr<device_transfer> make_mapped_transfer(const std::string& name,
                                                      std::shared_ptr<context> device,
                                                      const cl::CommandQueue& queue);

} // namespace cldsp
