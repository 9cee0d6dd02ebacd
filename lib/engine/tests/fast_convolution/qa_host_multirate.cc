// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of channels of different rates that share a forward transform.

#include "fast_convolution/host_fast_convolution.h"
#include "tests/support/qa_bank_of_rates.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstddef>
#include <new>
#include <string>
#include <vector>

namespace cldsp {

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
    CPPUNIT_TEST(linear_phase);
    CPPUNIT_TEST(bins_left_out);
    CPPUNIT_TEST(blocks_in_work_are_limited);
    CPPUNIT_TEST_SUITE_END();

    static bank_of_rates::size_choice always(std::size_t fft_size)
    {
        return [fft_size](const multirate_block&) { return fft_size; };
    }
    static void check(bank_of_rates& bank,
                      const std::vector<std::size_t>& fft_sizes,
                      std::size_t max_items,
                      double bound = -120)
    {
        for (const std::size_t fft_size : fft_sizes)
            for (const unsigned threads : { 1U, 3U }) {
                const auto executor = bank.make(always(fft_size), threads);
                const double error = bank.error(*executor, max_items, threads);
                CPPUNIT_ASSERT_MESSAGE(std::to_string(fft_size) + " items, " +
                                           std::to_string(threads) +
                                           " threads: " + std::to_string(error) + " dB",
                                       error < bound);
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

    //! Filters whose responses are real, with delays of whole and of half items that
    //! differ from rate to rate.
    void linear_phase()
    {
        for (const auto type : { sample_type::fc32, sample_type::s16 })
            for (const std::size_t max_taps : { 150, 151 }) {
                bank_details its;
                its.max_taps = max_taps;
                its.low_passes = true;
                bank_of_rates bank(type,
                                   { { 1, 8 }, { 1, 16 }, { 1, 24 } },
                                   { 5, 18, 3 },
                                   items() / 2,
                                   its);
                check(bank, { 1536, 480 }, 3000);
            }
    }

    //! The default accuracy, with filters that keep a part of the bins and with filters
    //! that keep too few to gather them.
    void bins_left_out()
    {
        for (const std::size_t max_taps : { 151, 900 }) {
            bank_details its;
            its.max_taps = max_taps;
            its.low_passes = true;
            its.accuracy = 1e-5;
            bank_of_rates bank(sample_type::fc32,
                               { { 1, 8 }, { 1, 16 }, { 1, 24 } },
                               { 5, 18, 3 },
                               items(),
                               its);
            check(bank, { 1536, 2400 }, 3000, -100);
        }
    }

    //! Blocks that are longer than before are fewer, so that their memory is limited.
    void blocks_in_work_are_limited()
    {
        const unsigned threads = 128;
        const std::size_t small = 1536, large = 49152;
        const std::size_t cache = std::size_t(1) << 20;
        CPPUNIT_ASSERT_EQUAL(std::size_t(4 * threads),
                             blocks_in_work(41, threads, small, cache));
        CPPUNIT_ASSERT_EQUAL(std::size_t(threads),
                             blocks_in_work(41, threads, large, cache));
        // Where all responses come from memory, the blocks fill the cache.
        CPPUNIT_ASSERT_EQUAL(std::size_t(12 * threads),
                             blocks_in_work(1024, threads, 10000, cache));
        CPPUNIT_ASSERT_EQUAL(std::size_t(4), blocks_in_work(1024, 1, large, cache));
        bank_of_rates bank(sample_type::fc32,
                           { { 1, 8 }, { 1, 16 }, { 1, 24 } },
                           { 20, 18, 3 },
                           items() / 2);
        const auto executor = bank.make_others(
            [&](const multirate_block& block) {
                return block.max_items_of_output < 100 ? small : large;
            },
            threads);
        const double error = bank.error(*executor, 3000, 1, false);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(error), error < -120);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_host_multirate, "qa_host_multirate");

} // namespace cldsp
