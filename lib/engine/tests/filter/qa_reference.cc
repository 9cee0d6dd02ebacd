// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the reference itself, against sums by hand.

#include <cldsp/reference.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <limits>
#include <stdexcept>

using namespace cldsp;

namespace {

using value = std::complex<double>;

void assert_near(const value& expected, const value& actual, double tolerance = 1e-12)
{
    CPPUNIT_ASSERT_DOUBLES_EQUAL(expected.real(), actual.real(), tolerance);
    CPPUNIT_ASSERT_DOUBLES_EQUAL(expected.imag(), actual.imag(), tolerance);
}

freq_xlating_fir_problem
problem(sample_type input, std::size_t decimation, std::size_t taps, double center_freq)
{
    freq_xlating_fir_problem p;
    p.input = input;
    p.decimation = decimation;
    p.center_freq = center_freq;
    p.sampling_freq = 48000;
    for (std::size_t k = 0; k < taps; k++)
        p.taps.push_back({ 1.0f / (k + 1), 0.25f * k });
    return p;
}

std::vector<std::complex<float>> items(std::size_t count)
{
    std::vector<std::complex<float>> x;
    for (std::size_t m = 0; m < count; m++)
        x.push_back({ std::sin(0.7f * m * m), std::cos(1.3f * m) });
    return x;
}

} // namespace

class qa_reference : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_reference);
    CPPUNIT_TEST(impulse_by_hand);
    CPPUNIT_TEST(decimation_by_hand);
    CPPUNIT_TEST(formula);
    CPPUNIT_TEST(any_cut);
    CPPUNIT_TEST(retuning_keeps_the_phase_at_the_filters_middle);
    CPPUNIT_TEST(new_taps_keep_the_phase);
    CPPUNIT_TEST(bad_arguments);
    CPPUNIT_TEST(error_in_decibels);
    CPPUNIT_TEST_SUITE_END();

    void impulse_by_hand()
    {
        // At a quarter of the sampling rate each tap is rotated by a quarter turn, each
        // output by a quarter turn back, and the start by an eighth. All rotations cancel
        // except that of the start.
        freq_xlating_fir_problem p;
        p.taps = { 1.0f, 2.0f };
        p.center_freq = 0.25;
        freq_xlating_fir_reference reference(p);
        const std::complex<float> x[] = { 1, 0, 0 };
        const auto y = reference.process(x, 3);
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), y.size());
        const value start = std::polar(1.0, -M_PI / 4);
        assert_near(start, y[0]);
        assert_near(2.0 * start, y[1]);
        assert_near(0, y[2]);
    }

    void decimation_by_hand()
    {
        // Items 1, 2, 3, 4 ...; at 0 Hz y[n] = x[2n] + 10 x[2n - 1].
        freq_xlating_fir_problem p;
        p.input = sample_type::s16;
        p.decimation = 2;
        p.taps = { 1.0f, 10.0f };
        freq_xlating_fir_reference reference(p);
        const std::int16_t x[] = { 1, 2, 3, 4, 5 };
        const auto y = reference.process(x, 5);
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), y.size());
        assert_near(1, y[0]);
        assert_near(23, y[1]);
        assert_near(45, reference.process(x, 1).at(0));
    }

    void formula()
    {
        const auto x = items(200);
        for (const std::size_t decimation : { 1, 3, 10 }) {
            for (const double center_freq : { 0.0, 7000.0, -23000.0, 100000.0 }) {
                const auto p = problem(sample_type::fc32, decimation, 17, center_freq);
                freq_xlating_fir_reference reference(p);
                const auto y = reference.process(x.data(), x.size());
                CPPUNIT_ASSERT_EQUAL(x.size() / decimation, y.size());
                const double w = 2 * M_PI * center_freq / p.sampling_freq;
                for (std::size_t n = 0; n < y.size(); n++) {
                    value sum = 0;
                    for (int k = 0; k < 17; k++) {
                        const int m = static_cast<int>(n * decimation) - k;
                        if (m >= 0)
                            sum +=
                                value(p.taps[k]) * std::polar(1.0, w * k) * value(x[m]);
                    }
                    const double phase = -w * static_cast<double>(decimation * n) - w * 8;
                    assert_near(std::polar(1.0, phase) * sum, y[n], 1e-10);
                }
            }
        }
    }

    void any_cut()
    {
        const auto x = items(100);
        const auto p = problem(sample_type::fc32, 7, 5, 12345);
        freq_xlating_fir_reference whole(p);
        const auto expected = whole.process(x.data(), x.size());

        freq_xlating_fir_reference cut(p);
        std::vector<value> y;
        std::size_t done = 0;
        for (std::size_t count = 0; done < x.size(); count++) {
            const std::size_t now = std::min(count % 12, x.size() - done);
            for (const auto& v : cut.process(x.data() + done, now))
                y.push_back(v);
            done += now;
        }
        CPPUNIT_ASSERT_EQUAL(expected.size(), y.size());
        for (std::size_t n = 0; n < y.size(); n++)
            CPPUNIT_ASSERT(expected[n] == y[n]);
    }

    void retuning_keeps_the_phase_at_the_filters_middle()
    {
        // With one tap in the middle the output is the item of that moment, rotated only
        // by the phase of that moment. A retune must not rotate it further.
        freq_xlating_fir_problem p;
        p.taps.assign(9, 0);
        p.taps[4] = 1;
        p.center_freq = 0.1;
        freq_xlating_fir_reference reference(p);
        const std::vector<std::complex<float>> ones(40, 1);
        value last = reference.process(ones.data(), 20).back();
        reference.set_center_freq(-0.23);
        // From output 19 to 20 the rotator still made the step of the old frequency.
        const value first = reference.process(ones.data(), 1).front();
        assert_near(last * std::polar(1.0, -2 * M_PI * 0.1), first);
        assert_near(first * std::polar(1.0, 2 * M_PI * 0.23),
                    reference.process(ones.data(), 1).front());
    }

    void new_taps_keep_the_phase()
    {
        freq_xlating_fir_problem p;
        p.taps = { 1.0f };
        p.center_freq = 0.3;
        freq_xlating_fir_reference reference(p);
        freq_xlating_fir_reference same(p);
        const auto x = items(20);
        reference.process(x.data(), 10);
        same.process(x.data(), 10);
        reference.set_taps({ 2.0f, 0.0f, 0.0f });
        const auto y = reference.process(&x[10], 10);
        const auto z = same.process(&x[10], 10);
        for (std::size_t n = 0; n < y.size(); n++)
            assert_near(2.0 * z[n], y[n]);
    }

    void bad_arguments()
    {
        freq_xlating_fir_problem p;
        CPPUNIT_ASSERT_THROW(freq_xlating_fir_reference{ p }, std::invalid_argument);
        p.taps = { 1.0f };
        freq_xlating_fir_reference reference(p);
        CPPUNIT_ASSERT_THROW(reference.set_taps({}), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(
            reference.set_center_freq(std::numeric_limits<double>::infinity()),
            std::invalid_argument);
    }

    void error_in_decibels()
    {
        CPPUNIT_ASSERT_DOUBLES_EQUAL(-20, error_db({ 9.0f, 1.0f }, { 10.0, 1.0 }), 1e-9);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0, error_db({ 0.0f }, { value(0, 3) }), 1e-9);
        CPPUNIT_ASSERT(error_db({ 1.0f }, { 1.0 }) < -1000);
        CPPUNIT_ASSERT(error_db({ 1.0f }, { 0.0 }) > 1000);
        CPPUNIT_ASSERT(error_db({ std::nanf(""), 1.0f }, { 1.0, 1.0 }) > 1000);
        CPPUNIT_ASSERT_THROW(error_db({}, {}), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(error_db({ 1.0f }, { 1.0, 2.0 }), std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_reference, "qa_reference");
