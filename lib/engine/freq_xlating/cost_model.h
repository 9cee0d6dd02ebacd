/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/plan_shape.h"

#include <cldsp/context.h>
#include <cldsp/device.h>

#include <cstddef>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * How fast one core of the host computes, in seconds. The values were measured on a
 * 2.6 GHz server with AVX-512 by docs/benchmarks.md's workloads; calibrated_rates()
 * scales them to this machine.
 */
struct host_rates {
    double call = 4e-7;          //!< of a call, whatever it computes
    double simd_tap = 3.7e-11;   //!< a tap of an output, own kernels; complex ones twice
    double simd_output = 3e-10;  //!< an output of a channel at decimation 1
    double simd_sum = 2e-9;      //!< an output elsewhere, where lanes are summed up
    double simd_window = 9e-9;   //!< an output whose window does not meet the next one's
    double simd_item = 8e-11;    //!< an input item of a channel, to prepare it
    double volk_tap = 2e-10;     //!< a tap of an output, VOLK's kernels
    double volk_output = 3.5e-9; //!< an output of a channel
    double polyphase_item = 5.5e-10; //!< a block's item, with a row's padding
    double polyphase_fold =
        1.5e-10; //!< such an item, for each output of a row and channel
    double four_step_item = 4.5e-11; //!< a block's item each way, times log2 of the items
    double selected_item = 7e-11;    //!< a block's item, times log2 of the block's items
    double odd_factor = 0.35;        //!< part that each odd prime factor of theirs adds
    double far_items = 1.4;          //!< and where they exceed the nearest cache
    double columns_item = 8.5e-11;   //!< the same by rows and columns, with their padding
    double selected_fold = 3e-10;    //!< a kept bin of the only channel
    double group_fold = 4.7e-11;   //!< a bin of one of several, in vectors that are kept
    double inverse_flop = 1.4e-11; //!< of 5 M log2 M that an inverse transform counts
    double rotate_output = 1e-9;   //!< an output of a channel, after fast convolution
    //! Inverse transform and rotation of an output, where one kernel does both.
    double inverse_output = 8.2e-10;
    double block = 2e-7;         //!< a block, whatever its size
    double block_channel = 8e-8; //!< each channel of a block, whatever its size
    //! How many times slower this machine is than the one that the constants were
    //! measured on; no rate.
    double slowness = 1;

    //! All seconds times a factor.
    host_rates scaled(double factor) const;
};

/*!
 * This machine's rates: measured within a few milliseconds at the first call, then
 * remembered by the registry.
 */
host_rates calibrated_rates(context_registry& registry);

//! Seconds of a typical call of the direct algorithm on the host.
double predict_host_direct(const plan_shape& shape,
                           const std::string& variant,
                           const host_rates& rates);

//! Seconds of a typical call of fast convolution on the host, which computes what is left
//! over after whole blocks directly where that is faster.
double predict_host_fast_convolution(const plan_shape& shape,
                                     const std::string& variant,
                                     std::size_t ifft_size,
                                     const host_rates& rates);

//! Seconds of one block of fast convolution with all channels, on one thread of the host.
double predict_host_block(const plan_shape& shape,
                          const std::string& variant,
                          std::size_t ifft_size,
                          const host_rates& rates);

//! What executors on the host decide by. \param direct_variant "simd" or "volk"
host_costs predicted_costs(const plan_shape& shape,
                           const std::string& direct_variant,
                           const host_rates& rates);

//! Seconds of a typical call on an OpenCL device; \p ifft_size 0 for the direct
//! algorithm. A CPU device is as much slower than the model's machine as the host is.
double predict_device(const plan_shape& shape,
                      const device_info& device,
                      const std::string& transfer,
                      std::size_t ifft_size,
                      const host_rates& host);

/*!
 * Outputs that a block gives: those that the overlap leaves; 0: the block is too short.
 *
 * \param variant "polyphase", where a row may give several outputs; else each gives one
 */
std::size_t
block_outputs(const plan_shape& shape, const std::string& variant, std::size_t ifft_size);

/*!
 * Block sizes worth a look for a variant ("polyphase", "four_step", "selected_bins",
 * "vkfft"), the best predicted first, none close to a better one: longer than the overlap
 * and hardly longer than a typical call needs.
 *
 * \param most how many at most; there are none where the variant does not cover the shape
 */
std::vector<std::size_t> candidate_sizes(const plan_shape& shape,
                                         const std::string& variant,
                                         const host_rates& rates,
                                         std::size_t most);

} // namespace cldsp
