/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/device.h>
#include <cldsp/device_limits.h>

#include <cstddef>
#include <string>

namespace cldsp {

//! NVIDIA's compute capability of a device, ten times the major plus the minor number (90
//! for 9.0); 0 for a device that reports none.
int compute_capability(const device_info& device);

//! The first compute capability whose matrix units multiply words of tf32, and bits by a
//! logical and.
constexpr int min_tensor_capability = 80;

//! The work-items of a work-group of the kernel, in four warps of 32.
constexpr std::size_t tensor_group_items = 128;

//! Whether it makes sense to build a kernel for matrix units with tiles that take about
//! 96 KB of local memory. NVIDIA's OpenCL reports 48 KB, and builds kernels with as much
//! as the GPU has: 99 KB or more from compute capability 8.0 on. If the limits were
//! lowered, these are kept. \param limits the limits of the device's context \param items
//! the work-items of a group
inline bool may_use_large_tiles(const device_limits& limits, std::size_t items)
{
    return limits.local_memory >= 48 * 1024 && limits.max_work_group_size >= items &&
           limits.max_work_item_sizes[0] >= items;
}

//! How kernels/gemm_tensor.cl multiplies: with NVIDIA's matrix units, or, for tests, with
//! OpenCL C that computes the same on any device.
enum class tensor_mode { native, emulated };

//! The reason why a device has no matrix units that the kernel can use; empty if it has
//! some.
std::string missing_tensor_reason(const device_info& device);
//! The same reason, for a device of this name, compute capability and limits.
std::string missing_tensor_reason(const std::string& name,
                                  int capability,
                                  const device_limits& limits);

} // namespace cldsp
