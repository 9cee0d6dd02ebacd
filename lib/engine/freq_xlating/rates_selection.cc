/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating/rates_selection.h"

#include "base/arithmetic.h"
#include "base/text_stream.h"
#include "base/thread_pool.h"
#include "direct/host_direct_variant.h"
#include "direct/host_resampler.h"
#include "fast_convolution/host_multirate.h"
#include "fast_convolution/overlap_save_method.h"
#include "fft/fftw_plan.h"
#include "filter/channel_spans.h"
#include "filter/kept_bins.h"
#include "filter/variants.h"
#include "freq_xlating/rate_groups.h"
#include "freq_xlating/typical_call.h"
#include "planning/output_check.h"
#include "planning/planner.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// Channels of one rate are computed group by group only if they have few groups, unless
// no other way is open: each group has an executor of its own, and a rate of P outputs
// for Q items has P groups.
constexpr std::size_t max_groups = 64;

// The time for choosing. Ways that would take longer are not tried where there is another
// one.
constexpr double max_seconds = 2;

// Ways and divisions that are predicted to take longer than the best one by this factor
// are not tried.
constexpr double hopeless = 4;

//! The bytes that the executor of a bank may take.
std::size_t max_bytes(std::size_t channels, unsigned threads)
{
    constexpr std::size_t usual = std::size_t(512) << 20;
    constexpr std::size_t of_a_channel = std::size_t(2) << 20;
    constexpr std::size_t of_a_thread = std::size_t(32) << 20;
    return std::max({ usual, of_a_channel * channels, of_a_thread * threads });
}

//! Some channels of a bank, and everything that the prediction of their ways needs.
struct bank_part {
    std::vector<std::size_t> channels; //!< in the bank, in ascending order
    freq_xlating_filter_bank_problem problem;
    std::vector<filter_channel> prepared;
    std::vector<multirate_channel> multirate;
    multirate_block block;
    plan_shape shape; //!< of the whole part; its decimation means nothing
    std::vector<rate_group> groups;
    std::size_t different_taps = 1;

    std::size_t rates = 1; //!< different ones
    const rate_ratio& rate() const { return multirate.front().rate; }
};

//! A way to compute a part.
struct part_way {
    enum class kind {
        grouped,   //!< each group has an executor of its own, see rate_groups.h
        shared,    //!< all channels share a transform, see host_multirate.h
        resampled, //!< the direct algorithm, see host_resampler.h
    };
    kind how;
    std::string variant;     //!< of `resampled`
    double seconds;          //!< of a typical call, as predicted
    std::size_t bytes;       //!< of the executor
    double making;           //!< seconds, besides those of FFTW's plans
    std::size_t fftw_plans;  //!< that making it may have to measure
    double item_seconds = 0; //!< as multirate_prediction::item_seconds
    std::size_t fft_size = 0;
};

//! A part whose executor has been made.
struct made_part {
    filter_selection selected;
    double seconds = infinity; //!< of a typical call: measured, or else predicted
    bool is_measured = false;
    double predicted = infinity;
    std::size_t bytes = 0; //!< of the executor, as predicted
    std::string failure;   //!< of a device
    std::string runner_up;
};

using rate_set = std::vector<std::size_t>; // indices of different rates, ascending
using division = std::vector<rate_set>;    // each rate is in one set

//! Chooses how a bank whose channels have different rates is computed.
class rates_planner
{
public:
    //! Makes the executor of a group.
    //! \param seconds the longest time for its measurements
    using group_maker = std::function<filter_selection(
        const freq_xlating_filter_bank_problem&, double seconds)>;

    /*!
     * \param named the options that decide which ways are open
     * \param has_host,has_device whether the options leave the host or a device open
     * \param measures false: all is chosen by the predictions
     */
    rates_planner(const freq_xlating_filter_bank_problem& problem,
                  const freq_xlating_filter_bank_options& options,
                  const plan_options& named,
                  const host_rates& rates,
                  bool has_host,
                  bool has_device,
                  bool measures)
        : d_problem(problem),
          d_options(options),
          d_named(named),
          d_rates(rates),
          d_has_host(has_host),
          d_has_device(has_device),
          d_measures(measures),
          d_pool(std::make_shared<thread_pool>(options.threads)),
          d_max_bytes(max_bytes(problem.channels(), d_pool->threads())),
          d_started(std::chrono::steady_clock::now())
    {
        for (const auto& taps : problem.taps)
            d_kept.push_back(kept_bins(taps, options.accuracy));
        std::vector<rate_ratio> all;
        for (std::size_t c = 0; c < problem.channels(); c++)
            all.push_back(problem.rate(c));
        d_all = different_rates(all);
        for (const auto& rate : all)
            d_rate_of.push_back(static_cast<std::size_t>(
                std::find(d_all.begin(), d_all.end(), rate) - d_all.begin()));
        d_items = items_of_typical_call(options.typical_items, all);
    }

    const std::shared_ptr<thread_pool>& pool() const { return d_pool; }

    filter_selection choose(const group_maker& make_group)
    {
        d_make_group = make_group;
        const auto all = divisions();
        const double best = seconds_of(all.front());
        const division* chosen = nullptr;
        double chosen_seconds = infinity, runner_up_seconds = infinity;
        std::string chosen_text, runner_up;
        std::exception_ptr lack;
        for (std::size_t i = 0; i < all.size(); i++) {
            const division& one = all[i];
            if (chosen && (seconds_of(one) > hopeless * best || !is_affordable(one) ||
                           made_bytes() + missing_bytes(one) > d_max_bytes))
                continue;
            double seconds = 0;
            try {
                seconds = make_all(one);
            } catch (const std::bad_alloc&) {
                // Another division may need less memory.
                lack = std::current_exception();
                tell_lack("a division into " + std::to_string(one.size()) +
                          " sets of rates");
                drop_made(chosen, i + 1 < all.size() ? &all[i + 1] : nullptr);
                continue;
            }
            const auto text = text_of(one, seconds);
            if (!chosen || seconds < chosen_seconds) {
                runner_up = chosen_text;
                runner_up_seconds = chosen_seconds;
                chosen = &one;
                chosen_seconds = seconds;
                chosen_text = text;
            } else if (seconds < runner_up_seconds) {
                runner_up = text;
                runner_up_seconds = seconds;
            }
            drop_made(chosen, i + 1 < all.size() ? &all[i + 1] : nullptr);
        }
        if (!chosen)
            std::rethrow_exception(lack);
        return joined(*chosen, runner_up);
    }

private:
    double elapsed() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - d_started)
            .count();
    }
    double rate_of(double seconds) const
    {
        return static_cast<double>(d_items) / seconds;
    }

    bank_part& part_of(const rate_set& set);
    std::vector<part_way> ways_of(const bank_part& part) const;
    std::vector<part_way> ways_within(const bank_part& part,
                                      std::size_t most,
                                      const plan_options& named,
                                      bool with_many_groups) const;
    part_way grouped_way(const bank_part& part, const plan_options& named) const;
    void share_memory();
    const std::vector<part_way>& ways(const rate_set& set);
    double predicted(const rate_set& set);
    double seconds_of(const division& sets)
    {
        double seconds = 0;
        for (const auto& set : sets)
            seconds += predicted(set);
        return seconds;
    }
    double making_seconds(const part_way& way) const
    {
        return way.making + fftw_seconds() * static_cast<double>(way.fftw_plans);
    }
    double fftw_seconds() const;
    bool is_affordable(const division& sets);
    std::size_t missing_bytes(const division& sets);
    std::size_t made_bytes() const;
    double make_all(const division& sets);
    void drop_made(const division* best, const division* next);
    void tell_lack(const std::string& what) const
    {
        log_to(d_options.log,
               log_level::warning,
               what + " is left out: there is not enough memory");
    }
    std::vector<division> divisions();
    division merged();
    //! Forgets a set that is not used, unless it is a single rate.
    void forget(const rate_set& set)
    {
        if (set.size() < 2)
            return;
        d_parts.erase(set);
        d_ways.erase(set);
    }
    made_part& made(const rate_set& set);
    filter_selection make(const bank_part& part, const part_way& way);
    filter_selection make_grouped_way(const bank_part& part);
    double measure(const bank_part& part, filter_executor& executor) const;
    std::string text_of(const division& sets, double seconds);
    filter_selection joined(const division& sets, const std::string& runner_up);
    [[noreturn]] void refuse(const bank_part& part) const;

    const freq_xlating_filter_bank_problem& d_problem;
    const freq_xlating_filter_bank_options& d_options;
    const plan_options d_named;
    const host_rates d_rates;
    const bool d_has_host, d_has_device, d_measures;
    const std::shared_ptr<thread_pool> d_pool;
    const std::size_t d_max_bytes;
    // Of d_max_bytes, for a rate. Half, because two executors of it exist at a time,
    // unless there are too many rates for that.
    std::size_t d_share = d_max_bytes / 2;
    const std::chrono::steady_clock::time_point d_started;
    std::vector<double> d_kept;         // of each prototype
    std::vector<rate_ratio> d_all;      // different rates
    std::vector<std::size_t> d_rate_of; // index in d_all for each channel
    std::size_t d_items = 1;            // of a typical call
    group_maker d_make_group;
    std::size_t d_parts_to_make = 1;
    std::map<rate_set, bank_part> d_parts;
    std::map<rate_set, std::vector<part_way>> d_ways;
    std::map<rate_set, made_part> d_made;
};

bank_part& rates_planner::part_of(const rate_set& set)
{
    const auto known = d_parts.find(set);
    if (known != d_parts.end())
        return known->second;
    bank_part& part = d_parts[set];
    part.rates = set.size();
    auto& problem = part.problem;
    problem.input = d_problem.input;
    problem.sampling_freq = d_problem.sampling_freq;
    problem.phase = d_problem.phase;
    const bool has_many_taps = d_problem.taps.size() > 1;
    std::vector<rate_ratio> rates;
    std::vector<const shared_taps*> prototypes;
    for (std::size_t c = 0; c < d_problem.channels(); c++) {
        if (!std::binary_search(set.begin(), set.end(), d_rate_of[c]))
            continue;
        part.channels.push_back(c);
        rates.push_back(d_problem.rate(c));
        problem.center_freqs.push_back(d_problem.center_freqs[c]);
        if (has_many_taps || problem.taps.empty())
            problem.taps.push_back(d_problem.taps_of(c));
        part.multirate.push_back({ rates.back(), d_kept[has_many_taps ? c : 0] });
    }
    problem.rates = rates;
    part.prepared = make_channels(problem);
    for (const auto& channel : part.prepared) {
        part.block.max_items_of_output =
            std::max(part.block.max_items_of_output, channel.items_of_output());
        part.shape.taps = std::max(part.shape.taps, channel.taps());
        part.shape.real_taps = part.shape.real_taps && channel.real_taps;
        part.shape.kept = std::min(1.0, part.multirate.front().kept);
    }
    for (std::size_t i = 1; i < problem.taps.size(); i++)
        part.different_taps += problem.taps[i].is(problem.taps[i - 1]) ? 0 : 1;
    part.block.unit = multirate_unit(rates);
    part.groups = rate_groups(problem);
    part.shape.input = problem.input;
    part.shape.channels = part.channels.size();
    part.shape.threads = d_pool->threads();
    part.shape.items = d_items;
    return part;
}

//! The variants of the direct algorithm on the host that the options leave open. For
//! other channels than one alone, that is the usual one, unless another one is named.
std::vector<const host_direct_variant*> open_directs(const plan_options& named)
{
    std::vector<const host_direct_variant*> all;
    for (const auto* variant : host_direct_variants())
        if (named.variant == variant->name ||
            (variant == &host_direct_simd() && named.allows(variant->name)))
            all.push_back(variant);
    return all;
}

//! The seconds of one group of a part on the host, and the bytes of its executor.
std::pair<double, std::size_t>
group_on_host(plan_shape shape, const plan_options& named, const host_rates& rates)
{
    // The part of a call that a direct filter moves to 0 Hz at a time, and tables.
    constexpr std::size_t direct_bytes = 200'000;
    const std::size_t tap_bytes = 4 * sizeof(std::complex<float>);
    std::pair<double, std::size_t> best{
        infinity, direct_bytes + shape.channels * shape.taps * tap_bytes
    };
    for (const auto* variant : open_directs(named))
        best.first = std::min(best.first, variant->predict(shape, rates));
    for (const auto* method : overlap_save_methods()) {
        if (!named.allows(method->name))
            continue;
        for (const auto size : method->sizes(shape, rates, 1)) {
            const double seconds = method->predict(shape, size, rates);
            // The tables of the transforms, the responses, and a block for each thread.
            const std::size_t bytes =
                size * shape.decimation * sizeof(std::complex<float>) *
                (2 + 2 * std::max(1U, shape.threads) + shape.channels);
            if (seconds < best.first)
                best = { seconds, bytes };
        }
    }
    return best;
}

part_way rates_planner::grouped_way(const bank_part& part,
                                    const plan_options& named) const
{
    constexpr double host_group_seconds = 1e-3, device_group_seconds = 5e-3;
    part_way way{ part_way::kind::grouped, {}, 0, 0, 0, 0 };
    const rate_group* last = nullptr;
    std::pair<double, std::size_t> each{};
    for (const auto& group : part.groups) {
        if (!last || last->rate != group.rate) {
            plan_shape shape = part.shape;
            shape.decimation = group.rate.decimation;
            shape.channels = group.channels.size();
            shape.taps += group.rate.further_taps();
            each = group_on_host(shape, named, d_rates);
            // The memory of a device is its driver's affair. The host keeps the taps.
            if (!d_has_host)
                each.second = shape.channels * shape.taps * sizeof(std::complex<float>);
        }
        last = &group;
        way.seconds += each.first;
        way.bytes += each.second;
        way.making += d_has_device ? device_group_seconds : host_group_seconds;
    }
    return way;
}

/*!
 * The ways that are open to a part and fit its share of the memory, the best predicted
 * one first. Where none does, the share is the whole memory. Only a variant that is named
 * may then have no way; otherwise the way with the fewest bytes is taken.
 */
std::vector<part_way> rates_planner::ways_of(const bank_part& part) const
{
    const std::size_t share = std::min(d_max_bytes / 2, d_share * part.rates);
    auto all = ways_within(part, share, d_named, false);
    if (!all.empty() || part.rates > 1)
        return all;
    all = ways_within(part, d_max_bytes, d_named, true);
    if (!all.empty() || d_named.variant != "auto")
        return all;
    all = ways_within(part, std::numeric_limits<std::size_t>::max(), d_named, true);
    const auto fewest =
        std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
            return std::make_pair(std::isinf(a.seconds), a.bytes) <
                   std::make_pair(std::isinf(b.seconds), b.bytes);
        });
    return { *fewest };
}

//! Decides how much memory a rate may have.
void rates_planner::share_memory()
{
    constexpr std::size_t least_share = std::size_t(4) << 20;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < d_all.size(); i++)
        if (!ways({ i }).empty())
            bytes += ways({ i }).front().bytes;
    if (bytes <= d_max_bytes)
        return;
    d_share = std::max(least_share, d_max_bytes / 2 / d_all.size());
    d_ways.clear();
}

//! The ways that \p named leaves open to a part and that take at most \p most bytes, the
//! best predicted one first.
std::vector<part_way> rates_planner::ways_within(const bank_part& part,
                                                 std::size_t most,
                                                 const plan_options& named,
                                                 bool with_many_groups) const
{
    std::vector<part_way> all;
    const bool has_one = part.rates == 1;
    const bool is_integer = has_one && part.rate().is_integer();
    const bool is_unlimited = most == std::numeric_limits<std::size_t>::max();
    const auto add = [&](const part_way& way) {
        if (way.bytes <= most)
            all.push_back(way);
    };
    if (d_has_host && has_one && !is_integer) {
        for (const auto* variant : open_directs(named)) {
            const auto its = predict_resampler({ part.rate(),
                                                 part.shape.taps,
                                                 part.shape.channels,
                                                 part.different_taps },
                                               part.shape,
                                               *variant,
                                               d_rates);
            add({ part_way::kind::resampled,
                  variant->name,
                  its.call_seconds,
                  its.bytes,
                  its.prepare_seconds,
                  0,
                  its.item_seconds });
        }
    }
    if (d_has_host && !is_integer && part.block.unit != 0 &&
        named.allows(multirate_variant())) {
        // Without a limit, all sizes, because the smallest one is wanted.
        const std::size_t max_sizes =
            is_unlimited ? std::numeric_limits<std::size_t>::max() : 3;
        for (const auto& its : predict_multirate(
                 part.block, part.shape, part.multirate, d_rates, max_sizes, most))
            all.push_back({ part_way::kind::shared,
                            {},
                            its.call_seconds,
                            its.bytes,
                            its.prepare_seconds,
                            its.fftw_plans,
                            its.item_seconds,
                            its.fft_size });
    }
    if (has_one && (part.groups.size() <= max_groups ||
                    (with_many_groups && (all.empty() || is_unlimited)))) {
        const auto way = grouped_way(part, named);
        if (is_integer || way.bytes <= most)
            all.push_back(way);
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.seconds < b.seconds;
    });
    return all;
}

const std::vector<part_way>& rates_planner::ways(const rate_set& set)
{
    const auto known = d_ways.find(set);
    if (known != d_ways.end())
        return known->second;
    return d_ways[set] = ways_of(part_of(set));
}

double rates_planner::predicted(const rate_set& set)
{
    const auto& all = ways(set);
    return all.empty() ? infinity : all.front().seconds;
}

//! The time for one of FFTW's plans.
double rates_planner::fftw_seconds() const
{
    if (!d_measures)
        return 0.02;
    const double left = std::max(0.0, max_seconds - elapsed());
    return std::clamp(
        left / static_cast<double>(4 * std::max<std::size_t>(1, d_parts_to_make)),
        0.02,
        fftw_planning_seconds);
}

bool rates_planner::is_affordable(const division& sets)
{
    double seconds = elapsed();
    for (const auto& set : sets)
        if (!d_made.count(set) && !ways(set).empty())
            seconds += making_seconds(ways(set).front());
    return seconds < max_seconds;
}

//! The bytes that the parts of a division would add to those that are made.
std::size_t rates_planner::missing_bytes(const division& sets)
{
    std::size_t bytes = 0;
    for (const auto& set : sets)
        if (!d_made.count(set) && !ways(set).empty())
            bytes += ways(set).front().bytes;
    return bytes;
}

std::size_t rates_planner::made_bytes() const
{
    std::size_t bytes = 0;
    for (const auto& one : d_made)
        bytes += one.second.bytes;
    return bytes;
}

//! Makes the parts of a division. Returns the seconds of a typical call.
double rates_planner::make_all(const division& sets)
{
    d_parts_to_make = sets.size();
    double seconds = 0;
    for (const auto& set : sets) {
        seconds += made(set).seconds;
        d_parts_to_make--;
    }
    return seconds;
}

//! Drops the parts that neither of two divisions has.
void rates_planner::drop_made(const division* best, const division* next)
{
    const auto has = [](const division* sets, const rate_set& set) {
        return sets && std::find(sets->begin(), sets->end(), set) != sets->end();
    };
    for (auto one = d_made.begin(); one != d_made.end();)
        if (has(best, one->first) || has(next, one->first))
            ++one;
        else
            one = d_made.erase(one);
}

/*!
 * Divides the rates into sets that share a block where that pays, in one pass: each rate
 * joins the set for which the predicted time becomes shortest, or stays alone.
 */
division rates_planner::merged()
{
    constexpr std::size_t max_compared = 16; // sets that a rate may join
    constexpr double worth = 0.97;
    constexpr double enough_seconds = max_seconds / 4;
    std::vector<std::size_t> order(d_all.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    // Rates of small decimations first: their blocks are short, and most others' are
    // multiples of them.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return d_all[a].decimation < d_all[b].decimation;
    });
    division sets;
    for (const std::size_t rate : order) {
        const double alone = predicted({ rate });
        double best_gain = 0;
        std::size_t best = sets.size();
        const std::size_t first =
            sets.size() > max_compared ? sets.size() - max_compared : 0;
        rate_set joined;
        // The rest of very many rates stay alone.
        for (std::size_t i = first; i < sets.size() && elapsed() < enough_seconds; i++) {
            rate_set with = sets[i];
            with.insert(std::upper_bound(with.begin(), with.end(), rate), rate);
            const double together = predicted(with);
            const double apart = alone + predicted(sets[i]);
            const double gain = apart - together / worth;
            if (gain > best_gain ||
                (best == sets.size() && apart == infinity && together < infinity)) {
                best_gain = gain;
                best = i;
                joined.swap(with);
            }
            forget(with);
        }
        if (best == sets.size()) {
            sets.push_back({ rate });
        } else {
            sets[best].swap(joined);
            forget(joined);
        }
    }
    // In the order of divisions(), which finds equal ones.
    std::sort(sets.begin(), sets.end());
    return sets;
}

//! The divisions that are worth a trial, the best predicted one first. There is always
//! one.
std::vector<division> rates_planner::divisions()
{
    share_memory();
    division single;
    for (std::size_t i = 0; i < d_all.size(); i++)
        single.push_back({ i });
    std::vector<division> all;
    const auto add = [&](const division& one) {
        if (std::isfinite(seconds_of(one)) &&
            std::find(all.begin(), all.end(), one) == all.end())
            all.push_back(one);
    };
    add(single);
    if (d_has_host && d_all.size() > 1 && d_named.allows(multirate_variant())) {
        rate_set whole(d_all.size());
        std::iota(whole.begin(), whole.end(), std::size_t(0));
        add(merged());
        add({ whole });
    }
    if (all.empty())
        for (const auto& set : single)
            if (ways(set).empty())
                refuse(part_of(set));
    if (all.empty())
        all.push_back(single); // whose groups the devices predict
    const auto place_of = [&](const division& one) {
        return std::make_pair(missing_bytes(one) > d_max_bytes, seconds_of(one));
    };
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        return place_of(a) < place_of(b);
    });
    // Predictions are those of the host, so that groups on a device come first.
    if (d_has_device) {
        const auto its = std::find(all.begin(), all.end(), single);
        if (its != all.end())
            std::rotate(all.begin(), its, its + 1);
    }
    return all;
}

void rates_planner::refuse(const bank_part& part) const
{
    const rate_ratio& rate = part.rate();
    text_stream value;
    value << "'" << d_named.variant << "' for a rate of " << rate.interpolation
          << " outputs for " << rate.decimation << " items and " << part.shape.taps
          << " taps, which takes more than " << (d_max_bytes >> 20) << " MiB";
    text_stream allowed;
    allowed << "'auto'";
    // The others that compute this rate within the memory.
    for (const std::string& variant : { host_direct_simd().name, multirate_variant() }) {
        auto other = d_named;
        other.algorithm = "auto";
        other.variant = variant;
        if (d_has_host && variant != d_named.variant &&
            !ways_within(part, d_max_bytes, other, true).empty())
            allowed << ", '" << variant << "'";
    }
    allowed << ", or a rate of fewer outputs for fewer items";
    throw_invalid("variant", value.str(), allowed.str());
}

filter_selection rates_planner::make(const bank_part& part, const part_way& way)
{
    const fftw_planning_limit limit(fftw_seconds());
    filter_selection selected;
    auto& plan = selected.plan;
    plan.device = plan.device_name = "host";
    plan.transfer = "none";
    plan.predicted = rate_of(way.seconds);
    if (way.how == part_way::kind::grouped)
        return make_grouped_way(part);
    if (way.how == part_way::kind::resampled) {
        plan.algorithm = "direct";
        plan.variant = way.variant;
        selected.executor =
            make_host_resampler(way.variant, part.prepared, d_pool, way.item_seconds);
        return selected;
    }
    std::vector<double> kept;
    for (const auto& channel : part.multirate)
        kept.push_back(channel.kept);
    plan.algorithm = "fast_convolution";
    plan.variant = multirate_variant();
    plan.fft_size = way.fft_size;
    selected.executor = make_host_multirate(
        part.prepared,
        [shape = part.shape,
         channels = part.multirate,
         rates = d_rates,
         max_items = part.block.max_items_of_output,
         most = d_max_bytes,
         size = way.fft_size](const multirate_block& block) {
            if (block.max_items_of_output == max_items)
                return size;
            auto sizes = predict_multirate(block, shape, channels, rates, 1, most);
            if (sizes.empty())
                sizes = predict_multirate(block, shape, channels, rates, 1);
            return sizes.front().fft_size;
        },
        kept,
        d_options.accuracy,
        d_pool,
        way.item_seconds);
    return selected;
}

//! Adds a plan to that of several executors, with commas between different names.
void add_plan(const chosen_plan& one, chosen_plan& all)
{
    add_name(one.device, all.device);
    add_name(one.device_name, all.device_name);
    add_name(one.algorithm, all.algorithm);
    add_name(one.variant, all.variant);
    add_name(one.transfer, all.transfer);
    if (!one.reason.empty())
        add_name(one.reason, all.reason);
}

filter_selection rates_planner::make_grouped_way(const bank_part& part)
{
    const double seconds = std::max(0.0, max_seconds - elapsed()) /
                           static_cast<double>(std::max<std::size_t>(1, d_parts_to_make));
    filter_selection all;
    std::vector<std::unique_ptr<filter_executor>> executors;
    double predicted = 0;
    for (const auto& group : part.groups) {
        filter_selection one = d_make_group(group.problem(part.problem), seconds);
        predicted += one.plan.predicted > 0
                         ? static_cast<double>(d_items) / one.plan.predicted /
                               static_cast<double>(group.rate.interpolation)
                         : infinity;
        add_plan(one.plan, all.plan);
        all.fell_back = all.fell_back || one.fell_back;
        executors.push_back(std::move(one.executor));
    }
    all.plan.predicted = rate_of(predicted);
    all.executor = make_grouped(part.groups, std::move(executors), part.prepared);
    return all;
}

//! The seconds of a typical call.
double rates_planner::measure(const bank_part& part, filter_executor& executor) const
{
    // The first call does not count, because it makes objects that later calls reuse,
    // unless it takes long.
    constexpr int min_calls = 4, max_calls = 12;
    constexpr double enough_seconds = 3e-3, long_seconds = 0.2;
    const typical_call call(part.prepared, d_items);
    double fastest = infinity, all = 0;
    for (int i = 0; i < max_calls && (i < min_calls || all < enough_seconds); i++) {
        if (d_options.stopped && d_options.stopped())
            throw planning_stopped();
        const auto start = std::chrono::steady_clock::now();
        try {
            call.run(executor);
        } catch (const opencl_error&) {
            call.keep(); // late commands of a lost device may still use it
            throw;
        }
        const std::chrono::duration<double> took =
            std::chrono::steady_clock::now() - start;
        all += took.count();
        if (i > 0 || took.count() > long_seconds)
            fastest = std::min(fastest, took.count());
        if (all > long_seconds && std::isfinite(fastest))
            break;
    }
    executor.clear_statistics();
    return fastest;
}

//! The best way of a part. Of the ways that are promising, as many are measured as the
//! time permits.
made_part& rates_planner::made(const rate_set& set)
{
    const auto known = d_made.find(set);
    if (known != d_made.end())
        return known->second;
    const auto& part = part_of(set);
    auto all = ways(set);
    // A way that takes long to make comes last.
    const double limit =
        std::max(0.3,
                 (max_seconds - elapsed()) /
                     static_cast<double>(std::max<std::size_t>(1, d_parts_to_make)));
    std::stable_partition(all.begin(), all.end(), [&](const auto& way) {
        return way.how == part_way::kind::grouped || making_seconds(way) < limit;
    });
    // So does one that exceeds the memory that is left.
    const auto fits = [&](const part_way& way, std::size_t bytes) {
        return made_bytes() + bytes + way.bytes <= d_max_bytes;
    };
    std::stable_partition(
        all.begin(), all.end(), [&](const auto& way) { return fits(way, 0); });
    made_part best;
    std::exception_ptr failure;
    const double started = elapsed();
    double fastest_prediction = infinity;
    for (const auto& way : all)
        fastest_prediction = std::min(fastest_prediction, way.seconds);
    for (const auto& way : all) {
        const bool is_device = way.how == part_way::kind::grouped && d_has_device;
        if (best.selected.executor) {
            if (!d_measures || best.selected.fell_back)
                break;
            if (!is_device && (way.seconds > hopeless * fastest_prediction ||
                               elapsed() - started + making_seconds(way) > limit))
                continue;
            if (!fits(way, best.bytes))
                continue;
        }
        made_part one;
        try {
            one.bytes = way.bytes;
            one.selected = make(part, way);
            // Groups that replace a device have no predictions of their own.
            if (!(one.selected.plan.predicted > 0))
                one.selected.plan.predicted = rate_of(way.seconds);
            one.predicted = one.seconds =
                static_cast<double>(d_items) / one.selected.plan.predicted;
            // Groups alone were measured when they were made.
            if (d_measures && !(is_device && all.size() == 1)) {
                one.seconds = measure(part, *one.selected.executor);
                one.is_measured = true;
                one.selected.plan.measured = rate_of(one.seconds);
            }
        } catch (const opencl_error& e) {
            failure = std::current_exception();
            best.failure = e.what();
            log_to(d_options.log,
                   log_level::warning,
                   "the host computes instead: " + best.failure);
            continue;
        } catch (const std::bad_alloc&) {
            // Another way may need less memory.
            if (!failure)
                failure = std::current_exception();
            tell_lack("a way to compute channels of " + std::to_string(set.size()) +
                      " rates");
            continue;
        }
        log_to(d_options.log,
               log_level::debug,
               "channels of " + std::to_string(set.size()) +
                   " rates: " + one.selected.plan.engine() + " " +
                   one.selected.plan.rate_text(rate_of(one.seconds)));
        if (!best.selected.executor || one.seconds < best.seconds) {
            one.failure = best.failure;
            if (best.selected.executor)
                one.runner_up = best.selected.plan.engine() + " " +
                                best.selected.plan.rate_text(rate_of(best.seconds));
            best = std::move(one);
        } else if (best.runner_up.empty()) {
            best.runner_up = one.selected.plan.engine() + " " +
                             one.selected.plan.rate_text(rate_of(one.seconds));
        }
    }
    if (!best.selected.executor) {
        if (failure)
            std::rethrow_exception(failure);
        refuse(part);
    }
    if (!best.failure.empty()) {
        best.selected.plan.reason = best.failure;
        best.selected.fell_back = true;
    }
    return d_made[set] = std::move(best);
}

//! A division of which a person reads that it was slower.
std::string rates_planner::text_of(const division& sets, double seconds)
{
    const auto& plan = made(sets.front()).selected.plan;
    const std::string engine = sets.size() == 1 ? plan.engine()
                               : sets.size() == d_all.size()
                                   ? "each rate alone"
                                   : std::to_string(sets.size()) + " sets of rates";
    return engine + " " + plan.rate_text(rate_of(seconds));
}

filter_selection rates_planner::joined(const division& sets, const std::string& runner_up)
{
    if (sets.size() == 1) {
        auto& only = made(sets.front());
        only.selected.plan.runner_up = runner_up.empty() ? only.runner_up : runner_up;
        return std::move(only.selected);
    }
    filter_selection all;
    std::vector<std::vector<std::size_t>> channels;
    std::vector<std::unique_ptr<filter_executor>> executors;
    double predicted = 0, measured = 0;
    for (const auto& set : sets) {
        auto& one = made(set);
        add_plan(one.selected.plan, all.plan);
        all.fell_back = all.fell_back || one.selected.fell_back;
        predicted += one.predicted;
        measured += one.is_measured ? one.seconds : infinity;
        channels.push_back(part_of(set).channels);
        executors.push_back(std::move(one.selected.executor));
    }
    all.plan.predicted = rate_of(predicted);
    if (std::isfinite(measured))
        all.plan.measured = rate_of(measured);
    all.plan.runner_up = runner_up;
    all.executor = make_divided(channels, std::move(executors));
    return all;
}

//! The options for the groups' own plans, which are only details of the bank's plan.
freq_xlating_filter_bank_options of_groups(freq_xlating_filter_bank_options options)
{
    if (options.log)
        options.log = [log = options.log](log_level level, const std::string& text) {
            log(level == log_level::info ? log_level::debug : level, text);
        };
    return options;
}

} // namespace

filter_selection select_rates(const freq_xlating_filter_bank_problem& problem,
                              const freq_xlating_filter_bank_options& options,
                              context_registry& registry)
{
    const auto named = plan_options::of(options);
    check_plan_options(named, problem.input);
    bool has_host = false, has_device = false;
    for (const auto& place : open_places(named)) {
        has_host = has_host || place.device.is_host();
        has_device = has_device || !place.device.is_host();
    }
    const auto rates = calibrated_rates(registry);
    const auto group_options = of_groups(options);
    fftw_memory transforms(registry.wisdom());
    rates_planner planner(problem, options, named, rates, has_host, has_device, true);
    filter_selection selected;
    try {
        selected = planner.choose(
            [&](const freq_xlating_filter_bank_problem& group, double seconds) {
                return select_decimation(
                    group, group_options, registry, planner.pool(), seconds);
            });
    } catch (const opencl_error& e) {
        // made() has told why.
        selected = rates_on_host(problem, options, rates, e.what());
    }
    transforms.save();
    log_to(options.log, log_level::info, "plan: " + selected.plan.text());
    tell_missed_prediction(options.log, selected.plan);
    return selected;
}

filter_selection rates_on_host(const freq_xlating_filter_bank_problem& problem,
                               const freq_xlating_filter_bank_options& options,
                               const host_rates& rates,
                               const std::string& why)
{
    // Any way that the host has, because the stream has to go on.
    plan_options any = plan_options::of(options);
    any.algorithm = any.variant = "auto";
    rates_planner planner(problem, options, any, rates, true, false, false);
    auto selected =
        planner.choose([&](const freq_xlating_filter_bank_problem& group, double) {
            return decimation_on_host(group, options, rates, why, planner.pool());
        });
    selected.plan.reason = why;
    selected.fell_back = true;
    return selected;
}

} // namespace cldsp
