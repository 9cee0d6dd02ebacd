/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/overlap_save_selected_bins.h"
#include "tests/support/qa_overlap_save_case.h"
#include "tests/support/qa_refused.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <functional>
#include <stdexcept>
#include <string>

using namespace cldsp;

namespace {

//! Checks the outputs of a block in all channels, on every set of kernels, against the
//! reference.
void check(const overlap_save_case& c)
{
    const auto sets = available_fold_kernels();
    const auto row_sets = available_row_kernels();
    for (std::size_t s = 0; s < sets.size(); s++) {
        const fold_kernel_set* kernels = sets[s];
        const auto method =
            std::make_unique<overlap_save_selected_bins>(c.shape, *kernels, *row_sets[s]);
        c.configure(*method);
        const channel_outputs out = c.run(*method);
        for (std::size_t i = 0; i < out.size(); i++) {
            const double error = error_db(out[i], c.expected[i]);
            // The bound is relative to the peak; a single output may lie far below the
            // peak.
            const double bound = out[i].size() > 1 ? -120 : -110;
            CPPUNIT_ASSERT_MESSAGE(c.describe(i) + ", " + kernels->name + ": " +
                                       std::to_string(error) + " dB",
                                   error < bound);
        }
    }
}

overlap_save_shape make_shape(std::size_t decimation,
                              std::size_t max_taps,
                              std::size_t channels,
                              std::size_t rows,
                              double accuracy = 0)
{
    return { sample_type::fc32, decimation, max_taps, channels, rows, accuracy };
}

// The number of rows that a block for these taps needs, with some margin. The sizes are
// few, because FFTW measures each of them.
std::size_t rows_for(std::size_t taps, std::size_t decimation)
{
    const std::size_t lost = (taps - 1) / decimation;
    for (const std::size_t rows : { 16, 61, 128, 420 })
        if (lost + 9 < rows)
            return rows;
    return 2600;
}

} // namespace

class qa_overlap_save_selected_bins : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_overlap_save_selected_bins);
    CPPUNIT_TEST(every_decimation_and_tap_count);
    CPPUNIT_TEST(every_type);
    CPPUNIT_TEST(real_items);
    CPPUNIT_TEST(few_bins_of_several_channels);
    CPPUNIT_TEST(linear_phase);
    CPPUNIT_TEST(channels_with_taps_of_their_own);
    CPPUNIT_TEST(smallest_blocks);
    CPPUNIT_TEST(frequencies);
    CPPUNIT_TEST(part_of_a_block);
    CPPUNIT_TEST(some_of_the_channels);
    CPPUNIT_TEST(configured_again);
    CPPUNIT_TEST(nothing_outside_the_block_is_read);
    CPPUNIT_TEST(no_taps_and_large_taps);
    CPPUNIT_TEST(bad_shapes);
    CPPUNIT_TEST(bad_channels);
    CPPUNIT_TEST_SUITE_END();

    void every_decimation_and_tap_count()
    {
        for (const std::size_t decimation : { 1, 2, 3, 7, 42, 50 }) {
            std::vector<std::size_t> counts = { 1, 2, 3, 101 };
            for (const std::size_t multiple : { decimation, 3 * decimation })
                for (const std::size_t count : { multiple - 1, multiple, multiple + 1 })
                    if (count > 0)
                        counts.push_back(count);
            if (!small_tests() || decimation == 42)
                counts.push_back(2429);
            for (const std::size_t taps : counts) {
                const std::size_t rows = rows_for(taps, decimation);
                for (const std::size_t channels : { 1, 2 })
                    check({ make_shape(decimation, taps, channels, rows),
                            std::vector<tap_kind>(channels, tap_kind::complex) });
            }
        }
    }

    void every_type()
    {
        for (const sample_type type : all_sample_types()) {
            for (const tap_kind kind : { tap_kind::real, tap_kind::complex }) {
                for (const std::size_t decimation : { 1, 7, 42 }) {
                    overlap_save_shape shape = make_shape(decimation, 101, 2, 128);
                    shape.input = type;
                    check({ shape, { kind, kind } });
                }
            }
        }
    }

    // Pairs of items are transformed, by columns or as a whole; a block of an odd size
    // has no pairs.
    void real_items()
    {
        for (const sample_type type :
             { sample_type::f32, sample_type::s16, sample_type::s8 })
            for (const tap_kind kind : { tap_kind::symmetric, tap_kind::complex })
                for (const std::size_t decimation : { 1, 2, 7, 42 })
                    for (const std::size_t taps : { 1, 40, 41, 42, 43, 101 })
                        for (const std::size_t channels : { 1, 2 })
                            for (const std::size_t rows : { 61, 64, 128 }) {
                                auto shape = make_shape(decimation, taps, channels, rows);
                                if ((taps - 1) / decimation + 9 >= rows)
                                    continue;
                                shape.input = type;
                                check({ shape, std::vector<tap_kind>(channels, kind) });
                            }
    }

    // Channels that keep few bins read them one by one, as a single channel does.
    void few_bins_of_several_channels()
    {
        for (const sample_type type : { sample_type::fc32, sample_type::s16 })
            for (const std::size_t decimation : { 7, 42 }) {
                auto shape = make_shape(decimation, 101, 3, 128);
                shape.input = type;
                shape.kept = 0.01;
                check({ shape, std::vector<tap_kind>(3, tap_kind::complex) });
            }
    }

    void linear_phase()
    {
        for (const tap_kind kind : { tap_kind::symmetric,
                                     tap_kind::antisymmetric,
                                     tap_kind::hermitian,
                                     tap_kind::turned })
            for (const std::size_t taps : { 1, 2, 40, 41, 42, 43, 100, 101 })
                for (const std::size_t decimation : { 1, 2, 7, 42 })
                    for (const std::size_t channels : { 1, 2 })
                        check({ make_shape(decimation, taps, channels, 128),
                                std::vector<tap_kind>(channels, kind) });
    }

    void channels_with_taps_of_their_own()
    {
        for (const std::size_t decimation : { 1, 7, 42 }) {
            for (const std::size_t max_taps : { 200, 201 }) {
                overlap_save_case c(
                    make_shape(decimation, max_taps, 6, 420),
                    { tap_kind::symmetric,
                      tap_kind::symmetric,
                      tap_kind::complex,
                      tap_kind::symmetric,
                      tap_kind::real,
                      tap_kind::hermitian },
                    { max_taps, max_taps - 1, 77, max_taps - 2 * decimation, 1, 42 });
                check(c);
            }
        }
    }

    void smallest_blocks()
    {
        check({ make_shape(1, 1, 1, 1), { tap_kind::complex } });
        check({ make_shape(5, 1, 2, 1), { tap_kind::symmetric, tap_kind::complex } });
        check({ make_shape(5, 5, 2, 1), { tap_kind::symmetric, tap_kind::complex } });
        check({ make_shape(42, 128 * 42, 1, 128), { tap_kind::symmetric } });
        check({ make_shape(42, 128 * 42, 3, 128),
                { tap_kind::symmetric, tap_kind::complex, tap_kind::real },
                { 128 * 42, 1, 2 } });
    }

    void frequencies()
    {
        for (const double center_freq : { 0.0, 1008000.0, 504000.0, -1.0, 5e6 }) {
            overlap_save_case c(make_shape(7, 101, 2, 128),
                                { tap_kind::symmetric, tap_kind::complex });
            c.set_center_freq(0, center_freq);
            c.set_center_freq(1, -0.7 * center_freq);
            check(c);
        }
    }

    void part_of_a_block()
    {
        for (const tap_kind kind : { tap_kind::symmetric, tap_kind::complex }) {
            const overlap_save_case c(make_shape(7, 101, 2, 128), { kind, kind });
            const auto method = make_overlap_save_selected_bins(c.shape);
            c.configure(*method);
            const channel_outputs whole = c.run(*method);
            for (std::size_t outputs = 0; outputs <= whole[0].size(); outputs++) {
                const channel_outputs part = c.run(*method, 0, 2, outputs);
                for (int i = 0; i < 2; i++)
                    CPPUNIT_ASSERT(
                        std::equal(part[i].begin(), part[i].end(), whole[i].begin()));
            }
        }
    }

    void some_of_the_channels()
    {
        const overlap_save_case c(make_shape(7, 101, 5, 128),
                                  std::vector<tap_kind>(5, tap_kind::symmetric));
        const auto method = make_overlap_save_selected_bins(c.shape);
        c.configure(*method);
        const channel_outputs whole = c.run(*method);
        for (std::size_t first = 0; first < 5; first++)
            for (std::size_t count = 0; first + count <= 5; count++) {
                const channel_outputs some =
                    c.run(*method, first, count, whole[0].size());
                for (std::size_t i = 0; i < count; i++)
                    CPPUNIT_ASSERT(some[i] == whole[first + i]);
            }
    }

    void configured_again()
    {
        for (const std::size_t decimation : { 1, 7 }) {
            overlap_save_case c(make_shape(decimation, 101, 3, 420),
                                std::vector<tap_kind>(3, tap_kind::symmetric));
            const auto method = make_overlap_save_selected_bins(c.shape);
            c.configure(*method);
            const channel_outputs before = c.run(*method);

            c.set_center_freq(1, 654321.0);
            method->configure(1, c.setup(1));
            method->settle();
            channel_outputs after = c.run(*method);
            CPPUNIT_ASSERT(after[0] == before[0] && after[2] == before[2]);
            CPPUNIT_ASSERT(error_db(after[1], c.expected[1]) < -120);

            c.set_taps(1, make_taps(tap_kind::complex, 33, 8));
            method->configure(1, c.setup(1));
            method->settle();
            after = c.run(*method);
            CPPUNIT_ASSERT(after[0] == before[0] && after[2] == before[2]);
            CPPUNIT_ASSERT(error_db(after[1], c.expected[1]) < -120);
        }
    }

    void nothing_outside_the_block_is_read()
    {
        for (const sample_type type : all_sample_types()) {
            for (const std::size_t decimation : { 1, 42 }) {
                overlap_save_shape shape = make_shape(decimation, 101, 2, 128);
                shape.input = type;
                const overlap_save_case c(shape,
                                          { tap_kind::symmetric, tap_kind::complex });
                const auto method = make_overlap_save_selected_bins(shape);
                c.configure(*method);
                const channel_outputs whole = c.run(*method);
                const std::size_t bytes = method->block_items() * sample_size(type);
                for (const bool at_end : { true, false }) {
                    const guarded_memory in(bytes, at_end);
                    std::memcpy(in.data(), c.block(), bytes);
                    CPPUNIT_ASSERT(c.run_on(*method, in.data()) == whole);
                }
            }
        }
    }

    void no_taps_and_large_taps()
    {
        overlap_save_case c(make_shape(7, 101, 3, 128),
                            std::vector<tap_kind>(3, tap_kind::symmetric));
        auto taps = make_taps(tap_kind::complex, 101, 3);
        for (auto& tap : taps)
            tap *= 1e30f;
        c.set_taps(0, taps);
        for (auto& tap : taps)
            tap *= 1e-35f * 1e-25f;
        c.set_taps(1, taps);
        c.set_taps(2, std::vector<std::complex<float>>(101));
        for (const double accuracy : { 0.0, 1e-5 }) {
            c.shape.accuracy = accuracy;
            const auto method = make_overlap_save_selected_bins(c.shape);
            const channel_outputs silent = c.run(*method);
            for (const auto& values : silent)
                for (const auto& value : values)
                    CPPUNIT_ASSERT(value == 0.0f);
            c.configure(*method);
            const channel_outputs out = c.run(*method);
            CPPUNIT_ASSERT(error_db(out[0], c.expected[0]) < -120);
            CPPUNIT_ASSERT(error_db(out[1], c.expected[1]) < -120);
            for (const auto& value : out[2])
                CPPUNIT_ASSERT(value == 0.0f);
        }
    }

    void assert_refused(const overlap_save_shape& shape, const std::string& parameter)
    {
        cldsp::assert_refused({ "'" + parameter + "'" },
                              [&] { make_overlap_save_selected_bins(shape); });
    }

    void bad_shapes()
    {
        assert_refused(make_shape(0, 1, 1, 1), "decimation");
        assert_refused(make_shape(1, 0, 1, 1), "max_taps");
        assert_refused(make_shape(1, 1, 0, 1), "channels");
        assert_refused(make_shape(1, 1, 1, 0), "ifft_size");
        assert_refused(make_shape(1, 5, 1, 4), "ifft_size");
        assert_refused(make_shape(42, 43, 1, 1), "ifft_size");
        assert_refused(make_shape(42, 43, 1, std::size_t(-1)), "ifft_size");
        assert_refused(make_shape(std::size_t(-1), 43, 1, 2), "ifft_size");
        for (const double accuracy :
             { -1e-9, 0.11, std::numeric_limits<double>::quiet_NaN() })
            assert_refused(make_shape(1, 1, 1, 1, accuracy), "accuracy");
    }

    void bad_channels()
    {
        const overlap_save_case c(make_shape(7, 101, 2, 128),
                                  { tap_kind::symmetric, tap_kind::complex });
        const auto method = make_overlap_save_selected_bins(c.shape);
        CPPUNIT_ASSERT_THROW(method->configure(2, c.setup(0)), std::invalid_argument);
        const auto smaller = make_overlap_save_selected_bins(make_shape(7, 100, 2, 128));
        CPPUNIT_ASSERT_THROW(smaller->configure(0, c.setup(0)), std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_overlap_save_selected_bins,
                                      "qa_overlap_save_selected_bins");
