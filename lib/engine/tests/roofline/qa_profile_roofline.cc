// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that the peak rates of small devices can be measured.

#include "tests/support/qa_limits.h"

#include <cldsp/roofline.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <set>
#include <string>

using namespace cldsp;

namespace {

//! The measurement of a device under each profile. No test asserts a speed.
class qa_profile_roofline : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_profile_roofline);
    CPPUNIT_TEST(every_figure);
    CPPUNIT_TEST_SUITE_END();

public:
    //! Every figure that the limits allow is measured, and no step is refused.
    void every_figure()
    {
        // Half precision needs hardware that the profiles leave out.
        const std::set<std::string> missing = { "fp16" };
        for (const auto& profile : lowering_profiles()) {
            auto with = profile_options(profile);
            std::string told;
            with.log = [&](log_level, const std::string& text) { told += text + '\n'; };
            context_registry registry(with);
            roofline_options options;
            options.seconds = 0.01;
            const auto r = measure_roofline(test_device(), registry, options);
            CPPUNIT_ASSERT_MESSAGE(told, told.find("not measured") == std::string::npos);
            for (const auto& figure : roofline_figures())
                if (r.*figure.value == 0)
                    CPPUNIT_ASSERT_MESSAGE(figure.name, missing.count(figure.name) == 1);
            CPPUNIT_ASSERT_EQUAL(0.0, r.fp16);
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_profile_roofline, "qa_profile_roofline");

} // namespace
