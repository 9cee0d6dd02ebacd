/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "tests/support/opencl_fast_convolution_tests.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

namespace cldsp {

//! Tests of the variants whose fold is a kernel of its own, for tiles of many channels.
class separate_fold_tests : public opencl_fast_convolution_tests
{
    CPPUNIT_TEST_SUITE(separate_fold_tests);
#ifdef CLDSP_HAVE_VKFFT
    CPPUNIT_TEST(several_sizes);
    CPPUNIT_TEST(single_filter);
    CPPUNIT_TEST(any_cut);
    CPPUNIT_TEST(retune_and_new_taps);
    CPPUNIT_TEST(accuracy_is_kept_and_used);
    CPPUNIT_TEST(taps_that_are_zero_keep_nothing);
    CPPUNIT_TEST(linear_phase_of_any_length);
    CPPUNIT_TEST(linear_phase_until_a_channel_has_none);
    CPPUNIT_TEST(narrow_channels_of_many_tiles);
#endif
    CPPUNIT_TEST_SUITE_END_ABSTRACT();

protected:
    using taps_of = std::vector<std::complex<float>>;

    //! Taps that are their own mirror image, or minus that.
    static taps_of mirrored(std::size_t count, unsigned seed, float sign = 1)
    {
        auto taps = random_taps(count, true, seed);
        for (std::size_t k = 0; k < count / 2; ++k)
            taps[count - 1 - k] = sign * taps[k];
        if (count % 2 == 1 && sign < 0)
            taps[count / 2] = 0;
        return taps;
    }

    static filter_channel
    channel(std::size_t decimation, const taps_of& taps, double center_freq)
    {
        freq_xlating_fir_problem problem;
        problem.decimation = decimation;
        problem.taps = taps;
        problem.sampling_freq = 1;
        problem.center_freq = center_freq;
        return filter_channel(problem);
    }

    //! \returns the error of a stream that comes in several calls, in dB
    static double error_of(filter_executor& bank,
                           const std::vector<filter_channel>& channels,
                           std::size_t outputs)
    {
        stream_case c(channels, outputs);
        c.run_in_cuts(bank, 5);
        return c.error();
    }

public:
    //! Few sizes, because each is compiled: the tile depends on the rows, on the
    //! decimation, and on the number of channels.
    void several_sizes()
    {
        std::vector<block_case> cases{ { 1, 7, 32 }, { 2, 9, 16 } };
        if (!smallest() && !small_tests())
            cases.insert(cases.end(), { { 7, 130, 64 }, { 100, 500, 16 } });
        for (const auto& b : cases)
            for (const std::size_t channels : { 1, 9 }) {
                if (!takes(b.rows, b.decimation))
                    continue;
                const auto all = make_channels(
                    sample_type::fc32, b.decimation, b.taps, channels, false);
                const auto bank = make(all, b.rows);
                const double error = error_of(*bank, all, small_tests() ? 40 : 300);
                CPPUNIT_ASSERT_MESSAGE(std::to_string(error), error < bound);
                CPPUNIT_ASSERT_EQUAL(variant(), bank->variant_name());
                CPPUNIT_ASSERT(bank->statistics().kernel_time > 0);
            }
    }

    //! The middle of the taps is a whole number of outputs away from the block's
    //! beginning, whatever the decimation. The numbers of taps have every remainder of a
    //! division by it.
    void linear_phase_of_any_length()
    {
        const std::size_t decimation = usual().decimation, rows = usual().rows;
        for (std::size_t count = 1; count <= 4 * decimation;
             count += small_tests() ? 9 : 3) {
            std::vector<filter_channel> channels;
            for (const double f : { 0.1, -0.35, 0.0 })
                channels.push_back(
                    channel(decimation, mirrored(count, 3, f == 0 ? -1.0f : 1.0f), f));
            const auto bank = make(channels, rows);
            const double error = error_of(*bank, channels, small_tests() ? 30 : 120);
            CPPUNIT_ASSERT_MESSAGE(
                std::to_string(count) + " taps: " + std::to_string(error), error < bound);
        }
    }

    //! Real responses, then complex ones for all, then longer taps, and real ones again.
    void linear_phase_until_a_channel_has_none()
    {
        if (smallest())
            return;
        constexpr std::size_t decimation = 6, rows = 32;
        std::vector<filter_channel> channels;
        for (int i = 0; i < 5; ++i)
            channels.push_back(channel(decimation, mirrored(61, 7), 0.07 * i - 0.2));
        const auto bank = make(channels, rows, 1e-7);
        const std::size_t outputs = small_tests() ? 22 : 100; // several blocks
        const auto check = [&](std::size_t changed, const filter_channel& setup) {
            channels[changed] = setup;
            bank->configure(changed, setup);
            const double error = error_of(*bank, channels, outputs);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(error), error < bound);
        };
        CPPUNIT_ASSERT(error_of(*bank, channels, outputs) < bound);
        check(1, channel(decimation, mirrored(61, 8), 0.33));
        if (!small_tests())
            check(2, channel(decimation, mirrored(31, 9), -0.1)); // another middle
        check(3, channel(decimation, random_taps(61, false, 10), 0.4));
        if (small_tests())
            return; // the kernels of real gains and of complex ones have run
        check(3, channel(decimation, mirrored(61, 7), 0.4));
        check(0, channel(decimation, mirrored(91, 11), 0.2)); // another block
        check(0, channel(decimation, mirrored(60, 12), 0.2)); // no middle tap
    }

    //! More channels than a tile has, of which each keeps a few rows of bins, and many of
    //! which are switched off.
    void narrow_channels_of_many_tiles()
    {
        if (smallest())
            return;
        // A large decimation has sums of more rows than a float should add up.
        for (const std::size_t decimation : { 16, 100 }) {
            if (!takes(16, decimation) || (decimation == 100 && small_tests()))
                continue;
            taps_of taps;
            const auto half = static_cast<double>(4 * decimation);
            for (double t = -half; t <= half; t++)
                taps.emplace_back(
                    static_cast<float>(std::exp(-18 * t * t / (half * half)) / half));
            std::vector<filter_channel> channels;
            const std::size_t count = decimation == 100 ? 9 : small_tests() ? 40 : 70;
            for (std::size_t i = 0; i < count; ++i)
                channels.push_back(
                    channel(decimation,
                            taps,
                            std::remainder(0.382 * static_cast<double>(i) + 0.49, 1.0)));
            const auto bank = make(channels, 16, 1e-5);
            const std::size_t outputs = small_tests() ? 20 : 60;
            stream_case all(channels, outputs);
            all.run(*bank);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(all.error()), all.error() < -95);
            stream_case some(channels, outputs);
            some.run_some(*bank, { 1, 3, 6, 8 });
            for (const std::size_t c : { 1, 3, 6, 8 })
                CPPUNIT_ASSERT(some.error_of(c) < -95);
        }
    }
};

} // namespace cldsp
