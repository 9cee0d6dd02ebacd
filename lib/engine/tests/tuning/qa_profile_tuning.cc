// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that tuning keeps to the limits of small devices.

#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_gemm_support.h"
#include "tests/support/qa_limits.h"
#include "tests/support/qa_tuning_support.h"

#include <cldsp/fast_convolution_tunable.h>
#include <cldsp/fir_tunable.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/gemm_1bit_tunable.h>
#include <cldsp/gemm_tunable.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <string>

using namespace cldsp;

namespace {

//! A tuning run of each operation under each profile, whose result is then used.
class qa_profile_tuning : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_profile_tuning);
    CPPUNIT_TEST(direct_filters);
#ifdef CLDSP_HAVE_VKFFT
    CPPUNIT_TEST(fast_convolution);
#endif
    CPPUNIT_TEST(products);
    CPPUNIT_TEST(products_of_bits);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t items = 1024;

    //! Tries the default and another point, and remembers the faster one. Every point is
    //! within the limits: all are right.
    static void check_tuned(context_registry& registry, device_tunable& kernel)
    {
        const auto result =
            tune_and_remember(kernel, random_search(2), registry.wisdom());
        for (const auto& p : result.points)
            CPPUNIT_ASSERT_MESSAGE(words(registry.options().profile,
                                         kernel.family(),
                                         p.point.text(),
                                         p.failure),
                                   p.good());
        CPPUNIT_ASSERT(result.best && result.confirmed);
        CPPUNIT_ASSERT(
            recall_tuning(registry.wisdom(), kernel.place(), kernel.problem()));
        // Another profile counts as another device.
        CPPUNIT_ASSERT(kernel.place().device.find("as " + registry.options().profile) !=
                       std::string::npos);
    }

    template <class Options>
    static Options on_device(const std::string& variant)
    {
        Options o;
        o.device = test_device().id();
        o.variant = variant;
        return o;
    }

public:
    void direct_filters()
    {
        const auto problem = make_fir_problem(sample_type::fc32, 4, 130, true);
        const fir_case c(problem, 300);
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            for (const char* variant : { "cpu_tile", "gpu_tile" }) {
                const auto kernel =
                    make_fir_tunable(registry, test_device(), problem, items, variant);
                check_tuned(registry, *kernel);
                auto o = on_device<one_thread_options>(variant);
                o.transfer = "copy";
                o.typical_items = items;
                freq_xlating_filter_bank filter(bank_of_one(problem), o, registry);
                CPPUNIT_ASSERT(filter.plan().find("; tuned: ") != std::string::npos);
                CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -120);
                CPPUNIT_ASSERT(!filter.fell_back());
            }
            // A strategy for the sizes of work-groups keeps to the limits, too.
            tuning_options o;
            o.evaluations = 2;
            o.runs = o.leaders = 1;
            o.strategy = "powers";
            const auto kernel =
                make_fir_tunable(registry, test_device(), problem, items, "gpu_tile");
            const auto result = tune(*kernel, o);
            for (const auto& p : result.points)
                CPPUNIT_ASSERT_MESSAGE(p.failure, p.good());
        }
    }

    void fast_convolution()
    {
        const auto problem = make_fir_problem(sample_type::fc32, 2, 9, true);
        const fir_case c(problem, 300);
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            const auto kernel =
                make_fast_convolution_tunable(registry, test_device(), problem, items);
            check_tuned(registry, *kernel);
            auto o = on_device<one_thread_options>("vkfft");
            o.transfer = "copy";
            o.typical_items = items;
            freq_xlating_filter_bank filter(bank_of_one(problem), o, registry);
            CPPUNIT_ASSERT(filter.plan().find("; tuned: ") != std::string::npos);
            CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -90);
            CPPUNIT_ASSERT(!filter.fell_back());
        }
        // The smallest device has no block for these taps.
        context_registry smallest(profile_options("cl12-min"));
        CPPUNIT_ASSERT_THROW(make_fast_convolution_tunable(
                                 smallest,
                                 test_device(),
                                 make_fir_problem(sample_type::fc32, 1, 100, true),
                                 items),
                             std::invalid_argument);
    }

    void products()
    {
        const gemm_shape shape{ 33, 21, 40 };
        const gemm_case c(gemm_type::f32, shape, 1.5f, 0.5f);
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            for (const char* variant : { "cpu_tile", "gpu_tile" }) {
                const auto kernel = make_gemm_tunable(
                    registry, test_device(), gemm_type::f32, shape, variant);
                check_tuned(registry, *kernel);
                gemm product(
                    gemm_type::f32, shape, on_device<gemm_options>(variant), registry);
                CPPUNIT_ASSERT(product.plan().find("; tuned: ") != std::string::npos);
                CPPUNIT_ASSERT(c.error(c.run(product)) <= c.bound());
                CPPUNIT_ASSERT(!product.fell_back());
            }
        }
    }

    void products_of_bits()
    {
        const gemm_1bit_case c(1000, 21, 37);
        for (const auto& profile : lowering_profiles()) {
            context_registry registry(profile_options(profile));
            for (const char* variant : { "cpu_tile", "gpu_tile" }) {
                const auto kernel = make_gemm_1bit_tunable(
                    registry, test_device(), { 37, 21, 1000 }, variant);
                check_tuned(registry, *kernel);
                gemm_1bit product(
                    c.codes, c.bits, c.count, on_device<gemm_options>(variant), registry);
                CPPUNIT_ASSERT(product.plan().find("; tuned: ") != std::string::npos);
                c.check(product);
                CPPUNIT_ASSERT(!product.fell_back());
            }
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_profile_tuning, "qa_profile_tuning");

} // namespace
