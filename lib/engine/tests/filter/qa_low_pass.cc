// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that low passes keep their specification, and are as short as promised.

#include "tests/support/qa_refused.h"

#include <cldsp/low_pass.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

constexpr double low_pass_pi = 3.14159265358979323846;

//! The response of symmetric taps about their middle, in double precision. It is computed
//! by its definition at the band's edges, and between them at 32 points per lobe.
class low_pass_response
{
public:
    explicit low_pass_response(const std::vector<float>& taps) : d_taps(taps)
    {
        const std::size_t size = 32 * taps.size();
        for (std::size_t k = 0; k < size; k++)
            d_cosines.push_back(std::cos(2 * low_pass_pi * static_cast<double>(k) /
                                         static_cast<double>(size)));
    }

    //! The largest difference of the gain from \p gain in a band. \param begin,end the
    //! band's edges in turns per item
    double max_error(double begin, double end, double gain) const
    {
        const std::size_t middle = d_taps.size() / 2, size = d_cosines.size();
        double largest = 0;
        for (const double edge : { begin, end }) {
            double sum = d_taps[middle];
            for (std::size_t n = 1; n <= middle; n++)
                sum += 2 * d_taps[middle + n] *
                       std::cos(2 * low_pass_pi * edge * static_cast<double>(n));
            largest = std::max(largest, std::abs(sum - gain));
        }
        const auto first =
            static_cast<std::size_t>(std::ceil(begin * static_cast<double>(size)));
        for (std::size_t k = first; static_cast<double>(k) <= end * size; k++) {
            double sum = d_taps[middle];
            std::size_t turned = 0; // k n modulo the size
            for (std::size_t n = 1; n <= middle; n++) {
                turned += k;
                turned -= turned < size ? 0 : size;
                sum += 2 * d_taps[middle + n] * d_cosines[turned];
            }
            largest = std::max(largest, std::abs(sum - gain));
        }
        return largest;
    }

private:
    const std::vector<float>& d_taps;
    std::vector<double> d_cosines; // of one turn
};

//! Asserts the gains of both bands, and what else is promised of the taps.
void check_low_pass(const low_pass_spec& spec)
{
    const auto taps = design_low_pass(spec);
    const double pass = spec.pass_freq / spec.sampling_freq;
    const double stop = spec.stop_freq / spec.sampling_freq;
    std::ostringstream text;
    text << spec.attenuation << " dB from " << pass << " to " << stop << " with "
         << taps.size() << " taps";
    CPPUNIT_ASSERT_MESSAGE(text.str(), taps.size() % 2 == 1);
    CPPUNIT_ASSERT_MESSAGE(text.str(),
                           std::equal(taps.begin(), taps.end(), taps.rbegin()));
    double sum = 0;
    for (const double tap : taps)
        sum += tap;
    CPPUNIT_ASSERT_DOUBLES_EQUAL_MESSAGE(text.str(), 1, sum, 1e-6);

    const low_pass_response response(taps);
    const double ripple = response.max_error(0, pass, 1);
    const double stopband = response.max_error(stop, 0.5, 0);
    const double limit = std::pow(10, -spec.attenuation / 20);
    text << " has the ripple " << ripple << " and the stopband " << stopband;
    CPPUNIT_ASSERT_MESSAGE(text.str(), ripple <= 2 * limit && stopband <= limit);
}

void assert_low_pass_refused(const low_pass_spec& spec,
                             const std::vector<std::string>& words)
{
    assert_refused(words, [&] { design_low_pass(spec); });
}

} // namespace

//! Tests the design of low pass filters.
class qa_low_pass : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_low_pass);
    CPPUNIT_TEST(keeps_its_specification);
    CPPUNIT_TEST(keeps_any_specification);
    CPPUNIT_TEST(has_the_length_of_the_formula);
    CPPUNIT_TEST(narrowest_transition);
    CPPUNIT_TEST(bad_specifications);
    CPPUNIT_TEST_SUITE_END();

    void keeps_its_specification()
    {
        check_low_pass({ 1e6, 6e3, 10e3, 60 });
        check_low_pass({ 2.016e6, 18e3, 24e3, 80 });
        check_low_pass({ 48e3, 3e3, 24e3, 20 });
        check_low_pass({ 48e3, 1e-3, 100, 120 });
        check_low_pass({ 1, 0.4, 0.5, 120 });
        // In these the largest error is between the points of a coarse grid, or at half
        // of the sampling rate.
        check_low_pass({ 1, 0.0143106, 0.0900171, 115.969 });
        check_low_pass({ 1, 0.22021, 0.491455, 110.302 });
        check_low_pass({ 1, 0.0764671, 0.444844, 110.543 });
        check_low_pass({ 1, 0.318829, 0.42139, 116.308 });
    }

    void keeps_any_specification()
    {
        std::mt19937 random(1);
        std::uniform_real_distribution<double> part(0, 1);
        for (int i = 0; i < 60; i++) {
            const double attenuation = 20 + 100 * part(random);
            const double stop = i % 5 == 0 ? 0.5 : 0.5 * std::pow(0.1, part(random));
            check_low_pass({ 1, stop * (0.05 + 0.8 * part(random)), stop, attenuation });
        }
    }

    //! Kaiser's formula, whose error for long filters is a few per cent.
    void has_the_length_of_the_formula()
    {
        for (const double attenuation : { 30, 60, 90, 120 }) {
            const low_pass_spec spec{ 1e6, 6e3, 8e3, attenuation };
            const double formula = (attenuation - 7.95) / 14.36 * 1e6 / 2e3;
            const auto taps = static_cast<double>(design_low_pass(spec).size());
            CPPUNIT_ASSERT_DOUBLES_EQUAL(formula, taps, 0.1 * formula);
        }
    }

    void narrowest_transition()
    {
        low_pass_spec spec{ 1e6, 100e3, 0, 20 };
        const double narrowest = spec.min_transition();
        spec.stop_freq = spec.pass_freq + narrowest * 0.999;
        assert_low_pass_refused(spec, { "'stop_freq'", "100000 Hz", "4194304 taps" });
        spec.stop_freq = spec.pass_freq + narrowest * 1.001;
        const auto taps = design_low_pass(spec).size();
        CPPUNIT_ASSERT(taps > spec.max_taps / 2 && taps <= spec.max_taps);
    }

    void bad_specifications()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double infinity = std::numeric_limits<double>::infinity();
        for (const double rate : { 0.0, -1.0, nan, infinity })
            assert_low_pass_refused({ rate, 1e3, 2e3, 60 },
                                    { "'sampling_freq'", "above 0 Hz" });
        for (const double pass : { 0.0, -1.0, 4e3, nan, infinity })
            assert_low_pass_refused({ 8e3, pass, 2e3, 60 }, { "'pass_freq'", "8000 Hz" });
        for (const double stop : { 0.0, 1e3, 4001.0, nan, infinity })
            assert_low_pass_refused({ 8e3, 1e3, stop, 60 },
                                    { "'stop_freq'", "1000 Hz", "8000 Hz" });
        for (const double attenuation : { 19.0, 121.0, nan, infinity, -infinity })
            assert_low_pass_refused({ 8e3, 1e3, 2e3, attenuation },
                                    { "'attenuation'", "20 to 120 dB" });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_low_pass, "qa_low_pass");
