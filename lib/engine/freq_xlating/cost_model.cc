// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Calibrates the rates of the host, and predicts banks of different rates with them.

#include "freq_xlating/cost_model.h"

#include "base/arithmetic.h"
#include "base/engine_threads.h"
#include "base/json_value.h"
#include "base/page_memory.h"
#include "base/thread_pool.h"
#include "direct/host_direct_variant.h"
#include "direct/host_resampler.h"
#include "fast_convolution/block_cost.h"
#include "fast_convolution/overlap_save.h"
#include "fft/block_transform.h"
#include "fft/column_transform.h"
#include "filter/filter_channel.h"
#include "planning/interruptions.h"
#include "storage/host_identity.h"

#include <cldsp/wisdom.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>

namespace cldsp {

namespace {

//! The channels of one rate among those of a bank with different rates.
struct rate_channels {
    rate_ratio rate;
    std::size_t channels = 0;
    double kept = 0; // the mean of theirs, see plan_shape
    bool gathers() const
    {
        return rate.is_integer() && gathers_bins(rate.decimation, channels, kept);
    }
};

std::vector<rate_channels> by_rates(const std::vector<multirate_channel>& channels)
{
    std::vector<rate_channels> all;
    for (const auto& channel : channels) {
        auto its = std::find_if(all.begin(), all.end(), [&](const rate_channels& one) {
            return one.rate == channel.rate;
        });
        if (its == all.end())
            its = all.insert(its, { channel.rate });
        its->channels++;
        its->kept += channel.kept;
    }
    for (auto& one : all)
        one.kept /= static_cast<double>(one.channels);
    return all;
}

//! Seconds of the transform of a block whose channels have different rates, and of the
//! copies of its bins.
double multirate_forward_cost(const plan_shape& shape,
                              const multirate_block& block,
                              const std::vector<rate_channels>& all,
                              const host_rates& rates)
{
    const std::size_t size = block.fft_size;
    const auto items = static_cast<double>(size);
    std::size_t gathering = 0, padded = 0;
    bool all_gather = is_complex(shape.input), whole_vectors = true;
    for (const auto& one : all) {
        all_gather = all_gather && one.gathers();
        if (!one.gathers())
            continue;
        gathering++;
        const std::size_t ifft_size = block.ifft_size(one.rate);
        whole_vectors = whole_vectors && ifft_size % row_width() == 0;
        const std::size_t items_of_columns =
            column_transform::padded_items(ifft_size, one.rate.decimation, row_width());
        if (items_of_columns > 0 && (padded == 0 || items_of_columns < padded))
            padded = items_of_columns;
    }
    constexpr double steps = 2;                    // columns, then rows
    if (all_gather && whole_vectors && padded > 0) // to gathered bins
        return rates.columns_item * static_cast<double>(padded) * log2_of(size) +
               transform_traffic(items, steps, rates);
    const double copies = static_cast<double>(
        whole_vectors ? std::min<std::size_t>(gathering, 1) : gathering);
    const bool pairs = !is_complex(shape.input) && size % 2 == 0;
    return block_transform_cost(pairs ? size / 2 : size, rates) +
           (pairs ? rates.pair_item * items : 0) + rates.gather_item * items * copies;
}

//! Seconds of the channels of one rate for a block.
double multirate_channels_cost(const plan_shape& shape,
                               const multirate_block& block,
                               const rate_channels& one,
                               const host_rates& rates)
{
    const std::size_t size = block.fft_size, ifft_size = block.ifft_size(one.rate);
    const auto items = static_cast<double>(size);
    const auto channels = static_cast<double>(one.channels);
    gain_shares gains;
    double loads = 0;
    if (one.gathers()) {
        // Most gains take half the bytes, and all blocks of a thread use them in turn.
        gains.stored = 0.6;
        gains.read = gains.stored / blocks_of_a_gain(shape, size, block.step(), rates);
        // The bins lie in the order of another rate and are delayed, which takes as long
        // for a group of channels as the products of some of them.
        constexpr double like_channels = 3;
        loads =
            like_channels * std::ceil(channels / fold_members) * rates.group_fold * items;
    }
    // Long blocks write so much for a channel that it does not wait in the cache.
    const double outputs = one.rate.rate(static_cast<double>(block.step()));
    const double written = rates.memory.seconds(
        written_bytes * outputs,
        value_bytes * one.rate.rate(static_cast<double>(shape.items * shape.channels)));
    return loads +
           channels *
               (fold_cost(shape, size, ifft_size, one.kept, one.gathers(), gains, rates) +
                inverse_cost(static_cast<double>(ifft_size), ifft_size, rates) + written +
                rates.block_channel);
}

//! The work and the memory of making a host_multirate.
struct multirate_making {
    std::size_t bytes, fftw_plans;
    double seconds;
};

multirate_making making_of(const plan_shape& shape,
                           const multirate_block& block,
                           const std::vector<rate_channels>& all,
                           const host_rates& rates)
{
    // Values of the response of an interpolation that are added up for an item of its
    // length, see interpolation_response.
    constexpr std::size_t max_values = 16;
    constexpr double value_seconds = 1.5e-9;
    const auto items = static_cast<double>(block.fft_size);
    const auto threads = static_cast<double>(std::max(1U, shape.threads));
    const double slots = threads * blocks_of_a_thread(shape, block.fft_size, rates);
    const bool is_grid = block_transform::is_grid(block.fft_size);
    multirate_making its{ 0, 1, 0 };
    // Values of 8 bytes. Each thread has those of a block in work, and the bins of some
    // blocks. Beside these there are the taps, a response and what FFTW needs.
    double values = threads * (is_grid ? 4 : 1.5) * items + 8 * items;
    double extra = 0, largest = 0;
    for (const auto& one : all) {
        const auto channels = static_cast<double>(one.channels);
        const auto outputs = static_cast<double>(block.ifft_size(one.rate));
        const bool has_grid =
            inverse_passes(block.ifft_size(one.rate), row_width()).first != 0;
        its.fftw_plans += has_grid ? 0 : 1;
        largest = std::max(largest, outputs);
        if (one.gathers()) {
            values += channels * items + slots * items;
        } else {
            // The band of a rational rate is two turns wide.
            const double turns = one.rate.is_integer() ? 1 : 2;
            const double bins = std::min(turns * items, one.kept * items + 2 * outputs);
            extra = std::max(extra, bins);
            values += channels * 1.5 * bins;
            its.seconds +=
                channels * bins * value_seconds *
                static_cast<double>(one.rate.further_taps() / 2 *
                                    std::min(one.rate.interpolation, max_values));
        }
        values += channels * (has_grid ? 0 : outputs) + (has_grid ? 0 : 6 * outputs);
    }
    values += slots * (items + extra) + threads * 4 * largest;
    values += all.front().rate.is_integer() && all.size() == 1 ? 0 : 4 * items;
    its.bytes = static_cast<std::size_t>(values * value_bytes);
    its.seconds += 2e-8 * items * static_cast<double>(shape.channels);
    its.seconds *= rates.slowness;
    return its;
}

constexpr const char* kind = "calibration";

// Limits of the factor between this machine and that of reference_rates(). No machine
// that runs this is outside them.
constexpr double min_factor = 0.01;
constexpr double max_factor = 1000;

//! The factor by which this machine is slower than that of reference_rates(), from the
//! time of a short direct filter.
//! \param was_disturbed set to whether other threads interrupted every call
double measured_factor(bool& was_disturbed)
{
    using clock = std::chrono::steady_clock;
    constexpr double enough_seconds = 2e-3;
    constexpr int min_calls = 3;

    plan_shape shape;
    shape.taps = 1024;
    shape.decimation = 16;
    shape.items = 4096;
    const std::size_t outputs = shape.items / shape.decimation;
    freq_xlating_fir_problem problem;
    problem.decimation = shape.decimation;
    problem.taps.assign(shape.taps, 1.0f / static_cast<float>(shape.taps));
    const filter_channel channel(problem);
    const auto filter = host_direct_simd().make_fir(channel);
    host_fir_scratch scratch;
    const auto in = trial_input(problem.input, channel.window(outputs));
    const page_memory out(outputs * sizeof(std::complex<float>));

    double fastest = std::numeric_limits<double>::infinity();
    was_disturbed = true;
    const auto start = clock::now();
    const auto since = [](clock::time_point then) {
        return std::chrono::duration<double>(clock::now() - then).count();
    };
    for (int calls = 0; calls < min_calls || since(start) < enough_seconds; calls++) {
        const interruptions seen;
        const auto before = clock::now();
        filter->run({ in.as<void>(), out.as<std::complex<float>>(), outputs, {} },
                    scratch);
        fastest = std::min(fastest, since(before));
        was_disturbed = was_disturbed && seen.any();
    }
    return fastest / host_direct_simd().predict(shape, reference_rates());
}

//! The factor of measured_factor() that is remembered.
std::optional<double> known_factor(context_registry& registry)
{
    const auto known = json_value::parse(registry.wisdom().find(kind, host_identity()));
    const auto factor = known ? (*known)["factor"].number() : std::nullopt;
    return factor && *factor >= min_factor && *factor <= max_factor ? factor
                                                                    : std::nullopt;
}

//! The factor of measured_factor(), measured once and remembered.
double calibrated_factor(context_registry& registry)
{
    if (const auto known = known_factor(registry))
        return *known;
    bool was_disturbed = false;
    // This takes a few milliseconds, in which the load beside an idle thread would show.
    const double factor =
        std::clamp(at_normal_priority([&] { return measured_factor(was_disturbed); }),
                   min_factor,
                   max_factor);
    const auto fresh = json_value(json_value::object{ { "factor", factor } }).print();
    if (was_disturbed)
        registry.wisdom().store_in_memory(kind, host_identity(), fresh);
    else
        registry.wisdom().store(kind, host_identity(), fresh);
    return factor;
}

} // namespace

std::vector<multirate_prediction>
predict_multirate(const multirate_block& block,
                  const plan_shape& shape,
                  const std::vector<multirate_channel>& channels,
                  const host_rates& rates,
                  std::size_t most,
                  std::size_t max_bytes)
{
    // No block is worth more items than this, unless its rates demand it.
    constexpr std::size_t max_items = std::size_t(1) << 22;
    const std::size_t least = divide_up(block.max_items_of_output, block.unit) + 1;
    const std::size_t needed = divide_up(shape.items, block.unit) + least;
    const std::size_t last = std::max(
        least, std::min(2 * std::max(needed, 4 * least), max_items / block.unit));
    const std::vector<rate_channels> its_rates = by_rates(channels);
    std::vector<multirate_prediction> all;
    for (std::size_t units = least; units <= last; units++) {
        if (!is_smooth(units) && units != least)
            continue;
        multirate_block tried = block;
        tried.fft_size = units * block.unit;
        if (tried.step() == 0)
            continue;
        const std::size_t size = tried.fft_size;
        const auto making = making_of(shape, tried, its_rates, rates);
        if (making.bytes > max_bytes)
            continue;
        double seconds =
            multirate_forward_cost(shape, tried, its_rates, rates) + rates.block;
        for (const auto& one : its_rates)
            seconds += multirate_channels_cost(shape, tried, one, rates);
        // Blocks begin at multiples of the unit, wherever a call begins.
        const double blocks =
            std::ceil(static_cast<double>(shape.items + block.unit / 2) /
                      static_cast<double>(tried.step()));
        const double item_seconds = seconds / static_cast<double>(tried.step());
        const double by_one = rates.call + blocks * seconds;
        const double call = shared_call_seconds(
            shape, by_one, static_cast<std::size_t>(blocks) * channels.size());
        all.push_back({ size,
                        item_seconds,
                        call,
                        making.bytes,
                        making.fftw_plans,
                        making.seconds });
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.call_seconds < b.call_seconds;
    });
    return without_close(all, most, [](const auto& one) { return one.fft_size; });
}

resampler_prediction predict_resampler(const resampler_shape& its,
                                       const plan_shape& shape,
                                       const host_direct_variant& variant,
                                       const host_rates& rates)
{
    constexpr double product_seconds = 1.5e-9; // of the interpolation of taps
    const std::size_t items = its.taps + its.rate.further_taps();
    const auto channels = static_cast<double>(its.channels);
    const double planes = shape.real_taps ? 1 : 2;
    const std::size_t filters =
        resampler_filter_bytes(its.rate, its.taps, shape.real_taps);
    const double output =
        variant.lone_output(rates) +
        static_cast<double>(items) * planes *
            (variant.lone_tap(rates) +
             rates.memory.seconds(value_bytes, static_cast<double>(filters)));
    resampler_prediction all{};
    all.item_seconds = channels * (rates.simd_item + output * its.rate.rate(1));
    const double by_one =
        rates.call + all.item_seconds * static_cast<double>(shape.items);
    all.call_seconds = shared_call_seconds(shape, by_one, its.channels);
    all.bytes =
        filters * its.different_taps +
        resampler_channel_bytes(items) * (its.channels + std::max(1U, shape.threads));
    all.prepare_seconds =
        rates.slowness * product_seconds * static_cast<double>(its.different_taps) *
        static_cast<double>(its.rate.interpolation) * static_cast<double>(its.taps + 50) *
        static_cast<double>(its.rate.further_taps() + 1);
    return all;
}

host_rates calibrated_rates(context_registry& registry)
{
    auto rates = reference_rates().scaled(calibrated_factor(registry));
    rates.memory = calibrated_memory_rates(registry);
    return rates;
}

host_rates known_rates(context_registry& registry)
{
    auto rates = reference_rates().scaled(known_factor(registry).value_or(1));
    rates.memory = known_memory_rates(registry);
    return rates;
}

} // namespace cldsp
