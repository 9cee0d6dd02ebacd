// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that the direct kernels keep to the limits of small devices.

#include "direct/opencl_direct.h"
#include "tests/support/qa_bank_executor_support.h"
#include "tests/support/qa_bank_of_one.h"
#include "tests/support/qa_limits.h"
#include "tests/support/qa_refused.h"

#include <cldsp/freq_xlating_filter_bank.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! The direct algorithm under each profile.
class qa_profile_direct : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_profile_direct);
    CPPUNIT_TEST(every_variant);
    CPPUNIT_TEST(items_and_taps_of_every_kind);
    CPPUNIT_TEST(divided_calls);
    CPPUNIT_TEST(taps_above_the_limits);
    CPPUNIT_TEST(lost_devices);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t buffer = std::size_t(32) << 10;

    static void check(const std::shared_ptr<context>& device,
                      const std::string& variant,
                      const std::string& transfer,
                      const std::vector<filter_channel>& channels,
                      std::size_t outputs,
                      double bound = -120)
    {
        const auto bank = make_opencl_direct(device, variant, transfer, channels);
        CPPUNIT_ASSERT_EQUAL(variant, bank->variant_name());
        stream_case c(channels, outputs);
        c.run(*bank);
        const auto& p = channels.front().problem;
        CPPUNIT_ASSERT_MESSAGE(words(device->options().profile,
                                     variant,
                                     transfer,
                                     sample_type_name(p.input),
                                     p.taps.size(),
                                     "taps, decimation",
                                     p.decimation,
                                     c.error()),
                               c.error() < bound);
    }

public:
    void every_variant()
    {
        const auto channels = make_channels(sample_type::fc32, 3, 61, 1, false);
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            for (const auto& v : freq_xlating_fir_variants())
                if (!v.host && v.algorithm == "direct")
                    check(device,
                          v.name,
                          "zero_copy",
                          channels,
                          200,
                          v.production ? -120 : -105);
        }
    }

    //! Real and complex items, taps that the work-items of a group sum up, and items
    //! that may lie at any address.
    void items_and_taps_of_every_kind()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            for (const char* variant : { "cpu_tile", "gpu_tile" })
                for (const auto type :
                     { sample_type::fc32, sample_type::cs12, sample_type::s8 })
                    for (const bool real_taps : { false, true })
                        check(device,
                              variant,
                              "copy",
                              make_channels(type, 4, 130, 2, real_taps),
                              60);
        }
    }

    //! The items or the outputs of these calls need several buffers.
    void divided_calls()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            for (const char* variant : { "cpu_tile", "gpu_tile" })
                for (const char* transfer : { "copy", "mapped", "zero_copy" })
                    for (const std::size_t decimation : { 1, 7 })
                        check(device,
                              variant,
                              transfer,
                              make_channels(sample_type::fc32, decimation, 61, 1, false),
                              decimation == 1 ? 9001 : 1301);
        }
    }

    void taps_above_the_limits()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            const std::size_t most = max_direct_taps(device->limits(), 8);
            CPPUNIT_ASSERT_EQUAL((buffer - device->limits().base_address_alignment) / 8,
                                 most);
            // The longest filter takes all of a buffer for an output.
            check(device,
                  "gpu_tile",
                  "zero_copy",
                  make_channels(sample_type::fc32, 5, most, 1, true),
                  3,
                  -110);
            assert_refused(
                { "taps", std::to_string(most + 1), "at most " + std::to_string(most) },
                [&] {
                    make_opencl_direct(
                        device,
                        "gpu_tile",
                        "copy",
                        make_channels(sample_type::fc32, 5, most + 1, 1, true));
                });
        }
        // The constant memory of the smallest device holds 128 taps.
        const auto device = small_device("cl12-min", buffer);
        const auto make = [&](std::size_t taps) {
            make_opencl_direct(device,
                               "constant",
                               "copy",
                               make_channels(sample_type::fc32, 5, taps, 1, true));
        };
        assert_refused({ "'constant'", "129 taps", "1024 bytes of constant memory" },
                       [&] { make(129); });
    }

    void lost_devices()
    {
        const auto problem = make_fir_problem(sample_type::cs16, 3, 40, false);
        const fir_case c(problem, 90);
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            for (const std::string transfer : { "copy", "mapped", "zero_copy" }) {
                one_thread_options options;
                options.device = test_device().id();
                options.variant = "cpu_tile";
                options.transfer = transfer;
                freq_xlating_filter_bank filter(bank_of_one(problem), options, registry);
                CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -120);
                CPPUNIT_ASSERT(!filter.fell_back());
                filter.reset();
                registry.get(test_device())->inject_failure(injected_call::enqueue);
                CPPUNIT_ASSERT(error_db(c.run_in_cuts(filter, 7), c.expected()) < -120);
                CPPUNIT_ASSERT(filter.fell_back());
                CPPUNIT_ASSERT_EQUAL(std::string("host"), filter.device_name());
            }
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_profile_direct, "qa_profile_direct");

} // namespace
