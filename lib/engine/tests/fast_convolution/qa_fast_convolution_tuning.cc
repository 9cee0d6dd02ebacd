// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of tuning fast convolution on a device, with right outputs at every point.

#include "fast_convolution/fast_convolution_tuning.h"
#include "opencl/kernel_source.h"
#include "tests/support/qa_bank_executor_support.h"
#include "tests/support/qa_bank_of_one.h"
#include "tests/support/qa_filter_of_one.h"
#include "tests/support/qa_tuning_support.h"

#include <cldsp/fast_convolution_tunable.h>
#include <cldsp/freq_xlating_filter_bank.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

class qa_fast_convolution_tuning : public tuning_fixture
{
    CPPUNIT_TEST_SUITE(qa_fast_convolution_tuning);
#ifdef CLDSP_HAVE_VKFFT
    CPPUNIT_TEST(points_compute_the_filter);
    CPPUNIT_TEST(it_may_run_where_a_plan_may_have_it);
    CPPUNIT_TEST(every_size_of_a_bank_is_right);
    CPPUNIT_TEST(wrong_kernels_are_passed_over);
    CPPUNIT_TEST(spoiled_defaults_are_mended);
    CPPUNIT_TEST(a_second_start_compiles_nothing);
    CPPUNIT_TEST(near_problems_are_served);
    CPPUNIT_TEST(banks_read_what_is_tuned);
    CPPUNIT_TEST(tuned_filters_follow_changes);
    CPPUNIT_TEST(a_plan_made_before_tuning_is_made_anew);
    CPPUNIT_TEST(values_that_do_not_fit_are_passed_over);
#endif
    CPPUNIT_TEST(bad_arguments_are_refused);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t items = 1024;

    //! With groups of one work-item VkFFT can run only the smallest transforms.
    bool smallest() const { return lowered(options()).limits.max_work_group_size < 8; }

    freq_xlating_fir_problem problem(sample_type type = sample_type::fc32) const
    {
        return smallest() ? make_fir_problem(type, 2, 9, true)
                          : make_fir_problem(type, 7, 60, true);
    }

    //! An ifft_size that no choice by size would take, because its blocks give few
    //! outputs.
    tuning_values few_outputs() const { return { { "ifft_size", smallest() ? 6 : 10 } }; }

    std::unique_ptr<device_tunable> tunable_of(context_registry& registry) const
    {
        return make_fast_convolution_tunable(registry, test_device(), problem(), items);
    }

    static tuning_values found(context_registry& registry,
                               const freq_xlating_fir_problem& p,
                               std::size_t typical = items)
    {
        const auto where = lowered(registry.options());
        const fast_convolution_problem sizes{ p.input, p.decimation, p.taps.size(), 1 };
        return one_channel_parameters("vkfft", where, sizes)
            ->recalled(registry.wisdom(),
                       where,
                       registry.options(),
                       fast_convolution_tuning_problem(sizes, typical));
    }

    template <class Options>
    static Options fast(const std::string& transfer = "copy")
    {
        Options o;
        o.device = test_device().id();
        o.algorithm = "fast_convolution";
        o.variant = "vkfft";
        o.transfer = transfer;
        o.typical_items = items;
        return o;
    }

    static void check_text(const std::string& plan, const std::string& part)
    {
        CPPUNIT_ASSERT_MESSAGE(plan, plan.find(part) != std::string::npos);
    }

    void points_compute_the_filter()
    {
        context_registry registry(options());
        const auto rounded = tunable_of(registry);
        CPPUNIT_ASSERT_EQUAL(std::string("fast_convolution_vkfft"), rounded->family());
        CPPUNIT_ASSERT(rounded->tolerance() > -120 && rounded->tolerance() < -60);
        check_another_point(*rounded);
        const auto exact = make_fast_convolution_tunable(
            registry, test_device(), problem(sample_type::cu8), items, 0);
        CPPUNIT_ASSERT_EQUAL(-120.0, exact->tolerance());
        check_point(*exact, exact->default_point());
    }

    void it_may_run_where_a_plan_may_have_it()
    {
        const auto runs = [](device_kind kind,
                             const char* device,
                             const char* algorithm,
                             const char* variant) {
            device_info info;
            info.kind = kind;
            one_thread_options wanted;
            wanted.device = device;
            wanted.algorithm = algorithm;
            wanted.variant = variant;
            return may_run_fast_convolution(wanted, info);
        };
        CPPUNIT_ASSERT(runs(device_kind::gpu, "auto", "auto", "auto"));
        CPPUNIT_ASSERT(runs(device_kind::gpu, "auto", "fast_convolution", "auto"));
        CPPUNIT_ASSERT(!runs(device_kind::gpu, "auto", "direct", "auto"));
        CPPUNIT_ASSERT(!runs(device_kind::gpu, "gpu", "auto", "gpu_tile"));
        // On a CPU device fast convolution has to be named.
        CPPUNIT_ASSERT(!runs(device_kind::cpu, "cpu", "auto", "auto"));
        CPPUNIT_ASSERT(!runs(device_kind::cpu, "auto", "fast_convolution", "auto"));
        CPPUNIT_ASSERT(runs(device_kind::cpu, "cpu", "fast_convolution", "auto"));
        CPPUNIT_ASSERT(runs(device_kind::cpu, "auto", "auto", "vkfft"));
    }

    void every_size_of_a_bank_is_right()
    {
        context_registry registry(options());
        const auto device = registry.get(test_device());
        const auto p = problem();
        const auto all = make_channels(p.input, p.decimation, p.taps.size(), 3, false);
        const std::size_t outputs = small_tests() ? 100 : 700;
        const auto kernel = tunable_of(registry);
        // One channel uses the tuned fold_blocks; several channels use a value that suits
        // them.
        for (const auto& channels : { all, std::vector<filter_channel>{ all[0] } })
            for (const auto& parameter : kernel->space().parameters())
                for (const auto value : parameter.values) {
                    if (parameter.name == "ifft_size")
                        continue; // each value needs a separate compilation
                    const auto bank =
                        make_opencl_fast_convolution(device,
                                                     "vkfft",
                                                     "copy",
                                                     channels,
                                                     0,
                                                     16,
                                                     { { parameter.name, value } });
                    stream_case c(channels, outputs);
                    c.run(*bank);
                    CPPUNIT_ASSERT_MESSAGE(parameter.name + "=" + std::to_string(value),
                                           c.error() < -120);
                }
    }

    void wrong_kernels_are_passed_over()
    {
        auto wrong = options();
        wrong.kernel_path = d_folder.path();
        d_folder.write("fast_convolution.cl",
                       with_wrong_products("fast_convolution", "1.001f"));
        context_registry registry(wrong);
        check_all_wrong(*tunable_of(registry), registry);
        CPPUNIT_ASSERT(found(registry, problem()).empty());
    }

    void spoiled_defaults_are_mended()
    {
        context_registry registry(spoiled("fast_convolution_vkfft", few_outputs()));
        check_mended(*tunable_of(registry), few_outputs());
    }

    void a_second_start_compiles_nothing()
    {
        tuning_values best;
        {
            context_registry registry(options());
            const auto kernel = tunable_of(registry);
            const auto result =
                tune_and_remember(*kernel, random_search(2), registry.wisdom());
            CPPUNIT_ASSERT(result.best);
            best = result.points[*result.best].point.by_name();
        }
        context_registry registry(options());
        CPPUNIT_ASSERT(found(registry, problem()) == best);
        freq_xlating_filter_bank filter(
            bank_of_one(problem()), fast<one_thread_options>(), registry);
        CPPUNIT_ASSERT_EQUAL(std::string("vkfft"), filter.variant_name());
        check_text(filter.plan(), "block size " + std::to_string(best.at("ifft_size")));
        check_text(filter.plan(), "; tuned: fold_blocks=");
        const fir_case c(problem(), 500);
        CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -90);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), compiled(registry));
    }

    void near_problems_are_served()
    {
        context_registry registry(options());
        const auto kernel = tunable_of(registry);
        const auto values = kernel->space().at(kernel->space().size() - 1).by_name();
        remember(registry, *kernel, values);
        const auto p = problem();
        const std::size_t taps = p.taps.size();
        const auto of = [&](sample_type type, std::size_t decimation, std::size_t count) {
            return found(
                registry, make_fir_problem(type, decimation, count, false), 2 * items);
        };
        // Values found for real taps also apply to complex taps.
        CPPUNIT_ASSERT(of(p.input, p.decimation, taps - 1) == values);
        CPPUNIT_ASSERT(of(sample_type::cs8, p.decimation, taps).empty());
        CPPUNIT_ASSERT(of(p.input, 20 * p.decimation, taps).empty());
        CPPUNIT_ASSERT(found(registry, p, 10 * items).empty());
        // An ifft_size that is too short for the taps of a problem is not used for that
        // problem.
        remember(registry, *kernel, few_outputs());
        CPPUNIT_ASSERT(!found(registry, p).empty());
        CPPUNIT_ASSERT(of(p.input, p.decimation, 2 * taps).empty());
    }

    void banks_read_what_is_tuned()
    {
        context_registry registry(options());
        remember(registry, *tunable_of(registry), few_outputs());
        const auto p = problem();
        freq_xlating_filter_bank_problem bank;
        bank.input = p.input;
        bank.decimation = p.decimation;
        bank.sampling_freq = p.sampling_freq;
        bank.taps = { p.taps };
        bank.center_freqs = { 1000, -20000, 30000 };
        const freq_xlating_filter_bank filters(
            bank, fast<freq_xlating_filter_bank_options>(), registry);
        check_text(filters.plan(), "vkfft");
        check_text(filters.plan(),
                   "block size " + std::to_string(few_outputs().at("ifft_size")));
        check_text(filters.plan(), "; tuned: ");
    }

    void tuned_filters_follow_changes()
    {
        if (smallest())
            return; // no block is long enough for these taps
        context_registry registry(options());
        remember(registry, *tunable_of(registry), few_outputs());
        auto o = fast<one_thread_options>();
        o.accuracy = 0;
        freq_xlating_filter_bank filter(bank_of_one(problem()), o, registry);
        CPPUNIT_ASSERT(changing_stream_error_db(filter, 50) < -120);
        CPPUNIT_ASSERT_EQUAL(std::string("vkfft"), filter.variant_name());
    }

    void a_plan_made_before_tuning_is_made_anew()
    {
        if (!shares_memory(test_device()))
            return; // there is one transfer only, so that nothing is measured
        context_registry registry(options());
        const auto plans_after = [&] {
            const freq_xlating_filter_bank filter(
                bank_of_one(problem()), fast<one_thread_options>("auto"), registry);
            return plans(registry);
        };
        const std::size_t before = plans_after();
        CPPUNIT_ASSERT(before > 0);
        CPPUNIT_ASSERT_EQUAL(before, plans_after());
        remember(registry, *tunable_of(registry), few_outputs());
        CPPUNIT_ASSERT_EQUAL(before + 1, plans_after());
        CPPUNIT_ASSERT_EQUAL(before + 1, plans_after());
    }

    void values_that_do_not_fit_are_passed_over()
    {
        auto o = options();
        int warnings = 0;
        o.log = [&](log_level, const std::string&) { warnings++; };
        const auto where = lowered(o);
        const auto p = problem();
        const fast_convolution_problem sizes{ p.input, p.decimation, p.taps.size(), 1 };
        const auto suggested = fast_convolution_values("vkfft", where, o, sizes, 0);
        for (const tuning_values& bad : { tuning_values{ { "ifft_size", 3 } },
                                          tuning_values{ { "ifft_size", 11 } },
                                          tuning_values{ { "group", 3 } },
                                          tuning_values{ { "pipeline_kib", 1 } },
                                          tuning_values{ { "speed", 9 } } })
            CPPUNIT_ASSERT(fast_convolution_values("vkfft", where, o, sizes, 0, bad) ==
                           suggested);
        CPPUNIT_ASSERT_EQUAL(5, warnings);
        o.tuning_defaults["fast_convolution_vkfft"] = few_outputs();
        CPPUNIT_ASSERT_EQUAL(
            few_outputs().at("ifft_size"),
            fast_convolution_values("vkfft", where, o, sizes, 0).at("ifft_size"));
        CPPUNIT_ASSERT_EQUAL(
            std::int64_t(12),
            fast_convolution_values("vkfft", where, o, sizes, 0, { { "ifft_size", 12 } })
                .at("ifft_size"));
    }

    void bad_arguments_are_refused()
    {
        context_registry registry(options());
        const auto refused = [&](const device_info& device,
                                 const freq_xlating_fir_problem& p,
                                 std::size_t n,
                                 double accuracy) {
            CPPUNIT_ASSERT_THROW(
                make_fast_convolution_tunable(registry, device, p, n, accuracy),
                std::invalid_argument);
        };
        auto p = problem();
        refused(test_device(), p, 0, 0);
        refused(test_device(), p, items, -1);
        refused(test_device(), p, items, 0.2);
        refused(test_device(), p, items, std::nan(""));
        refused(device_info(), p, items, 0);
        auto small = test_device();
        small.limits.max_work_group_size = 1;
        refused(small, make_fir_problem(p.input, 1, 100, true), items, 0);
#ifndef CLDSP_HAVE_VKFFT
        refused(test_device(), p, items, 0);
#endif
        p.taps.clear();
        refused(test_device(), p, items, 0);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_fast_convolution_tuning,
                                      "qa_fast_convolution_tuning");
