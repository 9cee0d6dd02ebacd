/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/context.h>
#include <cldsp/errors.h>
#include <cldsp/wait_strategy.h>

#include <condition_variable>
#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>

namespace cldsp {

namespace {

using std::chrono::milliseconds;

// What a waiting thread and the event's callback share. The callback may come long after
// the wait has ended, from any thread, so that each side owns it.
struct completion {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;

    void signal()
    {
        {
            const std::lock_guard<std::mutex> guard(mutex);
            done = true;
        }
        changed.notify_one();
    }
    bool wait_for(milliseconds time)
    {
        std::unique_lock<std::mutex> lock(mutex);
        return changed.wait_for(lock, time, [this] { return done; });
    }
};

using shared_completion = std::shared_ptr<completion>;

void CL_CALLBACK on_complete(cl_event, cl_int, void* data)
{
    const std::unique_ptr<shared_completion> state(static_cast<shared_completion*>(data));
    (*state)->signal();
}

int status_of(const cl::Event& event)
{
    return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
}

// A driver may keep a command to itself until its queue is flushed. A user event has
// none.
void flush_queue_of(const cl::Event& event)
{
    cl_command_queue queue = nullptr;
    if (clGetEventInfo(event(), CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, nullptr) ==
            CL_SUCCESS &&
        queue)
        clFlush(queue);
}

// False where the driver has no callbacks for this event.
bool ask_for_callback(const cl::Event& event, const shared_completion& state)
{
    auto data = std::make_unique<shared_completion>(state);
    if (clSetEventCallback(event(), CL_COMPLETE, on_complete, data.get()) != CL_SUCCESS)
        return false;
    data.release(); // the callback's now
    return true;
}

} // namespace

wait_strategy::wait_strategy(const device_info& device) : d_driver_blocks(device.is_pocl)
{
}

int wait_strategy::wait(const cl::Event& event) const
{
    try {
        int status = status_of(event);
        if (status <= CL_COMPLETE)
            return status;
        flush_queue_of(event);
        if (d_driver_blocks) {
            const cl_event handle = event();
            clWaitForEvents(1, &handle); // how the command ended is its status
            return status_of(event);
        }
        const auto state = std::make_shared<completion>();
        ask_for_callback(event, state);
        milliseconds time(1);
        while ((status = status_of(event)) > CL_COMPLETE) {
            state->wait_for(time);
            time = std::min(2 * time, milliseconds(50));
        }
        return status;
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err());
    }
}

} // namespace cldsp
