/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "qa_host_fir_support.h"
#include "qa_support.h"

#include "host_fast_convolution.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace cldsp {

namespace {

//! The variants that cover a decimation.
std::vector<std::string> variants(std::size_t decimation)
{
    if (decimation == 1)
        return { "rows", "grid", "bins" };
    return { "rows", "bins" };
}

void check_stream(const stream& s, const std::string& variant, std::size_t rows)
{
    const auto fir = make_host_fast_convolution(variant, s.setup, rows, 0);
    CPPUNIT_ASSERT_EQUAL(variant, fir->variant_name());
    const double error = error_db(s.run(*fir), s.expected);
    CPPUNIT_ASSERT_MESSAGE(variant + ", " + std::to_string(s.setup.taps()) + " taps, " +
                               std::to_string(s.setup.problem.decimation) +
                               " to 1: " + std::to_string(error) + " dB",
                           error < -120);
}

} // namespace

class qa_host_fast_convolution : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_host_fast_convolution);
    CPPUNIT_TEST(shapes);
    CPPUNIT_TEST(types);
    CPPUNIT_TEST(block_sizes);
    CPPUNIT_TEST(cuts);
    CPPUNIT_TEST(reads_no_further);
    CPPUNIT_TEST(retune);
    CPPUNIT_TEST(taps_change);
    CPPUNIT_TEST(taps_beyond_the_rows);
    CPPUNIT_TEST(statistics);
    CPPUNIT_TEST(bad_arguments);
    CPPUNIT_TEST_SUITE_END();

public:
    void shapes()
    {
        for (const std::size_t decimation : { 1, 2, 3, 5, 8, 16, 17, 42, 50, 130 }) {
            for (const std::size_t taps : { 1, 2, 41, 42, 43, 201, 1000 }) {
                const stream s(make_problem(sample_type::fc32, decimation, taps, false),
                               small_tests() ? 150 : 700);
                for (const auto& variant : variants(decimation))
                    check_stream(s, variant, 0);
            }
        }
        const stream s(make_problem(sample_type::fc32, 42, 2429, true), 1000);
        for (const auto& variant : variants(42))
            check_stream(s, variant, 0);
    }

    void types()
    {
        for (const auto type : all_sample_types()) {
            for (const bool real_taps : { false, true }) {
                const stream s(make_problem(type, 12, 131, real_taps), 1000);
                for (const auto& variant : variants(12))
                    check_stream(s, variant, 0);
            }
        }
    }

    void block_sizes()
    {
        const stream s(make_problem(sample_type::fc32, 42, 300, true), 1500);
        for (const std::size_t rows : { 16, 32, 64, 128, 256, 512, 1024 })
            for (const auto& variant : variants(42))
                check_stream(s, variant, rows);
    }

    void cuts()
    {
        const stream s(make_problem(sample_type::cs16, 10, 555, true), 3000);
        for (const auto& variant : variants(10)) {
            const auto fir = make_host_fast_convolution(variant, s.setup, 0, 0);
            for (unsigned seed = 0; seed < (small_tests() ? 3 : 50); seed++)
                CPPUNIT_ASSERT(error_db(s.run_in_cuts(*fir, seed), s.expected) < -120);
        }
    }

    void reads_no_further()
    {
        for (const std::size_t decimation : { 1, 7, 42 }) {
            for (const std::size_t outputs : { 1, 60, 500, 2000 }) {
                const stream s(make_problem(sample_type::fc32, decimation, 299, true),
                               outputs);
                for (const bool at_end : { false, true }) {
                    const guarded_memory items(s.items.size(), at_end);
                    std::copy(s.items.begin(),
                              s.items.end(),
                              static_cast<unsigned char*>(items.data()));
                    const guarded_memory out(outputs * sizeof(std::complex<float>),
                                             at_end);
                    auto* to = static_cast<std::complex<float>*>(out.data());
                    for (const auto& variant : variants(decimation)) {
                        const auto fir =
                            make_host_fast_convolution(variant, s.setup, 0, 0);
                        fir->run(s.call(items.data(), to));
                        CPPUNIT_ASSERT(error_db({ to, to + outputs }, s.expected) < -120);
                    }
                }
            }
        }
    }

    void retune()
    {
        auto problem = make_problem(sample_type::fc32, 21, 700, true);
        const fir_setup before(problem);
        problem.center_freq = 321098.7;
        const stream s(problem, 1000);
        for (const auto& variant : variants(21)) {
            const auto fir = make_host_fast_convolution(variant, before, 0, 0);
            fir->configure(s.setup);
            CPPUNIT_ASSERT(error_db(s.run(*fir), s.expected) < -120);
        }
    }

    void taps_change()
    {
        const std::size_t numbers[] = { 300, 3000, 17, 299, 3001 };
        for (const auto& variant : variants(16)) {
            const auto fir = make_host_fast_convolution(
                variant, fir_setup(make_problem(sample_type::cu8, 16, 299, true)), 0, 0);
            for (const std::size_t taps : numbers) {
                const stream s(make_problem(sample_type::cu8, 16, taps, true), 1000);
                fir->configure(s.setup);
                CPPUNIT_ASSERT(error_db(s.run(*fir), s.expected) < -120);
            }
        }
    }

    // The transform of rows has a longest block; the stream goes on beyond it.
    void taps_beyond_the_rows()
    {
        const auto fir = make_host_fast_convolution(
            "rows", fir_setup(make_problem(sample_type::fc32, 16, 100, true)), 0, 0);
        const stream s(make_problem(sample_type::fc32, 16, 20000, true), 2000);
        fir->configure(s.setup);
        CPPUNIT_ASSERT_EQUAL(std::string("bins"), fir->variant_name());
        CPPUNIT_ASSERT(error_db(s.run(*fir), s.expected) < -120);
    }

    void statistics()
    {
        const stream s(make_problem(sample_type::fc32, 42, 300, true), 500);
        for (const auto& variant : variants(42)) {
            const auto fir = make_host_fast_convolution(variant, s.setup, 0, 0);
            CPPUNIT_ASSERT(fir->statistics().calls == 0);
            s.run(*fir);
            s.run(*fir);
            CPPUNIT_ASSERT(fir->statistics().calls == 2);
            CPPUNIT_ASSERT(fir->statistics().outputs == 1000);
            CPPUNIT_ASSERT(fir->statistics().kernel_time > 0);
            CPPUNIT_ASSERT_EQUAL(std::string("host"), fir->device_name());
            CPPUNIT_ASSERT_EQUAL(std::string("none"), fir->transfer_name());
        }
    }

    void bad_arguments()
    {
        const fir_setup setup(make_problem(sample_type::fc32, 42, 300, true));
        CPPUNIT_ASSERT_THROW(make_host_fast_convolution("simd", setup, 0, 0),
                             std::invalid_argument);
        CPPUNIT_ASSERT_THROW(make_host_fast_convolution("rows", setup, 100, 0),
                             std::invalid_argument);
        const fir_setup huge(make_problem(sample_type::fc32, 1, 100000, true));
        CPPUNIT_ASSERT_THROW(make_host_fast_convolution("rows", huge, 0, 0),
                             std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_host_fast_convolution);

} // namespace cldsp
