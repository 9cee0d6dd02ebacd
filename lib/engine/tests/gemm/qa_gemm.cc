// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of matrix products against the model, with changing shapes and matrices.

#include "opencl/matrix_units.h"
#include "tests/support/qa_gemm_engine_support.h"
#include "tuning/kernel_parameters.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

constexpr gemm_type types[] = {
    gemm_type::f32, gemm_type::c32, gemm_type::f16, gemm_type::s8
};

//! Tests of products of the engine's class, against the model. qa_gemm_random_shapes runs
//! every variant, and qa_products has what all classes of products have in common.
class qa_gemm : public gemm_fixture
{
    CPPUNIT_TEST_SUITE(qa_gemm);
    CPPUNIT_TEST(precision_is_a_permission);
    CPPUNIT_TEST(changing_shapes);
    CPPUNIT_TEST(held_b_is_a_copy);
    CPPUNIT_TEST(held_b_changes);
    CPPUNIT_TEST(matrices_at_odd_addresses);
    CPPUNIT_TEST(the_host_computes_what_does_not_fit);
    CPPUNIT_TEST(tiles_of_matrix_units);
    CPPUNIT_TEST(bytes_of_full_scale);
    CPPUNIT_TEST_SUITE_END();

public:
    //! Without matrix units all products stay exact, and plans say why.
    void precision_is_a_permission()
    {
        const auto device = test_device();
        const bool has_units = missing_tensor_reason(device).empty();
        const auto own = tile_for(device);
        for (const auto type : types)
            for (const std::string precision : { "exact", "tf32", "half" })
                for (const auto& [where, variant] :
                     { std::pair<std::string, std::string>(device.id(), "auto"),
                       std::pair<std::string, std::string>(device.id(), own),
                       std::pair<std::string, std::string>("host", "auto"),
                       std::pair<std::string, std::string>("auto", "auto") }) {
                    if (has_units && variant == "auto" && where != "host")
                        continue; // the measurement may take less precise units
                    auto o = options(where, variant);
                    o.precision = precision;
                    gemm engine(type, { 32, 32, 32 }, o, *d_registry);
                    check(engine, { type, { 33, 20, 31 }, 1, 0 });
                    CPPUNIT_ASSERT(engine.chosen().precision.empty());
                    const bool floats = type == gemm_type::f32 || type == gemm_type::c32;
                    const bool told = precision != "exact" && floats;
                    const std::string why = !told ? ""
                                            : variant == "auto"
                                                ? "no matrix units"
                                                : "variant '" + own + "' is always exact";
                    CPPUNIT_ASSERT_EQUAL(why, engine.chosen().exact_because);
                    CPPUNIT_ASSERT_EQUAL_MESSAGE(engine.plan(),
                                                 told,
                                                 engine.plan().find("; exact: " + why) !=
                                                     std::string::npos);
                }
    }

    void changing_shapes()
    {
        std::mt19937 random(5);
        std::uniform_int_distribution<std::size_t> size(1, small_tests() ? 20 : 90);
        for (const auto type : { gemm_type::f32, gemm_type::c32 }) {
            auto device = on_device(type);
            auto host = on_host(type);
            for (unsigned i = 0; i < (small_tests() ? 5 : 40); i++) {
                const gemm_shape shape{ size(random), size(random), size(random) };
                const gemm_case product(type, shape, 1, i % 2 ? 1.0f : 0.0f, i, i % 4);
                check(device, product, i % 3 == 0);
                check(host, product, i % 3 == 0);
            }
            CPPUNIT_ASSERT(!device.fell_back());
        }
    }

    void held_b_is_a_copy()
    {
        for (const bool host : { true, false }) {
            auto engine = host ? on_host(gemm_type::f32) : on_device(gemm_type::f32);
            const gemm_case product(gemm_type::f32, { 7, 9, 11 }, 1, 0);
            {
                auto b = product.b().bytes;
                engine.hold_b(11, 9, { b.data(), product.b().leading });
                std::fill(b.begin(), b.end(), std::uint8_t(0x7f));
            }
            for (int i = 0; i < 2; i++) {
                auto c = product.c();
                engine.multiply_held(
                    7, 1, gemm_case::view(product.a()), 0, { c.bytes.data(), c.leading });
                CPPUNIT_ASSERT(product.error(c) <= product.bound());
                // A product with its own B does not change the one that is held.
                check(engine, { gemm_type::f32, { 30, 40, 50 }, 1, 0 });
            }
        }
    }

    void held_b_changes()
    {
        auto engine = on_device(gemm_type::c32);
        for (const std::size_t n : { 5, 60, 5, 17 })
            check(engine, { gemm_type::c32, { 9, n, 70 - n }, 1, 1, 3 }, true);
    }

    //! The rows begin at every possible offset within a vector.
    void matrices_at_odd_addresses()
    {
        auto engine = on_device(gemm_type::f32);
        const std::size_t m = 6, n = 7, k = 5;
        std::vector<float> memory(300);
        for (std::size_t start = 0; start < 34; start++) {
            for (std::size_t i = 0; i < memory.size(); i++)
                memory[i] = static_cast<float>(i % 7) - 3;
            const float* a = memory.data() + start;
            const float* b = a + m * k;
            float* c = memory.data() + start + m * k + k * n;
            const auto before = memory;
            engine.multiply({ m, n, k }, 1, { a, k }, { b, n }, 0, { c, n });
            for (std::size_t i = 0; i < memory.size(); i++) {
                const float* at = memory.data() + i;
                float expected = before[i];
                if (at >= c && at < c + m * n) {
                    expected = 0;
                    for (std::size_t q = 0; q < k; q++)
                        expected += a[(at - c) / n * k + q] * b[q * n + (at - c) % n];
                }
                CPPUNIT_ASSERT_EQUAL(expected, memory[i]);
            }
        }
        CPPUNIT_ASSERT(!engine.fell_back());
    }

    //! With buffers of at most 1 MiB the device does not take so many terms.
    //! qa_profile_gemm has products that are divided.
    void the_host_computes_what_does_not_fit()
    {
        use_profile("cl12-min");
        const std::size_t k = 270000;
        for (const auto type : { gemm_type::f32, gemm_type::c32 }) {
            auto engine = on_device(type);
            for (const bool hold : { false, true }) {
                check(engine, { type, { 2, 1, k }, 1, 1 }, hold);
                CPPUNIT_ASSERT(logged("the host computes what does not fit"));
                check(engine, { type, { 20, 30, 40 }, 1, 1 }, hold);
            }
            CPPUNIT_ASSERT_EQUAL(test_device().name, engine.device_name());
            CPPUNIT_ASSERT(!engine.fell_back());
        }
    }

    //! On a GPU with matrix units: whole tiles of every size and parts of them, over many
    //! steps, in which warps that do not wait for each other have time to part.
    void tiles_of_matrix_units()
    {
        for (const auto& device : test_devices()) {
            for (const auto& variant : variants_of_matrix_units(device))
                for (const auto type : types) {
                    auto engine = make(type, device.id(), variant);
                    CPPUNIT_ASSERT(engine);
                    for (const std::size_t k : { 256, 2001 })
                        for (const bool hold : { false, true }) {
                            check(*engine, { type, { 256, 512, k }, 1, 0 }, hold);
                            check(*engine, { type, { 131, 259, k }, 1, 1 }, hold);
                        }
                    // Sums of halves leave the units from 8192 terms on.
                    check(*engine, { type, { 130, 70, 9001 }, 1, 1 });
                    CPPUNIT_ASSERT(!engine->fell_back());
                    CPPUNIT_ASSERT(!logged("what does not fit"));
                }
        }
    }

    //! The largest sums of bytes that 32 bits hold, and a sum with C that wraps around.
    void bytes_of_full_scale()
    {
        const std::size_t k = small_tests() ? 2000 : max_s8_terms;
        const std::vector<std::int8_t> a(2 * k, -128);
        std::vector<std::int8_t> b(3 * k, -128);
        for (std::size_t i = 0; i < k; i++)
            b[3 * i + 1] = 127;
        const auto largest = static_cast<std::int64_t>(k) * 128 * 128;
        const auto least = -static_cast<std::int64_t>(k) * 128 * 127;
        const auto check_on = [&](gemm& engine) {
            std::vector<std::int32_t> c(6, 7);
            const auto multiply = [&](float beta) {
                engine.multiply({ 2, 3, k },
                                1,
                                { a.data(), k },
                                { b.data(), 3 },
                                beta,
                                { c.data(), 3 });
            };
            multiply(0);
            for (std::size_t i = 0; i < 6; i++)
                CPPUNIT_ASSERT_EQUAL(i % 3 == 1 ? least : largest, std::int64_t(c[i]));
            multiply(1);
            for (std::size_t i = 0; i < 6; i++)
                CPPUNIT_ASSERT_EQUAL(static_cast<std::int32_t>(static_cast<std::uint32_t>(
                                         2 * (i % 3 == 1 ? least : largest))),
                                     c[i]);
            CPPUNIT_ASSERT(!engine.fell_back());
        };
        auto host = on_host(gemm_type::s8);
        check_on(host);
        for (const auto& device : test_devices())
            for (const auto& variant : gemm_variants())
                if (variant.takes(gemm_type::s8) && variant.ladder != "host") {
                    auto engine = make(gemm_type::s8, device.id(), variant.name);
                    if (engine)
                        check_on(*engine);
                }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm, "qa_gemm");

} // namespace
