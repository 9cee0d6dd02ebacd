// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Threads of the process in which blocks plan and probes tune.

#pragma once

#include <condition_variable>
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
 * The thread exists only while there is something to do. It has no signals, and neither
 * the real-time priority nor the processors of a block's thread that posts. Thread-safe.
 */
class background_thread
{
public:
    //! The thread in which blocks plan. Its tasks get the processor when no other thread
    //! wants it.
    static background_thread& planning();
    //! The thread in which probes tune.
    static background_thread& tuning();
    ~background_thread();

    //! Lets the thread call a task.
    //! \param task reports its failures itself: what it throws is dropped
    //! \param owner names the task for withdraw(), if it is not null
    //! \return false after end(): it is not called
    //! \throws std::system_error if the system gives no thread, std::bad_alloc
    bool post(std::function<void()> task, const void* owner = nullptr);
    //! Forgets the task of \p owner, if there is one that has not begun. What nobody
    //! wants any more would keep its memory, and devices, until the thread gets to it.
    void withdraw(const void* owner);
    /*!
     * Waits for the task that has begun, and no task is called afterwards. It waits for
     * some seconds only, if nothing in the process goes on, and for a minute at most. An
     * exit of the process does this before a driver is unloaded. If the task then is
     * still inside a driver at the end of the process, that driver must not be unloaded:
     * the process ends without the rest of its exit.
     */
    void end();
    //! Whether end() was called: the result of the task is no longer wanted.
    bool ending() const { return d_ending; }

private:
    struct threads_of_process;
    struct posted_task {
        std::function<void()> work;
        const void* owner;
    };
    explicit background_thread(bool is_idle) : d_is_idle(is_idle) {}
    void forget_thread_of_parent();
    void run();
    void run_tasks();
    std::function<void()> next_task();
    bool has_ended_in_time(std::unique_lock<std::mutex>& lock);

    const bool d_is_idle;
    std::mutex d_mutex; // guards the next six members
    std::condition_variable d_changed;
    std::deque<posted_task> d_tasks;
    std::thread d_thread;
    bool d_running = false;
    bool d_has_hung = false; // end() has waited in vain
    int d_process = 0;       // the process that has started d_thread
    std::atomic<bool> d_ending{ false };
};

} // namespace cldsp
