// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The direct algorithm on the host for rational rates: a polyphase resampler.

#pragma once

#include "base/thread_pool.h"
#include "filter/filter_executor.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The direct algorithm on the host for channels of any rates: a polyphase resampler. For
 * a rate of P outputs for Q items it keeps the P filters of interpolated_taps(), and
 * computes one output after the other, each with the filter of its phase. All filters
 * read the same items, which have been moved to 0 Hz, so that a change of frequency
 * changes no filter.
 *
 * Channels with the same taps and the same rate share the filters. The memory of a call
 * does not depend on its length.
 *
 * \param variant "simd" or "volk", whose kernels add up the products
 * \param channels the channels, with their rates
 * \param pool the threads that share a call
 * \param item_seconds the predicted seconds of one thread for each input item, all
 *        channels together
 */
std::unique_ptr<filter_executor>
make_host_resampler(const std::string& variant,
                    const std::vector<filter_channel>& channels,
                    std::shared_ptr<thread_pool> pool,
                    double item_seconds);

//! The bytes of the filters of a prototype with \p taps taps at a rate.
std::size_t resampler_filter_bytes(const rate_ratio& rate, std::size_t taps, bool real);

//! The bytes of what each channel has besides its filters, and each thread.
std::size_t resampler_channel_bytes(std::size_t items_of_output);

} // namespace cldsp
