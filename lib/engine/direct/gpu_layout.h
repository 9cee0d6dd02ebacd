// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// How the direct kernel for GPUs shares outputs and taps among work-items.

#pragma once

#include "filter/filter_executor.h"

#include <cldsp/device_limits.h>

#include <cstddef>

namespace cldsp {

//! How the kernel for GPUs shares a problem among work-items, see the head of
//! kernels/freq_xlating_fir_gpu.cl.
struct gpu_layout {
    //! 1: the work-items of a group add up their sums; 0: each has outputs of its own.
    std::size_t sums_in_group;
    std::size_t group;   //!< work-items of a group; a power of two if sums_in_group
    std::size_t outputs; //!< outputs of a work-item, or of a group if sums_in_group
    std::size_t chunk;   //!< taps of one sum, and taps in local memory at a time

    //! The number of outputs of a group.
    std::size_t group_outputs() const { return outputs * (sums_in_group ? 1 : group); }
    //! The bytes of local memory that a group needs.
    std::size_t local_bytes() const;
};

//! The layout for a device and a problem for which nothing was tuned.
gpu_layout suggested_gpu_layout(const filter_channel& setup, const device_limits& limits);

} // namespace cldsp
