/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "opencl/commands.h"

#include <chrono>
#include <thread>

namespace cldsp {

namespace {

/*!
 * Calls \p query, which reads the times of a command that has ended, until it succeeds.
 * NVIDIA's driver may not have these times for a moment, if several threads use the
 * device.
 *
 * \return whether the times were available within 50 ms
 */
template <class Query>
bool await_times(const Query& query)
{
    using clock = std::chrono::steady_clock;
    constexpr auto patience = std::chrono::milliseconds(50);
    for (const auto start = clock::now();;) {
        try {
            query();
            return true;
        } catch (const cl::Error& e) {
            if (e.err() != CL_PROFILING_INFO_NOT_AVAILABLE)
                throw;
            if (clock::now() - start > patience)
                return false;
        }
        std::this_thread::yield();
    }
}

} // namespace

double event_seconds(const cl::Event& event)
{
    cl_ulong start = 0, end = 0;
    // The times are only statistics: missing ones are no error.
    const bool known = await_times([&] {
        start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
        end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    });
    // Some drivers report the end of a zero-length command as before its start.
    return known && end > start ? static_cast<double>(end - start) * 1e-9 : 0.0;
}

} // namespace cldsp
