/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "queue_window.h"

#include <algorithm>
#include <utility>

namespace cldsp {

queue_window::queue_window(std::size_t most, waiter wait)
    : d_most(most), d_wait(std::move(wait))
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
            d_room.wait(lock); // other threads are about to enqueue theirs
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
        d_events.push_back(event);
        drop_ended();
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

//! Whatever order the queues end them in.
void queue_window::drop_ended()
{
    const auto ended = [](const cl::Event& event) {
        return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE;
    };
    d_events.erase(std::remove_if(d_events.begin(), d_events.end(), ended),
                   d_events.end());
}

command_slot::command_slot(queue_window& window) : d_window(&window)
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
    if (auto* const window = std::exchange(d_window, nullptr))
        window->enqueued(event);
}

} // namespace cldsp
