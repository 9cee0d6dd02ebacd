/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_PLANNING_THREAD_H
#define INCLUDED_CLDSP_PLANNING_THREAD_H

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace gr {
namespace cldsp {

/*!
 * \brief The thread in which the blocks of this process plan while they run. It makes one
 * plan at a time, because two measurements would disturb each other.
 *
 * The thread exists only while there is something to do. Thread-safe.
 */
class planning_thread
{
public:
    //! The only object of this class.
    static planning_thread& shared();
    ~planning_thread();

    //! Lets the thread call \p task, which must not throw. After end() it is not called.
    //! \throws std::system_error if the system gives no thread
    void post(std::function<void()> task);
    //! Waits for the task that has begun. No task is called afterwards.
    void end();
    //! Whether end() was called: the plan that is being made is no longer wanted.
    bool ending() const { return d_ending; }

private:
    planning_thread() = default;
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
} // namespace gr

#endif /* INCLUDED_CLDSP_PLANNING_THREAD_H */
