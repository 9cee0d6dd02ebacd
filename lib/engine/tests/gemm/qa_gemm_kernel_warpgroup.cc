/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/gemm_parameters.h"
#include "gemm/gemm_tuning.h"
#include "opencl/kernel_source.h"
#include "tests/support/qa_gemm_engine_support.h"
#include "tests/support/qa_gemm_kernel_support.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_refused.h"

#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

warpgroup_tile
small_tile(gemm_type type, gemm_precision precision = gemm_precision::exact)
{
    const bool is_exact = (type == gemm_type::f32 || type == gemm_type::c32) &&
                          precision == gemm_precision::exact;
    return { 1, 64, 1, is_exact ? 2U : 1U, is_exact };
}

} // namespace

/*!
 * Tests of the kernel for the matrix units of Hopper GPUs. On other devices its instruction
 * is OpenCL C that reads the same local memory and leaves the sums to the same lanes, so
 * that a word in a wrong place gives a wrong product. A GPU of this kind runs the kernel
 * itself in qa_gemm and qa_gemm_1bit.
 */
class qa_gemm_kernel_warpgroup : public gemm_fixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_kernel_warpgroup);
    CPPUNIT_TEST(sizes_at_every_edge);
    CPPUNIT_TEST(several_tiles_and_steps);
    CPPUNIT_TEST(factors);
    CPPUNIT_TEST(offsets_and_gaps);
    CPPUNIT_TEST(badly_scaled_rows);
    CPPUNIT_TEST(held_and_other_matrices);
    CPPUNIT_TEST(sums_that_leave_the_units);
    CPPUNIT_TEST(less_precise_products);
    CPPUNIT_TEST(error_of_each_precision);
    CPPUNIT_TEST(wrong_place_is_refused);
    CPPUNIT_TEST(packed_words);
    CPPUNIT_TEST(choice_by_size);
    CPPUNIT_TEST(refused_parameters);
    CPPUNIT_TEST(devices_that_fit);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        gemm_fixture::setUp();
        // The emulated kernel needs these limits, and a profile may lower them.
        const auto tile = small_tile(gemm_type::f32);
        d_fits = device()->limits().max_work_group_size >=
                     small_tile(gemm_type::s8).items() &&
                 device()->limits().local_memory >= tile.local_memory();
        if (!d_fits)
            CPPUNIT_ASSERT_THROW(make_emulated(gemm_type::f32, tile),
                                 std::invalid_argument);
    }

    void sizes_at_every_edge()
    {
        for (const auto type : all_gemm_types) {
            if (!d_fits)
                return;
            const auto check = checks(type);
            for (const std::size_t size : { 1, 2, 7, 33, 64, 65 })
                check.check({ size, size, size }, 1, 0, size % 2 == 0);
            check.check({ 70, 1, 5 });
            check.check({ 1, 67, 18 }, 1, 1);
            check.check({ 66, 129, 1 });
            check.check({ 3, 4, 131 }, 1, 0, true);
        }
    }

    void several_tiles_and_steps()
    {
        for (const auto type : all_gemm_types) {
            if (!d_fits)
                return;
            auto tile = small_tile(type);
            tile.groups = 2;
            if (tile.local_memory() > device()->limits().local_memory)
                return;
            const auto check = checks(type, tile);
            check.check({ 128, 64, 128 }, 1, 0, false, 0);
            check.check({ 150, 140, 300 }, 1, 1, true, 4);
            // More rows of tiles than a band has.
            check.check({ 1200, 65, 3 }, 1, 0);
        }
    }

    void factors()
    {
        for (const auto type : all_gemm_types)
            if (d_fits)
                checks(type).factors();
    }

    void offsets_and_gaps()
    {
        for (const auto type : all_gemm_types)
            for (const std::size_t offset : { 0, 4, 5 })
                for (const std::size_t gap : { 0, 3, 8 }) {
                    if (!d_fits)
                        return;
                    checks(type, small_tile(type), offset)
                        .check({ 65, 34, 32 }, 1, 1, false, gap);
                }
    }

    void badly_scaled_rows()
    {
        if (!d_fits)
            return;
        // Factors of 2^20 to 2^-20 within a sum: a part that is lost shows up in the small
        // elements of C, whose terms have other magnitudes than the large ones.
        const auto kernel = make_emulated(gemm_type::f32, small_tile(gemm_type::f32));
        const gemm_shape shape = { 33, 34, 48 };
        const auto a = trial_matrix(gemm_type::f32, shape.m * shape.k);
        const auto b = trial_matrix(gemm_type::f32, shape.k * shape.n);
        for (std::size_t i = 0; i < shape.m * shape.k; i++)
            a.as<float>()[i] =
                std::ldexp(a.as<float>()[i], static_cast<int>(i % 41) - 20);
        for (std::size_t i = 0; i < shape.k * shape.n; i++)
            b.as<float>()[i] =
                std::ldexp(b.as<float>()[i], static_cast<int>(i % 37) - 18);
        const auto c = product(*kernel, shape, a, b);
        double units = 0, ordinary = 0;
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
                const double got = c[i * shape.n + j];
                units = std::max(units, std::abs(got - sum) / magnitude);
                ordinary = std::max(ordinary, std::abs(rounded - sum) / magnitude);
            }
        CPPUNIT_ASSERT_MESSAGE(std::to_string(units / ordinary), units <= 4 * ordinary);
    }

    //! B is packed once, and calls with another B do not change it.
    void held_and_other_matrices()
    {
        for (const auto type : all_gemm_types) {
            if (!d_fits)
                return;
            const auto kernel = make_emulated(type, small_tile(type));
            const gemm_case held(type, { 17, 70, 19 }, 1, 1);
            const gemm_case other(type, { 20, 40, 135 }, 1, 0, 2);
            const auto check = [](const gemm_case& test,
                                  const gemm_case::matrix& result) {
                const double error = test.error(result);
                CPPUNIT_ASSERT_MESSAGE(test.describe() + ": " + std::to_string(error),
                                       error <= test.bound());
            };
            check(held, held.run(*kernel, *device(), queue_of_kernel(), true));
            check(other, other.run(*kernel, *device(), queue_of_kernel()));
            check(held, held.run_held(*kernel, *device(), queue_of_kernel()));
            check(other, other.run(*kernel, *device(), queue_of_kernel(), true));
            check(other, other.run_held(*kernel, *device(), queue_of_kernel()));
        }
    }

    void sums_that_leave_the_units()
    {
        if (!d_fits)
            return;
        auto tile = small_tile(gemm_type::f16);
        tile.is_summed = true;
        checks(gemm_type::f16, tile).check({ 5, 66, small_tests() ? 100 : 700U }, 1, 1);
        for (const auto type : float_types)
            for (const auto precision : less_precise) {
                tile = small_tile(type, precision);
                tile.is_summed = true;
                checks(type, tile, 0, precision).check({ 5, 66, 200 }, 1, 1);
            }
    }

    void less_precise_products()
    {
        for (const auto type : float_types)
            for (const auto precision : less_precise) {
                if (!d_fits)
                    return;
                const auto check =
                    checks(type, small_tile(type, precision), 5, precision);
                for (const std::size_t size : { 1, 7, 33, 65 })
                    check.check({ size, size, size }, 1, 0, size % 2 == 0);
                check.check({ 1, 35, 130 }, -0.75f, 1, true);
            }
    }

    //! The errors that docs/gemm.md tells.
    void error_of_each_precision()
    {
        const std::size_t k = small_tests() ? 64 : 1024;
        for (const auto type : float_types) {
            if (!d_fits)
                return;
            const gemm_case test(type, { 32, 32, k }, 1, 0);
            const auto error = [&](gemm_precision precision) {
                const auto kernel =
                    make_emulated(type, small_tile(type, precision), precision);
                return test.error(test.run(*kernel, *device(), queue_of_kernel()));
            };
            const double exact = error(gemm_precision::exact);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(1e7 * exact), exact < 3e-7);
            for (const auto precision : less_precise) {
                const double rounded = error(precision);
                CPPUNIT_ASSERT_MESSAGE(std::to_string(1e4 * rounded),
                                       rounded > 1e-5 && rounded < 3e-4);
            }
        }
    }

    //! A driver that puts one word into a wrong place gives products that are not taken.
    void wrong_place_is_refused()
    {
        if (!d_fits)
            return;
        auto source = kernel_source("gemm_warpgroup");
        const std::string right = "(word / 4 ^ row % 8)";
        const auto at = source.find(right);
        CPPUNIT_ASSERT(at != std::string::npos);
        source.replace(at, right.size(), "(word / 4 ^ row % 8 ^ (row == 5))");
        const temporary_folder folder;
        folder.write("gemm_warpgroup.cl", source);
        auto o = test_options();
        o.kernel_path = folder.path();
        d_registry = std::make_unique<context_registry>(o);
        const auto refused = [&](gemm_type type, gemm_precision precision) {
            assert_refused({ "variant", "wrong products", device()->name() }, [&] {
                make_emulated(type, small_tile(type, precision), precision);
            });
        };
        for (const auto type : all_gemm_types)
            refused(type, gemm_precision::exact);
        for (const auto type : float_types)
            for (const auto precision : less_precise)
                refused(type, precision);
    }

    void packed_words()
    {
        const warpgroup_blocks blocks = { 130, 70, 2 };
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), blocks.blocks());
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), blocks.steps());
        CPPUNIT_ASSERT_EQUAL(std::size_t(3 * 3 * 2 * 8192), blocks.bytes());
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), blocks.index(0, 0));
        CPPUNIT_ASSERT_EQUAL(std::size_t(7), blocks.index(0, 7));
        // Row 1 exchanges neighbouring chunks.
        CPPUNIT_ASSERT_EQUAL(std::size_t(32 + 4), blocks.index(1, 0));
        CPPUNIT_ASSERT_EQUAL(std::size_t(32 + 3), blocks.index(1, 7));
        CPPUNIT_ASSERT_EQUAL(std::size_t(8 * 32), blocks.index(8, 0));
        // The next 32 words are behind both parts of the first ones.
        CPPUNIT_ASSERT_EQUAL(std::size_t(2 * 2048), blocks.index(0, 32));
        CPPUNIT_ASSERT_EQUAL(std::size_t(3 * 2 * 2048), blocks.index(64, 0));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), (warpgroup_blocks{ 1, 0, 1 }).steps());
    }

    void choice_by_size()
    {
        const warpgroup_tile wide = { 2, 256, 4, 1, false }, narrow = { 2, 64, 8, 1, false };
        CPPUNIT_ASSERT_EQUAL(std::size_t(32 * 16), wide.count(4096, 4096));
        CPPUNIT_ASSERT(wide.work(4096, 4096, 132) < narrow.work(4096, 4096, 132));
        CPPUNIT_ASSERT(narrow.work(1024, 1024, 132) < wide.work(1024, 1024, 132));
        // The local memory of a compute unit of Hopper GPUs, less what drivers take.
        for (const auto& tile : { wide, narrow })
            CPPUNIT_ASSERT(tile.local_memory() <= 226 * 1024 && tile.items() == 288);
    }

    void refused_parameters()
    {
        assert_refused({ "tiles", "empty" }, [&] {
            make_gemm_kernel_warpgroup(
                { device(), device()->make_queue(), gemm_type::f32 },
                {},
                tensor_mode::emulated);
        });
        // A work-group that no device has.
        assert_refused({ "variant", "work-items" }, [&] {
            make_emulated(gemm_type::s8, { 1000, 64, 1, 1, false });
        });
    }

    void devices_that_fit()
    {
        device_limits limits;
        limits.max_work_group_size = 1024;
        limits.max_work_item_sizes[0] = 1024;
        limits.local_memory = 48 * 1024;
        const auto reason = [&](int capability) {
            return missing_warpgroup_reason("A GPU", capability, limits);
        };
        CPPUNIT_ASSERT(reason(90).empty());
        assert_names(reason(0), { "compute capability 9.0", "'A GPU' is none" });
        assert_names(reason(80), { "'A GPU' has 8.0" });
        assert_names(reason(100), { "'A GPU' has 10.0" }); // without this instruction
        assert_names(missing_warpgroup_reason("A GPU", 90, limits.lowered("vc4")),
                     { "288 work-items", "limits" });
        if (missing_warpgroup_reason(device()->device()).empty())
            return; // the tests of all variants then run it
        for (const auto type : all_gemm_types)
            assert_refused({ "variant", "'warpgroup'", "compute capability 9.0" }, [&] {
                gemm(type,
                     { 8, 8, 8 },
                     options(test_device().id(), "warpgroup"),
                     *d_registry);
            });
    }

private:
    std::unique_ptr<gemm_kernel>
    make_emulated(gemm_type type,
                  const warpgroup_tile& tile,
                  gemm_precision precision = gemm_precision::exact)
    {
        d_queue = std::make_unique<device_queue>(device()->make_queue());
        return make_gemm_kernel_warpgroup(
            { device(), *d_queue, type, {}, precision }, { tile }, tensor_mode::emulated);
    }
    const cl::CommandQueue& queue_of_kernel() const { return *d_queue; }

    //! The product of matrices of floats without gaps.
    std::vector<float> product(gemm_kernel& kernel,
                               const gemm_shape& shape,
                               const page_memory& a,
                               const page_memory& b)
    {
        std::vector<float> c(shape.m * shape.n);
        const auto buffer_of = [&](const void* memory, std::size_t bytes) {
            return cl::Buffer(device()->cl_context(),
                              CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                              bytes,
                              const_cast<void*>(memory));
        };
        gemm_device_call call;
        call.shape = shape;
        call.a = { buffer_of(a.as<void>(), a.region().bytes), 0, shape.k };
        call.b = { buffer_of(b.as<void>(), b.region().bytes), 0, shape.n };
        call.c = { buffer_of(c.data(), c.size() * sizeof(float)), 0, shape.n };
        kernel.enqueue(call);
        queue_of_kernel().enqueueReadBuffer(
            call.c.buffer, CL_TRUE, 0, c.size() * sizeof(float), c.data());
        return c;
    }

    gemm_checks checks(gemm_type type) { return checks(type, small_tile(type)); }
    gemm_checks checks(gemm_type type,
                       const warpgroup_tile& tile,
                       std::size_t offset = 0,
                       gemm_precision precision = gemm_precision::exact)
    {
        return check_kernel(
            device(),
            type,
            "warpgroup, " + std::to_string(tile.rows()) + " rows",
            [&](const gemm_kernel_args& args) {
                return make_gemm_kernel_warpgroup(args, { tile }, tensor_mode::emulated);
            },
            offset,
            precision);
    }

    bool d_fits = false;
    std::unique_ptr<device_queue> d_queue;
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_kernel_warpgroup,
                                      "qa_gemm_kernel_warpgroup");
