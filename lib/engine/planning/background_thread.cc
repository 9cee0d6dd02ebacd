// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs one task at a time, and waits for it when the process exits.

#include "base/engine_threads.h"
#include "base/exits.h"
#include "base/forks.h"
#include "base/stopwatch.h"

#include <cldsp/background_thread.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include <unistd.h>

namespace cldsp {

// These objects are destroyed with the library, unlike the registry: their threads must
// not be inside a driver, or in the engine, while that is unloaded.
struct background_thread::threads_of_process {
    background_thread planning{ true };
    background_thread tuning{ false };

    static threads_of_process& get()
    {
        static threads_of_process instance;
        static const bool is_watched = [] {
            act_at_exit([](std::optional<int> status) { get().end(status); });
            return true;
        }();
        (void)is_watched;
        return instance;
    }

    // A thread of the program may open a device even later.
    ~threads_of_process() { act_at_exit(nullptr); }

    //! \param status of the exit, if it is known
    void end(std::optional<int> status)
    {
        planning.end();
        tuning.end();
        if (status && (planning.d_thread.joinable() || tuning.d_thread.joinable())) {
            std::fflush(nullptr);
            ::_exit(*status);
        }
    }
};

background_thread& background_thread::planning()
{
    return threads_of_process::get().planning;
}

background_thread& background_thread::tuning()
{
    return threads_of_process::get().tuning;
}

void background_thread::end()
{
    d_ending = true;
    std::thread last;
    {
        const fork_delay no_fork;
        std::unique_lock<std::mutex> lock(d_mutex);
        forget_thread_of_parent();
        d_tasks.clear();
        if (d_has_hung ? !d_running : has_ended_in_time(lock))
            last.swap(d_thread);
        else
            d_has_hung = true;
    }
    if (last.joinable())
        last.join();
}

background_thread::~background_thread()
{
    end();
    // Where the status of an exit is not known, an exit waits for ever.
    if (d_thread.joinable())
        d_thread.join();
}

/*!
 * Waits for the thread, but not for ever. A compiler goes on, and then uses the
 * processor; a driver that hangs mostly does not.
 */
bool background_thread::has_ended_in_time(std::unique_lock<std::mutex>& lock)
{
    using clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds look(5), patience(60);
    constexpr double least_use = 0.01;
    const auto end = clock::now() + patience;
    while (clock::now() < end) {
        const double before = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (d_changed.wait_for(lock, look, [this] { return !d_running; }))
            return true;
        if (processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - before <
            least_use * static_cast<double>(look.count()))
            break;
    }
    return false;
}

bool background_thread::post(std::function<void()> task, const void* owner)
{
    const fork_delay no_fork;
    const std::lock_guard<std::mutex> guard(d_mutex);
    if (d_ending)
        return false;
    forget_thread_of_parent();
    d_tasks.push_back({ std::move(task), owner });
    if (d_running)
        return true;
    // The previous thread has left run(), except for its last instructions.
    if (d_thread.joinable())
        d_thread.join();
    d_running = true;
    d_process = ::getpid();
    try {
        const signals_blocked blocked;
        d_thread = std::thread([this] { run(); });
    } catch (...) {
        d_running = false;
        d_tasks.pop_back();
        throw;
    }
    return true;
}

void background_thread::withdraw(const void* owner)
{
    // After end() there are no tasks, and at the exit of the process perhaps no queue.
    if (d_ending)
        return;
    std::function<void()> withdrawn; // ends after the lock, because it may own devices
    const fork_delay no_fork;
    const std::lock_guard<std::mutex> guard(d_mutex);
    const auto found =
        std::find_if(d_tasks.begin(), d_tasks.end(), [owner](const posted_task& task) {
            return task.owner == owner;
        });
    if (found == d_tasks.end())
        return;
    withdrawn.swap(found->work);
    d_tasks.erase(found);
}

//! In a forked process the thread of the parent does not exist.
void background_thread::forget_thread_of_parent()
{
    if (!d_thread.joinable() || d_process == ::getpid())
        return;
    // Neither join() nor detach() is possible, nor an end of the object.
    static auto& lost = *new std::vector<std::thread>;
    lost.push_back(std::move(d_thread));
    d_tasks.clear();
    d_running = false;
}

void background_thread::run()
{
    name_this_thread("cldsp");
    forget_inherited_scheduling();
    while (true) {
        if (d_is_idle)
            run_idle([this] { run_tasks(); });
        else
            run_tasks();
        const fork_delay no_fork;
        const std::lock_guard<std::mutex> guard(d_mutex);
        if (d_tasks.empty()) {
            d_running = false;
            d_changed.notify_all();
            return;
        }
    }
}

void background_thread::run_tasks()
{
    while (const auto task = next_task()) {
        try {
            task();
        } catch (...) {
            // Tasks report their failures themselves. One that lacks the memory for that
            // must not end the process.
        }
    }
}

//! An empty function: there is none. Who posts waits for the lock, in a stream too.
std::function<void()> background_thread::next_task()
{
    return at_normal_priority([this] {
        const fork_delay no_fork;
        const std::lock_guard<std::mutex> guard(d_mutex);
        std::function<void()> task;
        if (!d_tasks.empty()) {
            task = std::move(d_tasks.front().work);
            d_tasks.pop_front();
        }
        return task;
    });
}

} // namespace cldsp
