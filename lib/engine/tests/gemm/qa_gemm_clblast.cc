/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tests/support/qa_gemm_kernel_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/errors.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <string>

using namespace cldsp;

/*!
 * Tests of CLBlast's kernels, if the build has them and the device's limits are not
 * lowered. Otherwise they must be refused with the reason.
 */
class qa_gemm_clblast : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_clblast);
    CPPUNIT_TEST(matches_the_model);
    CPPUNIT_TEST(refusals);
    CPPUNIT_TEST_SUITE_END();

    context_registry d_registry{ test_options() };
    std::shared_ptr<context> d_device = d_registry.get(test_device());

    static bool is_there()
    {
#ifdef CLDSP_HAVE_CLBLAST
        return test_options().profile.empty();
#else
        return false;
#endif
    }

    void matches_the_model()
    {
        if (!is_there())
            return;
        for (const auto type : { gemm_type::f32, gemm_type::c32 })
            for (const std::size_t offset : { 0, 5 }) {
                const auto check = check_kernel(
                    d_device,
                    type,
                    "clblast",
                    [](const gemm_kernel_args& args) {
                        return make_gemm_kernel("clblast", args);
                    },
                    offset);
                check.factors();
                if (offset == 0) {
                    check.edges();
                    check.random_rectangles();
                }
            }
    }

    void refusals()
    {
        const auto message = [&](gemm_type type) -> std::string {
            try {
                make_gemm_kernel("clblast", { d_device, d_device->make_queue(), type });
            } catch (const std::invalid_argument& e) {
                return e.what();
            }
            return "";
        };
        CPPUNIT_ASSERT(message(gemm_type::f16).find("f16") != std::string::npos);
        const std::string said = message(gemm_type::f32);
        if (is_there())
            CPPUNIT_ASSERT_EQUAL(std::string(), said);
        else
            CPPUNIT_ASSERT_MESSAGE(said,
                                   said.find("no CLBlast") != std::string::npos ||
                                       said.find("profile") != std::string::npos);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_clblast, "qa_gemm_clblast");
