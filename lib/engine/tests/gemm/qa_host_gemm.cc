// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the host's products on every instruction set of this machine.

#include "gemm/host_gemm.h"
#include "gemm/host_gemm_simd.h"
#include "tests/support/gemm_contract.h"

#include <cppunit/extensions/HelperMacros.h>

#include <limits>
#include <utility>
#include <vector>

using namespace cldsp;

/*!
 * Tests of the host's kernels of every instruction set that this machine has.
 */
class qa_host_gemm : public gemm_contract
{
    CPPUNIT_TEST_SUB_SUITE(qa_host_gemm, gemm_contract);
    CPPUNIT_TEST(several_blocks);
    CPPUNIT_TEST(a_held_matrix_moves_along);
    CPPUNIT_TEST(every_half);
    CPPUNIT_TEST_SUITE_END();

public:
    // There need be no device.
    void tearDown() override {}

    //! Several threads, blocks of terms, and blocks of rows and columns.
    void several_blocks()
    {
        each([](const gemm_checks& check) {
            check.check({ 20, 90, 1500 }, 0.5f, 2);
            check.check({ 20, 90, 1100 }, 1, 0, true);
            if (!small_tests()) {
                check.check({ 1030, 20, 130 }, 1, 1);
                check.check({ 1030, 20, 1030 }, 1, 1);
                check.check({ 13, 9000, 20 }, 1, 1);
            }
        });
    }

    void a_held_matrix_moves_along()
    {
        host_gemm engine(gemm_type::c32);
        const gemm_case held(gemm_type::c32, { 7, 40, 30 }, 1, 0);
        const auto first = held.run_host(engine, true);
        host_gemm moved = std::move(engine);
        CPPUNIT_ASSERT(first.bytes == held.run_held_on_host(moved).bytes);
    }

    void every_half()
    {
        // Multiplied by one, every half-precision number keeps its value; sums of
        // neighbours round as in the model.
        std::vector<std::uint16_t> all;
        for (unsigned half = 0; half < 0x10000; half++)
            // Only numbers are tried, and not -0, because 0 - 0 is 0.
            if ((half & 0x7fff) <= 0x7c00 && half != 0x8000)
                all.push_back(static_cast<std::uint16_t>(half));
        const std::uint16_t one = to_half(1);
        for (const host_gemm_set* set : available_host_gemm_sets()) {
            host_gemm engine(gemm_type::f16, *set, 1);
            std::vector<std::uint16_t> out(all.size());
            engine.multiply({ 1, all.size(), 1 },
                            1,
                            { &one, 1 },
                            { all.data(), all.size() },
                            0,
                            { out.data(), out.size() });
            CPPUNIT_ASSERT_MESSAGE(set->name, all == out);

            for (const float factor : { 0.33f, 1.0009765f, 3e-3f, 1.5f }) {
                engine.multiply({ 1, all.size(), 1 },
                                factor,
                                { &one, 1 },
                                { all.data(), all.size() },
                                0,
                                { out.data(), out.size() });
                for (std::size_t i = 0; i < all.size(); i++)
                    CPPUNIT_ASSERT_EQUAL_MESSAGE(
                        set->name, to_half(factor * from_half(all[i])), out[i]);
            }

            const std::uint16_t nan = to_half(std::numeric_limits<float>::quiet_NaN());
            std::uint16_t result = 0;
            engine.multiply({ 1, 1, 1 }, 1, { &one, 1 }, { &nan, 1 }, 0, { &result, 1 });
            CPPUNIT_ASSERT_MESSAGE(set->name, std::isnan(from_half(result)));
        }
    }

protected:
    std::vector<gemm_product> products() override { return host_gemm_products(); }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_host_gemm, "qa_host_gemm");
