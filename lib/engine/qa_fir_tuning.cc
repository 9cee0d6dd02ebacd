/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fir_tuning.h"
#include "qa_fir_support.h"
#include "qa_process.h"
#include "qa_support.h"

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/tunables.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

class qa_fir_tuning : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_fir_tuning);
    CPPUNIT_TEST(points_compute_the_filter);
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

    const temporary_folder d_folder;

    context_options options() const
    {
        auto o = test_options();
        o.cache_folder = d_folder.path();
        o.wisdom_file = true;
        return o;
    }

    static device_info lowered(const context_options& options)
    {
        auto device = test_device();
        device.limits = device.limits.lowered(options.profile);
        return device;
    }

    const tuning_values d_slow{ { "width", 4 },
                                { "tile_outputs", 1 },
                                { "tile_taps", 1 } };

    void points_compute_the_filter()
    {
        context_registry registry(options());
        std::mt19937 random(3);
        const int points = small_tests() ? 1 : 3;
        for (const char* variant : { "cpu_tile", "gpu_tile" })
            for (const auto& problem :
                 { make_fir_problem(sample_type::fc32, 42, 500, true),
                   make_fir_problem(sample_type::fc32, 1, 101, false),
                   make_fir_problem(sample_type::cu8, 8, 300, false),
                   make_fir_problem(sample_type::s16, 5, 77, true) }) {
                const auto kernel =
                    make_fir_tunable(registry, test_device(), problem, items, variant);
                for (int i = 0; i < points; i++) {
                    const auto point =
                        kernel->space().at(random() % kernel->space().size());
                    const double error = kernel->prepare(point)->check();
                    CPPUNIT_ASSERT_MESSAGE(point.text() + ": " + std::to_string(error),
                                           error <= kernel->tolerance());
                }
            }
    }

    void tuned_kernels_follow_changes()
    {
        // Real taps become complex ones and others in number while it runs.
        context_registry registry(options());
        const auto problem = make_fir_problem(sample_type::fc32, 3, 40, true);
        const auto kernel =
            make_fir_tunable(registry, test_device(), problem, items, "cpu_tile");
        remember(registry, *kernel, d_slow);
        freq_xlating_fir filter(problem, direct("cpu_tile"), registry);
        CPPUNIT_ASSERT(changing_stream_error_db(filter, 50) < -120);
    }

    static freq_xlating_fir_options direct(const std::string& variant)
    {
        freq_xlating_fir_options o;
        o.device = test_device().id();
        o.variant = variant;
        o.transfer = "copy";
        o.typical_items = items;
        return o;
    }

    //! Keeps values as if they had been found.
    static void remember(context_registry& registry,
                         const device_tunable& kernel,
                         const tuning_values& values)
    {
        tuning_result result;
        tuned_point point;
        point.point = *kernel.space().find(values, kernel.default_point());
        result.points.push_back(point);
        result.best = 0;
        result.confirmed = true;
        remember_tuning(registry.wisdom(), kernel.place(), kernel.problem(), result);
    }

    void spoiled_defaults_are_mended()
    {
        auto spoiled = options();
        spoiled.tuning_defaults["fir_cpu_tile"] = d_slow;
        context_registry registry(spoiled);
        const auto kernel =
            make_fir_tunable(registry,
                             test_device(),
                             make_fir_problem(sample_type::fc32, 1, 400, true),
                             items,
                             "cpu_tile");
        for (const auto& [name, value] : d_slow)
            CPPUNIT_ASSERT_EQUAL(value, kernel->default_point()[name]);
        tuning_options o;
        o.strategy = "random";
        o.evaluations = small_tests() ? 3 : 12;
        o.seconds = 600;
        const auto result = tune(*kernel, o);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), result.failed);
        CPPUNIT_ASSERT(result.best && result.confirmed);
        // Several times as fast where nothing else slows it down.
        if (!small_tests())
            CPPUNIT_ASSERT_MESSAGE(result.text(), result.speedup() >= 1.3);
    }

    void a_second_start_compiles_nothing()
    {
        const auto problem = make_fir_problem(sample_type::fc32, 3, 150, true);
        tuning_options o;
        o.strategy = "random";
        o.evaluations = 3;
        tuning_result result;
        tuning_values best;
        {
            context_registry registry(options());
            const auto kernel =
                make_fir_tunable(registry, test_device(), problem, items, "cpu_tile");
            result = tune_and_remember(*kernel, o, registry.wisdom());
            CPPUNIT_ASSERT(result.best);
            best = result.points[*result.best].point.by_name();
            // What was only tried is not on the disk.
            CPPUNIT_ASSERT_EQUAL(std::size_t(1),
                                 registry.get(test_device())->programs_compiled());
        }
        context_registry registry(options());
        const auto where = lowered(registry.options());
        CPPUNIT_ASSERT(tuned_fir_values(registry.wisdom(),
                                        { "cpu_tile", where, registry.options() },
                                        fir_setup(problem),
                                        items) == best);
        freq_xlating_fir filter(problem, direct("cpu_tile"), registry);
        CPPUNIT_ASSERT_EQUAL(std::string("cpu_tile"), filter.variant_name());
        CPPUNIT_ASSERT_EQUAL(std::size_t(0),
                             registry.get(test_device())->programs_compiled());
        const fir_case c(problem, 500);
        CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -120);
    }

    void near_problems_are_served()
    {
        context_registry registry(options());
        const auto problem = make_fir_problem(sample_type::fc32, 3, 150, true);
        for (const char* variant : { "cpu_tile", "gpu_tile" }) {
            const auto kernel =
                make_fir_tunable(registry, test_device(), problem, items, variant);
            const auto values = kernel->space().at(0).by_name();
            remember(registry, *kernel, values);
            const auto where = lowered(registry.options());
            const auto found = [&](const freq_xlating_fir_problem& p) {
                return tuned_fir_values(registry.wisdom(),
                                        { variant, where, registry.options() },
                                        fir_setup(p),
                                        2 * items);
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
        const auto plans = [&] {
            const freq_xlating_fir filter(problem, o, registry);
            const auto all = registry.wisdom().all("plans");
            return all.empty() ? 0 : all.at("plans").size();
        };
        const std::size_t before = plans();
        CPPUNIT_ASSERT(before > 0);
        CPPUNIT_ASSERT_EQUAL(before, plans());
        const auto kernel = make_fir_tunable(registry, test_device(), problem, items);
        remember(registry, *kernel, {});
        CPPUNIT_ASSERT_EQUAL(before + 1, plans());
        CPPUNIT_ASSERT_EQUAL(before + 1, plans());
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
        // Its program is there already, and no other one is needed.
        context_registry registry(options());
        const freq_xlating_filter_bank filters(bank, o, registry);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0),
                             registry.get(test_device())->programs_compiled());
    }

    void work_group_strategies_on_gpu_tile_alone()
    {
        context_registry registry(options());
        const auto problem = make_fir_problem(sample_type::fc32, 1, 33, true);
        tuning_options o;
        for (const char* strategy :
             { "powers", "candidates", "mnn_default", "mace_default" }) {
            o.strategy = strategy;
            o.evaluations = 3;
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

CPPUNIT_TEST_SUITE_REGISTRATION(qa_fir_tuning);
