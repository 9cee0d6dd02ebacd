// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that every variant computes products of random sizes rightly.

#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_gemm_engine_support.h"
#include "tests/support/qa_refused.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <complex>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace cldsp;

namespace {

constexpr unsigned seed_of_shapes = 20260;
constexpr unsigned shapes_of_elements = 160, shapes_of_bits = 40;

//! Draws sizes: small ones, those at the edges of tiles, and ones without any pattern.
class random_sizes
{
public:
    //! \param most the largest product of three sizes
    explicit random_sizes(double most) : d_most(most) {}

    std::size_t up_to(std::size_t most)
    {
        return std::uniform_int_distribution<std::size_t>(0, most)(d_random);
    }
    bool one_in(std::size_t count) { return up_to(count - 1) == 0; }

    std::size_t size()
    {
        switch (up_to(5)) {
        case 0:
            return 1;
        case 1:
            return 2 + up_to(7);
        case 2: {
            static constexpr std::size_t tiles[] = { 16, 32, 64, 128 };
            return tiles[up_to(3)] - 1 + up_to(2);
        }
        default:
            return 1 + up_to(89);
        }
    }

    gemm_shape shape()
    {
        std::size_t sizes[3] = { size(), size(), size() };
        // Some matrices have many rows or columns, or their products many terms.
        if (one_in(5))
            sizes[up_to(2)] = 1000 + up_to(2000);
        while (static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]) *
                   static_cast<double>(sizes[2]) >
               d_most) {
            auto& size = sizes[up_to(2)];
            size = (size + 1) / 2;
        }
        return { sizes[0], sizes[1], sizes[2] };
    }

    std::complex<float> factor(gemm_type type)
    {
        const std::complex<float> factors[] = { 1, 0, -0.75f, { 0.3f, -0.8f } };
        return factors[up_to(type == gemm_type::c32 ? 3 : 2)];
    }

private:
    double d_most;
    std::mt19937 d_random{ seed_of_shapes };
};

/*!
 * Products of random shapes by every variant of the host and of the devices. The matrices
 * have gaps between their rows, some are badly scaled, and C holds numbers that are none,
 * or others, before each call. A GPU computes larger products, with its matrix units in
 * every precision.
 */
class qa_gemm_random_shapes : public gemm_fixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_random_shapes);
    CPPUNIT_TEST(elements);
    CPPUNIT_TEST(bits);
    CPPUNIT_TEST_SUITE_END();

    //! An engine with one variant of a device.
    struct computer {
        std::string name;
        gemm_precision precision;
        std::unique_ptr<gemm> engine;
    };

    static double max_products(double on_a_gpu)
    {
        const auto& devices = test_devices();
        const bool has_gpu =
            std::any_of(devices.begin(), devices.end(), [](const auto& d) {
                return d.kind == device_kind::gpu;
            });
        return small_tests() ? 2000 : has_gpu ? on_a_gpu : 20000;
    }

    std::vector<computer> computers(gemm_type type)
    {
        std::vector<computer> all;
        const auto add = [&](const std::string& device,
                             const std::string& variant,
                             gemm_precision precision) {
            auto o = options(device, variant);
            o.precision = precision_name(precision);
            try {
                all.push_back({ variant + " " + o.precision + " on " + device,
                                precision,
                                std::make_unique<gemm>(
                                    type, gemm_shape{ 64, 64, 64 }, o, *d_registry) });
            } catch (const std::invalid_argument& e) {
                // The device cannot run this variant.
                assert_names(e.what(), { "variant" });
            }
        };
        add("host", "simd", gemm_precision::exact);
        for (const auto& device : test_devices())
            for (const auto& variant : gemm_variants()) {
                if (variant.ladder == "host" || !variant.takes(type) ||
                    !variant.fits(device))
                    continue;
                add(device.id(), variant.name, gemm_precision::exact);
                const bool floats = type == gemm_type::f32 || type == gemm_type::c32;
                if (variant.min_compute_capability > 0 && floats)
                    for (const auto less : { gemm_precision::tf32, gemm_precision::half })
                        add(device.id(), variant.name, less);
            }
        CPPUNIT_ASSERT(all.size() > 1);
        return all;
    }

    void check_product(computer& by, const gemm_case& product, bool hold, unsigned number)
    {
        const double error = product.error(product.run(*by.engine, hold));
        CPPUNIT_ASSERT_MESSAGE("shape " + std::to_string(number) + ", " +
                                   product.describe() + (hold ? ", held" : "") + " by " +
                                   by.name + ": " + std::to_string(error),
                               error <= product.bound(by.precision));
    }

    //! A size of 0 is refused, and C stays as it is.
    void check_empty(computer& by, gemm_shape shape, std::size_t which)
    {
        const gemm_case product(by.engine->type(), shape, 1, 0);
        (which == 0 ? shape.m : which == 1 ? shape.n : shape.k) = 0;
        auto c = product.c();
        assert_refused({ std::string(1, "mnk"[which]), "0", "1 or more" }, [&] {
            by.engine->multiply(shape,
                                1,
                                gemm_case::view(product.a()),
                                gemm_case::view(product.b()),
                                0,
                                { c.bytes.data(), c.leading });
        });
        CPPUNIT_ASSERT(c.bytes == product.c().bytes);
    }

public:
    void elements()
    {
        random_sizes random(max_products(400000));
        std::map<gemm_type, std::vector<computer>> by_type;
        for (const auto type :
             { gemm_type::f32, gemm_type::c32, gemm_type::f16, gemm_type::s8 })
            by_type[type] = computers(type);
        const unsigned count = small_tests() ? 12 : shapes_of_elements;
        for (unsigned i = 0; i < count; i++) {
            const auto type = static_cast<gemm_type>(i % 4);
            const auto shape = random.shape();
            const auto alpha = random.factor(type), beta = random.factor(type);
            const auto gap = random.up_to(9);
            const bool hold = random.one_in(3), is_empty = random.one_in(10),
                       is_scaled = random.one_in(3);
            const auto which = random.up_to(2);
            gemm_case product(type, shape, alpha, beta, i, gap);
            if (type == gemm_type::f16)
                product.keep_from_zero(0x1p-6f);
            auto scaled = product, of_halves = product;
            scaled.scale_badly();
            of_halves.keep_from_zero(0x1p-10f);
            for (auto& by : by_type[type]) {
                if (is_empty)
                    check_empty(by, shape, which);
                check_product(by,
                              by.precision == gemm_precision::half ? of_halves
                              : is_scaled                          ? scaled
                                                                   : product,
                              hold,
                              i);
            }
        }
        for (auto& [type, all] : by_type)
            for (auto& by : all)
                CPPUNIT_ASSERT_MESSAGE(by.name, !by.engine->fell_back());
    }

    void bits()
    {
        random_sizes random(max_products(400000));
        const unsigned count = small_tests() ? 4 : shapes_of_bits;
        for (unsigned i = 0; i < count; i++) {
            const auto shape = random.shape();
            const gemm_1bit_case product(8 * shape.k, shape.n, shape.m, i);
            const auto offset = random.up_to(5);
            const auto check_by = [&](const std::string& device,
                                      const std::string& variant) {
                gemm_1bit engine(product.codes,
                                 product.bits,
                                 product.count,
                                 options(device, variant),
                                 *d_registry);
                product.check(engine, offset);
                CPPUNIT_ASSERT(!engine.fell_back());
            };
            check_by("host", "simd");
            for (const auto& device : test_devices())
                for (const auto& variant : gemm_1bit_variants())
                    if (variant.ladder != "host" && variant.fits(device))
                        check_by(device.id(), variant.name);
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_random_shapes, "qa_gemm_random_shapes");

} // namespace
