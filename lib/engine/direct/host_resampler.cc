// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Keeps a filter for each phase of a rate, and computes one output after the other.

#include "direct/host_resampler.h"

#include "base/arithmetic.h"
#include "base/call_statistics.h"
#include "base/complex_floats.h"
#include "direct/host_direct_variant.h"
#include "direct/host_fir_simd.h"
#include "simd/samples.h"

#include <cldsp/interpolated_taps.h>

#include <volk/volk.h>
#include <volk/volk_alloc.hh>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace cldsp {

namespace {

// Items that are moved to 0 Hz at a time, besides those of the first output's window.
// They stay in the L2 cache while the outputs read them.
constexpr std::size_t block_items = 8192;

// The items of every filter are a whole number of these, so that each filter begins at a
// cache line and ends with a whole vector of any instruction set.
constexpr std::size_t line_items = 16;

//! Items that a block moves to 0 Hz at most.
std::size_t block_room(std::size_t items_of_output)
{
    return block_items + items_of_output;
}

/*!
 * The filters of one prototype for all phases of a rate. Those of a prototype that comes
 * while a stream runs are computed when an output first needs them, because one call must
 * not wait for all of them. A filter's taps are in the order of its window, the tap of
 * the oldest item first, and zeros follow the last one. Complex taps have two planes, one
 * for the real and one for the imaginary parts.
 */
struct phase_filters {
    phase_filters(bool twice, const filter_channel& channel)
        : taps(channel.problem.taps),
          rate(channel.problem.rate()),
          planes(channel.real_taps ? 1 : 2),
          items(channel.items_of_output()),
          step(round_up(items, line_items)),
          width(twice ? 2 : 1),
          floats_of_plane(step * width),
          missing(rate.interpolation),
          is_ready(rate.interpolation),
          all(rate.interpolation * planes * floats_of_plane)
    {
    }

    void compute(std::size_t phase)
    {
        auto values = interpolated_taps(taps, rate, phase);
        std::reverse(values.begin(), values.end());
        float* to = all.data() + phase * planes * floats_of_plane;
        for (std::size_t plane = 0; plane < planes; plane++, to += floats_of_plane)
            for (std::size_t i = 0; i < items; i++)
                std::fill_n(
                    to + i * width, width, plane ? values[i].imag() : values[i].real());
    }

    //! The taps of a phase, each of them twice for the kernels of "simd".
    const float* filter(std::size_t phase, std::size_t plane) const
    {
        return all.data() + (phase * planes + plane) * floats_of_plane;
    }

    const shared_taps taps;
    const rate_ratio rate;
    const std::size_t planes;
    const std::size_t items; // of an output's window
    const std::size_t step;  // from one filter to the next, in taps
    const std::size_t width; // floats of a tap
    const std::size_t floats_of_plane;
    std::size_t missing; // phases whose filters are not computed
    std::vector<bool> is_ready;
    volk::vector<float> all;
};

class host_resampler final : public filter_executor
{
public:
    host_resampler(const std::string& variant,
                   const std::vector<filter_channel>& channels,
                   std::shared_ptr<thread_pool> pool,
                   double item_seconds)
        : d_variant(variant),
          d_is_volk(variant == host_direct_volk().name),
          d_kernels(*available_simd_kernels().front()),
          d_pool(std::move(pool)),
          d_item_seconds(item_seconds),
          d_input(channels.front().problem.input),
          d_channels(channels.begin(), channels.end()),
          d_workers(d_pool->threads())
    {
        for (auto& state : d_channels) {
            take_filters(state);
            for (std::size_t phase = 0; phase < state.filters->rate.interpolation;
                 phase++)
                d_missing.emplace_back(state.filters.get(), phase);
        }
        compute_missing();
    }

    void configure(std::size_t channel, const filter_channel& setup) override;
    void run(const filter_call& call) override;
    void set_stream_memory(memory_region, memory_region) override {}
    std::string device_name() const override { return "host"; }
    std::string variant_name() const override { return d_variant; }
    std::string transfer_name() const override { return "none"; }
    run_statistics statistics() const override { return d_sums.averages(); }
    void clear_statistics() override { d_sums = {}; }

private:
    struct channel_state {
        explicit channel_state(const filter_channel& c) : channel(c) {}

        filter_channel channel;
        std::shared_ptr<phase_filters> filters; // null after a lack of memory
        std::size_t phasors_ready = 0;
        volk::vector<std::complex<float>> phasors; // that move the items of a block
    };
    struct worker_memory {
        volk::vector<std::complex<float>> items, sums, others;
    };
    //! A part of a channel's outputs, whose items are moved to 0 Hz together.
    struct part {
        std::size_t channel;
        std::size_t first, outputs; // among the outputs of the call
        std::size_t newest;         // index, in the call, of the first output's item
    };

    void take_filters(channel_state& state);
    void find_parts(const filter_call& call, std::size_t channel);
    void find_missing(const filter_call& call, std::size_t channel);
    void compute_missing();
    void compute(const filter_call& call, const part& its, worker_memory& memory) const;
    void add_up(const phase_filters& filters,
                const std::complex<float>* items,
                std::size_t phase,
                std::size_t plane,
                std::complex<float>* sum) const;

    const std::string d_variant;
    const bool d_is_volk;
    const simd_kernels& d_kernels;
    const std::shared_ptr<thread_pool> d_pool;
    const double d_item_seconds;
    const sample_type d_input;
    std::vector<channel_state> d_channels;
    std::vector<std::size_t> d_active;
    std::vector<part> d_parts;
    std::vector<std::pair<phase_filters*, std::size_t>> d_missing; // and their phases
    std::vector<worker_memory> d_workers;
    call_statistics d_sums;
};

//! Makes the filters of a channel, or takes those of a channel that has the same.
void host_resampler::take_filters(channel_state& state)
{
    state.filters.reset();
    for (const auto& other : d_channels)
        if (other.filters && other.filters->rate == state.channel.problem.rate() &&
            other.filters->taps == state.channel.problem.taps) {
            state.filters = other.filters;
            return;
        }
    state.filters = std::make_shared<phase_filters>(!d_is_volk, state.channel);
}

void host_resampler::configure(std::size_t channel, const filter_channel& setup)
{
    auto& state = d_channels[channel];
    if (!(setup.step == state.channel.step))
        state.phasors_ready = 0;
    state.channel = setup;
    if (!state.filters || !(state.filters->taps == setup.problem.taps))
        take_filters(state);
}

void host_resampler::run(const filter_call& call)
{
    find_active(call, d_channels.size(), d_active);
    d_parts.clear();
    d_missing.clear();
    std::size_t outputs = 0;
    for (const std::size_t channel : d_active) {
        if (call.channels[channel].span.outputs == 0)
            continue;
        if (!d_channels[channel].filters)
            take_filters(d_channels[channel]); // which has failed in configure()
        outputs = std::max(outputs, call.channels[channel].span.outputs);
        find_parts(call, channel);
        find_missing(call, channel);
    }
    if (d_parts.empty())
        return;
    compute_missing();
    d_sums.time_call(outputs, [&] {
        const unsigned threads =
            d_pool->threads_for(d_item_seconds * static_cast<double>(call.items) *
                                static_cast<double>(d_active.size()) /
                                static_cast<double>(d_channels.size()));
        d_pool->share(d_parts.size(), threads, [&](std::size_t i, unsigned worker) {
            compute(call, d_parts[i], d_workers[worker]);
        });
    });
}

//! Divides a channel's outputs into parts, and makes the phasors of the longest part.
void host_resampler::find_parts(const filter_call& call, std::size_t channel)
{
    auto& state = d_channels[channel];
    const rate_ratio& rate = state.filters->rate;
    const auto& span = call.channels[channel].span;
    const std::size_t phase = span.first % rate.interpolation;
    const auto newest = [&](std::size_t output) {
        return span.newest + static_cast<std::size_t>(rate.newest_item(phase + output) -
                                                      rate.newest_item(phase));
    };
    // Parts of about the same size.
    const std::size_t items = newest(span.outputs - 1) - span.newest + 1;
    const std::size_t count = std::min(divide_up(items, block_items), span.outputs);
    std::size_t longest = 0;
    for (std::size_t i = 0; i < count; i++) {
        const std::size_t first = i * span.outputs / count;
        const std::size_t end = (i + 1) * span.outputs / count;
        d_parts.push_back({ channel, first, end - first, newest(first) });
        longest = std::max(longest, newest(end - 1) - newest(first));
    }
    longest += state.filters->items;
    if (state.phasors.size() < longest) {
        state.phasors.resize(longest);
        state.phasors_ready = 0;
    }
    if (state.phasors_ready < longest) {
        fill_phasors(state.phasors.data(), longest, phase64(), -state.channel.step);
        state.phasors_ready = longest;
    }
}

//! Finds the filters that a channel's outputs need and that are not computed.
void host_resampler::find_missing(const filter_call& call, std::size_t channel)
{
    phase_filters& filters = *d_channels[channel].filters;
    const auto& span = call.channels[channel].span;
    const std::size_t phases = filters.rate.interpolation;
    for (std::size_t i = 0; filters.missing > 0 && i < std::min(span.outputs, phases);
         i++) {
        const std::size_t phase = (span.first + i) % phases;
        if (!filters.is_ready[phase])
            d_missing.emplace_back(&filters, phase);
    }
}

//! Computes the filters in d_missing. After an exception all of it is still missing.
void host_resampler::compute_missing()
{
    if (d_missing.empty())
        return;
    // Channels that share filters have found the same ones.
    std::sort(d_missing.begin(), d_missing.end());
    d_missing.erase(std::unique(d_missing.begin(), d_missing.end()), d_missing.end());
    d_pool->share(
        d_missing.size(), d_pool->threads(), [&](std::size_t i, unsigned /*worker*/) {
            d_missing[i].first->compute(d_missing[i].second);
        });
    for (const auto& [filters, phase] : d_missing) {
        filters->is_ready[phase] = true;
        filters->missing--;
    }
}

//! Adds up the products of one filter.
void host_resampler::add_up(const phase_filters& filters,
                            const std::complex<float>* items,
                            std::size_t phase,
                            std::size_t plane,
                            std::complex<float>* sum) const
{
    const float* const taps = filters.filter(phase, plane);
    if (!d_is_volk)
        d_kernels.sum_products(as_floats(items),
                               taps,
                               divide_up(filters.items, d_kernels.lanes),
                               as_floats(sum));
    else
        volk_32fc_32f_dot_prod_32fc(
            sum, items, taps, static_cast<unsigned int>(filters.items));
}

void host_resampler::compute(const filter_call& call,
                             const part& its,
                             worker_memory& memory) const
{
    const auto& state = d_channels[its.channel];
    const phase_filters& filters = *state.filters;
    const rate_ratio& rate = filters.rate;
    const auto& span = call.channels[its.channel].span;
    std::size_t phase =
        (span.first % rate.interpolation + its.first) % rate.interpolation;

    // The items from the first window's oldest one to the newest one, and zeros behind
    // them, which meet the zeros at the end of a filter.
    const std::size_t oldest = its.newest + 1 - filters.items;
    const std::size_t count =
        filters.items +
        static_cast<std::size_t>(rate.newest_item(phase + its.outputs - 1) -
                                 rate.newest_item(phase));
    const std::size_t beyond = 2 * std::max(d_kernels.lanes, line_items);
    auto* const items = host_fir_scratch::room(memory.items, count + beyond);
    const bool turns = !(state.channel.step == phase64());
    d_kernels.samples->prepare(static_cast<const unsigned char*>(call.in) +
                                   oldest * sample_size(d_input),
                               d_input,
                               turns ? as_floats(state.phasors.data()) : nullptr,
                               as_floats(items),
                               count);
    std::fill_n(items + count, beyond, 0.0F);

    std::complex<float>* const out = call.channels[its.channel].out + its.first;
    std::complex<float>* const others =
        filters.planes > 1 ? host_fir_scratch::room(memory.others, its.outputs) : nullptr;
    const std::size_t whole = rate.decimation / rate.interpolation;
    const std::size_t rest = rate.decimation % rate.interpolation;
    std::size_t fraction = phase * rest % rate.interpolation;
    const std::complex<float>* window = items;
    for (std::size_t i = 0; i < its.outputs; i++) {
        add_up(filters, window, phase, 0, &out[i]);
        if (others)
            add_up(filters, window, phase, 1, &others[i]);
        if (++phase == rate.interpolation)
            phase = 0;
        window += whole;
        fraction += rest;
        if (fraction >= rate.interpolation) {
            fraction -= rate.interpolation;
            window++;
        }
    }
    if (others)
        d_kernels.samples->add_rotated(as_floats(out), as_floats(others), its.outputs);

    // The phasors began at the oldest item. A real item x was taken as x + j x.
    const phase64 rotation =
        call.channels[its.channel].phase +
        state.channel.step * (static_cast<std::uint64_t>(span.newest) - oldest);
    std::complex<double> phasor = rotation.phasor();
    if (!is_complex(d_input))
        phasor *= std::complex<double>(0.5, -0.5);
    d_kernels.samples->rotate(as_floats(out),
                              nullptr,
                              static_cast<float>(phasor.real()),
                              static_cast<float>(phasor.imag()),
                              its.outputs);
}

} // namespace

std::unique_ptr<filter_executor>
make_host_resampler(const std::string& variant,
                    const std::vector<filter_channel>& channels,
                    std::shared_ptr<thread_pool> pool,
                    double item_seconds)
{
    return std::make_unique<host_resampler>(
        variant, channels, std::move(pool), item_seconds);
}

std::size_t resampler_filter_bytes(const rate_ratio& rate, std::size_t taps, bool real)
{
    const std::size_t items = round_up(taps + rate.further_taps(), line_items);
    return rate.interpolation * items * sizeof(std::complex<float>) * (real ? 1 : 2);
}

std::size_t resampler_channel_bytes(std::size_t items_of_output)
{
    return 2 * block_room(items_of_output) * sizeof(std::complex<float>);
}

} // namespace cldsp
