// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Noise, taps and problems of filters for tests, and the errors of outputs.

#pragma once

#include "tests/support/qa_bank_of_one.h"

#include <cldsp/reference.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace cldsp {

//! Items of white noise over the type's range, as bytes.
inline std::vector<unsigned char>
noise(sample_type type, std::size_t items, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<unsigned char> bytes(items * sample_size(type));
    if (item_format_of(type).is_float) {
        std::uniform_real_distribution<float> uniform(-1, 1);
        for (std::size_t i = 0; i < bytes.size(); i += sizeof(float)) {
            const float value = uniform(random);
            std::memcpy(&bytes[i], &value, sizeof(value));
        }
    } else {
        std::generate(bytes.begin(), bytes.end(), [&] { return random() >> 11; });
    }
    return bytes;
}

//! Random taps; the frequencies are not simple fractions of the sampling rate.
inline std::vector<std::complex<float>>
random_taps(std::size_t count, bool real_taps, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<std::complex<float>> taps(count);
    for (auto& tap : taps)
        tap = { uniform(random), real_taps ? 0.0f : uniform(random) };
    return taps;
}

inline freq_xlating_fir_problem make_fir_problem(sample_type type,
                                                 std::size_t decimation,
                                                 std::size_t taps,
                                                 bool real_taps)
{
    return { type, decimation, random_taps(taps, real_taps, 5), 123456.7, 2016000.0 };
}

//! A stream of noise from its start, and the outputs that a filter must give for it.
class fir_case
{
public:
    fir_case(const freq_xlating_fir_problem& problem, std::size_t outputs)
        : d_problem(problem), d_outputs(outputs)
    {
        const std::size_t items = outputs * problem.decimation;
        const auto fresh = noise(problem.input, items, 42);
        freq_xlating_fir_reference reference(problem);
        d_expected = trimmed(reference.process(fresh.data(), items));
        d_stream = silence(problem.input, history());
        d_stream.insert(d_stream.end(), fresh.begin(), fresh.end());
    }

    const std::vector<std::complex<double>>& expected() const { return d_expected; }
    //! The items of the stream, after the history of silence.
    const std::vector<unsigned char>& stream() const { return d_stream; }

    std::vector<std::complex<float>> run(freq_xlating_filter_bank& filter) const
    {
        std::vector<std::complex<float>> out(d_outputs);
        process(filter, d_stream.data(), items(), out);
        return trimmed(std::move(out));
    }

    //! Runs the filter on the stream in pieces of random sizes. Some pieces are empty,
    //! and some give no output.
    //! \param memory a copy of stream(); null: stream() itself
    std::vector<std::complex<float>> run_in_cuts(freq_xlating_filter_bank& filter,
                                                 unsigned seed,
                                                 const void* memory = nullptr) const
    {
        const auto* const from =
            memory ? static_cast<const unsigned char*>(memory) : d_stream.data();
        std::mt19937 random(seed);
        std::vector<std::complex<float>> out(d_outputs);
        std::size_t consumed = 0, produced = 0;
        while (produced < d_outputs) {
            const std::size_t left = items() - consumed;
            const std::size_t piece = std::min<std::size_t>(
                left, random() % (1 + items() / (1 + random() % 9)));
            const std::size_t room =
                std::min<std::size_t>(d_outputs - produced, random() % (1 + d_outputs));
            const auto r =
                process(filter,
                        from + consumed * sample_size(d_problem.input),
                        piece,
                        span<std::complex<float>>(out).subspan(produced, room));
            consumed += r.consumed;
            produced += r.produced;
        }
        return trimmed(std::move(out));
    }

    //! Does the same as run(), but with NaN in all memory around the items and the
    //! outputs.
    std::vector<std::complex<float>> run_among_nan(freq_xlating_filter_bank& filter) const
    {
        constexpr std::size_t guard = 256;
        const float nan = std::numeric_limits<float>::quiet_NaN();
        std::vector<float> in(2 * items() + 2 * guard, nan);
        std::memcpy(&in[guard], d_stream.data(), d_stream.size());
        std::vector<std::complex<float>> out(d_outputs + 2 * guard, { nan, nan });
        process(filter,
                &in[guard],
                items(),
                span<std::complex<float>>(out).subspan(guard, d_outputs));
        for (std::size_t i = 0; i < guard; ++i)
            if (!std::isnan(out[i].real()) ||
                !std::isnan(out[guard + d_outputs + i].real()))
                throw std::runtime_error("an output was written outside of its place");
        return { out.begin() + guard, out.begin() + guard + d_outputs };
    }

    std::string describe() const
    {
        return std::string(sample_type_name(d_problem.input)) + ", " +
               std::to_string(d_problem.taps.size()) +
               (d_problem.has_real_taps() ? " real" : " complex") + " taps, decimation " +
               std::to_string(d_problem.decimation);
    }

    //! The items before the first item of a stream.
    static std::vector<unsigned char> silence(sample_type type, std::size_t items)
    {
        return std::vector<unsigned char>(items * sample_size(type));
    }

private:
    //! Leaves out the outputs that reach before the stream for cu8, where no byte means
    //! zero.
    template <class T>
    std::vector<T> trimmed(std::vector<T> outputs) const
    {
        if (d_problem.input == sample_type::cu8)
            outputs.erase(outputs.begin(),
                          outputs.begin() + static_cast<std::ptrdiff_t>(
                                                1 + history() / d_problem.decimation));
        return outputs;
    }
    std::size_t history() const { return d_problem.taps.size() - 1; }
    std::size_t items() const { return d_stream.size() / sample_size(d_problem.input); }

    freq_xlating_fir_problem d_problem;
    std::size_t d_outputs;
    std::vector<unsigned char> d_stream; // the history, then the stream
    std::vector<std::complex<double>> d_expected;
};

/*!
 * Retunes \p filter and changes its taps several times while noise passes. The outputs
 * are compared with those of the reference, which gets the same changes at the same
 * outputs.
 */
inline double changing_stream_error_db(freq_xlating_filter_bank& filter,
                                       std::size_t outputs_per_part)
{
    const auto problem = filter.problem().channel(0);
    const std::size_t size = sample_size(problem.input);
    const std::size_t max_taps = 3 * problem.taps.size();
    const std::size_t part = outputs_per_part * problem.decimation;
    constexpr std::size_t parts = 6;
    auto stream = fir_case::silence(problem.input, max_taps - 1);
    const auto fresh = noise(problem.input, parts * part, 77);
    stream.insert(stream.end(), fresh.begin(), fresh.end());

    freq_xlating_fir_reference reference(problem);
    std::vector<std::complex<double>> expected;
    std::vector<std::complex<float>> got(parts * outputs_per_part);
    for (std::size_t i = 0; i < parts; ++i) {
        if (i == 1 || i == 4) {
            filter.set_center_freq(0, -200000.5 * static_cast<double>(i));
            reference.set_center_freq(-200000.5 * static_cast<double>(i));
        }
        if (i == 2 || i == 3 || i == 5) {
            const std::size_t count = i == 2   ? max_taps
                                      : i == 3 ? 3
                                               : problem.taps.size();
            const auto taps = random_taps(count, i != 5, 100 + static_cast<unsigned>(i));
            filter.set_taps({ taps });
            reference.set_taps(taps);
        }
        const std::size_t history = filter.history();
        const std::size_t first = max_taps - 1 + i * part - history;
        process(filter,
                stream.data() + first * size,
                history + part,
                span<std::complex<float>>(got).subspan(i * outputs_per_part,
                                                       outputs_per_part));
        const auto more = reference.process(fresh.data() + i * part * size, part);
        expected.insert(expected.end(), more.begin(), more.end());
    }
    return error_db(got, expected);
}

} // namespace cldsp
