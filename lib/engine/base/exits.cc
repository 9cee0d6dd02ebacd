// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Keeps the engine's action in front of what drivers do at exit.

#include "base/exits.h"

#include <atomic>
#include <cstdlib>

#if defined(__linux__)
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread.h>
#endif

namespace cldsp {

namespace {

std::atomic<exit_action> the_action{ nullptr };
std::atomic<unsigned long long> libraries_at_last{ 0 };

void act(std::optional<int> status)
{
    if (const exit_action action = the_action)
        action(status);
}

void register_action() noexcept
{
#ifdef __GLIBC__
    ::on_exit([](int status, void*) { act(status); }, nullptr);
#else
    std::atexit([] { act(std::nullopt); });
#endif
}

//! How many libraries this process has loaded so far, or a constant if nobody knows.
unsigned long long libraries_so_far() noexcept
{
    unsigned long long count = 1;
#ifdef __linux__
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            *static_cast<unsigned long long*>(result) = info->dlpi_adds;
            return 1;
        },
        &count);
#endif
    return count;
}

bool is_main_thread() noexcept
{
#if defined(__linux__)
    return ::syscall(SYS_gettid) == ::getpid();
#elif defined(__APPLE__)
    return ::pthread_main_np() != 0;
#else
    return false;
#endif
}

//! Only the main thread has one: the end of any other thread would look like an exit.
struct first_at_exit {
    ~first_at_exit()
    {
        if (is_needed)
            act(std::nullopt);
    }
    bool is_needed = false;
};
thread_local first_at_exit of_this_thread;

// The main thread loads the engine, in general. Otherwise, the second way has to do.
const bool is_prepared = [] {
    if (is_main_thread())
        of_this_thread.is_needed = true;
    return true;
}();

} // namespace

void act_at_exit(exit_action action)
{
    (void)is_prepared;
    the_action = action;
    if (action)
        register_action();
}

void libraries_were_loaded() noexcept
{
    const auto now = libraries_so_far();
    if (libraries_at_last.exchange(now) != now && the_action.load())
        register_action();
}

} // namespace cldsp
