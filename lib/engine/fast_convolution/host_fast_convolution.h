// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Fast convolution on the host: overlap-save blocks that all channels share.

#pragma once

#include "base/thread_pool.h"
#include "filter/filter_executor.h"
#include "filter/plan_shape.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

class overlap_save_method;

/*!
 * Predictions for one thread of the host, in seconds. Fast convolution decides by them
 * whether a call is worth waking other threads, and whether the outputs left over after
 * whole blocks are worth one more block. With the default values both are always worth
 * it.
 */
struct fast_convolution_costs {
    host_costs direct;
    //! The seconds of one block of a method, for \p channels channels together.
    std::function<double(
        const overlap_save_method& method, std::size_t ifft_size, std::size_t channels)>
        block;
};

/*!
 * Fast convolution on the host: each call's items are cut into overlap-save blocks, whose
 * forward transform all channels share. Nothing is kept from call to call, so that no
 * output waits for a block to fill. The outputs that are left over after whole blocks are
 * computed directly where that costs less than a block.
 *
 * \param variant the name of one of overlap_save_methods()
 * \param channels all have one input type and decimation
 * \param ifft_size outputs of a block, including those that the overlap invalidates; 0: a
 *        size that suits the taps. A larger size replaces it if the taps become too long
 * \param accuracy see freq_xlating_filter_bank_options
 * \param pool threads that blocks and channels are spread over
 * \throws std::invalid_argument for a variant or a size that does not fit the problem
 */
std::unique_ptr<filter_executor>
make_host_fast_convolution(const std::string& variant,
                           const std::vector<filter_channel>& channels,
                           std::size_t ifft_size,
                           double accuracy,
                           std::shared_ptr<thread_pool> pool,
                           const fast_convolution_costs& costs = {});

/*!
 * Whether the responses of the channels are far too many for a core's cache, so that each
 * comes from memory again. Then a bank is the faster the more blocks are computed each
 * time that a response is read.
 *
 * \param block_items input items of a block
 * \param cache_bytes see core_cache_bytes()
 */
bool reads_responses_again(std::size_t channels,
                           std::size_t block_items,
                           std::size_t cache_bytes);

/*!
 * The number of blocks that a thread computes for a group of channels at a time if all
 * threads compute the same blocks. There are some times for each thread.
 *
 * \param groups,blocks that the threads share
 * \param least,most limits of the number
 */
std::size_t blocks_of_a_time(std::size_t groups,
                             std::size_t blocks,
                             unsigned threads,
                             std::size_t least,
                             std::size_t most);

/*!
 * The number of blocks whose spectra are in memory at the same time.
 *
 * \param threads threads that compute
 * \param block_items,cache_bytes as above
 */
std::size_t blocks_in_work(std::size_t channels,
                           unsigned threads,
                           std::size_t block_items,
                           std::size_t cache_bytes);

} // namespace cldsp
