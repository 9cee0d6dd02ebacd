// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows how the direct kernel for CPUs shares outputs among compute units.

#include "direct/cpu_layout.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <string>

using namespace cldsp;

namespace {

filter_channel
make_setup(std::size_t taps, std::size_t decimation, bool complex_taps = false)
{
    freq_xlating_fir_problem p;
    p.decimation = decimation;
    p.taps.assign(taps, { 0.5f, complex_taps ? 0.5f : 0.0f });
    p.center_freq = 0.1;
    p.sampling_freq = 1;
    return filter_channel(p);
}

} // namespace

class qa_cpu_layout : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_cpu_layout);
    CPPUNIT_TEST(work_items_share_all_outputs);
    CPPUNIT_TEST(small_calls_stay_together);
    CPPUNIT_TEST(large_calls_use_all_units);
    CPPUNIT_TEST(more_work_more_work_items);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t most = 240; //!< largest number of outputs of a work-item

    static std::size_t work_items(const filter_channel& setup,
                                  std::size_t outputs,
                                  std::size_t units,
                                  std::size_t width = 16)
    {
        return cpu_shape(setup, width).work_items(setup, outputs, units, most);
    }

    void work_items_share_all_outputs()
    {
        for (const std::size_t width : { 4, 8, 16 })
            for (const std::size_t taps : { 1, 101, 2429, 20000 })
                for (const std::size_t decimation : { 1, 42 })
                    for (const bool complex_taps : { false, true }) {
                        const auto setup = make_setup(taps, decimation, complex_taps);
                        for (const std::size_t outputs : { 1, 7, 199, 240, 241, 100000 })
                            for (const std::size_t units : { 1, 2, 3, 16, 1000 })
                                check(setup, outputs, units, width);
                    }
    }

    static void check(const filter_channel& setup,
                      std::size_t outputs,
                      std::size_t units,
                      std::size_t width)
    {
        const std::size_t items = work_items(setup, outputs, units, width);
        const std::string what = std::to_string(items) + " for " +
                                 std::to_string(outputs) + " on " + std::to_string(units);
        CPPUNIT_ASSERT_MESSAGE(what, items >= 1);
        CPPUNIT_ASSERT_MESSAGE(what, items * most >= outputs);
        // With more work-items than units, all units get the same number.
        CPPUNIT_ASSERT_MESSAGE(what, items <= units || items % units == 0);
        CPPUNIT_ASSERT_MESSAGE(what, items <= std::max(units, outputs / most + units));
    }

    void small_calls_stay_together()
    {
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), work_items(make_setup(2429, 42), 1, 16));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), work_items(make_setup(11, 42), 199, 16));
        // A call of 8340 items with W1's filter is only tens of microseconds of work.
        const std::size_t few = work_items(make_setup(2429, 42), 199, 16);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(few), few >= 2 && few <= 4);
        CPPUNIT_ASSERT_EQUAL(few, work_items(make_setup(2429, 42), 199, 128));
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), work_items(make_setup(2429, 42), 199, 2));
    }

    void large_calls_use_all_units()
    {
        const auto setup = make_setup(2429, 42);
        CPPUNIT_ASSERT_EQUAL(std::size_t(16), work_items(setup, 16 * most, 16));
        CPPUNIT_ASSERT_EQUAL(std::size_t(32), work_items(setup, 16 * most + 1, 16));
        CPPUNIT_ASSERT_EQUAL(std::size_t(16),
                             work_items(make_setup(200000, 1), most, 16));
    }

    void more_work_more_work_items()
    {
        for (const std::size_t width : { 4, 8, 16 }) {
            std::size_t last = 1;
            for (std::size_t taps = 1; taps <= 16384; taps *= 2) {
                const std::size_t items =
                    work_items(make_setup(taps, 1), most, 64, width);
                CPPUNIT_ASSERT(items >= last);
                last = items;
            }
            CPPUNIT_ASSERT(last > 1);
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_cpu_layout, "qa_cpu_layout");
