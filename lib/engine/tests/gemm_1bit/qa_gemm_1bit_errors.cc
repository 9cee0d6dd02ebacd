// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of codes that are refused, and of those a device does not get.

#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_refused.h"

#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! Tests of refused arguments, and of codes that a device does not get. qa_products has
//! what all classes of products refuse.
class qa_gemm_1bit_errors : public gemm_1bit_fixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_1bit_errors);
    CPPUNIT_TEST(bad_codes);
    CPPUNIT_TEST(bad_calls);
    CPPUNIT_TEST(refused_codes_change_nothing);
    CPPUNIT_TEST(codes_too_long_for_the_device);
    CPPUNIT_TEST(a_device_lost_with_new_codes);
    CPPUNIT_TEST_SUITE_END();

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

    void a_device_lost_with_new_codes()
    {
        const gemm_1bit_case first(64, 3, 4, 1), second(64, 3, 4, 2);
        auto engine = on_device(first);
        first.check(engine);
        device()->inject_failure(injected_call::enqueue, 0);
        engine.set_codes(second.codes);
        second.check(engine);
        device()->inject_failure(injected_call::none);
        CPPUNIT_ASSERT(engine.fell_back());
        engine.set_codes(first.codes);
        first.check(engine);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_1bit_errors, "qa_gemm_1bit_errors");

} // namespace
