// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The direct filter on a device, as a tuner sees it.

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/filter_problem.h>
#include <cldsp/tuned.h>

#include <cstddef>
#include <memory>
#include <string>

namespace cldsp {

/*!
 * Makes the direct frequency-xlating FIR filter on an OpenCL device tunable: the kernel
 * family "fir_cpu_tile" or "fir_gpu_tile".
 *
 * The tuner measures whole calls on a CPU device, and the kernel alone on other devices.
 * Errors are in dB relative to the peak of the outputs. The filter reads the tuned values
 * when it is made.
 *
 * \param registry has the options, and the context into whose program cache adopt()
 * builds
 * \param device an OpenCL device
 * \param problem the filter that is tuned
 * \param typical_items input items of a call, 1 or more
 * \param variant "cpu_tile", "gpu_tile", or "auto": the one that suits the kind of device
 * \throws std::invalid_argument for a bad problem or variant, or the host; opencl_error
 */
std::unique_ptr<device_tunable> make_fir_tunable(context_registry& registry,
                                                 const device_info& device,
                                                 const freq_xlating_fir_problem& problem,
                                                 std::size_t typical_items,
                                                 const std::string& variant = "auto");

} // namespace cldsp
