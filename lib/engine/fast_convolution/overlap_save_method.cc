// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The list of these variants, the block sizes they try, and their predictions.

#include "fast_convolution/overlap_save_method.h"

#include "base/arithmetic.h"
#include "direct/host_direct_variant.h"
#include "fast_convolution/host_fast_convolution.h"
#include "filter/operation_counts.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace cldsp {

namespace {

// The largest number of block sizes of one variant that are measured.
constexpr std::size_t max_sizes = 3;

// Limits of the sizes that are tried where none is given.
constexpr std::size_t min_rows = 64;
constexpr std::size_t min_items = 1024;

//! The whole cost of a block.
block_cost whole_cost(const overlap_save_method& method,
                      const plan_shape& shape,
                      std::size_t ifft_size,
                      const host_rates& rates)
{
    auto all = method.cost(shape, ifft_size, rates);
    all.forward += rates.block;
    all.channel += rates.block_channel;
    return all;
}

//! Seconds of some outputs of one channel by the direct algorithm.
double
direct_seconds(const plan_shape& shape, std::size_t outputs, const host_rates& rates)
{
    return outputs ? host_direct_simd().cost(shape, rates).seconds(outputs, shape.taps)
                   : 0;
}

} // namespace

overlap_save_method::overlap_save_method(std::string its_name,
                                         std::string its_description)
    : filter_variant({ std::move(its_name),
                       std::move(its_description),
                       true,
                       true,
                       "fast_convolution" })
{
}

const std::vector<const overlap_save_method*>& overlap_save_methods()
{
    static const auto& methods = *new std::vector<const overlap_save_method*>{
        &overlap_save_polyphase_method(),
        &overlap_save_four_step_method(),
        &overlap_save_selected_bins_method(),
    };
    return methods;
}

const overlap_save_method* find_overlap_save_method(const std::string& name)
{
    for (const auto* method : overlap_save_methods())
        if (method->name == name)
            return method;
    return nullptr;
}

double overlap_save_method::predict(const plan_shape& shape,
                                    std::size_t ifft_size,
                                    const host_rates& rates) const
{
    const std::size_t block_outputs = outputs(shape, ifft_size);
    if (block_outputs == 0)
        return std::numeric_limits<double>::infinity();
    const auto block = whole_cost(*this, shape, ifft_size, rates);
    const auto channels = static_cast<double>(shape.channels);
    const std::size_t blocks = shape.outputs() / block_outputs;
    const std::size_t rest = shape.outputs() % block_outputs;
    const auto seconds_of = [&](const plan_shape& on) {
        const auto seconds = [&](std::size_t count) {
            return static_cast<double>(count) *
                   (block.forward / busy_threads(on, count) +
                    channels * block.channel / busy_threads(on, count * on.channels));
        };
        const double rest_directly =
            channels * direct_seconds(on, rest, rates) / busy_threads(on, on.channels);
        return rates.call + std::min(seconds(blocks) + rest_directly,
                                     seconds(rest ? blocks + 1 : blocks));
    };
    plan_shape alone = shape;
    alone.threads = 1;
    const double by_one = seconds_of(alone);
    plan_shape shared = shape;
    shared.threads = thread_pool::threads_for(by_one, shape.threads);
    return seconds_of(shared) + (shared.threads - 1) * waking_seconds;
}

double overlap_save_method::predict_block(const plan_shape& shape,
                                          std::size_t ifft_size,
                                          const host_rates& rates) const
{
    const auto block = whole_cost(*this, shape, ifft_size, rates);
    return block.forward + static_cast<double>(shape.channels) * block.channel;
}

std::vector<std::size_t> overlap_save_method::sizes(const plan_shape& shape,
                                                    const host_rates& rates,
                                                    std::size_t most) const
{
    // A block that is longer than the call computes outputs that nobody asked for, but
    // the next power of two may still be the fastest transform. No block is worth more
    // than max_items items.
    constexpr std::size_t max_items = std::size_t(1) << 22;
    const std::size_t of_a_row = phases(shape);
    const std::size_t lost = (shape.taps - 1) / shape.decimation;
    const std::size_t needed = divide_up(shape.outputs(), of_a_row) + lost / of_a_row + 2;
    const std::size_t least = std::max<std::size_t>(4, lost / of_a_row * 5 / 4);
    std::size_t last = 2 * std::max(needed, 2 * least);
    last = std::max(least, std::min(last, max_items / shape.decimation));

    std::vector<std::pair<double, std::size_t>> sizes;
    for (std::size_t ifft_size = least; ifft_size <= last; ifft_size++) {
        if (!(covers(shape.decimation, ifft_size) && is_smooth(ifft_size)))
            continue;
        const double seconds = predict(shape, ifft_size, rates);
        if (std::isfinite(seconds))
            sizes.emplace_back(seconds, ifft_size);
    }
    std::sort(sizes.begin(), sizes.end());
    // If a block is larger than the call, the call may be computed directly instead.
    // Measuring such a block would tell nothing new.
    const double directly = host_direct_simd().predict(shape, rates);
    const auto with_blocks = [&](const auto& size) {
        return outputs(shape, size.second) <= shape.outputs() || size.first < directly;
    };
    if (std::any_of(sizes.begin(), sizes.end(), with_blocks))
        sizes.erase(std::stable_partition(sizes.begin(), sizes.end(), with_blocks),
                    sizes.end());

    std::vector<std::size_t> chosen;
    for (const auto& [seconds, size] :
         without_close(sizes, most, [](const auto& one) { return one.second; }))
        chosen.push_back(size);
    return chosen;
}

fast_convolution_costs predicted_costs(const plan_shape& shape, const host_rates& rates)
{
    plan_shape alone = shape;
    alone.threads = 1;
    return { host_direct_simd().costs(shape, rates),
             [=](const overlap_save_method& method,
                 std::size_t ifft_size,
                 std::size_t active_channels) {
                 plan_shape active = alone;
                 active.channels = active_channels;
                 return method.predict_block(active, ifft_size, rates);
             } };
}

std::vector<std::size_t> overlap_save_method::block_sizes(const filter_task& task,
                                                          const plan_place&) const
{
    return sizes(task.shape, task.rates, max_sizes);
}

double overlap_save_method::predict(const plan_shape& shape,
                                    const plan_place&,
                                    std::size_t ifft_size,
                                    const host_rates& rates) const
{
    return predict(shape, ifft_size, rates);
}

std::unique_ptr<filter_executor> overlap_save_method::make(const filter_task& task,
                                                           const plan_place&,
                                                           std::size_t ifft_size) const
{
    return make_host_fast_convolution(name,
                                      task.channels,
                                      ifft_size,
                                      task.options.accuracy,
                                      task.pool(),
                                      predicted_costs(task.shape, task.rates));
}

double overlap_save_method::operations(const counted_filter& filter) const
{
    const std::size_t a_block = outputs(filter.shape, filter.ifft_size);
    if (a_block == 0)
        throw_invalid("ifft_size",
                      std::to_string(filter.ifft_size),
                      "more than the overlap of the taps");
    const auto block = count(filter.shape, filter.ifft_size);
    const auto channels = static_cast<double>(filter.shape.channels);
    return filter.outputs / static_cast<double>(a_block) *
               (block.forward + channels * block.channel) +
           channels * filter.outputs * complex_turn;
}

std::unique_ptr<overlap_save> make_blocks(const overlap_save_method& method,
                                          overlap_save_shape& shape)
{
    check_accuracy(shape.accuracy); // no other size would help
    const auto& kernels = available_overlap_save_kernels().front();
    if (shape.ifft_size != 0) {
        try {
            auto blocks = method.make(shape, kernels);
            if (2 * blocks->block_outputs() * shape.decimation >= shape.max_taps)
                return blocks;
        } catch (const std::invalid_argument&) {
            if (!method.covers(shape.decimation, shape.ifft_size))
                throw;
        }
    }
    std::unique_ptr<overlap_save> blocks;
    overlap_save_shape larger = shape;
    larger.ifft_size = min_rows;
    while (larger.ifft_size * shape.decimation < min_items)
        larger.ifft_size *= 2;
    for (; larger.ifft_size <= max_overlap_save_rows; larger.ifft_size *= 2) {
        if (!method.covers(shape.decimation, larger.ifft_size))
            continue;
        try {
            blocks = method.make(larger, kernels);
        } catch (const std::invalid_argument&) {
            continue; // the whole block would be overlap
        }
        shape.ifft_size = larger.ifft_size;
        if (blocks->block_outputs() * shape.decimation >= 3 * shape.max_taps)
            break;
    }
    if (!blocks)
        throw_invalid("variant",
                      "'" + method.name + "'",
                      "one that covers decimation " + std::to_string(shape.decimation) +
                          " and " + std::to_string(shape.max_taps) + " taps");
    return blocks;
}

} // namespace cldsp
