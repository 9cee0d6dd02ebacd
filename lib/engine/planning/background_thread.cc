// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs one task at a time, and waits for it when the process exits.

#include <cldsp/background_thread.h>
#include <utility>

#include <unistd.h>

namespace cldsp {

// These objects are destroyed at exit, unlike the registry: their threads must not be
// inside a driver while that driver is unloaded.
background_thread& background_thread::planning()
{
    static background_thread instance;
    return instance;
}

background_thread& background_thread::tuning()
{
    static background_thread instance;
    return instance;
}

background_thread::~background_thread() { end(); }

void background_thread::end()
{
    d_ending = true;
    std::thread last;
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        forget_thread_of_parent();
        d_tasks.clear();
        last.swap(d_thread);
    }
    if (last.joinable())
        last.join();
}

bool background_thread::post(std::function<void()> task)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    if (d_ending)
        return false;
    forget_thread_of_parent();
    d_tasks.push_back(std::move(task));
    if (d_running)
        return true;
    // The previous thread has left run(), except for its last instructions.
    if (d_thread.joinable())
        d_thread.join();
    d_running = true;
    d_process = ::getpid();
    try {
        d_thread = std::thread([this] { run(); });
    } catch (...) {
        d_running = false;
        d_tasks.pop_back();
        throw;
    }
    return true;
}

//! In a forked process the thread of the parent does not exist.
void background_thread::forget_thread_of_parent()
{
    if (!d_thread.joinable() || d_process == ::getpid())
        return;
    d_thread.detach();
    d_tasks.clear();
    d_running = false;
}

void background_thread::run()
{
    while (true) {
        std::function<void()> task;
        {
            const std::lock_guard<std::mutex> guard(d_mutex);
            if (d_tasks.empty()) {
                d_running = false;
                return;
            }
            task = std::move(d_tasks.front());
            d_tasks.pop_front();
        }
        try {
            task();
        } catch (...) {
            // Tasks report their failures themselves. One that lacks the memory for that
            // must not end the process.
        }
    }
}

} // namespace cldsp
