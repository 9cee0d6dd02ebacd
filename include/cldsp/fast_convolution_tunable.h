// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Fast convolution on a device, as a tuner sees it.

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
 * Makes fast convolution on an OpenCL device tunable: the kernel family
 * "fast_convolution_vkfft" or "fast_convolution_fused_fold", whose most important
 * parameter is the block size.
 *
 * The tuner measures whole calls on a CPU device, and the kernels alone on other devices.
 * Errors are in dB relative to the peak of the outputs. Filters and banks read the tuned
 * values when they are made; a bank uses the values of one filter with its longest taps.
 *
 * \param registry has the options, and the context into whose program cache adopt()
 * builds
 * \param device an OpenCL device
 * \param problem the filter that is tuned
 * \param typical_items input items of a call, 1 or more
 * \param accuracy see freq_xlating_filter_bank_options
 * \param variant "vkfft" or "fused_fold"
 * \throws std::invalid_argument for a bad problem, accuracy or variant, for the host, if
 * the engine was built without VkFFT, or if the taps are too long for the device;
 * opencl_error
 */
std::unique_ptr<device_tunable>
make_fast_convolution_tunable(context_registry& registry,
                              const device_info& device,
                              const freq_xlating_fir_problem& problem,
                              std::size_t typical_items,
                              double accuracy = 1e-5,
                              const std::string& variant = "vkfft");

/*!
 * Whether a filter or a bank with these options may run a variant of fast convolution
 * through OpenCL on \p device, which is not the host. On a CPU device the options must
 * ask for it by name: there it takes seconds to compile, and is slower than fast
 * convolution on the host.
 */
bool may_run_fast_convolution(const freq_xlating_filter_bank_options& options,
                              const device_info& device,
                              const std::string& variant = "vkfft");

//! Whether the variant has a block that is long enough for the problem on \p device,
//! which has the limits of its context.
bool takes_fast_convolution(const freq_xlating_fir_problem& problem,
                            const device_info& device,
                            const std::string& variant);

} // namespace cldsp
