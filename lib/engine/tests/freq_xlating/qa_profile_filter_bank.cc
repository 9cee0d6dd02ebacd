// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that banks keep to the limits of small devices, with every plan.

#include "tests/support/qa_bank_of_one.h"
#include "tests/support/qa_bank_of_rates.h"
#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_limits.h"
#include "tests/support/qa_refused.h"

#include <cldsp/freq_xlating_filter_bank.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! Filter banks under each profile, from the choice of a plan to the loss of a device.
class qa_profile_filter_bank : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_profile_filter_bank);
    CPPUNIT_TEST(changing_banks);
    CPPUNIT_TEST(every_algorithm_by_name);
    CPPUNIT_TEST(automatic_plans);
    CPPUNIT_TEST(limits_on_the_queue);
    CPPUNIT_TEST(lost_devices);
    CPPUNIT_TEST(banks_of_rates);
    CPPUNIT_TEST_SUITE_END();

    static freq_xlating_filter_bank_options options(const std::string& device,
                                                    const std::string& variant = "auto",
                                                    const std::string& transfer = "auto")
    {
        freq_xlating_filter_bank_options o;
        o.device = device;
        o.variant = variant;
        o.transfer = transfer;
        o.accuracy = 0;
        o.typical_items = 2000;
        return o;
    }
    static freq_xlating_filter_bank_options on_device(const std::string& variant,
                                                      const std::string& transfer)
    {
        return options(test_device().id(), variant, transfer);
    }

    //! A bank whose blocks fit the smallest work-groups.
    static freq_xlating_filter_bank_problem small_bank(std::size_t channels)
    {
        return make_bank_problem(sample_type::fc32, 2, 9, true, channels);
    }

    //! Runs a bank beside single filters on the host.
    static void check(const freq_xlating_filter_bank_problem& problem,
                      const freq_xlating_filter_bank_options& options,
                      context_registry& registry,
                      std::size_t outputs,
                      std::size_t changes)
    {
        bank_beside_singles both(problem, options, registry, 3);
        both.run(outputs, changes);
        CPPUNIT_ASSERT_MESSAGE(
            words(registry.options().profile, both.bank().plan(), both.error()),
            both.error() < -120);
        CPPUNIT_ASSERT(!both.bank().fell_back());
    }

public:
    //! Frequencies, and numbers of taps, change while the stream runs.
    void changing_banks()
    {
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            for (const char* variant : { "cpu_tile", "gpu_tile" })
                check(make_bank_problem(sample_type::fc32, 6, 31, true, 7),
                      on_device(variant, "mapped"),
                      registry,
                      400,
                      20);
            check(make_bank_problem(sample_type::fc32, 8, 19, true, 150),
                  on_device("gpu_tile", "zero_copy"),
                  registry,
                  20,
                  3);
        }
    }

    void every_algorithm_by_name()
    {
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            std::vector<std::string> variants = { "gpu_tile" };
#ifdef CLDSP_HAVE_VKFFT
            variants.insert(variants.end(), { "vkfft", "fused_fold", "tiled_fold" });
#endif
            for (const auto& variant : variants) {
                const auto o = on_device(variant, "copy");
                const freq_xlating_filter_bank bank(small_bank(3), o, registry);
                CPPUNIT_ASSERT_EQUAL(variant, bank.variant_name());
                CPPUNIT_ASSERT_EQUAL(
                    std::string(variant == "gpu_tile" ? "direct" : "fast_convolution"),
                    bank.algorithm_name());
                check(small_bank(3), o, registry, 200, 0);
            }
        }
#ifdef CLDSP_HAVE_VKFFT
        // No block of the smallest device is long enough for these taps.
        context_registry smallest(profile_options("cl12-min"));
        const auto longer = make_bank_problem(sample_type::fc32, 2, 100, true, 3);
        for (const char* variant : { "vkfft", "fused_fold" })
            assert_refused({ "taps", "may have 32 items on the device" }, [&] {
                freq_xlating_filter_bank(longer, on_device(variant, "copy"), smallest);
            });
        one_thread_options one;
        one.device = test_device().id();
        one.algorithm = "fast_convolution";
        assert_refused({ "taps", "100" }, [&] {
            freq_xlating_filter_bank(bank_of_one(longer.channel(0)), one, smallest);
        });
#endif
    }

    //! The plans of "auto", which are measured once, keep to the limits.
    void automatic_plans()
    {
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            const auto problem = make_bank_problem(sample_type::cs16, 4, 33, false, 3);
            for (const std::string& device :
                 { std::string("auto"), test_device().id(), std::string("cpu") }) {
                if (device == "cpu" && test_device().kind != device_kind::cpu)
                    continue;
                check(problem, options(device), registry, 300, 3);
                const freq_xlating_filter_bank again(problem, options(device), registry);
                CPPUNIT_ASSERT(again.plan().find("remembered") != std::string::npos ||
                               again.plan().find("measured") == std::string::npos);
            }
        }
    }

    //! One command at a time, and kernels of the shortest time.
    void limits_on_the_queue()
    {
        const auto problem = make_fir_problem(sample_type::fc32, 2, 9, true);
        const fir_case c(problem, 1000);
        for (const auto& profile : lowering_profiles()) {
            auto context_options = profile_options(profile);
            context_options.queue_window = 1;
            context_options.longest_kernel = 1e-9;
            context_registry registry(context_options);
            std::vector<std::string> variants = { "gpu_tile" };
#ifdef CLDSP_HAVE_VKFFT
            variants.emplace_back("vkfft");
#endif
            for (const auto& variant : variants) {
                one_thread_options o;
                o.device = test_device().id();
                o.variant = variant;
                o.transfer = "copy";
                o.accuracy = 0;
                freq_xlating_filter_bank filter(bank_of_one(problem), o, registry);
                c.run(filter); // shows how long the kernels run
                filter.reset();
                const auto device = registry.get(test_device());
                const auto before = device->commands();
                CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -120);
                CPPUNIT_ASSERT(!filter.fell_back());
                CPPUNIT_ASSERT(device->commands() - before > 20);
                CPPUNIT_ASSERT_EQUAL(std::size_t(1), device->max_in_flight());
            }
        }
    }

    void lost_devices()
    {
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            const auto device = registry.get(test_device());
            std::vector<std::string> variants = { "gpu_tile" };
#ifdef CLDSP_HAVE_VKFFT
            variants.emplace_back("vkfft");
#endif
            for (const auto& variant : variants)
                for (const auto call :
                     { injected_call::enqueue, injected_call::allocate }) {
                    bank_beside_singles both(
                        small_bank(3), on_device(variant, "copy"), registry, 6);
                    device->inject_failure(call, 2);
                    both.run(400, 10);
                    device->inject_failure(injected_call::none);
                    CPPUNIT_ASSERT(both.error() < -120);
                    CPPUNIT_ASSERT(both.bank().fell_back());
                    CPPUNIT_ASSERT_EQUAL(std::string("host"), both.bank().device_name());
                }
            device->inject_failure(injected_call::build);
            const freq_xlating_filter_bank bank(
                small_bank(3), on_device("cpu_tile", "mapped"), registry);
            device->inject_failure(injected_call::none);
            CPPUNIT_ASSERT(bank.fell_back());
        }
    }

    //! The channels of several rates run on the host, whatever the limits of the devices.
    void banks_of_rates()
    {
        const bank_of_rates of(sample_type::fc32, { { 1, 8 }, { 2, 5 } }, { 3, 2 }, 400);
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            const freq_xlating_filter_bank bank(of.problem, options("auto"), registry);
            CPPUNIT_ASSERT_EQUAL(std::string("host"), bank.device_name());
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_profile_filter_bank, "qa_profile_filter_bank");

} // namespace
