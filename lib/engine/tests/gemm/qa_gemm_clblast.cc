// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of products by CLBlast, or of the reason why it is refused.

#include "tests/support/gemm_contract.h"

#include <cppunit/extensions/HelperMacros.h>

#include <vector>

using namespace cldsp;

/*!
 * Tests of CLBlast's kernels, if the build has them and the device's limits are not
 * lowered. Otherwise they must be refused with the reason.
 */
class qa_gemm_clblast : public gemm_contract
{
    CPPUNIT_TEST_SUB_SUITE(qa_gemm_clblast, gemm_contract);
    CPPUNIT_TEST(reason_of_the_refusal);
    CPPUNIT_TEST_SUITE_END();

public:
    //! qa_profile_gemm has the refusal of lowered limits.
    void reason_of_the_refusal()
    {
        if (!is_there("clblast") && test_options().profile.empty())
            assert_refused({ "no CLBlast" }, [&] { checks(products().front()); });
    }

protected:
    std::vector<gemm_product> products() override
    {
        return of_device([](const auto& variant) { return variant.ladder == "library"; });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_clblast, "qa_gemm_clblast");
