/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/gemm.h>
#include <cldsp/tuned.h>

#include <memory>
#include <string>

namespace cldsp {

/*!
 * The 1-bit product on an OpenCL device: the family "gemm_1bit_cpu_tile" or
 * "gemm_1bit_gpu_tile". Times are those of a whole call on a CPU device, and of the
 * kernels alone on others; the error is the largest difference from the host's
 * correlations, which must be 0. The class gemm_1bit reads the tuned values when it is
 * made.
 *
 * \param typical m items per call, n codes, k bits of each, a multiple of 8
 * \param variant "cpu_tile", "gpu_tile", or "auto": the one for the kind of device
 * \throws std::invalid_argument for a size of 0, a bad number of bits, the host, a
 * variant that has nothing to tune, or codes too long for the device's buffers;
 *         opencl_error
 */
std::unique_ptr<device_tunable>
make_gemm_1bit_tunable(context_registry& registry,
                       const device_info& device,
                       const gemm_shape& typical,
                       const std::string& variant = "auto");

} // namespace cldsp
