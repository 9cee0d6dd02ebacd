/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/context.h>
#include <cldsp/errors.h>
#include <cldsp/wait_strategy.h>

#include <condition_variable>
#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include <sys/prctl.h>

namespace cldsp {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

// What a waiting thread and the event's callback share. The callback may come long after
// the wait has ended, from any thread, so that each side owns it.
struct completion {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;

    void signal()
    {
        {
            const std::lock_guard<std::mutex> guard(mutex);
            done = true;
        }
        changed.notify_one();
    }
    bool wait_for(nanoseconds time)
    {
        std::unique_lock<std::mutex> lock(mutex);
        return changed.wait_for(lock, time, [this] { return done; });
    }
};

using shared_completion = std::shared_ptr<completion>;

void CL_CALLBACK on_complete(cl_event, cl_int, void* data)
{
    const std::unique_ptr<shared_completion> state(static_cast<shared_completion*>(data));
    (*state)->signal();
}

int status_of(const cl::Event& event)
{
    return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
}

// A driver may keep a command to itself until its queue is flushed. A user event has
// none.
void flush_queue_of(const cl::Event& event)
{
    cl_command_queue queue = nullptr;
    if (clGetEventInfo(event(), CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, nullptr) ==
            CL_SUCCESS &&
        queue)
        clFlush(queue);
}

// A driver without callbacks refuses; the sleeps between looks at the status remain.
void ask_for_callback(const cl::Event& event, const shared_completion& state)
{
    auto data = std::make_unique<shared_completion>(state);
    if (clSetEventCallback(event(), CL_COMPLETE, on_complete, data.get()) == CL_SUCCESS)
        data.release(); // the callback's now
}

/*
 * Timers of this thread fire on time while it lives: the system's default may add 50 us
 * to each sleep, more than many kernels take.
 */
class exact_timers
{
public:
    exact_timers() : d_slack(prctl(PR_GET_TIMERSLACK)) { prctl(PR_SET_TIMERSLACK, 1UL); }
    ~exact_timers()
    {
        if (d_slack > 0)
            prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(d_slack));
    }
    exact_timers(const exact_timers&) = delete;
    exact_timers& operator=(const exact_timers&) = delete;

private:
    int d_slack;
};

// An eighth of the time waited so far: a command is noticed at most that much late, and a
// long one wakes the thread rarely.
nanoseconds next_sleep(clock::time_point start, nanoseconds longest)
{
    constexpr nanoseconds shortest(10000);
    const nanoseconds waited = clock::now() - start;
    return std::clamp(waited / 8, shortest, longest);
}

/*
 * On a CPU device the cores are the device's own, and a waiting thread that yields gets
 * out of its workers' way. To wake a sleeping one costs more than a short kernel takes,
 * above all on a virtual machine. Long commands are waited for asleep.
 */
bool yielded_until_done(const cl::Event& event)
{
    constexpr nanoseconds longest(200000);
    const auto start = clock::now();
    while (status_of(event) > CL_COMPLETE) {
        if (clock::now() - start > longest)
            return false;
        std::this_thread::yield();
    }
    return true;
}

} // namespace

wait_strategy::wait_strategy(const device_info& device)
    : d_method(device.is_pocl                          ? method::yields
               : device.platform_name == "NVIDIA CUDA" ? method::sleeps
                                                       : method::callback)
{
}

int wait_strategy::wait(const cl::Event& event,
                        const std::function<bool()>& goes_on) const
{
    try {
        int status = status_of(event);
        if (status <= CL_COMPLETE)
            return status;
        flush_queue_of(event);
        if (d_method == method::yields && yielded_until_done(event))
            return status_of(event);
        const auto state = std::make_shared<completion>();
        if (d_method != method::sleeps)
            ask_for_callback(event, state);
        // PoCL's callbacks come at once, and its workers are left their cores.
        const nanoseconds longest(d_method == method::yields ? 10000000 : 1000000);
        const exact_timers timers;
        const auto start = clock::now();
        while ((status = status_of(event)) > CL_COMPLETE) {
            if (goes_on && !goes_on())
                return status;
            state->wait_for(next_sleep(start, longest));
        }
        return status;
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err());
    }
}

} // namespace cldsp
