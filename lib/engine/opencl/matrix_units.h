/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/device.h>

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
