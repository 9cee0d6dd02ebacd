/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tests/support/opencl_fast_convolution_device_tests.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>

using namespace cldsp;

namespace {

//! Tests of the variant that computes the channels in one kernel.
class qa_fused_fold_device : public opencl_fast_convolution_device_tests
{
    CPPUNIT_TEST_SUB_SUITE(qa_fused_fold_device, opencl_fast_convolution_device_tests);
    CPPUNIT_TEST_SUITE_END();

    std::string variant() const override { return "fused_fold"; }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_fused_fold_device, "qa_fused_fold_device");

} // namespace
