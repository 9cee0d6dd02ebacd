/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "opencl/commands.h"

namespace cldsp {

double event_seconds(const cl::Event& event)
{
    const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    // Some drivers tell the end of a zero-length command as before its start.
    return end > start ? static_cast<double>(end - start) * 1e-9 : 0.0;
}

} // namespace cldsp
