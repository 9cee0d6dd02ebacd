/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/host_gemm.h"
#include "gemm/host_gemm_simd.h"
#include "tests/support/qa_gemm_kernel_support.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <limits>
#include <stdexcept>
#include <utility>

using namespace cldsp;

/*!
 * Tests of the host's kernels of every instruction set that this machine has.
 */
class qa_host_gemm : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_host_gemm);
    CPPUNIT_TEST(sizes_at_every_edge);
    CPPUNIT_TEST(random_rectangles);
    CPPUNIT_TEST(factors);
    CPPUNIT_TEST(several_blocks);
    CPPUNIT_TEST(one_held_matrix_for_many_calls);
    CPPUNIT_TEST(every_half);
    CPPUNIT_TEST(nothing_held);
    CPPUNIT_TEST_SUITE_END();

    template <class Action>
    static void for_each_set(unsigned threads, Action&& action)
    {
        for (const host_gemm_set* set : available_host_gemm_sets())
            for (const auto type : all_gemm_types) {
                const auto engine = std::make_shared<host_gemm>(type, *set, threads);
                action(gemm_checks(
                    type, set->name, [engine](const gemm_case& test, bool hold) {
                        return test.run_host(*engine, hold);
                    }));
            }
    }

    void sizes_at_every_edge()
    {
        for_each_set(1, [](const gemm_checks& check) { check.edges(); });
    }
    void random_rectangles()
    {
        for_each_set(3, [](const gemm_checks& check) { check.random_rectangles(); });
    }
    void factors()
    {
        for_each_set(1, [](const gemm_checks& check) { check.factors(); });
    }
    void several_blocks()
    {
        // Several threads, blocks of terms, and blocks of rows and columns.
        for_each_set(3, [](const gemm_checks& check) {
            check.check({ 20, 90, 1500 }, 0.5f, 2);
            check.check({ 20, 90, 1100 }, 1, 0, true);
            if (!small_tests()) {
                check.check({ 1100, 70, 130 }, 1, 1);
                check.check({ 1100, 70, 1030 }, 1, 1);
                check.check({ 13, 9000, 20 }, 1, 1);
            }
        });
    }

    void one_held_matrix_for_many_calls()
    {
        host_gemm engine(gemm_type::c32);
        const gemm_case held(gemm_type::c32, { 7, 40, 30 }, 1, 0);
        const auto first = held.run_host(engine, true);
        CPPUNIT_ASSERT(held.error(first) <= held.bound());
        const gemm_case other(gemm_type::c32, { 30, 90, 10 }, 1, 1, 5);
        CPPUNIT_ASSERT(other.error(other.run_host(engine)) <= other.bound());
        host_gemm moved = std::move(engine);
        auto again = held.c();
        moved.multiply_held(
            7, 1, gemm_case::view(held.a()), 0, { again.bytes.data(), again.leading });
        CPPUNIT_ASSERT(first.bytes == again.bytes);
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

    void nothing_held()
    {
        host_gemm engine(gemm_type::f32);
        float x = 1;
        CPPUNIT_ASSERT_THROW(engine.multiply_held(1, 1, { &x, 1 }, 0, { &x, 1 }),
                             std::logic_error);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_host_gemm, "qa_host_gemm");
