/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating/cost_model.h"
#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_refused.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! Tests of the 1-bit product: refused arguments, the choice of an executor, and the
//! fallback from a lost device.
class qa_gemm_1bit_errors : public gemm_1bit_fixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_1bit_errors);
    CPPUNIT_TEST(bad_codes);
    CPPUNIT_TEST(bad_options);
    CPPUNIT_TEST(bad_calls);
    CPPUNIT_TEST(refused_codes_change_nothing);
    CPPUNIT_TEST(codes_too_long_for_the_device);
    CPPUNIT_TEST(auto_measures_once_and_says_so);
    CPPUNIT_TEST(a_lost_device_at_every_call);
    CPPUNIT_TEST(a_device_lost_with_new_codes);
    CPPUNIT_TEST(broken_programs_leave_the_host);
    CPPUNIT_TEST_SUITE_END();

    void check_lost(const gemm_1bit& engine)
    {
        CPPUNIT_ASSERT(engine.fell_back());
        CPPUNIT_ASSERT_EQUAL(std::string("host"), engine.device_name());
        CPPUNIT_ASSERT_EQUAL(std::string("simd"), engine.variant_name());
        CPPUNIT_ASSERT_EQUAL(std::string("none"), engine.transfer_name());
        CPPUNIT_ASSERT(engine.plan().find("host instead") != std::string::npos);
        CPPUNIT_ASSERT(logged("the host goes on"));
    }

public:
    void bad_codes()
    {
        const auto make = [&](const gemm_1bit_code_list& codes,
                              std::size_t bits,
                              std::size_t items = 1) {
            return [=] { gemm_1bit(codes, bits, items, options("host"), *d_registry); };
        };
        assert_refused({ "codes", "empty", "one" }, make({}, 8));
        assert_refused({ "bits", "is 0", "multiple of 8" }, make({ {} }, 0));
        assert_refused({ "bits", "12" }, make({ { 1, 2 } }, 12));
        assert_refused({ "bits", "2^30" }, make({ {} }, (std::size_t(1) << 30) + 8));
        assert_refused({ "codes[1]", "1 bytes", "2 bytes" },
                       make({ { 1, 2 }, { 1 } }, 16));
        assert_refused({ "codes[0]", "3 bytes" }, make({ { 1, 2, 3 }, { 1, 2 } }, 16));
        assert_refused({ "typical_items", "is 0" }, make({ { 1 } }, 8, 0));
    }

    void bad_options()
    {
        const gemm_1bit_case problem(64, 3, 3);
        const auto with = [&](const std::string& device_text,
                              const std::string& variant) {
            return [=, &problem] { make(problem, device_text, variant); };
        };
        assert_refused({ "device", "toaster" }, with("toaster", "auto"));
        assert_refused({ "device", "99:0" }, with("99:0", "auto"));
        assert_refused({ "variant", "espresso", "auto, naive" },
                       with("auto", "espresso"));
        assert_refused({ "variant", "naive", "host" }, with("host", "naive"));
        assert_refused({ "variant", "simd" }, with(test_device().id(), "simd"));
        auto o = options("host");
        o.precision = "bf16";
        assert_refused({ "precision", "'bf16'", "'tf32'" }, [&] {
            gemm_1bit(problem.codes, problem.bits, problem.count, o, *d_registry);
        });
    }

    void bad_calls()
    {
        const gemm_1bit_case problem(16, 3, 2);
        for (const auto& device_text : { std::string("host"), test_device().id() }) {
            auto engine = make(problem, device_text);
            std::vector<std::uint8_t> items(8);
            std::vector<std::int32_t> out(12);
            const auto call = [&](std::size_t bytes, std::size_t outputs) {
                return [=, &engine, &items, &out] {
                    engine.correlate({ items.data(), bytes }, { out.data(), outputs });
                };
            };
            assert_refused({ "items", "3 bytes", "multiple of 2" }, call(3, 6));
            assert_refused({ "correlations", "5 values", "6" }, call(4, 5));
            assert_refused({ "correlations", "12 values", "6" }, call(4, 12));
            assert_refused({ "correlations", "3 values" }, call(0, 3));
            problem.check(engine);
        }
    }

    void refused_codes_change_nothing()
    {
        const gemm_1bit_case problem(72, 2, 5);
        for (const auto& device_text : { std::string("host"), test_device().id() }) {
            auto engine = make(problem, device_text);
            assert_refused({ "codes", "1 of them", "2" },
                           [&] { engine.set_codes(random_codes(72, 1, 3)); });
            assert_refused({ "codes", "0 of them" }, [&] { engine.set_codes({}); });
            assert_refused({ "codes[1]", "8 bytes", "9 bytes" }, [&] {
                engine.set_codes({ random_bytes(9, 1), random_bytes(8, 1) });
            });
            problem.check(engine);
        }
    }

    void codes_too_long_for_the_device()
    {
        use_profile("cl12-min");
        const gemm_1bit_case problem(std::size_t(1) << 24, 2, 1);
        assert_refused({ "device", "bytes" }, [&] { on_device(problem); });
        auto engine = make(problem, "auto");
        CPPUNIT_ASSERT_EQUAL(std::string("host"), engine.device_name());
        problem.check(engine);
    }

    void auto_measures_once_and_says_so()
    {
        const gemm_1bit_case problem(1024, 16, 20);
        auto first = make(problem, "auto");
        problem.check(first);
        CPPUNIT_ASSERT(logged("plan: "));
        CPPUNIT_ASSERT(first.plan().find("Gop/s") != std::string::npos);
        CPPUNIT_ASSERT(first.plan().find("popcount/" + first.variant_name()) == 0);
        auto second = make(problem, "auto");
        problem.check(second);
        CPPUNIT_ASSERT_EQUAL(first.device_name(), second.device_name());
        if (first.plan().find("measured") != std::string::npos &&
            first.plan().find("not measured") == std::string::npos)
            CPPUNIT_ASSERT_MESSAGE(second.plan(),
                                   second.plan().find("remembered") != std::string::npos);
    }

    void a_lost_device_at_every_call()
    {
        const gemm_1bit_case problem(1048, 20, 6);
        int lost = 0;
        for (const auto& variant : gemm_1bit_variants()) {
            if (variant.ladder == "host" || !variant.fits(device()->device()))
                continue;
            for (const auto kind : { injected_call::enqueue, injected_call::allocate })
                for (int after = 0; after < 4; after++) {
                    auto engine = on_device(problem, variant.name);
                    d_log.clear();
                    device()->inject_failure(kind, after);
                    problem.check(engine);
                    device()->inject_failure(injected_call::none);
                    if (engine.fell_back()) {
                        check_lost(engine);
                        lost++;
                    }
                    problem.check(engine);
                }
        }
        CPPUNIT_ASSERT(lost >= 8);
    }

    void a_device_lost_with_new_codes()
    {
        const gemm_1bit_case first(64, 3, 4, 1), second(64, 3, 4, 2);
        auto engine = on_device(first);
        first.check(engine);
        device()->inject_failure(injected_call::enqueue, 0);
        engine.set_codes(second.codes);
        second.check(engine);
        device()->inject_failure(injected_call::none);
        check_lost(engine);
        engine.set_codes(first.codes);
        first.check(engine);
    }

    void broken_programs_leave_the_host()
    {
        const gemm_1bit_case problem(64, 3, 4);
        device()->inject_failure(injected_call::build);
        auto engine = on_device(problem, "private_sum");
        device()->inject_failure(injected_call::none);
        CPPUNIT_ASSERT(logged("is left out"));
        CPPUNIT_ASSERT(engine.fell_back());
        CPPUNIT_ASSERT(logged("the host computes instead"));
        problem.check(engine);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_1bit_errors, "qa_gemm_1bit_errors");

} // namespace
