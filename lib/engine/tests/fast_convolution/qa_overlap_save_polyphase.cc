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

#include <stdexcept>
#include <string>

using namespace cldsp;

namespace {

// A row can give several outputs, up to this number, so the noise must be longer than one
// output per row takes.
constexpr std::size_t max_outputs_of_a_row = 32;

overlap_save_shape rows_shape(std::size_t decimation,
                              std::size_t max_taps,
                              std::size_t channels,
                              std::size_t rows)
{
    return { sample_type::fc32, decimation, max_taps, channels, rows, 0 };
}

overlap_save_case make_case(overlap_save_shape shape, tap_kind kind)
{
    shape.ifft_size *= max_outputs_of_a_row;
    return { shape, std::vector<tap_kind>(shape.channels, kind) };
}

void assert_right(const overlap_save_case& c,
                  const channel_outputs& out,
                  const std::string& what)
{
    for (std::size_t i = 0; i < out.size(); i++) {
        auto expected = c.expected[i];
        expected.resize(out[i].size());
        const double error = error_db(out[i], expected);
        CPPUNIT_ASSERT_MESSAGE(c.describe(i) + ", " + what + ": " +
                                   std::to_string(error) + " dB",
                               error < -120);
    }
}

//! Checks the outputs of a block in all channels, on every set of kernels, against the
//! reference.
void check_rows(const overlap_save_shape& shape, tap_kind kind)
{
    const overlap_save_case c = make_case(shape, kind);
    for (const row_kernels* kernels : available_row_kernels()) {
        const auto method = make_overlap_save_polyphase(shape, *kernels);
        c.configure(*method);
        assert_right(
            c, c.run(*method, 0, shape.channels, method->block_outputs()), kernels->name);
    }
}

} // namespace

class qa_overlap_save_polyphase : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_overlap_save_polyphase);
    CPPUNIT_TEST(every_number_of_rows);
    CPPUNIT_TEST(every_decimation_and_tap_count);
    CPPUNIT_TEST(every_type);
    CPPUNIT_TEST(real_items);
    CPPUNIT_TEST(part_of_a_block);
    CPPUNIT_TEST(configured_again);
    CPPUNIT_TEST(nothing_outside_the_block_is_read);
    CPPUNIT_TEST(bad_arguments);
    CPPUNIT_TEST_SUITE_END();

public:
    void every_number_of_rows()
    {
        for (const std::size_t rows : { 16, 32, 64, 128, 256, 512, 1024 })
            for (const std::size_t decimation : { 5, 42 })
                check_rows(rows_shape(decimation, 101, 1, rows), tap_kind::complex);
    }

    void every_decimation_and_tap_count()
    {
        for (const std::size_t decimation : { 1, 2, 3, 7, 8, 15, 16, 17, 42, 64, 100 })
            for (const std::size_t taps : { std::size_t(1),
                                            std::size_t(2),
                                            decimation,
                                            decimation + 1,
                                            3 * decimation - 1,
                                            3 * decimation,
                                            std::size_t(101) })
                check_rows(rows_shape(decimation, taps, 2, 64), tap_kind::complex);
    }

    void every_type()
    {
        for (const sample_type type : all_sample_types()) {
            for (const tap_kind kind : { tap_kind::real, tap_kind::complex }) {
                for (const std::size_t decimation : { 1, 7, 42 }) {
                    overlap_save_shape shape = rows_shape(decimation, 101, 2, 64);
                    shape.input = type;
                    check_rows(shape, kind);
                }
            }
        }
    }

    // Rows have an even number of items, whatever the decimation is.
    void real_items()
    {
        for (const std::size_t decimation : { 1, 2, 3, 7, 8, 15, 16, 17, 42, 64, 101 })
            for (const std::size_t taps :
                 { std::size_t(1), decimation + 1, 3 * decimation, std::size_t(101) })
                for (const std::size_t rows : { 16, 64, 256 }) {
                    // Some of the rows must be left by the overlap.
                    if (2 * taps > rows * decimation)
                        continue;
                    auto shape = rows_shape(decimation, taps, 2, rows);
                    shape.input = sample_type::f32;
                    check_rows(shape, tap_kind::complex);
                }
    }

    void part_of_a_block()
    {
        const overlap_save_shape shape = rows_shape(7, 101, 2, 64);
        const overlap_save_case c = make_case(shape, tap_kind::complex);
        const auto method = make_overlap_save_polyphase(shape);
        c.configure(*method);
        const channel_outputs whole = c.run(*method, 0, 2, method->block_outputs());
        for (std::size_t outputs = 0; outputs <= method->block_outputs(); outputs++) {
            const channel_outputs part = c.run(*method, 1, 1, outputs);
            CPPUNIT_ASSERT(std::equal(part[0].begin(), part[0].end(), whole[1].begin()));
        }
    }

    void configured_again()
    {
        const overlap_save_shape shape = rows_shape(7, 101, 3, 64);
        overlap_save_case c = make_case(shape, tap_kind::complex);
        const auto method = make_overlap_save_polyphase(shape);
        for (const auto& silent : c.run(*method, 0, 3, method->block_outputs()))
            for (const auto& value : silent)
                CPPUNIT_ASSERT(value == 0.0f);
        c.configure(*method);
        const channel_outputs before = c.run(*method, 0, 3, method->block_outputs());

        c.set_center_freq(1, 654321.0);
        c.set_taps(1, make_taps(tap_kind::real, 33, 8));
        method->configure(1, c.setup(1));
        const channel_outputs after = c.run(*method, 0, 3, method->block_outputs());
        CPPUNIT_ASSERT(after[0] == before[0] && after[2] == before[2]);
        assert_right(c, after, "configured again");
    }

    void nothing_outside_the_block_is_read()
    {
        for (const sample_type type : all_sample_types()) {
            for (const std::size_t decimation : { 1, 17, 42 }) {
                overlap_save_shape shape = rows_shape(decimation, 101, 1, 64);
                shape.input = type;
                const overlap_save_case c = make_case(shape, tap_kind::complex);
                const auto method = make_overlap_save_polyphase(shape);
                c.configure(*method);
                const std::size_t bytes = method->block_items() * sample_size(type);
                const auto spectrum = method->make_spectrum();
                const auto workspace = method->make_workspace();
                for (const bool at_end : { true, false }) {
                    const guarded_memory in(bytes, at_end);
                    std::memcpy(in.data(), c.block(), bytes);
                    method->forward(in.data(), *spectrum, *workspace);
                    channel_outputs out(
                        1, std::vector<std::complex<float>>(method->block_outputs()));
                    std::complex<float>* const to = out[0].data();
                    const phase64 phase = c.rotator(0, 0);
                    const overlap_save_spectrum* const blocks = spectrum.get();
                    method->compute(
                        0, 1, &blocks, *workspace, &phase, &to, out[0].size());
                    assert_right(c, out, "guarded");
                }
            }
        }
    }

    void assert_refused(const overlap_save_shape& shape, const std::string& parameter)
    {
        cldsp::assert_refused({ "'" + parameter + "'" },
                              [&] { make_overlap_save_polyphase(shape); });
    }

    void bad_arguments()
    {
        assert_refused(rows_shape(0, 1, 1, 64), "decimation");
        assert_refused(rows_shape(1, 0, 1, 64), "max_taps");
        assert_refused(rows_shape(1, 1, 0, 64), "channels");
        for (const std::size_t rows : { 0, 1, 8, 63, 96, 2048 })
            assert_refused(rows_shape(42, 1, 1, rows), "ifft_size");
        assert_refused(rows_shape(42, 42 * 64 + 1, 1, 64), "ifft_size");
        assert_refused(rows_shape(std::size_t(-1), 43, 1, 64), "ifft_size");

        const overlap_save_case c = make_case(rows_shape(7, 101, 2, 64), tap_kind::real);
        const auto method = make_overlap_save_polyphase(rows_shape(7, 100, 2, 64));
        CPPUNIT_ASSERT_THROW(method->configure(0, c.setup(0)), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(method->configure(2, c.setup(0)), std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_overlap_save_polyphase,
                                      "qa_overlap_save_polyphase");
