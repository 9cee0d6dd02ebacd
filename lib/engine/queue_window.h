/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace cldsp {

/*!
 * The commands of a device that have been enqueued and have not ended, by every user of
 * its context, and how many there may be. Thread-safe.
 */
class queue_window
{
public:
    using waiter = std::function<void(const cl::Event&)>;

    /*!
     * \param most commands in flight; 0: any number, and none is counted
     * \param wait waits until an event is complete
     */
    queue_window(std::size_t most, waiter wait);

    //! Waits until there is room for one more command, and keeps that room.
    void admit();
    //! The command that was admitted is in flight.
    void enqueued(const cl::Event& event);
    //! It has ended already, or never began.
    void give_back();

    //! The largest number that was in flight at a time; 0 without a limit.
    std::size_t peak() const;

private:
    void drop_ended();

    const std::size_t d_most;
    const waiter d_wait;
    mutable std::mutex d_mutex;
    std::condition_variable d_room;
    std::deque<cl::Event> d_events;
    std::size_t d_admitted = 0; // neither enqueued nor given back
    std::size_t d_peak = 0;
};

} // namespace cldsp
