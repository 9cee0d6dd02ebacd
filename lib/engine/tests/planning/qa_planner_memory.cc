// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of remembered choices, and of how long they are valid.

#include "tests/support/qa_fake_plans.h"
#include "tests/support/qa_process.h"

#include <cppunit/extensions/HelperMacros.h>

#include <new>
#include <string>

using namespace cldsp;

namespace {

//! Tests of remembered choices, and of how long they are valid.
class qa_planner_memory : public planner_fixture
{
    CPPUNIT_TEST_SUITE(qa_planner_memory);
    CPPUNIT_TEST(answer_is_remembered);
    CPPUNIT_TEST(answer_has_its_precision);
    CPPUNIT_TEST(answer_outlives_the_process);
    CPPUNIT_TEST(answer_without_a_broken_device_holds_until_the_end);
    CPPUNIT_TEST(answer_without_one_that_lacked_memory_holds_until_the_end);
    CPPUNIT_TEST(answer_that_no_longer_works_is_measured_anew);
    CPPUNIT_TEST(answer_is_for_one_problem_and_set_of_devices);
    CPPUNIT_TEST(foreign_answers_are_measured_anew);
    CPPUNIT_TEST_SUITE_END();

public:
    void answer_is_remembered()
    {
        add("direct", 1e-3, 2e-3);
        add("fast_convolution", 1e-3, 1e-3, 64);
        const auto first = choose();
        const int before = calls();
        const auto second = choose();
        CPPUNIT_ASSERT_EQUAL(before, calls());
        CPPUNIT_ASSERT(second.plan.remembered);
        CPPUNIT_ASSERT_EQUAL(first.index, second.index);
        CPPUNIT_ASSERT_EQUAL(first.plan.measured, second.plan.measured);
        CPPUNIT_ASSERT_EQUAL(first.plan.text() + " (remembered)", second.plan.text());
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), d_chosen.size());
    }

    //! Candidates that differ in their precision alone are different candidates.
    void answer_has_its_precision()
    {
        add("direct", 1e-3, 2e-3);
        add("direct", 1e-3, 1e-3);
        d_candidates.back().precision = "tf32";
        const auto first = choose();
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), first.index);
        CPPUNIT_ASSERT_EQUAL(std::string("tf32"), first.plan.precision);
        CPPUNIT_ASSERT_MESSAGE(first.plan.text(),
                               first.plan.text().find(", precision tf32:") !=
                                   std::string::npos);
        const auto second = choose();
        CPPUNIT_ASSERT(second.plan.remembered);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), second.index);
        CPPUNIT_ASSERT(find_candidate(d_candidates, second.plan) == &d_candidates[1]);
    }

    void answer_outlives_the_process()
    {
        const temporary_folder folder;
        set_memory(folder.path());
        add("direct", 1e-3, 2e-3);
        add("fast_convolution", 1e-3, 1e-3, 64);
        const auto first = choose();
        const int before = calls();
        set_memory(folder.path());
        const auto second = choose();
        CPPUNIT_ASSERT_EQUAL(before, calls());
        CPPUNIT_ASSERT_EQUAL(first.plan.text() + " (remembered)", second.plan.text());
    }

    // If one of two candidates on a device fails, the device works. If both fail, the
    // device may work again later.
    void answer_without_a_broken_device_holds_until_the_end()
    {
        const auto gpu = device(device_kind::gpu, "a GPU");
        const auto broken = [] { throw opencl_error("clBuildProgram", -11, "a GPU"); };
        for (const bool works : { true, false }) {
            const temporary_folder folder;
            set_memory(folder.path());
            d_candidates.clear();
            add("direct", 1e-3, 1e-3);
            add("direct", 1e-3, 2e-3, 0, gpu).on_make = broken;
            auto& other = add("fast_convolution", 1e-3, 2e-3, 64, gpu);
            if (!works)
                other.on_make = broken;
            CPPUNIT_ASSERT_EQUAL(std::size_t(0), choose().index);
            CPPUNIT_ASSERT(choose().plan.remembered);
            set_memory(folder.path());
            CPPUNIT_ASSERT_EQUAL(works, choose().plan.remembered);
        }
    }

    void answer_without_one_that_lacked_memory_holds_until_the_end()
    {
        const temporary_folder folder;
        set_memory(folder.path());
        add("direct", 1e-3, 2e-3);
        add("fast_convolution", 1e-3, 1e-3, 64).on_make = [] { throw std::bad_alloc(); };
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), choose().index);
        CPPUNIT_ASSERT(choose().plan.remembered);
        set_memory(folder.path());
        d_behaviours[1]->on_make = [] {};
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), choose().index);
    }

    void answer_that_no_longer_works_is_measured_anew()
    {
        add("direct", 1e-3, 2e-3);
        add("fast_convolution", 1e-3, 1e-3, 64);
        add("fast_convolution", 1e-3, 1.5e-3, 128);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), choose().index);
        const int before = calls();
        d_behaviours[1]->on_finish = [] {
            throw opencl_error("clBuildProgram", -11, "a GPU");
        };
        const auto choice = choose();
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), choice.index);
        CPPUNIT_ASSERT(!choice.plan.remembered);
        CPPUNIT_ASSERT(calls() > before);
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), choose().index);

        // The block size that was best is not a candidate any more.
        d_candidates.pop_back();
        d_behaviours[1]->on_finish = [] {};
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), choose().index);
    }

    void answer_is_for_one_problem_and_set_of_devices()
    {
        add("direct", 1e-3, 2e-3);
        add("direct", 1e-3, 1e-3, 0, device(device_kind::gpu, "a GPU"));
        choose();
        CPPUNIT_ASSERT(choose().plan.remembered);
        CPPUNIT_ASSERT(!choose(request("another")).plan.remembered);
        d_candidates[1].device.driver_version = "2";
        CPPUNIT_ASSERT(!choose().plan.remembered);
        CPPUNIT_ASSERT(choose().plan.remembered);
        add("direct", 1e-3, 1e-3, 0, device(device_kind::cpu, "a CPU"));
        CPPUNIT_ASSERT(!choose().plan.remembered);
    }

    void foreign_answers_are_measured_anew()
    {
        const temporary_folder folder;
        set_memory(folder.path());
        add("direct", 1e-3, 2e-3);
        add("direct", 1e-3, 1e-3);
        choose();
        auto text = folder.read("wisdom.json");
        const std::string field = "\"measured\": 1";
        const auto at = text.find(field);
        CPPUNIT_ASSERT(at != std::string::npos);
        text.replace(at, field.size(), "\"measured\": true, \"m\": 1");
        folder.write("wisdom.json", text);
        set_memory(folder.path());
        const auto choice = choose();
        CPPUNIT_ASSERT(!choice.plan.remembered);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), choice.index);
        CPPUNIT_ASSERT(choose().plan.remembered);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_planner_memory, "qa_planner_memory");

} // namespace
