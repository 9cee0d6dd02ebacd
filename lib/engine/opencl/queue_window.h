// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Limits the number of commands in flight of all users of a device together.

#pragma once

#include <cldsp/context.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>

namespace cldsp {

/*!
 * Limits the number of commands that all users of a context together have in flight:
 * enqueued and not ended. Thread-safe.
 */
class queue_window
{
public:
    using waiter = std::function<void(const cl::Event&)>;
    using checker = std::function<void()>;

    /*!
     * \param most the largest number of commands in flight; 0: no limit, and commands are
     * not counted
     * \param wait a function that waits until an event is complete
     * \param check a function that throws if the device is lost
     */
    queue_window(std::size_t most, waiter wait, checker check);

    //! Waits until there is room for one more command, and reserves that room.
    void admit();
    //! Reports that a command, for which room was reserved, is in flight.
    void enqueued(const cl::Event& event);
    //! Gives reserved room back, because no command was enqueued.
    void give_back();

    //! The largest number of commands that were in flight at a time; 0 without a limit.
    std::size_t peak() const;

private:
    void drop_ended();

    const std::size_t d_most;
    const waiter d_wait;
    const checker d_check;
    mutable std::mutex d_mutex;
    std::condition_variable d_room;
    std::list<cl::Event> d_events; // a list, because an assignment of events may throw
    std::size_t d_admitted = 0;    // reservations neither enqueued nor given back
    std::size_t d_peak = 0;
};

//! Reserves room for one command in the queue window of a device. The destructor gives
//! the room back unless it was used.
class command_slot
{
public:
    //! Waits until there is room.
    command_slot(queue_window& window, device_watch& watch, cl_command_queue queue);
    ~command_slot();
    command_slot(const command_slot&) = delete;
    command_slot& operator=(const command_slot&) = delete;

    //! Reports that the command is in flight. Its end frees the room, and its status will
    //! be checked.
    void enqueued(const cl::Event& event);

private:
    queue_window* d_window;
    device_watch* d_watch;
    cl_command_queue d_queue;
};

} // namespace cldsp
