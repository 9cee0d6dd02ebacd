// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks the status of commands, gives a device up in time, and drains its queues.

#include "opencl/device_watch.h"

#include "base/forks.h"
#include "opencl/memory_alias.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

namespace cldsp {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

// The time limit is longer by this factor while a driver may still compile kernels.
constexpr double fresh_factor = 6;
// The fraction of the time limit after which the device is given up if its driver refuses
// to report the status of commands.
constexpr double refused_part = 0.1;
// The time limit in seconds that is used in two cases although the option says that waits
// have none: if a driver refuses to report the status, and on a device that is lost.
constexpr double unbounded_timeout = 10;
// A rate below that of the slowest device for which OpenCL is useful.
constexpr double multiply_adds_per_second = 1e8;
// The number of events of a queue that are kept before ended ones are removed.
constexpr std::size_t max_kept_events = 64;

//! The status of the command, or the error code of the query; \p known says which it is.
int status_of(const cl::Event& event, bool& known)
{
    cl_int status = CL_QUEUED;
    const cl_int result = clGetEventInfo(
        event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr);
    known = result == CL_SUCCESS;
    return known ? status : result;
}

cl_command_queue queue_of(const cl::Event& event)
{
    cl_command_queue queue = nullptr;
    return clGetEventInfo(
               event(), CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, nullptr) ==
                   CL_SUCCESS
               ? queue
               : nullptr;
}

//! The name of the OpenCL function that enqueued a command.
const char* call_of(const cl::Event& event)
{
    cl_command_type type = 0;
    clGetEventInfo(event(), CL_EVENT_COMMAND_TYPE, sizeof(type), &type, nullptr);
    switch (type) {
    case CL_COMMAND_NDRANGE_KERNEL:
        return "clEnqueueNDRangeKernel";
    case CL_COMMAND_READ_BUFFER:
        return "clEnqueueReadBuffer";
    case CL_COMMAND_WRITE_BUFFER:
        return "clEnqueueWriteBuffer";
    case CL_COMMAND_COPY_BUFFER:
        return "clEnqueueCopyBuffer";
    case CL_COMMAND_MAP_BUFFER:
        return "clEnqueueMapBuffer";
    case CL_COMMAND_UNMAP_MEM_OBJECT:
        return "clEnqueueUnmapMemObject";
    case CL_COMMAND_MARKER:
        return "clEnqueueMarkerWithWaitList";
    default:
        return "a command";
    }
}

/*!
 * When the driver says that a command has run. NVIDIA's driver may not have these times
 * for a moment, if several threads use the device. Mesa's rusticl gives zeros if the
 * queue has none. The times are only statistics: a refusal is no error.
 *
 * \return nothing if the driver does not have the times within 50 ms
 */
std::optional<command_span> told_span(const cl::Event& event)
{
    constexpr auto patience = std::chrono::milliseconds(50);
    for (const auto start = clock::now();;) {
        cl_ulong begin = 0, end = 0;
        cl_int error = clGetEventProfilingInfo(
            event(), CL_PROFILING_COMMAND_START, sizeof(begin), &begin, nullptr);
        if (error == CL_SUCCESS)
            error = clGetEventProfilingInfo(
                event(), CL_PROFILING_COMMAND_END, sizeof(end), &end, nullptr);
        if (error == CL_SUCCESS && end > 0)
            // Some drivers report the end of a zero-length command as before its start.
            return command_span(begin, std::max(begin, end));
        if (error != CL_PROFILING_INFO_NOT_AVAILABLE || clock::now() - start > patience)
            return std::nullopt;
        std::this_thread::yield();
    }
}

} // namespace

bool has_ended(const cl::Event& event)
{
    bool known = false;
    const int status = status_of(event, known);
    return known && status <= CL_COMPLETE;
}

bool is_in_flight(const cl::Event& event)
{
    bool known = false;
    const int status = status_of(event, known);
    return known && status > CL_COMPLETE;
}

/*!
 * Measures how long a thread has waited, and compares it with the time limit. The time
 * between two looks at the status counts as a quarter of a second at most. Therefore a
 * process that was stopped, or a machine that slept, does not lose its devices.
 */
class device_watch::patience
{
public:
    explicit patience(device_watch& watch) : d_watch(watch) {}

    //! Whether the wait may continue.
    //! \param told true if the driver reports the status of its commands
    bool goes_on(cl_command_queue queue, bool told = true)
    {
        constexpr nanoseconds longest_look(250000000);
        const auto now = clock::now();
        const int progress = d_watch.progress_of(queue);
        if (d_begun)
            d_waited += std::min<nanoseconds>(now - d_last, longest_look);
        if (!d_begun || progress != d_progress)
            d_waited = nanoseconds(0);
        d_begun = true;
        d_last = now;
        d_progress = progress;
        const double timeout = d_watch.d_timeout;
        if (timeout <= 0 && told && !d_watch.is_lost())
            return true;
        return seconds() < (told ? 1 : refused_part) * limit(queue, timeout);
    }
    double seconds() const { return std::chrono::duration<double>(d_waited).count(); }

private:
    double limit(cl_command_queue queue, double timeout) const
    {
        if (timeout <= 0)
            timeout = unbounded_timeout;
        const double expected = 1e-9 * static_cast<double>(d_watch.d_expected.load());
        return timeout * (d_watch.is_fresh(queue) ? fresh_factor : 1) + expected;
    }

    device_watch& d_watch;
    bool d_begun = false;
    clock::time_point d_last;
    int d_progress = 0;
    nanoseconds d_waited{ 0 };
};

device_watch::device_watch(const device_info& device,
                           const context_options& options,
                           const cl::Context& context)
    : d_name(device.name),
      d_timeout(options.device_timeout),
      d_compiles_late(device.is_pocl),
      d_log(options.log),
      d_context(context()),
      d_wait(device),
      d_has_host_clock(!device.limits.profiling)
{
}

void device_watch::forget(cl_command_queue queue)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    d_queues.erase(queue);
    d_clock.forget(queue);
}

void device_watch::add(memory_alias& alias)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    d_aliases.push_back(&alias);
    if (d_lost)
        alias.part();
}

void device_watch::remove(memory_alias& alias)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    d_aliases.erase(std::remove(d_aliases.begin(), d_aliases.end(), &alias),
                    d_aliases.end());
}

void device_watch::enqueued(cl_command_queue queue, const cl::Event& event)
{
    if (d_has_host_clock)
        d_clock.enqueued(queue, event());
    const std::lock_guard<std::mutex> guard(d_mutex);
    auto& state = d_queues[queue];
    if (state.events.size() >= max_kept_events)
        collect(state);
    state.events.push_back(event);
}

//! Removes the commands that have ended, and keeps the status of the first that failed.
void device_watch::collect(queue_state& state)
{
    // The queue is in order: all commands behind the first one in flight are in flight
    // too.
    while (!state.events.empty()) {
        bool known = false;
        const int status =
            status_of(state.events.front(), known); // a refused query counts as a failure
        if (status < 0 && !state.failure)
            state.failure = status;
        if (!known || status > CL_COMPLETE)
            break;
        state.events.pop_front();
    }
}

// The events are queried in their container, without copies: a copy retains the event,
// and a driver may refuse that just when a drain depends on it.

//! Whether the commands of the queue have ended. \p known becomes false if the driver
//! refuses to report it.
bool device_watch::all_ended(cl_command_queue queue, bool& known) const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    const auto found = d_queues.find(queue);
    if (found == d_queues.end())
        return true;
    bool ended = true;
    for (const auto& event : found->second.events) {
        bool told = false;
        const int status = status_of(event, told);
        known = known && told;
        ended = ended && told && status <= CL_COMPLETE;
    }
    return ended;
}

//! A number that changes when a command of the queue begins or ends.
int device_watch::progress_of(cl_command_queue queue) const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    const auto found = d_queues.find(queue);
    if (found == d_queues.end())
        return 0;
    int progress = 0;
    for (const auto& event : found->second.events) {
        bool known = false;
        const int status = status_of(event, known);
        if (known)
            progress += CL_QUEUED - std::max(status, CL_COMPLETE);
    }
    return progress;
}

bool device_watch::is_fresh(cl_command_queue queue) const
{
    if (d_compiles_late)
        return true;
    const std::lock_guard<std::mutex> guard(d_mutex);
    const auto found = d_queues.find(queue);
    return found == d_queues.end() || found->second.programs != d_programs;
}

std::size_t device_watch::in_flight() const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    std::size_t count = 0;
    for (const auto& [queue, state] : d_queues)
        count += std::count_if(state.events.begin(),
                               state.events.end(),
                               [](const auto& event) { return !has_ended(event); });
    return count;
}

//! Whether a command of the queue may be in flight.
bool device_watch::is_busy(cl_command_queue queue)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    const auto found = d_queues.find(queue);
    if (found == d_queues.end())
        return false;
    collect(found->second);
    return !found->second.events.empty();
}

int device_watch::wait(const cl::Event& event)
{
    check_usable();
    patience left(*this);
    cl_command_queue queue = nullptr;
    const int status = d_wait.wait(event, [&] {
        if (!queue)
            queue = queue_of(event);
        return !is_lost() && left.goes_on(queue);
    });
    if (status > CL_COMPLETE) {
        // If the device was lost through another queue, drain() waits for the commands of
        // this one.
        if (!d_lost) {
            give_up(queue);
            lose(call_of(event), left.seconds());
        }
        check_usable();
    } else if (d_has_host_clock) {
        d_clock.ended(queue ? queue : queue_of(event), event());
    }
    return status;
}

command_span device_watch::span_of(const cl::Event& event)
{
    if (d_has_host_clock) {
        auto known = d_clock.span(event());
        if (!known) { // nobody has waited for it
            d_clock.ended(queue_of(event), event());
            known = d_clock.span(event());
        }
        return known.value_or(command_span());
    }
    constexpr int enough = 3;
    if (const auto told = told_span(event)) {
        d_times_missed = 0;
        return *told;
    }
    if (++d_times_missed == enough)
        use_host_clock("its driver has no times");
    return {};
}

void device_watch::use_host_clock(const std::string& why)
{
    if (!d_has_host_clock.exchange(true))
        log_to(d_log,
               log_level::debug,
               "the host's clock times the commands of '" + d_name + "': " + why);
}

void device_watch::finish(const cl::CommandQueue& queue)
{
    cl::Event marker;
    queue.enqueueMarkerWithWaitList(nullptr, &marker);
    enqueued(queue(), marker);
    const int status = wait(marker);
    check(queue);
    if (status < 0)
        throw_failed(status);
}

void device_watch::check(const cl::CommandQueue& queue)
{
    int failure = 0;
    bool parted = false;
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        auto& state = d_queues[queue()];
        collect(state);
        failure = std::exchange(state.failure, 0);
        if (!failure)
            state.programs = d_programs;
        // If the device is lost, commands that succeeded may have written to the private
        // memory that lose() puts in place of the aliases, under this mutex.
        parted = d_lost;
    }
    if (failure)
        throw_failed(failure);
    if (parted)
        check_usable();
}

/*!
 * Waits until the commands of the queue have ended. It does not call clFinish(), which
 * has no time limit, and which a driver may refuse while commands go on. Instead it reads
 * the status of each command, and of a marker behind those whose events are unknown.
 */
bool device_watch::ended_in_time(const cl::CommandQueue& queue)
{
    constexpr auto shortest = std::chrono::microseconds(20);
    constexpr auto longest = std::chrono::milliseconds(5);
    patience left(*this);
    cl::Event marker;
    nanoseconds pause = shortest;
    for (;;) {
        cl_event enqueued_marker = nullptr;
        if (!marker() && clEnqueueMarkerWithWaitList(
                             queue(), 0, nullptr, &enqueued_marker) == CL_SUCCESS)
            marker = cl::Event(enqueued_marker);
        clFlush(queue());
        bool known = marker() != nullptr;
        bool ended = all_ended(queue(), known) && marker();
        if (marker()) {
            bool told = false;
            const int status = status_of(marker, told);
            known = known && told;
            ended = ended && told && status <= CL_COMPLETE;
        }
        if (ended)
            return true;
        if (!left.goes_on(queue(), known))
            return false;
        std::this_thread::sleep_for(pause);
        pause = std::min<nanoseconds>(2 * pause, longest);
    }
}

//! Records that a wait for the queue has exceeded its limit: nobody waits for it again.
void device_watch::give_up(cl_command_queue queue) noexcept
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    const auto found = d_queues.find(queue);
    if (found != d_queues.end())
        found->second.given_up = true;
}

bool device_watch::is_given_up(cl_command_queue queue) const noexcept
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    const auto found = d_queues.find(queue);
    return found != d_queues.end() && found->second.given_up;
}

// This also waits if the device was lost through another queue: the commands of this
// queue may still write to memory that the caller uses next.
void device_watch::drain(const cl::CommandQueue& queue) noexcept
{
    try {
        if (is_forked() || !queue() || is_given_up(queue()))
            return;
        if (!ended_in_time(queue)) {
            give_up(queue());
            lose("what it was given before a failure has not ended, as far as the driver "
                 "tells");
            return;
        }
        const std::lock_guard<std::mutex> guard(d_mutex);
        const auto found = d_queues.find(queue());
        if (found != d_queues.end()) {
            found->second.events.clear();
            found->second.failure = 0;
        }
    } catch (...) {
        lose("its commands could not be waited for");
    }
}

bool device_watch::is_lost() const noexcept { return d_lost || is_forked(); }

bool device_watch::is_lost_after(const cl::CommandQueue& queue) noexcept
{
    if (!is_lost() && is_busy(queue()))
        drain(queue);
    return is_lost();
}

void device_watch::throw_failed(int status) const
{
    throw opencl_error("the execution of a command", status, d_name);
}

void device_watch::check_usable() const
{
    constexpr const char* what = "a device that is lost";
    // This comes before the lock, which another thread of the parent may have held.
    if (is_forked())
        throw opencl_error(what,
                           CL_DEVICE_NOT_AVAILABLE,
                           d_name,
                           "this process was forked from one that had used it");
    if (!d_lost)
        return;
    const std::lock_guard<std::mutex> guard(d_mutex);
    throw opencl_error(what, CL_DEVICE_NOT_AVAILABLE, d_name, d_reason);
}

void device_watch::lose(const char* call, double seconds) noexcept
{
    std::array<char, 32> number{};
    std::to_chars(number.data(),
                  number.data() + number.size() - 1,
                  seconds,
                  std::chars_format::general,
                  6);
    std::array<char, 128> why{};
    std::snprintf(
        why.data(), why.size(), "%s: nothing has ended for %s s", call, number.data());
    lose(why.data());
}

//! The context and the queues of a lost device are kept, because commands may still run
//! there. There may be little memory: only the texts need some.
void device_watch::lose(const char* why) noexcept
{
    bool parted = true;
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        if (d_lost)
            return;
        d_lost = true;
        for (auto* const alias : d_aliases)
            parted = alias->part() && parted;
        clRetainContext(d_context);
        try {
            d_reason = why;
        } catch (...) {
            d_reason.clear();
        }
    }
    try {
        log_to(d_log,
               log_level::error,
               "device '" + d_name + "' is lost until the process ends: " + why);
        if (!parted)
            log_to(d_log,
                   log_level::error,
                   "the system refuses memory: late commands of device '" + d_name +
                       "' may write into streams");
    } catch (...) {
        // Without the log message, the next use of the device still reports the loss.
    }
}

expected_work::expected_work(std::shared_ptr<device_watch> watch, double multiply_adds)
    : d_watch(std::move(watch)),
      // The bound of 1e6 s keeps the sum of all expected times from overflowing.
      d_time(static_cast<std::int64_t>(
          1e9 * std::clamp(multiply_adds / multiply_adds_per_second, 0.0, 1e6)))
{
    d_watch->expect(d_time);
}

device_queue::device_queue(const cl::CommandQueue& queue,
                           std::shared_ptr<device_watch> watch)
    : cl::CommandQueue(queue), d_watch(std::move(watch))
{
    d_watch->forget((*this)());
}

device_queue::~device_queue()
{
    if (!d_watch || !(*this)())
        return;
    // When a queue or its context is released, a driver may wait for commands in flight,
    // without a time limit. Such commands may exist: the engine does not wait for the
    // last command of a call if it only unmaps.
    if (d_watch->is_lost_after(*this))
        (*this)() = nullptr;
    else
        d_watch->forget((*this)());
}

} // namespace cldsp
