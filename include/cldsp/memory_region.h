// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A piece of host memory in which the data of calls lie.

#pragma once

#include <cstddef>

namespace cldsp {

//! A piece of host memory, such as a stream buffer, that contains the data of calls.
struct memory_region {
    const void* base = nullptr;
    std::size_t bytes = 0;
};

} // namespace cldsp
