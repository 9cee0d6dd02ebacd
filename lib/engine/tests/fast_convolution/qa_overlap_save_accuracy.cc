/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tests/support/qa_overlap_save_case.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

using namespace cldsp;

class qa_overlap_save_accuracy : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_overlap_save_accuracy);
    CPPUNIT_TEST(change_of_the_response);
    CPPUNIT_TEST_SUITE_END();

    static overlap_save_case::change
    change_at(std::size_t decimation, tap_kind kind, double accuracy, std::string& what)
    {
        const std::size_t rows = decimation == 1 ? 2048 : 128;
        const overlap_save_case c(
            { sample_type::fc32, decimation, 401, 2, rows, accuracy }, { kind, kind });
        const auto method = make_overlap_save_selected_bins(c.shape);
        c.configure(*method);
        const auto change = c.response_change(*method, small_tests() ? 150 : 500);
        what = c.describe(0) + ", accuracy " + std::to_string(accuracy) + ": response " +
               std::to_string(1e6 * change.response) + "e-6, output " +
               std::to_string(1e6 * change.output) + "e-6";
        return change;
    }

    // The gains that are left out lie below the accuracy at each bin, and so does the
    // mean gain between the bins. At single outputs, errors of many bins can add up to a
    // little more.
    void change_of_the_response()
    {
        std::string what;
        for (const std::size_t decimation : { 1, 30 }) {
            for (const tap_kind kind : { tap_kind::low_pass, tap_kind::bent_low_pass }) {
                const auto exact = change_at(decimation, kind, 0, what);
                CPPUNIT_ASSERT_MESSAGE(what, exact.output < 1e-6);
                for (const double accuracy : { 1e-5, 1e-4, 1e-3 }) {
                    const auto change = change_at(decimation, kind, accuracy, what);
                    CPPUNIT_ASSERT_MESSAGE(what, change.response <= accuracy);
                    CPPUNIT_ASSERT_MESSAGE(what, change.output <= 1.5 * accuracy);
                    // Otherwise no bin was left out, and the test would show nothing.
                    CPPUNIT_ASSERT_MESSAGE(what, change.response > 4 * exact.response);
                }
            }
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_overlap_save_accuracy,
                                      "qa_overlap_save_accuracy");
