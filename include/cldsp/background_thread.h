// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Threads of the process in which blocks plan and probes tune.

#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace cldsp {

/*!
 * \brief A thread of this process for what its blocks measure while they run, one task at
 * a time, because two measurements would disturb each other. A task may outlive the block
 * that posted it, so that the end of the block need not wait for a device that hangs.
 *
 * The thread exists only while there is something to do. Thread-safe.
 */
class background_thread
{
public:
    //! The thread in which blocks plan.
    static background_thread& planning();
    //! The thread in which probes tune.
    static background_thread& tuning();
    ~background_thread();

    //! Lets the thread call \p task, which reports its failures itself: what it throws is
    //! dropped.
    //! \return false after end(): it is not called
    //! \throws std::system_error if the system gives no thread
    bool post(std::function<void()> task);
    //! Waits for the task that has begun. No task is called afterwards.
    void end();
    //! Whether end() was called: the result of the task is no longer wanted.
    bool ending() const { return d_ending; }

private:
    background_thread() = default;
    void forget_thread_of_parent();
    void run();

    std::mutex d_mutex; // guards the next four members
    std::deque<std::function<void()>> d_tasks;
    std::thread d_thread;
    bool d_running = false;
    int d_process = 0; // the process that has started d_thread
    std::atomic<bool> d_ending{ false };
};

} // namespace cldsp

