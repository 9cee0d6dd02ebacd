// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Notes in the child that a fork has happened, and delays a fork.

#include "base/forks.h"

#include <condition_variable>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>

#include <pthread.h>

namespace cldsp {

namespace {

std::atomic<bool> forked{ false };
std::atomic<unsigned> number_of_process{ 0 };

//! Whether threads may fork, and how many of them may not.
struct gate {
    std::mutex mutex;
    std::condition_variable changed;
    unsigned inside = 0;
    bool is_closed = false; // a thread waits to fork
};

// The gate is never destroyed, because threads may outlive static objects.
alignas(gate) unsigned char memory_of_the_gate[sizeof(gate)];
gate& the_gate() { return *std::launder(reinterpret_cast<gate*>(memory_of_the_gate)); }

// Of the calling thread.
thread_local unsigned delays = 0;

// A lock that is held for longer is held in a driver or a file system. The child gets on
// without it in most cases, and a program that forks must not wait for ever.
constexpr std::chrono::seconds max_delay(3);

void close_gate()
{
    gate& all = the_gate();
    std::unique_lock<std::mutex> lock(all.mutex);
    all.is_closed = true;
    // The thread that forks may be a driver's caller that starts a linker, and be inside.
    const unsigned own = delays > 0 ? 1 : 0;
    all.changed.wait_for(lock, max_delay, [&] { return all.inside <= own; });
    lock.release(); // until after the fork
}

void open_gate()
{
    gate& all = the_gate();
    all.is_closed = false;
    all.mutex.unlock();
    all.changed.notify_all();
}

//! The threads that were inside, or waited, do not exist in a child.
void make_gate_of_child()
{
    gate* const fresh = new (memory_of_the_gate) gate;
    fresh->inside = delays > 0 ? 1 : 0;
    ++number_of_process;
}

void make_gate()
{
    static const int registered = [] {
        new (memory_of_the_gate) gate;
        return pthread_atfork(close_gate, open_gate, make_gate_of_child);
    }();
    if (registered != 0)
        throw std::bad_alloc();
}

} // namespace

unsigned process_number()
{
    make_gate();
    return number_of_process;
}

fork_delay::fork_delay()
{
    make_gate();
    if (delays == 0) {
        gate& all = the_gate();
        std::unique_lock<std::mutex> lock(all.mutex);
        all.changed.wait(lock, [&] { return !all.is_closed; });
        ++all.inside;
    }
    ++delays;
}

fork_delay::~fork_delay()
{
    if (--delays > 0)
        return;
    gate& all = the_gate();
    const std::lock_guard<std::mutex> lock(all.mutex);
    --all.inside;
    all.changed.notify_all();
}

void watch_forks()
{
    static const int registered = pthread_atfork(nullptr, nullptr, [] { forked = true; });
    if (registered != 0)
        throw std::bad_alloc();
}

bool is_forked() noexcept { return forked; }

} // namespace cldsp
