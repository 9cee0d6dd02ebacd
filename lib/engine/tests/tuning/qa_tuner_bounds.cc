// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of what a tuning costs, and of its end.

#include "tests/support/qa_scripted_kernel.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

using namespace cldsp;

// Tests of the cost of a tuning, and of its end.
class qa_tuner_bounds : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_tuner_bounds);
    CPPUNIT_TEST(count_bounds_it);
    CPPUNIT_TEST(time_bounds_it);
    CPPUNIT_TEST(another_thread_stops_it);
    CPPUNIT_TEST(after_a_stop_only_a_clear_winner_is_taken);
    CPPUNIT_TEST(progress_is_told);
    CPPUNIT_TEST(no_point_is_measured_twice);
    CPPUNIT_TEST_SUITE_END();

    void count_bounds_it()
    {
        for (const auto& strategy : { "full", "random", "annealing", "swarm" }) {
            scripted_kernel kernel(40);
            auto o = scripted_options(kernel, strategy);
            o.evaluations = 7;
            const auto result = tune(kernel, o);
            CPPUNIT_ASSERT_EQUAL(std::size_t(7), result.points.size());
            CPPUNIT_ASSERT(result.ending == tuning_ending::evaluations);
            o.evaluations = 1;
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), tune(kernel, o).points.size());
        }
    }

    void time_bounds_it()
    {
        for (const auto& strategy : { "full", "random", "annealing", "swarm" }) {
            scripted_kernel kernel(100);
            kernel.prepare_seconds = 0.3;
            kernel.default_seconds = 0.01;
            kernel.script[1].seconds = 0.002;
            auto o = scripted_options(kernel, strategy);
            o.seconds = 10;
            const auto result = tune(kernel, o);
            CPPUNIT_ASSERT(result.ending == tuning_ending::time);
            CPPUNIT_ASSERT(result.points.size() > 20);
            CPPUNIT_ASSERT(result.points.size() < 30);
            // After the time limit only the point that had begun is completed.
            CPPUNIT_ASSERT(result.elapsed > 8);
            CPPUNIT_ASSERT(result.elapsed < 10.5);
            CPPUNIT_ASSERT(result.best);
        }
        // Even if the time is too short for anything, the default is measured.
        scripted_kernel slow(100);
        slow.prepare_seconds = 5;
        auto o = scripted_options(slow);
        o.seconds = 1;
        const auto result = tune(slow, o);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), result.points.size());
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), best_of(result));
    }

    void another_thread_stops_it()
    {
        scripted_kernel kernel(100);
        kernel.script[1].seconds = 0.5e-3;
        std::atomic<bool> stop{ false }, running{ false };
        kernel.at_run = [&](std::int64_t x) {
            // Point 3 never ends by itself.
            if (x == 3) {
                running = true;
                while (!stop)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        };
        auto o = scripted_options(kernel);
        o.stopped = [&stop] { return stop.load(); };
        std::thread stopper([&] {
            while (!running)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            stop = true;
        });
        const auto result = tune(kernel, o);
        stopper.join();
        CPPUNIT_ASSERT(result.ending == tuning_ending::stopped);
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), result.points.size()); // points 0, 1 and 2
        CPPUNIT_ASSERT_EQUAL(std::int64_t(1), best_of(result));
        CPPUNIT_ASSERT(!result.confirmed);

        o.stopped = [] { return true; };
        const auto nothing = tune(kernel, o);
        CPPUNIT_ASSERT(nothing.ending == tuning_ending::stopped);
        CPPUNIT_ASSERT(nothing.points.empty() && !nothing.best);
        CPPUNIT_ASSERT(!nothing.text().empty());
    }

    void after_a_stop_only_a_clear_winner_is_taken()
    {
        for (const double seconds : { 0.95e-3, 0.8e-3 }) {
            scripted_kernel kernel(100);
            kernel.script[1].seconds = seconds;
            auto o = scripted_options(kernel);
            o.stopped = [&] { return kernel.prepared.size() == 10; };
            CPPUNIT_ASSERT_EQUAL(std::int64_t(seconds < 0.9e-3),
                                 best_of(tune(kernel, o)));
        }
    }

    void progress_is_told()
    {
        scripted_kernel kernel(10);
        kernel.script[0].error = 1; // at first no point is right
        kernel.script[4].seconds = 0.5e-3;
        auto o = scripted_options(kernel);
        std::vector<std::size_t> done;
        std::vector<std::int64_t> current, leading;
        o.progress = [&](const tuning_progress& p) {
            done.push_back(p.done);
            CPPUNIT_ASSERT_EQUAL(std::size_t(10), p.of);
            CPPUNIT_ASSERT_EQUAL(kernel.clock, p.seconds);
            current.push_back(p.current->point["x"]);
            leading.push_back(p.best ? p.best->point["x"] : -1);
        };
        tune(kernel, o);
        CPPUNIT_ASSERT(
            (done == std::vector<std::size_t>{ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }));
        CPPUNIT_ASSERT(
            (current == std::vector<std::int64_t>{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }));
        CPPUNIT_ASSERT(
            (leading == std::vector<std::int64_t>{ -1, 1, 1, 1, 4, 4, 4, 4, 4, 4 }));
    }

    void no_point_is_measured_twice()
    {
        for (const auto& strategy : { "full", "random", "annealing", "swarm" }) {
            scripted_kernel kernel(40);
            auto o = scripted_options(kernel, strategy);
            o.leaders = 3;
            const auto result = tune(kernel, o);
            CPPUNIT_ASSERT_EQUAL(std::size_t(40), result.points.size());
            const std::set<std::int64_t> seen(kernel.prepared.begin(),
                                              kernel.prepared.begin() + 40);
            CPPUNIT_ASSERT_EQUAL(std::size_t(40), seen.size());
            // After the search the default and three of the fastest points are run again.
            CPPUNIT_ASSERT_EQUAL(std::size_t(40 + 1 + 3), kernel.prepared.size());
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_tuner_bounds, "qa_tuner_bounds");
