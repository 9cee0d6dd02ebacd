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
 * \brief The thread of this process in which blocks plan while they run: one plan at a
 * time, for two that measure would disturb each other.
 *
 * It is there while there is something to do. Thread-safe.
 */
class planning_thread
{
public:
    //! The only one.
    static planning_thread& shared();
    ~planning_thread();

    //! \p task must not throw. After end() it is never called.
    //! \throws std::system_error if there is no thread to be had
    void post(std::function<void()> task);
    //! Waits for the task that has begun; none is called after.
    void end();
    //! It ends, and what is being planned is not wanted any more.
    bool ending() const { return d_ending; }

private:
    planning_thread() = default;
    void forget_thread_of_parent();
    void run();

    std::mutex d_mutex; // of the four that follow
    std::deque<std::function<void()>> d_tasks;
    std::thread d_thread;
    bool d_running = false;
    int d_process = 0; // that the thread is of
    std::atomic<bool> d_ending{ false };
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_PLANNING_THREAD_H */
