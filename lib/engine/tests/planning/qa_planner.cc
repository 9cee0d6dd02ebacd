// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the planner's choice, and of the time that measuring may take.

#include "tests/support/qa_fake_plans.h"

#include <cldsp/plan_log.h>

#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>
#include <string>

using namespace cldsp;

namespace {

//! Tests of the planner's choice, and of the time that measuring may take.
class qa_planner : public planner_fixture
{
    CPPUNIT_TEST_SUITE(qa_planner);
    CPPUNIT_TEST(fastest_wins_whatever_was_predicted);
    CPPUNIT_TEST(single_candidate_is_not_measured);
    CPPUNIT_TEST(hopeless_candidates_are_not_made);
    CPPUNIT_TEST(best_of_each_kind_is_looked_at);
    CPPUNIT_TEST(losers_are_called_less_often);
    CPPUNIT_TEST(device_has_to_win_clearly);
    CPPUNIT_TEST(a_stream_that_disturbs_tells_by_how_much);
    CPPUNIT_TEST(compiling_in_the_first_call_does_not_decide);
    CPPUNIT_TEST(first_touch_of_memory_does_not_decide);
    CPPUNIT_TEST(repeated_calls_take_no_time_of_others);
    CPPUNIT_TEST(every_variant_is_looked_at_before_other_sizes);
    CPPUNIT_TEST(interruptions_do_not_decide);
    CPPUNIT_TEST(slow_calls_stay_within_the_bound);
    CPPUNIT_TEST(slow_making_stays_within_the_bound);
    CPPUNIT_TEST(a_device_that_is_slow_to_open_gets_a_look);
    CPPUNIT_TEST(call_longer_than_the_bound_still_gives_an_answer);
    CPPUNIT_TEST(those_that_throw_are_left_out);
    CPPUNIT_TEST(next_of_a_kind_stands_in_for_one_that_throws);
    CPPUNIT_TEST(kind_of_failure_is_told);
    CPPUNIT_TEST(winner_that_cannot_go_on_is_replaced);
    CPPUNIT_TEST(text_names_plan_rates_and_runner_up);
    CPPUNIT_TEST(a_missed_prediction_is_told_once);
    CPPUNIT_TEST_SUITE_END();

public:
    void fastest_wins_whatever_was_predicted()
    {
        add("direct", 1e-3, 1.3e-3);
        add("fast_convolution", 2e-3, 0.9e-3, 64);
        add("fast_convolution", 1.2e-3, 1.1e-3, 128);
        add("fast_convolution", 2.4e-3, 1.0e-3, 256);
        const auto choice = choose();
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), choice.index);
        CPPUNIT_ASSERT(d_chosen == std::vector<std::size_t>{ 1 });
        CPPUNIT_ASSERT_EQUAL(1, d_behaviours[1]->made); // the measured trial is used
        CPPUNIT_ASSERT_DOUBLES_EQUAL(1e6 / 0.9e-3, choice.plan.measured, 1);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(1e6 / 2e-3, choice.plan.predicted, 1);
        CPPUNIT_ASSERT(!choice.plan.remembered);
    }

    void single_candidate_is_not_measured()
    {
        add("direct", 1e-3, 1e-3);
        const auto choice = choose();
        CPPUNIT_ASSERT_EQUAL(1, d_behaviours[0]->made);
        CPPUNIT_ASSERT_EQUAL(0, d_behaviours[0]->prepared);
        CPPUNIT_ASSERT_EQUAL(0.0, choice.plan.measured);
        CPPUNIT_ASSERT(d_chosen == std::vector<std::size_t>{ 0 });
    }

    void hopeless_candidates_are_not_made()
    {
        add("direct", 1.0, 1e-6); // the model predicts a second for a call
        add("fast_convolution", 1e-3, 1e-3, 64);
        add("fast_convolution", 1e-2, 1e-6, 128);
        add("fast_convolution", 1.1e-3, 1.1e-3, 256);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), choose().index);
        CPPUNIT_ASSERT_EQUAL(0, d_behaviours[0]->made);
        CPPUNIT_ASSERT_EQUAL(0, d_behaviours[2]->made);
        CPPUNIT_ASSERT_EQUAL(1, d_behaviours[3]->made);
    }

    void best_of_each_kind_is_looked_at()
    {
        const auto gpu = device(device_kind::gpu, "a GPU");
        add("direct", 1e-3, 1e-3);
        add("fast_convolution", 5e-3, 2e-3, 64);
        add("fast_convolution", 6e-3, 2e-3, 128);
        add("direct", 4e-3, 0.5e-3, 0, gpu); // the model predicts this candidate badly
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), choose().index);
        CPPUNIT_ASSERT_EQUAL(1, d_behaviours[1]->made);
        CPPUNIT_ASSERT_EQUAL(0, d_behaviours[2]->made);
    }

    void losers_are_called_less_often()
    {
        add("direct", 1e-3, 5e-3);
        add("direct", 1e-3, 1.6e-3);
        add("direct", 1e-3, 1.3e-3);
        add("direct", 1e-3, 1.05e-3);
        add("direct", 1e-3, 1e-3);
        CPPUNIT_ASSERT_EQUAL(std::size_t(4), choose().index);
        for (std::size_t i = 1; i < d_behaviours.size(); i++)
            CPPUNIT_ASSERT(d_behaviours[i - 1]->calls < d_behaviours[i]->calls ||
                           (i == 4 && d_behaviours[3]->calls == d_behaviours[4]->calls));
    }

    void device_has_to_win_clearly()
    {
        const auto gpu = device(device_kind::gpu, "a GPU");
        add("direct", 1e-3, 1e-3);
        auto& other = add("direct", 0.5e-3, 0.97e-3, 0, gpu);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), choose(request("first")).index);
        other.seconds = [] { return 0.93e-3; };
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), choose(request("second")).index);
    }

    // Beside the stream the host's calls take ten times as long as alone.
    void a_stream_that_disturbs_tells_by_how_much()
    {
        add("direct", 1e-3, 10e-3);
        add("fast_convolution", 1e-3, 8e-3, 64);
        add("direct", 1e-3, 2e-3, 0, device(device_kind::gpu, "a GPU"));
        auto beside = request();
        beside.running = [this]() -> running_rate {
            return { d_candidates[0].as_plan(), 1e9 };
        };
        const auto choice = choose(beside);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), choice.index);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(1e6 / 0.8e-3, choice.plan.measured, 1);
    }

    void compiling_in_the_first_call_does_not_decide()
    {
        add("direct", 1e-3, 2e-3);
        auto& other = add("direct", 1e-3, 0, 0, device(device_kind::cpu, "a CPU"));
        other.seconds = [&other] { return other.calls > 0 ? 1e-3 : 5; };
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), choose().index);
    }

    void first_touch_of_memory_does_not_decide()
    {
        add("direct", 1e-3, 1e-3);
        auto& other = add("fast_convolution", 1e-3, 0, 64);
        for (const double first : { 40e-3, 100e-3, 300e-3 }) {
            other.calls = 0;
            other.seconds = [&other, first] { return other.calls > 0 ? 0.8e-3 : first; };
            CPPUNIT_ASSERT_EQUAL(std::size_t(1),
                                 choose(request(std::to_string(first))).index);
        }
    }

    void repeated_calls_take_no_time_of_others()
    {
        // Both take twice as long as predicted, so that their first calls could be cold.
        add("direct", 0.14, 0.3);
        add("fast_convolution", 0.13, 0.31, 64);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), choose().index);
    }

    void every_variant_is_looked_at_before_other_sizes()
    {
        // There is time for making four of the candidates.
        for (int i = 0; i < 8; i++)
            add("fast_convolution", 1e-3 + 1e-5 * i, 1e-3, 64u << i).making = 0.3;
        add("direct", 2e-3, 0.5e-3).making = 0.3;
        CPPUNIT_ASSERT_EQUAL(std::size_t(8), choose().index);
    }

    void interruptions_do_not_decide()
    {
        // Two of every three calls take three times as long.
        auto& best = add("direct", 1e-3, 0);
        int call = 0;
        best.seconds = [&call] { return ++call % 3 ? 3e-3 : 1e-3; };
        add("direct", 1e-3, 1.5e-3);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), choose().index);
    }

    void slow_calls_stay_within_the_bound()
    {
        for (int i = 0; i < 50; i++)
            add("direct", 0.1 + 1e-4 * i, 0.1 - 1e-4 * i);
        const double start = d_clock;
        choose();
        // A call that has begun is not interrupted.
        CPPUNIT_ASSERT(d_clock - start < 0.7 + 2 * 0.1);
        CPPUNIT_ASSERT(calls() >= 5);
    }

    void slow_making_stays_within_the_bound()
    {
        for (int i = 0; i < 50; i++)
            add("direct", 1e-3, 1e-3 - 1e-6 * i).making = 0.3;
        const double start = d_clock;
        choose();
        CPPUNIT_ASSERT(d_clock - start < 2.5 * 0.7 + 0.3);
        CPPUNIT_ASSERT_EQUAL(0, d_behaviours.back()->made);
    }

    void a_device_that_is_slow_to_open_gets_a_look()
    {
        for (int i = 0; i < 50; i++)
            add("direct", 0.1 + 1e-4 * i, 0.1 - 1e-4 * i);
        const auto gpu = device(device_kind::gpu, "a GPU");
        add("direct", 0.11, 0.01, 0, gpu).on_make = [] {
            throw std::invalid_argument("does not fit");
        };
        add("fast_convolution", 0.12, 0.01, 64, gpu).making = 3;
        add("fast_convolution", 0.13, 0.005, 128, gpu); // there is no time for this one
        CPPUNIT_ASSERT_EQUAL(std::size_t(51), choose().index);
        CPPUNIT_ASSERT_EQUAL(0, d_behaviours.back()->made);
    }

    void call_longer_than_the_bound_still_gives_an_answer()
    {
        add("direct", 20, 30);
        add("direct", 25, 10);
        const auto choice = choose();
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), choice.index);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(1e6 / 30, choice.plan.measured, 1);
        CPPUNIT_ASSERT_EQUAL(1, calls());
    }

    void those_that_throw_are_left_out()
    {
        add("direct", 1e-3, 2e-3);
        add("direct", 1e-3, 1e-3).on_make = [] {
            throw std::invalid_argument("does not fit");
        };
        add("direct", 1e-3, 1e-3).on_make = [] {
            throw opencl_error("clBuildProgram", -11, "a GPU");
        };
        add("direct", 1e-3, 1e-3).on_make = [] { throw std::bad_alloc(); };
        auto& late = add("direct", 1e-3, 1e-3);
        late.seconds = [&late]() -> double {
            if (late.calls > 3)
                throw opencl_error("clFinish", -36, "a GPU");
            return 1e-3;
        };
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), choose().index);
        CPPUNIT_ASSERT(logged("does not fit"));
        CPPUNIT_ASSERT(logged("clBuildProgram"));
        CPPUNIT_ASSERT(logged("clFinish"));
    }

    void next_of_a_kind_stands_in_for_one_that_throws()
    {
        add("direct", 1e-3, 1e-3);
        add("fast_convolution", 4e-3, 1e-3, 64).on_make = [] {
            throw std::invalid_argument("no");
        };
        add("fast_convolution", 5e-3, 0.5e-3, 128);
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), choose().index);
    }

    void kind_of_failure_is_told()
    {
        const auto lost = [] { throw opencl_error("clFinish", -36, "a GPU"); };
        const auto unfit = [] { throw std::invalid_argument("no"); };
        add("direct", 1e-3, 1e-3).on_make = lost;
        add("direct", 1e-3, 1e-3).on_make = lost;
        CPPUNIT_ASSERT_THROW(choose(), opencl_error);
        // The host may be able to compute what the device cannot, even if nothing else
        // fits.
        add("direct", 1e-3, 1e-3).on_make = unfit;
        CPPUNIT_ASSERT_THROW(choose(), opencl_error);
        d_candidates.clear();
        add("direct", 1e-3, 1e-3).on_make = unfit;
        add("direct", 1e-3, 1e-3).on_make = unfit;
        CPPUNIT_ASSERT_THROW(choose(), std::invalid_argument);
        d_candidates.clear();
        CPPUNIT_ASSERT_THROW(choose(), std::invalid_argument);
    }

    void winner_that_cannot_go_on_is_replaced()
    {
        add("direct", 1e-3, 2e-3);
        add("direct", 1e-3, 1e-3).on_finish = [] {
            throw opencl_error("clCreateBuffer", -4, "a GPU");
        };
        const auto choice = choose();
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), choice.index);
        CPPUNIT_ASSERT(logged("clCreateBuffer"));
        CPPUNIT_ASSERT(choice.plan.text().find("nothing else") != std::string::npos);
    }

    void text_names_plan_rates_and_runner_up()
    {
        add("direct", 2e-3, 2.5e-3);
        add("fast_convolution", 1e-3, 1.25e-3, 512);
        add("fast_convolution", 1e-3, 1.3e-3, 256);
        const std::string expected =
            "fast_convolution/selected_bins on host, block size 512: predicted 1000 "
            "MS/s, "
            "measured 800 MS/s; next: direct/simd on host 400 MS/s";
        CPPUNIT_ASSERT_EQUAL(expected, choose().plan.text());
        CPPUNIT_ASSERT(logged(expected));

        d_candidates.resize(1);
        CPPUNIT_ASSERT_EQUAL(std::string("direct/simd on host: predicted 500 MS/s, not "
                                         "measured; next: nothing else"),
                             choose().plan.text());
        d_candidates.clear();
        add("direct", 1e-3, 1e-3, 0, device(device_kind::gpu, "a GPU"));
        CPPUNIT_ASSERT_EQUAL(
            0, choose().plan.text().compare(0, 32, "direct/simd/copy on 'a GPU': pre"));
    }

    void a_missed_prediction_is_told_once()
    {
        const auto told = [](double predicted, double measured) {
            chosen_plan plan;
            plan.predicted = predicted;
            plan.measured = measured;
            std::vector<std::string> lines;
            tell_details(
                [&](log_level, const std::string& text) { lines.push_back(text); }, plan);
            CPPUNIT_ASSERT_EQUAL("plan: " + plan.text(), lines.at(0));
            lines.erase(lines.begin());
            return lines;
        };
        CPPUNIT_ASSERT(told(100e6, 40e6).empty());
        CPPUNIT_ASSERT(told(100e6, 0).empty()); // which was not measured
        for (const double measured : { 20e6, 400e6 }) {
            const auto lines = told(100e6, measured);
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), lines.size());
            CPPUNIT_ASSERT(lines[0].find("100 MS/s") != std::string::npos);
            CPPUNIT_ASSERT(lines[0].find(measured < 100e6 ? "20 MS/s" : "400 MS/s") !=
                           std::string::npos);
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_planner, "qa_planner");

} // namespace
