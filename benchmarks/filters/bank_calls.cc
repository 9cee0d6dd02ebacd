// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes a bank for the calls, and compares its first channels with the reference.

#include "filters/bank_calls.h"

#include "filters/workloads.h"

#include <cldsp/reference.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>

namespace cldsp::bench {

namespace {

// The reference adds up every tap of each checked output in double precision.
constexpr std::size_t max_checked_outputs = 400, max_checked_products = 200'000'000;

//! The largest of the bounds of all channels. Channels that share their taps have one
//! bound.
double largest_bound_db(const freq_xlating_filter_bank_problem& problem, double accuracy)
{
    double largest = -1000;
    for (std::size_t c = 0; c < problem.taps.size(); c++) {
        const auto is_same = [&](const shared_taps& taps) {
            return taps.is(problem.taps[c]);
        };
        const auto first =
            std::find_if(problem.taps.begin(), problem.taps.end(), is_same);
        if (first == problem.taps.begin() + static_cast<std::ptrdiff_t>(c))
            largest = std::max(largest, accuracy_bound_db(problem.channel(c), accuracy));
    }
    return largest;
}

} // namespace

bank_calls::bank_calls(const std::string& name,
                       const freq_xlating_filter_bank_problem& problem,
                       freq_xlating_filter_bank_options options,
                       std::size_t items,
                       context_registry& registry)
    : d_name(name), d_problem(problem), d_items(items)
{
    options.typical_items = items;
    const auto start = std::chrono::steady_clock::now();
    d_bank = std::make_unique<freq_xlating_filter_bank>(problem, options, registry);
    const std::chrono::duration<double> making = std::chrono::steady_clock::now() - start;
    d_seconds_to_make = making.count();

    const std::size_t item_size = sample_size(problem.input);
    const std::size_t silence = d_bank->history() * item_size;
    d_in.resize(silence + items * item_size);
    fill_with_noise(problem.input, d_in.data() + silence, items * item_size);
    for (std::size_t c = 0; c < problem.channels(); c++) {
        // Where a call begins decides whether there is one output more.
        d_out.emplace_back(static_cast<std::size_t>(d_bank->rate(c).outputs(items)) + 1);
        d_places.push_back(d_out.back().data());
    }
    d_outputs.resize(problem.channels());
    d_bound_db = largest_bound_db(problem, options.accuracy);
}

void bank_calls::keep_active(std::size_t channels)
{
    for (std::size_t c = 0; c < d_problem.channels(); c++)
        d_bank->set_channel_active(c, c < channels);
}

void bank_calls::call()
{
    d_bank->process_items(d_in.data(),
                          d_bank->history() + d_items,
                          d_places.data(),
                          std::numeric_limits<std::size_t>::max(),
                          d_outputs.data());
}

double bank_calls::error_db(std::size_t channels)
{
    d_bank->reset();
    call();
    const unsigned char* const first =
        d_in.data() + d_bank->history() * sample_size(d_problem.input);
    double largest = -1000;
    for (std::size_t c = 0; c < channels; c++) {
        const std::size_t affordable = max_checked_products / d_problem.taps_of(c).size();
        const std::size_t count =
            std::min({ d_outputs[c], max_checked_outputs, affordable });
        if (count == 0) // the call is shorter than the decimation
            continue;
        freq_xlating_fir_reference reference(d_problem.channel(c));
        const auto expected = reference.process(
            first, static_cast<std::size_t>(d_bank->rate(c).items(count)));
        largest = std::max(
            largest,
            cldsp::error_db({ d_out[c].data(), d_out[c].data() + count }, expected));
    }
    return largest;
}

} // namespace cldsp::bench
