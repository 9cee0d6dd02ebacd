// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The clocks that measurements read: of the wall, and of the processor.

#pragma once

#include <time.h>
#include <chrono>

namespace cldsp {

//! Measures the seconds since its construction.
class stopwatch
{
public:
    double seconds() const
    {
        return std::chrono::duration<double>(clock::now() - d_start).count();
    }

private:
    using clock = std::chrono::steady_clock;
    clock::time_point d_start = clock::now();
};

//! The seconds of processor time that the calling thread, or the whole process, has used.
//! \param clock CLOCK_THREAD_CPUTIME_ID or CLOCK_PROCESS_CPUTIME_ID
inline double processor_seconds(clockid_t clock) noexcept
{
    timespec now = {};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace cldsp
