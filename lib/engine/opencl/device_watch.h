// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Knows the commands in flight of a device, and bounds every wait for them.

#pragma once

#include "opencl/host_clock.h"

#include <cldsp/context.h>
#include <cldsp/wait_strategy.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace cldsp {

//! Whether a command has succeeded or failed. False if the driver does not report it.
bool has_ended(const cl::Event& event);
//! Whether a command has not ended yet. False if the driver does not report it.
bool is_in_flight(const cl::Event& event);

/*!
 * Knows the commands in flight in the queues of a context, the results of those that have
 * ended, and whether the device still answers. Every wait of the engine for a device goes
 * through this class, which sets its time limit. The only exception is a wait inside
 * VkFFT, while it prepares a transform by Bluestein's algorithm. Thread-safe, but only
 * one thread at a time may use a queue.
 */
class device_watch
{
public:
    device_watch(const device_info& device,
                 const context_options& options,
                 const cl::Context& context);

    //! Drops what is known about the commands of a queue, because the queue is new or
    //! ends.
    void forget(cl_command_queue queue);
    //! Reports a new program, which the driver may compile only when a kernel first runs.
    void built() { ++d_programs; }
    //! Reports that a command is in flight.
    void enqueued(cl_command_queue queue, const cl::Event& event);

    // See the functions of these names in context.
    int wait(const cl::Event& event); //!< returns the final status of the event
    void finish(const cl::CommandQueue& queue);
    void check(const cl::CommandQueue& queue);
    void drain(const cl::CommandQueue& queue) noexcept;
    bool is_lost_after(const cl::CommandQueue& queue) noexcept;
    bool is_lost() const noexcept;
    void check_usable() const;
    std::size_t in_flight() const;

    /*!
     * When a command that has ended ran, by the driver's clock, or by the host's where
     * queues tell no times; twice the same if that is unknown. NVIDIA's driver may have
     * the times late, and is asked again for 50 ms. A driver that accepts queues with
     * profiling and never has the times is no longer asked after some commands.
     */
    command_span span_of(const cl::Event& event);
    //! Whether queues have to tell the times of their commands.
    bool has_driver_clock() const { return !d_has_host_clock; }
    //! Times all further commands by the host's clock. \param why for the log
    void use_host_clock(const std::string& why);

    //! Adds or removes a second mapping of a stream's memory. When the device is lost,
    //! private memory replaces this mapping, so that late commands cannot reach the
    //! stream.
    void add(class memory_alias& alias);
    void remove(class memory_alias& alias);

    //! For tests: changes context_options::device_timeout.
    void set_timeout(double seconds) { d_timeout = seconds; }

    //! Makes the time limit of waits longer, or shorter again if \p more is negative.
    void expect(std::chrono::nanoseconds more) { d_expected += more.count(); }

private:
    class patience;
    struct queue_state {
        std::deque<cl::Event> events;   // of commands that may be in flight
        int failure = 0;                // status of the first command that failed
        std::uint64_t programs = never; // d_programs at the last successful check
        bool given_up = false;          // a wait for this queue exceeded its limit
    };
    static constexpr std::uint64_t never = ~std::uint64_t(0);

    void collect(queue_state& state);
    bool is_busy(cl_command_queue queue);
    bool all_ended(cl_command_queue queue, bool& known) const;
    int progress_of(cl_command_queue queue) const;
    bool is_fresh(cl_command_queue queue) const;
    bool ended_in_time(const cl::CommandQueue& queue);
    [[noreturn]] void throw_failed(int status) const;
    void give_up(cl_command_queue queue) noexcept;
    bool is_given_up(cl_command_queue queue) const noexcept;
    void lose(const char* why) noexcept;
    void lose(const char* call, double seconds) noexcept;

    const std::string d_name;
    std::atomic<double> d_timeout; // seconds; 0: waits have no limit
    // PoCL compiles a kernel again for each new work-group size.
    const bool d_compiles_late;
    const logger d_log;
    const cl_context d_context;
    const wait_strategy d_wait;
    mutable std::mutex d_mutex;
    std::map<cl_command_queue, queue_state> d_queues;
    std::vector<class memory_alias*> d_aliases;
    std::atomic<bool> d_has_host_clock;
    std::atomic<int> d_times_missed{ 0 }; // of how many commands in turn
    host_clock d_clock;
    std::string d_reason; // why the device is lost
    std::atomic<bool> d_lost{ false };
    std::atomic<std::uint64_t> d_programs{ 0 };
    std::atomic<std::int64_t> d_expected{ 0 }; // nanoseconds
};

//! See context::expect().
class expected_work
{
public:
    expected_work(std::shared_ptr<device_watch> watch, double multiply_adds);
    ~expected_work() { d_watch->expect(-d_time); }
    expected_work(const expected_work&) = delete;
    expected_work& operator=(const expected_work&) = delete;

private:
    std::shared_ptr<device_watch> d_watch;
    std::chrono::nanoseconds d_time;
};

} // namespace cldsp
