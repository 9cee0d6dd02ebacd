/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstdint>

namespace cldsp {

//! Average times per call so far, in seconds.
struct run_statistics {
    std::uint64_t calls = 0;
    std::uint64_t outputs = 0;
    double kernel_time = 0; //!< a call's kernels, by profiling events; host: its compute
    double transfer_time = 0; //!< a call's copies and maps; 0 on the host
};

} // namespace cldsp
