// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The 1-bit product on a device, as a tuner sees it.

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/gemm.h>
#include <cldsp/tuned.h>

#include <memory>
#include <string>

namespace cldsp {

/*!
 * Makes the 1-bit product on an OpenCL device tunable: the kernel family
 * "gemm_1bit_cpu_tile" or "gemm_1bit_gpu_tile".
 *
 * The tuner measures whole calls on a CPU device, and the kernels alone on other devices.
 * The error is the largest difference from the host's correlations, and must be 0. An
 * object of gemm_1bit reads the tuned values when it is made.
 *
 * \param registry has the options, and the context into whose program cache adopt()
 * builds
 * \param device an OpenCL device
 * \param typical the sizes of a call: m items, n codes, and k bits in each, a multiple
 *         of 8
 * \param variant "cpu_tile", "gpu_tile", or "auto": the one that suits the kind of device
 * \throws std::invalid_argument for a size of 0, a bad number of bits, the host, a
 *         variant that has nothing to tune, or codes too long for the device's buffers;
 *         opencl_error
 */
std::unique_ptr<device_tunable>
make_gemm_1bit_tunable(context_registry& registry,
                       const device_info& device,
                       const gemm_shape& typical,
                       const std::string& variant = "auto");

} // namespace cldsp
