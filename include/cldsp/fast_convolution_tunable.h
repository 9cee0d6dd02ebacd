/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/filter_problem.h>
#include <cldsp/tuned.h>

#include <cstddef>
#include <memory>

namespace cldsp {

/*!
 * Fast convolution through OpenCL: the family "fast_convolution_vkfft", whose most
 * important parameter is the block size. Times are those of a whole call on a CPU device,
 * and of the kernels alone on others; errors are in dB of the outputs' peak. Filters and
 * banks read the tuned values when they are made; a bank uses those of one filter with
 * its longest taps.
 *
 * \param typical_items input items of a call, 1 or more
 * \param accuracy see freq_xlating_fir_options
 * \throws std::invalid_argument for a bad problem or accuracy, the host, an engine
 * without VkFFT, or taps too long for the device; opencl_error
 */
std::unique_ptr<device_tunable>
make_fast_convolution_tunable(context_registry& registry,
                              const device_info& device,
                              const freq_xlating_fir_problem& problem,
                              std::size_t typical_items,
                              double accuracy = 1e-5);

/*!
 * Whether a filter with these options, or a bank with equal ones, may run fast
 * convolution through OpenCL on a device that is not the host. On a CPU device only
 * options that name it may: there it takes seconds to compile and is slower than the
 * host's.
 */
bool may_run_fast_convolution(const freq_xlating_fir_options& options,
                              const device_info& device);

} // namespace cldsp
