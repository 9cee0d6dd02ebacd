/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fft/row_transform.h"
#include "tests/support/qa_overlap_save_case.h"
#include "tests/support/qa_refused.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <stdexcept>
#include <string>

using namespace cldsp;

namespace {

overlap_save_shape
make_shape(std::size_t max_taps, std::size_t channels, std::size_t rows)
{
    return { sample_type::fc32, 1, max_taps, channels, rows, 0 };
}

//! Checks the outputs of a block in all channels, on every set of kernels, against the
//! reference.
void check(const overlap_save_shape& shape, tap_kind kind)
{
    const overlap_save_case c(shape, std::vector<tap_kind>(shape.channels, kind));
    for (const row_kernels* kernels : available_row_kernels()) {
        const auto method = make_overlap_save_four_step(shape, *kernels);
        c.configure(*method);
        const channel_outputs out = c.run(*method);
        for (std::size_t i = 0; i < out.size(); i++) {
            const double error = error_db(out[i], c.expected[i]);
            CPPUNIT_ASSERT_MESSAGE(c.describe(i) + ", " + kernels->name + ": " +
                                       std::to_string(error) + " dB",
                                   error < -120);
        }
    }
}

} // namespace

class qa_overlap_save_four_step : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_overlap_save_four_step);
    CPPUNIT_TEST(every_number_of_rows);
    CPPUNIT_TEST(every_tap_count);
    CPPUNIT_TEST(every_type);
    CPPUNIT_TEST(part_of_a_block);
    CPPUNIT_TEST(configured_again);
    CPPUNIT_TEST(nothing_outside_the_block_is_read);
    CPPUNIT_TEST(bad_arguments);
    CPPUNIT_TEST_SUITE_END();

public:
    void every_number_of_rows()
    {
        for (std::size_t rows = 256; rows <= 65536; rows *= 2)
            check(make_shape(41, 1, rows), tap_kind::complex);
    }

    void every_tap_count()
    {
        for (const std::size_t taps : { 1, 2, 15, 16, 17, 101, 512 })
            check(make_shape(taps, 2, 512), tap_kind::complex);
    }

    void every_type()
    {
        for (const sample_type type : all_sample_types()) {
            for (const tap_kind kind : { tap_kind::real, tap_kind::complex }) {
                overlap_save_shape shape = make_shape(101, 2, 1024);
                shape.input = type;
                check(shape, kind);
            }
        }
    }

    void part_of_a_block()
    {
        const overlap_save_case c(make_shape(101, 2, 256),
                                  { tap_kind::complex, tap_kind::real });
        const auto method = make_overlap_save_four_step(c.shape);
        c.configure(*method);
        const channel_outputs whole = c.run(*method);
        for (std::size_t outputs = 0; outputs <= whole[0].size(); outputs++) {
            const channel_outputs part = c.run(*method, 1, 1, outputs);
            CPPUNIT_ASSERT(std::equal(part[0].begin(), part[0].end(), whole[1].begin()));
        }
    }

    void configured_again()
    {
        overlap_save_case c(make_shape(101, 3, 1024),
                            std::vector<tap_kind>(3, tap_kind::complex));
        const auto method = make_overlap_save_four_step(c.shape);
        for (const auto& silent : c.run(*method))
            for (const auto& value : silent)
                CPPUNIT_ASSERT(value == 0.0f);
        c.configure(*method);
        const channel_outputs before = c.run(*method);

        c.set_center_freq(1, 654321.0);
        c.set_taps(1, make_taps(tap_kind::real, 33, 8));
        method->configure(1, c.setup(1));
        const channel_outputs after = c.run(*method);
        CPPUNIT_ASSERT(after[0] == before[0] && after[2] == before[2]);
        CPPUNIT_ASSERT(error_db(after[1], c.expected[1]) < -120);
    }

    void nothing_outside_the_block_is_read()
    {
        for (const sample_type type : all_sample_types()) {
            overlap_save_shape shape = make_shape(101, 1, 512);
            shape.input = type;
            const overlap_save_case c(shape, { tap_kind::complex });
            const auto method = make_overlap_save_four_step(shape);
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

    void assert_refused(const overlap_save_shape& shape, const std::string& parameter)
    {
        cldsp::assert_refused({ "'" + parameter + "'" },
                              [&] { make_overlap_save_four_step(shape); });
    }

    void bad_arguments()
    {
        overlap_save_shape decimating = make_shape(1, 1, 256);
        decimating.decimation = 2;
        assert_refused(decimating, "decimation");
        assert_refused(make_shape(0, 1, 256), "max_taps");
        assert_refused(make_shape(1, 0, 256), "channels");
        for (const std::size_t rows : { 0, 1, 128, 300, 1 << 21 })
            assert_refused(make_shape(1, 1, rows), "ifft_size");
        assert_refused(make_shape(257, 1, 256), "ifft_size");

        const overlap_save_case c(make_shape(101, 2, 256),
                                  { tap_kind::complex, tap_kind::real });
        const auto method = make_overlap_save_four_step(make_shape(100, 2, 256));
        CPPUNIT_ASSERT_THROW(method->configure(0, c.setup(0)), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(method->configure(2, c.setup(0)), std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_overlap_save_four_step,
                                      "qa_overlap_save_four_step");
