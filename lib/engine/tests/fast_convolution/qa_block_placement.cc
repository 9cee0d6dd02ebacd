// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that every filter of linear phase gets real gains.

#include "fast_convolution/fold_response.h"
#include "filter/filter_executor.h"
#include "tests/support/qa_overlap_save_case.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

using namespace cldsp;

namespace {

std::vector<std::complex<double>>
rotated(tap_kind kind, std::size_t count, double center_freq = 123456.7)
{
    freq_xlating_fir_problem problem;
    problem.taps = make_taps(kind, count, 5);
    problem.center_freq = center_freq;
    problem.sampling_freq = 2016000;
    return filter_channel(problem).rotated();
}

bool is_linear(const std::vector<std::complex<double>>& taps)
{
    std::complex<double> turn;
    if (!is_linear_phase(taps, turn))
        return false;
    CPPUNIT_ASSERT_DOUBLES_EQUAL(1, std::abs(turn), 1e-12);
    for (std::size_t k = 0; k < taps.size(); k++) {
        const auto mirrored = turn * turn * std::conj(taps[taps.size() - 1 - k]);
        CPPUNIT_ASSERT(std::abs(taps[k] - mirrored) < 1e-5);
    }
    return true;
}

bool is_real(const std::vector<std::complex<double>>& taps,
             std::size_t decimation,
             std::size_t max_taps,
             bool half_items)
{
    fftw_vector<std::complex<float>> out(128 * decimation);
    return placed_taps(taps, block_placement(decimation, max_taps, half_items), out).real;
}

} // namespace

class qa_block_placement : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_block_placement);
    CPPUNIT_TEST(linear_phase_is_found);
    CPPUNIT_TEST(more_than_rounding_is_not_linear_phase);
    CPPUNIT_TEST(as_long_as_the_reach);
    CPPUNIT_TEST(shorter_than_the_reach);
    CPPUNIT_TEST_SUITE_END();

    void linear_phase_is_found()
    {
        for (const std::size_t count : { 2, 5, 40, 401 }) {
            for (const tap_kind kind :
                 { tap_kind::symmetric, tap_kind::hermitian, tap_kind::turned })
                CPPUNIT_ASSERT(is_linear(rotated(kind, count)));
            CPPUNIT_ASSERT(is_linear(rotated(tap_kind::antisymmetric, count)));
            CPPUNIT_ASSERT(!is_linear(rotated(tap_kind::complex, count)));
            CPPUNIT_ASSERT(!is_linear(rotated(tap_kind::real, count)));
        }
        CPPUNIT_ASSERT(is_linear(rotated(tap_kind::complex, 1)));
        CPPUNIT_ASSERT(is_linear(rotated(tap_kind::low_pass, 401)));
        CPPUNIT_ASSERT(!is_linear(rotated(tap_kind::bent_low_pass, 401)));
        CPPUNIT_ASSERT(!is_linear(std::vector<std::complex<double>>(5)));
    }

    void more_than_rounding_is_not_linear_phase()
    {
        auto taps = rotated(tap_kind::symmetric, 101);
        taps[3] *= 1 + 1e-8;
        CPPUNIT_ASSERT(is_linear(taps));
        taps[3] *= 1 + 1e-4;
        CPPUNIT_ASSERT(!is_linear(taps));
    }

    // A block placement must give real gains for every linear-phase filter of the full
    // length; that is its purpose.
    void as_long_as_the_reach()
    {
        for (const std::size_t decimation : { 1, 2, 7, 42 })
            for (const std::size_t count : { 1, 2, 41, 42, 43, 44, 100, 101 }) {
                const auto taps = rotated(tap_kind::symmetric, count);
                CPPUNIT_ASSERT(is_real(taps, decimation, count, true));
                CPPUNIT_ASSERT_EQUAL(count % 2 == 1,
                                     is_real(taps, decimation, count, false));
            }
        CPPUNIT_ASSERT(!is_real(rotated(tap_kind::complex, 41), 7, 41, true));
    }

    void shorter_than_the_reach()
    {
        for (std::size_t count = 60; count <= 100; count++)
            CPPUNIT_ASSERT_EQUAL(
                (100 - count) % 14 == 0,
                is_real(rotated(tap_kind::symmetric, count), 7, 100, true));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_block_placement, "qa_block_placement");
