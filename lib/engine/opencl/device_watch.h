/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

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

//! Whether a command has ended, well or not. False where the driver does not tell.
bool has_ended(const cl::Event& event);
//! Whether a command has not ended. False where the driver does not tell.
bool is_in_flight(const cl::Event& event);

/*!
 * What the queues of a context have in flight, how their commands ended, and whether the
 * device still answers. Every wait of the engine for a device is here, with its bound,
 * but for VkFFT's own while it prepares a transform by Bluestein's algorithm.
 * Thread-safe; each queue is one thread's at a time.
 */
class device_watch
{
public:
    device_watch(const device_info& device,
                 const context_options& options,
                 const cl::Context& context);

    //! A new queue, or the end of one: nothing is known of commands in it.
    void forget(cl_command_queue queue);
    //! A program was made, which the driver may compile when a kernel first runs.
    void built() { ++d_programs; }
    //! A command is in flight.
    void enqueued(cl_command_queue queue, const cl::Event& event);

    // See context.
    int wait(const cl::Event& event); //!< and returns the event's final status
    void finish(const cl::CommandQueue& queue);
    void check(const cl::CommandQueue& queue);
    void drain(const cl::CommandQueue& queue) noexcept;
    bool is_lost_after(const cl::CommandQueue& queue) noexcept;
    bool is_lost() const noexcept { return d_lost; }
    void check_usable() const;
    std::size_t in_flight() const;

    //! Memory that is parted from its owner's when the device is lost.
    void add(class memory_alias& alias);
    void remove(class memory_alias& alias);

    //! For tests: another context_options::device_timeout from now on.
    void set_timeout(double seconds) { d_timeout = seconds; }

    //! The device has more to do, or less.
    void expect(std::chrono::nanoseconds more) { d_expected += more.count(); }

private:
    class patience;
    struct queue_state {
        std::deque<cl::Event> events;   // whose end has not been seen
        int failure = 0;                // of the first that failed
        std::uint64_t programs = never; // that were there at the last good check
        bool given_up = false;          // a wait for it ran out
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
    std::atomic<double> d_timeout; // seconds; 0: none
    // PoCL compiles a kernel whenever it runs in another size of work-groups.
    const bool d_compiles_late;
    const logger d_log;
    const cl_context d_context;
    const wait_strategy d_wait;
    mutable std::mutex d_mutex;
    std::map<cl_command_queue, queue_state> d_queues;
    std::vector<class memory_alias*> d_aliases;
    std::string d_reason; // why it is lost
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
