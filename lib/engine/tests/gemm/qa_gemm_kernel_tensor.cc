/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/gemm_parameters.h"
#include "gemm/gemm_tuning.h"
#include "tests/support/qa_gemm_engine_support.h"
#include "tests/support/qa_gemm_kernel_support.h"

#include <cldsp/errors.h>

#include <cppunit/extensions/HelperMacros.h>
#include <cmath>

using namespace cldsp;

namespace {

constexpr gemm_type tensor_types[] = { gemm_type::f32, gemm_type::c32 };

// Small tiles, because an emulated fragment takes as long as a small product. The groups
// of 4 warps copy whole tiles without checks; the others check every copy.
const gemm_tensor_parameters four_warps = { 64, 64, 32, 32, 2 };
const gemm_tensor_parameters two_warps = { 32, 32, 16, 32, 2 };
const gemm_tensor_parameters wide_warp = { 16, 64, 16, 64, 3 };

} // namespace

/*!
 * Tests of the kernel for matrix units. On devices without them, it runs with its
 * instruction replaced by OpenCL C in which the lanes of a warp exchange their fragments,
 * so that a value in a wrong lane gives a wrong product.
 */
class qa_gemm_kernel_tensor : public gemm_fixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_kernel_tensor);
    CPPUNIT_TEST(sizes_at_every_edge);
    CPPUNIT_TEST(whole_tiles);
    CPPUNIT_TEST(factors);
    CPPUNIT_TEST(aligned_and_not);
    CPPUNIT_TEST(badly_scaled_rows);
    CPPUNIT_TEST(choice_by_size);
    CPPUNIT_TEST(refused_parameters);
    CPPUNIT_TEST(device_without_matrix_units);
    CPPUNIT_TEST(old_nvidia_device);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        gemm_fixture::setUp();
        // The emulated kernel needs these limits, and a profile may lower them.
        d_fits = device()->limits().max_work_group_size >= four_warps.items() &&
                 device()->limits().local_memory >= 32768;
        if (device()->limits().max_work_group_size < four_warps.items())
            CPPUNIT_ASSERT_THROW(make_emulated(gemm_type::f32, four_warps),
                                 std::invalid_argument);
    }

    void sizes_at_every_edge()
    {
        for (const auto type : tensor_types)
            for (const auto& p : { two_warps, wide_warp }) {
                if (!d_fits)
                    return;
                const auto check = checks(type, p);
                for (const std::size_t size : { 1, 2, 7, 16, 17, 33 })
                    check.check({ size, size, size }, 1, 0, size % 2 == 0);
                check.check({ 33, 1, 5 });
                check.check({ 1, 35, 18 }, 1, 1);
                check.check({ 18, 19, 1 });
                check.check({ 3, 4, 70 }, 1, 0, true);
            }
    }

    void whole_tiles()
    {
        for (const auto type : tensor_types) {
            if (!d_fits)
                return;
            const auto check = checks(type, four_warps);
            // Whole tiles and steps, and steps that end within a tile.
            check.check({ 64, 64, 32 }, 1, 0, false, 0);
            check.check({ 68, 72, 36 }, 1, 1, true, 4);
        }
    }

    void factors()
    {
        for (const auto type : tensor_types)
            if (d_fits)
                checks(type, two_warps).factors();
    }

    void aligned_and_not()
    {
        for (const auto type : tensor_types)
            for (const std::size_t offset : { 0, 4, 5 })
                for (const std::size_t gap : { 0, 3, 8 }) {
                    if (!d_fits)
                        return;
                    checks(type, two_warps, offset)
                        .check({ 32, 32, 32 }, 1, 1, false, gap);
                }
    }

    void badly_scaled_rows()
    {
        if (!d_fits)
            return;
        // Factors of 2^20 to 2^-20 within a sum: a part that is lost shows up in
        // the small elements of C, whose terms have other magnitudes than the large ones.
        const auto kernel = make_emulated(gemm_type::f32, two_warps);
        const gemm_shape shape = { 33, 34, 48 };
        const auto a = trial_matrix(gemm_type::f32, shape.m * shape.k);
        const auto b = trial_matrix(gemm_type::f32, shape.k * shape.n);
        page_memory c(shape.m * shape.n * sizeof(float));
        for (std::size_t i = 0; i < shape.m * shape.k; i++)
            a.as<float>()[i] =
                std::ldexp(a.as<float>()[i], static_cast<int>(i % 41) - 20);
        for (std::size_t i = 0; i < shape.k * shape.n; i++)
            b.as<float>()[i] =
                std::ldexp(b.as<float>()[i], static_cast<int>(i % 37) - 18);
        const auto buffer_of = [&](const page_memory& memory) {
            return cl::Buffer(device()->cl_context(),
                              CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                              memory.region().bytes,
                              memory.as<void>());
        };
        gemm_device_call call;
        call.shape = shape;
        call.a = { buffer_of(a), 0, shape.k };
        call.b = { buffer_of(b), 0, shape.n };
        call.c = { buffer_of(c), 0, shape.n };
        kernel->enqueue(call);
        queue_of_kernel().enqueueReadBuffer(
            call.c.buffer, CL_TRUE, 0, c.region().bytes, c.as<void>());
        double tensor = 0, ordinary = 0;
        for (std::size_t i = 0; i < shape.m; i++)
            for (std::size_t j = 0; j < shape.n; j++) {
                double sum = 0, magnitude = 0;
                float rounded = 0;
                for (std::size_t k = 0; k < shape.k; k++) {
                    const float x = a.as<float>()[i * shape.k + k];
                    const float y = b.as<float>()[k * shape.n + j];
                    sum += static_cast<double>(x) * y;
                    magnitude += std::abs(static_cast<double>(x) * y);
                    rounded = std::fma(x, y, rounded);
                }
                const double got = c.as<float>()[i * shape.n + j];
                tensor = std::max(tensor, std::abs(got - sum) / magnitude);
                ordinary = std::max(ordinary, std::abs(rounded - sum) / magnitude);
            }
        CPPUNIT_ASSERT_MESSAGE(std::to_string(tensor / ordinary), tensor <= 4 * ordinary);
    }

    void choice_by_size()
    {
        for (const auto type : tensor_types) {
            const auto choices = gemm_tensor_parameters::defaults(type);
            const auto warp_for = [&](const gemm_shape& shape) {
                return choices[gemm_tensor_parameters::best_of(choices, type, shape, 132)]
                    .warp_rows;
            };
            CPPUNIT_ASSERT_EQUAL(std::size_t(64), warp_for({ 4096, 4096, 4096 }));
            CPPUNIT_ASSERT_EQUAL(std::size_t(32), warp_for({ 64, 64, 64 }));
            for (const auto& p : choices)
                CPPUNIT_ASSERT(p.local_memory(type) <= 48 * 1024 && p.items() <= 256);
        }
    }

    void refused_parameters()
    {
        const auto refused = [&](const std::vector<gemm_tensor_parameters>& choices) {
            CPPUNIT_ASSERT_THROW(make_gemm_kernel_tensor(
                                     { device(), device()->make_queue(), gemm_type::f32 },
                                     choices,
                                     tensor_mode::emulated),
                                 std::invalid_argument);
        };
        refused({});
        refused({ { 0, 64, 32, 32, 2 } });
        refused({ { 64, 64, 24, 32, 2 } });
        refused({ { 64, 64, 32, 16, 2 } });
        refused({ { 48, 64, 32, 32, 2 } });
        refused({ { 64, 96, 32, 64, 2 } });
        refused({ { 64, 64, 32, 32, 1 } });
        refused({ { 64, 64, 32, 32, 5 } });
        refused({ { 512, 64, 32, 32, 2 } });
    }

    void device_without_matrix_units()
    {
        if (missing_tensor_reason(device()->device()).empty())
            return; // the other tests of variants then run it
        for (const auto type : tensor_types)
            try {
                gemm(type,
                     { 8, 8, 8 },
                     options(test_device().id(), "tensor"),
                     *d_registry);
                CPPUNIT_FAIL("no error");
            } catch (const std::invalid_argument& e) {
                const std::string text = e.what();
                CPPUNIT_ASSERT_MESSAGE(
                    text,
                    text.find("compute capability 8.0") != std::string::npos &&
                        text.find(device()->name()) != std::string::npos);
            }
        // With "auto" another variant computes.
        const gemm engine(
            gemm_type::f32, { 64, 64, 64 }, options(test_device().id()), *d_registry);
        CPPUNIT_ASSERT(engine.variant_name() != "tensor");
    }

    void old_nvidia_device()
    {
        device_limits limits;
        limits.max_work_group_size = 1024;
        limits.max_work_item_sizes[0] = 1024;
        const auto reason = missing_tensor_reason("A GPU", 75, limits);
        CPPUNIT_ASSERT_MESSAGE(reason,
                               reason.find("'A GPU' has 7.5") != std::string::npos);
        CPPUNIT_ASSERT(missing_tensor_reason("A GPU", 80, limits).empty());
        CPPUNIT_ASSERT(missing_tensor_reason("A GPU", 120, limits).empty());
        const auto groups = missing_tensor_reason("A GPU", 90, limits.lowered("vc4"));
        CPPUNIT_ASSERT_MESSAGE(groups,
                               groups.find("128 work-items") != std::string::npos &&
                                   groups.find("at most 12") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(0, compute_capability(device_info()));
    }

private:
    std::unique_ptr<gemm_kernel> make_emulated(gemm_type type,
                                               const gemm_tensor_parameters& p)
    {
        d_queue = std::make_unique<device_queue>(device()->make_queue());
        return make_gemm_kernel_tensor(
            { device(), *d_queue, type }, { p }, tensor_mode::emulated);
    }
    const cl::CommandQueue& queue_of_kernel() const { return *d_queue; }

    gemm_checks
    checks(gemm_type type, const gemm_tensor_parameters& p, std::size_t offset = 0)
    {
        const std::string name = "tensor, group " + std::to_string(p.group_rows) + "x" +
                                 std::to_string(p.group_columns);
        return check_kernel(
            device(),
            type,
            name,
            [&](const gemm_kernel_args& args) {
                return make_gemm_kernel_tensor(args, { p }, tensor_mode::emulated);
            },
            offset);
    }

    bool d_fits = false;
    std::unique_ptr<device_queue> d_queue;
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_kernel_tensor, "qa_gemm_kernel_tensor");
