// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Fast convolution on the host for channels of different rates.

#pragma once

#include "base/thread_pool.h"
#include "filter/filter_executor.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace cldsp {

//! The variant's name, for plans.
const std::string& multirate_variant();

/*!
 * The unit of the blocks for some rates: a number of items for which every channel has a
 * whole number of outputs. It is 0 if no block of a useful size is a multiple of it.
 */
std::size_t multirate_unit(const std::vector<rate_ratio>& rates);

//! The sizes of a block of fast convolution whose channels have different rates.
struct multirate_block {
    std::size_t unit = 1;     //!< see multirate_unit()
    std::size_t fft_size = 1; //!< items of the forward transform, a multiple of the unit
    //! The largest filter_channel::items_of_output() of a channel.
    std::size_t max_items_of_output = 1;

    //! The items from one block to the next, a multiple of the unit; 0 if the block is
    //! too short.
    std::size_t step() const
    {
        return fft_size < max_items_of_output
                   ? 0
                   : (fft_size + 1 - max_items_of_output) / unit * unit;
    }
    //! The size of a channel's inverse transform.
    std::size_t ifft_size(const rate_ratio& rate) const
    {
        return fft_size / rate.decimation * rate.interpolation;
    }
};

/*!
 * Fast convolution on the host for channels of different rates. All channels use one
 * forward transform. Each channel takes the bins that its filter lets through. The size
 * of its inverse transform follows from its rate: with P outputs for Q items, a block of
 * N items gives N P / Q values. So a rational rate needs no resampler behind the filter.
 *
 * \param channels the channels, with their rates
 * \param choose_size chooses the size of the forward transform for a unit and a largest
 *        items_of_output(); asked again if that becomes larger
 * \param kept for each channel, the fraction of the bins that it keeps, see plan_shape
 * \param accuracy see freq_xlating_filter_bank_options
 * \param pool the threads that share a call
 * \param item_seconds the predicted seconds of one thread for each input item, all
 *        channels together
 * \throws std::invalid_argument if the rates have no unit
 */
std::unique_ptr<filter_executor>
make_host_multirate(const std::vector<filter_channel>& channels,
                    const std::function<std::size_t(multirate_block)>& choose_size,
                    const std::vector<double>& kept,
                    double accuracy,
                    std::shared_ptr<thread_pool> pool,
                    double item_seconds);

} // namespace cldsp
