// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that profiles lower the limits of a device, and never raise them.

#include "tests/support/qa_refused.h"

#include <cldsp/device_limits.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>
#include <string>

using namespace cldsp;

class qa_device_limits : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_device_limits);
    CPPUNIT_TEST(native_changes_nothing);
    CPPUNIT_TEST(vc4);
    CPPUNIT_TEST(v3d);
    CPPUNIT_TEST(rusticl);
    CPPUNIT_TEST(cl12_min);
    CPPUNIT_TEST(profiles_only_lower);
    CPPUNIT_TEST(unknown_profile_lists_the_known);
    CPPUNIT_TEST_SUITE_END();

    static device_limits large()
    {
        device_limits limits;
        limits.max_work_group_size = 1024;
        limits.max_work_item_sizes[0] = limits.max_work_item_sizes[1] = 1024;
        limits.max_work_item_sizes[2] = 64;
        limits.local_memory = 49152;
        limits.max_buffer = std::size_t(1) << 34;
        limits.max_constant_buffer = 65536;
        limits.max_parameter_size = 4352;
        limits.compute_units = 132;
        limits.images = limits.fp16 = limits.fp64 = limits.out_of_order = true;
        limits.fma = limits.fast_local_memory = limits.profiling = true;
        limits.maps_in_place = true;
        return limits;
    }

    void native_changes_nothing()
    {
        for (const std::string profile : { "", "native" }) {
            const auto limits = large().lowered(profile);
            CPPUNIT_ASSERT_EQUAL(std::size_t(1024), limits.max_work_group_size);
            CPPUNIT_ASSERT_EQUAL(std::size_t(1) << 34, limits.max_buffer);
            CPPUNIT_ASSERT(limits.images && limits.fp16 && limits.fp64);
        }
    }

    void vc4()
    {
        const auto limits = large().lowered("vc4");
        CPPUNIT_ASSERT_EQUAL(std::size_t(12), limits.max_work_group_size);
        for (const auto size : limits.max_work_item_sizes)
            CPPUNIT_ASSERT_EQUAL(std::size_t(12), size);
        CPPUNIT_ASSERT_EQUAL(std::size_t(64) << 20, limits.max_buffer);
        CPPUNIT_ASSERT(!limits.images && !limits.fp16 && !limits.fp64);
    }

    void v3d()
    {
        const auto limits = large().lowered("v3d");
        CPPUNIT_ASSERT_EQUAL(std::size_t(256), limits.max_work_group_size);
        CPPUNIT_ASSERT_EQUAL(std::size_t(256), limits.max_work_item_sizes[1]);
        CPPUNIT_ASSERT_EQUAL(std::size_t(64), limits.max_work_item_sizes[2]);
        CPPUNIT_ASSERT_EQUAL(std::size_t(32), limits.max_kernel_group);
        CPPUNIT_ASSERT_EQUAL(std::size_t(32) << 10, limits.local_memory);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1) << 30, limits.max_buffer);
        CPPUNIT_ASSERT_EQUAL(std::size_t(4096), limits.max_parameter_size);
        CPPUNIT_ASSERT_EQUAL(std::size_t(512), limits.base_address_alignment);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), limits.compute_units);
        CPPUNIT_ASSERT(!limits.images && !limits.fp16 && !limits.fp64 && !limits.fma);
        CPPUNIT_ASSERT(!limits.fast_local_memory && !limits.profiling);
        CPPUNIT_ASSERT(!limits.maps_in_place && !limits.out_of_order);
    }

    void rusticl()
    {
        const auto limits = large().lowered("rusticl");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1024), limits.max_work_group_size);
        CPPUNIT_ASSERT_EQUAL(large().max_kernel_group, limits.max_kernel_group);
        CPPUNIT_ASSERT_EQUAL(std::size_t(32) << 10, limits.local_memory);
        CPPUNIT_ASSERT_EQUAL(std::size_t(132), limits.compute_units);
        CPPUNIT_ASSERT(limits.images && limits.fast_local_memory);
        CPPUNIT_ASSERT(!limits.fp16 && !limits.fp64 && !limits.fma);
        CPPUNIT_ASSERT(!limits.profiling && !limits.maps_in_place);
    }

    void cl12_min()
    {
        const auto limits = large().lowered("cl12-min");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), limits.max_work_group_size);
        for (const auto size : limits.max_work_item_sizes)
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), size);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1024), limits.local_memory);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1024), limits.max_constant_buffer);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1) << 20, limits.max_buffer);
        CPPUNIT_ASSERT_EQUAL(std::size_t(256), limits.max_parameter_size);
        CPPUNIT_ASSERT(!limits.images && !limits.fp16 && !limits.fp64);
    }

    void profiles_only_lower()
    {
        device_limits small;
        small.max_work_group_size = 4;
        small.local_memory = 512;
        small.max_buffer = 1000;
        for (const auto& profile : device_limits::profiles()) {
            const auto limits = small.lowered(profile);
            CPPUNIT_ASSERT(limits.max_work_group_size <= 4);
            CPPUNIT_ASSERT_EQUAL(std::size_t(512), limits.local_memory);
            CPPUNIT_ASSERT_EQUAL(std::size_t(1000), limits.max_buffer);
            CPPUNIT_ASSERT(limits.base_address_alignment >= small.base_address_alignment);
            CPPUNIT_ASSERT(!limits.images && !limits.fma && !limits.profiling);
        }
    }

    void unknown_profile_lists_the_known()
    {
        auto words = device_limits::profiles();
        words.push_back("'vc5'");
        assert_refused(words, [] { device_limits().lowered("vc5"); });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_device_limits, "qa_device_limits");
