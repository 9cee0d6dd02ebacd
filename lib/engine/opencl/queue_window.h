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
#include <functional>
#include <list>
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
    using checker = std::function<void()>;

    /*!
     * \param most commands in flight; 0: any number, and none is counted
     * \param wait waits until an event is complete
     * \param check throws where the device is lost
     */
    queue_window(std::size_t most, waiter wait, checker check);

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
    const checker d_check;
    mutable std::mutex d_mutex;
    std::condition_variable d_room;
    std::list<cl::Event> d_events; // of which each goes without an assignment
    std::size_t d_admitted = 0;    // neither enqueued nor given back
    std::size_t d_peak = 0;
};

//! Room for one command in a device's queue window, given back unless it is used.
class command_slot
{
public:
    //! Waits until there is room.
    command_slot(queue_window& window, device_watch& watch, cl_command_queue queue);
    ~command_slot();
    command_slot(const command_slot&) = delete;
    command_slot& operator=(const command_slot&) = delete;

    //! The command is in flight: its end frees the room, and its status will be asked
    //! for.
    void enqueued(const cl::Event& event);

private:
    queue_window* d_window;
    device_watch* d_watch;
    cl_command_queue d_queue;
};

} // namespace cldsp
