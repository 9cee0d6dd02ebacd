// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What the tests of the kernels for matrix units have in common.

#pragma once

#include "gemm/typical_product.h"
#include "opencl/kernel_source.h"
#include "tests/support/gemm_contract.h"
#include "tests/support/qa_process.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! What the tests of the kernels for matrix units have in common.
class matrix_unit_fixture : public gemm_contract
{
    CPPUNIT_TEST_SUB_SUITE(matrix_unit_fixture, gemm_contract);
    CPPUNIT_TEST(badly_scaled_rows);
    CPPUNIT_TEST(error_of_each_precision);
    CPPUNIT_TEST(lower_limits_are_refused);
    CPPUNIT_TEST_SUITE_END_ABSTRACT();

protected:
    explicit matrix_unit_fixture(std::string variant) : d_variant(std::move(variant)) {}

    std::vector<gemm_product> products() override
    {
        return of_device([&](const auto& variant) { return variant.name == d_variant; });
    }

    //! Whether the device can run the emulated kernel: a profile may lower its limits.
    bool fits() { return can_emulate(d_variant, device()->limits()); }

    //! The emulated kernel of the contract.
    gemm_product emulated_product(gemm_type type, gemm_precision precision) const
    {
        for (const auto& product : emulated_products(d_variant))
            if (product.type == type && product.precision == precision)
                return product;
        throw std::logic_error("there is no such product");
    }
    gemm_checks emulated(gemm_type type, gemm_precision precision = gemm_precision::exact)
    {
        return checks(emulated_product(type, precision));
    }

    //! Multiplies matrices of floats without gaps.
    void multiply(const gemm_checks& with,
                  const gemm_shape& shape,
                  const page_memory& a,
                  const page_memory& b,
                  const page_memory& c)
    {
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
        with.kernel().enqueue(call);
        with.queue().enqueueReadBuffer(
            call.c.buffer, CL_TRUE, 0, c.region().bytes, c.as<void>());
    }

    //! Factors of 2^20 to 2^-20 within a sum: a part that is lost shows up in the small
    //! elements of C, whose terms have other magnitudes than the large ones.
    void badly_scaled_rows()
    {
        if (!fits())
            return;
        const auto kernel = emulated(gemm_type::f32);
        const gemm_shape shape = { 33, 34, 48 };
        const auto a = trial_matrix(gemm_type::f32, shape.m * shape.k);
        const auto b = trial_matrix(gemm_type::f32, shape.k * shape.n);
        const page_memory c(shape.m * shape.n * sizeof(float));
        for (std::size_t i = 0; i < shape.m * shape.k; i++)
            a.as<float>()[i] =
                std::ldexp(a.as<float>()[i], static_cast<int>(i % 41) - 20);
        for (std::size_t i = 0; i < shape.k * shape.n; i++)
            b.as<float>()[i] =
                std::ldexp(b.as<float>()[i], static_cast<int>(i % 37) - 18);
        multiply(kernel, shape, a, b, c);
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
                const double got = c.as<float>()[i * shape.n + j];
                units = std::max(units, std::abs(got - sum) / magnitude);
                ordinary = std::max(ordinary, std::abs(rounded - sum) / magnitude);
            }
        CPPUNIT_ASSERT_MESSAGE(std::to_string(units / ordinary), units <= 4 * ordinary);
    }

    //! The errors of each precision that docs/gemm.md tells.
    void error_of_each_precision()
    {
        if (!fits())
            return;
        const std::size_t k = small_tests() ? 64 : 1024;
        for (const auto type : float_types) {
            const gemm_case test(type, { 32, 32, k }, 1, 0);
            const auto error = [&](gemm_precision precision) {
                return test.error(emulated(type, precision).run(test));
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

    void lower_limits_are_refused()
    {
        const auto product = emulated_product(gemm_type::f32, gemm_precision::exact);
        limit([](device_limits& limits) {
            limits.max_work_group_size = limits.max_work_item_sizes[0] = 32;
        });
        assert_refused({ "work-items" }, [&] { checks(product); });
        limit([](device_limits& limits) { limits.local_memory = 1024; });
        assert_refused({ "local memory" }, [&] { checks(product); });
    }

    //! From here on devices compile a kernel file of which one piece of text is another.
    void use_changed_kernel(const std::string& file,
                            const std::string& right,
                            const std::string& wrong)
    {
        auto source = kernel_source(file);
        const auto at = source.find(right);
        CPPUNIT_ASSERT(at != std::string::npos);
        source.replace(at, right.size(), wrong);
        d_folder.write(file + ".cl", source);
        use_logged_device(d_folder.path());
    }

    //! A device whose messages are kept, see logged().
    void use_logged_device(const std::string& kernel_path = "")
    {
        auto o = test_options();
        if (!kernel_path.empty())
            o.kernel_path = kernel_path;
        o.log = [this](log_level, const std::string& text) { d_log.push_back(text); };
        d_registry = std::make_unique<context_registry>(o);
    }

    //! A type and a precision are refused because their products are wrong. They have
    //! the same check.
    void check_refused()
    {
        const auto refused = [&](gemm_type type, gemm_precision precision) {
            assert_refused({ "variant", "wrong products", device()->name() },
                           [&] { emulated(type, precision); });
        };
        for (const auto type : { gemm_type::f32, gemm_type::f16, gemm_type::s8 })
            refused(type, gemm_precision::exact);
        refused(gemm_type::f32, gemm_precision::tf32);
        refused(gemm_type::c32, gemm_precision::half);
    }

private:
    const std::string d_variant;
    const temporary_folder d_folder;
};

} // namespace cldsp
