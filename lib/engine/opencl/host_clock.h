// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Times commands by the host's clock, where the driver's queues tell no times.

#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace cldsp {

//! When a command began and ended, in nanoseconds of some clock.
using command_span = std::pair<std::uint64_t, std::uint64_t>;

/*!
 * The times of commands by the host's clock. Thread-safe.
 *
 * A command begins when it is enqueued, or when the one before it is known to have ended
 * if that is later. It ends when a wait for it, or for a later command of its in-order
 * queue, has returned. Commands that are waited for together therefore take the same
 * time; that counts for the kernels among them, and the copies have none.
 *
 * The times are statistics. Where there is no memory for them, they are missing.
 */
class host_clock
{
public:
    //! Reports that a command is in flight.
    void enqueued(cl_command_queue queue, cl_event event) noexcept;
    //! Reports that a command has ended, and so all before it in its queue.
    void ended(cl_command_queue queue, cl_event event) noexcept;
    //! When a command ran, if it has ended. The caller has a reference to it: the handle
    //! of a released event may be that of another one.
    std::optional<command_span> span(cl_event event) const;
    //! Drops the commands of a queue in flight, because the queue is new or ends.
    void forget(cl_command_queue queue) noexcept;

private:
    struct command {
        std::uint64_t number; //!< counts all commands
        bool is_kernel;
        command_span time; //!< ends at 0 while the command is in flight
    };
    struct queue_state {
        std::deque<std::pair<cl_event, std::uint64_t>> in_flight; //!< with their numbers
        std::uint64_t last_end = 0;
    };

    void drop_old();

    mutable std::mutex d_mutex;
    std::map<cl_command_queue, queue_state> d_queues;
    std::map<cl_event, command> d_commands;
    std::uint64_t d_count = 0;
};

} // namespace cldsp
