/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fast_convolution/host_multirate.h"
#include "filter/plan_shape.h"
#include "planning/memory_rates.h"

#include <cldsp/context.h>
#include <cldsp/device.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The speed of one core of the host, in seconds for each unit of work. The values were
 * measured with the workloads of docs/benchmarks.md on a 2.6 GHz server with AVX-512.
 * calibrated_rates() scales them to this machine, and measures those of its memory.
 */
struct host_rates {
    double call = 4e-7;          //!< per call, whatever it computes
    double simd_tap = 3.7e-11;   //!< per real tap of an output; twice for a complex tap
    double simd_output = 3e-10;  //!< per output of a channel at decimation 1
    double simd_sum = 2e-9;      //!< per output at other decimations: lanes are summed
    double simd_window = 9e-9;   //!< per output whose window does not meet the next
    double simd_item = 8e-11;    //!< per input item of a channel, for its preparation
    double volk_tap = 2e-10;     //!< per tap of an output, VOLK's kernels
    double volk_output = 3.5e-9; //!< per output of a channel, VOLK's kernels
    double polyphase_item = 5.5e-10; //!< per item of a block, with the padding of rows
    //! Per item of a block of polyphase, for each output of a row and each channel.
    double polyphase_fold = 1.5e-10;
    //! Per item and direction, forward or inverse, times log2 of the block's items.
    double four_step_item = 4.5e-11;
    double selected_item = 7e-11; //!< per item of a block, times log2 of its items
    double odd_factor = 0.35;     //!< fraction that each odd prime factor of N adds
    double odd_size = 2;          //!< factor if N is odd, so that nothing fills vectors
    //! Factor if a prime factor of N is larger than those that FFTW has code for.
    double large_prime = 4;
    double far_items = 1.4; //!< factor if the items exceed the nearest cache
    //! As selected_item, for our own transform by rows and columns. The padding of the
    //! rows counts as items.
    double columns_item = 8.5e-11;
    //! Per real item, after a transform by columns: each bin of the items is made of bins
    //! of their pairs.
    double split_item = 2e-10;
    double pair_item = 2.5e-9; //!< as split_item, after other transforms
    //! Per complex item of a block that is taken as a grid, besides FFTW's transforms of
    //! its rows.
    double grid_item = 7.6e-10;
    //! Per complex item of a selective_transform whose passes all have the size 16.
    double selective_item = 1.2e-9;
    double large_item = 3.4e-9;   //!< per complex item of other large blocks, by FFTW
    double selected_fold = 3e-10; //!< per kept bin of a channel that is folded alone
    //! Per bin of a channel that is folded with others, in the vectors that are kept.
    double group_fold = 4.7e-11;
    double gather_item = 2e-10; //!< per bin that is copied into the order of one rate
    //! Per operation of an inverse transform; one of n values counts 5 n log2 n.
    double inverse_flop = 1.4e-11;
    double rotate_output = 1e-9; //!< per output of a channel, for a separate rotator
    //! Per output, for inverse transform and rotation, where one kernel does both.
    double inverse_output = 8.2e-10;
    //! The fraction that each doubling beyond inverse_size adds: the values no longer fit
    //! the registers.
    double inverse_doubling = 0.3;
    double block = 2e-7;         //!< per block, whatever its size
    double block_channel = 8e-8; //!< per channel of a block, whatever its size
    //! The factor by which this machine is slower than the one that the values were
    //! measured on. It is no rate.
    double slowness = 1;
    memory_rates memory; //!< beyond the cache, where long blocks lie

    //! These rates, those of the memory and the slowness, times a factor.
    host_rates scaled(double factor) const;
};

/*!
 * The rates of this machine. The first call measures them within a tenth of a second, and
 * the registry remembers them.
 */
host_rates calibrated_rates(context_registry& registry);

//! Seconds of a typical call of the direct algorithm on the host.
double predict_host_direct(const plan_shape& shape,
                           const std::string& variant,
                           const host_rates& rates);

//! Seconds of a typical call of fast convolution on the host. Outputs left over after
//! whole blocks are computed directly where that is faster.
double predict_host_fast_convolution(const plan_shape& shape,
                                     const std::string& variant,
                                     std::size_t ifft_size,
                                     const host_rates& rates);

//! Seconds of one block of fast convolution with all channels, on one thread of the host.
double predict_host_block(const plan_shape& shape,
                          const std::string& variant,
                          std::size_t ifft_size,
                          const host_rates& rates);

/*!
 * The predictions that executors on the host decide by, see host_costs.
 * \param direct_variant "simd" or "volk"
 */
host_costs predicted_costs(const plan_shape& shape,
                           const std::string& direct_variant,
                           const host_rates& rates);

//! A channel of a bank whose channels have different rates.
struct multirate_channel {
    rate_ratio rate;
    double kept; //!< see plan_shape
};

//! Channels of one rational rate, by the direct algorithm on the host, see
//! host_resampler.h.
struct resampler_shape {
    rate_ratio rate;
    std::size_t taps = 1; //!< of the longest channel
    std::size_t channels = 1;
    std::size_t different_taps = 1; //!< prototypes
};

//! The prediction for such channels.
struct resampler_prediction {
    double item_seconds;    //!< for each input item, on one thread
    double call_seconds;    //!< of a typical call
    std::size_t bytes;      //!< of the executor
    double prepare_seconds; //!< to compute the filters
};

/*!
 * \param variant "simd" or "volk"
 * \param shape the input, the items of a typical call, the threads, and whether the taps
 *        are real
 */
resampler_prediction predict_resampler(const resampler_shape& its,
                                       const plan_shape& shape,
                                       const std::string& variant,
                                       const host_rates& rates);

//! The block that is chosen for channels of different rates, see host_multirate.h.
struct multirate_prediction {
    std::size_t fft_size;
    double item_seconds; //!< for each input item, on one thread
    double call_seconds; //!< of a typical call
    std::size_t bytes;   //!< of the executor, while it is made and afterwards
    //! The transforms that FFTW has to plan, each for up to fftw_planning_seconds.
    std::size_t fftw_plans;
    double prepare_seconds; //!< to compute the responses of all channels
};

/*!
 * The block sizes of fast convolution on the host for channels of different rates that
 * are worth a measurement, the best predicted one first, as candidate_sizes() gives them
 * for a single rate.
 *
 * \param block the unit and the items of an output; its size is ignored
 * \param shape the input, the items of a typical call, and the threads
 * \param most the largest number of sizes
 * \param max_bytes sizes that need more memory are left out, so that there may be none
 */
std::vector<multirate_prediction>
predict_multirate(const multirate_block& block,
                  const plan_shape& shape,
                  const std::vector<multirate_channel>& channels,
                  const host_rates& rates,
                  std::size_t most,
                  std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

/*!
 * Seconds of a typical call on an OpenCL device. The time on a CPU device is multiplied
 * by the slowness of \p host.
 *
 * \param ifft_size the block size; 0 for the direct algorithm
 * \param variant of fast convolution. The variants differ in the memory that a channel
 *        reads and writes, and in the number of kernels
 */
double predict_device(const plan_shape& shape,
                      const device_info& device,
                      const std::string& transfer,
                      std::size_t ifft_size,
                      const host_rates& host,
                      const std::string& variant = "vkfft");

/*!
 * The number of valid outputs of a block; 0 if the block is too short for the overlap.
 *
 * \param variant the variant's name. A row of "polyphase" may give several outputs; with
 *        any other variant it gives one
 */
std::size_t
block_outputs(const plan_shape& shape, const std::string& variant, std::size_t ifft_size);

/*!
 * The block sizes of a variant of fast convolution on the host that are worth a
 * measurement, the best predicted one first. They are longer than the overlap, and not
 * much longer than a typical call needs. Sizes close to a better one are left out.
 *
 * \param most the largest number of sizes. There are none where the variant does not
 *        cover the shape
 */
std::vector<std::size_t> candidate_sizes(const plan_shape& shape,
                                         const std::string& variant,
                                         const host_rates& rates,
                                         std::size_t most);

} // namespace cldsp
