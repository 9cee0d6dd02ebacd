// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the products' kernel for CPU devices, with tiles of many sizes.

#include "gemm/gemm_parameters.h"
#include "tests/support/gemm_contract.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

using namespace cldsp;

/*!
 * Tests of the kernel for CPU devices, which any device can run.
 */
class qa_gemm_kernel_cpu : public gemm_contract
{
    CPPUNIT_TEST_SUB_SUITE(qa_gemm_kernel_cpu, gemm_contract);
    CPPUNIT_TEST(several_blocks);
    CPPUNIT_TEST(larger_than_caches);
    CPPUNIT_TEST(other_tiles);
    CPPUNIT_TEST(refused_parameters);
    CPPUNIT_TEST(refused_program);
    CPPUNIT_TEST_SUITE_END();

public:
    //! The products have more terms than a block, and also more rows and columns.
    void several_blocks()
    {
        if (!small_tests())
            each([](const gemm_checks& check) {
                check.check({ 20, 90, 700 }, 0.5f, 2);
                check.check({ 20, 90, 700 }, 1, 0, true);
                check.check({ 600, 70, 130 }, 1, 1);
                check.check({ 5, 1000, 20 }, 1, 1);
                check.check({ 5, 21, 2100 }, 1, 1);
            });
        for (const auto type : all_gemm_types) {
            gemm_cpu_parameters parameters(type,
                                           device()->limits().native_vector_width_float);
            parameters.block_k = 8;
            parameters.block_rows = 13;
            const gemm_shape blocks =
                small_tests() ? gemm_shape{ 15, 20, 18 } : gemm_shape{ 31, 70, 45 };
            const auto in_blocks = with(type, parameters);
            in_blocks.check(blocks, 0.5f, 2);
            in_blocks.check(blocks, 1, 0, true);
            in_blocks.check({ blocks.m, 2 * blocks.n + 10, 2 }, 1, 1);
        }
    }

    void larger_than_caches()
    {
        // A C of this size is written past the caches if its rows are aligned.
        const std::size_t cache =
            device()->cl_device().getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>();
        const std::size_t rows = 1024;
        const std::size_t columns = cache / 2 / rows / sizeof(float) + 37;
        if (small_tests() || rows * (columns + 16) * 8 > device()->limits().max_buffer ||
            columns > 20000)
            return;
        const std::size_t gap = 16 - columns % 16;
        each([&](const gemm_checks& check) {
            if (check.type() == gemm_type::f16 || check.type() == gemm_type::s8)
                return;
            check.check({ rows, columns, 2 }, 1, 0, false, gap);
            check.check({ rows, columns, 1 }, 1, 1, true, 3);
        });
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
                const auto check = with(type, parameters);
                for (const std::size_t columns : { width, 2 * width + 3, 7 * width + 1 })
                    check.check({ 10, columns, 5 }, 1, 1, columns % 2 == 1);
            }
    }

    void refused_parameters()
    {
        const auto queue = device()->make_queue();
        const auto refused = [&](gemm_type type, auto change) {
            gemm_cpu_parameters parameters(type, 8);
            change(parameters);
            CPPUNIT_ASSERT_THROW(
                make_gemm_kernel_cpu({ device(), queue, type }, parameters),
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

    void refused_program()
    {
        gemm_cpu_parameters parameters(gemm_type::f32, 8);
        parameters.rows = 11; // no other test compiles it
        device()->inject_failure(injected_call::build);
        CPPUNIT_ASSERT_THROW(with(gemm_type::f32, parameters), opencl_error);
    }

protected:
    std::vector<gemm_product> products() override
    {
        return of_device([](const auto& variant) { return variant.name == "cpu_tile"; });
    }

private:
    gemm_checks with(gemm_type type, const gemm_cpu_parameters& parameters)
    {
        return checks({ "cpu_tile",
                        type,
                        [=](const gemm_kernel_args& args) {
                            return make_gemm_kernel_cpu(args, parameters);
                        },
                        gemm_precision::exact,
                        false,
                        "width " + std::to_string(parameters.width) + ", tile " +
                            std::to_string(parameters.rows) + "x" +
                            std::to_string(parameters.vectors) });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_kernel_cpu, "qa_gemm_kernel_cpu");
