// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Streams of noise through executors, compared with the reference.

#pragma once

#include "filter/filter_executor.h"
#include "tests/support/qa_fir_support.h"

#include <cldsp/reference.h>

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace cldsp {

//! Channels whose frequencies are not simple fractions of the sampling rate.
inline std::vector<filter_channel> make_channels(sample_type type,
                                                 std::size_t decimation,
                                                 std::size_t taps,
                                                 std::size_t channels,
                                                 bool real_taps)
{
    std::vector<filter_channel> result;
    for (std::size_t c = 0; c < channels; ++c) {
        const auto number = static_cast<double>(c);
        const std::size_t own_taps = taps - c % std::min<std::size_t>(taps, 3);
        result.emplace_back(freq_xlating_fir_problem{
            type,
            decimation,
            random_taps(own_taps, real_taps, 5 + static_cast<unsigned>(c)),
            123456.7 - 61234.5 * number,
            2016000.0 });
    }
    return result;
}

//! The phase of the rotator at a stream's first output, with which a bank starts.
inline phase64 first_phase(const filter_channel& setup)
{
    const auto& p = setup.problem;
    return phase64::from_turns(-p.center_freq / p.sampling_freq *
                               (static_cast<double>(setup.taps()) - 1) / 2);
}

//! Runs an executor of one decimation.
inline void run_outputs(filter_executor& bank,
                        const void* in,
                        std::size_t history,
                        const std::vector<std::complex<float>*>& out,
                        std::size_t outputs,
                        const std::vector<phase64>& phases)
{
    std::vector<channel_call> calls;
    for (std::size_t c = 0; c < out.size(); ++c)
        calls.push_back({ out[c], phases[c], { history, outputs, 0 } });
    bank.run({ in, history, outputs, calls.data() });
}

//! A stream of noise that a bank filters in one or several calls.
class stream_case
{
public:
    stream_case(const std::vector<filter_channel>& channels,
                std::size_t outputs,
                std::size_t max_taps = 0)
        : d_channels(channels),
          d_type(channels[0].problem.input),
          d_decimation(channels[0].problem.decimation),
          d_outputs(outputs)
    {
        for (const auto& c : channels) {
            max_taps = std::max(max_taps, c.taps());
            d_phases.push_back(first_phase(c));
        }
        d_past = max_taps - 1;
        d_fresh = noise(d_type, outputs * d_decimation, 42);
        d_stream = fir_case::silence(d_type, d_past);
        d_stream.insert(d_stream.end(), d_fresh.begin(), d_fresh.end());
        d_got.assign(channels.size(), std::vector<std::complex<float>>(outputs));
    }

    //! Computes the next outputs, with a history of \p past items.
    void run(filter_executor& bank, std::size_t outputs, std::size_t past)
    {
        std::vector<std::complex<float>*> out;
        for (auto& channel : d_got)
            out.push_back(channel.data() + d_done);
        const auto* first = d_stream.data() +
                            (d_done * d_decimation + d_past - past) * sample_size(d_type);
        run_outputs(bank, first, past, out, outputs, d_phases);
        for (std::size_t c = 0; c < d_channels.size(); ++c)
            d_phases[c] += -d_channels[c].step * d_decimation * outputs;
        d_done += outputs;
    }
    void run(filter_executor& bank) { run(bank, d_outputs - d_done, d_past); }

    //! Computes all outputs of some channels; the others are inactive.
    void run_some(filter_executor& bank, const std::vector<std::size_t>& active)
    {
        std::vector<std::complex<float>*> out(d_got.size());
        for (const std::size_t channel : active)
            out[channel] = d_got[channel].data();
        const auto* first = d_stream.data();
        run_outputs(bank, first, d_past, out, d_outputs, d_phases);
    }

    void run_in_cuts(filter_executor& bank, unsigned seed)
    {
        std::mt19937 random(seed);
        while (d_done < d_outputs)
            run(bank,
                std::min<std::size_t>(d_outputs - d_done, 1 + random() % d_outputs),
                d_past);
    }

    //! The error of one channel against the reference. Outputs whose taps reach before
    //! the start of a cu8 stream are left out.
    double error_of(std::size_t channel) const
    {
        auto expected = expected_of(channel);
        auto got = d_got[channel];
        const std::size_t cut =
            d_type == sample_type::cu8 ? 1 + d_past / d_decimation : 0;
        CPPUNIT_ASSERT(cut < got.size()); // otherwise nothing is compared
        expected.erase(expected.begin(), expected.begin() + static_cast<long>(cut));
        got.erase(got.begin(), got.begin() + static_cast<long>(cut));
        return error_db(got, expected);
    }
    double error() const
    {
        double worst = -1000;
        for (std::size_t c = 0; c < d_channels.size(); ++c)
            worst = std::max(worst, error_of(c));
        return worst;
    }
    //! Tells the executor where the stream and the first channel's outputs lie. Some
    //! bytes at the beginning are left out, because the rest begins at a page.
    void lend_to(filter_executor& bank)
    {
        const auto pages_of = [](void* data, std::size_t bytes) {
            constexpr std::size_t page = 4096;
            std::size_t left = bytes;
            const void* const base = std::align(page, 1, data, left);
            return memory_region{ base, base ? left : 0 };
        };
        bank.set_stream_memory(
            pages_of(d_stream.data(), d_stream.size()),
            pages_of(d_got[0].data(), d_got[0].size() * sizeof(d_got[0][0])));
    }
    //! Gives one item another value, which check_spoilt() knows of.
    void spoil(std::size_t item, std::complex<float> value)
    {
        d_spoilt = item;
        std::memcpy(&d_stream[item * sizeof(value)], &value, sizeof(value));
    }
    std::size_t items() const { return d_stream.size() / sample_size(d_type); }
    /*!
     * Asserts that the outputs whose taps meet the spoilt item are not finite, and that
     * the others are right.
     *
     * \param beside the outputs on both sides of these that may be spoilt, too
     */
    void check_spoilt(std::size_t beside, double bound, const std::string& what) const
    {
        for (std::size_t c = 0; c < d_channels.size(); ++c) {
            auto expected = expected_of(c);
            auto got = d_got[c];
            for (std::size_t i = 0; i < got.size(); ++i) {
                const std::size_t newest = d_past + i * d_decimation;
                const bool meets =
                    newest >= d_spoilt && newest < d_spoilt + d_channels[c].taps();
                const bool may =
                    newest + beside * d_decimation >= d_spoilt &&
                    newest < d_spoilt + d_channels[c].taps() + beside * d_decimation;
                const bool finite =
                    std::isfinite(got[i].real()) && std::isfinite(got[i].imag());
                CPPUNIT_ASSERT_MESSAGE(what + ": output " + std::to_string(i),
                                       finite ? !meets : may);
                if (!finite)
                    expected[i] = got[i] = 0;
            }
            const double error = error_db(got, expected);
            CPPUNIT_ASSERT_MESSAGE(what + ": " + std::to_string(error) + " dB",
                                   error < bound);
        }
    }
    void again()
    {
        for (std::size_t c = 0; c < d_channels.size(); ++c)
            d_phases[c] = first_phase(d_channels[c]);
        d_done = 0;
    }

private:
    //! The outputs of the reference, computed once for each channel.
    const std::vector<std::complex<double>>& expected_of(std::size_t channel) const
    {
        d_expected.resize(d_channels.size());
        auto& expected = d_expected[channel];
        if (expected.empty())
            expected = freq_xlating_fir_reference(d_channels[channel].problem)
                           .process(d_fresh.data(), d_outputs * d_decimation);
        return expected;
    }

    const std::vector<filter_channel> d_channels;
    const sample_type d_type;
    const std::size_t d_decimation, d_outputs;
    mutable std::vector<std::vector<std::complex<double>>> d_expected;
    std::size_t d_past = 0, d_done = 0, d_spoilt = 0;
    std::vector<unsigned char> d_fresh, d_stream;
    std::vector<phase64> d_phases;
    std::vector<std::vector<std::complex<float>>> d_got;
};

} // namespace cldsp
