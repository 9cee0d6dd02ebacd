// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of points, their numbers, and the constraints that leave some out.

#include <cldsp/tuning_space.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

class qa_tuning_space : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_tuning_space);
    CPPUNIT_TEST(points_are_numbered_in_order);
    CPPUNIT_TEST(constraints_leave_points_out);
    CPPUNIT_TEST(numbers_and_points_map_both_ways);
    CPPUNIT_TEST(neighbours_differ_by_one_place);
    CPPUNIT_TEST(values_are_found_by_name);
    CPPUNIT_TEST(bad_spaces_are_refused);
    CPPUNIT_TEST(unknown_names_and_numbers_are_refused);
    CPPUNIT_TEST_SUITE_END();

    static tuning_space small()
    {
        return tuning_space({ { "width", { 4, 8, 16 } }, { "tile", { 1, 2, 3, 4 } } },
                            { { "registers", [](const tuning_point& p) {
                                   return p["width"] * p["tile"] <= 32;
                               } } });
    }

    void points_are_numbered_in_order()
    {
        const tuning_space all({ { "a", { 5, 3 } }, { "b", { 1, 2, 7 } } });
        CPPUNIT_ASSERT_EQUAL(std::size_t(6), all.size());
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < all.size(); i++)
            texts.push_back(all.at(i).text());
        CPPUNIT_ASSERT(
            (texts ==
             std::vector<std::string>{
                 "a=5 b=1", "a=5 b=2", "a=5 b=7", "a=3 b=1", "a=3 b=2", "a=3 b=7" }));
    }

    void constraints_leave_points_out()
    {
        const auto space = small();
        CPPUNIT_ASSERT_EQUAL(std::size_t(4 + 4 + 2), space.size());
        for (std::size_t i = 0; i < space.size(); i++)
            CPPUNIT_ASSERT(space.at(i)["width"] * space.at(i)["tile"] <= 32);
    }

    void numbers_and_points_map_both_ways()
    {
        const auto space = small();
        for (std::size_t i = 0; i < space.size(); i++) {
            CPPUNIT_ASSERT_EQUAL(i, *space.index_of(space.at(i)));
            CPPUNIT_ASSERT_EQUAL(i, *space.index_at(space.places_of(i)));
        }
        CPPUNIT_ASSERT(!space.index_at({ 2, 3 }));
        const tuning_space other({ { "width", { 4 } } });
        CPPUNIT_ASSERT(!space.index_of(other.at(0)));
        CPPUNIT_ASSERT(!other.index_of(space.at(0)));
    }

    void neighbours_differ_by_one_place()
    {
        const auto space = small();
        const auto named = [&](std::int64_t width, std::int64_t tile) {
            const tuning_values values{ { "width", width }, { "tile", tile } };
            return *space.index_of(*space.find(values, space.at(0)));
        };
        auto found = space.neighbours(named(8, 3));
        std::sort(found.begin(), found.end());
        std::vector<std::size_t> expected{ named(4, 3), named(8, 2), named(8, 4) };
        std::sort(expected.begin(), expected.end());
        CPPUNIT_ASSERT(found == expected); // 16 by 3 would violate the constraint
        for (std::size_t i = 0; i < space.size(); i++)
            for (const auto n : space.neighbours(i)) {
                const auto back = space.neighbours(n);
                CPPUNIT_ASSERT(std::count(back.begin(), back.end(), i) == 1);
            }
    }

    void values_are_found_by_name()
    {
        const auto space = small();
        const auto base = space.at(0);
        CPPUNIT_ASSERT_EQUAL(std::string("width=8 tile=1"),
                             space.find({ { "width", 8 } }, base)->text());
        CPPUNIT_ASSERT(!space.find({ { "width", 16 }, { "tile", 3 } }, base));
        const auto why = [&](const tuning_values& values) {
            return space.why_not(values, base);
        };
        CPPUNIT_ASSERT_EQUAL(std::string(), why({ { "tile", 4 } }));
        CPPUNIT_ASSERT_EQUAL(std::string("constraint 'registers' is not met"),
                             why({ { "width", 16 }, { "tile", 3 } }));
        CPPUNIT_ASSERT_EQUAL(
            std::string("parameter 'width' is 5, but must be one of 4, 8, 16"),
            why({ { "width", 5 } }));
        CPPUNIT_ASSERT_EQUAL(std::string("there is no parameter 'chunk'"),
                             why({ { "chunk", 5 } }));
        CPPUNIT_ASSERT_EQUAL(std::string("parameter 'tile' is missing"),
                             space.why_not({ { "width", 4 } }, tuning_point()));
    }

    void bad_spaces_are_refused()
    {
        const auto refused = [](std::vector<tuning_parameter> parameters,
                                std::vector<tuning_constraint> constraints = {}) {
            CPPUNIT_ASSERT_THROW(
                tuning_space(std::move(parameters), std::move(constraints)),
                std::invalid_argument);
        };
        refused({});
        refused({ { "a", {} } });
        refused({ { "a", { 1, 1 } } });
        refused({ { "", { 1 } } });
        refused({ { "a", { 1 } }, { "a", { 2 } } });
        refused({ { "a", { 1, 2 } } },
                { { "never", [](const tuning_point&) { return false; } } });
        std::vector<std::int64_t> many(4096);
        for (std::size_t i = 0; i < many.size(); i++)
            many[i] = static_cast<std::int64_t>(i);
        refused({ { "a", many }, { "b", many } });
        refused({ { "a", many },
                  { "b", many },
                  { "c", many },
                  { "d", many },
                  { "e", many },
                  { "f", many } });
    }

    void unknown_names_and_numbers_are_refused()
    {
        const auto space = small();
        CPPUNIT_ASSERT_THROW(space.at(space.size()), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(space.at(0)["chunk"], std::invalid_argument);
        CPPUNIT_ASSERT_THROW(space.index_at({ 0 }), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(space.index_at({ 0, 4 }), std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_tuning_space, "qa_tuning_space");
