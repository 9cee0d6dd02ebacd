// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the rules for work-groups, against examples by hand.

#include <cldsp/work_group.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <set>
#include <stdexcept>
#include <vector>

using namespace cldsp;

class qa_work_group : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_work_group);
    CPPUNIT_TEST(powers_reach_twice_the_global_size);
    CPPUNIT_TEST(candidates_in_three_dimensions);
    CPPUNIT_TEST(candidates_in_two_dimensions);
    CPPUNIT_TEST(candidates_in_one_dimension);
    CPPUNIT_TEST(default_by_compute_units);
    CPPUNIT_TEST(default_by_cache);
    CPPUNIT_TEST(small_devices_get_one_work_item);
    CPPUNIT_TEST(values_cover_every_rule);
    CPPUNIT_TEST(bad_problems_are_refused);
    CPPUNIT_TEST_SUITE_END();

    static work_group_problem problem(std::vector<std::size_t> global,
                                      std::size_t most = 256)
    {
        return { std::move(global), most, { most, most, 64 }, 4, 64 * 1024 };
    }

    void powers_reach_twice_the_global_size()
    {
        // The powers of two up to 2 * 5 = 10, and up to 2 * 3 = 6.
        const auto groups = powers_work_groups(problem({ 5, 3 }));
        CPPUNIT_ASSERT((groups == std::vector<work_group>{ { 1, 1 },
                                                           { 1, 2 },
                                                           { 1, 4 },
                                                           { 2, 1 },
                                                           { 2, 2 },
                                                           { 2, 4 },
                                                           { 4, 1 },
                                                           { 4, 2 },
                                                           { 4, 4 },
                                                           { 8, 1 },
                                                           { 8, 2 },
                                                           { 8, 4 } }));
        // Products over the device's limit are left out.
        CPPUNIT_ASSERT(
            (powers_work_groups(problem({ 100, 100 }, 4)) ==
             std::vector<work_group>{
                 { 1, 1 }, { 1, 2 }, { 1, 4 }, { 2, 1 }, { 2, 2 }, { 4, 1 } }));
        // Sizes over the limit of a dimension are left out, too.
        for (const auto& group : powers_work_groups(problem({ 1, 1, 1000 })))
            CPPUNIT_ASSERT(group[2] <= 64);
    }

    void candidates_in_three_dimensions()
    {
        const auto groups = candidates_work_groups(problem({ 32, 2, 64 }, 1024));
        const std::set<work_group> found(groups.begin(), groups.end());
        CPPUNIT_ASSERT_EQUAL(groups.size(), found.size());
        std::set<work_group> expected;
        for (const std::size_t x : { 32, 8, 4, 1 })
            for (const std::size_t z : { 64, 16, 8, 4, 1 })
                if (x * 2 * z <= 1024)
                    expected.insert({ x, 2, z });
        CPPUNIT_ASSERT(found == expected);
    }

    void candidates_in_two_dimensions()
    {
        // 512 / 2^i, 2^i: each product is the largest group.
        const auto groups =
            candidates_work_groups({ { 1000, 1000 }, 512, { 512, 512, 64 }, 4, 0 });
        CPPUNIT_ASSERT((groups == std::vector<work_group>{ { 256, 2 },
                                                           { 128, 4 },
                                                           { 64, 8 },
                                                           { 32, 16 },
                                                           { 16, 32 },
                                                           { 8, 64 },
                                                           { 4, 128 },
                                                           { 2, 256 },
                                                           { 512, 1 },
                                                           { 1, 512 } }));
        // A small group has fewer halves, and no size of 0.
        CPPUNIT_ASSERT((candidates_work_groups(problem({ 9, 9 }, 4)) ==
                        std::vector<work_group>{ { 2, 2 }, { 1, 4 }, { 4, 1 } }));
    }

    void candidates_in_one_dimension()
    {
        CPPUNIT_ASSERT((candidates_work_groups(problem({ 1000 }, 8)) ==
                        std::vector<work_group>{ { 4 }, { 2 }, { 1 }, { 8 } }));
    }

    void default_by_compute_units()
    {
        // With 4 compute units there are 8 groups per dimension.
        CPPUNIT_ASSERT((mnn_default_work_group(problem({ 64 })) == work_group{ 8 }));
        // 100 / 8 is 12; the largest divisor of 100 up to it is 10.
        CPPUNIT_ASSERT((mnn_default_work_group(problem({ 100 })) == work_group{ 10 }));
        CPPUNIT_ASSERT((mnn_default_work_group(problem({ 7 })) == work_group{ 1 }));
        // The first dimension takes sizes that are then missing in the others.
        CPPUNIT_ASSERT(
            (mnn_default_work_group(problem({ 800, 80 }, 256)) == work_group{ 100, 2 }));
    }

    void default_by_cache()
    {
        // 64 KiB are 4 pieces of 16 KiB.
        CPPUNIT_ASSERT((mace_default_work_group(problem({ 100, 20, 100 }, 256)) ==
                        work_group{ 3, 20, 4 }));
        CPPUNIT_ASSERT(
            (mace_default_work_group(problem({ 100, 20 }, 256)) == work_group{ 4, 20 }));
        CPPUNIT_ASSERT((mace_default_work_group(problem({ 100, 1000 }, 256)) ==
                        work_group{ 1, 256 }));
        CPPUNIT_ASSERT(
            (mace_default_work_group(problem({ 100 }, 256)) == work_group{ 4 }));
    }

    void small_devices_get_one_work_item()
    {
        const work_group_problem tiny{ { 100, 100, 100 }, 1, { 1, 1, 1 }, 1, 0 };
        const work_group one{ 1, 1, 1 };
        CPPUNIT_ASSERT(powers_work_groups(tiny) == std::vector<work_group>{ one });
        CPPUNIT_ASSERT(candidates_work_groups(tiny) == std::vector<work_group>{ one });
        CPPUNIT_ASSERT(mnn_default_work_group(tiny) == one);
        CPPUNIT_ASSERT(mace_default_work_group(tiny) == one);
    }

    void values_cover_every_rule()
    {
        const auto values = work_group_values(problem({ 100, 3 }, 24), 0);
        CPPUNIT_ASSERT(
            (values == std::vector<std::int64_t>{ 1, 2, 3, 4, 6, 8, 10, 12, 16, 24 }));
    }

    void bad_problems_are_refused()
    {
        for (const auto& global : std::vector<std::vector<std::size_t>>{
                 {}, { 1, 2, 3, 4 }, { 0 }, { 4, 0 } }) {
            CPPUNIT_ASSERT_THROW(powers_work_groups(problem(global)),
                                 std::invalid_argument);
            CPPUNIT_ASSERT_THROW(candidates_work_groups(problem(global)),
                                 std::invalid_argument);
            CPPUNIT_ASSERT_THROW(mnn_default_work_group(problem(global)),
                                 std::invalid_argument);
            CPPUNIT_ASSERT_THROW(mace_default_work_group(problem(global)),
                                 std::invalid_argument);
        }
        CPPUNIT_ASSERT_THROW(powers_work_groups(problem({ 4 }, 0)),
                             std::invalid_argument);
        CPPUNIT_ASSERT_THROW(work_group_values(problem({ 4 }), 1), std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_work_group, "qa_work_group");
