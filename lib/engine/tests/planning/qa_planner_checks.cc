// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that the planner leaves out devices whose outputs are wrong.

#include "tests/support/qa_fake_plans.h"
#include "tests/support/qa_process.h"

#include <cppunit/extensions/HelperMacros.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

using namespace cldsp;

namespace {

//! Tests of devices whose results differ from the host's.
class qa_planner_checks : public planner_fixture
{
    CPPUNIT_TEST_SUITE(qa_planner_checks);
    CPPUNIT_TEST(a_fast_device_that_is_wrong_is_left_out);
    CPPUNIT_TEST(what_is_no_number_is_wrong);
    CPPUNIT_TEST(the_only_candidate_is_compared);
    CPPUNIT_TEST(a_misfit_does_not_hide_a_device_that_is_wrong);
    CPPUNIT_TEST(the_device_that_is_wrong_is_named);
    CPPUNIT_TEST(a_remembered_answer_is_compared_once_a_process);
    CPPUNIT_TEST(what_was_measured_is_not_compared_again);
    CPPUNIT_TEST(the_host_is_not_compared);
    CPPUNIT_TEST(small_and_large_outputs_tell_nothing);
    CPPUNIT_TEST(ranges_of_outputs_do_not_overlap);
    CPPUNIT_TEST_SUITE_END();

    const device_info d_gpu = device(device_kind::gpu, "a GPU");

    template <class Number>
    static double error(const std::vector<Number>& got, const std::vector<Number>& right)
    {
        output_comparison comparison;
        comparison.add(got.data(), right.data(), got.size());
        return comparison.error();
    }

public:
    void a_fast_device_that_is_wrong_is_left_out()
    {
        add("direct", 1e-3, 1e-3);
        add("direct", 1e-3, 1e-6, 0, d_gpu).error = { 0.5, 1e-3 };
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), choose().index);
        // The candidate was not even timed.
        CPPUNIT_ASSERT_EQUAL(0, d_behaviours[1]->calls);
        CPPUNIT_ASSERT(logged("direct/simd/copy on 'a GPU' is left out: its outputs "
                              "differ from the host's by -6.0 dB of their peak"));
    }

    void what_is_no_number_is_wrong()
    {
        add("direct", 1e-3, 1e-3);
        add("direct", 1e-3, 1e-6, 0, d_gpu).error = {
            std::numeric_limits<double>::infinity(), 1e-3
        };
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), choose().index);
        CPPUNIT_ASSERT(logged("not numbers"));

        const float nan = std::numeric_limits<float>::quiet_NaN();
        CPPUNIT_ASSERT(
            !(output_error{ error<float>({ 1, nan }, { 1, 2 }), 1 }.is_right()));
        CPPUNIT_ASSERT(!(output_error{ nan, 1 }.is_right()));
    }

    void the_only_candidate_is_compared()
    {
        auto& only = add("direct", 1e-3, 1e-3, 0, d_gpu);
        choose();
        choose();
        choose(request("another problem"));
        CPPUNIT_ASSERT_EQUAL(2, only.checks); // once for each problem
        CPPUNIT_ASSERT_EQUAL(0, only.calls);

        only.error = { 1, 1e-3 };
        CPPUNIT_ASSERT_THROW(choose(request("a third problem")), wrong_outputs);
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), d_chosen.size());
    }

    void a_misfit_does_not_hide_a_device_that_is_wrong()
    {
        const auto misfit = [] { throw std::invalid_argument("it does not fit"); };
        add("direct", 1e-3, 1e-3, 0, d_gpu).error = { 1, 1e-3 };
        add("fast_convolution", 1e-3, 1e-3, 512, d_gpu).on_make = misfit;
        CPPUNIT_ASSERT_THROW(choose(), wrong_outputs);
        std::swap(d_candidates[0], d_candidates[1]);
        CPPUNIT_ASSERT_THROW(choose(), wrong_outputs);
        d_behaviours[0]->on_make = misfit;
        CPPUNIT_ASSERT_THROW(choose(), std::invalid_argument);
    }

    void the_device_that_is_wrong_is_named()
    {
        add("direct", 1e-3, 1e-3, 0, device(device_kind::gpu, "another GPU")).on_make =
            [] { throw std::invalid_argument("it does not fit"); };
        add("direct", 1e-3, 1e-3, 0, d_gpu).error = { 1, 1e-3 };
        try {
            choose();
            CPPUNIT_FAIL("wrong outputs were taken");
        } catch (const wrong_outputs& e) {
            CPPUNIT_ASSERT_EQUAL(d_gpu.name, e.device());
        }
    }

    void a_remembered_answer_is_compared_once_a_process()
    {
        const temporary_folder folder;
        set_memory(folder.path());
        add("direct", 1e-3, 1e-3);
        auto& fast = add("direct", 1e-3, 1e-6, 0, d_gpu);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), choose().index);
        CPPUNIT_ASSERT_EQUAL(1, fast.checks);

        set_memory(folder.path()); // simulates another process
        CPPUNIT_ASSERT(choose().plan.remembered);
        CPPUNIT_ASSERT(choose().plan.remembered);
        CPPUNIT_ASSERT_EQUAL(2, fast.checks);

        set_memory(folder.path());
        fast.error = { 1, 1e-3 };
        const auto choice = choose();
        CPPUNIT_ASSERT(!choice.plan.remembered);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), choice.index);
    }

    void what_was_measured_is_not_compared_again()
    {
        add("direct", 1e-3, 1e-3);
        auto& fast = add("direct", 1e-3, 1e-6, 0, d_gpu);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), choose().index);
        CPPUNIT_ASSERT(choose().plan.remembered);
        CPPUNIT_ASSERT_EQUAL(1, fast.checks);
    }

    void the_host_is_not_compared()
    {
        auto& only = add("direct", 1e-3, 1e-3);
        only.error = { 1, 1e-3 };
        choose();
        CPPUNIT_ASSERT_EQUAL(0, only.checks);
    }

    void small_and_large_outputs_tell_nothing()
    {
        const float inf = std::numeric_limits<float>::infinity();
        CPPUNIT_ASSERT_EQUAL(0.0, error<float>({ 0, 0 }, { 1e-40f, -1e-38f }));
        CPPUNIT_ASSERT_EQUAL(0.0, error<float>({ 3, 4 }, { 3, inf }));
        CPPUNIT_ASSERT_EQUAL(0.0, error<float>({ 0, 0 }, { 0, 0 }));
        CPPUNIT_ASSERT_EQUAL(1.0, error<float>({ 0, 0 }, { 2, -4 }));
        CPPUNIT_ASSERT_EQUAL(0.25, error<std::int32_t>({ 3, -4 }, { 2, -4 }));
    }

    void ranges_of_outputs_do_not_overlap()
    {
        for (std::size_t outputs = 1; outputs < 60; outputs++) {
            std::size_t next = 0;
            for (const auto& range : some_outputs(outputs, 5)) {
                CPPUNIT_ASSERT(range.first >= next);
                CPPUNIT_ASSERT(range.count > 0);
                next = range.first + range.count;
            }
            CPPUNIT_ASSERT_EQUAL(outputs, next);
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_planner_checks, "qa_planner_checks");

} // namespace
