/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tests/gemm/qa_gemm_ladder_support.h"
#include "tests/support/qa_gemm_support.h"
#include "tests/support/qa_refused.h"

#include <cppunit/extensions/HelperMacros.h>

#include <set>
#include <string>

using namespace cldsp;

namespace {

//! Tests of the desktop ladder against the double-precision model.
class qa_gemm_ladder : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_ladder);
    CPPUNIT_TEST(sizes);
    CPPUNIT_TEST(random_rectangles);
    CPPUNIT_TEST(factors);
    CPPUNIT_TEST(without_products);
    CPPUNIT_TEST(calls_in_a_row);
    CPPUNIT_TEST(failures);
    CPPUNIT_TEST(nothing_held);
    CPPUNIT_TEST(refuses_other_types);
    CPPUNIT_TEST(small_local_memory);
    CPPUNIT_TEST(small_groups);
    CPPUNIT_TEST(small_buffers);
    CPPUNIT_TEST(sizes_beyond_the_kernels);
    CPPUNIT_TEST_SUITE_END();

    gemm_ladder d_ladder{ "desktop" };

    template <class Check>
    void each(const Check& check)
    {
        for (const auto& rung : d_ladder.rungs())
            (d_ladder.*check)(rung);
    }

    static bool shares_columns(const std::string& variant)
    {
        static const std::set<std::string> sharing = {
            "column_local", "float4", "float4_row", "float8"
        };
        return sharing.count(variant) != 0;
    }

public:
    void sizes() { each(&gemm_ladder::check_sizes); }
    void random_rectangles() { each(&gemm_ladder::check_random_rectangles); }
    void factors() { each(&gemm_ladder::check_factors); }
    void without_products() { each(&gemm_ladder::check_without_products); }
    void calls_in_a_row() { each(&gemm_ladder::check_calls_in_a_row); }
    void failures() { each(&gemm_ladder::check_failures); }
    void nothing_held() { each(&gemm_ladder::check_nothing_held); }

    void refuses_other_types()
    {
        for (const auto type : { gemm_type::c32, gemm_type::f16 })
            for (const char* variant : { "row_per_item", "row_private", "float8" })
                CPPUNIT_ASSERT(d_ladder.refusal({ variant, type })
                                   .find("matrices of " + type_name(type)) !=
                               std::string::npos);
    }

    void small_local_memory()
    {
        device_limits limits = d_ladder.device()->limits();
        // A column may take half of the memory; the smallest one has 8 floats, 32 bytes.
        limits.local_memory = 63;
        d_ladder.limit(limits);
        for (const auto& rung : d_ladder.rungs())
            if (shares_columns(rung.name))
                CPPUNIT_ASSERT_MESSAGE(rung.name,
                                       d_ladder.refusal(rung).find("has 63") !=
                                           std::string::npos);
            else
                d_ladder.check(rung, *d_ladder.make(rung), { 9, 10, 11 }, 1, 0);

        limits.local_memory = 100; // enough for a column of eight
        d_ladder.limit(limits);
        for (const auto& rung : d_ladder.rungs())
            d_ladder.check(rung, *d_ladder.make(rung), { 9, 10, 27 }, 1, 1);
    }

    void small_groups()
    {
        device_limits limits = d_ladder.device()->limits();
        limits.max_work_item_sizes[0] = 5;
        limits.max_work_item_sizes[1] = 1;
        d_ladder.limit(limits);
        for (const auto& rung : d_ladder.rungs())
            d_ladder.check(rung, *d_ladder.make(rung), { 9, 10, 11 }, 1, 1);
    }

    //! Work space beyond the device's largest buffer is refused with the required size.
    void small_buffers()
    {
        device_limits limits = d_ladder.device()->limits();
        limits.max_buffer = 1000;
        d_ladder.limit(limits);
        const gemm_shape shape = { 3, 30, 40 };
        for (const auto& rung : d_ladder.rungs()) {
            if (rung.name == "naive")
                continue;
            const auto kernel = d_ladder.make(rung);
            const std::string wanted = std::to_string(30 * 40 * element_size(rung.type));
            assert_refused({ wanted, "1000" },
                           [&] { d_ladder.check(rung, *kernel, shape, 1, 0); });
        }
    }

    void sizes_beyond_the_kernels()
    {
        const gemm_ladder::rung rung = { "naive", gemm_type::f32 };
        const auto kernel = d_ladder.make(rung);
        const auto refuses = [&](auto&& change) {
            auto call = gemm_case(rung.type, { 2, 2, 2 }, 1, 0)
                            .upload(*d_ladder.device(), d_ladder.device()->make_queue());
            change(call);
            CPPUNIT_ASSERT_THROW(kernel->enqueue(call), std::invalid_argument);
        };
        const std::size_t large = std::size_t(1) << 31;
        refuses([&](gemm_device_call& call) { call.a.offset = large; });
        refuses([&](gemm_device_call& call) { call.b.leading = large; });
        refuses([&](gemm_device_call& call) { call.c.offset = large; });
        refuses([&](gemm_device_call& call) { call.shape.m = large; });
        refuses([&](gemm_device_call& call) { call.shape.k = large; });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_ladder, "qa_gemm_ladder");

} // namespace
