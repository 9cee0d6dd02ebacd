// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Starts the threads that share loops, deals out indices, and passes exceptions on.

#include "base/thread_pool.h"

#include "base/engine_threads.h"
#include "base/forks.h"
#include "base/processors.h"

#include <cldsp/errors.h>

#include <system_error>
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace cldsp {

namespace {

/*!
 * Waits for a short time until another thread has made a condition true. To sleep and to
 * be woken takes tens of microseconds, and more on virtual machines. While it waits, this
 * thread yields its core to any other thread that wants it.
 */
template <class CONDITION>
void wait_a_moment(const CONDITION& reached)
{
    using clock = std::chrono::steady_clock;
    constexpr auto moment = std::chrono::microseconds(50);
    for (const auto end = clock::now() + moment; !reached() && clock::now() < end;)
        std::this_thread::yield();
}

} // namespace

unsigned thread_pool::count_for(unsigned threads)
{
    if (threads > max_threads)
        throw_invalid(
            "threads", std::to_string(threads), "0 to " + std::to_string(max_threads));
    if (threads == 0)
        threads = std::min(usable_processors(), max_threads);
    return threads;
}

thread_pool::thread_pool(unsigned threads)
    : d_sleepers(std::make_unique<sleepers>()), d_process(process_number())
{
    const unsigned count = count_for(threads) - 1;
    try {
        // A stream will use these threads.
        at_normal_priority([&] { start_workers(count); });
    } catch (const std::system_error& e) {
        stop_workers();
        throw std::system_error(
            e.code(),
            "the system refuses the memory, or the number of threads, to start thread " +
                std::to_string(d_sleepers->workers.size() + 2) + " of " +
                std::to_string(count + 1));
    } catch (...) {
        stop_workers();
        throw;
    }
}

thread_pool::thread_pool(unsigned threads, idle_workers)
    : d_sleepers(std::make_unique<sleepers>()), d_process(process_number())
{
    try {
        start_workers(threads - 1);
    } catch (...) {
        stop_workers();
        throw;
    }
}

void thread_pool::keep_for_ever(std::unique_ptr<sleepers> lost)
{
    // The list tells those who search for leaks that this is none.
    static sleepers* last = nullptr;
    static std::mutex& mutex = *new std::mutex;
    const std::lock_guard<std::mutex> guard(mutex);
    lost->next = std::exchange(last, lost.get());
    lost.release();
}

thread_pool::~thread_pool()
{
    if (d_process == process_number())
        stop_workers();
    else
        keep_for_ever(std::move(d_sleepers));
}

void thread_pool::start_workers(unsigned count)
{
    const signals_blocked blocked;
    d_sleepers->workers.reserve(count);
    for (unsigned i = 1; i <= count; i++)
        d_sleepers->workers.emplace_back([this, i] { work(i); });
}

void thread_pool::stop_workers()
{
    {
        const std::lock_guard<std::mutex> lock(d_mutex);
        d_stop = true;
    }
    d_sleepers->wake.notify_all();
    for (auto& worker : d_sleepers->workers)
        worker.join();
}

void thread_pool::work(unsigned worker)
{
    name_this_thread("cldsp");
    std::unique_lock<std::mutex> lock(d_mutex);
    for (;;) {
        if (d_places == 0 && !d_stop && d_loop > 0) {
            // The next loop often follows at once, so a worker looks for it before it
            // sleeps.
            const auto last = d_loop.load();
            lock.unlock();
            wait_a_moment([&] { return d_loop != last; });
            lock.lock();
        }
        d_sleepers->wake.wait(lock, [this] { return d_stop || d_places > 0; });
        if (d_stop)
            return;
        d_places--;
        d_active++;
        lock.unlock();
        take_part(worker);
        lock.lock();
        if (--d_active == 0)
            d_sleepers->finished.notify_one();
    }
}

void thread_pool::take_part(unsigned worker)
{
    try {
        for (std::size_t i; (i = d_next++) < d_count;)
            (*d_action)(i, worker);
    } catch (...) {
        d_next = d_count;
        const std::lock_guard<std::mutex> lock(d_mutex);
        if (!d_error)
            d_error = std::current_exception();
    }
}

/*!
 * The pool that shares the loops of the calling thread, which is idle. Its workers are
 * idle as well, so that a measurement beside a stream takes no processor away from that.
 * A pool's own workers could not become idle for one loop: without rights they would stay
 * so. Null: the system starts no more threads.
 */
thread_pool* thread_pool::idle_pool(unsigned threads)
{
    // The number of a worker is below that of the threads of the pool that asks.
    using pools = std::map<unsigned, std::unique_ptr<thread_pool>>;
    auto& kept = belongings_of_idle_thread();
    if (!kept)
        kept = std::make_shared<pools>();
    auto& pool = (*static_cast<pools*>(kept.get()))[threads];
    try {
        if (!pool)
            pool.reset(new thread_pool(threads, idle_workers()));
    } catch (const std::system_error&) {
    }
    return pool.get();
}

unsigned thread_pool::threads_for(double seconds, unsigned most)
{
    if (seconds < min_shared_seconds)
        return 1;
    return static_cast<unsigned>(
        std::clamp<double>(seconds / worthwhile_seconds, 1, std::max(1U, most)));
}

void thread_pool::parallel_for(std::size_t count, unsigned most, const body& action)
{
    auto helpers = static_cast<unsigned>(
                       std::min<std::size_t>(count, std::clamp(most, 1U, threads()))) -
                   (count ? 1 : 0);
    if (d_process != process_number())
        helpers = 0;
    const std::lock_guard<std::mutex> loop(d_loops);
    if (helpers > 0 && is_idle_thread()) {
        if (thread_pool* const idle = idle_pool(threads())) {
            idle->run(count, helpers, action);
            return;
        }
    }
    run(count, helpers, action);
}

//! Runs a loop on the calling thread and \p helpers of the workers.
void thread_pool::run(std::size_t count, unsigned helpers, const body& action)
{
    {
        const std::lock_guard<std::mutex> lock(d_mutex);
        d_action = &action;
        d_count = count;
        d_next = 0;
        d_places = helpers;
        d_loop++;
    }
    for (unsigned i = 0; i < helpers; i++)
        d_sleepers->wake.notify_one();
    take_part(0);

    // Workers that have not woken up yet need not join: nothing is left to do.
    std::unique_lock<std::mutex> lock(d_mutex);
    d_places = 0;
    if (d_active > 0) {
        lock.unlock();
        wait_a_moment([this] { return d_active == 0; });
        lock.lock();
    }
    d_sleepers->finished.wait(lock, [this] { return d_active == 0; });
    const std::exception_ptr error = std::exchange(d_error, nullptr);
    lock.unlock();
    if (error)
        std::rethrow_exception(error);
}

} // namespace cldsp
