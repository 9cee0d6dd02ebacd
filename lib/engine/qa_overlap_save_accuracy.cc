/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "qa_overlap_save_case.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

using namespace cldsp;

class qa_overlap_save_accuracy : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_overlap_save_accuracy);
    CPPUNIT_TEST(change_of_the_response);
    CPPUNIT_TEST_SUITE_END();

    // What is left out lies below the accuracy at each bin, and so does the mean gain
    // between the bins. At single outputs errors of many bins can add up a little higher.
    void change_of_the_response()
    {
        for (const std::size_t decimation : { 1, 30 }) {
            for (const tap_kind kind : { tap_kind::low_pass, tap_kind::bent_low_pass }) {
                const std::size_t rows = decimation == 1 ? 2048 : 128;
                for (const double accuracy : { 1e-5, 1e-4, 1e-3 }) {
                    const overlap_save_case c(
                        { sample_type::fc32, decimation, 401, 2, rows, accuracy },
                        { kind, kind });
                    const auto method = make_overlap_save_bins(c.shape);
                    c.configure(*method);
                    const auto change =
                        c.response_change(*method, small_tests() ? 20 : 500);
                    const std::string what =
                        c.describe(0) + ", accuracy " + std::to_string(accuracy) +
                        ": response " + std::to_string(change.response / accuracy) +
                        ", output " + std::to_string(change.output / accuracy);
                    CPPUNIT_ASSERT_MESSAGE(what, change.response <= accuracy);
                    CPPUNIT_ASSERT_MESSAGE(what, change.output <= 1.5 * accuracy);
                    // Otherwise nothing was left out, and nothing tested.
                    CPPUNIT_ASSERT_MESSAGE(what, change.response >= 0.1 * accuracy);
                }
            }
        }
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_overlap_save_accuracy);
