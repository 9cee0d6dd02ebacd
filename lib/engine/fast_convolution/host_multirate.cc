// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// One forward transform, then for each channel its bins and its own inverse transform.

#include "fast_convolution/host_multirate.h"

#include "base/aligned_vector.h"
#include "base/arithmetic.h"
#include "base/cache_sizes.h"
#include "base/call_statistics.h"
#include "base/complex_floats.h"
#include "direct/host_direct.h"
#include "fast_convolution/bad_items.h"
#include "fast_convolution/fold.h"
#include "fast_convolution/fold_response.h"
#include "fast_convolution/host_fast_convolution.h"
#include "fast_convolution/overlap_save_method.h"
#include "fft/block_transform.h"
#include "fft/column_transform.h"
#include "fft/fftw_plan.h"
#include "fft/inverse_fft_with_rotator.h"
#include "fft/row_transform.h"
#include "simd/samples.h"

#include <cldsp/errors.h>
#include <cldsp/interpolated_taps.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace cldsp {

namespace {

// The largest unit, far beyond any block that pays.
constexpr std::size_t max_unit = std::size_t(1) << 22;

// Threads share out the blocks of a call if it has this many for each of them. Otherwise
// they share out the channels of each block.
constexpr std::size_t min_blocks_of_a_thread = 4;

using complex_vector = fftw_vector<std::complex<float>>;

//! The phase of a frequency \p step over \p numerator / \p denominator items. The step is
//! taken as -1/2 to 1/2 turn.
phase64 fractional_phase(phase64 step, std::uint64_t numerator, std::uint64_t denominator)
{
    __extension__ using wide = __int128;
    const wide product = static_cast<wide>(static_cast<std::int64_t>(step.fraction())) *
                         static_cast<wide>(numerator);
    return phase64(static_cast<std::uint64_t>(product / static_cast<wide>(denominator)));
}

class host_multirate final : public filter_executor
{
public:
    host_multirate(const std::vector<filter_channel>& channels,
                   std::function<std::size_t(multirate_block)> choose_size,
                   const std::vector<double>& kept,
                   double accuracy,
                   std::shared_ptr<thread_pool> pool,
                   double item_seconds);

    void configure(std::size_t channel, const filter_channel& setup) override;
    void run(const filter_call& call) override;
    void set_stream_memory(memory_region, memory_region) override {}
    std::string device_name() const override { return "host"; }
    std::string variant_name() const override { return multirate_variant(); }
    std::string transfer_name() const override { return "none"; }
    run_statistics statistics() const override { return d_sums.averages(); }
    void clear_statistics() override { d_sums = {}; }

private:
    //! The channels of one rate share the inverse transform.
    struct rate_state {
        rate_ratio rate;
        std::size_t size = 0; // of the inverse transform
        std::unique_ptr<inverse_fft_with_rotator> inverse;
        std::vector<std::size_t> channels;
        bool gathers = false;                 // see gathers_bins()
        std::unique_ptr<channel_folds> folds; // null unless bins are gathered
        std::vector<std::size_t> active;      // indices in `channels`
        block_placement placement{ 1, 1, false };
        std::size_t delay = 0; // of the bins, in half items, which the placement includes
    };
    //! Channels whose outputs of a block are computed together.
    struct channel_group {
        std::size_t rate;  // index in d_rates
        std::size_t first; // index of the first one in the rate
        std::size_t channels;
    };
    struct channel_state {
        explicit channel_state(const filter_channel& c) : channel(c), response(0) {}

        filter_channel channel;
        std::size_t rate = 0;  // index in d_rates
        std::size_t index = 0; // of the channel in its rate
        bool is_ready = false; // whether the values below belong to the channel
        single_response response;
        std::size_t first_bin = 0; // bin that the response's row 0 begins with
        phase64 step;              // of the rotator, from one output to the next
        // Filters that compute outputs again after items that are not finite: one for
        // each phase of a rational rate, made when first needed.
        std::vector<std::unique_ptr<host_fir>> exact;
    };
    //! The transform of a block.
    struct slot {
        complex_vector bins; // and behind them the first bins again
        // The bins in the order of each rate that gathers, or in one order for all rates,
        // see d_order_rate.
        std::vector<fftw_vector<float>> gathered;
    };
    struct worker_memory {
        complex_vector values; // a block's items, converted and placed
        complex_vector pair_bins;
        aligned_vector<unsigned char> edge;
        block_transform::memory work;
        column_transform::memory columns_work;
        fftw_vector<float> folded;
        inverse_fft_with_rotator::memory inverse;
        std::vector<std::complex<float>> head;
        host_fir_scratch scratch;
        bool has_bad = false; // outputs that are not finite
    };

    bool is_real() const { return d_pairs != nullptr; }
    std::size_t tiles(std::size_t size) const
    {
        return (size + d_kernels.lanes - 1) / d_kernels.lanes;
    }
    //! The number of floats of a channel's folded bins.
    std::size_t folded_size(const rate_state& rate) const
    {
        return tiles(rate.size) * 2 * d_kernels.lanes;
    }
    //! The place of the oldest item of a block in the memory that is transformed.
    std::size_t first_place() const { return d_placement.shift % d_block.fft_size; }
    //! The items of a block that outputs of decimation 1 would need.
    std::size_t needed_items() const
    {
        return d_block.max_items_of_output - 1 + d_block.step();
    }
    void rebuild();
    void prepare(channel_state& state);
    gathered_response whole_response(const channel_state& state,
                                     const placed_taps& placed,
                                     long long first_row,
                                     std::size_t rows);
    void make_room(std::size_t extra_bins);
    void make_placements();
    void choose_order();
    void find_groups();
    void
    forward(const filter_call& call, long long begin, slot& into, worker_memory& memory);
    const unsigned char* items_of(const filter_call& call,
                                  long long first,
                                  std::size_t length,
                                  worker_memory& memory) const;
    void
    place_items(const filter_call& call, long long oldest, worker_memory& memory) const;
    void forward_columns(const filter_call& call,
                         long long oldest,
                         slot& into,
                         worker_memory& memory) const;
    //! The index of slot::gathered for a rate.
    std::size_t order_of(std::size_t rate) const
    {
        return d_shares_order ? d_order_rate : rate;
    }
    void compute(const filter_call& call,
                 long long begin,
                 const slot* slots,
                 std::size_t blocks,
                 const channel_group& group,
                 worker_memory& memory);
    void compute_together(const filter_call& call,
                          long long begin,
                          const slot* slots,
                          std::size_t blocks,
                          const channel_group& group,
                          worker_memory& memory);
    void store(const filter_call& call,
               long long begin,
               std::size_t channel,
               const float* folded,
               worker_memory& memory);
    void mend(const filter_call& call, long long begin, std::size_t blocks);
    void mend_outputs(const filter_call& call,
                      std::size_t channel,
                      std::size_t begin,
                      std::size_t end,
                      worker_memory& memory);
    //! The outputs of a channel that blocks from item \p begin to \p end give, as indices
    //! among the outputs of the call.
    std::pair<std::size_t, std::size_t> outputs_of(const filter_call& call,
                                                   std::size_t channel,
                                                   long long begin,
                                                   long long end) const;

    const std::function<std::size_t(multirate_block)> d_choose_size;
    const double d_accuracy;
    const std::shared_ptr<thread_pool> d_pool;
    const double d_item_seconds;
    const sample_type d_input;
    const fold_kernel_set& d_kernels;
    const row_kernels& d_row_kernels;

    multirate_block d_block;
    bool d_is_built = false; // whether what follows fits d_block
    block_placement d_placement;
    std::vector<rate_state> d_rates;
    std::vector<channel_state> d_channels;
    std::vector<std::size_t> d_active;
    std::vector<channel_group> d_groups; // of the active channels
    std::size_t d_slots_each = 1;        // blocks that a thread has in work
    bool d_reads_again = false;          // see reads_responses_again()
    std::unique_ptr<const block_transform> d_transform; // of complex items, and of taps
    std::unique_ptr<const block_transform> d_pairs;     // of real items, two by two
    // Whether the bins are gathered once, in the order of the rate d_order_rate, and read
    // by the folds of all rates that gather.
    bool d_shares_order = false;
    std::size_t d_order_rate = 0; // index in d_rates
    // The transform to bins in that order; null unless the rates allow it.
    std::unique_ptr<const column_transform> d_columns;
    // Whether outputs of d_columns need items that lie behind the end of the memory, and
    // so at its start.
    bool d_wraps = false;
    complex_vector d_turns;       // see bins_of_pairs()
    complex_vector d_half_item;   // factors that advance bins by half an item, or empty
    std::size_t d_extra_bins = 0; // bins that follow the last one

    std::vector<slot> d_slots;
    std::vector<worker_memory> d_workers;
    // Working memory of prepare().
    complex_vector d_taps, d_response;
    fftw_vector<float> d_gathered;
    block_transform::memory d_taps_work;

    bad_items d_bad;
    call_statistics d_sums;
};

host_multirate::host_multirate(const std::vector<filter_channel>& channels,
                               std::function<std::size_t(multirate_block)> choose_size,
                               const std::vector<double>& kept,
                               double accuracy,
                               std::shared_ptr<thread_pool> pool,
                               double item_seconds)
    : d_choose_size(std::move(choose_size)),
      d_accuracy(accuracy),
      d_pool(std::move(pool)),
      d_item_seconds(item_seconds),
      d_input(channels.front().problem.input),
      d_kernels(*available_fold_kernels().front()),
      d_row_kernels(*available_row_kernels().front()),
      d_placement(1, 1, false),
      d_channels(channels.begin(), channels.end()),
      d_workers(d_pool->threads())
{
    std::vector<rate_ratio> rates;
    for (const auto& channel : channels)
        rates.push_back(channel.problem.rate());
    rates = different_rates(rates);
    for (const auto& rate : rates) {
        d_rates.emplace_back();
        d_rates.back().rate = rate;
    }
    std::vector<double> all_kept(rates.size());
    for (std::size_t c = 0; c < d_channels.size(); c++) {
        auto& state = d_channels[c];
        const rate_ratio rate = state.channel.problem.rate();
        const auto its = std::find(rates.begin(), rates.end(), rate);
        state.rate = static_cast<std::size_t>(its - rates.begin());
        state.index = d_rates[state.rate].channels.size();
        d_rates[state.rate].channels.push_back(c);
        all_kept[state.rate] += kept[c];
        state.exact.resize(rate.interpolation);
    }
    for (std::size_t r = 0; r < d_rates.size(); r++) {
        auto& rate = d_rates[r];
        const std::size_t count = rate.channels.size();
        // The rows of a rational rate begin at another bin for each channel.
        rate.gathers = rate.rate.is_integer() &&
                       gathers_bins(rate.rate.decimation,
                                    count,
                                    all_kept[r] / static_cast<double>(count));
    }
    d_block.unit = multirate_unit(rates);
    if (d_block.unit == 0)
        throw_invalid("rates",
                      "without a common multiple of useful size",
                      "of a multiple up to " + std::to_string(max_unit) + " items");
    rebuild();
}

//! Makes the transforms for the longest channel.
void host_multirate::rebuild()
{
    d_is_built = false;
    d_block.max_items_of_output = 1;
    for (const auto& state : d_channels)
        d_block.max_items_of_output =
            std::max(d_block.max_items_of_output, state.channel.items_of_output());
    d_block.fft_size = d_choose_size(d_block);
    if (d_block.step() == 0 || d_block.fft_size % d_block.unit != 0)
        throw_invalid("fft_size",
                      std::to_string(d_block.fft_size),
                      "a multiple of " + std::to_string(d_block.unit) + " that holds " +
                          std::to_string(d_block.max_items_of_output) +
                          " taps and as many items");
    d_placement = block_placement(d_block.unit, d_block.max_items_of_output, false);
    make_placements();

    const std::size_t items = d_block.fft_size;
    const unsigned threads = d_pool->threads();
    const bool gathers = std::any_of(
        d_rates.begin(), d_rates.end(), [](const auto& rate) { return rate.gathers; });
    const std::size_t cache = core_cache_bytes();
    d_slots_each =
        gathers ? blocks_in_work(d_channels.size(), threads, items, cache) / threads : 1;
    d_reads_again = reads_responses_again(d_channels.size(), items, cache);
    d_transform = std::make_unique<const block_transform>(items, d_row_kernels);
    d_taps_work = d_transform->make_memory();
    d_taps.resize(items);
    d_response.resize(items + d_kernels.lanes); // gather() may read one more tile
    d_pairs.reset();
    if (!is_complex(d_input) && items % 2 == 0) {
        d_pairs = std::make_unique<const block_transform>(items / 2, d_row_kernels);
        d_turns.resize(items);
        fill_pair_turns(items, 0, items, d_turns.data());
    }
    std::size_t folded = 0;
    for (auto& rate : d_rates) {
        const std::size_t count = rate.channels.size();
        rate.size = d_block.ifft_size(rate.rate);
        rate.inverse =
            std::make_unique<inverse_fft_with_rotator>(rate.size, count, d_row_kernels);
        std::size_t together = 1;
        if (rate.gathers) {
            rate.folds = std::make_unique<channel_folds>(
                d_kernels, rate.size, rate.rate.decimation, count, d_accuracy);
            together = std::min(d_slots_each, max_fold_blocks) *
                       std::min(count, channel_folds::max_group);
        }
        folded = std::max(folded, together * folded_size(rate));
    }
    for (auto& state : d_channels)
        state.is_ready = false;

    choose_order();
    d_slots.clear();
    d_slots.resize(threads * d_slots_each);
    for (auto& slot : d_slots)
        slot.gathered.resize(d_rates.size());
    if (!d_columns)
        make_room(d_kernels.lanes);
    for (auto& worker : d_workers) {
        worker = {};
        // Of these, the transform to gathered bins needs the values alone, and only if it
        // cannot read the call's items as they lie.
        if (!d_columns || d_wraps || d_input != sample_type::fc32)
            worker.values.resize(is_real() ? items / 2 : items);
        worker.pair_bins.resize(is_real() ? items / 2 : 0);
        if (d_columns)
            worker.columns_work = d_columns->make_memory();
        else
            worker.work = (is_real() ? d_pairs : d_transform)->make_memory();
        worker.folded.resize(folded);
        std::size_t most = 0;
        for (const auto& rate : d_rates) {
            auto memory = rate.inverse->make_memory();
            if (memory.size() >= most) {
                most = memory.size();
                worker.inverse = std::move(memory);
            }
        }
    }
    d_is_built = true; // last, so that all is done again if it fails
}

/*!
 * Places the blocks for the channels of each rate: the delays of the block, of the
 * longest taps of linear phase of that rate, and of the rate's folds add up to a whole
 * number of outputs. So the response of such taps is real, which halves the work and the
 * memory of the folds.
 */
void host_multirate::make_placements()
{
    bool half_items = false;
    for (auto& rate : d_rates) {
        rate.placement = d_placement;
        rate.placement.decimation = rate.rate.decimation;
        if (!rate.gathers)
            continue;
        // In half items, as the delays in placed_taps.
        const std::size_t output = 2 * rate.rate.decimation;
        std::size_t max_taps = 1;
        for (const std::size_t channel : rate.channels)
            max_taps = std::max(max_taps, d_channels[channel].channel.taps());
        const std::size_t due = 2 * (d_block.max_items_of_output - 1 + d_placement.shift);
        rate.delay = (output - (due - (max_taps - 1)) % output) % output;
        rate.placement.shift += rate.delay / 2;
        rate.placement.half_item = rate.delay % 2 == 1;
        half_items = half_items || rate.placement.half_item;
    }
    d_half_item.clear();
    if (half_items) {
        d_half_item.resize(d_block.fft_size + d_kernels.lanes);
        const auto step =
            phase64::from_turns(0.5 / static_cast<double>(d_block.fft_size));
        fill_phasors(d_half_item.data(), d_half_item.size(), phase64(), step);
    }
}

/*!
 * Chooses the order of the gathered bins. If all rates that gather have whole vectors of
 * bins, a vector of one rate's bins is a vector of any other rate's, and all of them read
 * the same bins. If then the input is complex and all rates gather, the transform stores
 * the bins in this order.
 */
void host_multirate::choose_order()
{
    d_columns.reset();
    d_shares_order = true;
    d_order_rate = d_rates.size();
    bool all_gather = true;
    std::size_t min_padded = std::numeric_limits<std::size_t>::max();
    std::size_t min_decimation = min_padded;
    for (std::size_t r = 0; r < d_rates.size(); r++) {
        const auto& rate = d_rates[r];
        min_decimation = std::min(min_decimation, rate.rate.decimation);
        all_gather = all_gather && rate.folds;
        if (!rate.folds)
            continue;
        d_shares_order = d_shares_order && rate.size % d_kernels.lanes == 0;
        const std::size_t padded = column_transform::padded_items(
            rate.size, rate.rate.decimation, d_row_kernels.width);
        if (d_order_rate == d_rates.size() || (padded && padded < min_padded))
            d_order_rate = r;
        if (padded)
            min_padded = std::min(min_padded, padded);
    }
    for (auto& rate : d_rates)
        if (rate.folds)
            rate.folds->read_bins_of(
                d_shares_order ? *d_rates[d_order_rate].folds : *rate.folds, rate.delay);
    if (d_shares_order && all_gather && is_complex(d_input)) {
        const auto& rate = d_rates[d_order_rate];
        d_columns = column_transform::make(
            { rate.size, rate.rate.decimation, rate.folds->chunks().tile_rows() },
            false,
            d_row_kernels);
    }
    // No output needs the items that follow the last output of the smallest decimation.
    d_wraps = first_place() + needed_items() - min_decimation >= d_block.fft_size;
}

//! Makes room for \p extra_bins bins that follow the last one.
void host_multirate::make_room(std::size_t extra_bins)
{
    for (auto& slot : d_slots)
        slot.bins.resize(d_block.fft_size + extra_bins);
    d_extra_bins = extra_bins;
}

void host_multirate::configure(std::size_t channel, const filter_channel& setup)
{
    auto& state = d_channels[channel];
    state.channel = setup;
    state.is_ready = false;
    for (auto& filter : state.exact)
        filter.reset();
    if (setup.items_of_output() > d_block.max_items_of_output)
        d_is_built = false;
    if (!d_is_built)
        rebuild();
}

/*!
 * The rows of a channel's response from row \p first_row on. Row r has the gains of the
 * bins from r times the size of the inverse transform on. For a decimation, the response
 * repeats after the last bin. For a rational rate it does not: it is multiplied by the
 * response of the interpolation.
 */
gathered_response host_multirate::whole_response(const channel_state& state,
                                                 const placed_taps& placed,
                                                 long long first_row,
                                                 std::size_t rows)
{
    const auto items = static_cast<long long>(d_block.fft_size);
    const std::size_t size = d_rates[state.rate].size;
    const rate_ratio& rate = d_rates[state.rate].rate;
    const long long first = first_row * static_cast<long long>(size);
    const std::size_t count = rows * size;
    complex_vector gains(count + d_kernels.lanes);
    std::size_t from = static_cast<std::size_t>((first % items + items) % items);
    for (std::size_t i = 0; i < count; i++) {
        gains[i] = d_response[from];
        if (++from == d_block.fft_size)
            from = 0;
    }
    if (!rate.is_integer()) {
        // The response of the interpolation may be computed from as few as 2 values per
        // item. It then repeats beyond one turn per item, and is not used there. Bins
        // that the interpolation or the taps stop become zero and may be left out.
        constexpr double least = 1e-7;
        const double bin = 1 / static_cast<double>(items);
        const double lowest =
            static_cast<double>(first) * bin - state.channel.step.turns();
        const interpolation_response response(rate);
        float largest = 0;
        for (const auto& gain : gains)
            largest = std::max(largest, std::norm(gain));
        const auto limit = static_cast<float>(d_accuracy * d_accuracy) * largest;
        for (std::size_t i = 0; i < count; i++) {
            const double frequency = lowest + static_cast<double>(i) * bin;
            const double factor = std::norm(gains[i]) > limit && std::abs(frequency) <= 1
                                      ? response.at(frequency)
                                      : 0;
            gains[i] *= std::abs(factor) < least ? 0 : static_cast<float>(factor);
        }
    }
    d_gathered.resize(tiles(size) * rows * 2 * d_kernels.lanes);
    d_kernels.gather(
        as_floats(gains.data()), size, rows, rows, nullptr, d_gathered.data());
    return { d_gathered.data(), d_kernels.lanes, tiles(size), rows, rows,
             placed.real,       d_accuracy };
}

//! Makes the response of a channel, and its rotator.
void host_multirate::prepare(channel_state& state)
{
    const filter_channel& channel = state.channel;
    auto& rate = d_rates[state.rate];
    const std::size_t delay = interpolation_delay(rate.rate);

    // The taps, with as many zeros around them as the interpolation makes them longer.
    auto taps = channel.rotated();
    if (delay) {
        taps.insert(taps.begin(), delay, 0.0);
        taps.insert(taps.end(), delay, 0.0);
        // A rotation of the taps begins at the first of them.
        const auto turn = (channel.step * delay).phasor();
        for (auto& tap : taps)
            tap *= turn;
    }
    const placed_taps placed(taps, rate.placement, d_taps);
    d_transform->run(d_taps.data(), d_taps_work, d_response.data());

    state.step =
        -fractional_phase(channel.step, rate.rate.decimation, rate.rate.interpolation);
    rate.inverse->configure(
        state.index, placed.first * rate.rate.interpolation, state.step);
    if (rate.folds) {
        d_gathered.assign(rate.folds->gathered_size(), 0); // gather() leaves rows out
        rate.folds->gather(d_response.data(),
                           rate.placement.half_item ? as_floats(d_half_item.data())
                                                    : nullptr,
                           d_gathered.data());
        rate.folds->assign(state.index, d_gathered.data(), placed);
        state.is_ready = true;
        return;
    }

    const auto size = static_cast<long long>(rate.size);
    const auto items = static_cast<long long>(d_block.fft_size);
    long long first_row = 0;
    auto rows = static_cast<std::size_t>(items / std::max(1LL, size));
    if (!rate.rate.is_integer()) {
        // The band of the interpolation ends below one turn an item on both sides.
        const double center = channel.step.turns() * static_cast<double>(items);
        const auto floor_row = [&](double bin) {
            return static_cast<long long>(std::floor(bin / static_cast<double>(size)));
        };
        first_row = floor_row(center - static_cast<double>(items));
        rows = static_cast<std::size_t>(floor_row(center + static_cast<double>(items)) +
                                        1 - first_row);
    }
    state.response.assign(whole_response(state, placed, first_row, rows));
    state.response.factor = placed.factor;

    // The rows that are kept lie in memory from `first_bin` on.
    std::uint32_t first_kept = std::numeric_limits<std::uint32_t>::max(), end_kept = 0;
    for (const auto& run : state.response.runs)
        if (run.rows) {
            first_kept = std::min(first_kept, run.first);
            end_kept = std::max(end_kept, run.first + run.rows);
        }
    first_kept = std::min(first_kept, end_kept);
    for (auto& run : state.response.runs)
        run.first -= std::min(run.first, first_kept);
    const long long first_bin = (first_row + first_kept) * size;
    state.first_bin = static_cast<std::size_t>((first_bin % items + items) % items);
    const std::size_t end =
        state.first_bin + (end_kept - first_kept) * rate.size + 2 * d_kernels.lanes;
    if (end > d_block.fft_size + d_extra_bins)
        make_room(end - d_block.fft_size);
    state.is_ready = true;
}

std::pair<std::size_t, std::size_t> host_multirate::outputs_of(const filter_call& call,
                                                               std::size_t channel,
                                                               long long begin,
                                                               long long end) const
{
    // The time of the call's first output, as a whole number of items and a fraction.
    const channel_span& span = call.channels[channel].span;
    const rate_ratio& rate = d_rates[d_channels[channel].rate].rate;
    const auto phase = static_cast<long long>(span.first % rate.interpolation *
                                              rate.decimation % rate.interpolation);
    const auto p = static_cast<long long>(rate.interpolation);
    const auto q = static_cast<long long>(rate.decimation);
    // Output i has the time newest + (phase + i Q) / P. This is the first output at or
    // behind \p item.
    const auto from = [&](long long item) {
        const long long wanted = (item - static_cast<long long>(span.newest)) * p - phase;
        const long long index = wanted <= 0 ? 0 : (wanted + q - 1) / q;
        return std::min<std::size_t>(static_cast<std::size_t>(index), span.outputs);
    };
    return { from(begin), from(end) };
}

void host_multirate::run(const filter_call& call)
{
    if (!d_is_built)
        rebuild(); // which has failed in configure()
    find_active(call, d_channels.size(), d_active);
    std::size_t outputs = 0;
    long long first = std::numeric_limits<long long>::max(), last = 0;
    // A multiple of the unit, counted in the stream, as an index in the call.
    long long origin = 0;
    for (const std::size_t channel : d_active) {
        const auto& span = call.channels[channel].span;
        if (span.outputs == 0)
            continue;
        auto& state = d_channels[channel];
        if (!state.is_ready)
            prepare(state);
        const rate_ratio& rate = d_rates[state.rate].rate;
        const auto newest = static_cast<long long>(span.newest);
        outputs = std::max(outputs, span.outputs);
        first = std::min(first, newest);
        last = std::max(last,
                        newest + static_cast<long long>(
                                     rate.newest_item(span.first % rate.interpolation +
                                                      span.outputs - 1) -
                                     rate.newest_item(span.first % rate.interpolation)));
        origin =
            newest - static_cast<long long>(rate.newest_item(span.first) % d_block.unit);
    }
    if (outputs == 0)
        return;
    find_groups();
    const auto unit = static_cast<long long>(d_block.unit);
    const auto step = static_cast<long long>(d_block.step());
    const long long units_before =
        first >= origin ? -((first - origin) / unit) : (origin - first + unit - 1) / unit;
    const long long begin = origin - units_before * unit;
    const auto count = static_cast<std::size_t>((last - begin) / step + 1);
    const auto begin_of = [&](std::size_t block) {
        return begin + static_cast<long long>(block) * step;
    };

    d_sums.time_call(outputs, [&] {
        const unsigned threads = d_pool->threads_for(
            static_cast<double>(count) * static_cast<double>(step) * d_item_seconds);
        if (threads == 1 || count >= min_blocks_of_a_thread * threads) {
            // Parts of about the same size, as many for each thread.
            const std::size_t rounds = divide_up(count, threads * d_slots_each);
            const std::size_t parts = std::min(count, rounds * threads);
            d_pool->share(parts, threads, [&](std::size_t part, unsigned worker) {
                const std::size_t first = part * count / parts;
                const std::size_t blocks = (part + 1) * count / parts - first;
                slot* const slots = &d_slots[worker * d_slots_each];
                auto& memory = d_workers[worker];
                for (std::size_t i = 0; i < blocks; i++)
                    forward(call, begin_of(first + i), slots[i], memory);
                for (const auto& group : d_groups)
                    compute(call, begin_of(first), slots, blocks, group, memory);
            });
        } else {
            const std::size_t pair = std::min(d_slots_each, d_kernels.max_blocks);
            for (std::size_t done = 0; done < count; done += d_slots.size()) {
                const std::size_t slots = std::min(d_slots.size(), count - done);
                d_pool->share(slots, threads, [&](std::size_t i, unsigned worker) {
                    forward(call, begin_of(done + i), d_slots[i], d_workers[worker]);
                });
                const std::size_t at_once =
                    d_reads_again
                        ? blocks_of_a_time(
                              d_groups.size(), slots, threads, pair, d_slots_each)
                        : pair;
                const std::size_t some = divide_up(slots, at_once);
                d_pool->share(
                    some * d_groups.size(), threads, [&](std::size_t i, unsigned worker) {
                        const std::size_t first = i % some * at_once;
                        compute(call,
                                begin_of(done + first),
                                &d_slots[first],
                                std::min(at_once, slots - first),
                                d_groups[i / some],
                                d_workers[worker]);
                    });
            }
        }
        if (std::any_of(d_workers.begin(), d_workers.end(), [](const auto& worker) {
                return worker.has_bad;
            }))
            mend(call, begin, count);
    });
}

//! Divides the active channels into groups. A channel whose bins are not gathered is a
//! group of its own.
void host_multirate::find_groups()
{
    d_groups.clear();
    for (auto& rate : d_rates)
        rate.active.clear();
    for (const std::size_t channel : d_active) {
        const auto& state = d_channels[channel];
        d_rates[state.rate].active.push_back(state.index);
    }
    for (std::size_t r = 0; r < d_rates.size(); r++) {
        auto& rate = d_rates[r];
        if (!rate.folds) {
            for (const std::size_t index : rate.active)
                d_groups.push_back({ r, index, 1 });
            continue;
        }
        rate.folds->set_active(rate.active);
        rate.folds->settle();
        for (const std::size_t index : rate.active) {
            const std::size_t first = index - index % channel_folds::max_group;
            if (d_groups.empty() || d_groups.back().rate != r ||
                d_groups.back().first != first)
                d_groups.push_back({ r, first, rate.folds->rest_of_group(first) });
        }
    }
}

//! Returns \p length items from item \p first of the call on. Items that the call does
//! not have become zeros.
const unsigned char* host_multirate::items_of(const filter_call& call,
                                              long long first,
                                              std::size_t length,
                                              worker_memory& memory) const
{
    const std::size_t size = sample_size(d_input);
    const auto items = static_cast<long long>(call.history + call.items);
    const auto end = first + static_cast<long long>(length);
    const auto* in = static_cast<const unsigned char*>(call.in);
    if (first >= 0 && end <= items)
        return in + static_cast<std::size_t>(first) * size;
    memory.edge.assign(length * size, 0);
    const long long from = std::clamp<long long>(first, 0, items);
    const long long to = std::clamp<long long>(end, from, items);
    std::copy(in + static_cast<std::size_t>(from) * size,
              in + static_cast<std::size_t>(to) * size,
              memory.edge.begin() + static_cast<std::ptrdiff_t>(from - first) *
                                        static_cast<std::ptrdiff_t>(size));
    return memory.edge.data();
}

//! Converts those items of a block that outputs need, and places them among its values.
//! \param oldest the first of these items
void host_multirate::place_items(const filter_call& call,
                                 long long oldest,
                                 worker_memory& memory) const
{
    const std::size_t length = needed_items();
    const unsigned char* const from = items_of(call, oldest, length, memory);
    // The values outside the block have been zero from the start.
    const std::size_t shift = first_place();
    const std::size_t before_wrap = std::min(length, d_block.fft_size - shift);
    const unsigned char* const rest = from + before_wrap * sample_size(d_input);
    if (is_real()) {
        auto* const values = reinterpret_cast<float*>(memory.values.data());
        convert_to_floats(from, d_input, values + shift, before_wrap);
        convert_to_floats(rest, d_input, values, length - before_wrap);
    } else {
        convert_to_complex(from, d_input, &memory.values[shift], before_wrap);
        convert_to_complex(rest, d_input, memory.values.data(), length - before_wrap);
    }
}

//! Transforms the block whose first output belongs to item \p begin of the call. Items
//! that the call does not have meet no tap of any output that is asked for.
void host_multirate::forward(const filter_call& call,
                             long long begin,
                             slot& into,
                             worker_memory& memory)
{
    const long long oldest =
        begin + 1 - static_cast<long long>(d_block.max_items_of_output);
    if (d_columns) {
        forward_columns(call, oldest, into, memory);
        return;
    }
    place_items(call, oldest, memory);
    const std::size_t n = d_block.fft_size;
    if (is_real()) {
        d_pairs->run(memory.values.data(), memory.work, memory.pair_bins.data());
        bins_of_pairs(memory.pair_bins.data(), n, 0, n, d_turns.data(), into.bins.data());
    } else {
        d_transform->run(memory.values.data(), memory.work, into.bins.data());
    }
    for (std::size_t done = 0; done < d_extra_bins; done += n)
        std::copy_n(into.bins.begin(),
                    std::min(n, d_extra_bins - done),
                    into.bins.begin() + static_cast<std::ptrdiff_t>(n + done));
    for (std::size_t r = 0; r < d_rates.size(); r++) {
        const auto& rate = d_rates[r];
        const bool is_read = d_shares_order ? r == d_order_rate : !rate.active.empty();
        if (!rate.folds || !is_read)
            continue;
        into.gathered[r].resize(rate.folds->gathered_size());
        rate.folds->gather(into.bins.data(), nullptr, into.gathered[r].data());
    }
}

//! The same by the transform to gathered bins. \param oldest the block's first item that
//! an output needs
void host_multirate::forward_columns(const filter_call& call,
                                     long long oldest,
                                     slot& into,
                                     worker_memory& memory) const
{
    const auto& rate = d_rates[d_order_rate];
    const std::complex<float>* values = memory.values.data();
    std::size_t shift = 0, length = d_block.fft_size;
    if (d_wraps) {
        place_items(call, oldest, memory);
    } else {
        // The block is filled with the items before and behind those that are needed,
        // because the transform takes few zeros.
        const std::size_t place = first_place();
        shift = place % rate.rate.decimation;
        length -= shift;
        const unsigned char* const from = items_of(
            call, oldest - static_cast<long long>(place - shift), length, memory);
        if (d_input == sample_type::fc32)
            values = reinterpret_cast<const std::complex<float>*>(from);
        else
            convert_to_complex(from, d_input, memory.values.data(), length);
    }
    auto& gathered = into.gathered[d_order_rate];
    gathered.resize(rate.folds->gathered_size());
    d_columns->run(values, shift, length, memory.columns_work, gathered.data());
}

//! Computes the outputs of a group of channels in blocks that follow each other. The
//! first output of the first block belongs to item \p begin of the call.
void host_multirate::compute(const filter_call& call,
                             long long begin,
                             const slot* slots,
                             std::size_t blocks,
                             const channel_group& group,
                             worker_memory& memory)
{
    const auto& rate = d_rates[group.rate];
    const auto step = static_cast<long long>(d_block.step());
    float* const folded = memory.folded.data();
    if (rate.folds) {
        // The responses of the group stay in the cache from one step to the next.
        for (std::size_t some; blocks > 0; blocks -= some) {
            some = std::min(blocks, max_fold_blocks);
            compute_together(call, begin, slots, some, group, memory);
            slots += some;
            begin += static_cast<long long>(some) * step;
        }
        return;
    }
    const std::size_t channel = rate.channels[group.first];
    const auto& state = d_channels[channel];
    for (std::size_t b = 0; b < blocks; b++, begin += step) {
        const auto some = outputs_of(call, channel, begin, begin + step);
        if (some.first == some.second)
            continue;
        d_kernels.fold({ as_floats(slots[b].bins.data() + state.first_bin),
                         rate.size,
                         state.response.runs.data(),
                         state.response.gains.data(),
                         state.response.real,
                         { state.response.factor.real(), state.response.factor.imag() },
                         folded });
        store(call, begin, channel, folded, memory);
    }
}

//! The same for channels that fold together, in at most fold_kernel_set::max_blocks
//! blocks.
void host_multirate::compute_together(const filter_call& call,
                                      long long begin,
                                      const slot* slots,
                                      std::size_t blocks,
                                      const channel_group& group,
                                      worker_memory& memory)
{
    const auto& rate = d_rates[group.rate];
    const auto step = static_cast<long long>(d_block.step());
    float* const folded = memory.folded.data();
    const float* bins[max_fold_blocks];
    for (std::size_t b = 0; b < blocks; b++)
        bins[b] = slots[b].gathered[order_of(group.rate)].data();
    std::array<const std::complex<float>*, channel_folds::max_group> wanted{};
    const auto end = begin + static_cast<long long>(blocks) * step;
    for (std::size_t c = 0; c < group.channels; c++) {
        const std::size_t channel = rate.channels[group.first + c];
        const auto some = outputs_of(call, channel, begin, end);
        if (some.first != some.second)
            wanted[c] = call.channels[channel].out;
    }
    rate.folds->run(group.first, group.channels, bins, blocks, wanted.data(), folded);
    for (std::size_t b = 0; b < blocks; b++, begin += step)
        for (std::size_t c = 0; c < group.channels; c++)
            if (wanted[c])
                store(call,
                      begin,
                      rate.channels[group.first + c],
                      folded + (b * group.channels + c) * folded_size(rate),
                      memory);
}

//! Stores the outputs of one channel in the block whose first output belongs to item
//! \p begin of the call.
void host_multirate::store(const filter_call& call,
                           long long begin,
                           std::size_t channel,
                           const float* folded,
                           worker_memory& memory)
{
    const auto& state = d_channels[channel];
    const auto& rate = d_rates[state.rate];
    const auto& span = call.channels[channel].span;
    const auto wanted =
        outputs_of(call, channel, begin, begin + static_cast<long long>(d_block.step()));
    if (wanted.first == wanted.second)
        return;

    // The block's first output has a whole number of items as its time. The call's first
    // output may come before it or after it.
    const long long newest = static_cast<long long>(span.newest);
    const phase64 phase = call.channels[channel].phase -
                          state.channel.step * static_cast<std::uint64_t>(begin - newest);
    const auto p = static_cast<long long>(rate.rate.interpolation);
    const auto q = static_cast<long long>(rate.rate.decimation);
    const auto fraction =
        static_cast<long long>(span.first % rate.rate.interpolation *
                               rate.rate.decimation % rate.rate.interpolation);
    // Outputs of the block before the call's first wanted one.
    const long long time =
        (newest - begin) * p + fraction + static_cast<long long>(wanted.first) * q;
    const auto skipped = static_cast<std::size_t>(time / q);
    const std::size_t outputs = wanted.second - wanted.first;
    std::complex<float>* const out = call.channels[channel].out + wanted.first;
    if (skipped == 0) {
        rate.inverse->run(state.index, folded, memory.inverse, phase, out, outputs);
    } else {
        if (memory.head.size() < skipped + outputs)
            memory.head.resize(skipped + outputs);
        rate.inverse->run(state.index,
                          folded,
                          memory.inverse,
                          phase,
                          memory.head.data(),
                          skipped + outputs);
        std::copy_n(
            memory.head.begin() + static_cast<std::ptrdiff_t>(skipped), outputs, out);
    }
    // Every output of a block has a part of every item, so it is enough to look at one,
    // while it is in the cache.
    memory.has_bad = memory.has_bad || !is_finite(*out);
}

/*!
 * Mends the outputs of blocks with items that are not finite: only those whose taps meet
 * such an item become NaN. store() has found some outputs.
 *
 * \param begin the item of the first block's first output
 */
void host_multirate::mend(const filter_call& call, long long begin, std::size_t blocks)
{
    for (auto& worker : d_workers)
        worker.has_bad = false;
    const auto step = static_cast<long long>(d_block.step());
    bool found = false;
    for (std::size_t block = 0; block < blocks; block++, begin += step)
        for (const std::size_t channel : d_active) {
            const auto some = outputs_of(call, channel, begin, begin + step);
            if (some.first == some.second ||
                is_finite(call.channels[channel].out[some.first]))
                continue;
            if (!std::exchange(found, true))
                d_bad.find(call.in, d_input, call.history + call.items);
            mend_outputs(call, channel, some.first, some.second, d_workers.front());
        }
}

void host_multirate::mend_outputs(const filter_call& call,
                                  std::size_t channel,
                                  std::size_t begin,
                                  std::size_t end,
                                  worker_memory& memory)
{
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    auto& state = d_channels[channel];
    const rate_ratio& rate = d_rates[state.rate].rate;
    const channel_span& span = call.channels[channel].span;
    const std::size_t before = span.first % rate.interpolation;
    const std::size_t taps = state.channel.items_of_output();
    for (std::size_t i = begin; i < end; i++) {
        const std::size_t later = rate.newest_item(before + i) - rate.newest_item(before);
        const std::size_t oldest = span.newest + later + 1 - taps;
        if (d_bad.any(oldest, taps)) {
            call.channels[channel].out[i] = { nan, nan };
            continue;
        }
        auto& filter = state.exact[(before + i) % rate.interpolation];
        if (!filter) {
            filter_channel one = state.channel;
            one.set_taps(interpolated_taps(
                one.problem.taps, rate, (before + i) % rate.interpolation));
            filter = make_host_fir_volk(one);
        }
        filter->run(
            { static_cast<const unsigned char*>(call.in) + oldest * sample_size(d_input),
              call.channels[channel].out + i,
              1,
              call.channels[channel].phase - state.channel.step * later },
            memory.scratch);
    }
}

} // namespace

std::size_t multirate_unit(const std::vector<rate_ratio>& rates)
{
    std::size_t unit = 1;
    for (const auto& rate : rates) {
        unit = unit / std::gcd(unit, rate.decimation) * rate.decimation;
        if (unit > max_unit)
            return 0;
    }
    return unit;
}

const std::string& multirate_variant()
{
    return overlap_save_selected_bins_method().name;
}

std::unique_ptr<filter_executor>
make_host_multirate(const std::vector<filter_channel>& channels,
                    const std::function<std::size_t(multirate_block)>& choose_size,
                    const std::vector<double>& kept,
                    double accuracy,
                    std::shared_ptr<thread_pool> pool,
                    double item_seconds)
{
    return std::make_unique<host_multirate>(
        channels, choose_size, kept, accuracy, std::move(pool), item_seconds);
}

} // namespace cldsp
