// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Draws problems alike on every machine, and lists variants and block sizes for them.

#include "filters/auto_problems.h"

#include "base/thread_pool.h"
#include "filter/kept_bins.h"
#include "filter/variants.h"
#include "direct/host_direct_variant.h"
#include "fast_convolution/overlap_save_method.h"
#include "freq_xlating/cost_model.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace cldsp::bench {

namespace {

constexpr std::size_t max_taps = 5000;
constexpr std::size_t max_decimation = 200;
constexpr std::size_t max_channels = 256;
// The planner measures as many sizes of a variant.
constexpr std::size_t max_sizes = 3;

void add_on_host(std::vector<forced_choice>& to,
                 const engine_wish& wish,
                 const plan_shape& shape,
                 const host_rates& rates)
{
    const auto add = [&](const std::string& variant, std::size_t ifft_size) {
        forced_choice choice{ wish, ifft_size };
        choice.wish.variant = variant;
        to.push_back(choice);
    };
    for (const auto* variant : host_direct_variants())
        // For banks, auto chooses the first one only.
        if (shape.channels == 1 || variant == host_direct_variants().front())
            add(variant->name, 0);
    for (const auto* method : overlap_save_methods())
        for (const auto ifft_size : method->sizes(shape, rates, max_sizes))
            add(method->name, ifft_size);
}

} // namespace

std::vector<bank_workload> random_problems(std::size_t count, unsigned seed)
{
    // The distributions of the standard library differ between implementations; the
    // random engine does not.
    std::mt19937 random(seed);
    const auto part = [&] { return static_cast<double>(random()) / 4294967296.0; };
    const auto log_uniform = [&](std::size_t least, std::size_t most) {
        const double low = std::log(static_cast<double>(least));
        const double high = std::log(static_cast<double>(most + 1));
        const auto value =
            static_cast<std::size_t>(std::exp(low + part() * (high - low)));
        return std::clamp(value, least, most);
    };
    std::vector<bank_workload> problems;
    for (std::size_t i = 0; i < count; i++) {
        bank_workload work;
        work.name = "random " + std::to_string(i + 1);
        work.filter.name = work.name;
        work.filter.taps = log_uniform(1, max_taps);
        work.filter.decimation = log_uniform(1, max_decimation);
        // The passband takes a tenth to nine tenths of the bandwidth of the output.
        work.filter.cutoff = (0.05 + 0.4 * part()) * usual_sampling_freq /
                             static_cast<double>(work.filter.decimation);
        const std::size_t channels = log_uniform(2, max_channels);
        work.channels = i % 2 ? channels : 1;
        problems.push_back(work);
    }
    return problems;
}

std::unique_ptr<candidate> forced_choice::make(const bank_workload& work,
                                               const call_memory& memory,
                                               context_registry& registry) const
{
    if (ifft_size)
        return make_block_candidate(
            work, memory, wish.variant, ifft_size, wish.accuracy, wish.threads, registry);
    return make_filter_candidate(work, memory, wish, registry);
}

std::vector<forced_choice> forced_choices(const bank_workload& work,
                                          const call_memory& memory,
                                          context_registry& registry)
{
    const engine_wish automatic;
    const auto problem = make_problem(work.filter, prototype::real);
    plan_shape shape;
    shape.input = problem.input;
    shape.taps = work.filter.taps;
    shape.decimation = work.filter.decimation;
    shape.channels = work.channels;
    shape.items = memory.items();
    shape.kept = kept_bins(problem.taps, automatic.accuracy);
    if (work.is_bank())
        shape.threads = thread_pool::count_for(automatic.threads);

    plan_options open{ automatic.device,   automatic.algorithm, automatic.variant,
                       automatic.transfer, automatic.accuracy,  {}, false, {} };
    std::vector<forced_choice> choices;
    for (const auto& place : open_places(open, registry)) {
        auto wish = automatic;
        wish.device = place.device.id();
        if (place.device.is_host()) {
            add_on_host(choices, wish, shape, calibrated_rates(registry));
            continue;
        }
        wish.transfer = place.transfer;
        wish.variant = direct_variant(place.device);
        choices.push_back({ wish, 0 });
        for (const auto* variant : filter_variants())
            if (!variant->host && variant->leaves_bins_out() &&
                open.allows_on_device(variant->name, place.device)) {
                wish.variant = variant->name;
                choices.push_back({ wish, 0 });
            }
    }
    return choices;
}

} // namespace cldsp::bench
