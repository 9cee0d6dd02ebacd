// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of when new taps bring a new plan.

#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_fake_plans.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/freq_xlating_filter_bank.h>

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! Tests of when a plan that was made for other taps is replaced by a new one.
class qa_outdated_plans : public planner_fixture
{
    CPPUNIT_TEST_SUITE(qa_outdated_plans);
    CPPUNIT_TEST(a_clearly_better_prediction_counts);
    CPPUNIT_TEST(blocks_of_another_size_are_predicted);
    CPPUNIT_TEST(a_plan_that_was_never_measured_is_outdated);
    CPPUNIT_TEST(what_is_no_candidate_any_more_is_outdated);
    CPPUNIT_TEST(placeholders_are_not_measured);
    CPPUNIT_TEST(a_choice_can_be_stopped);
    CPPUNIT_TEST(filters_with_a_placeholder);
    CPPUNIT_TEST(banks_with_a_placeholder);
    CPPUNIT_TEST(a_measured_placeholder_is_outdated);
    CPPUNIT_TEST(banks_of_one_tap_are_measured);
    CPPUNIT_TEST_SUITE_END();

    bool outdated(const chosen_plan& plan, double other_block = 1)
    {
        const auto* const same = find_candidate(d_candidates, plan);
        return is_outdated(request(),
                           d_candidates,
                           plan,
                           same && plan.ifft_size == same->ifft_size ? same->predicted
                                                                     : other_block);
    }

    static chosen_plan measured(const std::string& algorithm,
                                const std::string& variant,
                                std::size_t ifft_size = 0)
    {
        chosen_plan plan;
        plan.device = plan.device_name = "host";
        plan.algorithm = algorithm;
        plan.variant = variant;
        plan.transfer = "none";
        plan.ifft_size = ifft_size;
        plan.measured = 1e6;
        return plan;
    }

public:
    void a_clearly_better_prediction_counts()
    {
        add("direct", 1.24e-3, 1);
        add("fast_convolution", 1e-3, 1, 64);
        CPPUNIT_ASSERT(!outdated(measured("direct", "simd")));
        d_candidates[0].predicted = 1.26e-3;
        CPPUNIT_ASSERT(outdated(measured("direct", "simd")));
        CPPUNIT_ASSERT(!outdated(measured("fast_convolution", "selected_bins", 64)));
    }

    void blocks_of_another_size_are_predicted()
    {
        add("direct", 2e-3, 1);
        add("fast_convolution", 1e-3, 1, 64);
        const auto plan = measured("fast_convolution", "selected_bins", 128);
        CPPUNIT_ASSERT(!outdated(plan, 1.2e-3));
        CPPUNIT_ASSERT(outdated(plan, 1.3e-3));
    }

    void a_plan_that_was_never_measured_is_outdated()
    {
        add("direct", 1e-3, 1);
        auto plan = measured("direct", "simd");
        plan.measured = 0;
        CPPUNIT_ASSERT(!outdated(plan)); // there is no other candidate to compare it with
        add("fast_convolution", 2e-3, 1, 64);
        CPPUNIT_ASSERT(outdated(plan));
    }

    void what_is_no_candidate_any_more_is_outdated()
    {
        add("direct", 1e-3, 1);
        auto no_such_device = measured("direct", "simd");
        no_such_device.device = "7:7";
        CPPUNIT_ASSERT(outdated(chosen_plan()));
        CPPUNIT_ASSERT(outdated(measured("direct", "volk")));
        CPPUNIT_ASSERT(outdated(no_such_device));
        CPPUNIT_ASSERT(outdated(measured("direct", "simd", 64)));
    }

    void placeholders_are_not_measured()
    {
        add("direct", 2e-3, 1e-6);
        add("fast_convolution", 1e-3, 1e-3, 64);
        auto asked = request();
        asked.measuring = false;
        const auto choice = choose(asked);
        CPPUNIT_ASSERT_EQUAL(0, calls());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), choice.index); // the choice by prediction
        CPPUNIT_ASSERT(!choose().plan.remembered);
    }

    void a_choice_can_be_stopped()
    {
        add("direct", 1e-3, 1e-3);
        add("fast_convolution", 1e-3, 1e-3, 64);
        auto asked = request();
        asked.stopped = [&] { return calls() >= 12; };
        CPPUNIT_ASSERT_THROW(choose(asked), planning_stopped);
        CPPUNIT_ASSERT(d_chosen.empty());
        CPPUNIT_ASSERT(calls() < 24);
        CPPUNIT_ASSERT(!choose().plan.remembered);
    }

    void filters_with_a_placeholder()
    {
        context_registry registry(test_options());
        one_thread_options options;
        options.device = "host";
        options.typical_items = 65536;
        auto problem = make_fir_problem(sample_type::fc32, 8, 1, true);
        const freq_xlating_filter_bank placeholder(
            bank_of_one(problem), options, registry);
        CPPUNIT_ASSERT(placeholder.plan().find("not measured") != std::string::npos);
        CPPUNIT_ASSERT(
            !is_outdated(placeholder.chosen(), bank_of_one(problem), options, registry));

        problem.taps = random_taps(5781, true, 3);
        CPPUNIT_ASSERT(
            is_outdated(placeholder.chosen(), bank_of_one(problem), options, registry));
        const freq_xlating_filter_bank fresh(bank_of_one(problem), options, registry);
        CPPUNIT_ASSERT_EQUAL(std::string("fast_convolution"), fresh.algorithm_name());

        problem.taps.resize(1);
        CPPUNIT_ASSERT(
            is_outdated(fresh.chosen(), bank_of_one(problem), options, registry));

        options.stopped = [] { return true; };
        problem.taps = random_taps(2000, true, 3);
        CPPUNIT_ASSERT_THROW(
            freq_xlating_filter_bank(bank_of_one(problem), options, registry),
            planning_stopped);
    }

    void banks_with_a_placeholder()
    {
        context_registry registry(test_options());
        freq_xlating_filter_bank_options options;
        options.device = "host";
        options.typical_items = 65536;
        freq_xlating_filter_bank_problem problem;
        problem.decimation = 8;
        problem.center_freqs = { 0.1, -0.2 };
        problem.taps = { { 1 } };
        const freq_xlating_filter_bank placeholder(problem, options, registry);
        CPPUNIT_ASSERT(placeholder.plan().find("not measured") != std::string::npos);
        CPPUNIT_ASSERT(!is_outdated(placeholder.chosen(), problem, options, registry));
        problem.taps = { random_taps(5781, true, 3), { 1 } };
        CPPUNIT_ASSERT(is_outdated(placeholder.chosen(), problem, options, registry));
    }

    void a_measured_placeholder_is_outdated()
    {
        add("direct", 1e-3, 1e-3);
        add("fast_convolution", 2e-3, 2e-3, 64);
        auto asked = request();
        asked.placeholder = true;
        const auto plan = choose(asked).plan;
        CPPUNIT_ASSERT(plan.measured > 0 && plan.placeholder);
        CPPUNIT_ASSERT(!is_outdated(asked, d_candidates, plan, 1e-3));
        CPPUNIT_ASSERT(outdated(plan)); // by the predictions alone it would not be
        CPPUNIT_ASSERT(!outdated(measured("direct", "simd")));
    }

    void banks_of_one_tap_are_measured()
    {
        context_registry registry(test_options());
        freq_xlating_filter_bank_options options;
        options.device = "host";
        options.typical_items = 1000;
        freq_xlating_filter_bank_problem problem;
        problem.decimation = 4;
        problem.center_freqs.assign(40, 0.1);
        problem.taps = { { 1 } };
        const freq_xlating_filter_bank bank(problem, options, registry);
        CPPUNIT_ASSERT(bank.chosen().measured > 0 && bank.chosen().placeholder);
        problem.taps = { random_taps(81, true, 3) };
        CPPUNIT_ASSERT(is_outdated(bank.chosen(), problem, options, registry));
        // A filter of two taps is no larger than a placeholder, and measured as well.
        one_thread_options one;
        one.device = "host";
        one.typical_items = 1000;
        auto filter = make_fir_problem(sample_type::fc32, 3, 2, true);
        CPPUNIT_ASSERT(freq_xlating_filter_bank(bank_of_one(filter), one, registry)
                           .chosen()
                           .measured > 0);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_outdated_plans, "qa_outdated_plans");

} // namespace
