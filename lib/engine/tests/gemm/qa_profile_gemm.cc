// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that products keep to the limits of small devices.

#include "gemm/gemm_executor.h"
#include "opencl/matrix_units.h"
#include "tests/support/qa_gemm_support.h"
#include "tests/support/qa_limits.h"
#include "tests/support/qa_refused.h"

#include <cldsp/errors.h>
#include <cldsp/stream_matrix.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! Products and stream matrices under each profile.
class qa_profile_gemm : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_profile_gemm);
    CPPUNIT_TEST(every_variant);
    CPPUNIT_TEST(divided_products);
    CPPUNIT_TEST(refused_sizes);
    CPPUNIT_TEST(refused_variants);
    CPPUNIT_TEST(failing_devices);
    CPPUNIT_TEST(the_choice);
    CPPUNIT_TEST(stream_matrices);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t buffer = std::size_t(8) << 10;

    static void check(gemm_executor& executor,
                      const gemm_case& product,
                      bool hold,
                      const std::string& profile)
    {
        const double error = product.error(product.run(executor, hold));
        CPPUNIT_ASSERT_MESSAGE(words(profile,
                                     executor.variant_name(),
                                     executor.transfer_name(),
                                     hold ? "held" : "call",
                                     product.describe(),
                                     error),
                               error <= product.bound());
    }

    static bool is_production(const std::string& variant)
    {
        return variant == "cpu_tile" || variant == "gpu_tile";
    }

public:
    //! Each variant that fits the limits, with each of its types.
    void every_variant()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, 1 << 20);
            std::size_t ran = 0;
            for (const auto& variant : gemm_variants())
                for (const auto type : variant.types) {
                    if (variant.ladder == "host" || !variant.fits(device->device()))
                        continue;
                    std::unique_ptr<gemm_executor> executor;
                    try {
                        executor =
                            make_opencl_gemm(device, variant.name, "zero_copy", type);
                    } catch (const std::invalid_argument& e) {
                        const std::string text = e.what();
                        assert_names(text, { variant.name });
                        CPPUNIT_ASSERT(!is_production(variant.name));
                        continue;
                    }
                    ran++;
                    for (const bool hold : { false, true }) {
                        check(*executor, { type, { 33, 21, 40 }, 1, 1 }, hold, profile);
                        check(
                            *executor, { type, { 9, 10, 27 }, -0.75f, 0 }, hold, profile);
                    }
                }
            // Twelve variants of floats need no images, of which eight take other types.
            CPPUNIT_ASSERT(ran >= 20);
        }
    }

    //! A, B or C is divided, or all of them.
    void divided_products()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            for (const std::string variant : { "cpu_tile", "gpu_tile" })
                for (const auto type : { gemm_type::f32, gemm_type::c32, gemm_type::s8 })
                    for (const char* transfer : { "copy", "zero_copy" }) {
                        const auto executor =
                            make_opencl_gemm(device, variant, transfer, type);
                        for (const bool hold : { false, true }) {
                            for (const auto& shape : { gemm_shape{ 5, 300, 40 },
                                                       { 300, 5, 40 },
                                                       { 60, 70, 3 },
                                                       { 2, 3, 200 } })
                                check(*executor, { type, shape, 1, 1 }, hold, profile);
                            // One column at a time, of which the kernel for CPUs would
                            // pack a panel that is too large.
                            const std::size_t k = buffer / 2 / result_size(type) * 3 / 4;
                            if (variant == "gpu_tile")
                                check(*executor,
                                      { type, { 2, 3, k }, 1, 1 },
                                      hold,
                                      profile);
                        }
                    }
        }
    }

    void refused_sizes()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto executor = make_opencl_gemm(
                small_device(profile, buffer), "gpu_tile", "copy", gemm_type::f32);
            // Half of a buffer has room for 1024 floats.
            check(*executor, { gemm_type::f32, { 2, 1, 1024 }, 1, 1 }, false, profile);
            assert_refused({ "k", "1025", "at most 1024 on device" }, [&] {
                check(
                    *executor, { gemm_type::f32, { 2, 1, 1025 }, 1, 1 }, false, profile);
            });
            check(*executor, { gemm_type::f32, { 2, 1, 7 }, 1, 1 }, true, profile);
        }
        // Without local memory one column of B is packed into a panel of four.
        const auto packing = make_opencl_gemm(
            small_device("cl12-min", buffer), "cpu_tile", "copy", gemm_type::c32);
        assert_refused({ "packed B of 16000 bytes", "at most 8192 bytes" }, [&] {
            check(*packing, { gemm_type::c32, { 2, 3, 500 }, 1, 1 }, true, "cl12-min");
        });
        check(*packing, { gemm_type::c32, { 2, 3, 20 }, 1, 1 }, true, "cl12-min");
    }

    void refused_variants()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            const auto refused = [&](const std::string& variant, const std::string& why) {
                assert_refused({ variant, why }, [&] {
                    make_opencl_gemm(device, variant, "copy", gemm_type::f32);
                });
            };
            refused("image_buffer", "without images");
            refused("dual_image", "without images");
#ifdef CLDSP_HAVE_CLBLAST
            refused("clblast", "a profile lowers the device's limits");
#else
            refused("clblast", "no CLBlast");
#endif
        }
    }

    void failing_devices()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            const auto executor =
                make_opencl_gemm(device, "cpu_tile", "copy", gemm_type::f32);
            const gemm_case product(gemm_type::f32, { 60, 70, 3 }, 1, 1);
            for (const auto call : { injected_call::enqueue, injected_call::allocate })
                for (int after = 0; after < 3; after++) {
                    const auto fresh =
                        make_opencl_gemm(device, "cpu_tile", "copy", gemm_type::f32);
                    device->inject_failure(call, after);
                    CPPUNIT_ASSERT_THROW(check(*fresh, product, false, profile),
                                         opencl_error);
                    device->inject_failure(injected_call::none);
                    check(*fresh, product, false, profile);
                }
        }
    }

    //! "auto" takes what fits the limits, and leaves a lost device for the host.
    void the_choice()
    {
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            for (const bool is_auto : { true, false }) {
                gemm_options options;
                options.device = is_auto ? "auto" : test_device().id();
                gemm engine(gemm_type::f32, { 40, 30, 20 }, options, registry);
                for (const bool hold : { false, true }) {
                    const gemm_case product(gemm_type::f32, { 40, 30, 20 }, 1, 1);
                    CPPUNIT_ASSERT(product.error(product.run(engine, hold)) <=
                                   product.bound());
                }
                CPPUNIT_ASSERT(!engine.fell_back());
                if (is_auto)
                    continue;
                registry.get(test_device())->inject_failure(injected_call::enqueue);
                const gemm_case product(gemm_type::f32, { 40, 30, 20 }, 1, 0);
                CPPUNIT_ASSERT(product.error(product.run(engine)) <= product.bound());
                CPPUNIT_ASSERT(engine.fell_back());
            }
        }
    }

    void stream_matrices()
    {
        const gemm_case problem(gemm_type::f32, { 3, 100, 4 }, 1, 0);
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            gemm_options options;
            options.device = test_device().id();
            options.variant = "gpu_tile";
            stream_matrix engine(gemm_type::f32, 3, 4, 100, options, registry);
            engine.set_matrix(problem.a_without_gaps().data());
            auto y = problem.c();
            problem.run_streams(engine, 0, 70, y);
            CPPUNIT_ASSERT(!engine.fell_back());
            registry.get(test_device())->inject_failure(injected_call::enqueue);
            problem.run_streams(engine, 70, 30, y);
            CPPUNIT_ASSERT(engine.fell_back());
            CPPUNIT_ASSERT(problem.error(y) <= problem.bound());
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_profile_gemm, "qa_profile_gemm");

} // namespace
