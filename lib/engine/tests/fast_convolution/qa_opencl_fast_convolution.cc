/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tests/support/opencl_fast_convolution_tests.h"

#include <cppunit/extensions/HelperMacros.h>

using namespace cldsp;

namespace {

//! Tests of the variant whose transforms are VkFFT's alone.
class qa_opencl_fast_convolution : public opencl_fast_convolution_tests
{
    CPPUNIT_TEST_SUB_SUITE(qa_opencl_fast_convolution, opencl_fast_convolution_tests);
    CPPUNIT_TEST_SUITE_END();

    std::string variant() const override { return "vkfft"; }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_opencl_fast_convolution,
                                      "qa_opencl_fast_convolution");

} // namespace
