/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/gemm_parameters.h"
#include "tests/support/qa_gemm_kernel_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/errors.h>

#include <cppunit/extensions/HelperMacros.h>

using namespace cldsp;

/*!
 * Tests of the kernel for CPU devices, which any device can run.
 */
class qa_gemm_kernel_cpu : public gemm_kernel_fixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_kernel_cpu);
    CPPUNIT_TEST(sizes_at_every_edge);
    CPPUNIT_TEST(random_rectangles);
    CPPUNIT_TEST(factors);
    CPPUNIT_TEST(offsets);
    CPPUNIT_TEST(several_blocks);
    CPPUNIT_TEST(larger_than_caches);
    CPPUNIT_TEST(other_tiles);
    CPPUNIT_TEST(one_held_matrix_for_many_calls);
    CPPUNIT_TEST(refused_parameters);
    CPPUNIT_TEST(failing_device);
    CPPUNIT_TEST_SUITE_END();

public:
    qa_gemm_kernel_cpu() : gemm_kernel_fixture("cpu_tile") {}

    using gemm_kernel_fixture::checks;
    gemm_checks checks(gemm_type type, const gemm_cpu_parameters& parameters)
    {
        const std::string name = "width " + std::to_string(parameters.width) + ", tile " +
                                 std::to_string(parameters.rows) + "x" +
                                 std::to_string(parameters.vectors);
        return check_kernel(d_device, type, name, [&](const gemm_kernel_args& args) {
            return make_gemm_kernel_cpu(args, parameters);
        });
    }

    void offsets()
    {
        for (const auto type : all_gemm_types)
            for (const bool hold : { false, true })
                checks(type, 5).check(small_tests() ? gemm_shape{ 6, 20, 5 }
                                                    : gemm_shape{ 19, 70, 11 },
                                      1,
                                      1,
                                      hold);
    }

    void several_blocks()
    {
        // The products have more terms than a block, and also more rows and columns.
        for (const auto type : all_gemm_types) {
            const auto check = checks(type);
            if (!small_tests()) {
                check.check({ 20, 90, 700 }, 0.5f, 2);
                check.check({ 20, 90, 700 }, 1, 0, true);
                check.check({ 600, 70, 130 }, 1, 1);
                check.check({ 5, 1000, 20 }, 1, 1);
                check.check({ 5, 21, 2100 }, 1, 1);
            }
            gemm_cpu_parameters parameters(type,
                                           d_device->limits().native_vector_width_float);
            parameters.block_k = 8;
            parameters.block_rows = 13;
            const gemm_shape blocks =
                small_tests() ? gemm_shape{ 15, 20, 18 } : gemm_shape{ 31, 70, 45 };
            const auto in_blocks = checks(type, parameters);
            in_blocks.check(blocks, 0.5f, 2);
            in_blocks.check(blocks, 1, 0, true);
            in_blocks.check({ blocks.m, 2 * blocks.n + 10, 2 }, 1, 1);
        }
    }

    void larger_than_caches()
    {
        // A C of this size is written past the caches if its rows are aligned.
        const std::size_t cache =
            d_device->cl_device().getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>();
        const std::size_t rows = 1024;
        const std::size_t columns = cache / 2 / rows / sizeof(float) + 37;
        if (small_tests() || rows * (columns + 16) * 8 > d_device->limits().max_buffer ||
            columns > 20000)
            return;
        const std::size_t gap = 16 - columns % 16;
        for (const auto type : { gemm_type::f32, gemm_type::c32 }) {
            checks(type).check({ rows, columns, 2 }, 1, 0, false, gap);
            checks(type).check({ rows, columns, 1 }, 1, 1, true, 3);
        }
    }

    void other_tiles()
    {
        // Every vector width, and every number of vectors that leaves a narrower last
        // panel.
        for (const auto type : all_gemm_types)
            for (const std::size_t width : { 4, 8, 16 }) {
                if (small_tests() && width != 8)
                    continue;
                gemm_cpu_parameters parameters(type, width);
                parameters.vectors = type == gemm_type::c32 ? 2 : 3;
                parameters.rows = 3;
                const auto check = checks(type, parameters);
                for (const std::size_t columns : { width, 2 * width + 3, 7 * width + 1 })
                    check.check({ 10, columns, 5 }, 1, 1, columns % 2 == 1);
            }
    }

    void one_held_matrix_for_many_calls()
    {
        // The B that is held must survive calls with other sizes and other matrices.
        const auto queue = d_device->make_queue();
        const auto kernel =
            make_gemm_kernel("cpu_tile", { d_device, queue, gemm_type::f32 });
        const gemm_case held(gemm_type::f32, { 7, 40, 30 }, 1, 0);
        const auto first = held.run(*kernel, *d_device, queue, true);
        CPPUNIT_ASSERT(held.error(first) <= held.bound());
        const gemm_case other(gemm_type::f32, { 30, 90, 10 }, 1, 1, 5);
        CPPUNIT_ASSERT(other.error(other.run(*kernel, *d_device, queue)) <=
                       other.bound());
        const auto again = held.run_held(*kernel, *d_device, queue);
        CPPUNIT_ASSERT(first.bytes == again.bytes);
    }

    void refused_parameters()
    {
        const auto queue = d_device->make_queue();
        const auto refused = [&](gemm_type type, auto change) {
            gemm_cpu_parameters parameters(type, 8);
            change(parameters);
            CPPUNIT_ASSERT_THROW(
                make_gemm_kernel_cpu({ d_device, queue, type }, parameters),
                std::invalid_argument);
        };
        refused(gemm_type::f32, [](auto& p) { p.width = 5; });
        refused(gemm_type::f32, [](auto& p) { p.width = 32; });
        refused(gemm_type::f32, [](auto& p) { p.rows = 0; });
        refused(gemm_type::f32, [](auto& p) { p.rows = 17; });
        refused(gemm_type::f32, [](auto& p) { p.vectors = 5; });
        refused(gemm_type::c32, [](auto& p) { p.vectors = 3; });
        refused(gemm_type::f16, [](auto& p) { p.block_k = 0; });
        refused(gemm_type::f16, [](auto& p) { p.block_rows = 0; });
        refused(gemm_type::s8, [](auto& p) { p.block_k = 1025; });
    }

    void failing_device()
    {
        const auto queue = d_device->make_queue();
        const gemm_case test(gemm_type::f16, { 3, 4, 5 }, 1, 0);
        for (const auto call : { injected_call::enqueue, injected_call::allocate })
            for (const bool hold : { false, true }) {
                const auto fresh =
                    make_gemm_kernel("cpu_tile", { d_device, queue, gemm_type::f16 });
                d_device->inject_failure(call);
                CPPUNIT_ASSERT_THROW(test.run(*fresh, *d_device, queue, hold),
                                     opencl_error);
                d_device->inject_failure(injected_call::none);
                CPPUNIT_ASSERT(test.error(test.run(*fresh, *d_device, queue, hold)) <=
                               test.bound());
            }
        d_device->inject_failure(injected_call::build);
        CPPUNIT_ASSERT_THROW(make_gemm_kernel_cpu({ d_device, queue, gemm_type::f32 },
                                                  [] {
                                                      gemm_cpu_parameters p(
                                                          gemm_type::f32, 8);
                                                      p.rows = 11;
                                                      return p;
                                                  }()),
                             opencl_error);
        d_device->inject_failure(injected_call::none);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_kernel_cpu, "qa_gemm_kernel_cpu");
