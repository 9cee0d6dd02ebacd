/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/filter_executor.h"

#include <cldsp/device_limits.h>

#include <cstddef>

namespace cldsp {

//! How the kernel for GPUs shares a problem among work-items, see the kernel's head.
struct gpu_layout {
    bool sums_in_group;  //!< a group adds up its items' sums; else each has its outputs
    std::size_t group;   //!< work-items; a power of two where they share sums
    std::size_t outputs; //!< of an item, or of a group that shares sums
    std::size_t chunk;   //!< taps of one sum, and in local memory

    //! Outputs of a group.
    std::size_t group_outputs() const { return outputs * (sums_in_group ? 1 : group); }
    //! Bytes of local memory.
    std::size_t local_bytes() const;
};

//! For a device and a problem of which nothing more is known.
gpu_layout suggested_gpu_layout(const filter_channel& setup, const device_limits& limits);

} // namespace cldsp
