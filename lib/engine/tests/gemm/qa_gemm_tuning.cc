// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of tuning the kernels of products, with right results at every point.

#include "gemm/gemm_tuning.h"
#include "opencl/kernel_source.h"
#include "tests/support/qa_gemm_support.h"
#include "tests/support/qa_tuning_support.h"

#include <cldsp/gemm_tunable.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

class qa_gemm_tuning : public tuning_fixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_tuning);
    CPPUNIT_TEST(points_compute_the_product);
    CPPUNIT_TEST(sizes_that_end_the_process_are_refused);
    CPPUNIT_TEST(large_products_are_checked_everywhere);
    CPPUNIT_TEST(wrong_kernels_are_passed_over);
    CPPUNIT_TEST(spoiled_defaults_are_mended);
    CPPUNIT_TEST(a_second_start_compiles_nothing);
    CPPUNIT_TEST(near_problems_are_served);
    CPPUNIT_TEST(tiles_for_gpus_are_tuned);
    CPPUNIT_TEST(a_plan_made_before_tuning_is_made_anew);
    CPPUNIT_TEST(values_that_do_not_fit_are_passed_over);
    CPPUNIT_TEST(bad_arguments_are_refused);
    CPPUNIT_TEST_SUITE_END();

    const gemm_shape d_shape{ 70, 90, 50 };

    const tuning_values d_slow{ { "width", 4 }, { "rows", 1 }, { "vectors", 1 } };

    static std::unique_ptr<device_tunable>
    tunable_of(context_registry& registry, gemm_type type, const gemm_shape& shape)
    {
        return make_gemm_tunable(registry, test_device(), type, shape, "cpu_tile");
    }

    static tuning_values
    found(context_registry& registry, gemm_type type, const gemm_shape& shape)
    {
        const auto where = lowered(registry.options());
        return gemm_cpu_table(type, where.limits)
            .parameters()
            .recalled(registry.wisdom(),
                      where,
                      registry.options(),
                      gemm_tuning_problem(type, shape));
    }

    static bool is_pocl_6(const device_info& device)
    {
        return device.is_pocl && device.driver_version.rfind("6.", 0) == 0;
    }

    static gemm engine(context_registry& registry, const gemm_shape& shape)
    {
        gemm_options o;
        o.device = test_device().id();
        o.variant = "cpu_tile";
        return gemm(gemm_type::f32, shape, o, registry);
    }

    void points_compute_the_product()
    {
        context_registry registry(options());
        for (const char* variant : { "cpu_tile", "gpu_tile" })
            for (const auto type :
                 { gemm_type::f32, gemm_type::c32, gemm_type::f16, gemm_type::s8 }) {
                if (variant == std::string("gpu_tile") && type == gemm_type::c32 &&
                    is_pocl_6(test_device()))
                    continue; // the next test checks that these are refused
                const auto kernel =
                    make_gemm_tunable(registry, test_device(), type, d_shape, variant);
                CPPUNIT_ASSERT_EQUAL("gemm_" + std::string(variant), kernel->family());
                check_another_point(*kernel);
            }
    }

    //! PoCL 6's compiler would end the process with these sizes.
    void sizes_that_end_the_process_are_refused()
    {
        context_registry registry(options());
        auto device = test_device();
        device.kind = device_kind::cpu;
        device.is_pocl = true;
        device.driver_version = "6.0+debian";
        try {
            make_gemm_tunable(registry, device, gemm_type::c32, d_shape, "gpu_tile");
            CPPUNIT_FAIL("PoCL 6 would be given what ends the process");
        } catch (const std::invalid_argument& e) {
            const std::string text = e.what();
            CPPUNIT_ASSERT(text.find("'gpu_tile'") != std::string::npos);
            CPPUNIT_ASSERT(text.find("6.0+debian") != std::string::npos);
        }
    }

    void large_products_are_checked_everywhere()
    {
        if (small_tests())
            return;
        context_registry registry(options());
        for (const gemm_shape& shape : { gemm_shape{ 300, 200, 100 },
                                         gemm_shape{ 1, 9000, 500 },
                                         gemm_shape{ 9000, 1, 500 },
                                         gemm_shape{ 3, 4, 400000 } }) {
            const std::size_t largest =
                std::max({ shape.m * shape.k, shape.k * shape.n, shape.m * shape.n });
            // The kernels need room for a padded copy.
            if (2 * largest * sizeof(float) > lowered(options()).limits.max_buffer)
                continue;
            const auto kernel = tunable_of(registry, gemm_type::f32, shape);
            const double error = kernel->prepare(kernel->default_point())->check();
            CPPUNIT_ASSERT_MESSAGE(kernel->problem().text() + ": " +
                                       std::to_string(error),
                                   error <= kernel->tolerance());
            CPPUNIT_ASSERT(error > 0); // a rounding error shows that something was
                                       // compared
        }
    }

    void wrong_kernels_are_passed_over()
    {
        auto wrong = options();
        wrong.kernel_path = d_folder.path();
        d_folder.write("gemm_cpu.cl", with_wrong_products("gemm_cpu", "1.0001f"));
        context_registry registry(wrong);
        check_all_wrong(*tunable_of(registry, gemm_type::f32, d_shape), registry);
        CPPUNIT_ASSERT(found(registry, gemm_type::f32, d_shape).empty());
    }

    void spoiled_defaults_are_mended()
    {
        context_registry registry(spoiled("gemm_cpu_tile", d_slow));
        check_mended(*tunable_of(registry, gemm_type::f32, d_shape), d_slow);
    }

    void a_second_start_compiles_nothing()
    {
        tuning_values best;
        {
            context_registry registry(options());
            const auto kernel = tunable_of(registry, gemm_type::f32, d_shape);
            const auto result =
                tune_and_remember(*kernel, random_search(2), registry.wisdom());
            CPPUNIT_ASSERT(result.best);
            best = result.points[*result.best].point.by_name();
        }
        context_registry registry(options());
        CPPUNIT_ASSERT(found(registry, gemm_type::f32, d_shape) == best);
        auto product = engine(registry, d_shape);
        CPPUNIT_ASSERT_EQUAL(std::string("cpu_tile"), product.variant_name());
        CPPUNIT_ASSERT(product.plan().find("; tuned: block_k=") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), compiled(registry));
        const gemm_case c(gemm_type::f32, d_shape, 1.5f, 0.5f);
        CPPUNIT_ASSERT(c.error(c.run(product)) <= c.bound());
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), compiled(registry));
    }

    void near_problems_are_served()
    {
        context_registry registry(options());
        const auto kernel = tunable_of(registry, gemm_type::f32, d_shape);
        const auto values =
            kernel->space().find(d_slow, kernel->default_point())->by_name();
        remember(registry, *kernel, d_slow);
        kernel->adopt(*kernel->space().find(d_slow, kernel->default_point()));
        const std::size_t before = compiled(registry);
        const gemm_shape near{ 100, 100, 100 }, far{ 1000, 90, 50 };
        CPPUNIT_ASSERT(found(registry, gemm_type::f32, d_shape) == values);
        CPPUNIT_ASSERT(found(registry, gemm_type::f32, near) == values);
        CPPUNIT_ASSERT(found(registry, gemm_type::f32, far).empty());
        CPPUNIT_ASSERT(found(registry, gemm_type::c32, near).empty());
        // The programs are on the disk, so that an engine that reads the values compiles
        // nothing.
        engine(registry, near);
        CPPUNIT_ASSERT_EQUAL(before, compiled(registry));
        engine(registry, far);
        CPPUNIT_ASSERT(compiled(registry) > before);
    }

    void tiles_for_gpus_are_tuned()
    {
        const tuning_values one{ { "group_rows", 1 }, { "group_columns", 1 } };
        const auto o = spoiled("gemm_gpu_tile", one);
        context_registry registry(o);
        const auto kernel = make_gemm_tunable(
            registry, test_device(), gemm_type::f32, d_shape, "gpu_tile");
        for (const auto& [name, value] : one)
            CPPUNIT_ASSERT_EQUAL(value, kernel->default_point()[name]);
        // An engine that reads the stored values needs only the program that was adopted.
        // Small tiles of the work-items are soon compiled.
        const tuning_values values{ { "group_rows", 2 },
                                    { "group_columns", 4 },
                                    { "item_rows", 4 },
                                    { "item_columns", 4 } };
        const auto found = kernel->space().find(values, kernel->default_point());
        if (!found) { // the groups of a lowered profile are too small
            CPPUNIT_ASSERT(lowered(o).limits.max_work_group_size < 8);
            return;
        }
        const auto point = *found;
        remember(registry, *kernel, values);
        kernel->prepare(point)->check();
        kernel->adopt(point);
        const std::size_t before = compiled(registry);
        CPPUNIT_ASSERT(before > 0);
        gemm_options how;
        how.device = test_device().id();
        how.variant = "gpu_tile";
        gemm product(gemm_type::f32, d_shape, how, registry);
        CPPUNIT_ASSERT_EQUAL(before, compiled(registry));
        const gemm_case c(gemm_type::f32, d_shape, 1.5f, 0.5f);
        CPPUNIT_ASSERT(c.error(c.run(product)) <= c.bound());
    }

    void a_plan_made_before_tuning_is_made_anew()
    {
        context_registry registry(options());
        const auto plans_after = [&] {
            gemm(gemm_type::f32, d_shape, {}, registry);
            return plans(registry);
        };
        const std::size_t before = plans_after();
        CPPUNIT_ASSERT(before > 0);
        CPPUNIT_ASSERT_EQUAL(before, plans_after());
        if (test_device().kind != device_kind::cpu)
            return; // "auto" does not run this kernel here
        const auto kernel =
            make_gemm_tunable(registry, test_device(), gemm_type::f32, d_shape);
        remember(registry, *kernel, {});
        CPPUNIT_ASSERT_EQUAL(before + 1, plans_after());
        CPPUNIT_ASSERT_EQUAL(before + 1, plans_after());
    }

    void values_that_do_not_fit_are_passed_over()
    {
        auto o = options();
        std::vector<std::string> log;
        o.log = [&](log_level, const std::string& text) { log.push_back(text); };
        const auto where = lowered(o);
        const auto parameters = gemm_cpu_table(gemm_type::f32, where.limits).parameters();
        const auto suggested = parameters.chosen(o);
        CPPUNIT_ASSERT(parameters.chosen(o, { { "rows", 7 } }) == suggested);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), log.size());
        CPPUNIT_ASSERT(log[0].find("rows") != std::string::npos);
        // No device has enough registers for 16 by 4 vectors of sums.
        CPPUNIT_ASSERT(parameters.chosen(o, { { "rows", 16 }, { "vectors", 4 } }) ==
                       suggested);
        o.tuning_defaults["gemm_cpu_tile"] = { { "rows", 2 } };
        CPPUNIT_ASSERT_EQUAL(std::int64_t(2), parameters.chosen(o).at("rows"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(3),
                             parameters.chosen(o, { { "rows", 3 } }).at("rows"));
    }

    void bad_arguments_are_refused()
    {
        context_registry registry(options());
        const auto refused = [&](const device_info& device,
                                 const gemm_shape& shape,
                                 const std::string& variant) {
            CPPUNIT_ASSERT_THROW(
                make_gemm_tunable(registry, device, gemm_type::f32, shape, variant),
                std::invalid_argument);
        };
        refused(test_device(), { 0, 1, 1 }, "cpu_tile");
        refused(test_device(), { 1, 0, 1 }, "cpu_tile");
        refused(test_device(), { 1, 1, 0 }, "cpu_tile");
        refused(test_device(), d_shape, "naive");
        refused(test_device(), d_shape, "");
        refused(device_info(), d_shape, "auto");
        refused(device_info(), d_shape, "cpu_tile");
        tuning_options o;
        o.strategy = "powers";
        const auto kernel = tunable_of(registry, gemm_type::f32, d_shape);
        CPPUNIT_ASSERT_THROW(tune(*kernel, o), std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_tuning, "qa_gemm_tuning");
