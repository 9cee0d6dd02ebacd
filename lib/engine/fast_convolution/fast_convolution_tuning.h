// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The parameters of fast convolution on a device that a tuner can choose.

#pragma once

#include "tuning/kernel_parameters.h"

#include <cldsp/context.h>
#include <cldsp/sample_type.h>
#include <cldsp/tuned.h>

#include <cstddef>
#include <optional>
#include <string>

namespace cldsp {

//! The problem that the sizes of fast convolution are chosen for.
struct fast_convolution_problem {
    sample_type input = sample_type::fc32;
    std::size_t decimation = 1;
    std::size_t max_taps = 1; //!< taps of the longest channel
    std::size_t channels = 1;
};

/*!
 * The parameters of fast convolution through OpenCL:
 * - `ifft_size`: the size of the inverse transform
 * - `pipeline_kib`: KiB of values that one batch of the pipeline computes
 * - those of the variant's fold, see opencl_fast_convolution_variant::parameters(). With
 *   VkFFT's transforms these are `group`, the work-items in a work-group of the engine's
 *   own kernels, and `fold_blocks`, the blocks for which a work-item of the fold reads a
 *   response once
 *
 * \param ifft_size the usual size of the inverse transform; 0: fast_convolution_size()
 * \param items input items of a typical call. A search leaves out sizes that are much
 *        larger than it needs. 0: it leaves none out for that reason
 * \throws std::invalid_argument if no block fits the device
 */
kernel_parameters fast_convolution_parameters(const std::string& variant,
                                              const device_info& device,
                                              const fast_convolution_problem& problem,
                                              std::size_t ifft_size = 0,
                                              std::size_t items = 0);

//! The parameters for one channel of a problem, for which values are tuned; empty: no
//! block fits the device.
std::optional<kernel_parameters>
one_channel_parameters(const std::string& variant,
                       const device_info& device,
                       const fast_convolution_problem& problem);

tuning_problem fast_convolution_tuning_problem(const fast_convolution_problem& problem,
                                               std::size_t items);

//! The configuration that fast convolution is built with, see
//! kernel_parameters::chosen().
//! \param ifft_size see fast_convolution_parameters()
tuning_values fast_convolution_values(const std::string& variant,
                                      const device_info& device,
                                      const context_options& options,
                                      const fast_convolution_problem& problem,
                                      std::size_t ifft_size,
                                      const tuning_values& tuned = {});

} // namespace cldsp
