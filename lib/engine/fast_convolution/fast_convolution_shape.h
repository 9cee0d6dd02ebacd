// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The sizes of blocks and batches that fast convolution takes on a device.

#pragma once

#include "base/arithmetic.h"
#include "fast_convolution/channel_fold.h"
#include "fast_convolution/forward_transform.h"
#include "fast_convolution/overlap_save.h"
#include "opencl/matrix_units.h"

#include <cldsp/device.h>
#include <cldsp/sample_type.h>
#include <cldsp/tuning_values.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace cldsp {

//! Whether a device is a GPU whose local memory is that of its buffers, as a Raspberry
//! Pi's. The kernels of VkFFT and of dft_bank do not pay there, and take minutes to
//! compile.
bool is_small_gpu(const device_info& device);

//! The largest number of values in a block that a device's buffers and transforms can
//! take.
std::size_t max_fast_convolution_items(const device_info& device);

//! The sizes of the inverse transform that a variant takes on a device.
struct ifft_sizes {
    std::size_t most;
    bool powers_of_two; //!< only powers of two, from 2 on

    bool contains(std::size_t ifft_size) const
    {
        return ifft_size && ifft_size <= most &&
               (!powers_of_two || (ifft_size > 1 && is_power_of_two(ifft_size)));
    }
};
ifft_sizes ifft_sizes_of(const std::string& variant,
                         const device_info& device,
                         std::size_t decimation);

/*!
 * The size of the inverse transform that is chosen for a problem where nothing was tuned.
 * It is the one with the least predicted cost of a call: few values per valid output, few
 * outputs that nobody asked for, and a transform in one pass over the memory where the
 * device's local memory allows that.
 *
 * \param channels of the whole problem
 * \param outputs those of a channel in a typical call; 0: many
 * \throws std::invalid_argument if no block fits the device's buffers
 */
std::size_t fast_convolution_size(const std::string& variant,
                                  const device_info& device,
                                  std::size_t decimation,
                                  std::size_t max_taps,
                                  std::size_t channels = 1,
                                  std::size_t outputs = 0);

/*!
 * The block of fast convolution on a device.
 *
 * \param ifft_size the size of the inverse transform; 0: fast_convolution_size()
 * \throws std::invalid_argument if the size is not above the overlap or not one that the
 *         variant takes, or the block does not fit a buffer
 */
overlap_save_block make_fast_convolution_block(const std::string& variant,
                                               const device_info& device,
                                               std::size_t decimation,
                                               std::size_t max_taps,
                                               std::size_t ifft_size);

//! The size of one batch of the OpenCL pipeline (channels and blocks), and the work-group
//! size of its kernels.
struct pipeline_shape {
    sample_type input;
    std::size_t channels;
    std::size_t channels_per_group;
    std::size_t blocks;      //!< the largest number of blocks
    std::size_t group;       //!< work-items of a work-group
    std::size_t fold_blocks; //!< blocks for which a work-item reads a response once
    std::shared_ptr<const fold_sizes> fold;
    //! Of the engine's own forward transforms; VkFFT's otherwise.
    std::optional<forward_transform_shape> forward;

    //! Takes tuned values, as far as they fit the device.
    void take(const tuning_values& values, const device_limits& limits);
};

//! The largest piece of a call, in bytes of its outputs, on a device with memory of its
//! own. On an NVIDIA H100 the kernels of 1024 channels run at 1.2 10^9 samples per second
//! with pieces of 32 MiB, 1.9 with 64 and 2.5 with 128. But whole calls, from and to the
//! host's memory, were slower by a twentieth with 128, probably because nothing overlaps
//! the kernels of the first piece and the copies of the last one.
constexpr std::size_t max_outputs_of_piece = std::size_t(64) << 20;

//! The bytes of one batch of the pipeline: enough to fill a device, and few enough that
//! blocks and spectra stay in its cache.
std::size_t usual_pipeline_bytes(const device_info& device);

//! The largest batch that fits \p pipeline_bytes and the device's buffers.
//! \param mode how matrix units multiply, if the variant has any
pipeline_shape make_pipeline_shape(const std::string& variant,
                                   const device_info& device,
                                   const overlap_save_block& block,
                                   sample_type input,
                                   std::size_t channels,
                                   std::size_t pipeline_bytes,
                                   tensor_mode mode = tensor_mode::native);

} // namespace cldsp
