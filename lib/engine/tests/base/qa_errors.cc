// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that errors name the call, the code, the device, the value and its range.

#include "filter/variants.h"
#include "tests/support/qa_refused.h"

#include <cldsp/context.h>
#include <cldsp/errors.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <locale>
#include <string>

using namespace cldsp;

class qa_errors : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_errors);
    CPPUNIT_TEST(names);
    CPPUNIT_TEST(text_has_call_code_device_and_detail);
    CPPUNIT_TEST(invalid_names_parameter_value_and_range);
    CPPUNIT_TEST(numbers_in_a_program_with_a_locale);
    CPPUNIT_TEST_SUITE_END();

    void names()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("CL_SUCCESS"), opencl_error_name(0));
        CPPUNIT_ASSERT_EQUAL(std::string("CL_OUT_OF_RESOURCES"), opencl_error_name(-5));
        CPPUNIT_ASSERT_EQUAL(std::string("CL_INVALID_BUFFER_SIZE"),
                             opencl_error_name(CL_INVALID_BUFFER_SIZE));
        CPPUNIT_ASSERT_EQUAL(std::string("CL_PLATFORM_NOT_FOUND_KHR"),
                             opencl_error_name(-1001));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown OpenCL error"),
                             opencl_error_name(-9999));
    }

    void text_has_call_code_device_and_detail()
    {
        const opencl_error e("clBuildProgram", -11, "a device", "line 1: bad");
        CPPUNIT_ASSERT_EQUAL(std::string("clBuildProgram failed with "
                                         "CL_BUILD_PROGRAM_FAILURE (-11) on device "
                                         "'a device': line 1: bad"),
                             std::string(e.what()));
        CPPUNIT_ASSERT_EQUAL(std::string("clBuildProgram"), e.call());
        CPPUNIT_ASSERT_EQUAL(-11, e.code());
        CPPUNIT_ASSERT_EQUAL(
            std::string("clGetDeviceIDs failed with CL_DEVICE_NOT_FOUND (-1)"),
            std::string(opencl_error("clGetDeviceIDs", -1).what()));
    }

    void invalid_names_parameter_value_and_range()
    {
        CPPUNIT_ASSERT_EQUAL(
            std::string("parameter 'decimation' is 0, but must be 1 or more"),
            refusal([] { throw_invalid("decimation", "0", "1 or more"); }));
    }

    void numbers_in_a_program_with_a_locale()
    {
        struct german : std::numpunct<char> {
            char do_decimal_point() const override { return ','; }
            char do_thousands_sep() const override { return '.'; }
            std::string do_grouping() const override { return "\3"; }
        };
        const auto before =
            std::locale::global(std::locale(std::locale::classic(), new german));
        const auto text = number_text(90000.5);
        const auto rounded = number_text(90000.5, 3);
        const auto fixed = fixed_text(90000.25, 1);
        plan_options options;
        options.accuracy = 0.01;
        const auto key = options.key();
        std::locale::global(before);
        CPPUNIT_ASSERT_EQUAL(std::string("90000.5"), text);
        CPPUNIT_ASSERT_EQUAL(std::string("9e+04"), rounded);
        CPPUNIT_ASSERT_EQUAL(std::string("90000.2"), fixed);
        CPPUNIT_ASSERT_EQUAL(options.key(), key);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_errors, "qa_errors");
