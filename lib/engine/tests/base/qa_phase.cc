// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that phases are exact fractions of a turn, and do not drift.

#include "filter/filter_executor.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <complex>
#include <random>

using namespace cldsp;

namespace {

constexpr long double two_pi = 6.283185307179586476925286766559L;

//! The angle from b to a, in radians, in the shorter direction.
double difference(long double turns_a, long double turns_b)
{
    return static_cast<double>(two_pi * std::remainder(turns_a - turns_b, 1.0L));
}

} // namespace

class qa_phase : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_phase);
    CPPUNIT_TEST(from_turns_is_exact);
    CPPUNIT_TEST(from_turns_drops_whole_turns);
    CPPUNIT_TEST(from_turns_rounds_to_the_nearest);
    CPPUNIT_TEST(turns_lie_in_half_a_turn);
    CPPUNIT_TEST(sums_wrap);
    CPPUNIT_TEST(phasor);
    CPPUNIT_TEST(float_phasor);
    CPPUNIT_TEST(ten_to_the_eighth_outputs_do_not_drift);
    CPPUNIT_TEST(step_of_a_frequency_above_the_sampling_rate);
    CPPUNIT_TEST_SUITE_END();

    void from_turns_is_exact()
    {
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), phase64::from_turns(0).fraction());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1) << 62,
                             phase64::from_turns(0.25).fraction());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1) << 63, phase64::from_turns(0.5).fraction());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1) << 63,
                             phase64::from_turns(-0.5).fraction());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(3) << 62,
                             phase64::from_turns(-0.25).fraction());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), phase64::from_turns(0x1p-64).fraction());
        CPPUNIT_ASSERT_EQUAL(~std::uint64_t(0), phase64::from_turns(-0x1p-64).fraction());
    }

    void from_turns_drops_whole_turns()
    {
        const phase64 quarter = phase64::from_turns(0.25);
        CPPUNIT_ASSERT(phase64::from_turns(1) == phase64());
        CPPUNIT_ASSERT(phase64::from_turns(-3) == phase64());
        CPPUNIT_ASSERT(phase64::from_turns(1000000.25) == quarter);
        CPPUNIT_ASSERT(phase64::from_turns(-1000000.75) == quarter);
        CPPUNIT_ASSERT(phase64::from_turns(0x1p40 + 0.25) == quarter);
        CPPUNIT_ASSERT(phase64::from_turns(1e300) == phase64());
    }

    void from_turns_rounds_to_the_nearest()
    {
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), phase64::from_turns(0x1.8p-65).fraction());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), phase64::from_turns(0x1p-66).fraction());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(3), phase64::from_turns(0x1.9p-63).fraction());
    }

    void turns_lie_in_half_a_turn()
    {
        CPPUNIT_ASSERT_EQUAL(-0.5, phase64::from_turns(0.5).turns());
        CPPUNIT_ASSERT_EQUAL(-0.25, phase64::from_turns(0.75).turns());
        CPPUNIT_ASSERT_EQUAL(0.375, phase64::from_turns(-0.625).turns());
    }

    void sums_wrap()
    {
        const phase64 a = phase64::from_turns(0.75);
        CPPUNIT_ASSERT_EQUAL(-0.5, (a + a).turns());
        CPPUNIT_ASSERT_EQUAL(0.25, (-a).turns());
        CPPUNIT_ASSERT_EQUAL(0.25, (a * 3).turns());
        CPPUNIT_ASSERT((-a) * 5 == phase64() - a * 5);
        CPPUNIT_ASSERT_EQUAL(std::uint32_t(3) << 30, a.high());
        CPPUNIT_ASSERT_EQUAL(std::uint32_t(7), phase64(7).low());
    }

    void phasor()
    {
        const std::complex<double> eighth = phase64::from_turns(0.125).phasor();
        CPPUNIT_ASSERT_DOUBLES_EQUAL(std::sqrt(0.5), eighth.real(), 1e-15);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(std::sqrt(0.5), eighth.imag(), 1e-15);
        const std::complex<double> back = phase64::from_turns(-0.25).phasor();
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0, back.real(), 1e-15);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(-1, back.imag(), 1e-15);
    }

    void float_phasor()
    {
        const auto check = [](phase64 phase) {
            const std::complex<float> rounded = phase.float_phasor();
            CPPUNIT_ASSERT(std::abs(std::complex<double>(rounded) - phase.phasor()) <
                           1e-7);
        };
        std::mt19937_64 random(1);
        for (int i = 0; i < 100000; i++)
            check(phase64(random()));
        // Phases between two entries of the table, and at the end of the turn.
        for (std::uint64_t i = 0; i < 512; i++)
            for (const std::uint64_t beside : { 0, 1, -1 })
                check(phase64((i << 55) + beside));
        CPPUNIT_ASSERT(phase64().float_phasor() == std::complex<float>(1));
    }

    void ten_to_the_eighth_outputs_do_not_drift()
    {
        constexpr std::uint64_t outputs = 100000000;
        for (const double center_freq : { 123457.3, -987654.321, 671999.9 }) {
            freq_xlating_fir_problem problem;
            problem.decimation = 42;
            problem.center_freq = center_freq;
            problem.sampling_freq = 2016000;
            const phase64 advance = -problem.step() * problem.decimation;

            phase64 phase;
            for (std::uint64_t n = 0; n < outputs; n++)
                phase += advance;
            CPPUNIT_ASSERT(phase == advance * outputs);

            const long double turns =
                -static_cast<long double>(center_freq) / 2016000 * 42 * outputs;
            CPPUNIT_ASSERT_DOUBLES_EQUAL(0, difference(phase.turns(), turns), 1e-7);
        }
    }

    void step_of_a_frequency_above_the_sampling_rate()
    {
        freq_xlating_fir_problem problem;
        problem.sampling_freq = 2016000;
        problem.center_freq = 504000;
        CPPUNIT_ASSERT(problem.step() == phase64::from_turns(0.25));
        problem.center_freq += 1000 * problem.sampling_freq;
        CPPUNIT_ASSERT(problem.step() == phase64::from_turns(0.25));
        problem.center_freq = -504000 - 3 * problem.sampling_freq;
        CPPUNIT_ASSERT(problem.step() == phase64::from_turns(-0.25));
        // A third of a turn has no finite binary form; the nearest value of 64 bits is
        // expected.
        problem.center_freq = 672000;
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0x5555555555555555),
                             problem.step().fraction());
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_phase, "qa_phase");
