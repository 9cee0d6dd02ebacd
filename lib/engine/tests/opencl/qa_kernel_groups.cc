// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that kernels run in groups as small as the compiled kernels may have.

#include "correlator/correlator_executor.h"
#include "direct/opencl_direct.h"
#include "fast_convolution/opencl_dft_bank.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "gemm/gemm_executor.h"
#include "opencl/kernel_groups.h"
#include "tests/support/qa_correlator_support.h"
#include "tests/support/qa_fast_convolution_contract.h"
#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_gemm_support.h"
#include "tests/support/qa_limits.h"
#include "tests/support/qa_refused.h"

#include <cldsp/roofline.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace cldsp;

namespace {

//! Every executor on a device whose compiled kernels may have fewer work-items in a group
//! than the device has. Launches of larger ones are refused.
class qa_kernel_groups : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_kernel_groups);
    CPPUNIT_TEST(groups_become_as_small_as_a_kernel_may_have);
    CPPUNIT_TEST(what_has_no_smaller_size_keeps_its_reason);
    CPPUNIT_TEST(direct);
#ifdef CLDSP_HAVE_VKFFT
    CPPUNIT_TEST(folds);
    CPPUNIT_TEST(blocks_planned_for_larger_groups);
#endif
    CPPUNIT_TEST(dft_banks);
    CPPUNIT_TEST(products);
    CPPUNIT_TEST(products_of_bits);
    CPPUNIT_TEST(correlators);
    CPPUNIT_TEST(figures_of_a_roofline);
    CPPUNIT_TEST(too_small_groups);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t device_group = 256, too_small = 8;

    static device_info gpu(std::size_t most)
    {
        auto info = test_device();
        info.kind = device_kind::gpu;
        info.limits = with_groups(info.limits, device_group);
        info.limits.max_kernel_group = most;
        return info;
    }
    static std::shared_ptr<context> device(std::size_t most)
    {
        return std::make_shared<context>(gpu(most), test_options());
    }
    static std::vector<std::size_t> groups() { return { 32, 16 }; }

    static void check(filter_executor& bank,
                      const std::vector<filter_channel>& channels,
                      std::size_t outputs,
                      const std::string& what)
    {
        stream_case c(channels, outputs);
        c.run(bank);
        CPPUNIT_ASSERT_MESSAGE(words(what, c.error()), c.error() < -105);
    }

public:
    void groups_become_as_small_as_a_kernel_may_have()
    {
        std::vector<std::size_t> tried;
        const auto limits = device_with_limits("gpu").limits;
        const auto found = with_groups_that_run(limits, [&](const device_limits& those) {
            tried.push_back(those.max_work_group_size);
            CPPUNIT_ASSERT(those.max_work_item_sizes[2] <= those.max_work_group_size);
            CPPUNIT_ASSERT_EQUAL(limits.local_memory, those.local_memory);
            if (those.max_work_group_size > 64)
                throw group_refused("too large", 64);
            if (those.max_work_group_size > 16)
                throw group_refused("still too large", 16);
            return those.max_work_group_size;
        });
        CPPUNIT_ASSERT_EQUAL(std::size_t(16), found);
        CPPUNIT_ASSERT(tried == (std::vector<std::size_t>{ 1024, 64, 16 }));
    }

    void what_has_no_smaller_size_keeps_its_reason()
    {
        const auto limits = device_with_limits("gpu").limits;
        const auto reason_of = [&](std::size_t most, const std::string& later) {
            int calls = 0;
            const auto text = refusal([&] {
                with_groups_that_run(limits, [&](const device_limits&) {
                    if (calls++ == 0)
                        throw group_refused("the group", most);
                    throw std::invalid_argument(later);
                });
            });
            return std::to_string(calls) + " " + text;
        };
        CPPUNIT_ASSERT_EQUAL(std::string("2 the group"), reason_of(32, "no size"));
        CPPUNIT_ASSERT_EQUAL(std::string("1 the group"), reason_of(15, ""));
        // A driver that refuses what it allows is not asked for ever.
        CPPUNIT_ASSERT_EQUAL(std::string("1 the group"), reason_of(1024, ""));
        const auto other = refusal([&] {
            with_groups_that_run(limits, [](const device_limits&) {
                throw std::invalid_argument("taps");
            });
        });
        CPPUNIT_ASSERT_EQUAL(std::string("taps"), other);
    }

    void direct()
    {
        const auto short_taps = make_channels(sample_type::fc32, 3, 61, 1, false);
        const auto long_taps = make_channels(sample_type::cs16, 8, 600, 2, false);
        for (const std::size_t most : groups())
            for (const auto& [variant, all] : { std::pair("naive", short_taps),
                                                std::pair("gpu_tile", short_taps),
                                                std::pair("gpu_tile", long_taps) })
                check(*make_opencl_direct(device(most), variant, "copy", all),
                      all,
                      200,
                      words(most, variant, all[0].taps()));
    }

    void folds()
    {
        const auto few = make_channels(sample_type::fc32, 2, 9, 3, true);
        const auto bytes = make_channels(sample_type::cu8, 8, 100, 1, false);
        for (const auto& [variant, all] : { std::pair("vkfft", few),
                                            std::pair("tiled_fold", few),
                                            std::pair("fused_fold", bytes) })
            check(*make_opencl_fast_convolution(device(32), variant, "copy", all, 0, 64),
                  all,
                  300,
                  variant);
    }

    void blocks_planned_for_larger_groups()
    {
        const auto all = make_channels(sample_type::fc32, 4, 300, 1, true);
        check(
            *make_opencl_fast_convolution(device(16), "fused_fold", "copy", all, 0, 1024),
            all,
            500,
            "planned for 1024");
    }

    void dft_banks()
    {
        const auto all = on_raster(
            12, { 5, -3, 0, 7 }, 7, random_taps(60, true, 3), sample_type::fc32);
        check(*make_opencl_dft_bank(device(16), "copy", all, 1e-7, 12),
              all,
              400,
              "dft_bank");
    }

    void products()
    {
        for (const std::size_t most : groups())
            for (const auto type :
                 { gemm_type::f32, gemm_type::c32, gemm_type::f16, gemm_type::s8 })
                for (const gemm_shape shape :
                     { gemm_shape{ 33, 21, 40 }, gemm_shape{ 130, 140, 16 } }) {
                    const auto executor =
                        make_opencl_gemm(device(most), "gpu_tile", "copy", type);
                    const gemm_case product(type, shape, 1, 1);
                    CPPUNIT_ASSERT(product.error(product.run(*executor, false)) <=
                                   product.bound());
                }
    }

    void products_of_bits()
    {
        for (const std::size_t most : groups())
            for (const auto& problem :
                 { gemm_1bit_case(72, 17, 2), gemm_1bit_case(2048, 33, 40) }) {
                const auto executor = make_opencl_gemm_1bit(
                    device(most), "gpu_tile", "copy", problem.joined());
                problem.check(*executor, std::to_string(most));
                problem.check(*executor, std::to_string(most), 3);
            }
    }

    void correlators()
    {
        const auto type = sample_type::cs8;
        const auto executor =
            make_opencl_correlator(device(32), "gpu_tile", "copy", type, 70);
        correlator_checks::check_executor(
            *executor, antenna_array(type, 70, 300), 3, 100, "gpu_tile");
    }

    void figures_of_a_roofline()
    {
        auto with = test_options();
        std::string told;
        with.log = [&](log_level, const std::string& text) { told += text + '\n'; };
        context_registry registry(with);
        roofline_options options;
        options.seconds = 0.01;
        measure_roofline(gpu(32), registry, options);
        CPPUNIT_ASSERT_MESSAGE(told, told.find("not measured") == std::string::npos);
    }

    void too_small_groups()
    {
        const std::vector<std::string> reason = { "groups of 8 work-items" };
        const auto on = device(too_small);
        const auto all = make_channels(sample_type::fc32, 4, 300, 1, true);
        assert_refused(reason, [&] { make_opencl_direct(on, "gpu_tile", "copy", all); });
        assert_refused(reason,
                       [&] { make_opencl_gemm(on, "gpu_tile", "copy", gemm_type::f32); });
        assert_refused(reason, [&] {
            make_opencl_gemm_1bit(
                on, "gpu_tile", "copy", gemm_1bit_case(64, 40, 1).joined());
        });
        assert_refused(reason, [&] {
            make_opencl_correlator(on, "gpu_tile", "copy", sample_type::fc32, 70);
        });
#ifdef CLDSP_HAVE_VKFFT
        for (const char* variant : { "vkfft", "fused_fold", "tiled_fold" })
            assert_refused(reason, [&] {
                make_opencl_fast_convolution(on, variant, "copy", all, 0);
            });
#endif
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_kernel_groups, "qa_kernel_groups");

} // namespace
