// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Threads that share the iterations of loops, and sleep between the loops.

#pragma once

#include <condition_variable>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cldsp {

//! Seconds. A call that one thread completes in less time is not worth waking others for.
constexpr double min_shared_seconds = 5e-5;
//! Seconds of work that are worth waking one thread more.
constexpr double worthwhile_seconds = 2.5e-5;
//! Seconds by which each thread that is woken delays the others.
constexpr double waking_seconds = 2e-6;

/*!
 * A pool of threads that share the iterations of loops. Between loops they wait without
 * keeping a core busy.
 *
 * They are named "cldsp" where the platform has names for threads. Signals are left to
 * the program's own threads. The loops of an idle thread, see engine_threads.h, are
 * shared by idle threads.
 */
class thread_pool
{
public:
    //! The function that a loop calls for each index. Calls with the same \p worker, a
    //! number below threads(), never overlap. So each worker can have memory of its own
    //! for its calls.
    using body = std::function<void(std::size_t index, unsigned worker)>;

    /*!
     * \param threads the number of threads that a loop uses. The calling thread is one of
     *        them, so that 1 starts none. 0: as many as usable_processors(), at most
     *        max_threads
     * \throws std::invalid_argument for more than max_threads; std::system_error if one
     *         of them cannot be started
     */
    explicit thread_pool(unsigned threads);
    ~thread_pool();
    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;

    //! The number of threads that a pool has if its constructor is given \p threads.
    //! \throws std::invalid_argument for more than max_threads
    static unsigned count_for(unsigned threads);
    unsigned threads() const
    {
        return static_cast<unsigned>(d_sleepers->workers.size()) + 1;
    }

    /*!
     * Calls \p action for every index below \p count, in any order, on the calling thread
     * and on up to \p count - 1 workers. Returns when all of these calls have returned.
     * After an exception no further call starts, and parallel_for() throws the first
     * exception.
     *
     * Only one loop runs at a time. A loop that another thread starts waits for the end
     * of this one. \p action must not start a loop.
     */
    void parallel_for(std::size_t count, const body& action)
    {
        parallel_for(count, threads(), action);
    }
    //! As the other, with no more than \p most threads.
    void parallel_for(std::size_t count, unsigned most, const body& action);

    //! The number of threads for a loop that takes one thread \p seconds, as predicted.
    //! It is 1 for a short loop, which would end before other threads have woken up.
    //! \param most of the threads that there are
    static unsigned threads_for(double seconds, unsigned most);
    unsigned threads_for(double seconds) const { return threads_for(seconds, threads()); }
    //! Runs a loop on the calling thread if \p threads, a result of threads_for(), is 1,
    //! and by parallel_for() otherwise. A call that runs several loops asks for its
    //! threads once.
    template <class Action>
    void share(std::size_t count, unsigned threads, const Action& action)
    {
        if (threads > 1) {
            parallel_for(count, threads, action);
        } else {
            for (std::size_t i = 0; i < count; i++)
                action(i, 0U);
        }
    }

    static constexpr unsigned max_threads = 1024;

private:
    //! Says that the workers are for loops of the calling thread, which is idle.
    struct idle_workers {
    };
    thread_pool(unsigned threads, idle_workers);
    static thread_pool* idle_pool(unsigned threads);
    void run(std::size_t count, unsigned helpers, const body& action);
    void start_workers(unsigned count);
    void stop_workers();
    void work(unsigned worker);
    void take_part(unsigned worker);

    //! The workers and what they wait for. In a child of fork() there are no workers, and
    //! an end of these objects would wait for them.
    struct sleepers {
        std::condition_variable wake, finished;
        std::vector<std::thread> workers;
        sleepers* next = nullptr; // of those that are kept for ever
    };
    static void keep_for_ever(std::unique_ptr<sleepers> lost);

    std::unique_ptr<sleepers> d_sleepers;
    const unsigned d_process; // in which the workers are
    std::mutex d_loops;       // held while a loop runs
    // Protects all members below but d_next; atomics may be read without it.
    std::mutex d_mutex;
    bool d_stop = false;
    unsigned d_places = 0;                // workers that may still join the loop
    std::atomic<unsigned> d_active{ 0 };  // workers that have joined the loop
    std::atomic<std::size_t> d_loop{ 0 }; // the number of loops so far
    std::exception_ptr d_error;

    const body* d_action = nullptr;
    std::size_t d_count = 0;
    std::atomic<std::size_t> d_next{ 0 };
};

} // namespace cldsp
