// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of a channel's taps, its phase step, and the checks of a filter.

#include "filter/filter_executor.h"
#include "tests/support/qa_refused.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

using namespace cldsp;

namespace {

freq_xlating_fir_problem good_problem(std::size_t taps = 4)
{
    freq_xlating_fir_problem p;
    p.decimation = 42;
    p.center_freq = 123456.7;
    p.sampling_freq = 2016000;
    for (std::size_t k = 0; k < taps; k++)
        p.taps.push_back({ std::sin(0.1f * k + 1), std::cos(0.3f * k) });
    return p;
}

} // namespace

class qa_filter_channel : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_filter_channel);
    CPPUNIT_TEST(rotated_taps_are_exact);
    CPPUNIT_TEST(changes);
    CPPUNIT_TEST(real_taps);
    CPPUNIT_TEST(window);
    CPPUNIT_TEST(bad_decimation);
    CPPUNIT_TEST(bad_taps);
    CPPUNIT_TEST(bad_frequencies);
    CPPUNIT_TEST(good_limits);
    CPPUNIT_TEST_SUITE_END();

    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    void rotated_taps_are_exact()
    {
        const filter_channel setup(good_problem(5000));
        CPPUNIT_ASSERT_EQUAL(std::size_t(5000), setup.taps());
        assert_rotated(setup);
    }

    void assert_rotated(const filter_channel& setup)
    {
        const auto rotated = setup.rotated();
        CPPUNIT_ASSERT_EQUAL(setup.taps(), rotated.size());
        const long double w = 2 * 3.14159265358979323846264338L *
                              static_cast<long double>(setup.problem.center_freq) /
                              2016000;
        for (std::size_t k = 0; k < setup.taps(); k++) {
            const std::complex<long double> phasor(std::cos(w * k), std::sin(w * k));
            const auto exact = std::complex<long double>(setup.problem.taps[k]) * phasor;
            CPPUNIT_ASSERT_DOUBLES_EQUAL(
                static_cast<double>(exact.real()), rotated[k].real(), 1e-12);
            CPPUNIT_ASSERT_DOUBLES_EQUAL(
                static_cast<double>(exact.imag()), rotated[k].imag(), 1e-12);
        }
    }

    // Checks every order of changes, also in a copy.
    void changes()
    {
        filter_channel setup(good_problem(300));
        assert_rotated(setup);
        setup.set_center_freq(-98765.4);
        CPPUNIT_ASSERT(setup.step == setup.problem.step());
        const filter_channel copy(setup);
        assert_rotated(setup);
        assert_rotated(copy);
        CPPUNIT_ASSERT(setup.has_taps(copy.problem.taps));

        setup.set_taps(good_problem(200).taps);
        CPPUNIT_ASSERT(!setup.has_taps(copy.problem.taps));
        assert_rotated(setup);
        CPPUNIT_ASSERT(!setup.real_taps);
        std::vector<std::complex<float>> real(200, 0.5f);
        setup.set_taps(real);
        CPPUNIT_ASSERT(setup.real_taps);
        assert_rotated(setup);
        real[199] = 0.25f;
        CPPUNIT_ASSERT(!setup.has_taps(real));
        setup.set_taps(real);
        CPPUNIT_ASSERT(setup.has_taps(real));
        assert_rotated(setup);
        assert_rotated(copy);
    }

    void real_taps()
    {
        freq_xlating_fir_problem p = good_problem();
        CPPUNIT_ASSERT(!p.has_real_taps());
        CPPUNIT_ASSERT(!filter_channel(p).real_taps);
        for (auto& tap : p.taps)
            tap = { tap.real(), -0.0f };
        CPPUNIT_ASSERT(p.has_real_taps());
        CPPUNIT_ASSERT(filter_channel(p).real_taps);
    }

    void window()
    {
        const filter_channel setup(good_problem(10));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), setup.window(0));
        CPPUNIT_ASSERT_EQUAL(std::size_t(10), setup.window(1));
        CPPUNIT_ASSERT_EQUAL(std::size_t(10 + 2 * 42), setup.window(3));
        CPPUNIT_ASSERT(setup.step == setup.problem.step());
    }

    void bad_decimation()
    {
        freq_xlating_fir_problem p = good_problem();
        p.decimation = 0;
        assert_refused({ "decimation" }, [&] { p.check(); });
    }

    void bad_taps()
    {
        freq_xlating_fir_problem p = good_problem();
        p.taps.clear();
        assert_refused({ "taps" }, [&] { p.check(); });
        assert_refused({ "taps" }, [] { check_taps({}); });
        const float bad[] = { static_cast<float>(nan), static_cast<float>(infinity) };
        for (const float value : bad) {
            assert_refused({ "taps" }, [&] { check_taps({ 1.0f, { value, 0.0f } }); });
            assert_refused({ "index 1" }, [&] {
                check_taps({ 1.0f, { 0.0f, -value } });
            });
        }
    }

    void bad_frequencies()
    {
        for (const double value : { nan, infinity, -infinity }) {
            freq_xlating_fir_problem p = good_problem();
            p.center_freq = value;
            assert_refused({ "center_freq" }, [&] { p.check(); });
            assert_refused({ "center_freq" }, [&] { check_center_freq(value); });
        }
        for (const double value : { nan, infinity, -infinity, 0.0, -2016000.0 }) {
            freq_xlating_fir_problem p = good_problem();
            p.sampling_freq = value;
            assert_refused({ "sampling_freq" }, [&] { p.check(); });
        }
    }

    void good_limits()
    {
        freq_xlating_fir_problem p = good_problem(1);
        p.decimation = 1;
        p.center_freq = -1e12;
        p.sampling_freq = 1e-3;
        p.check();
        check_center_freq(0);
        check_taps({ { 0.0f, -3e38f } });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_filter_channel, "qa_filter_channel");
