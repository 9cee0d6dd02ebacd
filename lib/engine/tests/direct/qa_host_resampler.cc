// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the polyphase resampler, with rates of many phases and long filters.

#include "direct/host_resampler.h"
#include "fast_convolution/host_multirate.h"
#include "freq_xlating/rate_groups.h"
#include "tests/support/qa_bank_of_rates.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

class qa_host_resampler : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_host_resampler);
    CPPUNIT_TEST(types);
    CPPUNIT_TEST(rates_of_many_phases);
    CPPUNIT_TEST(long_filters_and_calls);
    CPPUNIT_TEST(other_filters_later);
    CPPUNIT_TEST(banks_in_parts);
    CPPUNIT_TEST_SUITE_END();

    static bank_of_rates::maker resampler(const std::string& variant, unsigned threads)
    {
        return [=](const std::vector<filter_channel>& channels) {
            return make_host_resampler(
                variant, channels, std::make_shared<thread_pool>(threads), 1);
        };
    }
    static void check(bank_of_rates& bank, std::size_t max_items, double bound = -120)
    {
        for (const std::string variant : { "simd", "volk" })
            for (const unsigned threads : { 1U, 3U }) {
                const auto executor = bank.made_by(resampler(variant, threads));
                CPPUNIT_ASSERT_EQUAL(variant, executor->variant_name());
                const double error = bank.error(*executor, max_items, threads);
                CPPUNIT_ASSERT_MESSAGE(variant + ": " + std::to_string(error) + " dB",
                                       error < bound);
            }
    }
    static std::size_t items() { return small_tests() ? 3000 : 12000; }

public:
    void types()
    {
        for (const auto type : all_sample_types()) {
            bank_of_rates bank(
                type, { { 3, 16 }, { 1, 5 }, { 9, 10 } }, { 2, 1, 2 }, items() / 2);
            check(bank, 700);
        }
    }

    void rates_of_many_phases()
    {
        bank_of_rates bank(sample_type::fc32,
                           { { 147, 800 }, { 1001, 3000 }, { 128, 147 }, { 3, 2000 } },
                           { 1, 2, 1, 1 },
                           items());
        check(bank, 5000);
    }

    //! Windows of filters that are longer than the blocks of a call.
    void long_filters_and_calls()
    {
        bank_details its;
        its.max_taps = small_tests() ? 2000 : 11000;
        bank_of_rates bank(
            sample_type::fc32, { { 2, 75 }, { 3, 7 } }, { 1, 1 }, 3 * items(), its);
        check(bank, 3 * items());
    }

    void other_filters_later()
    {
        bank_of_rates bank(
            sample_type::fc32, { { 3, 16 }, { 7, 12 } }, { 3, 2 }, items());
        for (const std::string variant : { "simd", "volk" }) {
            const auto executor = bank.others_made_by(resampler(variant, 3));
            const double error = bank.error(*executor, 400, 1, false);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(error), error < -120);
        }
    }

    //! A bank whose rates are computed in different ways, with idle channels and new
    //! filters.
    void banks_in_parts()
    {
        bank_of_rates bank(
            sample_type::fc32, { { 1, 8 }, { 7, 12 }, { 3, 16 } }, { 3, 2, 2 }, items());
        const auto divided = [](const std::vector<filter_channel>& channels) {
            const auto pool = std::make_shared<thread_pool>(2);
            std::vector<std::vector<std::size_t>> parts(2);
            std::vector<std::vector<filter_channel>> its(2);
            for (std::size_t c = 0; c < channels.size(); c++) {
                const std::size_t part = channels[c].problem.decimation == 12;
                parts[part].push_back(c);
                its[part].push_back(channels[c]);
            }
            std::vector<std::unique_ptr<filter_executor>> executors;
            executors.push_back(make_host_multirate(
                its[0],
                [](const multirate_block&) { return 1024; },
                std::vector<double>(its[0].size(), 1.0),
                0,
                pool,
                1));
            executors.push_back(make_host_resampler("simd", its[1], pool, 1));
            return make_divided(parts, std::move(executors));
        };
        const auto executor = bank.made_by(divided);
        CPPUNIT_ASSERT_EQUAL(std::string("selected_bins, simd"),
                             executor->variant_name());
        CPPUNIT_ASSERT_EQUAL(std::string("host"), executor->device_name());
        double error = bank.error(*executor, 900, 1);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(error), error < -120);
        error = bank.error(*bank.others_made_by(divided), 400, 2, false);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(error), error < -120);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_host_resampler, "qa_host_resampler");

} // namespace cldsp
