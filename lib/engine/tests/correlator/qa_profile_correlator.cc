// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that the correlator keeps to the limits of small devices.

#include "correlator/correlator_executor.h"
#include "correlator/host_correlator_simd.h"
#include "tests/support/qa_correlator_support.h"
#include "tests/support/qa_limits.h"
#include "tests/support/qa_refused.h"

#include <cldsp/correlator.h>
#include <cldsp/errors.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <functional>
#include <memory>
#include <string>

using namespace cldsp;

namespace {

//! Correlators under each profile.
class qa_profile_correlator : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_profile_correlator);
    CPPUNIT_TEST(every_variant);
    CPPUNIT_TEST(room_in_the_buffers);
    CPPUNIT_TEST(refused_matrix_units);
    CPPUNIT_TEST(lost_devices);
    CPPUNIT_TEST_SUITE_END();

    static void check(correlator_executor& executor,
                      sample_type type,
                      std::size_t antennas,
                      std::size_t rows,
                      std::size_t length)
    {
        correlator_checks::check_executor(executor,
                                          antenna_array(type, antennas, rows * length),
                                          rows,
                                          length,
                                          executor.variant_name());
    }

public:
    void every_variant()
    {
        for (const auto& profile : lowering_profiles())
            for (const std::string variant : { "cpu_tile", "gpu_tile" })
                for (const auto type : { sample_type::fc32, sample_type::cs8 })
                    for (const std::size_t antennas : { 1, 3, 9, 70 }) {
                        const auto executor =
                            make_opencl_correlator(small_device(profile, 1 << 20),
                                                   variant,
                                                   antennas % 2 ? "copy" : "zero_copy",
                                                   type,
                                                   antennas);
                        CPPUNIT_ASSERT_EQUAL(variant, executor->variant_name());
                        check(*executor, type, antennas, 3, 100);
                        if (antennas < 9)
                            check(*executor, type, antennas, 1, executor->piece());
                    }
    }

    //! The rows and pieces of a call that fill the buffers, and antennas that do not fit.
    void room_in_the_buffers()
    {
        constexpr std::size_t buffer = std::size_t(8) << 10, antennas = 5;
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            const std::size_t room = buffer - device->limits().base_address_alignment;
            for (const std::string variant : { "cpu_tile", "gpu_tile" }) {
                const auto executor = make_opencl_correlator(
                    device, variant, "zero_copy", sample_type::fc32, antennas);
                const std::size_t piece = executor->piece();
                CPPUNIT_ASSERT(piece * antennas * 8 <= room &&
                               (piece + correlator_block) * antennas * 8 > room);
                for (const std::size_t length : { std::size_t(16), piece }) {
                    const std::size_t rows = executor->max_rows(length);
                    CPPUNIT_ASSERT(rows >= 1 && rows * length * antennas * 8 <= room);
                    check(*executor, sample_type::fc32, antennas, rows, length);
                }
                const auto make = [&](std::size_t count) {
                    make_opencl_correlator(
                        device, variant, "copy", sample_type::fc32, count);
                };
                std::size_t most = antennas;
                while (refusal_of([&] { make(most + 1); }).empty())
                    most++;
                assert_refused({ "antennas",
                                 std::to_string(most + 1),
                                 "buffers of " + std::to_string(room) + " bytes" },
                               [&] { make(most + 1); });
                check(*make_opencl_correlator(
                          device, variant, "copy", sample_type::fc32, most),
                      sample_type::fc32,
                      most,
                      1,
                      3);
            }
        }
    }

    //! Even emulated kernels for matrix units need larger work-groups, but for those of
    //! the profile v3d, under which only tests would ask for them.
    void refused_matrix_units()
    {
        for (const std::string profile : { "vc4", "cl12-min" })
            for (const std::string variant : { "tensor", "warpgroup" })
                for (const auto mode : { tensor_mode::native, tensor_mode::emulated })
                    CPPUNIT_ASSERT_THROW(
                        make_opencl_correlator(small_device(profile, 1 << 20),
                                               variant,
                                               "copy",
                                               sample_type::cs8,
                                               3,
                                               mode),
                        std::invalid_argument);
    }

    //! A correlator that cuts its calls to the buffers, until its device is lost.
    void lost_devices()
    {
        constexpr std::size_t antennas = 20, count = 9000;
        const antenna_array x(sample_type::cs8, antennas, count);
        const auto run = [&](correlator& engine, const std::function<void()>& between) {
            visibility_list out(3 * engine.visibilities());
            std::size_t done = correlator_checks::process(engine, x, 0, 5000, out.data());
            between();
            done += correlator_checks::process(
                engine, x, 5000, 4000, out.data() + done * engine.visibilities());
            CPPUNIT_ASSERT_EQUAL(std::size_t(3), done);
            return out;
        };
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            correlator_options options;
            options.device = "host";
            correlator host(sample_type::cs8, antennas, 3000, count, options, registry);
            const auto expected = run(host, [] {});
            options.device = test_device().id();
            options.variant = "gpu_tile";
            for (const bool is_lost : { false, true }) {
                correlator engine(
                    sample_type::cs8, antennas, 3000, count, options, registry);
                const auto device = registry.get(test_device());
                const auto got = run(engine, [&] {
                    if (is_lost)
                        device->inject_failure(injected_call::enqueue);
                });
                device->inject_failure(injected_call::none);
                CPPUNIT_ASSERT_EQUAL(is_lost, engine.fell_back());
                CPPUNIT_ASSERT(got == expected);
            }
        }
        // The smallest buffers hold the visibilities of some hundred antennas.
        context_registry registry(profile_options("cl12-min"));
        correlator_options options;
        options.device = test_device().id();
        assert_refused({ "antennas", "600", "buffers" }, [&] {
            correlator(sample_type::fc32, 600, 1, 1, options, registry);
        });
    }

private:
    //! The text of a refusal; empty if nothing is refused.
    static std::string refusal_of(const std::function<void()>& action)
    {
        try {
            action();
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "";
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_profile_correlator, "qa_profile_correlator");

} // namespace
