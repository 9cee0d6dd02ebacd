// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Computes the channels on the raster together, and the others by fast convolution.

#include "fast_convolution/opencl_dft_bank.h"

#include "base/arithmetic.h"
#include "base/call_statistics.h"
#include "direct/opencl_direct.h"
#include "direct/opencl_direct_variant.h"
#include "fast_convolution/dft_bank.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "fast_convolution/opencl_pipeline.h"
#include "filter/device_cost.h"
#include "filter/operation_counts.h"
#include "filter/variants.h"
#include "opencl/call_pieces.h"
#include "opencl/device_table.h"
#include "opencl/kernel_groups.h"
#include "opencl/pinned_transfer.h"

#include <cldsp/errors.h>
#include <cldsp/logger.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace cldsp {

namespace {

//! The channels that the kernel computes, and what it reads of them.
struct raster_channels {
    std::vector<std::size_t> channels; //!< in ascending order
    double error = 0; //!< the largest by which a frequency is off, see raster_place
    std::optional<filter_channel> origin; //!< the channel at place 0 of the raster
    device_table taps;                    //!< those of the origin, rotated
    device_table places;                  //!< of the channels
};

/*!
 * Computes the channels that are not on the raster, by fast convolution or directly. Each
 * has a slot of a bank that is made for twice as many channels when they are too many.
 */
class other_channels
{
public:
    other_channels(std::shared_ptr<context> device,
                   const std::string& transfer,
                   double accuracy,
                   std::size_t channels)
        : d_device(std::move(device)),
          d_transfer(transfer),
          d_accuracy(accuracy),
          d_is_new(channels, true)
    {
    }

    bool empty() const { return d_wanted.empty(); }
    //! Tells that a channel has new taps or a new frequency.
    void forget(std::size_t channel) { d_is_new[channel] = true; }
    //! Chooses the channels to compute. \throws opencl_error
    void set(const std::vector<std::size_t>& wanted,
             const std::vector<filter_channel>& channels);
    //! Computes these channels of a call. \throws opencl_error
    void run(const filter_call& call, call_statistics& sums);
    void set_stream_memory(memory_region in)
    {
        d_in_stream = in;
        if (d_bank)
            d_bank->set_stream_memory(in, {});
    }
    bool device_is_lost() const { return d_bank && d_bank->device_is_lost(); }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    void make(const std::vector<filter_channel>& channels);

    std::shared_ptr<context> d_device;
    const std::string d_transfer;
    const double d_accuracy;
    std::vector<bool> d_is_new; // of all channels: whether a slot has an older one
    std::vector<std::size_t> d_wanted;
    std::vector<std::size_t> d_slots; // the channel in each, or none
    std::unique_ptr<filter_executor> d_bank;
    memory_region d_in_stream;
    std::vector<channel_call> d_calls; // one for each slot
};

void other_channels::set(const std::vector<std::size_t>& wanted,
                         const std::vector<filter_channel>& channels)
{
    d_wanted = wanted;
    const auto is_wanted = [&](std::size_t channel) {
        return std::binary_search(wanted.begin(), wanted.end(), channel);
    };
    for (auto& channel : d_slots)
        if (channel != none && !is_wanted(channel))
            channel = none;
    if (wanted.size() > d_slots.size())
        return make(channels);
    for (const std::size_t channel : wanted) {
        auto slot = std::find(d_slots.begin(), d_slots.end(), channel);
        if (slot != d_slots.end() && !d_is_new[channel])
            continue;
        if (slot == d_slots.end())
            slot = std::find(d_slots.begin(), d_slots.end(), none);
        *slot = none;
        try {
            d_bank->configure(static_cast<std::size_t>(slot - d_slots.begin()),
                              channels[channel]);
        } catch (const std::invalid_argument&) {
            return make(channels); // taps that are too long for this bank
        }
        *slot = channel;
        d_is_new[channel] = false;
    }
}

void other_channels::make(const std::vector<filter_channel>& channels)
{
    constexpr std::size_t least = 16; // a tile of tiled_fold
    std::size_t slots = std::max(least, d_slots.size());
    while (slots < d_wanted.size())
        slots *= 2;
    d_slots.clear(); // until there is a bank
    d_bank.reset();
    std::vector<filter_channel> all;
    for (std::size_t i = 0; i < slots; i++)
        all.push_back(channels[d_wanted[std::min(i, d_wanted.size() - 1)]]);
    try {
        d_bank = make_opencl_fast_convolution(
            d_device, "tiled_fold", d_transfer, all, d_accuracy);
    } catch (const std::invalid_argument&) {
        d_bank = make_opencl_direct(d_device, "auto", d_transfer, all);
    }
    d_bank->set_stream_memory(d_in_stream, {});
    d_slots = d_wanted;
    d_slots.resize(slots, none);
    for (const std::size_t channel : d_wanted)
        d_is_new[channel] = false;
    log_to(d_device->log(),
           log_level::debug,
           "'" + d_bank->variant_name() + "' computes " +
               std::to_string(d_wanted.size()) +
               " channels that 'dft_bank' cannot: they have taps of their own, or a "
               "frequency that is not on the raster");
}

void other_channels::run(const filter_call& call, call_statistics& sums)
{
    d_calls.clear();
    for (const std::size_t channel : d_slots)
        d_calls.push_back(channel == none
                              ? channel_call{ nullptr, {}, call.channels->span }
                              : call.channels[channel]);
    d_bank->clear_statistics();
    d_bank->run({ call.in, call.history, call.items, d_calls.data() });
    const auto times = d_bank->statistics();
    sums.add_times(times.kernel_time, times.transfer_time);
}

//! A pipeline with the kernel that computes a piece of a call.
class raster_pipeline final : public opencl_pipeline
{
public:
    raster_pipeline(std::shared_ptr<context> its_device,
                    const std::string& transfer,
                    std::shared_ptr<pinned_stream> stream,
                    const dft_bank_shape& shape,
                    const channel_problem& problem)
        : opencl_pipeline(std::move(its_device), transfer, std::move(stream), false),
          d_input(problem.input),
          d_decimation(problem.decimation),
          d_block(shape.outputs),
          d_bank(device(), queue(), shape, problem.input)
    {
    }

    //! Enqueues the outputs \p first to \p first + \p outputs - 1 of a call.
    //! \param factors the rotators of the raster's channels at the first one
    void enqueue(const raster_channels& raster,
                 const filter_call& call,
                 const std::vector<std::complex<float>>& factors,
                 std::size_t first,
                 std::size_t outputs);

private:
    const sample_type d_input;
    const std::size_t d_decimation, d_block;
    dft_bank d_bank;
};

void raster_pipeline::enqueue(const raster_channels& raster,
                              const filter_call& call,
                              const std::vector<std::complex<float>>& factors,
                              std::size_t first,
                              std::size_t outputs)
{
    begin(call, raster.channels, factors, first, divide_up(outputs, d_block));
    const std::size_t taps = raster.origin->taps();
    const std::size_t oldest = call.newest() + first * d_decimation - (taps - 1);
    const auto in = input(call, d_input, oldest, (outputs - 1) * d_decimation + taps);
    compute_part(raster.channels.size(), outputs, [&](const device_range& out) {
        d_bank.enqueue({ in,
                         raster.taps.buffer(),
                         taps,
                         d_decimation,
                         -raster.origin->step * d_decimation,
                         raster.places.buffer(),
                         channel_values(),
                         raster.channels.size(),
                         outputs,
                         out.buffer },
                       events());
    });
    flush();
}

//! See make_opencl_dft_bank().
class opencl_dft_bank final : public filter_executor
{
public:
    opencl_dft_bank(std::shared_ptr<context> device,
                    const std::string& transfer,
                    const std::vector<filter_channel>& channels,
                    double accuracy,
                    std::size_t size);

    void configure(std::size_t channel, const filter_channel& setup) override;
    void run(const filter_call& call) override;
    void set_stream_memory(memory_region in, memory_region out) override;
    std::string device_name() const override { return d_device->name(); }
    std::string variant_name() const override { return "dft_bank"; }
    std::string transfer_name() const override
    {
        return d_pipelines.first().transfer_name();
    }
    run_statistics statistics() const override { return d_sums.averages(); }
    void clear_statistics() override { d_sums = {}; }
    bool device_is_lost() const override
    {
        return d_others.device_is_lost() || d_pipelines.device_is_lost();
    }

private:
    void check_taps(const filter_channel& channel) const;
    void make(std::size_t size, std::size_t max_taps);
    void take_active();
    std::size_t most_common_origin() const;
    bool follow_raster(const filter_channel& origin,
                       const std::vector<std::size_t>& others);
    void set_raster(const filter_channel& origin,
                    const std::vector<std::size_t>& channels);
    void find_factors(const filter_call& call, std::size_t first);
    void run_raster(const filter_call& call);
    std::size_t outputs_per_piece(std::size_t outputs) const;
    double multiply_adds(std::size_t outputs) const;

    std::shared_ptr<context> d_device;
    device_limits d_limits; //!< with groups that the compiled kernel may have
    const std::string d_transfer;
    std::vector<filter_channel> d_channels;
    std::size_t d_size; //!< of the raster
    std::size_t d_max_taps = 0;
    dft_bank_shape d_shape;
    std::shared_ptr<pinned_stream> d_stream;     //!< of all pipelines
    pipeline_group<raster_pipeline> d_pipelines; // blocks have d_shape.outputs outputs
    call_statistics d_sums;

    std::vector<std::size_t> d_found;  // the channels that are active in this call
    std::vector<std::size_t> d_active; // those that are sorted into the two below
    bool d_changed = true;             // whether channels have changed since then
    raster_channels d_raster;
    other_channels d_others;                    // active, and not on the raster
    std::vector<std::complex<float>> d_factors; // see raster_pipeline::enqueue()
};

opencl_dft_bank::opencl_dft_bank(std::shared_ptr<context> device,
                                 const std::string& transfer,
                                 const std::vector<filter_channel>& channels,
                                 double accuracy,
                                 std::size_t size)
    : d_device(std::move(device)),
      d_limits(d_device->limits()),
      d_transfer(transfer),
      d_channels(channels),
      d_size(size),
      d_stream(std::make_shared<pinned_stream>(d_device)),
      d_pipelines(d_device),
      d_others(d_device, transfer, accuracy, channels.size())
{
    if (channels.empty())
        throw_invalid("channels", "none", "one or more");
    check_accuracy(accuracy);
    const std::size_t most = max_dft_bank_size(d_device->limits());
    if (!d_size)
        d_size = find_raster(channels, most);
    if (!d_size)
        throw_invalid("variant",
                      "'dft_bank'",
                      "another one: the channels do not have the same taps and "
                      "frequencies on a raster of the sampling rate divided by " +
                          std::to_string(most) + " at most on device '" +
                          d_device->name() + "', a product of 2, 3 and 5");
    if (d_size > most || dft_bank_radices(d_size).empty())
        throw_invalid("ifft_size",
                      std::to_string(d_size),
                      "a product of 2, 3 and 5 from 2 to " + std::to_string(most) +
                          " for variant 'dft_bank' on device '" + d_device->name() + "'");
    for (std::size_t c = 0; c < channels.size(); c++)
        if (!place_on_raster(channels[c], channels[0], d_size))
            throw_invalid("ifft_size",
                          std::to_string(d_size),
                          "the size of a raster that all channels are on; channel " +
                              std::to_string(c) + " is not, or has taps of its own");
    for (auto& channel : d_channels) // one list, which takes no time to compare
        channel.set_taps(channels[0].problem.taps);
    check_taps(channels[0]);
    make(d_size, channels[0].taps());
}

//! \throws std::invalid_argument for more taps than half a buffer has items
void opencl_dft_bank::check_taps(const filter_channel& channel) const
{
    const auto& limits = d_device->limits();
    const std::size_t most = (limits.max_buffer / 2 - limits.base_address_alignment) /
                             sizeof(std::complex<float>);
    if (channel.taps() > most)
        throw_invalid("taps",
                      std::to_string(channel.taps()) + " of them",
                      "at most " + std::to_string(most) + " on device '" +
                          d_device->name() + "'");
}

//! Makes everything that depends on the size of the raster and on the longest taps.
//! \throws std::invalid_argument if the device cannot run the kernel
void opencl_dft_bank::make(std::size_t size, std::size_t max_taps)
{
    auto first = with_groups_that_run(d_limits, [&](const device_limits& limits) {
        if (size > max_dft_bank_size(limits))
            throw std::invalid_argument("no sizes");
        const auto shape =
            suggested_dft_bank(limits, size, d_channels[0].problem.decimation, max_taps);
        auto made = with_opencl_errors(*d_device, [&] {
            return std::make_unique<raster_pipeline>(
                d_device, d_transfer, d_stream, shape, d_channels[0].problem);
        });
        d_shape = shape;
        d_limits = limits;
        return made;
    });
    d_size = size;
    d_max_taps = max_taps;
    d_pipelines.set(std::move(first), [this] {
        return std::make_unique<raster_pipeline>(
            d_device, d_transfer, d_stream, d_shape, d_channels[0].problem);
    });
    d_pipelines.forget_pace();
}

void opencl_dft_bank::configure(std::size_t channel, const filter_channel& setup)
{
    if (channel >= d_channels.size())
        throw_invalid("channel",
                      std::to_string(channel),
                      "0 to " + std::to_string(d_channels.size() - 1));
    check_taps(setup);
    d_channels[channel] = setup;
    if (d_raster.origin && setup.problem.taps == d_raster.origin->problem.taps)
        d_channels[channel].set_taps(d_raster.origin->problem.taps);
    d_others.forget(channel);
    d_changed = true;
}

void opencl_dft_bank::set_stream_memory(memory_region in, memory_region)
{
    d_pipelines.set_stream_memory(in, {});
    d_others.set_stream_memory(in);
}

//! The active channel on whose raster most active channels are.
std::size_t opencl_dft_bank::most_common_origin() const
{
    // Among channels that have little in common it does not matter much.
    constexpr std::size_t max_rasters = 16;
    struct raster {
        std::size_t origin, channels;
    };
    std::vector<raster> rasters;
    for (const std::size_t c : d_found) {
        const auto known =
            std::find_if(rasters.begin(), rasters.end(), [&](const raster& r) {
                return place_on_raster(d_channels[c], d_channels[r.origin], d_size);
            });
        if (known != rasters.end())
            ++known->channels;
        else if (rasters.size() < max_rasters)
            rasters.push_back({ c, 1 });
    }
    return std::max_element(
               rasters.begin(),
               rasters.end(),
               [](const raster& a, const raster& b) { return a.channels < b.channels; })
        ->origin;
}

//! Prepares the device for the channels that are active, if they have changed.
void opencl_dft_bank::take_active()
{
    if (!d_changed && d_found == d_active)
        return;
    const bool has_more = d_found.size() > d_active.size();
    d_active.clear(); // nothing is known of the tables if this fails
    d_changed = true;
    const auto origin = d_channels[most_common_origin()];
    std::vector<std::size_t> members, others;
    const auto sort_out = [&] {
        members.clear();
        others.clear();
        for (const std::size_t c : d_found)
            (place_on_raster(d_channels[c], origin, d_size) ? members : others)
                .push_back(c);
    };
    try {
        sort_out();
        if (!others.empty() && follow_raster(origin, others))
            sort_out();
        // A little more than is needed, so that growing taps do not compile each time.
        if (origin.taps() > d_max_taps)
            make(d_size, origin.taps() + origin.taps() / 4);
        else if (2 * origin.taps() < d_max_taps)
            make(d_size, origin.taps());
    } catch (const std::invalid_argument&) { // no work-group of the kernel fits
        members.clear();
        others = d_found;
    }
    if (has_more)
        d_pipelines.forget_pace();
    set_raster(origin, members);
    d_others.set(others, d_channels);
    d_active = d_found;
    d_changed = false;
}

/*!
 * Takes another raster if all active channels are on one.
 *
 * \param others the active channels that are not on this one
 * \returns whether there is one
 */
bool opencl_dft_bank::follow_raster(const filter_channel& origin,
                                    const std::vector<std::size_t>& others)
{
    const std::size_t most = max_dft_bank_size(d_limits);
    std::vector<filter_channel> some{ origin };
    for (const std::size_t c : others)
        some.push_back(d_channels[c]);
    std::size_t size = find_raster(some, most);
    // The others are on the raster of a multiple, too.
    size = size ? std::lcm(size, d_size) : 0;
    if ((!size || size > most) && 2 * others.size() >= d_found.size()) {
        for (const std::size_t c : d_found)
            some.push_back(d_channels[c]);
        size = find_raster(some, most);
    }
    if (!size || size > most || dft_bank_radices(size).empty())
        return false;
    make(size, d_max_taps);
    return true;
}

void opencl_dft_bank::set_raster(const filter_channel& origin,
                                 const std::vector<std::size_t>& channels)
{
    const auto& queue = d_pipelines.first().queue();
    auto& raster = d_raster;
    const bool has_taps = raster.origin && raster.origin->step == origin.step &&
                          raster.origin->problem.taps == origin.problem.taps;
    raster.origin.reset(); // until all is there
    raster.channels = channels;
    if (channels.empty())
        return;
    std::vector<cl_uint> places;
    raster.error = 0;
    for (const std::size_t c : channels) {
        const auto found = *place_on_raster(d_channels[c], origin, d_size);
        places.push_back(word(found.place));
        raster.error = std::max(raster.error, found.error);
    }
    const auto set = [&](device_table& table, const auto& values) {
        table.set(d_device, queue, values.data(), values.size() * sizeof(values[0]));
    };
    run_commands(*d_device, queue, 0, [&] {
        if (!has_taps) {
            const auto rotated = origin.rotated();
            set(raster.taps,
                std::vector<std::complex<float>>(rotated.begin(), rotated.end()));
        }
        set(raster.places, places);
    });
    raster.origin = origin;
}

//! The rotators of the raster's channels at output \p first of the call.
void opencl_dft_bank::find_factors(const filter_call& call, std::size_t first)
{
    d_factors.clear();
    for (const std::size_t c : d_raster.channels) {
        const auto& channel = d_channels[c];
        const phase64 step = -channel.step * channel.problem.decimation;
        d_factors.push_back((call.channels[c].phase + step * first).float_phasor());
    }
}

std::size_t opencl_dft_bank::outputs_per_piece(std::size_t outputs) const
{
    const auto& problem = d_channels[0].problem;
    const auto& limits = d_device->limits();
    const std::size_t block = d_shape.outputs;
    piece_sizes sizes;
    sizes.block_items = block * problem.decimation;
    sizes.block_bytes = sizes.block_items * sample_size(problem.input);
    sizes.block_output_bytes =
        block * d_raster.channels.size() * sizeof(std::complex<float>);
    sizes.max_output_bytes = std::min(max_outputs_of_piece, limits.max_buffer / 2);
    // The other half of a buffer is for the history.
    const std::size_t items = std::min(limits.max_buffer / 2 / sample_size(problem.input),
                                       max_raster_items(d_raster.error));
    sizes.max_blocks = std::max<std::size_t>(
        1,
        std::min(items / sizes.block_items,
                 sizes.max_output_bytes / sizes.block_output_bytes));
    const std::size_t blocks = divide_up(outputs, block);
    return block * (d_pipelines.overlaps() ? overlapping_blocks(sizes, blocks)
                                           : std::min(blocks, sizes.max_blocks));
}

//! The rough number of multiply-adds of the sums and the transforms.
double opencl_dft_bank::multiply_adds(std::size_t outputs) const
{
    const auto size = static_cast<double>(d_size);
    const auto taps = static_cast<double>(d_raster.origin->taps());
    const auto channels = static_cast<double>(d_raster.channels.size());
    return static_cast<double>(outputs) *
           (taps + size * (4 + std::log2(size)) + channels);
}

void opencl_dft_bank::run_raster(const filter_call& call)
{
    d_pipelines.run(
        call.outputs(),
        outputs_per_piece(call.outputs()),
        d_shape.outputs,
        multiply_adds(call.outputs()),
        [&](raster_pipeline& free, std::size_t first, std::size_t outputs) {
            find_factors(call, first);
            free.enqueue(d_raster, call, d_factors, first, outputs);
        },
        d_sums);
}

void opencl_dft_bank::run(const filter_call& call)
{
    if (!call.outputs())
        return;
    find_active(call, d_channels.size(), d_found);
    if (d_found.empty())
        return;
    take_active();
    if (!d_raster.channels.empty())
        run_raster(call);
    if (!d_others.empty())
        d_others.run(call, d_sums);
    d_sums.add_call(call.outputs());
}

} // namespace

std::unique_ptr<filter_executor>
make_opencl_dft_bank(std::shared_ptr<context> device,
                     const std::string& transfer,
                     const std::vector<filter_channel>& channels,
                     double accuracy,
                     std::size_t size)
{
    return make_on_device<opencl_dft_bank>(device, transfer, channels, accuracy, size);
}

namespace {

/*!
 * The size of the raster that the channels of a task are on. 0 if they are on none, or
 * have too few different frequencies to gain from it: a bank whose channels are all at
 * one frequency, say, still waits for the real ones.
 */
std::size_t find_raster_of(const filter_task& task, bool is_named)
{
    constexpr std::size_t min_channels = 4;
    if (!is_named) {
        std::set<std::uint64_t> frequencies;
        for (const auto& channel : task.channels)
            frequencies.insert(channel.step.fraction());
        if (frequencies.size() < std::max(min_channels, task.channels.size() / 2))
            return 0;
    }
    return find_raster(task.channels, max_raster_size);
}

class the_dft_bank final : public filter_variant
{
public:
    the_dft_bank()
        : filter_variant({ "dft_bank",
                           "one kernel for channels with the same taps on a raster of "
                           "frequencies: sums, then a transform",
                           false,
                           true,
                           "fast_convolution" })
    {
    }

    bool may_gain(const filter_task& task, const plan_place& place) const override
    {
        return task.named.allows_on_device(name, place.device) &&
               !is_small_gpu(place.device);
    }
    //! The size of the raster.
    std::vector<std::size_t> block_sizes(const filter_task& task,
                                         const plan_place& place) const override
    {
        const std::size_t size = raster_of(task);
        if (!size || size > max_dft_bank_size(place.device.limits))
            return {};
        return { size };
    }

    double predict(const plan_shape& shape,
                   const plan_place& place,
                   std::size_t size,
                   const host_rates& host) const override
    {
        if (size == 0)
            return direct_device_seconds(shape, place, host);
        return device_seconds(shape,
                              place,
                              estimated_rates(place.device).fft_flop *
                                  static_cast<double>(shape.outputs()) *
                                  operations_of_output(shape, size, 8),
                              1,
                              host);
    }

    std::unique_ptr<filter_executor> make(const filter_task& task,
                                          const plan_place& place,
                                          std::size_t size) const override
    {
        return make_opencl_dft_bank(task.registry->get(place.device),
                                    place.transfer,
                                    task.channels,
                                    task.options.accuracy,
                                    size);
    }

    //! Measurements hold for channels on the same raster.
    std::string key(const filter_task& task) const override
    {
        return "raster=" + std::to_string(raster_of(task));
    }
    //! Channels of another raster need another transform. A bank with a named variant
    //! computes them in another way.
    bool is_outdated(const filter_task& task, const chosen_plan& plan) const override
    {
        return !task.names(*this) && plan.ifft_size != raster_of(task);
    }

    double operations(const counted_filter& filter) const override
    {
        return filter.outputs *
               operations_of_output(filter.shape, filter.ifft_size, complex_turn);
    }

private:
    //! The size of the raster that the channels of a task are on; 0: see
    //! find_raster_of().
    std::size_t raster_of(const filter_task& task) const
    {
        return task.found_by(*this,
                             [&] { return find_raster_of(task, task.names(*this)); });
    }

    //! Each output of all channels takes the sums of one filter, and a transform.
    //! \param turn operations of a rotation
    static double
    operations_of_output(const plan_shape& shape, std::size_t size, double turn)
    {
        const auto m = static_cast<double>(size);
        return complex_product * static_cast<double>(shape.taps) + turn * m +
               transform_operations(m) + turn * static_cast<double>(shape.channels);
    }
};

} // namespace

const filter_variant& dft_bank_variant()
{
    static const auto& variant = *new the_dft_bank;
    return variant;
}

} // namespace cldsp
