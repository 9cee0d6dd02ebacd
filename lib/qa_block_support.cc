// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the calls that blocks ask for, also on devices that this machine lacks.

#include "block_support.h"

#include <cldsp/freq_xlating_filter_bank.h>
#include <cppunit/extensions/HelperMacros.h>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

namespace {

using namespace gr::cldsp;

// Tests of the calls that blocks ask for, also on devices that this machine lacks.
class qa_block_support : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_block_support);
    CPPUNIT_TEST(calls_of_the_host);
    CPPUNIT_TEST(calls_of_a_device_with_a_bus);
    CPPUNIT_TEST(bad_latencies_are_refused);
    CPPUNIT_TEST(long_calls_have_to_be_clearly_faster);
    CPPUNIT_TEST(a_block_plans_later_unless_told_to_wait);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t item = sizeof(gr_complex), mib = std::size_t{ 1 } << 20;
    static constexpr std::size_t taps = 2429;
    static constexpr double fast = 100e6;

    static int with_bus(double rate,
                        std::size_t decimation,
                        std::size_t channels,
                        double latency,
                        std::size_t item_size = item)
    {
        return batch_outputs(rate,
                             decimation,
                             channels,
                             0,
                             latency,
                             batch_with_bus(taps, item_size, latency));
    }

    void calls_of_the_host()
    {
        for (const double latency : { 0.025, 0.1, 10.0 })
            CPPUNIT_ASSERT_EQUAL(
                65536 / 42, batch_outputs(fast, 42, 1, 0, latency, usual_batch(taps)));
        CPPUNIT_ASSERT_EQUAL(238, batch_outputs(fast, 42, 1, 0, 1e-4, usual_batch(taps)));
        CPPUNIT_ASSERT_EQUAL(1, batch_outputs(fast, 42, 1, 0, 0, usual_batch(taps)));
    }

    void calls_of_a_device_with_a_bus()
    {
        // A million items, or as many as the latency allows.
        CPPUNIT_ASSERT_EQUAL(1 << 20, with_bus(fast, 1, 1, usual_latency));
        CPPUNIT_ASSERT_EQUAL(500000, with_bus(fast, 1, 1, 0.005));
        CPPUNIT_ASSERT_EQUAL(250000, with_bus(10e6, 1, 1, usual_latency));
        // More of them with a longer latency, up to 64 MiB.
        CPPUNIT_ASSERT_EQUAL(2 << 20, with_bus(fast, 1, 1, 2 * usual_latency));
        for (const double latency : { 0.2, 1.0, 10.0 })
            CPPUNIT_ASSERT_EQUAL(8 << 20, with_bus(fast, 1, 1, latency));
        CPPUNIT_ASSERT_EQUAL(2000000, with_bus(10e6, 1, 1, 0.2));
        CPPUNIT_ASSERT_EQUAL(32 << 20, with_bus(fast, 1, 1, 10, 2));
        // With many channels, a batch has only as many outputs as fit the channels'
        // buffers.
        CPPUNIT_ASSERT_EQUAL(static_cast<int>(256 * mib / 1024 / item / 2),
                             with_bus(fast, 1, 1024, usual_latency));
        CPPUNIT_ASSERT_EQUAL(static_cast<int>(1024 * mib / 1024 / item / 2),
                             with_bus(fast, 1, 1024, 10));
    }

    void long_calls_have_to_be_clearly_faster()
    {
        const auto faster = [](double rate, double other) {
            ::cldsp::chosen_plan one, two;
            one.measured = rate;
            two.measured = other;
            return ::cldsp::is_clearly_faster(one, two);
        };
        CPPUNIT_ASSERT(faster(1400e6, 400e6));
        CPPUNIT_ASSERT(faster(125, 100));
        CPPUNIT_ASSERT(!faster(124, 100));
        CPPUNIT_ASSERT(!faster(100, 400));
        CPPUNIT_ASSERT(!faster(100, 0)); // nothing was measured
        CPPUNIT_ASSERT(!faster(0, 100));
    }

    //! plans_later() with a preference, which the environment gives.
    static bool plans_later_with(const char* preferred, const char* plan)
    {
        constexpr auto variable = "GR_CONF_CLDSP_PLAN";
        const char* const set = std::getenv(variable);
        const std::string before = set ? set : "";
        setenv(variable, preferred, 1);
        try {
            const bool later = plans_later(plan);
            setenv(variable, before.c_str(), 1);
            return later;
        } catch (...) {
            setenv(variable, before.c_str(), 1);
            throw;
        }
    }

    void a_block_plans_later_unless_told_to_wait()
    {
        for (const auto* preferred : { "", "auto" }) {
            CPPUNIT_ASSERT(plans_later_with(preferred, "auto"));
            CPPUNIT_ASSERT(!plans_later_with(preferred, "wait"));
        }
        for (const auto* plan : { "auto", "wait" }) {
            CPPUNIT_ASSERT(!plans_later_with("wait", plan));
            CPPUNIT_ASSERT_THROW(plans_later_with("soon", plan), std::invalid_argument);
        }
        for (const auto* preferred : { "", "auto", "wait" })
            for (const auto* bad : { "", "later", "Auto", "wait " })
                CPPUNIT_ASSERT_THROW(plans_later_with(preferred, bad),
                                     std::invalid_argument);
    }

    void bad_latencies_are_refused()
    {
        for (const double good : { 0.0, 1e-9, 0.025, 10.0 })
            CPPUNIT_ASSERT_NO_THROW(check_latency(good));
        for (const double bad :
             { -1e-9, 10.01, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL })
            CPPUNIT_ASSERT_THROW(check_latency(bad), std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_block_support);

} // namespace
