// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of which point wins a tuning.

#include "tests/support/qa_refused.h"
#include "tests/support/qa_scripted_kernel.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

// Tests of which point wins.
class qa_tuner : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_tuner);
    CPPUNIT_TEST(the_fastest_right_point_wins);
    CPPUNIT_TEST(a_wrong_point_never_wins);
    CPPUNIT_TEST(a_point_that_turns_wrong_does_not_win);
    CPPUNIT_TEST(failing_points_are_passed_over_with_the_reason);
    CPPUNIT_TEST(a_failing_default_leaves_the_others);
    CPPUNIT_TEST(nothing_right_is_said_so);
    CPPUNIT_TEST(the_default_wins_unless_another_is_faster);
    CPPUNIT_TEST(lucky_times_do_not_win);
    CPPUNIT_TEST(outliers_do_not_lose);
    CPPUNIT_TEST(work_group_lists_are_strategies);
    CPPUNIT_TEST(bad_options_are_refused);
    CPPUNIT_TEST(problems_and_results_as_text);
    CPPUNIT_TEST_SUITE_END();

    static const tuned_point& point(const tuning_result& result, std::int64_t x)
    {
        for (const auto& p : result.points)
            if (p.point["x"] == x)
                return p;
        throw std::runtime_error("the point was not measured");
    }

    void the_fastest_right_point_wins()
    {
        for (const auto& strategy : { "full", "random", "annealing", "swarm" }) {
            scripted_kernel kernel(20);
            kernel.script[13].seconds = 0.4e-3;
            kernel.script[7].seconds = 0.5e-3;
            const auto result = tune(kernel, scripted_options(kernel, strategy));
            CPPUNIT_ASSERT_EQUAL(std::int64_t(13), best_of(result));
            CPPUNIT_ASSERT_DOUBLES_EQUAL(0.4e-3, result.seconds, 1e-9);
            CPPUNIT_ASSERT_DOUBLES_EQUAL(1e-3, result.default_seconds, 1e-9);
            CPPUNIT_ASSERT_DOUBLES_EQUAL(2.5, result.speedup(), 1e-6);
            CPPUNIT_ASSERT(result.confirmed);
            CPPUNIT_ASSERT_EQUAL(std::size_t(0), result.failed);
            CPPUNIT_ASSERT_EQUAL(std::int64_t(0), result.points[0].point["x"]);
        }
    }

    void a_wrong_point_never_wins()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (const double error : { 1.1e-5, 1e9, nan })
            for (const auto& strategy : { "full", "random", "annealing", "swarm" }) {
                scripted_kernel kernel(20);
                kernel.script[5] = { 1e-6, error };
                kernel.script[8].seconds = 0.5e-3;
                const auto result = tune(kernel, scripted_options(kernel, strategy));
                CPPUNIT_ASSERT_EQUAL(std::int64_t(8), best_of(result));
                CPPUNIT_ASSERT_EQUAL(std::size_t(1), result.failed);
                const auto& wrong = point(result, 5);
                CPPUNIT_ASSERT_MESSAGE(wrong.failure,
                                       wrong.failure.find("error") != std::string::npos);
                CPPUNIT_ASSERT(std::isinf(wrong.seconds));
            }
    }

    void a_point_that_turns_wrong_does_not_win()
    {
        // Point 3 is right in the search, and wrong when it is measured again.
        scripted_kernel kernel(5);
        kernel.script[3].seconds = 0.1e-3;
        kernel.at_run = [&](std::int64_t x) {
            if (x == 3)
                kernel.script[3].error = 1;
        };
        const auto result = tune(kernel, scripted_options(kernel));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), best_of(result));
        CPPUNIT_ASSERT(!point(result, 3).good());
    }

    void failing_points_are_passed_over_with_the_reason()
    {
        scripted_kernel kernel(10);
        kernel.script[1].prepare_failure = "CL_BUILD_PROGRAM_FAILURE";
        kernel.script[2].check_failure = "CL_OUT_OF_RESOURCES";
        kernel.script[3].run_failure = "CL_INVALID_WORK_GROUP_SIZE";
        kernel.script[4].throws_without_words = true;
        kernel.script[5].seconds = -1;
        kernel.script[6].seconds = std::numeric_limits<double>::quiet_NaN();
        kernel.script[7].seconds = 0.2e-3;
        auto o = scripted_options(kernel);
        o.now = [] { return 0.0; };
        const auto result = tune(kernel, o);
        CPPUNIT_ASSERT_EQUAL(std::int64_t(7), best_of(result));
        CPPUNIT_ASSERT_EQUAL(std::size_t(6), result.failed);
        CPPUNIT_ASSERT_EQUAL(std::string("CL_BUILD_PROGRAM_FAILURE"),
                             point(result, 1).failure);
        CPPUNIT_ASSERT_EQUAL(std::string("CL_OUT_OF_RESOURCES"),
                             point(result, 2).failure);
        CPPUNIT_ASSERT_EQUAL(std::string("CL_INVALID_WORK_GROUP_SIZE"),
                             point(result, 3).failure);
        for (const int x : { 4, 5, 6 })
            CPPUNIT_ASSERT(!point(result, x).failure.empty());
    }

    void a_failing_default_leaves_the_others()
    {
        scripted_kernel kernel(4);
        kernel.script[0].run_failure = "CL_OUT_OF_RESOURCES";
        kernel.script[2].seconds = 0.9e-3;
        const auto result = tune(kernel, scripted_options(kernel));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(2), best_of(result));
        CPPUNIT_ASSERT(std::isinf(result.default_seconds));
        CPPUNIT_ASSERT_EQUAL(1.0, result.speedup());
    }

    void nothing_right_is_said_so()
    {
        for (const auto& strategy : { "full", "random", "annealing", "swarm" }) {
            scripted_kernel kernel(6);
            for (int x = 0; x < 6; x++)
                kernel.script[x].error = 1;
            const auto result = tune(kernel, scripted_options(kernel, strategy));
            CPPUNIT_ASSERT(!result.best);
            CPPUNIT_ASSERT_EQUAL(std::size_t(6), result.failed);
            CPPUNIT_ASSERT(result.text().find("none was right") != std::string::npos);
        }
    }

    void the_default_wins_unless_another_is_faster()
    {
        scripted_kernel kernel(10); // all points take the same time
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0),
                             best_of(tune(kernel, scripted_options(kernel))));
        kernel.script[4].seconds = 0.97e-3;
        CPPUNIT_ASSERT_EQUAL(std::int64_t(4),
                             best_of(tune(kernel, scripted_options(kernel))));
        scripted_kernel alone(1);
        const auto result = tune(alone, scripted_options(alone, "annealing"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), best_of(result));
        CPPUNIT_ASSERT_EQUAL(1.0, result.speedup());
    }

    void lucky_times_do_not_win()
    {
        // Point 2 is slower than the default, but its timings in the search were too
        // short by chance.
        scripted_kernel kernel(4);
        kernel.script[2] = { 1.2e-3 };
        kernel.script[2].noise = std::vector<double>(5, 0.1);
        const auto result = tune(kernel, scripted_options(kernel));
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0.12e-3, point(result, 2).seconds, 1e-9);
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), best_of(result));
    }

    void outliers_do_not_lose()
    {
        scripted_kernel kernel(4);
        kernel.script[2] = { 0.5e-3 };
        kernel.script[2].noise = { 1, 50, 1, 1, 50, 1, 1, 50, 1, 1 };
        CPPUNIT_ASSERT_EQUAL(std::int64_t(2),
                             best_of(tune(kernel, scripted_options(kernel))));
    }

    //! 96 work-items on 4 compute units with 48 KiB of cache.
    static tuned_work_group groups_of_96()
    {
        tuned_work_group groups;
        groups.problem.global = { 96 };
        groups.problem.max_items = 64;
        for (auto& most : groups.problem.max_in_dimension)
            most = 64;
        groups.problem.compute_units = 4;
        groups.problem.cache_bytes = 3 * 16384;
        groups.parameters = { "x" };
        return groups;
    }

    void work_group_lists_are_strategies()
    {
        const auto measured = [](const char* strategy) {
            scripted_kernel kernel(100);
            kernel.groups = groups_of_96();
            std::vector<std::int64_t> all;
            for (const auto& p : tune(kernel, scripted_options(kernel, strategy)).points)
                all.push_back(p.point["x"]);
            return all;
        };
        using list = std::vector<std::int64_t>;
        CPPUNIT_ASSERT((measured("powers") == list{ 0, 1, 2, 4, 8, 16, 32, 64 }));
        CPPUNIT_ASSERT((measured("candidates") == list{ 0, 32, 16, 8, 4, 2, 1, 64 }));
        // 96 work-items in 8 groups
        CPPUNIT_ASSERT((measured("mnn_default") == list{ 0, 12 }));
        CPPUNIT_ASSERT((measured("mace_default") == list{ 0, 3 }));

        // Sizes that the space does not have are left out. A kernel without sizes has no
        // such points.
        scripted_kernel few(9);
        few.groups = groups_of_96();
        CPPUNIT_ASSERT_EQUAL(std::size_t(1 + 4),
                             tune(few, scripted_options(few, "powers")).points.size());
        scripted_kernel none(9);
        for (const auto& strategy :
             { "powers", "candidates", "mnn_default", "mace_default" })
            CPPUNIT_ASSERT_THROW(tune(none, scripted_options(none, strategy)),
                                 std::invalid_argument);
    }

    void bad_options_are_refused()
    {
        scripted_kernel kernel(4);
        std::vector<std::string> words;
        for (const auto& name : tuning_strategies())
            words.push_back("'" + name + "'");
        assert_refused(words, [&] { tune(kernel, scripted_options(kernel, "luck")); });
        CPPUNIT_ASSERT(
            (tuning_strategies() == std::vector<std::string>{ "full",
                                                              "random",
                                                              "annealing",
                                                              "swarm",
                                                              "powers",
                                                              "candidates",
                                                              "mnn_default",
                                                              "mace_default" }));
        const auto refused = [&](auto change) {
            auto o = scripted_options(kernel);
            change(o);
            CPPUNIT_ASSERT_THROW(tune(kernel, o), std::invalid_argument);
        };
        refused([](auto& o) { o.seconds = 0; });
        refused([](auto& o) { o.seconds = -1; });
        refused([](auto& o) { o.seconds = std::numeric_limits<double>::infinity(); });
        refused([](auto& o) { o.evaluations = 0; });
        refused([](auto& o) { o.runs = 0; });
        refused([](auto& o) { o.leaders = 0; });
        CPPUNIT_ASSERT(kernel.prepared.empty());
    }

    void problems_and_results_as_text()
    {
        CPPUNIT_ASSERT_EQUAL(
            std::string("fc32 real decimation=8 taps=1024"),
            (tuning_problem{ "fc32 real", { { "taps", 1024 }, { "decimation", 8 } } })
                .text());
        scripted_kernel kernel(3);
        kernel.script[1].seconds = 0.5e-3;
        kernel.script[2].error = 1;
        const auto text = tune(kernel, scripted_options(kernel)).text();
        for (const auto& part :
             { "full: 3 points", "1 of them passed over", "best: x=1", "2.00 times" })
            CPPUNIT_ASSERT_MESSAGE(text, text.find(part) != std::string::npos);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_tuner, "qa_tuner");
