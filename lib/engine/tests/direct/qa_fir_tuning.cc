// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of tuning the direct kernels, with right outputs at every point.

#include "direct/opencl_direct_variant.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_tuning_support.h"

#include <cldsp/fir_tunable.h>
#include <cldsp/freq_xlating_filter_bank.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

class qa_fir_tuning : public tuning_fixture
{
    CPPUNIT_TEST_SUITE(qa_fir_tuning);
    CPPUNIT_TEST(points_compute_the_filter);
    CPPUNIT_TEST(long_sums_are_right_in_narrow_vectors);
    CPPUNIT_TEST(tuned_kernels_follow_changes);
    CPPUNIT_TEST(spoiled_defaults_are_mended);
    CPPUNIT_TEST(a_second_start_compiles_nothing);
    CPPUNIT_TEST(near_problems_are_served);
    CPPUNIT_TEST(a_plan_made_before_tuning_is_made_anew);
    CPPUNIT_TEST(banks_read_what_is_tuned);
    CPPUNIT_TEST(work_group_strategies_on_gpu_tile_alone);
    CPPUNIT_TEST(bad_arguments_are_refused);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t items = 4096;

    const tuning_values d_slow{ { "width", 4 },
                                { "tile_outputs", 1 },
                                { "tile_taps", 1 } };

    static tuning_values found(context_registry& registry,
                               const opencl_direct_variant& variant,
                               const freq_xlating_fir_problem& problem,
                               std::size_t typical)
    {
        const auto where = lowered(registry.options());
        const filter_channel channel(problem);
        return variant.parameters(where.limits, channel)
            ->recalled(registry.wisdom(),
                       where,
                       registry.options(),
                       fir_tuning_problem(channel, typical));
    }

    void points_compute_the_filter()
    {
        context_registry registry(options());
        for (const char* variant : { "cpu_tile", "gpu_tile" })
            for (const auto& problem :
                 { make_fir_problem(sample_type::fc32, 42, 500, true),
                   make_fir_problem(sample_type::fc32, 1, 101, false),
                   make_fir_problem(sample_type::cu8, 8, 300, false),
                   make_fir_problem(sample_type::s16, 5, 77, true) }) {
                check_another_point(
                    *make_fir_tunable(registry, test_device(), problem, items, variant));
            }
    }

    void long_sums_are_right_in_narrow_vectors()
    {
        // A width of 4, as on a Raspberry Pi: with fewer lanes each sum has more terms.
        context_registry registry(spoiled("fir_cpu_tile", { { "width", 4 } }));
        for (const std::size_t taps : { 2429, 8000 }) {
            const auto problem = make_fir_problem(sample_type::fc32, 1, taps, true);
            const auto kernel =
                make_fir_tunable(registry, test_device(), problem, 512, "cpu_tile");
            CPPUNIT_ASSERT_EQUAL(std::int64_t(4), kernel->default_point()["width"]);
            CPPUNIT_ASSERT(kernel->prepare(kernel->default_point())->check() < -122);
        }
    }

    void tuned_kernels_follow_changes()
    {
        // While the filter runs, real taps are replaced by complex taps, and by another
        // number of taps.
        context_registry registry(options());
        const auto problem = make_fir_problem(sample_type::fc32, 3, 40, true);
        const auto kernel =
            make_fir_tunable(registry, test_device(), problem, items, "cpu_tile");
        remember(registry, *kernel, d_slow);
        freq_xlating_filter_bank filter(
            bank_of_one(problem), direct("cpu_tile"), registry);
        CPPUNIT_ASSERT(changing_stream_error_db(filter, 50) < -120);
    }

    static one_thread_options direct(const std::string& variant)
    {
        one_thread_options o;
        o.device = test_device().id();
        o.variant = variant;
        o.transfer = "copy";
        o.typical_items = items;
        return o;
    }

    void spoiled_defaults_are_mended()
    {
        context_registry registry(spoiled("fir_cpu_tile", d_slow));
        const auto kernel =
            make_fir_tunable(registry,
                             test_device(),
                             make_fir_problem(sample_type::fc32, 1, 400, true),
                             items,
                             "cpu_tile");
        check_mended(*kernel, d_slow);
    }

    void a_second_start_compiles_nothing()
    {
        const auto problem = make_fir_problem(sample_type::fc32, 3, 150, true);
        tuning_values best;
        {
            context_registry registry(options());
            const auto kernel =
                make_fir_tunable(registry, test_device(), problem, items, "cpu_tile");
            const auto result =
                tune_and_remember(*kernel, random_search(2), registry.wisdom());
            CPPUNIT_ASSERT(result.best);
            best = result.points[*result.best].point.by_name();
            // Programs that were only tried are not on the disk.
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), compiled(registry));
        }
        context_registry registry(options());
        CPPUNIT_ASSERT(found(registry, opencl_direct_cpu_tile(), problem, items) == best);
        freq_xlating_filter_bank filter(
            bank_of_one(problem), direct("cpu_tile"), registry);
        CPPUNIT_ASSERT_EQUAL(std::string("cpu_tile"), filter.variant_name());
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), compiled(registry));
        const fir_case c(problem, 500);
        CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -120);
    }

    void near_problems_are_served()
    {
        context_registry registry(options());
        const auto problem = make_fir_problem(sample_type::fc32, 3, 150, true);
        for (const auto* variant :
             { &opencl_direct_cpu_tile(), &opencl_direct_gpu_tile() }) {
            const auto kernel =
                make_fir_tunable(registry, test_device(), problem, items, variant->name);
            const auto values = kernel->space().at(0).by_name();
            remember(registry, *kernel, values);
            const auto found = [&](const freq_xlating_fir_problem& p) {
                return qa_fir_tuning::found(registry, *variant, p, 2 * items);
            };
            CPPUNIT_ASSERT(found(make_fir_problem(sample_type::fc32, 4, 300, true)) ==
                           values);
            CPPUNIT_ASSERT(
                found(make_fir_problem(sample_type::fc32, 4, 300, false)).empty());
            CPPUNIT_ASSERT(
                found(make_fir_problem(sample_type::cs8, 4, 300, true)).empty());
            CPPUNIT_ASSERT(
                found(make_fir_problem(sample_type::fc32, 4, 3000, true)).empty());
        }
    }

    void a_plan_made_before_tuning_is_made_anew()
    {
        context_registry registry(options());
        const auto problem = make_fir_problem(sample_type::fc32, 2, 64, true);
        auto o = direct("auto");
        o.device = o.transfer = "auto";
        const auto plans_after = [&] {
            const freq_xlating_filter_bank filter(bank_of_one(problem), o, registry);
            return plans(registry);
        };
        const std::size_t before = plans_after();
        CPPUNIT_ASSERT(before > 0);
        CPPUNIT_ASSERT_EQUAL(before, plans_after());
        const auto kernel = make_fir_tunable(registry, test_device(), problem, items);
        remember(registry, *kernel, {});
        CPPUNIT_ASSERT_EQUAL(before + 1, plans_after());
        CPPUNIT_ASSERT_EQUAL(before + 1, plans_after());
    }

    void banks_read_what_is_tuned()
    {
        const auto problem = make_fir_problem(sample_type::fc32, 3, 60, true);
        freq_xlating_filter_bank_problem bank;
        bank.input = problem.input;
        bank.decimation = problem.decimation;
        bank.sampling_freq = problem.sampling_freq;
        bank.taps = { problem.taps };
        bank.center_freqs = { 1000, -20000 };
        freq_xlating_filter_bank_options o;
        o.device = test_device().id();
        o.variant = "cpu_tile";
        o.transfer = "copy";
        o.typical_items = items;
        {
            context_registry registry(options());
            const auto kernel =
                make_fir_tunable(registry, test_device(), problem, items, "cpu_tile");
            remember(registry, *kernel, d_slow);
            kernel->adopt(*kernel->space().find(d_slow, kernel->default_point()));
        }
        // The program is already on the disk, and no other program is needed.
        context_registry registry(options());
        const freq_xlating_filter_bank filters(bank, o, registry);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), compiled(registry));
    }

    void work_group_strategies_on_gpu_tile_alone()
    {
        context_registry registry(options());
        const auto problem = make_fir_problem(sample_type::fc32, 1, 33, true);
        tuning_options o;
        for (const char* strategy :
             { "powers", "candidates", "mnn_default", "mace_default" }) {
            o.strategy = strategy;
            o.evaluations = 2;
            const auto gpu =
                make_fir_tunable(registry, test_device(), problem, items, "gpu_tile");
            const auto result = tune(*gpu, o);
            CPPUNIT_ASSERT(result.best);
            for (const auto& p : result.points) {
                CPPUNIT_ASSERT_MESSAGE(p.failure, p.good());
                CPPUNIT_ASSERT_EQUAL(gpu->default_point()["chunk"], p.point["chunk"]);
            }
            const auto cpu =
                make_fir_tunable(registry, test_device(), problem, items, "cpu_tile");
            CPPUNIT_ASSERT_THROW(tune(*cpu, o), std::invalid_argument);
        }
    }

    void bad_arguments_are_refused()
    {
        auto problem = make_fir_problem(sample_type::fc32, 1, 33, true);
        context_registry registry(options());
        const auto refused = [&](const freq_xlating_fir_problem& p,
                                 std::size_t n,
                                 const std::string& variant) {
            CPPUNIT_ASSERT_THROW(make_fir_tunable(registry, test_device(), p, n, variant),
                                 std::invalid_argument);
        };
        refused(problem, 0, "auto");
        refused(problem, items, "block");
        refused(problem, items, "");
        CPPUNIT_ASSERT_THROW(make_fir_tunable(registry, device_info(), problem, items),
                             std::invalid_argument);
        problem.taps.clear();
        refused(problem, items, "auto");
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_fir_tuning, "qa_fir_tuning");
