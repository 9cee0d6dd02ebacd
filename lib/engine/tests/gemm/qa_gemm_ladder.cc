// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the products' kernels for desktop GPUs that serve for comparison.

#include "tests/support/gemm_contract.h"

#include <cppunit/extensions/HelperMacros.h>

#include <set>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! Tests of the desktop ladder.
class qa_gemm_ladder : public gemm_contract
{
    CPPUNIT_TEST_SUB_SUITE(qa_gemm_ladder, gemm_contract);
    CPPUNIT_TEST(small_local_memory);
    CPPUNIT_TEST(small_groups);
    CPPUNIT_TEST(small_buffers);
    CPPUNIT_TEST_SUITE_END();

    static bool shares_columns(const std::string& variant)
    {
        static const std::set<std::string> sharing = {
            "column_local", "float4", "float4_row", "float8"
        };
        return sharing.count(variant) != 0;
    }

protected:
    std::vector<gemm_product> products() override
    {
        return of_device([](const auto& variant) { return variant.ladder == "desktop"; });
    }

public:
    void small_local_memory()
    {
        // A column may take half of the memory; the smallest one has 8 floats, 32 bytes.
        limit([](device_limits& limits) { limits.local_memory = 63; });
        for (const auto& product : products())
            if (shares_columns(product.variant))
                assert_refused({ product.variant, "has 63" }, [&] { checks(product); });
            else
                checks(product).check({ 9, 10, 11 });
        limit([](device_limits& limits) { limits.local_memory = 100; });
        each([](const gemm_checks& c) { c.check({ 9, 10, 27 }, 1, 1); });
    }

    void small_groups()
    {
        limit([](device_limits& limits) {
            limits.max_work_item_sizes[0] = 5;
            limits.max_work_item_sizes[1] = 1;
        });
        each([](const gemm_checks& c) { c.check({ 9, 10, 11 }, 1, 1); });
    }

    //! Work space beyond the device's largest buffer is refused with the required size.
    void small_buffers()
    {
        limit([](device_limits& limits) { limits.max_buffer = 1000; });
        each([](const gemm_checks& c) {
            if (c.product().variant != "naive")
                assert_refused(
                    { std::to_string(30 * 40 * element_size(c.type())), "1000" }, [&] {
                        c.check({ 3, 30, 40 });
                    });
        });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_ladder, "qa_gemm_ladder");

} // namespace
