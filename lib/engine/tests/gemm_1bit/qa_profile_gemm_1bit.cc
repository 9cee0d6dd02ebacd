/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_1bit/gemm_1bit_executor.h"
#include "gemm_1bit/opencl_gemm_1bit.h"
#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_limits.h"
#include "tests/support/qa_refused.h"

#include <cldsp/errors.h>

#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! 1-bit products under each profile.
class qa_profile_gemm_1bit : public gemm_1bit_fixture
{
    CPPUNIT_TEST_SUITE(qa_profile_gemm_1bit);
    CPPUNIT_TEST(every_variant);
    CPPUNIT_TEST(divided_calls);
    CPPUNIT_TEST(refused_codes);
    CPPUNIT_TEST(refused_matrix_units);
    CPPUNIT_TEST(overlapping_pieces);
    CPPUNIT_TEST(lost_devices);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t buffer = std::size_t(32) << 10;

    static gemm_1bit_codes joined(const gemm_1bit_case& problem)
    {
        gemm_1bit_codes codes;
        codes.bits = problem.bits;
        codes.count = problem.codes.size();
        for (const auto& code : problem.codes)
            codes.bytes.insert(codes.bytes.end(), code.begin(), code.end());
        return codes;
    }

    static void check(gemm_1bit_executor& executor,
                      const gemm_1bit_case& problem,
                      const std::string& what,
                      std::size_t offset = 0)
    {
        const auto got =
            problem.run([&](const std::uint8_t* in,
                            std::int32_t* out) { executor.run(in, problem.count, out); },
                        offset);
        CPPUNIT_ASSERT_MESSAGE(words(what, problem.describe()),
                               got == problem.expected());
    }

    static std::vector<std::string> variants(const context& device)
    {
        std::vector<std::string> names;
        for (const auto& variant : gemm_1bit_variants())
            if (variant.ladder != "host" && variant.fits(device.device()))
                names.push_back(variant.name);
        return names;
    }

public:
    void every_variant()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, 1 << 20);
            CPPUNIT_ASSERT(variants(*device).size() >= 4);
            for (const auto& variant : variants(*device))
                for (const auto& problem : { gemm_1bit_case(8, 1, 1),
                                             gemm_1bit_case(72, 17, 2),
                                             gemm_1bit_case(1048, 18, 5),
                                             gemm_1bit_case(2048, 33, 40) }) {
                    const auto executor =
                        make_opencl_gemm_1bit(device, variant, "copy", joined(problem));
                    CPPUNIT_ASSERT_EQUAL(variant, executor->variant_name());
                    check(*executor, problem, profile + " " + variant);
                    check(*executor, problem, profile + " " + variant, 3);
                }
        }
    }

    //! The items, the correlations or the codes of these calls need several buffers.
    void divided_calls()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            for (const auto& variant : variants(*device))
                for (const char* transfer : { "copy", "mapped", "zero_copy" })
                    for (const auto& problem : { gemm_1bit_case(8, 700, 25),
                                                 gemm_1bit_case(8000, 2, 40),
                                                 gemm_1bit_case(3208, 101, 3) }) {
                        const auto executor = make_opencl_gemm_1bit(
                            device, variant, transfer, joined(problem));
                        const auto what = words(profile, variant, transfer);
                        check(*executor, problem, what);
                        auto other = problem;
                        std::swap(other.codes.front(), other.codes.back());
                        executor->set_codes(joined(other));
                        check(*executor, other, what);
                    }
        }
    }

    void refused_codes()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            const std::size_t room = buffer - device->limits().base_address_alignment;
            const auto make = [&](std::size_t bits, std::size_t codes) {
                return make_opencl_gemm_1bit(device,
                                             "private_sum",
                                             "copy",
                                             joined(gemm_1bit_case(bits, codes, 1)));
            };
            make(8 * room, 1);
            make(8, room / 4);
            const auto why = std::to_string(room) + " bytes on device";
            assert_refused({ "codes", why }, [&] { make(8 * room + 8, 1); });
            assert_refused({ "codes", why }, [&] { make(8, room / 4 + 1); });
            // A panel has several codes.
            assert_refused({ "bits", "'cpu_tile'", "which takes 32768 bytes" }, [&] {
                make_opencl_gemm_1bit(
                    device, "cpu_tile", "copy", joined(gemm_1bit_case(8 * room, 1, 1)));
            });
        }
    }

    //! Even emulated kernels for matrix units need larger work-groups.
    void refused_matrix_units()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, 1 << 20);
            const device_queue queue(device->make_queue());
            for (const auto mode : { tensor_mode::native, tensor_mode::emulated }) {
                assert_refused({ "'tensor'" }, [&] {
                    make_gemm_1bit_kernel_tensor({ device, queue, 8, {} }, mode);
                });
                CPPUNIT_ASSERT_THROW(
                    make_gemm_1bit_kernel_warpgroup({ device, queue, 8, {} }, mode),
                    std::invalid_argument);
            }
        }
    }

    //! The method for GPUs with memory of their own.
    void overlapping_pieces()
    {
        const gemm_1bit_case problem(8, 700, 40);
        for (const auto& profile : lowering_profiles()) {
            auto info = test_device();
            info.kind = device_kind::gpu;
            info.limits.host_unified_memory = false;
            info.limits.max_buffer = buffer;
            const auto device = std::make_shared<context>(info, profile_options(profile));
            for (const char* transfer : { "copy", "mapped", "zero_copy" })
                check(*make_opencl_gemm_1bit(
                          device, "private_sum", transfer, joined(problem)),
                      problem,
                      words(profile, transfer));
        }
    }

    void lost_devices()
    {
        const gemm_1bit_case problem(200, 21, 9);
        for (const auto& profile : lowering_profiles()) {
            use_profile(profile);
            make(problem, "auto").plan();
            auto engine = on_device(problem, "cpu_tile");
            problem.check(engine);
            CPPUNIT_ASSERT(!engine.fell_back());
            device()->inject_failure(injected_call::enqueue);
            problem.check(engine);
            CPPUNIT_ASSERT(engine.fell_back());
            CPPUNIT_ASSERT(logged("the host goes on"));
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_profile_gemm_1bit, "qa_profile_gemm_1bit");

} // namespace
