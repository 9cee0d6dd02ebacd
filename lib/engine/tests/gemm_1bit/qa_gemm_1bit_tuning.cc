// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of tuning the 1-bit kernels, with exact sums at every point.

#include "gemm_1bit/gemm_1bit_tuning.h"
#include "opencl/kernel_source.h"
#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_tuning_support.h"

#include <cldsp/gemm_1bit_tunable.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

class qa_gemm_1bit_tuning : public tuning_fixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_1bit_tuning);
    CPPUNIT_TEST(points_compute_the_correlations);
    CPPUNIT_TEST(every_shape_of_a_tile_is_right);
    CPPUNIT_TEST(wrong_kernels_are_passed_over);
    CPPUNIT_TEST(spoiled_defaults_are_mended);
    CPPUNIT_TEST(a_second_start_compiles_nothing);
    CPPUNIT_TEST(near_problems_are_served);
    CPPUNIT_TEST(tiles_for_gpus_are_tuned);
    CPPUNIT_TEST(a_plan_made_before_tuning_is_made_anew);
    CPPUNIT_TEST(values_that_do_not_fit_are_passed_over);
    CPPUNIT_TEST(bad_arguments_are_refused);
    CPPUNIT_TEST_SUITE_END();

    // The numbers of items, codes and bits fill neither tiles nor words.
    const gemm_shape d_shape{ 37, 21, 1000 };
    const tuning_values d_slow{ { "codes", 2 }, { "items", 8 } };

    static std::unique_ptr<device_tunable> tunable_of(context_registry& registry,
                                                      const gemm_shape& shape,
                                                      const char* variant = "cpu_tile")
    {
        return make_gemm_1bit_tunable(registry, test_device(), shape, variant);
    }

    static tuning_values
    found(context_registry& registry, const gemm_shape& shape, const char* variant)
    {
        const auto where = lowered(registry.options());
        return gemm_1bit_parameters(variant, where.limits, shape.k)
            ->recalled(registry.wisdom(),
                       where,
                       registry.options(),
                       gemm_1bit_tuning_problem(shape));
    }

    static gemm_1bit_case case_of(const gemm_shape& shape)
    {
        return { shape.k, shape.n, shape.m };
    }

    static gemm_1bit
    engine(context_registry& registry, const gemm_1bit_case& c, const char* variant)
    {
        gemm_options o;
        o.device = test_device().id();
        o.variant = variant;
        return { c.codes, c.bits, c.count, o, registry };
    }

    void points_compute_the_correlations()
    {
        context_registry registry(options());
        for (const gemm_shape& shape :
             { d_shape, gemm_shape{ 1, 1, 8 }, gemm_shape{ 3, 70, 36000 } })
            check_another_point(*tunable_of(registry, shape));
        const auto kernel = tunable_of(registry, d_shape, "gpu_tile");
        CPPUNIT_ASSERT_EQUAL(std::string("gemm_1bit_gpu_tile"), kernel->family());
        CPPUNIT_ASSERT_EQUAL(0.0, kernel->tolerance());
        check_another_point(*kernel);
    }

    //! Compares with sums made bit by bit, at even and odd addresses.
    void check_values(const char* variant,
                      const tuning_values& values,
                      const gemm_1bit_case& c,
                      const std::vector<std::int32_t>& expected) const
    {
        context_registry registry(spoiled("gemm_1bit_" + std::string(variant), values));
        auto product = engine(registry, c, variant);
        for (const std::size_t offset : { 0, 3 })
            CPPUNIT_ASSERT_MESSAGE(variant, c.run(product, offset) == expected);
    }

    void every_shape_of_a_tile_is_right()
    {
        const auto o = options();
        const auto where = lowered(o);
        const auto c = case_of(small_tests() ? gemm_shape{ 5, 7, 72 } : d_shape);
        const auto expected = c.expected();
        const auto vectors =
            gemm_1bit_cpu_table(where.limits, c.bits).parameters().space();
        for (const auto& parameter : vectors.parameters())
            for (const auto value : parameter.values)
                check_values("cpu_tile", { { parameter.name, value } }, c, expected);
        // Each of these values takes seconds to compile.
        const auto tiles = gemm_1bit_gpu_table(where.limits, c.bits).parameters().space();
        const std::size_t points = small_tests() ? 1 : 3;
        for (std::size_t i = 0; i < points; i++)
            check_values("gpu_tile",
                         tiles.at(tiles.size() * (2 * i + 1) / (2 * points)).by_name(),
                         c,
                         expected);
    }

    void wrong_kernels_are_passed_over()
    {
        // The kernel is as fast as the right one, but every sum is 2 too large.
        auto wrong = options();
        wrong.kernel_path = d_folder.path();
        std::string source = kernel_source("gemm_1bit_cpu");
        const std::string sum = "before - 2 * differing";
        const auto at = source.find(sum);
        CPPUNIT_ASSERT(at != std::string::npos);
        source.replace(at, sum.size(), "before + 2 - 2 * differing");
        d_folder.write("gemm_1bit_cpu.cl", source);
        context_registry registry(wrong);
        check_all_wrong(*tunable_of(registry, d_shape), registry);
    }

    void spoiled_defaults_are_mended()
    {
        context_registry registry(spoiled("gemm_1bit_cpu_tile", d_slow));
        check_mended(*tunable_of(registry, d_shape), d_slow);
    }

    void a_second_start_compiles_nothing()
    {
        tuning_values best;
        {
            context_registry registry(options());
            const auto kernel = tunable_of(registry, d_shape);
            const auto result =
                tune_and_remember(*kernel, random_search(2), registry.wisdom());
            CPPUNIT_ASSERT(result.best);
            best = result.points[*result.best].point.by_name();
            // Programs that were only tried are not on the disk.
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), compiled(registry));
        }
        context_registry registry(options());
        CPPUNIT_ASSERT(found(registry, d_shape, "cpu_tile") == best);
        const auto c = case_of(d_shape);
        auto product = engine(registry, c, "cpu_tile");
        CPPUNIT_ASSERT_EQUAL(std::string("cpu_tile"), product.variant_name());
        CPPUNIT_ASSERT(product.plan().find("; tuned: block_words=") != std::string::npos);
        c.check(product);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), compiled(registry));
    }

    void near_problems_are_served()
    {
        context_registry registry(options());
        for (const char* variant : { "cpu_tile", "gpu_tile" }) {
            const auto kernel = tunable_of(registry, d_shape, variant);
            const auto values = kernel->space().at(0).by_name();
            remember(registry, *kernel, values);
            for (const auto& near : { d_shape, gemm_shape{ 100, 50, 2000 } })
                CPPUNIT_ASSERT(found(registry, near, variant) == values);
            CPPUNIT_ASSERT(found(registry, { 370, 21, 1000 }, variant).empty());
            CPPUNIT_ASSERT(found(registry, { 37, 21, 20000 }, variant).empty());
        }
        // Values of the other kernel.
        context_registry fresh(options());
        CPPUNIT_ASSERT(found(fresh, d_shape, "cpu_tile") !=
                       found(fresh, d_shape, "gpu_tile"));
        // An engine reads the tuned values: with other values it compiles another
        // program.
        const auto c = case_of({ 100, 50, 2000 });
        engine(fresh, c, "cpu_tile");
        const std::size_t before = compiled(fresh);
        tunable_of(fresh, d_shape)->adopt(tunable_of(fresh, d_shape)->space().at(0));
        CPPUNIT_ASSERT_EQUAL(before, compiled(fresh));
        engine(fresh, case_of({ 1000, 500, 2000 }), "cpu_tile");
        CPPUNIT_ASSERT(compiled(fresh) > before);
    }

    void tiles_for_gpus_are_tuned()
    {
        const tuning_values one{ { "group_codes", 1 }, { "group_items", 1 } };
        const auto o = spoiled("gemm_1bit_gpu_tile", one);
        context_registry registry(o);
        const auto kernel = tunable_of(registry, d_shape, "gpu_tile");
        for (const auto& [name, value] : one)
            CPPUNIT_ASSERT_EQUAL(value, kernel->default_point()[name]);
        const tuning_values values{ { "each_codes", 2 }, { "each_items", 8 } };
        const auto point = *kernel->space().find(values, kernel->default_point());
        remember(registry, *kernel, values);
        kernel->adopt(point);
        const std::size_t before = compiled(registry);
        CPPUNIT_ASSERT(before > 0);
        const auto c = case_of(d_shape);
        auto product = engine(registry, c, "gpu_tile");
        c.check(product);
        CPPUNIT_ASSERT_EQUAL(before, compiled(registry));
    }

    void a_plan_made_before_tuning_is_made_anew()
    {
        context_registry registry(options());
        const auto c = case_of(d_shape);
        const auto plans_after = [&] {
            gemm_1bit(c.codes, c.bits, c.count, {}, registry);
            return plans(registry);
        };
        const std::size_t before = plans_after();
        CPPUNIT_ASSERT(before > 0);
        CPPUNIT_ASSERT_EQUAL(before, plans_after());
        const auto kernel = make_gemm_1bit_tunable(registry, test_device(), d_shape);
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
        for (const char* variant : { "cpu_tile", "gpu_tile" }) {
            const auto parameters = *gemm_1bit_parameters(variant, where.limits, 64);
            const auto suggested = parameters.chosen(o);
            log.clear();
            for (const tuning_values& bad :
                 { tuning_values{ { "codes", 3 } },
                   tuning_values{ { "group_codes", 1024 } },
                   tuning_values{ { "depth", 3 } },
                   tuning_values{ { "each_codes", 8 }, { "each_items", 8 } },
                   tuning_values{ { "speed", 9 } } })
                CPPUNIT_ASSERT(parameters.chosen(o, bad) == suggested);
            CPPUNIT_ASSERT_EQUAL(std::size_t(5), log.size());
        }
        // The codes are so long that only few of them fit into a buffer.
        auto small = where;
        small.limits.max_buffer = 4096;
        const auto space = gemm_1bit_cpu_table(small.limits, 8192).parameters().space();
        for (std::size_t i = 0; i < space.size(); i++)
            CPPUNIT_ASSERT(space.at(i)["codes"] <= 4);
    }

    void bad_arguments_are_refused()
    {
        context_registry registry(options());
        const auto refused = [&](const device_info& device,
                                 const gemm_shape& shape,
                                 const std::string& variant) {
            CPPUNIT_ASSERT_THROW(make_gemm_1bit_tunable(registry, device, shape, variant),
                                 std::invalid_argument);
        };
        refused(test_device(), { 0, 1, 8 }, "cpu_tile");
        refused(test_device(), { 1, 0, 8 }, "cpu_tile");
        refused(test_device(), { 1, 1, 0 }, "cpu_tile");
        refused(test_device(), { 1, 1, 12 }, "cpu_tile");
        refused(test_device(), { 1, 1, (std::size_t(1) << 30) + 8 }, "cpu_tile");
        refused(test_device(), d_shape, "naive");
        refused(test_device(), d_shape, "");
        refused(device_info(), d_shape, "auto");
        refused(device_info(), d_shape, "cpu_tile");
        auto o = random_search(1);
        o.strategy = "powers";
        const auto kernel = tunable_of(registry, d_shape);
        CPPUNIT_ASSERT_THROW(tune(*kernel, o), std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_1bit_tuning, "qa_gemm_1bit_tuning");
