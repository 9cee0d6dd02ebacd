// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Hands values from one thread to another, in order.

#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace cldsp::app {

//! Hands values from one thread to another, in order.
template <class T>
class blocking_queue
{
public:
    void push(T value)
    {
        {
            const std::lock_guard<std::mutex> guard(d_mutex);
            if (d_cancelled)
                return;
            d_values.push_back(std::move(value));
        }
        d_changed.notify_one();
    }
    //! Waits for a value. \return nothing if the queue is closed and empty
    std::optional<T> pop()
    {
        std::unique_lock<std::mutex> guard(d_mutex);
        d_changed.wait(guard, [this] { return d_closed || !d_values.empty(); });
        if (d_values.empty())
            return std::nullopt;
        std::optional<T> value(std::move(d_values.front()));
        d_values.pop_front();
        return value;
    }
    //! No value follows.
    void close()
    {
        {
            const std::lock_guard<std::mutex> guard(d_mutex);
            d_closed = true;
        }
        d_changed.notify_all();
    }
    //! As close(), and drops the values that are there and those that follow.
    void cancel()
    {
        {
            const std::lock_guard<std::mutex> guard(d_mutex);
            d_closed = d_cancelled = true;
            d_values.clear();
        }
        d_changed.notify_all();
    }

private:
    std::mutex d_mutex;
    std::condition_variable d_changed;
    std::deque<T> d_values;
    bool d_closed = false, d_cancelled = false;
};

} // namespace cldsp::app
