// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Fast convolution on an OpenCL device, by any of its folds.

#pragma once

#include "filter/filter_executor.h"
#include "opencl/matrix_units.h"

#include <cldsp/context.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * Fast convolution on an OpenCL device.
 *
 * \param variant "vkfft": VkFFT's transforms in both directions, and the kernels of
 *        kernels/fast_convolution.cl around them; "fused_fold": the forward transforms of
 *        kernels/forward_transform.cl, and one kernel for the rest, that of
 *        kernels/fused_fold.cl; "tiled_fold": the same forward transforms, the fold for
 *        many channels, kernels/tiled_fold.cl, then the rest as one kernel;
 *        "tensor_fold": the same with the fold on the matrix units of NVIDIA GPUs,
 *        kernels/tensor_fold.cl. VkFFT makes the forward transforms of the last three
 *        where forward_transform_missing() has a reason
 * \param transfer see make_opencl_direct(); the outputs of several channels leave through
 *        mapped buffers
 * \param channels one or more, of one input type and decimation
 * \param accuracy see freq_xlating_filter_bank_options; relative to each channel's own
 *        largest gain
 * \param ifft_size outputs of a block, the overlap included; 0: as tuned, or chosen by
 *        size
 * \param tuned see fast_convolution_values(); values that do not fit are ignored
 * \param mode how tensor_fold multiplies; tests emulate matrix units
 * \throws std::invalid_argument if VkFFT is missing or cannot keep to the device's
 *         limits, if the size is not above the overlap or not one that the variant takes,
 *         if the accuracy is out of range, or if tensor_fold finds no matrix units or
 *         ones that give wrong sums
 * \throws opencl_error if the device fails
 */
std::unique_ptr<filter_executor>
make_opencl_fast_convolution(std::shared_ptr<context> device,
                             const std::string& variant,
                             const std::string& transfer,
                             const std::vector<filter_channel>& channels,
                             double accuracy,
                             std::size_t ifft_size = 0,
                             const tuning_values& tuned = {},
                             tensor_mode mode = tensor_mode::native);

} // namespace cldsp
