// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The number of calls and outputs so far, and their average times.

#pragma once

#include <cstdint>

namespace cldsp {

//! The number of calls and outputs so far, and the average times per call in seconds.
struct run_statistics {
    std::uint64_t calls = 0;
    std::uint64_t outputs = 0;
    //! The time of the kernels, from profiling events; on the host, the computing time.
    //! Where the driver has no times, those of commands from the host's clock, which does
    //! not tell the copies of a round from its kernels: it all counts as kernel time.
    double kernel_time = 0;
    double transfer_time = 0; //!< the time of copies and maps; 0 on the host
};

} // namespace cldsp
