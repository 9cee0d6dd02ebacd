// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The matrix product on a device, as a tuner sees it.

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/gemm.h>
#include <cldsp/tuned.h>

#include <memory>
#include <string>

namespace cldsp {

/*!
 * Makes the matrix product on an OpenCL device tunable: the kernel family
 * "gemm_cpu_tile" or "gemm_gpu_tile".
 *
 * The tuner measures whole calls on a CPU device, and the kernels alone on other devices.
 * Errors are those of gemm_error(); of a large product, only some rows of C are compared.
 * An object of gemm reads the tuned values when it is made.
 *
 * \param registry has the options, and the context into whose program cache adopt()
 * builds
 * \param device an OpenCL device
 * \param type the type of the elements of all three matrices
 * \param typical the sizes of a call
 * \param variant "cpu_tile", "gpu_tile", or "auto": the one that suits the kind of device
 * \throws std::invalid_argument for a size of 0, the host, a variant that has nothing to
 *         tune, or "gpu_tile" for complex products on PoCL 6, whose compiler ends the
 *         process at some sizes; opencl_error
 */
std::unique_ptr<device_tunable> make_gemm_tunable(context_registry& registry,
                                                  const device_info& device,
                                                  gemm_type type,
                                                  const gemm_shape& typical,
                                                  const std::string& variant = "auto");

} // namespace cldsp
