// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Notes when commands are enqueued and known to have ended.

#include "opencl/host_clock.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <new>

namespace cldsp {

namespace {

// The commands whose times are kept: more than a call has.
constexpr std::uint64_t kept_commands = 2048;

std::uint64_t now()
{
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

bool is_kernel(cl_event event)
{
    cl_command_type type = 0;
    clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, nullptr);
    return type == CL_COMMAND_NDRANGE_KERNEL;
}

} // namespace

void host_clock::enqueued(cl_command_queue queue, cl_event event) noexcept
try {
    const command fresh{ 0, is_kernel(event), { now(), 0 } };
    const std::lock_guard<std::mutex> guard(d_mutex);
    // The handle may be that of an event that was released.
    auto& known = d_commands[event];
    known = fresh;
    known.number = ++d_count;
    d_queues[queue].in_flight.emplace_back(event, known.number);
    if (d_commands.size() > 2 * kept_commands)
        drop_old();
} catch (const std::bad_alloc&) {
    // The command has no time.
}

void host_clock::ended(cl_command_queue queue, cl_event event) noexcept
{
    const auto end = now();
    const std::lock_guard<std::mutex> guard(d_mutex);
    const auto found = d_queues.find(queue);
    const auto asked = d_commands.find(event);
    if (found == d_queues.end() || asked == d_commands.end() ||
        asked->second.time.second != 0)
        return;
    auto& [in_flight, last_end] = found->second;
    const auto first = in_flight.begin();
    const auto last = std::find_if(first, in_flight.end(), [&](const auto& one) {
        return one.second > asked->second.number;
    });
    const auto known = [&](const auto& one) -> command* {
        const auto at = d_commands.find(one.first);
        return at != d_commands.end() && at->second.number == one.second ? &at->second
                                                                         : nullptr;
    };
    const bool has_kernel = std::any_of(first, last, [&](const auto& one) {
        const auto* const its = known(one);
        return its && its->is_kernel;
    });
    bool is_taken = has_kernel; // by a kernel, or by the first of several copies
    for (auto one = first; one != last; ++one) {
        auto* const its = known(*one);
        if (!its)
            continue;
        if (its->is_kernel || !is_taken)
            its->time.first = std::min(end, std::max(its->time.first, last_end));
        else
            its->time.first = end;
        is_taken = is_taken || !its->is_kernel;
        its->time.second = end;
    }
    in_flight.erase(first, last);
    last_end = end;
}

std::optional<command_span> host_clock::span(cl_event event) const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    const auto found = d_commands.find(event);
    if (found == d_commands.end() || found->second.time.second == 0)
        return std::nullopt;
    return found->second.time;
}

void host_clock::forget(cl_command_queue queue) noexcept
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    d_queues.erase(queue);
}

//! Drops all but the last commands. Those in flight are dropped as well: a command that
//! nobody waits for, such as an unmap at the end of a stream, may stay for ever.
void host_clock::drop_old()
{
    const auto is_old = [&](std::uint64_t number) {
        return number + kept_commands <= d_count;
    };
    for (auto one = d_commands.begin(); one != d_commands.end();)
        one = is_old(one->second.number) ? d_commands.erase(one) : std::next(one);
    for (auto& [queue, state] : d_queues)
        while (!state.in_flight.empty() && is_old(state.in_flight.front().second))
            state.in_flight.pop_front();
}

} // namespace cldsp
