// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of refused products, and of devices that fail within one.

#include "tests/support/qa_gemm_engine_support.h"
#include "tests/support/qa_refused.h"

#include <cppunit/extensions/HelperMacros.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

using namespace cldsp;

namespace {

//! Tests of refused arguments, and of devices that fail within a product. qa_products has
//! what all classes of products refuse.
class qa_gemm_errors : public gemm_fixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_errors);
    CPPUNIT_TEST(bad_options);
    CPPUNIT_TEST(bad_arguments);
    CPPUNIT_TEST(nothing_is_held_at_first);
    CPPUNIT_TEST(a_device_lost_in_the_middle_of_a_product);
    CPPUNIT_TEST(a_device_lost_while_b_is_taken);
    CPPUNIT_TEST_SUITE_END();

public:
    void bad_options()
    {
        const auto make = [&](const gemm_shape& shape,
                              const std::string& device,
                              const std::string& variant,
                              gemm_type type = gemm_type::f32) {
            return [=] { gemm(type, shape, options(device, variant), *d_registry); };
        };
        assert_refused({ "'m' is 0", "1 or more" }, make({ 0, 1, 1 }, "host", "auto"));
        assert_refused({ "'n' is 0" }, make({ 1, 0, 1 }, "host", "auto"));
        assert_refused({ "'k' is 0" }, make({ 1, 1, 0 }, "host", "auto"));
        assert_refused({ "variant", "float8", "c32" },
                       make({}, "auto", "float8", gemm_type::c32));
        assert_refused({ "variant", "clblast", "f16" },
                       make({}, "auto", "clblast", gemm_type::f16));
        assert_refused({ "variant", "naive", "s8" },
                       make({}, "auto", "naive", gemm_type::s8));
        assert_refused({ "'k' is 131072", "at most 131071", "s8" },
                       make({ 1, 1, 131072 }, "host", "auto", gemm_type::s8));
    }

    void bad_arguments()
    {
        for (const bool host : { true, false }) {
            auto engine = host ? on_host(gemm_type::f32) : on_device(gemm_type::f32);
            std::vector<float> data(100, 1.0f);
            const const_gemm_matrix in = { data.data(), 4 };
            const gemm_matrix out = { data.data() + 50, 4 };
            const gemm_shape good = { 3, 4, 4 };
            const auto multiply = [&](const gemm_shape& shape,
                                      std::complex<float> alpha,
                                      const_gemm_matrix a,
                                      const_gemm_matrix b,
                                      std::complex<float> beta,
                                      gemm_matrix c) {
                return [=, &engine] { engine.multiply(shape, alpha, a, b, beta, c); };
            };
            assert_refused({ "'m' is 0" }, multiply({ 0, 4, 4 }, 1, in, in, 0, out));
            assert_refused({ "'n' is 0" }, multiply({ 3, 0, 4 }, 1, in, in, 0, out));
            assert_refused({ "'k' is 0" }, multiply({ 3, 4, 0 }, 1, in, in, 0, out));
            assert_refused({ "'a'", "null" },
                           multiply(good, 1, { nullptr, 4 }, in, 0, out));
            assert_refused({ "'b'", "null" },
                           multiply(good, 1, in, { nullptr, 4 }, 0, out));
            assert_refused({ "'c'", "null" },
                           multiply(good, 1, in, in, 0, { nullptr, 4 }));
            assert_refused({ "leading dimension of a", "3", "4 or more" },
                           multiply(good, 1, { data.data(), 3 }, in, 0, out));
            assert_refused({ "leading dimension of b", "3" },
                           multiply(good, 1, in, { data.data(), 3 }, 0, out));
            assert_refused({ "leading dimension of c", "3" },
                           multiply(good, 1, in, in, 0, { data.data(), 3 }));
            assert_refused({ "rows of a" },
                           multiply({ std::size_t(1) << 62, 4, 4 }, 1, in, in, 0, out));
            assert_refused({ "alpha", "real" }, multiply(good, { 1, 1 }, in, in, 0, out));
            assert_refused({ "beta", "real" }, multiply(good, 1, in, in, { 0, 1 }, out));
            assert_refused({ "'k' is 0" }, [&] { engine.hold_b(0, 1, in); });
            assert_refused({ "'n' is 0" }, [&] { engine.hold_b(1, 0, in); });
            assert_refused({ "'b'", "null" }, [&] {
                engine.hold_b(4, 4, { nullptr, 4 });
            });
            assert_refused({ "leading dimension of b" },
                           [&] { engine.hold_b(4, 5, in); });
            engine.hold_b(4, 4, in);
            assert_refused({ "'m' is 0" },
                           [&] { engine.multiply_held(0, 1, in, 0, out); });
            assert_refused({ "leading dimension of a" }, [&] {
                engine.multiply_held(3, 1, { data.data(), 3 }, 0, out);
            });
            for (const float value : data)
                CPPUNIT_ASSERT_EQUAL(1.0f, value);
        }
        for (const bool host : { true, false }) {
            auto engine = host ? on_host(gemm_type::s8) : on_device(gemm_type::s8);
            const std::vector<std::int8_t> in(max_s8_terms + 1, 1);
            std::int32_t out = 7;
            const auto multiply = [&](std::size_t k, float alpha, float beta) {
                return [&, k, alpha, beta] {
                    engine.multiply({ 1, 1, k },
                                    alpha,
                                    { in.data(), in.size() },
                                    { in.data(), 1 },
                                    beta,
                                    { &out, 1 });
                };
            };
            assert_refused({ "alpha", "2", "0 or 1", "s8" }, multiply(1, 2, 0));
            assert_refused({ "beta", "-1", "0 or 1", "s8" }, multiply(1, 1, -1));
            assert_refused({ "'k' is 131072", "at most 131071", "s8" },
                           multiply(max_s8_terms + 1, 1, 0));
            assert_refused({ "'k' is 131072" }, [&] {
                engine.hold_b(max_s8_terms + 1, 1, { in.data(), 1 });
            });
            CPPUNIT_ASSERT_EQUAL(7, out);
            multiply(max_s8_terms, 1, 1)();
            CPPUNIT_ASSERT_EQUAL(static_cast<std::int32_t>(max_s8_terms) + 7, out);
        }
        auto complex = on_host(gemm_type::c32);
        check(complex, { gemm_type::c32, { 3, 4, 4 }, { 0, 1 }, { 1, -1 } }, false);
    }

    void nothing_is_held_at_first()
    {
        auto engine = on_host(gemm_type::f32);
        float x = 1;
        CPPUNIT_ASSERT_THROW(engine.multiply_held(1, 1, { &x, 1 }, 0, { &x, 1 }),
                             std::logic_error);
    }

    //! The old content of C counts although some parts of C are already overwritten.
    void a_device_lost_in_the_middle_of_a_product()
    {
        use_profile("cl12-min"); // products are divided for the small buffers of this
                                 // profile
        if (small_tests())
            return;
        for (const auto call : { injected_call::enqueue, injected_call::allocate })
            for (int after = 0; after < 24; after += 1 + after / 4) {
                auto engine = on_device(gemm_type::f32);
                device()->inject_failure(call, after);
                const gemm_case product(gemm_type::f32, { 700, 500, 2 }, 1, 1);
                check(engine, product, false);
                device()->inject_failure(injected_call::none);
                CPPUNIT_ASSERT(engine.fell_back() || after > 4 ||
                               call == injected_call::allocate);
                check(engine, product, true);
            }
    }

    void a_device_lost_while_b_is_taken()
    {
        for (const auto call : { injected_call::enqueue, injected_call::allocate })
            for (int after = 0; after < 3; after++) {
                auto engine = on_device(gemm_type::f32);
                const gemm_case product(gemm_type::f32, { 9, 17, 33 }, 1, 1);
                device()->inject_failure(call, after);
                check(engine, product, true);
                device()->inject_failure(injected_call::none);
                check(engine, product, true);
            }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_errors, "qa_gemm_errors");

} // namespace
