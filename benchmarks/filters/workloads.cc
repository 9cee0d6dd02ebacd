/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "filters/workloads.h"

#include <cldsp/errors.h>
#include <cldsp/reference.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <random>

namespace cldsp::bench {

namespace {

constexpr double pi = 3.14159265358979323846;

// Frequency-domain filters take only calls of certain multiples of items.
constexpr std::size_t spare_items = 1 << 17;
// The number of items of the smallest usual call.
constexpr std::size_t checked_items = 8340;

//! The outputs from \p first to \p first + \p count of a stream that begins with the
//! noise of \p data.
std::vector<std::complex<double>> reference_piece(const freq_xlating_fir_problem& problem,
                                                  const stream& data,
                                                  std::size_t first,
                                                  std::size_t count)
{
    const std::size_t decimation = problem.decimation;
    // The reference starts a little earlier, with the items that fill the filter's
    // history.
    const std::size_t lead = (problem.taps.size() - 1) / decimation + 1;
    const std::size_t start = first > lead ? first - lead : 0;
    freq_xlating_fir_reference reference(problem);
    auto outputs = reference.process(data.fresh() + start * decimation,
                                     (first + count - start) * decimation);
    outputs.erase(outputs.begin(), outputs.begin() + (first - start));
    const auto turned = (-(problem.step() * (start * decimation))).phasor();
    for (auto& value : outputs)
        value *= turned;
    return outputs;
}

} // namespace

const std::vector<workload>& all_workloads()
{
    static const std::vector<workload> workloads = {
        { "W1", 2429, 42, 19200 },
        { "W2", 201, 42, 19200 },
        { "W3", 101, 1, 100000 },
        { "W4", 2429, 1, 19200 },
    };
    return workloads;
}

const workload& find_workload(const std::string& name)
{
    for (const auto& work : all_workloads())
        if (work.name == name)
            return work;
    throw_invalid("workloads", "'" + name + "'", "W1, W2, W3 or W4");
}

std::vector<float> low_pass(double sampling_freq, double cutoff, std::size_t taps)
{
    const double middle = 0.5 * static_cast<double>(taps - 1);
    const double omega = 2 * pi * cutoff / sampling_freq;
    std::vector<double> values(taps);
    double gain = 0;
    for (std::size_t i = 0; i < taps; i++) {
        const double n = static_cast<double>(i) - middle;
        const double window =
            taps == 1 ? 1 : 0.54 - 0.46 * std::cos(pi * static_cast<double>(i) / middle);
        values[i] = window * (n == 0 ? omega / pi : std::sin(n * omega) / (n * pi));
        gain += values[i];
    }
    std::vector<float> result;
    for (double value : values)
        result.push_back(static_cast<float>(value / gain));
    return result;
}

freq_xlating_fir_problem make_problem(const workload& work, prototype kind)
{
    freq_xlating_fir_problem problem;
    problem.decimation = work.decimation;
    problem.center_freq = center_freq;
    problem.sampling_freq = sampling_freq;
    const double side = kind == prototype::complex ? 0.5 * work.cutoff : 0.0;
    const auto taps = low_pass(sampling_freq, work.cutoff, work.taps);
    for (std::size_t i = 0; i < taps.size(); i++) {
        const auto turn =
            std::polar(1.0, 2 * pi * side / sampling_freq * static_cast<double>(i));
        problem.taps.emplace_back(static_cast<std::complex<float>>(turn) * taps[i]);
    }
    return problem;
}

double accuracy_bound_db(const freq_xlating_fir_problem& problem, double accuracy)
{
    constexpr double exact_db = -120;
    constexpr double crest_db = 3; // the ratio of the difference's peak to the peak of
                                   // the outputs
    if (accuracy <= 0)
        return exact_db;
    // White noise of power 1 has, after a filter, the power of the filter's taps. If a
    // response is wrong by the accuracy at all frequencies, the difference has the power
    // of the accuracy squared.
    double power = 0;
    for (const auto& tap : problem.taps)
        power += std::norm(static_cast<std::complex<double>>(tap));
    const double off_db = 20 * std::log10(accuracy) - 10 * std::log10(power) + crest_db;
    return std::max(exact_db, off_db);
}

void stream::release::operator()(std::complex<float>* p) const { std::free(p); }

stream::memory stream::allocate(std::size_t count, std::size_t& bytes)
{
    constexpr std::size_t page = 4096;
    bytes = (count * sizeof(std::complex<float>) + page - 1) / page * page;
    auto* p = static_cast<std::complex<float>*>(std::aligned_alloc(page, bytes));
    if (!p)
        throw std::bad_alloc();
    std::fill_n(p, bytes / sizeof(std::complex<float>), std::complex<float>());
    return memory(p);
}

stream::stream(const workload& work, std::size_t items)
    : d_items(std::max<std::size_t>(items / work.decimation, 1) * work.decimation),
      d_capacity(d_items + spare_items),
      d_history(work.taps - 1),
      d_in(allocate(d_history + d_capacity, d_in_bytes)),
      d_out(allocate(d_capacity / work.decimation + 1, d_out_bytes))
{
    std::minstd_rand random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::generate_n(d_in.get() + d_history, d_capacity, [&] {
        const float re = uniform(random);
        return std::complex<float>(re, uniform(random));
    });
}

expected_outputs::expected_outputs(const freq_xlating_fir_problem& problem,
                                   const stream& data,
                                   std::size_t outputs)
{
    const std::size_t count = std::min(outputs, checked_items / problem.decimation);
    d_pieces.push_back({ 0, reference_piece(problem, data, 0, count) });
    if (outputs > count) {
        const std::size_t last = std::min(outputs - count, count / 4 + 1);
        d_pieces.push_back(
            { outputs - last, reference_piece(problem, data, outputs - last, last) });
    }
}

double expected_outputs::error_db(const std::vector<std::complex<float>>& outputs) const
{
    // Both pieces together give the peak, because a short piece of a narrow band may be
    // weak.
    std::vector<std::complex<float>> given;
    std::vector<std::complex<double>> expected;
    for (const auto& p : d_pieces) {
        if (outputs.size() < p.first + p.values.size())
            return INFINITY;
        const auto begin = outputs.begin() + static_cast<std::ptrdiff_t>(p.first);
        given.insert(
            given.end(), begin, begin + static_cast<std::ptrdiff_t>(p.values.size()));
        expected.insert(expected.end(), p.values.begin(), p.values.end());
    }
    const double db = cldsp::error_db(given, expected);
    return std::isnan(db) ? INFINITY : db;
}

} // namespace cldsp::bench
