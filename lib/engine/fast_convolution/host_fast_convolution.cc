// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shares blocks or channels among threads, and computes what no block covers.

#include "fast_convolution/host_fast_convolution.h"

#include "base/aligned_vector.h"
#include "base/arithmetic.h"
#include "base/cache_sizes.h"
#include "base/call_statistics.h"
#include "base/thread_pool.h"
#include "direct/host_direct.h"
#include "fast_convolution/bad_items.h"
#include "fast_convolution/overlap_save_method.h"
#include "filter/kept_bins.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <utility>

namespace cldsp {

namespace {

// A thread takes a group of channels at a time. If there are more channels, it computes
// several blocks for a group, one after the other, while the group's responses are still
// in the cache. There are more such blocks if the responses come from farther away each
// time, as many as the cache holds.
constexpr std::size_t channel_group = 16;
constexpr std::size_t blocks_of_a_group = 4;
constexpr std::size_t max_blocks_of_a_group = 16;

// With so many blocks for each thread, threads take blocks of their own even if all
// responses come from memory: a part has three blocks or more.
constexpr std::size_t blocks_worth_a_thread = 6;

// The most items in the blocks of all threads together. Above this number each thread has
// one block.
constexpr std::size_t max_items_in_work = std::size_t(1) << 24;

class host_fast_convolution final : public filter_executor
{
public:
    host_fast_convolution(const overlap_save_method& method,
                          const std::vector<filter_channel>& channels,
                          std::size_t ifft_size,
                          double accuracy,
                          std::shared_ptr<thread_pool> pool,
                          const fast_convolution_costs& costs);

    void configure(std::size_t channel, const filter_channel& setup) override;
    void run(const filter_call& call) override;
    void set_stream_memory(memory_region, memory_region) override {}
    std::string device_name() const override { return "host"; }
    std::string variant_name() const override { return d_method->name; }
    std::string transfer_name() const override { return "none"; }
    run_statistics statistics() const override { return d_sums.averages(); }
    void clear_statistics() override { d_sums = {}; }

private:
    struct channel_state {
        explicit channel_state(const filter_channel& c) : channel(c) {}
        filter_channel channel;
        bool in_blocks = false; // whether the method has the channel's response
        // A fast filter, and a filter that reads no item outside a window. Both are null
        // until they are needed.
        std::unique_ptr<host_fir> direct, exact;
    };

    void rebuild(std::size_t max_taps);
    std::size_t longest() const;
    bool fits_blocks() const;
    void tell_blocks(std::size_t channel);
    void compute_call(const filter_call& call);
    bool is_worth_a_block(std::size_t outputs, std::size_t taps) const;
    unsigned threads_for(std::size_t outputs) const;
    bool shares_blocks(std::size_t count) const;
    void run_blocks(const filter_call& call);
    void share_out_blocks(const filter_call& call, std::size_t count);
    void share_out_channels(const filter_call& call, std::size_t count);
    void mend(const filter_call& call);
    std::size_t
    oldest_item(const filter_call& call, std::size_t channel, std::size_t output) const;
    void mend_outputs(const filter_call& call,
                      std::size_t channel,
                      std::size_t begin,
                      std::size_t end,
                      unsigned worker);
    void compute_direct(const filter_call& call,
                        std::size_t channel,
                        std::size_t begin,
                        std::size_t end,
                        unsigned worker);
    void compute_exactly(const filter_call& call,
                         std::size_t channel,
                         std::size_t begin,
                         std::size_t end,
                         unsigned worker);
    void compute_with(host_fir& filter,
                      const filter_call& call,
                      std::size_t channel,
                      std::size_t begin,
                      std::size_t end,
                      unsigned worker);
    void forward(const filter_call& call,
                 std::size_t first,
                 std::size_t slot,
                 unsigned worker);
    //! Neighbouring channels that are computed together.
    struct channel_run {
        std::size_t first, count;
    };
    void take_active();
    void compute(const filter_call& call,
                 std::size_t first,
                 std::size_t slot,
                 std::size_t slots,
                 const channel_run& run,
                 unsigned worker);

    const overlap_save_method* const d_wanted_method;
    const overlap_save_method* d_method; // another one for taps too long for it
    const std::size_t d_rows;            // the ifft_size asked for; 0: any
    const std::shared_ptr<thread_pool> d_pool;
    const fast_convolution_costs d_costs;
    double d_block_seconds = 0;  // of one block, as predicted for one thread and the
                                 // channels that are active in this call
    unsigned d_threads = 1;      // threads that compute the call
    std::size_t d_by_blocks = 0; // outputs of the call that blocks give
    overlap_save_shape d_shape;
    std::vector<channel_state> d_channels;
    std::vector<std::size_t> d_found; // the channels that are active in this call
    // The channels for which the blocks are prepared, one by one and as runs.
    std::vector<std::size_t> d_active;
    std::vector<channel_run> d_runs;
    bool d_changed = true; // since the channels of d_active were taken
    std::unique_ptr<overlap_save> d_blocks;
    // A slot holds a block that is being computed. Each thread has some slots.
    std::size_t d_slots_each = 1;
    bool d_reads_again = false; // see reads_responses_again()
    std::vector<std::unique_ptr<overlap_save_spectrum>> d_spectra;
    std::vector<const overlap_save_spectrum*> d_slots; // the same, as pointers
    // Copies of blocks of which a call has only a part, one for each slot.
    std::vector<aligned_vector<unsigned char>> d_edges;
    // Non-finite items before each item of the call, if it has such items.
    bad_items d_bad;
    // One workspace for each thread.
    std::vector<std::unique_ptr<overlap_save_workspace>> d_workspaces;
    std::vector<host_fir_scratch> d_scratch;

    call_statistics d_sums;
};

host_fast_convolution::host_fast_convolution(const overlap_save_method& method,
                                             const std::vector<filter_channel>& channels,
                                             std::size_t ifft_size,
                                             double accuracy,
                                             std::shared_ptr<thread_pool> pool,
                                             const fast_convolution_costs& costs)
    : d_wanted_method(&method),
      d_method(&method),
      d_rows(ifft_size),
      d_pool(std::move(pool)),
      d_costs(costs),
      d_channels(channels.begin(), channels.end())
{
    const auto& problem = channels.front().problem;
    d_shape.input = problem.input;
    d_shape.decimation = problem.decimation;
    d_shape.channels = channels.size();
    d_shape.accuracy = accuracy;
    if (channels.size() > 1)
        d_shape.kept = kept_bins(problem.taps, accuracy);
    rebuild(longest());
    for (std::size_t c = 0; c < d_channels.size(); c++)
        tell_blocks(c);
}

std::size_t host_fast_convolution::longest() const
{
    std::size_t taps = 0;
    for (const auto& state : d_channels)
        taps = std::max(taps, state.channel.taps());
    return taps;
}

//! Makes new blocks, which know no channel yet. If this fails, nothing has changed.
void host_fast_convolution::rebuild(std::size_t max_taps)
{
    auto shape = d_shape;
    shape.max_taps = max_taps;
    shape.ifft_size = d_rows;
    const auto* method = d_wanted_method;
    const overlap_save_method& any = overlap_save_selected_bins_method();
    std::unique_ptr<overlap_save> blocks;
    try {
        blocks = make_blocks(*method, shape);
    } catch (const std::invalid_argument&) {
        // New taps can be longer than the method covers. The stream has to go on all the
        // same.
        if (!d_blocks || method == &any)
            throw;
        method = &any;
        shape.ifft_size = 0;
        blocks = make_blocks(*method, shape);
    }

    const unsigned threads = d_pool->threads();
    const std::size_t cache = core_cache_bytes();
    const std::size_t slots =
        blocks_in_work(d_channels.size(), threads, blocks->block_items(), cache);
    std::vector<std::unique_ptr<overlap_save_spectrum>> spectra;
    std::vector<const overlap_save_spectrum*> pointers;
    for (std::size_t i = 0; i < slots; i++) {
        spectra.push_back(blocks->make_spectrum());
        pointers.push_back(spectra.back().get());
    }
    std::vector<std::unique_ptr<overlap_save_workspace>> workspaces;
    for (unsigned i = 0; i < threads; i++)
        workspaces.push_back(blocks->make_workspace());
    std::vector<aligned_vector<unsigned char>> edges(slots);
    d_scratch.resize(threads);

    d_shape = shape;
    d_method = method;
    d_blocks.swap(blocks);
    d_slots_each = slots / threads;
    d_reads_again =
        reads_responses_again(d_channels.size(), d_blocks->block_items(), cache);
    d_spectra.swap(spectra);
    d_slots.swap(pointers);
    d_workspaces.swap(workspaces);
    d_edges.swap(edges);
    for (auto& state : d_channels)
        state.in_blocks = false;
    d_changed = true;
}

//! Whether the blocks take the taps of the active channels, and are not much longer than
//! the taps of all channels need.
bool host_fast_convolution::fits_blocks() const
{
    for (const std::size_t channel : d_found)
        if (d_channels[channel].channel.taps() > d_shape.max_taps)
            return false;
    return 2 * longest() > d_shape.max_taps;
}

void host_fast_convolution::tell_blocks(std::size_t channel)
{
    auto& state = d_channels[channel];
    if (state.in_blocks)
        return;
    d_blocks->configure(channel, state.channel);
    if (state.direct)
        state.direct->configure(state.channel);
    if (state.exact)
        state.exact->configure(state.channel);
    state.in_blocks = true;
}

void host_fast_convolution::configure(std::size_t channel, const filter_channel& setup)
{
    if (channel >= d_channels.size())
        throw_invalid("channel",
                      std::to_string(channel),
                      "0 to " + std::to_string(d_channels.size() - 1));
    // The response is computed later, when the channel is active. Otherwise idle channels
    // and free slots would cost time, above all where longer taps need new blocks.
    auto& state = d_channels[channel];
    if (!setup.has_taps(state.channel.problem.taps)) {
        state.direct.reset();
        state.exact.reset();
    }
    state.channel = setup;
    state.in_blocks = false;
    d_changed = true;
}

//! Prepares the blocks for the channels that are active. A run has at most a group of
//! channels, and none of another group. It has idle channels only if the method skips
//! them. If all channels are active, the runs are the groups.
void host_fast_convolution::take_active()
{
    if (!fits_blocks())
        rebuild(longest());
    for (const std::size_t channel : d_found)
        tell_blocks(channel);
    const bool takes_gaps = d_blocks->set_active(d_found);
    d_runs.clear();
    for (const std::size_t channel : d_found) {
        const bool follows =
            !d_runs.empty() &&
            channel / channel_group == d_runs.back().first / channel_group &&
            (takes_gaps || d_runs.back().first + d_runs.back().count == channel);
        if (follows)
            d_runs.back().count = channel + 1 - d_runs.back().first;
        else
            d_runs.push_back({ channel, 1 });
    }
    d_block_seconds = d_costs.block
                          ? d_costs.block(*d_method, d_shape.ifft_size, d_found.size())
                          : std::numeric_limits<double>::infinity();
    d_active = d_found;
    d_changed = false; // last, so that all is done again if it fails
}

//! Whether a further block costs no more than computing \p outputs outputs directly.
bool host_fast_convolution::is_worth_a_block(std::size_t outputs, std::size_t taps) const
{
    const double active =
        static_cast<double>(d_active.size()) / static_cast<double>(d_channels.size());
    return d_costs.direct.direct(outputs, taps) * active >= d_block_seconds;
}

unsigned host_fast_convolution::threads_for(std::size_t outputs) const
{
    const double blocks =
        static_cast<double>(outputs) / static_cast<double>(d_blocks->block_outputs());
    return d_pool->threads_for(blocks * d_block_seconds);
}

void host_fast_convolution::run(const filter_call& call)
{
    if (!call.outputs())
        return;
    find_active(call, d_channels.size(), d_found);
    if (d_found.empty())
        return;
    if (d_changed || d_found != d_active) {
        d_changed = true; // so that the next call does all of it if this one fails
        take_active();
    }
    d_sums.time_call(call.outputs(), [&] { compute_call(call); });
}

void host_fast_convolution::compute_call(const filter_call& call)
{
    d_threads = threads_for(call.outputs());
    d_blocks->settle();
    const std::size_t outputs = call.outputs();
    const std::size_t rest = outputs % d_blocks->block_outputs();
    const std::size_t direct = is_worth_a_block(rest, call.newest() + 1) ? 0 : rest;
    d_by_blocks = outputs - direct;
    run_blocks(call);
    if (direct)
        d_pool->share(d_active.size(), d_threads, [&](std::size_t i, unsigned worker) {
            compute_direct(call, d_active[i], d_by_blocks, outputs, worker);
        });
    mend(call);
}

//! Whether each thread has blocks of its own, so that the threads meet only once, at the
//! end. But then each reads all responses, which does not pay for few blocks if they come
//! from memory.
bool host_fast_convolution::shares_blocks(std::size_t count) const
{
    if (d_threads == 1)
        return true;
    if (d_reads_again)
        return count >= std::min(blocks_worth_a_thread, d_slots_each) * d_threads;
    return count >= 2 * d_threads || count == d_threads;
}

void host_fast_convolution::run_blocks(const filter_call& call)
{
    const std::size_t size = d_blocks->block_outputs();
    const std::size_t count = (d_by_blocks + size - 1) / size;
    if (shares_blocks(count))
        share_out_blocks(call, count);
    else
        share_out_channels(call, count);
}

//! Each thread takes some blocks and computes all channels of them.
void host_fast_convolution::share_out_blocks(const filter_call& call, std::size_t count)
{
    const std::size_t size = d_blocks->block_outputs();
    // With small parts, the calling thread can do more while the others wake up.
    const std::size_t each =
        d_threads == 1
            ? d_slots_each
            : std::clamp<std::size_t>(count / (2 * d_threads), 1, d_slots_each);
    d_pool->share(
        (count + each - 1) / each, d_threads, [&](std::size_t part, unsigned worker) {
            const std::size_t first = part * each;
            const std::size_t slots = std::min(each, count - first);
            const std::size_t slot = worker * d_slots_each;
            for (std::size_t i = 0; i < slots; i++)
                forward(call, (first + i) * size, slot + i, worker);
            for (const auto& run : d_runs)
                compute(call, first * size, slot, slots, run, worker);
        });
}

//! The threads take blocks to transform, and then groups of channels to compute.
void host_fast_convolution::share_out_channels(const filter_call& call, std::size_t count)
{
    const std::size_t size = d_blocks->block_outputs();
    const std::size_t groups = d_runs.size();
    for (std::size_t first = 0; first < count; first += d_slots.size()) {
        const std::size_t slots = std::min(d_slots.size(), count - first);
        d_pool->share(slots, d_threads, [&](std::size_t slot, unsigned worker) {
            forward(call, (first + slot) * size, slot, worker);
        });
        // Two blocks are computed faster together, and more of them if responses have to
        // be read again for others. This is done if it leaves work for all threads.
        const std::size_t least =
            groups * slots >= 2 * d_threads ? std::min<std::size_t>(2, d_slots_each) : 1;
        const std::size_t together =
            d_reads_again
                ? blocks_of_a_time(groups, slots, d_threads, least, d_slots_each)
                : least;
        const std::size_t parts = divide_up(slots, together);
        d_pool->share(parts * groups, d_threads, [&](std::size_t i, unsigned worker) {
            const std::size_t slot = i % parts * together;
            compute(call,
                    (first + slot) * size,
                    slot,
                    std::min(slots - slot, together),
                    d_runs[i / parts],
                    worker);
        });
    }
}

//! Transforms the block whose first output is \p first. Items that only later outputs
//! than those of the blocks need become zeros. They meet no tap of any output that is
//! asked for.
void host_fast_convolution::forward(const filter_call& call,
                                    std::size_t first,
                                    std::size_t slot,
                                    unsigned worker)
{
    const std::size_t size = sample_size(d_shape.input);
    const std::size_t length = d_blocks->block_items();
    const std::size_t items = call.items_of(d_by_blocks, d_shape.decimation);
    const auto* in = static_cast<const unsigned char*>(call.in);

    // The call's history is shorter than that of the blocks if the taps have become fewer
    // since the blocks were made.
    const std::size_t newest = call.newest() + first * d_shape.decimation;
    const std::size_t missing =
        newest + 1 < d_shape.max_taps ? d_shape.max_taps - 1 - newest : 0;
    const std::size_t begin = newest + 1 + missing - d_shape.max_taps;
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

//! Computes the blocks in \p slots slots from \p slot on, for the channels of a run. The
//! first of these blocks begins with output \p first of the call.
void host_fast_convolution::compute(const filter_call& call,
                                    std::size_t first,
                                    std::size_t slot,
                                    std::size_t slots,
                                    const channel_run& run,
                                    unsigned worker)
{
    const std::size_t outputs =
        std::min(slots * d_blocks->block_outputs(), d_by_blocks - first);
    std::complex<float>* out[channel_group];
    phase64 phases[channel_group];
    for (std::size_t i = 0; i < run.count; i++) {
        const auto step = d_channels[run.first + i].channel.step;
        const auto& its = call.channels[run.first + i];
        out[i] = its.out ? its.out + first : nullptr;
        phases[i] = its.phase - step * d_shape.decimation * first;
    }
    d_blocks->compute(run.first,
                      run.count,
                      &d_slots[slot],
                      *d_workspaces[worker],
                      phases,
                      out,
                      outputs);
}

/*!
 * A transform spreads an item that is not finite over all of its block, and where the
 * blocks lie depends on how the stream is cut into calls. Here only the outputs whose
 * taps meet the item become NaN, and the other outputs of the block are computed
 * directly.
 *
 * In a block, every output has a part of every item, so it is enough to look at one
 * output. A direct filter may read items outside a window, so each of its outputs is
 * looked at.
 */
void host_fast_convolution::mend(const filter_call& call)
{
    const std::size_t outputs = call.outputs();
    const auto end_of = [&](std::size_t first) {
        return first < d_by_blocks
                   ? std::min(first + d_blocks->block_outputs(), d_by_blocks)
                   : outputs;
    };
    const auto is_spoilt = [&](std::size_t channel, std::size_t first) {
        const auto* const out = call.channels[channel].out;
        return first < d_by_blocks ? !is_finite(out[first])
                                   : !std::all_of(out + first, out + outputs, is_finite);
    };
    const auto mend_channel = [&](std::size_t i, unsigned worker) {
        const std::size_t channel = d_active[i];
        for (std::size_t first = 0; first < outputs; first = end_of(first))
            if (is_spoilt(channel, first))
                mend_outputs(call, channel, first, end_of(first), worker);
    };
    for (const std::size_t channel : d_active)
        for (std::size_t first = 0; first < outputs; first = end_of(first))
            if (is_spoilt(channel, first)) {
                d_bad.find(
                    call.in, d_shape.input, call.items_of(outputs, d_shape.decimation));
                d_pool->share(d_active.size(), d_threads, mend_channel);
                return;
            }
}

//! The index of the oldest item in the window of a channel's output.
std::size_t host_fast_convolution::oldest_item(const filter_call& call,
                                               std::size_t channel,
                                               std::size_t output) const
{
    return call.newest() + output * d_shape.decimation -
           (d_channels[channel].channel.taps() - 1);
}

/*!
 * Mends the outputs \p begin to \p end of a channel. An output whose window has an item
 * that is not finite becomes NaN without being computed, so that a stream of such items
 * costs no direct filter. The others are computed directly.
 */
void host_fast_convolution::mend_outputs(const filter_call& call,
                                         std::size_t channel,
                                         std::size_t begin,
                                         std::size_t end,
                                         unsigned worker)
{
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const auto meets_bad = [&](std::size_t output) {
        return d_bad.any(oldest_item(call, channel, output),
                         d_channels[channel].channel.taps());
    };
    for (std::size_t first = begin; first < end;) {
        const bool bad = meets_bad(first);
        std::size_t last = first + 1;
        while (last < end && meets_bad(last) == bad)
            last++;
        if (bad)
            std::fill(call.channels[channel].out + first,
                      call.channels[channel].out + last,
                      std::complex<float>(nan, nan));
        else
            compute_exactly(call, channel, first, last, worker);
        first = last;
    }
}

//! Computes the outputs \p begin to \p end of a channel by the fast direct filter.
void host_fast_convolution::compute_direct(const filter_call& call,
                                           std::size_t channel,
                                           std::size_t begin,
                                           std::size_t end,
                                           unsigned worker)
{
    auto& c = d_channels[channel];
    if (!c.direct)
        c.direct = make_host_fir("auto", c.channel);
    compute_with(*c.direct, call, channel, begin, end, worker);
}

/*!
 * As compute_direct(), for windows in which all items are finite. The fast filter fills
 * its vectors with taps of zero, and zero times a NaN beside the window is NaN. So
 * outputs that are not finite are computed again, by a filter without such taps.
 */
void host_fast_convolution::compute_exactly(const filter_call& call,
                                            std::size_t channel,
                                            std::size_t begin,
                                            std::size_t end,
                                            unsigned worker)
{
    auto& c = d_channels[channel];
    compute_direct(call, channel, begin, end, worker);
    for (std::size_t first = begin; first < end; first++) {
        std::size_t last = first;
        while (last < end && !is_finite(call.channels[channel].out[last]))
            last++;
        if (last == first)
            continue;
        if (!c.exact)
            c.exact = make_host_fir_volk(c.channel);
        compute_with(*c.exact, call, channel, first, last, worker);
        first = last;
    }
}

void host_fast_convolution::compute_with(host_fir& filter,
                                         const filter_call& call,
                                         std::size_t channel,
                                         std::size_t begin,
                                         std::size_t end,
                                         unsigned worker)
{
    const auto step = d_channels[channel].channel.step;
    const auto* in = static_cast<const unsigned char*>(call.in);
    const auto& its = call.channels[channel];
    filter.run({ in + oldest_item(call, channel, begin) * sample_size(d_shape.input),
                 its.out + begin,
                 end - begin,
                 its.phase - step * (begin * d_shape.decimation) },
               d_scratch[worker]);
}

const overlap_save_method& method_of(const std::string& variant)
{
    const auto* method = find_overlap_save_method(variant);
    if (!method) {
        std::string known;
        for (const auto* m : overlap_save_methods())
            known += m->name + ", ";
        throw_invalid("variant",
                      "'" + variant + "'",
                      known + "or auto for fast convolution on the host");
    }
    return *method;
}

} // namespace

bool reads_responses_again(std::size_t channels,
                           std::size_t block_items,
                           std::size_t cache_bytes)
{
    // Up to so many times its size, a cache that cores share supplies the gains in time.
    // Gains are real in most banks, and most banks leave out more than half of them. A
    // single group is read for all blocks in any case.
    constexpr std::size_t far_sets = 16;
    return channels > channel_group &&
           channels * block_items * sizeof(float) > far_sets * cache_bytes;
}

std::size_t blocks_of_a_time(std::size_t groups,
                             std::size_t blocks,
                             unsigned threads,
                             std::size_t least,
                             std::size_t most)
{
    constexpr std::size_t times = 4; // of each thread, so that all end at about once
    return std::clamp(groups * blocks / (times * threads), least, most);
}

std::size_t blocks_in_work(std::size_t channels,
                           unsigned threads,
                           std::size_t block_items,
                           std::size_t cache_bytes)
{
    std::size_t each = channels > channel_group ? blocks_of_a_group
                       : channels > 1           ? 2
                                                : 1;
    if (reads_responses_again(channels, block_items, cache_bytes)) {
        const std::size_t near =
            cache_bytes / (block_items * sizeof(std::complex<float>));
        const std::size_t room = max_items_in_work / (threads * block_items);
        each = std::clamp(
            std::min(near, room) / 2 * 2, each, max_blocks_of_a_group); // pairs
    }
    return threads * each * block_items > max_items_in_work ? threads : threads * each;
}

std::unique_ptr<filter_executor>
make_host_fast_convolution(const std::string& variant,
                           const std::vector<filter_channel>& channels,
                           std::size_t ifft_size,
                           double accuracy,
                           std::shared_ptr<thread_pool> pool,
                           const fast_convolution_costs& costs)
{
    return std::make_unique<host_fast_convolution>(
        method_of(variant), channels, ifft_size, accuracy, std::move(pool), costs);
}

} // namespace cldsp
