// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lowers a thread's priority, and lets a normal thread work for it.

#include "base/engine_threads.h"
#include "base/stopwatch.h"

#include <condition_variable>
#include <system_error>
#include <exception>
#include <mutex>
#include <thread>

#include <pthread.h>
#ifdef __linux__
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace cldsp {

namespace {

//! What an idle thread leaves to its normal thread, one action at a time.
class errands
{
public:
    //! Called by the idle thread.
    void leave(const std::function<void()>& action)
    {
        std::unique_lock<std::mutex> lock(d_mutex);
        d_action = &action;
        d_changed.notify_all();
        d_changed.wait(lock, [this] { return !d_action; });
        if (const auto error = std::exchange(d_error, nullptr)) {
            lock.unlock();
            std::rethrow_exception(error);
        }
    }
    //! Called by the idle thread, which leaves nothing after this.
    void end()
    {
        const std::lock_guard<std::mutex> lock(d_mutex);
        d_over = true;
        d_changed.notify_all();
    }
    //! Runs the actions until end(). Called by the normal thread.
    void run()
    {
        std::unique_lock<std::mutex> lock(d_mutex);
        while (true) {
            d_changed.wait(lock, [this] { return d_over || d_action; });
            if (!d_action)
                return;
            lock.unlock();
            const double start = processor_seconds(CLOCK_THREAD_CPUTIME_ID);
            std::exception_ptr error;
            try {
                (*d_action)();
            } catch (...) {
                error = std::current_exception();
            }
            const double took = processor_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
            lock.lock();
            d_error = error;
            d_seconds += took;
            d_action = nullptr;
            d_changed.notify_all();
        }
    }
    //! Called by the idle thread.
    double seconds() const { return d_seconds; }

    std::shared_ptr<void> belongings; // of the idle thread

private:
    std::mutex d_mutex;
    std::condition_variable d_changed;
    const std::function<void()>* d_action = nullptr;
    std::exception_ptr d_error;
    double d_seconds = 0;
    bool d_over = false;
};

// Those of the calling thread, if it is idle.
thread_local errands* own_errands = nullptr;

void become_idle() noexcept
{
#ifdef __linux__
    const sched_param none = {};
    constexpr int lowest = 19;
    // On Linux both are properties of a thread.
    if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0)
        ::setpriority(PRIO_PROCESS, 0, lowest);
#endif
}

} // namespace

signals_blocked::signals_blocked()
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &d_before);
}

signals_blocked::~signals_blocked() { pthread_sigmask(SIG_SETMASK, &d_before, nullptr); }

void name_this_thread(const char* name)
{
#if defined(__linux__)
    pthread_setname_np(pthread_self(), name);
#elif defined(__APPLE__)
    pthread_setname_np(name);
#else
    (void)name;
#endif
}

void forget_inherited_scheduling() noexcept
{
#ifdef __linux__
    const int policy = ::sched_getscheduler(0);
    if (policy != -1 && policy != SCHED_OTHER && policy != SCHED_BATCH &&
        policy != SCHED_IDLE) {
        const sched_param none = {};
        ::sched_setscheduler(0, SCHED_OTHER, &none);
    }
    if (::getpriority(PRIO_PROCESS, 0) < 0)
        ::setpriority(PRIO_PROCESS, 0, 0);
    cpu_set_t processors;
    CPU_ZERO(&processors);
    if (::sched_getaffinity(::getpid(), sizeof(processors), &processors) == 0)
        ::sched_setaffinity(0, sizeof(processors), &processors);
#endif
}

void run_idle(const std::function<void()>& action)
{
    errands left;
    std::exception_ptr error;
    std::thread idle;
    try {
        const signals_blocked blocked;
        idle = std::thread([&] {
            name_this_thread("cldsp-planning");
            become_idle();
            own_errands = &left;
            try {
                action();
            } catch (...) {
                error = std::current_exception();
            }
            own_errands = nullptr;
            left.end();
        });
    } catch (const std::exception&) {
        // There is no thread, or no memory for one.
    }
    if (!idle.joinable()) {
        action();
        return;
    }
    left.run();
    idle.join();
    if (error)
        std::rethrow_exception(error);
}

bool is_idle_thread() noexcept { return own_errands != nullptr; }

double seconds_at_normal_priority() noexcept
{
    return own_errands ? own_errands->seconds() : 0;
}

std::shared_ptr<void>& belongings_of_idle_thread() noexcept
{
    return own_errands->belongings;
}

void leave_to_normal_thread(const std::function<void()>& action)
{
    own_errands->leave(action);
}

} // namespace cldsp
