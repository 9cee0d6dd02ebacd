/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "qa_process.h"

#include <cldsp/wisdom.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace cldsp;

// Files that are damaged, of another version or not to be written.
class qa_wisdom_files : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_wisdom_files);
    CPPUNIT_TEST(damaged_files_are_passed_over_and_replaced);
    CPPUNIT_TEST(older_formats_are_passed_over_and_replaced);
    CPPUNIT_TEST(newer_formats_are_left_alone);
    CPPUNIT_TEST(odd_entries_are_passed_over);
    CPPUNIT_TEST(unwritable_folder_leaves_the_memory);
    CPPUNIT_TEST(read_only_folder_is_read_and_work_goes_on);
    CPPUNIT_TEST_SUITE_END();

    std::vector<std::string> d_log;

    logger log()
    {
        return [this](log_level, const std::string& text) { d_log.push_back(text); };
    }

    void is_passed_over_and_replaced(const std::string& bytes)
    {
        d_log.clear();
        const temporary_folder folder;
        folder.write("wisdom.json", bytes);
        wisdom one(folder.path(), log());
        CPPUNIT_ASSERT_EQUAL(std::string(), one.find("plans", "a"));
        one.store("plans", "a", "1");
        one.find("plans", "b");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(bytes, std::size_t(1), d_log.size());
        CPPUNIT_ASSERT_MESSAGE(d_log[0],
                               d_log[0].find(folder.path()) != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string("1"),
                             wisdom(folder.path(), log()).find("plans", "a"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_log.size());
    }

    void damaged_files_are_passed_over_and_replaced()
    {
        const temporary_folder folder;
        wisdom(folder.path(), log()).store("plans", "a", "9");
        const std::string whole = folder.read("wisdom.json");
        for (const auto& bytes : { std::string(),
                                   std::string("not JSON at all"),
                                   std::string("[1, 2]"),
                                   std::string("\0\xff\xfe{}", 5),
                                   whole.substr(0, whole.size() / 2),
                                   std::string(100000, '[') })
            is_passed_over_and_replaced(bytes);
    }

    void older_formats_are_passed_over_and_replaced()
    {
        const std::string answers = R"("plans": {"a": {"answer": "9", "time": 1}}})";
        for (const std::string& version :
             std::vector<std::string>{ "0", "-3", "\"1\"", "1.5", "{}" })
            is_passed_over_and_replaced("{\"format\": " + version + ", " + answers);
        is_passed_over_and_replaced("{" + answers);
    }

    void newer_formats_are_left_alone()
    {
        const temporary_folder folder;
        const std::string bytes = "{\"format\": " + std::to_string(wisdom::format + 1) +
                                  R"(, "plans": {"a": {"answer": "9", "time": 1}}})";
        folder.write("wisdom.json", bytes);
        wisdom one(folder.path(), log());
        CPPUNIT_ASSERT_EQUAL(std::string(), one.find("plans", "a"));
        one.store("plans", "a", "1");
        one.store("plans", "b", "2");
        one.forget("plans", "b");
        CPPUNIT_ASSERT_EQUAL(std::string("1"), one.find("plans", "a"));
        CPPUNIT_ASSERT_EQUAL(bytes, folder.read("wisdom.json"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_log.size());
        CPPUNIT_ASSERT_MESSAGE(d_log[0],
                               d_log[0].find("left alone") != std::string::npos);
    }

    void odd_entries_are_passed_over()
    {
        const temporary_folder folder;
        folder.write("wisdom.json",
                     "{\"format\": " + std::to_string(wisdom::format) +
                         R"(, "plans": {"a": 1, "b": {"answer": "no time"},
                             "c": {"time": 1}, "d": {"answer": "x", "time": "now"},
                             "e": {"answer": "good", "time": 1}}, "fftw": [], "odd": 3})");
        wisdom one(folder.path(), log());
        for (const char* key : { "a", "b", "c", "d" })
            CPPUNIT_ASSERT_EQUAL(std::string(), one.find("plans", key));
        CPPUNIT_ASSERT_EQUAL(std::string("good"), one.find("plans", "e"));
        one.store("fftw", "f", "text");
        CPPUNIT_ASSERT_EQUAL(std::string("good"),
                             wisdom(folder.path(), log()).find("plans", "e"));
    }

    void unwritable_folder_leaves_the_memory()
    {
        // Not even root makes a folder there.
        wisdom one("/proc/cldsp", log());
        one.store("plans", "a", "1");
        one.store("plans", "b", "2");
        CPPUNIT_ASSERT_EQUAL(std::string("1"), one.find("plans", "a"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_log.size());
    }

    void read_only_folder_is_read_and_work_goes_on()
    {
        const std::string test =
            "qa_wisdom_files::read_only_folder_is_read_and_work_goes_on";
        if (is_child()) {
            // Root may write everywhere; a process that was root is not inspected by
            // sanitizers unless it says that it may be.
            if (geteuid() == 0)
                CPPUNIT_ASSERT(setuid(65534) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0);
            wisdom one(std::getenv("CLDSP_TEST_FOLDER"), log());
            CPPUNIT_ASSERT_EQUAL(std::string("1"), one.find("plans", "a"));
            CPPUNIT_ASSERT(d_log.empty());
            one.store("plans", "b", "2");
            one.store("plans", "c", "3");
            CPPUNIT_ASSERT_EQUAL(std::string("2"), one.find("plans", "b"));
            CPPUNIT_ASSERT_EQUAL(std::string("1"), one.find("plans", "a"));
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_log.size());
            return;
        }
        const temporary_folder folder;
        wisdom(folder.path(), log()).store("plans", "a", "1");
        const std::string before = folder.read("wisdom.json");
        chmod(folder.path("wisdom.json").c_str(), 0444);
        chmod(folder.path(".lock").c_str(), 0444);
        chmod(folder.path().c_str(), 0555);
        const bool good =
            succeeded(start_again(test, { { "CLDSP_TEST_FOLDER", folder.path() } }));
        chmod(folder.path().c_str(), 0755);
        CPPUNIT_ASSERT(good);
        CPPUNIT_ASSERT_EQUAL(before, folder.read("wisdom.json"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_wisdom_files);
