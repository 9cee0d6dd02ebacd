// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Taps, noise and checked outputs of the measured filters.

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

// Frequency-domain filters take only calls whose length is a multiple of their block
// size.
constexpr std::size_t spare_items = 1 << 17;
// The outputs of this many items at the beginning of a call are checked, but at least
// min_checked_outputs outputs. The number is the size of the smallest usual call.
constexpr std::size_t checked_items = 8340;
constexpr std::size_t min_checked_outputs = 16;

//! Whether items of zero bytes, which the history has, are silence.
bool zero_bytes_are_silence(sample_type type)
{
    const std::vector<unsigned char> item(sample_size(type), 0);
    return sample_at(item.data(), type, 0) == std::complex<double>(0);
}

//! The outputs from \p first to \p first + \p count of a stream that begins with the
//! noise of \p data, after a history of zero bytes.
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
    std::size_t past = 0; // items before the noise
    if (start == 0 && !zero_bytes_are_silence(problem.input)) {
        past = lead * decimation;
        const std::vector<unsigned char> history(past * data.item_size(), 0);
        reference.process(history.data(), past);
    }
    auto outputs = reference.process(data.fresh(start * decimation),
                                     (first + count - start) * decimation);
    outputs.erase(outputs.begin(), outputs.begin() + (first - start));
    // Phases count from the noise on; their multiples wrap round as sizes do.
    const auto turned = (-(problem.step() * (start * decimation - past))).phasor();
    for (auto& value : outputs)
        value *= turned;
    return outputs;
}

//! The largest gain of the frequency response, estimated at 0 Hz and on a grid.
double largest_gain(const std::vector<std::complex<float>>& taps)
{
    constexpr std::size_t max_products = std::size_t(1) << 22;
    const std::size_t points =
        std::clamp<std::size_t>(max_products / taps.size(), 64, 4096);
    double gain = 0;
    for (std::size_t i = 0; i < points; i++) {
        const auto turn = std::polar(
            1.0, 2 * pi * static_cast<double>(i) / static_cast<double>(points));
        std::complex<double> sum = 0;
        for (auto tap = taps.rbegin(); tap != taps.rend(); ++tap)
            sum = { sum.real() * turn.real() - sum.imag() * turn.imag() + tap->real(),
                    sum.real() * turn.imag() + sum.imag() * turn.real() + tap->imag() };
        gain = std::max(gain, std::abs(sum));
    }
    return gain;
}

//! Root mean square of the outputs on \p data 's noise, once it fills the filter.
double output_level(const freq_xlating_fir_problem& problem, const stream& data)
{
    double items = 0, taps = 0;
    const std::size_t count = std::min(data.items(), checked_items);
    for (std::size_t i = 0; i < count; i++)
        items += std::norm(sample_at(data.fresh(), problem.input, i));
    for (const auto& tap : problem.taps)
        taps += std::norm(static_cast<std::complex<double>>(tap));
    return std::sqrt(items / static_cast<double>(count) * taps);
}

} // namespace

const std::vector<workload>& all_workloads()
{
    static const std::vector<workload> workloads = {
        { "W1", 2429, 42, 19200 },
        { "W2", 201, 42, 19200 },
        { "W3", 101, 1, 100000 },
        { "W4", 2429, 1, 19200 },
        { "R1", 281, 8, 4800, sample_type::f32, 96000, 20815.4 },
    };
    return workloads;
}

const workload& find_workload(const std::string& name)
{
    for (const auto& work : all_workloads())
        if (work.name == name)
            return work;
    throw_invalid("workloads", "'" + name + "'", "W1, W2, W3, W4 or R1");
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
    problem.input = work.input;
    problem.decimation = work.decimation;
    problem.center_freq = work.center_freq;
    problem.sampling_freq = work.sampling_freq;
    const double side = kind == prototype::complex ? 0.5 * work.cutoff : 0.0;
    const auto taps = low_pass(work.sampling_freq, work.cutoff, work.taps);
    for (std::size_t i = 0; i < taps.size(); i++) {
        const auto turn =
            std::polar(1.0, 2 * pi * side / work.sampling_freq * static_cast<double>(i));
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
    const double off_db = 20 * std::log10(accuracy * largest_gain(problem.taps)) -
                          10 * std::log10(power) + crest_db;
    return std::max(exact_db, off_db);
}

double engine_bound_db(const freq_xlating_fir_problem& problem,
                       double accuracy,
                       const std::string& algorithm,
                       const std::string& variant)
{
    constexpr double direct_db = -120;
    constexpr double other_db = -105; // for VOLK and for kernels of the ladders
    if (algorithm == "fast_convolution")
        return accuracy_bound_db(problem, accuracy);
    for (const auto& known : freq_xlating_fir_variants())
        if (known.name == variant && !known.production)
            return other_db;
    return variant == "volk" ? other_db : direct_db;
}

void fill_with_noise(sample_type input, unsigned char* first, std::size_t bytes)
{
    std::minstd_rand random(1);
    if (input == sample_type::fc32 || input == sample_type::f32) {
        std::uniform_real_distribution<float> uniform(-1, 1);
        std::generate_n(reinterpret_cast<float*>(first), bytes / sizeof(float), [&] {
            return uniform(random);
        });
    } else {
        // Random bytes make integers of all values, whatever their size is.
        std::uniform_int_distribution<int> byte(0, 255);
        std::generate_n(
            first, bytes, [&] { return static_cast<unsigned char>(byte(random)); });
    }
}

void stream::release::operator()(unsigned char* p) const { std::free(p); }

stream::memory stream::allocate(std::size_t wanted, std::size_t& bytes)
{
    constexpr std::size_t page = 4096;
    bytes = (wanted + page - 1) / page * page;
    auto* p = static_cast<unsigned char*>(std::aligned_alloc(page, bytes));
    if (!p)
        throw std::bad_alloc();
    std::fill_n(p, bytes, static_cast<unsigned char>(0));
    return memory(p);
}

stream::stream(const workload& work, std::size_t items)
    : stream(work.input, work.taps, work.decimation, items)
{
}

stream::stream(sample_type input,
               std::size_t taps,
               std::size_t decimation,
               std::size_t items)
    : d_item_size(sample_size(input)),
      d_items(std::max<std::size_t>(items / decimation, 1) * decimation),
      d_capacity(d_items + spare_items),
      d_history(taps - 1),
      d_in(allocate((d_history + d_capacity) * d_item_size, d_in_bytes)),
      d_out(allocate((d_capacity / decimation + 1) * sizeof(std::complex<float>),
                     d_out_bytes))
{
    fill_with_noise(
        input, d_in.get() + d_history * d_item_size, d_capacity * d_item_size);
}

expected_outputs::expected_outputs(const freq_xlating_fir_problem& problem,
                                   const stream& data,
                                   std::size_t outputs)
    : d_level(output_level(problem, data))
{
    const std::size_t count = std::min(
        outputs, std::max(checked_items / problem.decimation, min_checked_outputs));
    d_pieces.push_back({ 0, reference_piece(problem, data, 0, count) });
    if (outputs > count) {
        const std::size_t last = std::min(outputs - count, count / 4 + 1);
        d_pieces.push_back(
            { outputs - last, reference_piece(problem, data, outputs - last, last) });
    }
}

double expected_outputs::error_db(const std::vector<std::complex<float>>& outputs) const
{
    // The error is relative to the peak of both pieces together, because a short piece of
    // a narrow band may have a low peak by chance.
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
    double peak = 0;
    for (const auto& value : expected)
        peak = std::max(peak, std::abs(value));
    const double db = cldsp::error_db(given, expected) +
                      20 * std::log10(peak / std::max(peak, d_level));
    return std::isnan(db) ? INFINITY : db;
}

} // namespace cldsp::bench
