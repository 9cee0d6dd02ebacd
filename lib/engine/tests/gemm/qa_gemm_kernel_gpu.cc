// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the products' kernel for GPUs, with tiles of many sizes.

#include "gemm/gemm_parameters.h"
#include "tests/support/gemm_contract.h"

#include <cppunit/extensions/HelperMacros.h>

#include <set>
#include <string>
#include <vector>

using namespace cldsp;

/*!
 * Tests of the kernel for GPUs, which any device can run, and of kernels that have no
 * file of their own here.
 */
class qa_gemm_kernel_gpu : public gemm_contract
{
    CPPUNIT_TEST_SUB_SUITE(qa_gemm_kernel_gpu, gemm_contract);
    CPPUNIT_TEST(other_tiles);
    CPPUNIT_TEST(every_default_tile);
    CPPUNIT_TEST(fitted_to_any_device);
    CPPUNIT_TEST(refused_parameters);
    CPPUNIT_TEST_SUITE_END();

public:
    void other_tiles()
    {
        // Chunks that do not divide evenly among the items, and tiles that are not
        // square.
        const gemm_gpu_parameters tiles[] = {
            { 3, 4, 4, 4, 4 }, { 2, 1, 4, 8, 12 }, { 1, 3, 12, 4, 8 }, { 3, 2, 4, 8, 12 }
        };
        for (const auto type : all_gemm_types) {
            const auto p = tiles[static_cast<int>(type)].fitted(type, device()->limits());
            const auto check = with(type, p);
            check.check({ 2 * p.tile_rows(), 2 * p.tile_columns(), 24 }, 1, 1);
            check.check({ 29, 31, 23 }, 0.5f, 2);
            check.check({ 5, 3, 1 }, 1, 0, true);
        }
    }

    void every_default_tile()
    {
        for (const auto type : all_gemm_types)
            for (const auto& p : gemm_gpu_parameters::defaults(type)) {
                const auto check = with(type, p.fitted(type, device()->limits()));
                if (small_tests()) {
                    check.check({ 20, 20, 20 }, 1, 1);
                    continue;
                }
                check.check({ 128, 128, 48 });
                check.check({ 130, 129, 33 }, 1, 1);
            }
    }

    void fitted_to_any_device()
    {
        device_limits limits;
        for (const std::size_t items : { 1, 2, 12, 64, 256, 1024 })
            for (const std::size_t memory : { 1024, 4096, 16384, 32768, 49152 }) {
                limits.max_work_group_size = items;
                for (auto& size : limits.max_work_item_sizes)
                    size = items;
                limits.local_memory = memory;
                for (const auto type : all_gemm_types) {
                    auto wanted = gemm_gpu_parameters::defaults(type);
                    wanted.push_back({ 1, 3, 12, 4, 12 });
                    wanted.push_back({ 5, 16, 4, 12, 20 });
                    for (const auto& p : wanted) {
                        const auto fitted = p.fitted(type, limits);
                        CPPUNIT_ASSERT(fitted.items() >= 1 && fitted.items() <= items);
                        CPPUNIT_ASSERT(fitted.local_memory(type) <= memory);
                        const std::size_t chunk = type == gemm_type::c32 ? 2 : 4;
                        CPPUNIT_ASSERT(fitted.depth >= chunk &&
                                       fitted.depth % chunk == 0 &&
                                       fitted.item_rows % chunk == 0 &&
                                       fitted.item_columns % chunk == 0);
                    }
                }
            }
    }

    void refused_parameters()
    {
        const auto queue = device()->make_queue();
        const auto refused = [&](const std::vector<gemm_gpu_parameters>& choices) {
            CPPUNIT_ASSERT_THROW(
                make_gemm_kernel_gpu({ device(), queue, gemm_type::f32 }, choices),
                std::invalid_argument);
        };
        refused({});
        refused({ { 0, 1, 4, 4, 4 } });
        refused({ { 1, 1 << 20, 4, 4, 4 } });
        refused({ { 1, 1, 3, 4, 4 } });
        refused({ { 1, 1, 4, 20, 4 } });
        refused({ { 1, 1, 4, 4, 6 } });
        refused({ { 1, 1, 4, 4, 4 }, { 1, 1, 4, 4, 0 } });
    }

protected:
    std::vector<gemm_product> products() override
    {
        return of_device([](const auto& variant) {
            static const std::set<std::string> elsewhere = { "desktop", "mobile",
                                                             "library", "cpu_tile",
                                                             "tensor",  "warpgroup" };
            return !elsewhere.count(variant.ladder) && !elsewhere.count(variant.name);
        });
    }

private:
    gemm_checks with(gemm_type type, const gemm_gpu_parameters& p)
    {
        return checks({ "gpu_tile",
                        type,
                        [=](const gemm_kernel_args& args) {
                            return make_gemm_kernel_gpu(args, { p });
                        },
                        gemm_precision::exact,
                        false,
                        "group " + std::to_string(p.group_rows) + "x" +
                            std::to_string(p.group_columns) + ", item " +
                            std::to_string(p.item_rows) + "x" +
                            std::to_string(p.item_columns) });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_kernel_gpu, "qa_gemm_kernel_gpu");
