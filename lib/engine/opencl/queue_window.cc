// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lets a command in when there is room, and waits for the oldest one otherwise.

#include "opencl/queue_window.h"

#include "opencl/device_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cldsp {

queue_window::queue_window(std::size_t most, waiter wait, checker check)
    : d_most(most), d_wait(std::move(wait)), d_check(std::move(check))
{
}

void queue_window::admit()
{
    if (d_most == 0)
        return;
    std::unique_lock<std::mutex> lock(d_mutex);
    for (;;) {
        drop_ended();
        if (d_events.size() + d_admitted < d_most) {
            ++d_admitted;
            return;
        }
        if (d_events.empty()) {
            // Other threads have reserved the room and are about to enqueue, unless the
            // device is lost.
            d_room.wait_for(lock, std::chrono::milliseconds(50));
            lock.unlock();
            d_check();
            lock.lock();
            continue;
        }
        const cl::Event oldest = d_events.front();
        lock.unlock();
        d_wait(oldest);
        lock.lock();
    }
}

void queue_window::enqueued(const cl::Event& event)
{
    if (d_most == 0)
        return;
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        --d_admitted;
        drop_ended();
        // This command was in flight, even if it has ended by now.
        d_events.push_back(event);
        d_peak = std::max(d_peak, d_events.size());
    }
    d_room.notify_all();
}

void queue_window::give_back()
{
    if (d_most == 0)
        return;
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        --d_admitted;
    }
    d_room.notify_all();
}

std::size_t queue_window::peak() const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    return d_peak;
}

//! Removes commands that have ended, in any order, because there may be several queues. A
//! command whose status the driver refuses to report is removed too: otherwise it would
//! take up room for ever.
void queue_window::drop_ended()
{
    d_events.remove_if([](const cl::Event& event) { return !is_in_flight(event); });
}

command_slot::command_slot(queue_window& window,
                           device_watch& watch,
                           cl_command_queue queue)
    : d_window(&window), d_watch(&watch), d_queue(queue)
{
    d_window->admit();
}

command_slot::~command_slot()
{
    if (d_window)
        d_window->give_back();
}

void command_slot::enqueued(const cl::Event& event)
{
    d_watch->enqueued(d_queue, event);
    if (auto* const window = std::exchange(d_window, nullptr))
        window->enqueued(event);
}

} // namespace cldsp
