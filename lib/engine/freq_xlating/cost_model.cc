/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating/cost_model.h"

#include "base/arithmetic.h"
#include "base/json_value.h"
#include "base/page_memory.h"
#include "base/thread_pool.h"
#include "direct/host_direct.h"
#include "direct/host_resampler.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/host_fast_convolution.h"
#include "fast_convolution/overlap_save.h"
#include "fast_convolution/overlap_save_selective.h"
#include "fft/block_transform.h"
#include "fft/column_transform.h"
#include "fft/row_transform.h"
#include "fft/selective_transform.h"
#include "filter/filter_channel.h"
#include "planning/device_rates.h"
#include "storage/host_identity.h"

#include <cldsp/wisdom.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>

namespace cldsp {

namespace {

std::size_t overlap(const plan_shape& shape)
{
    return (shape.taps - 1) / shape.decimation;
}

//! The number of threads that have something to do if the work has \p parts parts.
double busy(const plan_shape& shape, std::size_t parts)
{
    return static_cast<double>(
        std::max<std::size_t>(1, std::min<std::size_t>(shape.threads, parts)));
}

double log2_of(std::size_t size)
{
    return std::log2(static_cast<double>(std::max<std::size_t>(2, size)));
}

//! The number of odd prime factors, 3 at most: more of them do not slow a transform
//! further.
int odd_factors(std::size_t size)
{
    constexpr int most = 3;
    int count = 0;
    while (size % 2 == 0)
        size /= 2;
    for (std::size_t factor = 3; factor * factor <= size && count < most; factor += 2)
        for (; size % factor == 0 && count < most; size /= factor)
            count++;
    return size > 1 && count < most ? count + 1 : count;
}

//! Whether a size has a prime factor that FFTW has no code for. It then takes several
//! transforms of another size instead.
bool has_large_prime(std::size_t size)
{
    for (const std::size_t factor : { 2, 3, 5, 7, 11, 13 })
        while (size % factor == 0)
            size /= factor;
    return size > 1;
}

//! Bytes of a complex value, and the bytes of traffic when one is written, see
//! memory_rates.
constexpr double value_bytes = sizeof(std::complex<float>);
constexpr double written_bytes = 2 * value_bytes;

//! Seconds of one channel by the direct algorithm: for each output, without its taps; for
//! each tap of an output; and once in a call for each tap, because the first output needs
//! as many items.
struct direct_cost {
    double output, tap, first;

    double seconds(std::size_t outputs, std::size_t taps) const
    {
        const auto n = static_cast<double>(taps);
        return n * first + static_cast<double>(outputs) * (output + n * tap);
    }
};

direct_cost cost_of_output(const plan_shape& shape,
                           const std::string& variant,
                           const host_rates& rates)
{
    if (variant == "volk")
        return { rates.volk_output, rates.volk_tap, 0 };
    // A tile of outputs reads all taps, and the items of its window, once.
    constexpr double tile = 12;
    const auto taps = static_cast<double>(shape.taps);
    const auto traffic = [&](double bytes) {
        return rates.memory.seconds(bytes, 2 * taps * value_bytes);
    };
    const double rest = shape.decimation == 1           ? rates.simd_output
                        : shape.decimation > shape.taps ? rates.simd_window
                                                        : rates.simd_sum;
    const double item = rates.simd_item + traffic(written_bytes);
    return { rest + static_cast<double>(shape.decimation) * item,
             rates.simd_tap * (shape.real_taps ? 1 : 2) + traffic(2 * value_bytes / tile),
             item + traffic(2 * value_bytes) };
}

//! Seconds of all outputs of one channel by the direct algorithm.
double direct_channel(const plan_shape& shape,
                      const std::string& variant,
                      std::size_t outputs,
                      const host_rates& rates)
{
    return outputs ? cost_of_output(shape, variant, rates).seconds(outputs, shape.taps)
                   : 0;
}

//! The number of columns in a vector of the transform by rows.
std::size_t row_width()
{
    static const std::size_t width = available_row_kernels().front()->width;
    return width;
}

std::size_t phases_of(const plan_shape& shape, const std::string& variant)
{
    return variant == "polyphase"
               ? row_phases(shape.decimation, !is_complex(shape.input), row_width())
               : 1;
}

// The number of complex items that the nearest cache holds.
constexpr std::size_t near_items = 4096;

//! Seconds of one block: the part that the channels share, and the part of each channel.
struct block_cost {
    double forward, channel;
};

//! Seconds by which a transform takes longer if its items, its results and the values
//! between its steps exceed the cache.
//! \param steps the number of times that all values are read and written
double transform_traffic(double items, double steps, const host_rates& rates)
{
    constexpr double copies = 3; // items, values between the steps, results
    return rates.memory.seconds(steps * items * (value_bytes + written_bytes),
                                copies * items * value_bytes);
}

//! Seconds for an item of FFTW's transform of \p size items.
double fftw_item(std::size_t size, const host_rates& rates)
{
    return rates.selected_item * log2_of(size) *
           (1 + rates.odd_factor * odd_factors(size)) *
           (has_large_prime(size) ? rates.large_prime
            : size % 2            ? rates.odd_size
                                  : 1);
}

//! Seconds of a block_transform.
double block_transform_cost(std::size_t size, const host_rates& rates)
{
    constexpr std::size_t max_fftw = std::size_t(1) << 16; // fast without a grid
    constexpr double grid_steps = 2;                       // columns, then rows
    constexpr double fftw_steps = 3; // FFTW divides large sizes at least twice
    const auto items = static_cast<double>(size);
    if (const std::size_t columns = block_transform::grid_columns(size))
        return (rates.grid_item + fftw_item(columns, rates)) * items +
               transform_traffic(items, grid_steps, rates);
    if (size > max_fftw)
        return std::max(rates.large_item,
                        has_large_prime(size) ? fftw_item(size, rates) : 0) *
                   items +
               transform_traffic(items, fftw_steps, rates);
    return fftw_item(size, rates) * items * (size > near_items ? rates.far_items : 1);
}

//! Seconds of the forward transform of a block of selected bins.
double forward_cost(const plan_shape& shape,
                    std::size_t ifft_size,
                    bool gathers,
                    const host_rates& rates)
{
    const std::size_t size = ifft_size * shape.decimation;
    const bool real = !is_complex(shape.input);
    const auto items = static_cast<double>(size);
    const auto columns = [&](std::size_t rows) {
        return gathers ? column_transform::padded_items(ifft_size, rows, row_width()) : 0;
    };
    constexpr double steps = 2; // columns, then rows
    if (real && shape.decimation % 2 == 0 && columns(shape.decimation / 2) > 0)
        return rates.columns_item * static_cast<double>(columns(shape.decimation / 2)) *
                   log2_of(size / 2) +
               rates.split_item * items + transform_traffic(items / 2, steps, rates);
    if (!real && columns(shape.decimation) > 0)
        return rates.columns_item * static_cast<double>(columns(shape.decimation)) *
                   log2_of(size) +
               transform_traffic(items, steps, rates);
    const bool pairs = real && size % 2 == 0;
    const std::size_t values = pairs ? size / 2 : size;
    // Channels that fold alone need only the bins that one of them keeps.
    const double bins =
        gathers ? 1 : std::min(1.0, shape.kept * static_cast<double>(shape.channels));
    if (!gathers && overlap_save_selective::covers(
                        shape.input, shape.decimation, ifft_size, row_width())) {
        const auto count = static_cast<double>(values);
        return rates.selective_item * count *
                   selective_transform::relative_cost(values, row_width()) +
               transform_traffic(count, steps, rates) +
               (pairs ? rates.split_item * items * bins : 0);
    }
    // The items are first converted, or moved to their place in the block. Gathered bins
    // are copied once more.
    const double moves = gathers ? 2 : 1;
    const double transform = block_transform_cost(values, rates) +
                             transform_traffic(static_cast<double>(values), moves, rates);
    if (!pairs)
        return transform;
    return transform + rates.pair_item * items * bins;
}

constexpr double fold_members = 16; // channels that read bins together

//! Seconds of a channel's fold, if it folds only the bins that it keeps.
double single_fold_cost(double kept,
                        std::size_t items,
                        std::size_t ifft_size,
                        const host_rates& rates)
{
    return rates.selected_fold *
           std::max(kept * static_cast<double>(items), static_cast<double>(ifft_size));
}

//! Seconds of an inverse transform, and of the rotation of its outputs.
double inverse_cost(double outputs, std::size_t ifft_size, const host_rates& rates)
{
    // The largest transform whose two steps keep their values in registers.
    constexpr std::size_t inverse_size = 256;
    // The second step of a grid takes whole vectors.
    const std::size_t rows = inverse_passes(ifft_size, row_width()).first;
    const double padding =
        rows ? 0.5 * (1 + static_cast<double>(round_up(rows, row_width())) /
                              static_cast<double>(rows))
             : 1;
    return rows
               ? outputs * rates.inverse_output * padding *
                     (1 + rates.inverse_doubling *
                              std::max(0.0, log2_of(ifft_size) - log2_of(inverse_size)))
               : outputs * (rates.inverse_flop * 5 * log2_of(ifft_size) *
                                (has_large_prime(ifft_size) ? 2 * rates.large_prime : 1) +
                            rates.rotate_output);
}

double blocks_of_a_thread(const plan_shape& shape, std::size_t items)
{
    return static_cast<double>(blocks_in_work(shape.channels, shape.threads, items)) /
           static_cast<double>(std::max(1U, shape.threads));
}

//! The bytes of a channel's gains, as fractions of those of one float for each part of
//! each gain. (The rates of banks of one rate were fitted with the default values.)
struct gain_shares {
    double read = 1; //!< that come from beyond the cache for a block
    double stored = 1;
};

//! Seconds by which the channels of a block take longer, for each channel, if the bins of
//! the blocks in work and the channels' responses exceed the cache.
//! \param bins of a block, which has \p items input items
//! \param kept the fraction of the bins that a channel reads
//! \param sharing channels that read bins together
//! \param gains the gains that are read for a block, and those that are stored
double channel_traffic(const plan_shape& shape,
                       double bins,
                       std::size_t items,
                       double kept,
                       double sharing,
                       const gain_shares& gains,
                       const host_rates& rates)
{
    const double gain_bytes = value_bytes / (shape.real_taps ? 2 : 1);
    const double working_set =
        bins * (blocks_of_a_thread(shape, items) * value_bytes +
                static_cast<double>(shape.channels) * kept * gains.stored * gain_bytes);
    return rates.memory.seconds(
        kept * bins * (value_bytes / sharing + gains.read * gain_bytes), working_set);
}

//! Seconds of a channel's fold.
//! \param size the items of a block
//! \param gathers whether the channel folds with others
//! \param gains see channel_traffic()
double fold_cost(const plan_shape& shape,
                 std::size_t size,
                 std::size_t ifft_size,
                 double kept,
                 bool gathers,
                 const gain_shares& gains,
                 const host_rates& rates)
{
    const auto items = static_cast<double>(size);
    if (!gathers)
        return single_fold_cost(kept, size, ifft_size, rates) +
               channel_traffic(shape, items, size, kept, 1, gains, rates);
    // Several channels fold whole vectors of bins, which a group of them reads together.
    // Few vectors have no bin that is kept.
    const double vectors = std::min(1.0, 1.5 * kept + 0.28);
    return rates.group_fold * items * vectors +
           channel_traffic(shape, items, size, vectors, fold_members, gains, rates);
}

block_cost cost_of_block(const plan_shape& shape,
                         const std::string& variant,
                         std::size_t ifft_size,
                         const host_rates& rates)
{
    const auto m = static_cast<double>(ifft_size);
    double outputs = m;
    block_cost cost{};
    if (variant == "polyphase") {
        const std::size_t phases = phases_of(shape, variant);
        const std::size_t padded =
            divide_up(phases * shape.decimation, row_width()) * row_width();
        const double items = m * static_cast<double>(padded);
        cost.forward = rates.polyphase_item * (is_complex(shape.input) ? 1 : 0.5) * items;
        cost.channel = rates.polyphase_fold * items * static_cast<double>(phases);
        // Two real items are the parts of one value.
        const double values = is_complex(shape.input) ? items : items / 2;
        cost.forward += transform_traffic(values, 1, rates);
        cost.channel += channel_traffic(
            shape, values, ifft_size * shape.decimation * phases, 1, 1, {}, rates);
        outputs = m * static_cast<double>(phases);
    } else if (variant == "four_step") {
        constexpr double steps = 2; // rows, then columns
        cost.forward = rates.four_step_item * m * log2_of(ifft_size) *
                           (ifft_size > near_items ? rates.far_items : 1) +
                       transform_traffic(m, steps, rates);
        cost.channel = cost.forward + outputs * rates.rotate_output + rates.block_channel;
        cost.forward += rates.block;
        return cost;
    } else {
        const std::size_t size = ifft_size * shape.decimation;
        const bool gathers = gathers_bins(shape.decimation, shape.channels, shape.kept);
        cost.forward = forward_cost(shape, ifft_size, gathers, rates);
        cost.channel = fold_cost(shape, size, ifft_size, shape.kept, gathers, {}, rates);
    }
    cost.channel += inverse_cost(outputs, ifft_size, rates) + rates.block_channel;
    cost.forward += rates.block;
    return cost;
}

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
        gains.read = gains.stored / blocks_of_a_thread(shape, size);
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
    const double slots = threads * blocks_of_a_thread(shape, block.fft_size);
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

/*!
 * Up to \p most of the candidates, without those whose size is close to that of an
 * earlier one: measuring them would tell nothing new. \param size_of gives the size of a
 * candidate
 */
template <class Candidate, class F>
std::vector<Candidate> without_close(const std::vector<Candidate>& candidates,
                                     std::size_t most,
                                     const F& size_of)
{
    constexpr double apart = 1.25;
    std::vector<Candidate> chosen;
    for (const auto& candidate : candidates) {
        const bool is_new =
            std::none_of(chosen.begin(), chosen.end(), [&](const Candidate& other) {
                const double ratio = static_cast<double>(size_of(candidate)) /
                                     static_cast<double>(size_of(other));
                return ratio < apart && ratio > 1 / apart;
            });
        if (is_new && chosen.size() < most)
            chosen.push_back(candidate);
    }
    return chosen;
}

//! Whether a size is 2^a 3^b 5^c; every FFT library is fast for such sizes.
bool is_smooth(std::size_t size)
{
    for (const std::size_t factor : { 2, 3, 5 })
        while (size % factor == 0)
            size /= factor;
    return size == 1;
}

//! Whether the variant covers a size, and its transforms are fast.
bool covers(const plan_shape& shape, const std::string& variant, std::size_t ifft_size)
{
    const auto* method = find_overlap_save_method(variant);
    return method && method->covers(shape.decimation, ifft_size) && is_smooth(ifft_size);
}

constexpr const char* kind = "calibration";

// Limits of the factor between this machine and the one on which host_rates were
// measured. No machine that runs this is outside them.
constexpr double min_factor = 0.1;
constexpr double max_factor = 1000;

//! The factor by which this machine is slower than the one on which host_rates were
//! measured, from the time of a short direct filter.
double measured_factor()
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
    const auto filter = make_host_fir("simd", channel);
    host_fir_scratch scratch;
    const auto in = trial_input(problem.input, channel.window(outputs));
    const page_memory out(outputs * sizeof(std::complex<float>));

    double fastest = std::numeric_limits<double>::infinity();
    const auto start = clock::now();
    const auto since = [](clock::time_point then) {
        return std::chrono::duration<double>(clock::now() - then).count();
    };
    for (int calls = 0; calls < min_calls || since(start) < enough_seconds; calls++) {
        const auto before = clock::now();
        filter->run({ in.as<void>(), out.as<std::complex<float>>(), outputs, {} },
                    scratch);
        fastest = std::min(fastest, since(before));
    }
    return fastest / predict_host_direct(shape, "simd", host_rates());
}

//! The factor of measured_factor(), measured once and remembered.
double calibrated_factor(context_registry& registry)
{
    const auto known = json_value::parse(registry.wisdom().find(kind, host_identity()));
    const auto remembered = known ? (*known)["factor"].number() : std::nullopt;
    if (remembered && *remembered >= min_factor && *remembered <= max_factor)
        return *remembered;
    const double factor = std::clamp(measured_factor(), min_factor, max_factor);
    const json_value fresh = json_value::object{ { "factor", factor } };
    registry.wisdom().store(kind, host_identity(), fresh.print());
    return factor;
}

//! The work of a variant on a device after the forward transforms.
struct device_channel_work {
    double bytes;   //!< read and written in the device's memory for a channel of a block
    double kernels; //!< of a call
};

device_channel_work channel_work_of(const plan_shape& shape,
                                    const device_info& device,
                                    const std::string& variant,
                                    std::size_t ifft_size)
{
    const double outputs = static_cast<double>(ifft_size) * value_bytes;
    // As many bins and gains.
    const double bins =
        std::max(outputs, outputs * shape.kept * static_cast<double>(shape.decimation));
    if (variant == "fused_fold")
        return { 2 * bins + outputs, 1 }; // fold, transform and rotator in one kernel
    if (variant == "tiled_fold" &&
        ifft_sizes_of(variant, device, shape.decimation).contains(ifft_size)) {
        const auto tile = suggested_tiled_fold(
            device.kind, device.limits, ifft_size, shape.decimation, shape.channels);
        // The channels of a tile read bins once, and its blocks read gains once. The sums
        // are written and read again.
        return { bins / static_cast<double>(tile.channels()) +
                     bins / static_cast<double>(tile.blocks) + 3 * outputs,
                 2 };
    }
    if (variant == "tensor_fold" &&
        ifft_sizes_of(variant, device, shape.decimation).contains(ifft_size)) {
        // A work-group reads the bins of its blocks once for many tiles of channels.
        const auto tile = suggested_tensor_fold(
            device.limits, ifft_size, shape.decimation, false, tensor_mode::native);
        return { bins / static_cast<double>(tile.blocks()) + 3 * outputs, 2 };
    }
    return { 2 * bins + 5 * outputs, 3 }; // fold, inverse transform, rotator
}

} // namespace

host_rates host_rates::scaled(double factor) const
{
    host_rates all = *this;
    for (double* rate : { &all.call,
                          &all.simd_tap,
                          &all.simd_output,
                          &all.simd_sum,
                          &all.simd_window,
                          &all.simd_item,
                          &all.volk_tap,
                          &all.volk_output,
                          &all.polyphase_item,
                          &all.four_step_item,
                          &all.polyphase_fold,
                          &all.selected_item,
                          &all.columns_item,
                          &all.split_item,
                          &all.pair_item,
                          &all.grid_item,
                          &all.selective_item,
                          &all.large_item,
                          &all.selected_fold,
                          &all.group_fold,
                          &all.gather_item,
                          &all.inverse_flop,
                          &all.rotate_output,
                          &all.inverse_output,
                          &all.block,
                          &all.block_channel,
                          &all.memory.near_byte,
                          &all.memory.far_byte,
                          &all.slowness })
        *rate *= factor;
    return all;
}

double predict_host_direct(const plan_shape& shape,
                           const std::string& variant,
                           const host_rates& rates)
{
    const double by_one =
        rates.call + static_cast<double>(shape.channels) *
                         direct_channel(shape, variant, shape.outputs(), rates);
    return by_one < min_shared_seconds ? by_one : by_one / busy(shape, shape.channels);
}

std::size_t
block_outputs(const plan_shape& shape, const std::string& variant, std::size_t ifft_size)
{
    const std::size_t phases = phases_of(shape, variant);
    const std::size_t columns = phases * shape.decimation;
    std::size_t lost = (shape.taps - 1) / columns;
    // The later outputs of a row may need items of the next row.
    if ((shape.taps - 1) % columns + (phases - 1) * shape.decimation >= columns)
        lost++;
    return ifft_size > lost ? (ifft_size - lost) * phases : 0;
}

double predict_host_fast_convolution(const plan_shape& shape,
                                     const std::string& variant,
                                     std::size_t ifft_size,
                                     const host_rates& rates)
{
    const std::size_t outputs = block_outputs(shape, variant, ifft_size);
    if (outputs == 0)
        return std::numeric_limits<double>::infinity();
    const auto cost = cost_of_block(shape, variant, ifft_size, rates);
    const auto channels = static_cast<double>(shape.channels);
    const std::size_t blocks = shape.outputs() / outputs;
    const std::size_t rest = shape.outputs() % outputs;
    const auto seconds_of = [&](const plan_shape& on) {
        const auto seconds = [&](std::size_t count) {
            return static_cast<double>(count) *
                   (cost.forward / busy(on, count) +
                    channels * cost.channel / busy(on, count * on.channels));
        };
        const double rest_directly =
            channels * direct_channel(on, "simd", rest, rates) / busy(on, on.channels);
        return rates.call + std::min(seconds(blocks) + rest_directly,
                                     seconds(rest ? blocks + 1 : blocks));
    };
    plan_shape alone = shape;
    alone.threads = 1;
    const double by_one = seconds_of(alone);
    return by_one < min_shared_seconds ? by_one : seconds_of(shape);
}

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
        const double call =
            by_one < min_shared_seconds
                ? by_one
                : by_one /
                      busy(shape, static_cast<std::size_t>(blocks) * channels.size());
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
                                       const std::string& variant,
                                       const host_rates& rates)
{
    // Besides the taps, for an output whose window is read for it alone. Such products
    // load both their operands.
    constexpr double loads = 2;
    constexpr double product_seconds = 1.5e-9; // of the interpolation of taps
    const std::size_t items = its.taps + its.rate.further_taps();
    const auto channels = static_cast<double>(its.channels);
    const double planes = shape.real_taps ? 1 : 2;
    const std::size_t filters =
        resampler_filter_bytes(its.rate, its.taps, shape.real_taps);
    const bool is_volk = variant == "volk";
    const double tap = is_volk ? rates.volk_tap : loads * rates.simd_tap;
    const double output =
        (is_volk ? rates.volk_output : rates.simd_window) +
        static_cast<double>(items) * planes *
            (tap + rates.memory.seconds(value_bytes, static_cast<double>(filters)));
    resampler_prediction all{};
    all.item_seconds = channels * (rates.simd_item + output * its.rate.rate(1));
    const double by_one =
        rates.call + all.item_seconds * static_cast<double>(shape.items);
    all.call_seconds =
        by_one < min_shared_seconds ? by_one : by_one / busy(shape, its.channels);
    all.bytes =
        filters * its.different_taps +
        resampler_channel_bytes(items) * (its.channels + std::max(1U, shape.threads));
    all.prepare_seconds =
        rates.slowness * product_seconds * static_cast<double>(its.different_taps) *
        static_cast<double>(its.rate.interpolation) * static_cast<double>(its.taps + 50) *
        static_cast<double>(its.rate.further_taps() + 1);
    return all;
}

double predict_host_block(const plan_shape& shape,
                          const std::string& variant,
                          std::size_t ifft_size,
                          const host_rates& rates)
{
    const auto cost = cost_of_block(shape, variant, ifft_size, rates);
    return cost.forward + static_cast<double>(shape.channels) * cost.channel;
}

host_costs predicted_costs(const plan_shape& shape,
                           const std::string& direct_variant,
                           const host_rates& rates)
{
    plan_shape alone = shape;
    alone.threads = 1;
    host_costs costs;
    const auto direct = cost_of_output(shape, direct_variant, rates);
    const auto channels = static_cast<double>(shape.channels);
    costs.call = rates.call;
    costs.output = channels * direct.output;
    costs.tap = channels * direct.tap;
    costs.first = channels * direct.first;
    costs.block = [=](const std::string& variant,
                      std::size_t ifft_size,
                      std::size_t active_channels) {
        plan_shape active = alone;
        active.channels = active_channels;
        return predict_host_block(active, variant, ifft_size, rates);
    };
    return costs;
}

std::vector<std::size_t> candidate_sizes(const plan_shape& shape,
                                         const std::string& variant,
                                         const host_rates& rates,
                                         std::size_t most)
{
    // A block that is longer than the call computes outputs that nobody asked for, but
    // the next power of two may still be the fastest transform. No block is worth more
    // than max_items items.
    constexpr std::size_t max_items = std::size_t(1) << 22;
    const std::size_t phases = phases_of(shape, variant);
    const std::size_t needed =
        divide_up(shape.outputs(), phases) + overlap(shape) / phases + 2;
    const std::size_t least = std::max<std::size_t>(4, overlap(shape) / phases * 5 / 4);
    std::size_t last = 2 * std::max(needed, 2 * least);
    last = std::max(least, std::min(last, max_items / shape.decimation));

    std::vector<std::pair<double, std::size_t>> sizes;
    for (std::size_t ifft_size = least; ifft_size <= last; ifft_size++) {
        if (!covers(shape, variant, ifft_size))
            continue;
        const double seconds =
            predict_host_fast_convolution(shape, variant, ifft_size, rates);
        if (std::isfinite(seconds))
            sizes.emplace_back(seconds, ifft_size);
    }
    std::sort(sizes.begin(), sizes.end());
    // If a block is larger than the call, the call may be computed directly instead.
    // Measuring such a block would tell nothing new.
    const double directly = predict_host_direct(shape, "simd", rates);
    const auto with_blocks = [&](const auto& size) {
        return block_outputs(shape, variant, size.second) <= shape.outputs() ||
               size.first < directly;
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

double predict_device(const plan_shape& shape,
                      const device_info& device,
                      const std::string& transfer,
                      std::size_t ifft_size,
                      const host_rates& host,
                      const std::string& variant)
{
    const auto rates = estimated_rates(device);
    const auto channels = static_cast<double>(shape.channels);
    const auto outputs = static_cast<double>(shape.outputs());
    double flops = 8 * channels * outputs * static_cast<double>(shape.taps);
    double compute = rates.flop * flops;
    if (ifft_size && variant == "dft_bank") {
        // Each output of all channels takes the sums of one filter, and a transform.
        const auto m = static_cast<double>(ifft_size);
        flops = outputs * (8 * static_cast<double>(shape.taps) +
                           m * (8 + 5 * std::log2(m)) + 8 * channels);
        compute = rates.fft_flop * flops;
    } else if (ifft_size) {
        const std::size_t a_block = block_outputs(shape, "selected_bins", ifft_size);
        if (a_block == 0)
            return std::numeric_limits<double>::infinity();
        const auto blocks =
            static_cast<double>((shape.outputs() + a_block - 1) / a_block);
        const auto m = static_cast<double>(ifft_size);
        const double items = m * static_cast<double>(shape.decimation);
        flops = 5 * items * std::log2(items) +
                channels * (8 * std::max(shape.kept * items, m) + 5 * m * std::log2(m));
        const auto work = channel_work_of(shape, device, variant, ifft_size);
        // Further kernels of a call follow the first one without a wait.
        constexpr double further_kernel = 0.15;
        compute = rates.fft_flop * blocks * flops +
                  rates.memory * blocks * channels * work.bytes +
                  rates.call * further_kernel * work.kernels;
    }
    const double bytes =
        static_cast<double>(shape.items * sample_size(shape.input)) +
        channels * outputs * static_cast<double>(sizeof(std::complex<float>));
    // The direct algorithm runs one channel after the other.
    const double runs = ifft_size ? 1 : channels;
    double seconds = runs * rates.call + compute + bytes * rates.transfer;
    if (transfer != "zero_copy")
        seconds += 2 * runs * rates.map + bytes * rates.copy;
    // OpenCL tells little about the speed of a CPU. But the CPU device is the host, which
    // has been measured.
    return device.kind == device_kind::cpu ? seconds * host.slowness : seconds;
}

host_rates calibrated_rates(context_registry& registry)
{
    auto rates = host_rates().scaled(calibrated_factor(registry));
    rates.memory = calibrated_memory_rates(registry);
    return rates;
}

} // namespace cldsp
