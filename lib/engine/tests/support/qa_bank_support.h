// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Random banks for tests, and the comparison of their outputs.

#pragma once

#include "tests/support/qa_fir_support.h"

#include <cldsp/freq_xlating_filter_bank.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace cldsp {

using bank_taps = std::vector<shared_taps>;

//! Random frequencies up to twice the band; none is a simple fraction of the sampling
//! rate.
inline std::vector<double> random_freqs(std::size_t channels, std::mt19937& random)
{
    std::uniform_real_distribution<double> uniform(-2016000.0, 2016000.0);
    std::vector<double> freqs(channels);
    std::generate(freqs.begin(), freqs.end(), [&] { return uniform(random); });
    return freqs;
}

//! Lists of 1 to \p most taps, one list per channel; at least one list has \p most taps.
inline bank_taps
random_bank_taps(std::size_t channels, std::size_t most, std::mt19937& random)
{
    bank_taps taps;
    for (std::size_t c = 0; c < channels; c++)
        taps.push_back(random_taps(c ? 1 + random() % most : most,
                                   random() % 2,
                                   static_cast<unsigned>(random())));
    return taps;
}

inline freq_xlating_filter_bank_problem make_bank_problem(sample_type type,
                                                          std::size_t decimation,
                                                          std::size_t taps,
                                                          bool real_taps,
                                                          std::size_t channels)
{
    std::mt19937 random(static_cast<unsigned>(taps + channels));
    freq_xlating_filter_bank_problem problem;
    problem.input = type;
    problem.decimation = decimation;
    problem.taps = { random_taps(taps, real_taps, 5) };
    problem.center_freqs = random_freqs(channels, random);
    problem.sampling_freq = 2016000.0;
    return problem;
}

//! Memory for the outputs of all channels.
class bank_outputs
{
public:
    bank_outputs(std::size_t channels, std::size_t outputs)
        : d_values(channels, std::vector<std::complex<float>>(outputs))
    {
    }
    //! The pointer to output \p index of each channel.
    std::vector<std::complex<float>*> at(std::size_t index)
    {
        std::vector<std::complex<float>*> result;
        for (auto& values : d_values)
            result.push_back(values.data() + index);
        return result;
    }
    const std::vector<std::complex<float>>& operator[](std::size_t channel) const
    {
        return d_values[channel];
    }

private:
    std::vector<std::vector<std::complex<float>>> d_values;
};

/*!
 * A bank beside as many single filters on the host. Both get the same noise, which for
 * the bank is cut at random, and the same changes at the same samples.
 */
class bank_beside_singles
{
public:
    bank_beside_singles(const freq_xlating_filter_bank_problem& problem,
                        const freq_xlating_filter_bank_options& options,
                        context_registry& registry,
                        unsigned seed)
        : d_random(seed), d_max_taps(longest(problem)), d_bank(problem, options, registry)
    {
        one_thread_options single;
        single.device = "host";
        single.algorithm = "direct";
        for (std::size_t c = 0; c < problem.channels(); c++)
            d_singles.emplace_back(bank_of_one(problem.channel(c)), single, registry);
    }

    freq_xlating_filter_bank& bank() { return d_bank; }

    /*!
     * Runs until each channel has \p outputs.
     *
     * \param outputs the outputs of each channel
     * \param changes the approximate number of changes of frequencies and taps during the
     * run
     * \param tail further items, too few for an output
     */
    void run(std::size_t outputs, std::size_t changes, std::size_t tail = 0)
    {
        const auto& problem = d_bank.problem();
        const std::size_t size = sample_size(problem.input);
        const std::size_t before = 2 * d_max_taps; // taps may become longer
        const auto stream = noise(
            problem.input, before + outputs * problem.decimation + tail, d_random());
        const std::size_t calls = 4 * (changes + 1);
        const std::size_t max_fresh =
            std::max(3 * outputs / calls, std::size_t(2)) * problem.decimation;
        std::vector<std::vector<std::complex<float>>> want(d_singles.size());
        bank_outputs got(d_singles.size(), outputs);
        for (std::size_t done = 0; done < outputs;) {
            if (d_random() % calls < changes)
                change();
            const std::size_t left = (outputs - done) * problem.decimation + tail;
            const std::size_t fresh =
                std::min<std::size_t>(left, d_random() % (1 + max_fresh));
            const std::size_t room =
                d_random() % 4 ? outputs - done : d_random() % (outputs - done + 1);
            const std::size_t history = d_bank.history();
            const auto* next =
                stream.data() + (before + done * problem.decimation) * size;
            const auto r = d_bank.process(
                next - history * size, history + fresh, got.at(done).data(), room);
            require(r.produced == std::min(fresh / problem.decimation, room), "outputs");
            require(r.consumed == r.produced * problem.decimation, "consumed items");
            for (std::size_t c = 0; c < d_singles.size(); c++)
                run_single(c, next, r, want[c]);
            done += r.produced;
        }
        const std::size_t history = d_bank.history();
        const std::size_t rest = before + outputs * problem.decimation - history;
        const auto r = d_bank.process(
            stream.data() + rest * size, history + tail, got.at(outputs).data(), 1);
        require(r.produced == 0, "outputs after the end");
        for (std::size_t c = 0; c < d_singles.size(); c++) {
            require(d_bank.phase(c) == d_singles[c].phase(0), "phase");
            const std::vector<std::complex<double>> wanted(want[c].begin(),
                                                           want[c].end());
            if (outputs)
                d_error = std::max(d_error, error_db(got[c], wanted));
        }
    }

    //! The error of the channel that differs most, in dB of the peak of its single
    //! filter.
    double error() const { return d_error; }

    //! Makes one of the changes that may happen while a stream runs.
    void change()
    {
        const std::size_t channels = d_singles.size();
        switch (d_random() % 6) {
        case 0:
            set_taps({ random_taps(1 + d_random() % (2 * d_max_taps),
                                   d_random() % 2,
                                   static_cast<unsigned>(d_random())) });
            break;
        case 1:
            set_taps(random_bank_taps(channels, d_max_taps, d_random));
            break;
        case 2: {
            const auto freqs = random_freqs(channels, d_random);
            d_bank.set_center_freqs(freqs);
            for (std::size_t c = 0; c < channels; c++)
                d_singles[c].set_center_freq(0, freqs[c]);
            break;
        }
        default: {
            const std::size_t c = d_random() % channels;
            const double freq = random_freqs(1, d_random).front();
            d_bank.set_center_freq(c, freq);
            d_singles[c].set_center_freq(0, freq);
        }
        }
    }

private:
    static std::size_t longest(const freq_xlating_filter_bank_problem& problem)
    {
        std::size_t result = 0;
        for (const auto& taps : problem.taps)
            result = std::max(result, taps.size());
        return result;
    }

    static void require(bool fact, const std::string& what)
    {
        if (!fact)
            throw std::runtime_error("the bank's " + what + " differ from what fits");
    }

    void set_taps(const bank_taps& taps)
    {
        d_bank.set_taps(taps);
        for (std::size_t c = 0; c < d_singles.size(); c++)
            d_singles[c].set_taps({ taps[taps.size() == 1 ? 0 : c] });
    }

    void run_single(std::size_t channel,
                    const unsigned char* next,
                    process_result call,
                    std::vector<std::complex<float>>& want)
    {
        auto& single = d_singles[channel];
        const std::size_t history = single.history();
        want.resize(want.size() + call.produced);
        process(single,
                next - history * sample_size(single.problem().input),
                history + call.consumed,
                { want.data() + want.size() - call.produced, call.produced });
    }

    std::mt19937 d_random;
    const std::size_t d_max_taps;
    freq_xlating_filter_bank d_bank;
    std::vector<freq_xlating_filter_bank> d_singles;
    double d_error = -400;
};

} // namespace cldsp
