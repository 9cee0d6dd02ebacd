// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows how near the search strategies come to a best point that is known.

#include "tests/support/qa_synthetic_kernel.h"

#include <cldsp/tuner.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <limits>
#include <set>
#include <string>
#include <vector>

using namespace cldsp;

// Tests of the quality of the strategies, on a kernel whose best point is known.
class qa_tuning_search : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_tuning_search);
    CPPUNIT_TEST(the_space_is_no_easy_one);
    CPPUNIT_TEST(full_finds_the_best);
    CPPUNIT_TEST(annealing_comes_near);
    CPPUNIT_TEST(swarm_comes_near);
    CPPUNIT_TEST(random_measures_every_point_once);
    CPPUNIT_TEST(a_seed_repeats_the_search);
    CPPUNIT_TEST(small_spaces_are_searched_to_the_end);
    CPPUNIT_TEST_SUITE_END();

    static constexpr double near = 1.05;

    std::vector<double> d_times;
    double d_best = std::numeric_limits<double>::infinity();

public:
    void setUp() override
    {
        const synthetic_kernel kernel;
        for (std::size_t i = 0; i < kernel.space().size(); i++) {
            d_times.push_back(std::numeric_limits<double>::infinity());
            try {
                d_times[i] = synthetic_kernel::seconds(kernel.space().at(i));
            } catch (const std::runtime_error&) {
            }
            d_best = std::min(d_best, d_times[i]);
        }
    }

private:
    static tuning_options options(const std::string& strategy, std::uint32_t seed = 1)
    {
        tuning_options o;
        o.strategy = strategy;
        o.seed = seed;
        o.runs = o.leaders = 1;
        o.now = [] { return 0.0; }; // the search ends only by the number of points
        return o;
    }

    void the_space_is_no_easy_one()
    {
        CPPUNIT_ASSERT_EQUAL(std::size_t(20000), d_times.size());
        const synthetic_kernel kernel;
        std::size_t good = 0, failing = 0, minima = 0, descents = 0;
        for (std::size_t i = 0; i < d_times.size(); i++) {
            good += d_times[i] <= near * d_best;
            failing += std::isinf(d_times[i]);
            std::size_t here = i;
            for (bool moved = true; moved;) {
                moved = false;
                for (const auto n : kernel.space().neighbours(here))
                    if (d_times[n] < d_times[here]) {
                        here = n;
                        moved = true;
                    }
            }
            minima += here == i && !std::isinf(d_times[i]);
            descents += d_times[here] <= near * d_best;
        }
        CPPUNIT_ASSERT(good <= 20);                    // one point in a thousand
        CPPUNIT_ASSERT(failing > 1000);                // points that do not start
        CPPUNIT_ASSERT(minima > 50);                   // many local minima ...
        CPPUNIT_ASSERT(descents < d_times.size() / 2); // ... most of them not the best
        // A random search is not enough.
        CPPUNIT_ASSERT(successes("random") < 10);
    }

    //! The number of successful searches out of 20 seeds, with 500 points each.
    int successes(const std::string& strategy)
    {
        int good = 0;
        for (std::uint32_t seed = 1; seed <= 20; seed++) {
            synthetic_kernel kernel;
            const auto result = tune(kernel, options(strategy, seed));
            CPPUNIT_ASSERT(result.points.size() <= 500);
            good += result.seconds <= near * d_best;
        }
        return good;
    }

    void full_finds_the_best()
    {
        synthetic_kernel kernel;
        auto all = options("full");
        all.evaluations = 100000;
        const auto result = tune(kernel, all);
        CPPUNIT_ASSERT_EQUAL(d_times.size(), result.points.size());
        CPPUNIT_ASSERT(result.ending == tuning_ending::finished);
        CPPUNIT_ASSERT_EQUAL(d_best, result.seconds);
        CPPUNIT_ASSERT_EQUAL(
            d_best, synthetic_kernel::seconds(result.points[*result.best].point));
    }

    void annealing_comes_near() { CPPUNIT_ASSERT(successes("annealing") >= 18); }
    void swarm_comes_near() { CPPUNIT_ASSERT(successes("swarm") >= 18); }

    void random_measures_every_point_once()
    {
        synthetic_kernel kernel;
        auto all = options("random");
        all.evaluations = 100000;
        const auto result = tune(kernel, all);
        std::set<std::size_t> seen;
        for (const auto& p : result.points)
            seen.insert(*kernel.space().index_of(p.point));
        CPPUNIT_ASSERT_EQUAL(d_times.size(), result.points.size());
        CPPUNIT_ASSERT_EQUAL(d_times.size(), seen.size());
    }

    static std::vector<std::string> path(const std::string& strategy, std::uint32_t seed)
    {
        synthetic_kernel kernel;
        std::vector<std::string> texts;
        for (const auto& p : tune(kernel, options(strategy, seed)).points)
            texts.push_back(p.point.text());
        return texts;
    }

    void a_seed_repeats_the_search()
    {
        for (const char* strategy : { "random", "annealing", "swarm" }) {
            CPPUNIT_ASSERT(path(strategy, 3) == path(strategy, 3));
            CPPUNIT_ASSERT(path(strategy, 3) != path(strategy, 4));
        }
        CPPUNIT_ASSERT(path("full", 3) == path("full", 4));
    }

    //! A kernel of 6 points, of which one fails; one parameter has only one value.
    class small_kernel final : public synthetic_kernel
    {
    public:
        const tuning_space& space() const override { return d_small; }
        tuning_point default_point() const override { return d_small.at(3); }
        std::unique_ptr<tuning_trial> prepare(const tuning_point& point) override
        {
            prepared++;
            if (point["a"] == 2 && point["b"] == 7)
                throw std::runtime_error("no");
            return std::make_unique<trial>(
                1e-3 * static_cast<double>(point["a"] + point["b"]), 0, runs);
        }

    private:
        tuning_space d_small{
            { { "a", { 1, 2, 3 } }, { "one", { 5 } }, { "b", { 7, 9 } } }
        };
    };

    void small_spaces_are_searched_to_the_end()
    {
        for (const char* strategy : { "full", "random", "annealing", "swarm" }) {
            small_kernel kernel;
            const auto result = tune(kernel, options(strategy));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(strategy, std::size_t(6), result.points.size());
            CPPUNIT_ASSERT(result.ending == tuning_ending::finished);
            CPPUNIT_ASSERT_EQUAL(std::string("a=1 one=5 b=7"),
                                 result.points[*result.best].point.text());
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_tuning_search, "qa_tuning_search");
