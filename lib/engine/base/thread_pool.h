/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <condition_variable>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cldsp {

//! A call that takes one thread less than this is not worth waking others.
constexpr double min_shared_seconds = 5e-5;

/*!
 * Threads that wait, without keeping a core busy, to take part in loops.
 *
 * They are named "cldsp" where the platform can, and leave signals to the program's own
 * threads.
 */
class thread_pool
{
public:
    //! What a loop does with an index. Calls with the same \p worker, which is below
    //! threads(), never overlap: memory that calls need can belong to the worker.
    using body = std::function<void(std::size_t index, unsigned worker)>;

    /*!
     * \param threads that a loop uses, the caller's included, so that 1 starts none; 0:
     *        as many as there are cores, at most max_threads
     * \throws std::invalid_argument for more than max_threads
     */
    explicit thread_pool(unsigned threads);
    ~thread_pool();
    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;

    //! What the constructor makes of \p threads. \throws as it does
    static unsigned count_for(unsigned threads);
    unsigned threads() const { return static_cast<unsigned>(d_workers.size()) + 1; }

    /*!
     * Calls \p action for every index below \p count, in any order, on the calling thread
     * and on as many workers as that leaves work for. Returns when all calls have. After
     * an exception no further call starts, and the first one is thrown here.
     *
     * One loop at a time: a second thread's waits, and \p action must not start one.
     */
    void parallel_for(std::size_t count, const body& action);

    //! Threads that a loop should use which one thread is predicted to run in \p seconds:
    //! a short loop ends before others have woken up.
    unsigned threads_for(double seconds) const
    {
        return seconds < min_shared_seconds ? 1 : threads();
    }
    //! parallel_for() on threads_for() threads.
    template <class Action>
    void share(std::size_t count, double seconds, const Action& action)
    {
        if (threads_for(seconds) > 1) {
            parallel_for(count, action);
        } else {
            for (std::size_t i = 0; i < count; i++)
                action(i, 0U);
        }
    }

    static constexpr unsigned max_threads = 1024;

private:
    void start_workers(unsigned count);
    void stop_workers();
    void work(unsigned worker);
    void take_part(unsigned worker);

    std::mutex d_loops; // held while a loop runs
    std::mutex d_mutex; // of all below but d_next; the other atomics may be read without
    std::condition_variable d_wake, d_finished;
    bool d_stop = false;
    unsigned d_places = 0;                // workers that may still join the loop
    std::atomic<unsigned> d_active{ 0 };  // and that have
    std::atomic<std::size_t> d_loop{ 0 }; // which one it is
    std::exception_ptr d_error;

    const body* d_action = nullptr;
    std::size_t d_count = 0;
    std::atomic<std::size_t> d_next{ 0 };
    std::vector<std::thread> d_workers;
};

} // namespace cldsp
