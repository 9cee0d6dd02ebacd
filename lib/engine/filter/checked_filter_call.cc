// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Computes the correct outputs of a filter's call, and compares others with them.

#include "filter/checked_filter_call.h"

#include <cldsp/reference.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace cldsp {

namespace {

// A call of more products than this is checked only in three pieces: at its start, middle
// and end.
constexpr std::size_t max_checked_products = 50'000'000;
constexpr std::size_t pieces = 3;

} // namespace

checked_filter_call::checked_filter_call(const filter_channel& setup, std::size_t items)
    : d_taps(setup.taps()),
      d_outputs(std::max<std::size_t>(1, items / setup.problem.decimation)),
      d_in(trial_input(setup.problem.input, setup.window(d_outputs))),
      d_out(d_outputs * sizeof(std::complex<float>))
{
    const std::size_t all = max_checked_products / setup.taps();
    if (d_outputs <= all) {
        add(setup, 0, d_outputs);
        return;
    }
    const std::size_t count = std::max<std::size_t>(all / pieces, 1);
    for (std::size_t i = 0; i < pieces; i++)
        add(setup, (d_outputs - count) * i / (pieces - 1), count);
}

void checked_filter_call::add(const filter_channel& setup,
                              std::size_t first,
                              std::size_t count)
{
    const auto taps = setup.rotated();
    const std::size_t decimation = setup.problem.decimation;
    std::vector<std::complex<double>> items;
    for (std::size_t i = 0; i < setup.window(count); i++)
        items.push_back(
            sample_at(d_in.as<void>(), setup.problem.input, first * decimation + i));
    piece p{ first, {} };
    for (std::size_t n = 0; n < count; n++) {
        std::complex<double> sum = 0;
        const auto* newest = &items[n * decimation + taps.size() - 1];
        for (std::size_t k = 0; k < taps.size(); k++)
            sum += taps[k] * *(newest - k);
        p.outputs.push_back(sum * (-(setup.step * decimation) * (first + n)).phasor());
    }
    d_expected.push_back(std::move(p));
}

double checked_filter_call::error() const
{
    double largest = -std::numeric_limits<double>::infinity();
    const auto* got = d_out.as<std::complex<float>>();
    for (const auto& p : d_expected)
        largest = std::max(
            largest,
            error_db({ got + p.first, got + p.first + p.outputs.size() }, p.outputs));
    return largest;
}

void checked_filter_call::spoil() const
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::fill_n(
        d_out.as<std::complex<float>>(), d_outputs, std::complex<float>(nan, nan));
}

void checked_filter_call::run(filter_executor& executor) const
{
    run_one(executor,
            { d_in.as<void>(), d_out.as<std::complex<float>>(), d_outputs, phase64() },
            d_taps);
}

} // namespace cldsp
