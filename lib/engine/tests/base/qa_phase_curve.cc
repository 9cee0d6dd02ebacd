// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that phases of 128 bits are exact, by doubling and by sums.

#include "base/phase_curve.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

using namespace cldsp;

class qa_phase_curve : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_phase_curve);
    CPPUNIT_TEST(sums_and_products);
    CPPUNIT_TEST(quotients_of_known_bits);
    CPPUNIT_TEST(quotients_of_integers);
    CPPUNIT_TEST(rounding);
    CPPUNIT_TEST(curves_are_quadratic);
    CPPUNIT_TEST_SUITE_END();

    std::mt19937_64 d_random{ 1 };

    phase128 any() { return { d_random(), d_random() }; }
    std::int64_t any_integer()
    {
        return static_cast<std::int64_t>(d_random()) >> (d_random() % 63);
    }
    static void assert_equal(phase128 expected, phase128 got)
    {
        CPPUNIT_ASSERT_EQUAL(expected.high(), got.high());
        CPPUNIT_ASSERT_EQUAL(expected.low(), got.low());
    }

    //! The product, computed by doubling.
    static phase128 product(phase128 a, std::int64_t n)
    {
        phase128 sum;
        for (int bit = 63; bit >= 0; bit--) {
            sum += sum;
            if (static_cast<std::uint64_t>(n) >> bit & 1)
                sum += bit == 63 ? -a : a; // the sign of two's complement
        }
        return sum;
    }

    void sums_and_products()
    {
        constexpr std::uint64_t all = ~std::uint64_t(0);
        assert_equal({ 1, 0 }, phase128(0, all) + phase128(0, 1));
        assert_equal({ 0, 0 }, phase128(all, all) + phase128(0, 1));
        assert_equal({ all, all }, -phase128(0, 1));
        assert_equal({ all, 0 }, -phase128(1, 0));
        assert_equal({ 0, all }, phase128(1, 0) - phase128(0, 1));
        for (int i = 0; i < 1000; i++) {
            const phase128 a = any();
            assert_equal({}, a - a);
            const std::int64_t n = any_integer();
            assert_equal(product(a, n), a * n);
        }
    }

    void quotients_of_known_bits()
    {
        constexpr std::uint64_t fives = 0x5555555555555555;
        assert_equal({ fives, fives }, phase128::quotient(1, 3));
        assert_equal({ 2 * fives, 2 * fives + 1 }, phase128::quotient(2, 3));
        assert_equal({ 2 * fives, 2 * fives + 1 }, phase128::quotient(-1, 3));
        assert_equal({ fives, fives }, phase128::quotient(7e10, 3));
        assert_equal({ 0x1c71c71c71c71c71, 0xc71c71c71c71c71c },
                     phase128::quotient(1, 3, 2));
        assert_equal({ 0x1999999999999a00, 0 }, phase128::quotient(0.1, 1));
        assert_equal({ std::uint64_t(1) << 63, 0 }, phase128::quotient(1.5, 1));
        assert_equal({ 0, 1 }, phase128::quotient(1, 0x1p64, 2));
        assert_equal({ 0, 1 }, phase128::quotient(0x1p-128, 1));
        assert_equal({}, phase128::quotient(0, 5));
        assert_equal({}, phase128::quotient(0x1p-1074, 1));
        assert_equal({}, phase128::quotient(1, std::numeric_limits<double>::max(), 2));
        assert_equal({}, phase128::quotient(std::numeric_limits<double>::max(), 1));
    }

    //! The quotient times the divisor differs from the number by no more than the
    //! rounding.
    void quotients_of_integers()
    {
        for (int i = 0; i < 1000; i++) {
            const std::int64_t by = 1 + (any_integer() >> 11 & 0xfffffffffffff);
            const auto turns = static_cast<double>(any_integer() >> 11);
            const phase128 once = phase128::quotient(turns, static_cast<double>(by)) * by;
            const auto bound = static_cast<std::uint64_t>(by) / 2;
            CPPUNIT_ASSERT((once + phase128(0, bound)).high() == 0 &&
                           (once + phase128(0, bound)).low() <= 2 * bound);

            const std::int64_t small = 1 + by % 0x7fffffff;
            const phase128 twice =
                phase128::quotient(turns, static_cast<double>(small), 2) * small * small;
            const auto square = static_cast<std::uint64_t>(small * small) / 2;
            CPPUNIT_ASSERT((twice + phase128(0, square)).high() == 0 &&
                           (twice + phase128(0, square)).low() <= 2 * square);
        }
    }

    void rounding()
    {
        CPPUNIT_ASSERT(phase64(5) == phase128(5, (std::uint64_t(1) << 63) - 1).rounded());
        CPPUNIT_ASSERT(phase64(6) == phase128(5, std::uint64_t(1) << 63).rounded());
        CPPUNIT_ASSERT(phase64(0) ==
                       phase128(~std::uint64_t(0), ~std::uint64_t(0)).rounded());
    }

    //! Each item's phase follows from the item before it by sums alone.
    void curves_are_quadratic()
    {
        for (int i = 0; i < 100; i++) {
            const std::int64_t origin = any_integer() >> 2;
            const phase_curve curve{ origin, any(), any(), any() };
            const std::int64_t start = any_integer() >> 2;
            phase128 phase = curve.at(start);
            phase128 step = curve.step_after(start);
            for (std::int64_t item = start; item < start + 100; item++) {
                assert_equal(phase, curve.at(item));
                assert_equal(step, curve.step_after(item));
                // The derivative is the mean of the steps before and after.
                assert_equal(curve.step_after(item - 1) + step,
                             curve.slope_at(item) + curve.slope_at(item));
                phase += step;
                step += curve.bend + curve.bend;
            }
            assert_equal(curve.phase, curve.at(origin));
            assert_equal(curve.step, curve.slope_at(origin));
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_phase_curve, "qa_phase_curve");
