// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Counts involuntary switches, and the processor time of idle threads.

#include "planning/interruptions.h"

#include "base/engine_threads.h"
#include "base/stopwatch.h"

#include <algorithm>
#include <chrono>

#include <sys/resource.h>

namespace cldsp {

namespace {

long switches_of_this_thread() noexcept
{
#ifdef RUSAGE_THREAD
    rusage used = {};
    if (::getrusage(RUSAGE_THREAD, &used) == 0)
        return used.ru_nivcsw;
#endif
    return 0;
}

double steady_seconds() noexcept
{
    using clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

//! Of the calling thread, and of what it leaves to its normal thread.
double own_seconds() noexcept
{
    return processor_seconds(CLOCK_THREAD_CPUTIME_ID) + seconds_at_normal_priority();
}

//! The clock of an idle thread, which goes on from the last look by the larger of two
//! times.
struct idle_clock {
    double steady = steady_seconds();
    double processor = own_seconds();
    double now = 0;

    double look() noexcept
    {
        constexpr double least_speed = 1.0 / 16;
        const double its = steady_seconds(), own = own_seconds();
        now += std::max(own - processor, least_speed * (its - steady));
        steady = its;
        processor = own;
        return now;
    }
};

} // namespace

interruptions::interruptions() noexcept : d_before(switches_of_this_thread()) {}

bool interruptions::any() const noexcept { return switches_of_this_thread() != d_before; }

starvation::starvation() noexcept : d_steady(steady_seconds()), d_processor(own_seconds())
{
}

bool starvation::is_there() noexcept
{
    constexpr double look_seconds = 1, least_share = 0.1;
    if (!is_idle_thread())
        return false;
    const double steady = steady_seconds(), processor = own_seconds();
    if (steady - d_steady < look_seconds)
        return false;
    if (processor - d_processor < least_share * (steady - d_steady))
        return true;
    d_steady = steady;
    d_processor = processor;
    return false;
}

double planning_clock() noexcept
{
    if (!is_idle_thread())
        return steady_seconds();
    static thread_local idle_clock clock;
    return clock.look();
}

} // namespace cldsp
