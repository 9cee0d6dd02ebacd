/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fast_convolution/fast_convolution_shape.h"
#include "tests/support/qa_fast_convolution_support.h"

#include <cldsp/reference.h>

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace cldsp {

//! Tests of fast convolution on OpenCL against the double-precision reference.
class opencl_fast_convolution_tests : public fast_convolution_fixture
{
    CPPUNIT_TEST_SUITE(opencl_fast_convolution_tests);
#ifdef CLDSP_HAVE_VKFFT
    CPPUNIT_TEST(any_decimation);
    CPPUNIT_TEST(every_type);
    CPPUNIT_TEST(every_transfer);
    CPPUNIT_TEST(single_filter);
    CPPUNIT_TEST(rows_chosen_by_size);
    CPPUNIT_TEST(short_and_long_calls);
    CPPUNIT_TEST(any_cut);
    CPPUNIT_TEST(retune_and_new_taps);
    CPPUNIT_TEST(accuracy_is_kept_and_used);
    CPPUNIT_TEST(taps_that_are_zero_keep_nothing);
#endif
    CPPUNIT_TEST_SUITE_END_ABSTRACT();

protected:
    static constexpr double pi = 3.14159265358979323846;

    //! Whether the variant takes an inverse transform of this size.
    bool takes(std::size_t rows, std::size_t decimation = 1) const
    {
        return ifft_sizes_of(variant(), d_device->device(), decimation).contains(rows);
    }

private:
    void check(const std::vector<filter_channel>& channels,
               std::size_t rows,
               std::size_t outputs,
               const std::string& transfer = "copy") const
    {
        stream_case c(channels, outputs);
        const auto bank = make(channels, rows, 0, transfer);
        c.run(*bank);
        CPPUNIT_ASSERT_EQUAL(variant(), bank->variant_name());
        CPPUNIT_ASSERT_EQUAL(transfer, bank->transfer_name());
        CPPUNIT_ASSERT(bank->statistics().kernel_time > 0);
        const auto& p = channels[0].problem;
        CPPUNIT_ASSERT_MESSAGE(std::string(sample_type_name(p.input)) + ", decimation " +
                                   std::to_string(p.decimation) + ", " + transfer + ": " +
                                   std::to_string(c.error()) + " dB",
                               c.error() < bound);
    }

public:
    void any_decimation()
    {
        std::vector<block_case> cases{ { 2, 9, 16 }, { 1, 7, 32 } };
        if (!smallest())
            cases.push_back({ 7, 130, 32 });
        if (!small_tests() && !smallest())
            cases.insert(cases.end(), { { 1, 61, 256 }, { 42, 201, 8 }, { 3, 40, 64 } });
        if (!small_tests() && !smallest() && d_device->limits().max_work_group_size >= 64)
            cases.insert(cases.end(),
                         { { 17, 100, 12 }, { 42, 2429, 256 }, { 100, 500, 16 } });
        // Each size and each number of channels is a program of its own.
        const std::vector<std::size_t> counts{ 1, 4, 9 };
        for (std::size_t i = 0; i < cases.size(); ++i)
            for (std::size_t j = 0; j < counts.size(); ++j) {
                const auto& b = cases[i];
                if (takes(b.rows) && (i == 0 || i % counts.size() == j))
                    check(make_channels(
                              sample_type::fc32, b.decimation, b.taps, counts[j], false),
                          b.rows,
                          small_tests() ? 40 : 700);
            }
    }

    void every_type()
    {
        const auto b = usual();
        for (const auto type : all_sample_types())
            for (const bool real_taps : { false, true })
                if (!small_tests() || real_taps == is_complex(type))
                    check(make_channels(type, b.decimation, b.taps, 2, real_taps),
                          b.rows,
                          small_tests() ? 20 : 300);
    }

    void every_transfer()
    {
        const auto b = usual();
        for (const auto type : { sample_type::cs16, sample_type::cs12 })
            for (const char* transfer : { "copy", "mapped", "zero_copy" })
                for (const std::size_t channels : { 1, 3 })
                    if (!small_tests() || (channels == 1) == (type == sample_type::cs12))
                        check(make_channels(type, b.decimation, b.taps, channels, true),
                              b.rows,
                              small_tests() ? 20 : 200,
                              transfer);
    }

    void single_filter()
    {
        const auto b = usual();
        const auto problem =
            make_fir_problem(sample_type::fc32, b.decimation, b.taps, false);
        const filter_channel setup(problem);
        const auto filter = make_one(setup, b.rows, 0, "zero_copy");
        const std::size_t outputs = small_tests() ? 30 : 150;
        constexpr std::size_t guard = 64;
        // All memory around the window is NaN, which must neither be read nor
        // overwritten.
        const float nan = std::nanf("");
        const auto fresh = noise(sample_type::fc32, outputs * b.decimation, 42);
        const std::size_t items = setup.window(outputs);
        std::vector<std::complex<float>> in(items + 2 * guard, { nan, nan });
        std::fill_n(in.begin() + guard, b.taps - 1, std::complex<float>());
        std::memcpy(in.data() + guard + b.taps - 1,
                    fresh.data(),
                    (items - b.taps + 1) * sizeof(in[0]));
        std::vector<std::complex<float>> out(outputs + 2 * guard, { nan, nan });
        filter->run(
            { in.data() + guard, out.data() + guard, outputs, first_phase(setup) });
        freq_xlating_fir_reference reference(problem);
        const auto expected = reference.process(fresh.data(), outputs * b.decimation);
        for (std::size_t i = 0; i < guard; ++i)
            CPPUNIT_ASSERT(std::isnan(out[i].real()) &&
                           std::isnan(out[guard + outputs + i].real()));
        CPPUNIT_ASSERT(error_db({ out.begin() + guard, out.begin() + guard + outputs },
                                expected) < bound);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(outputs), filter->statistics().outputs);
    }

    void rows_chosen_by_size()
    {
        if (d_device->limits().max_work_group_size < 64 || small_tests())
            return; // the chosen block would take minutes to compile
        check(make_channels(sample_type::fc32, 42, 201, 1, true), 0, 3000);
        // Longer blocks need fewer transforms per output, but only up to a limit.
        const auto& device = d_device->device();
        const std::size_t rows = fast_convolution_size(variant(), device, 42, 201);
        CPPUNIT_ASSERT(rows >= 16 && rows <= 4096);
        if (takes(131072))
            CPPUNIT_ASSERT(fast_convolution_size(variant(), device, 1, 100000) > 100000);
    }

    void short_and_long_calls()
    {
        const auto b = usual();
        const auto channels =
            make_channels(sample_type::fc32, b.decimation, b.taps, 2, true);
        const auto bank = make(channels, b.rows);
        for (std::size_t outputs = 1; outputs <= 3 * b.rows;
             outputs += 1 + outputs / (small_tests() ? 1 : 9)) {
            stream_case c(channels, outputs);
            c.run(*bank);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(outputs), c.error() < bound);
        }
        if (small_tests())
            return;
        stream_case many(channels, 100000);
        many.run(*bank);
        CPPUNIT_ASSERT(many.error() < bound);
        bank->run({ nullptr, 0, nullptr, 0, nullptr });
    }

    void any_cut()
    {
        const auto b = usual();
        for (const auto type : { sample_type::cu8, sample_type::s8, sample_type::cs12 }) {
            const auto channels = make_channels(type, b.decimation, b.taps, 3, false);
            const auto bank = make(channels, b.rows, 0, "zero_copy");
            stream_case c(channels, small_tests() ? 40 : 900);
            for (unsigned seed = 0; seed < (small_tests() ? 1 : 60); ++seed) {
                c.again();
                c.run_in_cuts(*bank, seed);
                CPPUNIT_ASSERT(c.error() < bound);
            }
        }
    }

    void retune_and_new_taps()
    {
        const auto b = usual();
        auto channels = make_channels(sample_type::fc32, b.decimation, b.taps, 3, true);
        const auto bank = make(channels, b.rows);
        const auto change = [&](std::size_t channel, double freq, std::size_t taps) {
            auto problem = channels[channel].problem;
            problem.center_freq = freq;
            if (taps)
                problem.taps = random_taps(taps, false, 77);
            channels[channel] = filter_channel(problem);
            bank->configure(channel, channels[channel]);
            const std::size_t outputs = small_tests() ? 20 : 130; // several blocks
            // A call may bring more history than the taps need.
            std::vector<std::size_t> histories{ 0, b.taps + 20, b.taps + 25 };
            if (small_tests())
                histories = { taps == 2 ? 0 : b.taps + 25 };
            for (const std::size_t max_taps : histories) {
                stream_case c(channels, outputs, max_taps);
                c.run(*bank);
                CPPUNIT_ASSERT(c.error() < bound);
            }
        };
        change(1, -654321.1, 0);
        change(0, 1e9 / 3, 0);
        change(2, 5000, 3);
        change(0, 5000, 1);
        change(1, -1, 2); // now the history of the calls is shorter than the overlap of
                          // the blocks
        change(1, 31.25, b.taps);
        if (!smallest())
            change(2, 100, 2 * b.taps); // needs other blocks with a longer overlap
    }

    //! Measures a low-pass filter's response by tones at the block's output.
    void taps_that_are_zero_keep_nothing()
    {
        const filter_channel setup({ sample_type::fc32, 2, { 0, 0, 0 }, 0.1, 1.0 });
        const auto filter = make_one(setup, small_tests() ? 4 : 16, 1e-5);
        std::vector<std::complex<float>> in(setup.window(50), 1), out(50, 1);
        filter->run({ in.data(), out.data(), out.size(), phase64() });
        CPPUNIT_ASSERT(out == std::vector<std::complex<float>>(50));
    }

    void accuracy_is_kept_and_used()
    {
        if (smallest())
            return; // the block is too short for a stopband
        constexpr std::size_t decimation = 7, count = 91, rows = 32;
        const std::size_t outputs = small_tests() ? 60 : 1200;
        std::vector<std::complex<float>> taps;
        double gain = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const double n = static_cast<double>(i) - (count - 1) / 2.0;
            const double window = 0.42 + 0.5 * std::cos(2 * pi * n / (count + 1)) +
                                  0.08 * std::cos(4 * pi * n / (count + 1));
            const double value =
                window * (n == 0 ? 0.08 : std::sin(0.08 * pi * n) / (pi * n));
            taps.emplace_back(static_cast<float>(value));
            gain += value;
        }
        const filter_channel setup({ sample_type::fc32, decimation, taps, 0.1, 1.0 });
        const auto measured = [&](filter_of_one& filter, double freq) {
            std::vector<std::complex<float>> in(setup.window(outputs)), out(outputs);
            for (std::size_t i = 0; i < in.size(); ++i)
                in[i] = static_cast<std::complex<float>>(
                    std::polar(1.0, 2 * pi * freq * static_cast<double>(i)));
            filter.run({ in.data(), out.data(), outputs, phase64() });
            // Only whole blocks are summed, because the effects at a block's borders
            // differ between blocks.
            std::complex<double> sum = 0;
            const std::size_t used = outputs / (rows - 12) * (rows - 12);
            for (std::size_t i = 0; i < used; ++i)
                sum += std::complex<double>(out[i]) *
                       std::polar(1.0,
                                  -2 * pi * (freq - 0.1) *
                                      static_cast<double>(i * decimation));
            return sum / static_cast<double>(used);
        };
        const auto exact = make_one(setup, rows);
        const int tones = small_tests() ? 3 : 101;
        const auto tone = [&](int i) { return -0.5 + i / static_cast<double>(tones); };
        std::vector<std::complex<double>> expected;
        for (int i = 0; i < tones; ++i)
            expected.push_back(measured(*exact, tone(i)));
        for (const double accuracy : { 1e-3, 1e-2 }) {
            const auto filter = make_one(setup, rows, accuracy);
            double largest = 0;
            for (int i = 0; i < tones; ++i)
                largest =
                    std::max(largest, std::abs(measured(*filter, tone(i)) - expected[i]));
            CPPUNIT_ASSERT_MESSAGE(std::to_string(largest / gain),
                                   largest < accuracy * gain);
            // Some bins were left out, as expected.
            CPPUNIT_ASSERT(largest > 1e-6 * gain);
        }
    }
};

} // namespace cldsp
