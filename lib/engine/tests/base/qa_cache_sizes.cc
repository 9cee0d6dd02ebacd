// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests what is read of the kernel's descriptions of caches, bad ones too.

#include "base/cache_sizes.h"
#include "tests/support/qa_process.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace cldsp;

namespace {

class qa_cache_sizes : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_cache_sizes);
    CPPUNIT_TEST(a_raspberry_pi);
    CPPUNIT_TEST(units);
    CPPUNIT_TEST(bad_descriptions);
    CPPUNIT_TEST(no_description);
    CPPUNIT_TEST_SUITE_END();

    const temporary_folder d_folder;

    void describe(int index,
                  const std::string& level,
                  const std::string& type,
                  const std::string& size) const
    {
        const auto cache = d_folder.path() + "/index" + std::to_string(index);
        std::filesystem::create_directories(cache);
        std::ofstream(cache + "/level") << level << '\n';
        std::ofstream(cache + "/type") << type << '\n';
        if (!size.empty())
            std::ofstream(cache + "/size") << size << '\n';
    }
    std::size_t bytes(int level) const
    {
        return described_cache_bytes(d_folder.path(), level).value_or(0);
    }

    void a_raspberry_pi()
    {
        describe(0, "1", "Data", "32K");
        describe(1, "1", "Instruction", "48K");
        describe(2, "2", "Unified", "1024K");
        CPPUNIT_ASSERT_EQUAL(std::size_t(32) << 10, bytes(1));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1) << 20, bytes(2));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), bytes(3));
        CPPUNIT_ASSERT(largest_cache_bytes(d_folder.path()) == std::size_t(1) << 20);
    }
    void units()
    {
        describe(0, "2", "Unified", "2M");
        CPPUNIT_ASSERT_EQUAL(std::size_t(2) << 20, bytes(2));
        describe(0, "2", "Unified", "65536");
        CPPUNIT_ASSERT_EQUAL(std::size_t(65536), bytes(2));
    }
    void bad_descriptions()
    {
        // Without a device tree's sizes there is no file of the size.
        describe(0, "2", "Unified", "");
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), bytes(2));
        for (const char* size : { "0K", "K", "-1K", "1T", "99999999999K", "large" }) {
            describe(0, "2", "Unified", size);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(size, std::size_t(0), bytes(2));
        }
    }
    void no_description()
    {
        CPPUNIT_ASSERT(!described_cache_bytes(d_folder.path() + "/none", 2));
        CPPUNIT_ASSERT(!largest_cache_bytes(d_folder.path() + "/none"));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_cache_sizes, "qa_cache_sizes");

} // namespace
