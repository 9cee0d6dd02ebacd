/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/host_multirate.h"

#include "base/thread_pool.h"
#include "freq_xlating/rate_groups.h"
#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/reference.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

namespace cldsp {

namespace {

struct bank_details {
    std::size_t max_taps = 150; // of the longest filter
    float gain = 1;             // factor of the taps of the first rate
    std::size_t bad_items = 0;  // items that are not finite
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
        : d_items(items)
    {
        std::size_t channels = 0;
        for (const std::size_t count : counts)
            channels += count;
        problem = make_bank_problem(type, 1, 1, true, channels);
        problem.phase = phase_reference::input;
        std::mt19937 random(7);
        problem.taps = random_bank_taps(channels, its.max_taps, random);
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
            std::vector<double>(d_channels.size(), 1.0),
            0,
            std::make_shared<thread_pool>(threads),
            1); // seconds for an item: each call is worth all threads
    }

    //! An executor of other channels, with shorter filters, that has run already.
    std::unique_ptr<filter_executor> make_others(const size_choice& choose,
                                                 unsigned threads) const
    {
        bank_of_rates others = *this;
        for (auto& channel : others.d_channels) {
            const shared_taps::values taps = channel.problem.taps;
            channel.set_taps(shared_taps::values(
                taps.begin(), taps.begin() + 1 + static_cast<long>(taps.size()) / 4));
            channel.set_center_freq(channel.problem.center_freq / 2 + 1000);
        }
        auto executor = others.make(choose, threads);
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
            std::vector<std::complex<float>*> places;
            std::vector<phase64> phases;
            for (std::size_t c = 0; c < d_channels.size(); c++) {
                if (!is_right[c] && random() % 8 == 0) {
                    configure(executor, c);
                    is_right[c] = true;
                }
                out.emplace_back(spans[c].outputs + 1);
                places.push_back(random() % 4 ? out.back().data() : nullptr);
                const auto newest =
                    static_cast<std::uint64_t>(spans[c].newest) + done - d_history;
                phases.push_back(-(d_channels[c].step * newest));
            }
            executor.run({ d_stream.data() + done * item_size,
                           d_history,
                           places.data(),
                           items,
                           phases.data(),
                           spans.data() });
            for (std::size_t c = 0; c < d_channels.size(); c++)
                for (std::size_t i = 0; is_right[c] && places[c] && i < spans[c].outputs;
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
    std::size_t d_items;
    std::vector<filter_channel> d_channels;
    std::size_t d_history = 0;
    std::vector<unsigned char> d_stream;
    std::vector<std::vector<std::complex<double>>> d_expected;
};

} // namespace

class qa_host_multirate : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_host_multirate);
    CPPUNIT_TEST(groups_of_channels);
    CPPUNIT_TEST(types);
    CPPUNIT_TEST(blocks_that_wrap);
    CPPUNIT_TEST(rates_of_different_gains);
    CPPUNIT_TEST(longer_filters_later);
    CPPUNIT_TEST(memory_missing_for_a_longer_filter);
    CPPUNIT_TEST(items_that_are_not_finite);
    CPPUNIT_TEST(groups_beside_rational_rates);
    CPPUNIT_TEST_SUITE_END();

    static bank_of_rates::size_choice always(std::size_t fft_size)
    {
        return [fft_size](const multirate_block&) { return fft_size; };
    }
    static void check(bank_of_rates& bank,
                      const std::vector<std::size_t>& fft_sizes,
                      std::size_t max_items)
    {
        for (const std::size_t fft_size : fft_sizes)
            for (const unsigned threads : { 1U, 3U }) {
                const auto executor = bank.make(always(fft_size), threads);
                const double error = bank.error(*executor, max_items, threads);
                CPPUNIT_ASSERT_MESSAGE(std::to_string(fft_size) + " items, " +
                                           std::to_string(threads) +
                                           " threads: " + std::to_string(error) + " dB",
                                       error < -120);
            }
    }
    static std::size_t items() { return small_tests() ? 4000 : 20000; }

public:
    //! Rates of one channel, of a part of a group of folds, and of several groups. The
    //! sizes of the inverse transforms are whole vectors (1536), or not (480, 1200).
    void groups_of_channels()
    {
        bank_of_rates all(sample_type::fc32,
                          { { 1, 8 }, { 1, 16 }, { 1, 24 } },
                          { 20, 3, 35 },
                          items());
        check(all, { 1536, 480, 1200 }, 3000);
        bank_of_rates one(sample_type::fc32, { { 1, 8 }, { 1, 12 } }, { 18, 1 }, items());
        check(one, { 1536, 240 }, 700);
    }

    void types()
    {
        for (const auto type : all_sample_types()) {
            bank_of_rates bank(
                type, { { 1, 8 }, { 1, 16 }, { 1, 4 } }, { 3, 18, 2 }, items() / 4);
            check(bank, { 1024 }, 2500);
        }
    }

    //! Filters so long that the newest items of a block lie at the start of its memory.
    void blocks_that_wrap()
    {
        for (const auto type : { sample_type::fc32, sample_type::cs16 })
            for (const std::size_t max_taps : { 98, 126, 143, 144 }) {
                bank_of_rates bank(type,
                                   { { 1, 8 }, { 1, 16 }, { 1, 24 } },
                                   { 3, 2, 2 },
                                   items() / 2,
                                   { max_taps });
                check(bank, { 1536 }, 3000);
            }
    }

    //! The gains of one rate are far above those of another, whose rows are no whole
    //! number of chunks.
    void rates_of_different_gains()
    {
        bank_of_rates bank(sample_type::fc32,
                           { { 1, 8 }, { 1, 7 } },
                           { 3, 3 },
                           items() / 2,
                           { 150, 1e6F });
        check(bank, { 1792 }, 3000);
    }

    //! Channels are given longer filters and other frequencies one after the other.
    void longer_filters_later()
    {
        for (const std::size_t last : { 24, 7 }) {
            bank_of_rates bank(sample_type::fc32,
                               { { 1, 8 }, { 1, 16 }, { 1, last } },
                               { 20, 2, 3 },
                               items());
            for (const unsigned threads : { 1U, 3U }) {
                const std::size_t fft_size = 48 * 7 * 8;
                const auto executor = bank.make_others(always(fft_size), threads);
                const double error = bank.error(*executor, 400, threads, false);
                CPPUNIT_ASSERT_MESSAGE(std::to_string(error), error < -120);
            }
        }
    }

    //! The next call makes what was not made for a longer filter.
    void memory_missing_for_a_longer_filter()
    {
        bank_of_rates bank(sample_type::fc32, { { 1, 8 } }, { 1 }, items() / 2);
        bool fails = false;
        const auto executor = bank.make_others(
            [&](const multirate_block& block) -> std::size_t {
                if (fails)
                    throw std::bad_alloc();
                return 4 * 8 * block.max_items_of_output;
            },
            1);
        fails = true;
        CPPUNIT_ASSERT_THROW(bank.configure(*executor, 0), std::bad_alloc);
        fails = false;
        const double error = bank.error(*executor, 400, 1);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(error), error < -120);
    }

    //! Only outputs whose filters meet such an item become NaN.
    void items_that_are_not_finite()
    {
        for (const std::size_t last : { 24, 7 }) {
            bank_of_rates bank(sample_type::fc32,
                               { { 1, 8 }, { 1, 16 }, { 1, last } },
                               { 3, 18, 2 },
                               items() / 2,
                               { 137, 1, 6 });
            check(bank, { 48 * 7 * 8 }, 4000);
        }
    }

    void groups_beside_rational_rates()
    {
        bank_of_rates bank(
            sample_type::cs16, { { 1, 8 }, { 3, 16 }, { 1, 6 } }, { 17, 3, 4 }, items());
        check(bank, { 1536, 672 }, 3000);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_host_multirate, "qa_host_multirate");

} // namespace cldsp
