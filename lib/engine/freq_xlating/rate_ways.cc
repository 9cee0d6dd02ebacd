// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Predicts the times and the memory of each way to compute channels of some rates.

#include "freq_xlating/rate_ways.h"

#include "base/arithmetic.h"
#include "base/text_stream.h"
#include "direct/host_direct_variant.h"
#include "fast_convolution/overlap_save_method.h"
#include "filter/channel_spans.h"
#include "filter/kept_bins.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cldsp {

namespace {

// Channels of one rate are computed group by group only if they have few groups, unless
// no other way is open: each group has an executor of its own, and a rate of P outputs
// for Q items has P groups.
constexpr std::size_t max_groups = 64;

//! The bytes that the executor of a bank may take.
std::size_t bytes_of_bank(std::size_t channels, unsigned threads)
{
    constexpr std::size_t usual = std::size_t(512) << 20;
    constexpr std::size_t of_a_channel = std::size_t(2) << 20;
    constexpr std::size_t of_a_thread = std::size_t(32) << 20;
    return std::max({ usual, of_a_channel * channels, of_a_thread * threads });
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

} // namespace

rate_ways::rate_ways(const filter_request& request,
                     const plan_options& named,
                     bool has_host,
                     bool has_device,
                     unsigned threads)
    : d_problem(request.problem),
      d_named(named),
      d_rates(request.rates),
      d_has_host(has_host),
      d_has_device(has_device),
      d_threads(threads),
      d_max_bytes(bytes_of_bank(d_problem.channels(), threads))
{
    for (const auto& taps : d_problem.taps)
        d_kept.push_back(kept_bins(taps, request.options.accuracy));
    std::vector<rate_ratio> all;
    for (std::size_t c = 0; c < d_problem.channels(); c++)
        all.push_back(d_problem.rate(c));
    d_all = different_rates(all);
    for (const auto& rate : all)
        d_rate_of.push_back(static_cast<std::size_t>(
            std::find(d_all.begin(), d_all.end(), rate) - d_all.begin()));
    d_items = items_of_typical_call(request.options.typical_items, all);
    share_memory();
}

const bank_part& rate_ways::part_of(const rate_set& set)
{
    const auto known = d_parts.find(set);
    if (known != d_parts.end())
        return known->second;
    bank_part& part = d_parts[set];
    part.rates = set.size();
    std::vector<rate_ratio> rates;
    for (std::size_t c = 0; c < d_problem.channels(); c++) {
        if (!std::binary_search(set.begin(), set.end(), d_rate_of[c]))
            continue;
        part.channels.push_back(c);
        rates.push_back(d_problem.rate(c));
        part.multirate.push_back({ rates.back(), d_kept[d_kept.size() > 1 ? c : 0] });
    }
    part.problem = problem_of_channels(d_problem, part.channels);
    const auto& problem = part.problem;
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
    part.shape.threads = d_threads;
    part.shape.items = d_items;
    return part;
}

part_way rate_ways::grouped_way(const bank_part& part, const plan_options& named) const
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
std::vector<part_way> rate_ways::ways_of(const bank_part& part) const
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
void rate_ways::share_memory()
{
    constexpr std::size_t least_share = std::size_t(4) << 20;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < d_all.size(); i++)
        if (!of({ i }).empty())
            bytes += of({ i }).front().bytes;
    if (bytes <= d_max_bytes)
        return;
    d_share = std::max(least_share, d_max_bytes / 2 / d_all.size());
    d_ways.clear();
}

//! The ways that \p named leaves open to a part and that take at most \p most bytes, the
//! best predicted one first.
std::vector<part_way> rate_ways::ways_within(const bank_part& part,
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

const std::vector<part_way>& rate_ways::of(const rate_set& set)
{
    const auto known = d_ways.find(set);
    if (known != d_ways.end())
        return known->second;
    return d_ways[set] = ways_of(part_of(set));
}

double rate_ways::seconds_of(const rate_set& set)
{
    const auto& all = of(set);
    return all.empty() ? infinity : all.front().seconds;
}

void rate_ways::refuse(const bank_part& part) const
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

void rate_ways::forget(const rate_set& set)
{
    if (set.size() < 2)
        return;
    d_parts.erase(set);
    d_ways.erase(set);
}

} // namespace cldsp
