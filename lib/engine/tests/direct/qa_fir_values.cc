// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the values with which a direct kernel is built.

#include "direct/opencl_direct_variant.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_tuning_support.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

using namespace cldsp;

// Tests of the values with which the kernel of a direct filter is built.
class qa_fir_values : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_fir_values);
    CPPUNIT_TEST(suggested_values_are_in_the_space);
    CPPUNIT_TEST(values_that_do_not_fit_are_passed_over);
    CPPUNIT_TEST(given_defaults_are_changed_by_tuned_values);
    CPPUNIT_TEST_SUITE_END();

    static std::vector<const opencl_direct_variant*> variants()
    {
        return { &opencl_direct_cpu_tile(), &opencl_direct_gpu_tile() };
    }

    void suggested_values_are_in_the_space()
    {
        const auto o = test_options();
        const auto device = lowered(o);
        for (const auto* variant : variants())
            for (const auto type : all_sample_types())
                for (const std::size_t taps : { 1, 2, 101, 2429, 20000 })
                    for (const std::size_t decimation : { 1, 3, 42 })
                        for (const bool real_taps : { false, true }) {
                            const filter_channel setup(
                                make_fir_problem(type, decimation, taps, real_taps));
                            const auto parameters =
                                *variant->parameters(device.limits, setup);
                            CPPUNIT_ASSERT_EQUAL(
                                std::string(),
                                parameters.space().why_not(parameters.chosen(o),
                                                           tuning_point()));
                        }
    }

    void values_that_do_not_fit_are_passed_over()
    {
        auto o = test_options();
        int warnings = 0;
        o.log = [&](log_level level, const std::string&) {
            warnings += level == log_level::warning;
        };
        const auto device = lowered(o);
        const filter_channel setup(make_fir_problem(sample_type::fc32, 4, 200, true));
        for (const auto* variant : variants()) {
            const auto parameters = *variant->parameters(device.limits, setup);
            const auto suggested = parameters.chosen(o);
            warnings = 0;
            for (const tuning_values& bad :
                 { tuning_values{ { "width", 5 } },
                   tuning_values{ { "group", 0 } },
                   tuning_values{ { "group", 1 << 20 } },
                   tuning_values{ { "tile_outputs", 16 }, { "tile_taps", 8 } },
                   tuning_values{ { "speed", 9 } } })
                CPPUNIT_ASSERT(parameters.chosen(o, bad) == suggested);
            CPPUNIT_ASSERT_EQUAL(5, warnings);
        }
    }

    void given_defaults_are_changed_by_tuned_values()
    {
        auto o = test_options();
        o.tuning_defaults["fir_cpu_tile"] = { { "width", 4 },
                                              { "tile_outputs", 1 },
                                              { "tile_taps", 1 } };
        const auto device = lowered(o);
        const filter_channel setup(make_fir_problem(sample_type::fc32, 4, 200, true));
        const auto parameters =
            *opencl_direct_cpu_tile().parameters(device.limits, setup);
        auto values = parameters.chosen(o);
        CPPUNIT_ASSERT_EQUAL(std::int64_t(4), values.at("width"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(1), values.at("tile_taps"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(12288), values.at("scratch_items"));
        values = parameters.chosen(o, { { "tile_taps", 3 } });
        CPPUNIT_ASSERT_EQUAL(std::int64_t(4), values.at("width"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(3), values.at("tile_taps"));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_fir_values, "qa_fir_values");
