// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A bank whose channels have different rates, with its outputs in double precision.

#pragma once

#include "base/thread_pool.h"
#include "fast_convolution/host_multirate.h"
#include "filter/channel_spans.h"
#include "filter/kept_bins.h"
#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/reference.h>

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace cldsp {

struct bank_details {
    std::size_t max_taps = 150; // of the longest filter
    float gain = 1;             // factor of the taps of the first rate
    std::size_t bad_items = 0;  // items that are not finite
    // Filters of linear phase instead of random ones, of even and of odd lengths, whose
    // response far from their passband is below 1e-7.
    bool low_passes = false;
    double accuracy = 0;
};

//! A bank whose channels have different rates, with its outputs in double precision.
class bank_of_rates
{
public:
    //! \param counts the number of channels of each rate; the channels of the rates take
    //!        turns
    bank_of_rates(sample_type type,
                  const std::vector<rate_ratio>& rates,
                  const std::vector<std::size_t>& counts,
                  std::size_t items,
                  const bank_details& its = {})
        : d_items(items), d_accuracy(its.accuracy)
    {
        std::size_t channels = 0;
        for (const std::size_t count : counts)
            channels += count;
        problem = make_bank_problem(type, 1, 1, true, channels);
        problem.phase = phase_reference::input;
        std::mt19937 random(7);
        problem.taps = random_bank_taps(channels, its.max_taps, random);
        for (std::size_t c = 0; its.low_passes && c < channels; c++)
            problem.taps[c] = low_pass_of(its.max_taps - c % 8 / 2 * 7);
        std::vector<std::size_t> left = counts;
        for (std::size_t r = 0; problem.rates.size() < channels;
             r = (r + 1) % left.size())
            if (left[r]) {
                left[r]--;
                if (r == 0) {
                    auto& taps = problem.taps[problem.rates.size()];
                    shared_taps::values scaled = taps;
                    for (auto& tap : scaled)
                        tap *= its.gain;
                    taps = scaled;
                }
                problem.rates.push_back(rates[r]);
            }
        for (std::size_t c = 0; c < channels; c++) {
            d_channels.emplace_back(problem.channel(c));
            d_history = std::max(d_history, history_of(d_channels.back()));
        }
        auto fresh = noise(type, items, 3);
        for (std::size_t i = 0; i < its.bad_items; i++) {
            const float bad[] = { std::numeric_limits<float>::infinity(), 0 };
            std::memcpy(fresh.data() + random() % items * sample_size(type),
                        bad,
                        sample_size(type));
        }
        for (std::size_t c = 0; c < channels; c++) {
            freq_xlating_fir_reference reference(problem.channel(c));
            d_expected.push_back(reference.process(fresh.data(), items));
        }
        d_stream.resize(d_history * sample_size(type));
        d_stream.insert(d_stream.end(), fresh.begin(), fresh.end());
    }

    using size_choice = std::function<std::size_t(const multirate_block&)>;

    std::unique_ptr<filter_executor> make(const size_choice& choose,
                                          unsigned threads) const
    {
        return make_host_multirate(
            d_channels,
            choose,
            kept(),
            d_accuracy,
            std::make_shared<thread_pool>(threads),
            1); // seconds for an item: each call is worth all threads
    }

    //! Makes an executor of some channels.
    using maker = std::function<std::unique_ptr<filter_executor>(
        const std::vector<filter_channel>&)>;

    std::unique_ptr<filter_executor> made_by(const maker& make) const
    {
        return make(d_channels);
    }

    //! An executor of other channels, with shorter filters, that has run already.
    std::unique_ptr<filter_executor> make_others(const size_choice& choose,
                                                 unsigned threads) const
    {
        return others_made_by([&](const std::vector<filter_channel>& channels) {
            bank_of_rates others = *this;
            others.d_channels = channels;
            return others.make(choose, threads);
        });
    }
    std::unique_ptr<filter_executor> others_made_by(const maker& make) const
    {
        bank_of_rates others = *this;
        for (auto& channel : others.d_channels) {
            const shared_taps::values taps = channel.problem.taps;
            channel.set_taps(shared_taps::values(
                taps.begin(), taps.begin() + 1 + static_cast<long>(taps.size()) / 4));
            channel.set_center_freq(channel.problem.center_freq / 2 + 1000);
        }
        auto executor = make(others.d_channels);
        others.error(*executor, others.d_items, 1);
        return executor;
    }

    void configure(filter_executor& executor, std::size_t channel) const
    {
        executor.configure(channel, d_channels[channel]);
    }

    //! Runs the stream in calls of random lengths, in each of which some channels are
    //! idle. Returns the largest error of the outputs of active channels.
    //! \param configured false: the executor has other channels, which become this bank's
    //!        one after the other
    double error(filter_executor& executor,
                 std::size_t max_items,
                 unsigned seed,
                 bool configured = true)
    {
        std::vector<bool> is_right(d_channels.size(), configured);
        std::mt19937 random(seed);
        const std::size_t item_size = sample_size(problem.input);
        std::vector<std::vector<std::complex<float>>> got(d_channels.size());
        std::vector<std::vector<std::complex<double>>> expected(d_channels.size());
        for (std::size_t done = 0; done < d_items;) {
            const std::size_t items =
                std::min<std::size_t>(1 + random() % max_items, d_items - done);
            std::vector<channel_span> spans;
            find_spans(d_channels, done, d_history, items, spans);
            std::vector<std::vector<std::complex<float>>> out;
            std::vector<channel_call> calls;
            for (std::size_t c = 0; c < d_channels.size(); c++) {
                if (!is_right[c] && random() % 8 == 0) {
                    configure(executor, c);
                    is_right[c] = true;
                }
                out.emplace_back(spans[c].outputs + 1);
                const auto newest =
                    static_cast<std::uint64_t>(spans[c].newest) + done - d_history;
                calls.push_back({ random() % 4 ? out.back().data() : nullptr,
                                  -(d_channels[c].step * newest),
                                  spans[c] });
            }
            executor.run(
                { d_stream.data() + done * item_size, d_history, items, calls.data() });
            for (std::size_t c = 0; c < d_channels.size(); c++)
                for (std::size_t i = 0;
                     is_right[c] && calls[c].out && i < spans[c].outputs;
                     i++) {
                    // No item of cu8 is a zero for the history of the first outputs.
                    const std::uint64_t index = spans[c].first + i;
                    if (problem.input == sample_type::cu8 &&
                        problem.rate(c).newest_item(index) < d_history)
                        continue;
                    const auto value = d_expected[c].at(index);
                    if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) {
                        CPPUNIT_ASSERT(std::isnan(out[c][i].real()));
                        CPPUNIT_ASSERT(std::isnan(out[c][i].imag()));
                        continue;
                    }
                    CPPUNIT_ASSERT(std::isfinite(out[c][i].real()));
                    got[c].push_back(out[c][i]);
                    expected[c].push_back(value);
                }
            done += items;
        }
        double largest = -1000;
        for (std::size_t c = 0; c < d_channels.size(); c++)
            if (!got[c].empty())
                largest = std::max(largest, error_db(got[c], expected[c]));
        return largest;
    }

    freq_xlating_filter_bank_problem problem;

private:
    static shared_taps low_pass_of(std::size_t count)
    {
        shared_taps::values taps(count);
        for (std::size_t k = 0; k < count; k++) {
            const double t =
                (2 * static_cast<double>(k) - static_cast<double>(count - 1)) /
                static_cast<double>(count + 1);
            taps[k] = static_cast<float>(std::exp(-18 * t * t) / 100);
        }
        return taps;
    }
    std::vector<double> kept() const
    {
        std::vector<double> all;
        for (const auto& taps : problem.taps)
            all.push_back(kept_bins(taps, d_accuracy));
        return all;
    }

    std::size_t d_items;
    double d_accuracy;
    std::vector<filter_channel> d_channels;
    std::size_t d_history = 0;
    std::vector<unsigned char> d_stream;
    std::vector<std::vector<std::complex<double>>> d_expected;
};

} // namespace cldsp
