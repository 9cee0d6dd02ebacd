/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "tests/support/qa_gemm_support.h"

#include <cppunit/TestAssert.h>
#include <cppunit/TestFixture.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace cldsp {

//! Runs cases on one implementation.
class gemm_checks
{
public:
    using runner = std::function<gemm_case::matrix(const gemm_case&, bool hold)>;

    gemm_checks(gemm_type type,
                std::string name,
                runner run,
                gemm_precision precision = gemm_precision::exact)
        : d_type(type),
          d_precision(precision),
          d_name(std::move(name)),
          d_run(std::move(run))
    {
    }

    void check(const gemm_shape& shape,
               std::complex<float> alpha = 1,
               std::complex<float> beta = 0,
               bool hold = false,
               std::size_t gap = 3) const
    {
        const gemm_case test(d_type, shape, alpha, beta, 1, gap);
        const double error = test.error(d_run(test, hold));
        const std::string what = d_name + (hold ? ", held, " : ", ") + test.describe() +
                                 ": " + std::to_string(error);
        // A comparison with NaN is false.
        CPPUNIT_ASSERT_MESSAGE(what, error <= test.bound(d_precision));
    }

    //! Checks every pair of gemm_sizes() for m and n with some k, and the other way
    //! round.
    void edges() const
    {
        const auto sizes = gemm_sizes();
        for (std::size_t i = 0; i < sizes.size(); i++)
            for (std::size_t j = 0; j < sizes.size(); j++)
                check({ sizes[i], sizes[j], sizes[(i + j) % sizes.size()] },
                      1,
                      static_cast<float>(j % 2),
                      (i + j) % 3 == 0,
                      (i + j) % 4);
        for (const std::size_t size : sizes)
            check({ size, size, size });
        check({ 16, 16, 16 }); // a whole number of vectors
    }

    void random_rectangles(std::size_t most = 300) const
    {
        std::mt19937 random(7);
        std::uniform_int_distribution<std::size_t> size(1, small_tests() ? 30 : most);
        for (int i = 0; i < (small_tests() ? 1 : 12); i++)
            check({ size(random), size(random), size(random) }, 1.5f, -0.5f, i % 2 == 1);
    }

    void factors() const
    {
        std::vector<std::complex<float>> factors = { 0, 1, -1, 0.37f };
        if (d_type == gemm_type::c32)
            factors.insert(factors.end(), { { 0, 1 }, { -0.3f, 0.8f } });
        unsigned number = 0;
        for (const auto alpha : factors)
            for (const auto beta : factors)
                for (const bool hold : { false, true })
                    // In a simulator every fifth of these, which has each factor.
                    if (++number % 5 == 0 || !small_tests())
                        check({ 13, 21, 9 }, alpha, beta, hold);
    }

private:
    gemm_type d_type;
    gemm_precision d_precision;
    std::string d_name;
    runner d_run;
};

constexpr gemm_type all_gemm_types[] = {
    gemm_type::f32, gemm_type::c32, gemm_type::f16, gemm_type::s8
};
constexpr gemm_type float_types[] = { gemm_type::f32, gemm_type::c32 };
constexpr gemm_precision less_precise[] = { gemm_precision::tf32, gemm_precision::half };

//! The checks of a kernel on the first device under test. The matrices begin \p offset
//! elements into their buffers.
inline gemm_checks check_kernel(
    const std::shared_ptr<context>& device,
    gemm_type type,
    const std::string& name,
    const std::function<std::unique_ptr<gemm_kernel>(const gemm_kernel_args&)>& make,
    std::size_t offset = 0,
    gemm_precision precision = gemm_precision::exact)
{
    const auto queue = device->make_queue();
    const std::shared_ptr<gemm_kernel> kernel =
        make({ device, queue, type, {}, precision });
    return gemm_checks(
        type,
        name,
        [=](const gemm_case& test, bool hold) {
            return test.run(*kernel, *device, queue, hold, offset);
        },
        precision);
}

//! Tests of one of the production kernels, which any device can run.
class gemm_kernel_fixture : public CppUnit::TestFixture
{
public:
    void sizes_at_every_edge()
    {
        for (const auto type : all_gemm_types)
            checks(type).edges();
    }

    void random_rectangles()
    {
        for (const auto type : all_gemm_types)
            checks(type).random_rectangles();
    }

    void factors()
    {
        for (const auto type : all_gemm_types)
            checks(type).factors();
    }

protected:
    explicit gemm_kernel_fixture(std::string variant) : d_variant(std::move(variant)) {}

    gemm_checks checks(gemm_type type, std::size_t offset = 0) const
    {
        return check_kernel(
            d_device,
            type,
            d_variant,
            [&](const gemm_kernel_args& args) {
                return make_gemm_kernel(d_variant, args);
            },
            offset);
    }

    const std::string d_variant;
    context_registry d_registry{ test_options() };
    std::shared_ptr<context> d_device = d_registry.get(test_device());
};

} // namespace cldsp
