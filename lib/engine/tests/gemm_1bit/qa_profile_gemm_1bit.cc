// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that 1-bit products keep to the limits of small devices.

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
                        make_opencl_gemm_1bit(device, variant, "copy", problem.joined());
                    CPPUNIT_ASSERT_EQUAL(variant, executor->variant_name());
                    problem.check(*executor, profile + " " + variant);
                    problem.check(*executor, profile + " " + variant, 3);
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
                            device, variant, transfer, problem.joined());
                        const auto what = words(profile, variant, transfer);
                        CPPUNIT_ASSERT_EQUAL(std::string(transfer),
                                             executor->transfer_name());
                        problem.check(*executor, what, 3);
                        problem.check(*executor, what);
                        auto other = problem;
                        std::swap(other.codes.front(), other.codes.back());
                        executor->set_codes(other.joined());
                        other.check(*executor, what);
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
                                             gemm_1bit_case(bits, codes, 1).joined());
            };
            make(8 * room, 1);
            make(8, room / 4);
            const auto why = std::to_string(room) + " bytes on device";
            assert_refused({ "codes", why }, [&] { make(8 * room + 8, 1); });
            assert_refused({ "codes", why }, [&] { make(8, room / 4 + 1); });
            // A panel has several codes.
            assert_refused({ "bits", "'cpu_tile'", "which takes 32768 bytes" }, [&] {
                make_opencl_gemm_1bit(
                    device, "cpu_tile", "copy", gemm_1bit_case(8 * room, 1, 1).joined());
            });
        }
    }

    //! Even emulated kernels for matrix units need larger work-groups, but for those of
    //! the profile v3d, under which only tests would ask for them.
    void refused_matrix_units()
    {
        for (const std::string profile : { "vc4", "cl12-min" }) {
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
            const auto device = small_gpu(profile, buffer);
            for (const char* transfer : { "copy", "mapped", "zero_copy" })
                problem.check(*make_opencl_gemm_1bit(
                                  device, "private_sum", transfer, problem.joined()),
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
