// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Waits for an event by its callback and by reading its status, with no core kept busy.

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

// The state that a waiting thread and the callback of the event share. Both own it,
// because the callback may come long after the wait has ended, from any thread.
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

// Flushes the queue of an event, because a driver may hold a command back until then. A
// user event has no queue.
void flush_queue_of(const cl::Event& event)
{
    cl_command_queue queue = nullptr;
    if (clGetEventInfo(event(), CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, nullptr) ==
            CL_SUCCESS &&
        queue)
        clFlush(queue);
}

// Registers the callback. A driver without callbacks refuses; then the waiting thread
// only looks at the status between its sleeps.
void ask_for_callback(const cl::Event& event, const shared_completion& state)
{
    auto data = std::make_unique<shared_completion>(state);
    if (clSetEventCallback(event(), CL_COMPLETE, on_complete, data.get()) == CL_SUCCESS)
        data.release(); // the callback owns it now
}

/*
 * While an object of this class exists, the timers of its thread fire on time. By default
 * the system may add 50 us to each sleep, which is longer than many kernels take.
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

// The next sleep takes an eighth of the time waited so far. The end of a command is thus
// noticed at most that much too late, and a long command wakes the thread rarely.
nanoseconds next_sleep(clock::time_point start, nanoseconds longest)
{
    constexpr nanoseconds shortest(10000);
    const nanoseconds waited = clock::now() - start;
    return std::clamp(waited / 8, shortest, longest);
}

/*
 * Waits for a short command by yielding. On a CPU device the kernels run on the same
 * cores, and a waiting thread that yields does not hinder them. Waking a sleeping thread
 * takes longer than a short kernel, above all on a virtual machine. For long commands the
 * thread sleeps.
 *
 * \return whether the command has ended within 200 us
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
        // PoCL's callbacks come at once. Longer sleeps leave the cores to its threads.
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
