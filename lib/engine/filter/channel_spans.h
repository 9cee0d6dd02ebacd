// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The outputs that a call gives channels of different rates, and the items they need.

#pragma once

#include "filter/filter_executor.h"

#include <cldsp/rate_ratio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cldsp {

//! The items of which each call of a bank has a multiple: the decimation, if it is that
//! of all channels, so that their outputs end with the call; otherwise 1.
std::size_t unit_of_calls(const std::vector<rate_ratio>& rates);

/*!
 * The number of items before the first new one that a channel's outputs need. It may
 * exceed the length of the filter, because output m is computed only when all items
 * before the time of output m + 1 have arrived.
 *
 * \param unit see unit_of_calls()
 */
std::size_t history_of(const filter_channel& channel, std::size_t unit = 1);

/*!
 * The part of a call that each channel has.
 *
 * \param items_before the items of the stream before the first new one
 * \param history the items of the call before the first new one
 * \param items the number of new items
 */
void find_spans(const std::vector<filter_channel>& channels,
                std::uint64_t items_before,
                std::size_t history,
                std::size_t items,
                std::vector<channel_span>& spans);

/*!
 * A call of some channels, without the items at its beginning that none of them needs.
 *
 * \param call has the items
 * \param channels the channels' parts of the call; their spans become those of the result
 * \param history the most items that one of them needs before an output's newest one
 */
filter_call without_early_items(const filter_call& call,
                                std::vector<channel_call>& channels,
                                std::size_t history,
                                std::size_t item_bytes);

//! The number of items after which every channel has had an output. A call that is
//! shorter may compute nothing, so that its time tells nothing of the plan.
std::size_t items_of_an_output(const std::vector<rate_ratio>& rates);

/*!
 * The new items of a typical call, by which plans are predicted and measured: those that
 * the options give, but at least one output of each channel, and at most as many items as
 * give 256 MiB of outputs.
 *
 * \param wanted the items that the options give
 * \param rates of all channels
 */
std::size_t items_of_typical_call(std::size_t wanted,
                                  const std::vector<rate_ratio>& rates);

} // namespace cldsp
