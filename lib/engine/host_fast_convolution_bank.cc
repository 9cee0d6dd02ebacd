/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "host_fast_convolution_bank.h"

#include "thread_pool.h"

#include <algorithm>
#include <stdexcept>

namespace cldsp {

namespace {

// Nanoseconds of a tap of an output, as measured: what decides whether a call's rest is
// worth a block.
constexpr double direct_tap = 0.04;

// Channels that a thread takes at a time, and blocks that are computed for them one after
// the other where more channels wait: their responses are then still in the cache.
constexpr std::size_t channel_group = 16;
constexpr std::size_t blocks_of_a_group = 4;

// Of the blocks of all threads; above it each has one block.
constexpr std::size_t most_items_in_work = std::size_t(1) << 24;

} // namespace

host_fast_convolution::host_fast_convolution(const overlap_save_method& method,
                                             const std::vector<fir_setup>& setups,
                                             std::size_t rows,
                                             double accuracy,
                                             std::shared_ptr<thread_pool> pool)
    : d_method(&method),
      d_rows(rows),
      d_pool(std::move(pool)),
      d_channels(setups.begin(), setups.end())
{
    const auto& problem = setups.front().problem;
    d_shape.input = problem.input;
    d_shape.decimation = problem.decimation;
    d_shape.channels = setups.size();
    d_shape.accuracy = accuracy;
    rebuild();
}

void host_fast_convolution::rebuild()
{
    d_shape.reach = 0;
    for (const auto& channel : d_channels)
        d_shape.reach = std::max(d_shape.reach, channel.setup.taps());
    d_shape.rows = d_rows;
    try {
        d_blocks = make_blocks(*d_method, d_shape);
    } catch (const std::invalid_argument&) {
        // New taps can be longer than a method covers; a stream goes on all the same.
        if (!d_blocks || d_method->name == "bins")
            throw;
        d_method = find_overlap_save_method("bins");
        d_shape.rows = 0;
        d_blocks = make_blocks(*d_method, d_shape);
    }

    const unsigned threads = d_pool ? d_pool->threads() : 1;
    d_slots_each = d_channels.size() > channel_group ? blocks_of_a_group
                   : d_channels.size() > 1           ? 2
                                                     : 1;
    if (threads * d_slots_each * d_blocks->block_items() > most_items_in_work)
        d_slots_each = 1;
    const std::size_t slots = threads * d_slots_each;
    d_spectra.clear();
    d_slots.clear();
    for (std::size_t i = 0; i < slots; i++) {
        d_spectra.push_back(d_blocks->make_spectrum());
        d_slots.push_back(d_spectra.back().get());
    }
    d_edges.resize(slots);
    d_workspaces.clear();
    for (unsigned i = 0; i < threads; i++)
        d_workspaces.push_back(d_blocks->make_workspace());
    d_scratch.resize(threads);
    for (std::size_t c = 0; c < d_channels.size(); c++)
        d_blocks->configure(c, d_channels[c].setup);
}

void host_fast_convolution::configure(std::size_t channel, const fir_setup& setup)
{
    auto& c = d_channels[channel];
    c.setup = setup;
    if (c.direct)
        c.direct->configure(setup);
    if (setup.taps() > d_shape.reach)
        rebuild();
    else
        d_blocks->configure(channel, setup);
}

bool host_fast_convolution::rest_is_direct(std::size_t outputs) const
{
    double direct = 0;
    for (const auto& channel : d_channels)
        direct += static_cast<double>(channel.setup.taps()) *
                  (channel.setup.real_taps ? direct_tap : 2 * direct_tap);
    return direct * static_cast<double>(outputs) <
           item_nanoseconds() * static_cast<double>(d_blocks->block_items());
}

//! About what an input item of a block takes one thread.
double host_fast_convolution::item_nanoseconds() const
{
    return d_method->item_cost +
           d_method->channel_cost * static_cast<double>(d_channels.size());
}

void host_fast_convolution::run(const bank_call& call)
{
    d_sums.time_call(call.outputs, [&] { compute_call(call); });
}

void host_fast_convolution::compute_call(const bank_call& call)
{
    const double items = static_cast<double>(call.outputs * d_shape.decimation);
    d_threads = d_pool && items * item_nanoseconds() >= least_shared_seconds * 1e9
                    ? d_pool->threads()
                    : 1;
    d_blocks->settle();
    const std::size_t rest = call.outputs % d_blocks->block_outputs();
    const std::size_t direct = rest_is_direct(rest) ? rest : 0;
    run_blocks(call, call.outputs - direct);
    if (direct)
        run_direct(call, call.outputs - direct);
}

//! Calls \p action(index, worker) for each index, on the threads that the call uses.
template <class F>
void host_fast_convolution::share_out(std::size_t count, const F& action)
{
    if (d_threads > 1) {
        d_pool->parallel_for(count, action);
    } else {
        for (std::size_t i = 0; i < count; i++)
            action(i, 0);
    }
}

void host_fast_convolution::run_blocks(const bank_call& call, std::size_t outputs)
{
    bank_call blocks = call;
    blocks.outputs = outputs;
    const std::size_t size = d_blocks->block_outputs();
    const std::size_t count = (outputs + size - 1) / size;
    // Threads with blocks of their own meet once, at the end.
    if (count >= 2 * d_threads || count == d_threads)
        share_out_blocks(blocks, count);
    else
        share_out_channels(blocks, count);
}

//! Each thread takes some blocks and computes all channels of them.
void host_fast_convolution::share_out_blocks(const bank_call& call, std::size_t count)
{
    const std::size_t size = d_blocks->block_outputs();
    // Small parts leave more for the thread that calls while the others wake up.
    const std::size_t each =
        d_threads == 1
            ? d_slots_each
            : std::clamp<std::size_t>(count / (2 * d_threads), 1, d_slots_each);
    share_out((count + each - 1) / each, [&](std::size_t part, unsigned worker) {
        const std::size_t first = part * each;
        const std::size_t slots = std::min(each, count - first);
        const std::size_t slot = worker * d_slots_each;
        for (std::size_t i = 0; i < slots; i++)
            forward(call, (first + i) * size, slot + i, worker);
        for (std::size_t c = 0; c < d_channels.size(); c += channel_group)
            compute(call, first * size, slot, slots, c, worker);
    });
}

//! The threads take blocks to transform, and then groups of channels to compute.
void host_fast_convolution::share_out_channels(const bank_call& call, std::size_t count)
{
    const std::size_t size = d_blocks->block_outputs();
    const std::size_t groups = (d_channels.size() + channel_group - 1) / channel_group;
    for (std::size_t first = 0; first < count; first += d_slots.size()) {
        const std::size_t slots = std::min(d_slots.size(), count - first);
        share_out(slots, [&](std::size_t slot, unsigned worker) {
            forward(call, (first + slot) * size, slot, worker);
        });
        // Two blocks together are computed faster, if all threads have some.
        const std::size_t together =
            groups * slots >= 2 * d_threads ? std::min<std::size_t>(2, d_slots_each) : 1;
        const std::size_t parts = (slots + together - 1) / together;
        share_out(parts * groups, [&](std::size_t i, unsigned worker) {
            const std::size_t slot = i % parts * together;
            compute(call,
                    (first + slot) * size,
                    slot,
                    std::min(slots - slot, together),
                    i / parts * channel_group,
                    worker);
        });
    }
}

//! Transforms the block of output \p first. What a block has beyond the call's items
//! meets no tap of any output that is asked for.
void host_fast_convolution::forward(const bank_call& call,
                                    std::size_t first,
                                    std::size_t slot,
                                    unsigned worker)
{
    const std::size_t size = sample_size(d_shape.input);
    const std::size_t length = d_blocks->block_items();
    const std::size_t items = call.items(d_shape.decimation);
    const auto* in = static_cast<const unsigned char*>(call.in);

    // The taps can have become fewer since the blocks were made.
    const std::size_t newest = call.past + first * d_shape.decimation;
    const std::size_t missing =
        newest + 1 < d_shape.reach ? d_shape.reach - 1 - newest : 0;
    const std::size_t begin = newest + 1 + missing - d_shape.reach;
    if (missing == 0 && begin + length <= items) {
        d_blocks->forward(in + begin * size, *d_spectra[slot], *d_workspaces[worker]);
        return;
    }
    auto& edge = d_edges[slot];
    edge.resize(length * size);
    const std::size_t count = std::min(length - missing, items - begin);
    std::fill_n(edge.begin(), missing * size, 0);
    std::copy_n(in + begin * size, count * size, edge.begin() + missing * size);
    std::fill(edge.begin() + (missing + count) * size, edge.end(), 0);
    d_blocks->forward(edge.data(), *d_spectra[slot], *d_workspaces[worker]);
}

//! The blocks of \p slots slots from \p slot on, the first of which has the call's output
//! \p first, of a group of channels.
void host_fast_convolution::compute(const bank_call& call,
                                    std::size_t first,
                                    std::size_t slot,
                                    std::size_t slots,
                                    std::size_t channel,
                                    unsigned worker)
{
    const std::size_t outputs =
        std::min(slots * d_blocks->block_outputs(), call.outputs - first);
    const std::size_t channels = std::min(channel_group, d_channels.size() - channel);
    std::complex<float>* out[channel_group];
    phase64 phases[channel_group];
    for (std::size_t i = 0; i < channels; i++) {
        const auto step = d_channels[channel + i].setup.step;
        out[i] = call.out[channel + i] + first;
        phases[i] = call.phases[channel + i] - step * d_shape.decimation * first;
    }
    d_blocks->compute(
        channel, channels, &d_slots[slot], *d_workspaces[worker], phases, out, outputs);
}

void host_fast_convolution::run_direct(const bank_call& call, std::size_t first)
{
    const auto run_channel = [&](std::size_t i, unsigned worker) {
        auto& c = d_channels[i];
        if (!c.direct)
            c.direct = make_plain_host_fir("auto", c.setup);
        const std::size_t advance = first * d_shape.decimation;
        const std::size_t oldest = call.past + advance - (c.setup.taps() - 1);
        const auto* in = static_cast<const unsigned char*>(call.in);
        c.direct->run({ in + oldest * sample_size(d_shape.input),
                        call.out[i] + first,
                        call.outputs - first,
                        call.phases[i] - c.setup.step * advance },
                      d_scratch[worker]);
    };
    share_out(d_channels.size(), run_channel);
}

} // namespace cldsp
