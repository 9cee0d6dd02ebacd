// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of files that are damaged, of another version, or cannot be written.

#include "tests/support/qa_process.h"

#include <cldsp/wisdom.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <system_error>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

using namespace cldsp;

// Tests of files that are damaged, of another version, or cannot be written.
class qa_wisdom_files : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_wisdom_files);
    CPPUNIT_TEST(damaged_files_are_passed_over_and_replaced);
    CPPUNIT_TEST(older_formats_are_passed_over_and_replaced);
    CPPUNIT_TEST(newer_formats_are_left_alone);
    CPPUNIT_TEST(odd_entries_are_passed_over);
    CPPUNIT_TEST(unwritable_folder_leaves_the_memory);
    CPPUNIT_TEST(read_only_folder_is_read_and_work_goes_on);
    CPPUNIT_TEST(damaged_files_are_kept_beside);
    CPPUNIT_TEST(deep_answers_do_no_harm);
    CPPUNIT_TEST(unreadable_files_are_left_alone);
    CPPUNIT_TEST(what_is_no_file_is_left_alone);
    CPPUNIT_TEST(everything_can_be_cleared);
    CPPUNIT_TEST(files_stay_small_enough_to_be_read);
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
                                   std::string(100000, '['),
                                   nested(100000),
                                   nested(wisdom::max_depth - 2) })
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
        // Not even root can make a folder there.
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
            become_nobody();
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

    //! A file of the right format whose answer consists of nested arrays.
    static std::string nested(std::size_t depth)
    {
        return "{\"format\": " + std::to_string(wisdom::format) +
               R"(, "plans": {"x": {"time": 1, "answer": )" + std::string(depth, '[') +
               std::string(depth, ']') + "}}}";
    }

    void damaged_files_are_kept_beside()
    {
        const temporary_folder folder;
        for (const std::string bytes : { "damaged", "damaged again" }) {
            folder.write("wisdom.json", bytes);
            chmod(folder.path("wisdom.json").c_str(), 0640);
            wisdom(folder.path(), log()).store("plans", "a", "1");
            CPPUNIT_ASSERT_EQUAL(bytes, folder.read("wisdom.json.damaged"));
            struct stat status = {};
            CPPUNIT_ASSERT_EQUAL(0, stat(folder.path("wisdom.json").c_str(), &status));
            CPPUNIT_ASSERT_EQUAL(mode_t(0640), mode_t(status.st_mode & 0777));
            CPPUNIT_ASSERT_EQUAL(std::string("1"),
                                 wisdom(folder.path(), log()).find("plans", "a"));
        }
        // If the damaged file cannot be renamed, nothing is replaced.
        std::filesystem::remove(folder.path("wisdom.json.damaged"));
        std::filesystem::create_directories(folder.path("wisdom.json.damaged/full"));
        folder.write("wisdom.json", "precious");
        wisdom one(folder.path(), log());
        one.store("plans", "a", "2");
        CPPUNIT_ASSERT_EQUAL(std::string("2"), one.find("plans", "a"));
        CPPUNIT_ASSERT_EQUAL(std::string("precious"), folder.read("wisdom.json"));
    }

    void deep_answers_do_no_harm()
    {
        // A file that is nested exactly to the largest depth is kept unchanged.
        const temporary_folder folder;
        folder.write("wisdom.json", nested(wisdom::max_depth - 3));
        wisdom one(folder.path(), log());
        one.store("plans", "y", "1");
        CPPUNIT_ASSERT(!wisdom(folder.path(), log()).find("plans", "x").empty());
        CPPUNIT_ASSERT(d_log.empty());
        // One text within the file is really nested, and one only looks nested.
        const std::string deep =
            "{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}";
        const std::string brackets = "{\"a\":\"\\\"" + std::string(1000, '[') + "\"}";
        one.store("plans", "deep", deep);
        one.store("plans", "brackets", brackets);
        one.store("plans", "long", std::string(wisdom::max_answer_bytes + 1, 'x'));
        CPPUNIT_ASSERT_EQUAL(deep, one.find("plans", "deep"));
        wisdom other(folder.path(), log());
        CPPUNIT_ASSERT_EQUAL(std::string(), other.find("plans", "deep"));
        CPPUNIT_ASSERT_EQUAL(std::string(), other.find("plans", "long"));
        CPPUNIT_ASSERT_EQUAL(brackets, other.find("plans", "brackets"));
        wisdom memory("", log());
        for (const std::size_t depth : { wisdom::max_depth - 2, std::size_t(100000) })
            CPPUNIT_ASSERT_THROW(memory.import_text(nested(depth)),
                                 std::invalid_argument);
    }

    void unreadable_files_are_left_alone()
    {
        if (is_child()) {
            become_nobody();
            wisdom one(std::getenv("CLDSP_TEST_FOLDER"), log());
            CPPUNIT_ASSERT_EQUAL(std::string(), one.find("plans", "a"));
            one.store("plans", "b", "2");
            one.forget("plans", "a");
            CPPUNIT_ASSERT_EQUAL(std::string("2"), one.find("plans", "b"));
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_log.size());
            CPPUNIT_ASSERT_MESSAGE(
                d_log[0], d_log[0].find("Permission denied") != std::string::npos);
            return;
        }
        const temporary_folder folder;
        wisdom(folder.path(), log()).store("plans", "a", "1");
        const std::string before = folder.read("wisdom.json");
        chmod(folder.path().c_str(), 0777);
        chmod(folder.path(".lock").c_str(), 0666);
        chmod(folder.path("wisdom.json").c_str(), 0);
        const bool good =
            succeeded(start_again("qa_wisdom_files::unreadable_files_are_left_alone",
                                  { { "CLDSP_TEST_FOLDER", folder.path() } }));
        chmod(folder.path("wisdom.json").c_str(), 0600);
        CPPUNIT_ASSERT(good);
        CPPUNIT_ASSERT_EQUAL(before, folder.read("wisdom.json"));
    }

    //! Calls \p action with folders in which the file's name is taken by something else.
    template <class ACTION>
    static void with_odd_files(const ACTION& action)
    {
        const std::vector<std::function<void(const std::string&)>> makers = {
            [](const auto& path) { mkfifo(path.c_str(), 0600); },
            [](const auto& path) { std::filesystem::create_symlink("/dev/zero", path); },
            [](const auto& path) {
                std::ofstream(path) << "{}";
                std::filesystem::resize_file(path, std::uintmax_t(1) << 40);
            },
        };
        for (const auto& make : makers) {
            const temporary_folder folder;
            make(folder.path("wisdom.json"));
            action(folder);
        }
    }

    void what_is_no_file_is_left_alone()
    {
        const auto is_left_alone = [&](const temporary_folder& folder) {
            d_log.clear();
            const auto path = folder.path("wisdom.json");
            const auto type = std::filesystem::symlink_status(path).type();
            wisdom one(folder.path(), log());
            CPPUNIT_ASSERT_EQUAL(std::string(), one.find("plans", "a"));
            one.store("plans", "a", "1");
            CPPUNIT_ASSERT_EQUAL(std::string("1"), one.find("plans", "a"));
            CPPUNIT_ASSERT(type == std::filesystem::symlink_status(path).type());
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_log.size());
            CPPUNIT_ASSERT_MESSAGE(d_log[0], d_log[0].find(path) != std::string::npos);
        };
        with_odd_files(is_left_alone);
        const temporary_folder folder;
        std::filesystem::create_directory(folder.path("wisdom.json"));
        is_left_alone(folder);
        // A file that has the name of the folder.
        folder.write("file", "text");
        wisdom one(folder.path("file"), log());
        one.store("plans", "a", "1");
        CPPUNIT_ASSERT_EQUAL(std::string("1"), one.find("plans", "a"));
        CPPUNIT_ASSERT_EQUAL(std::string("text"), folder.read("file"));
    }

    void everything_can_be_cleared()
    {
        with_odd_files([&](const temporary_folder& folder) {
            wisdom(folder.path(), log()).clear();
            wisdom one(folder.path(), log());
            one.store("plans", "a", "1");
            CPPUNIT_ASSERT_EQUAL(std::string("1"),
                                 wisdom(folder.path(), log()).find("plans", "a"));
        });
        const temporary_folder folder;
        for (const auto& bytes : { nested(100000), std::string(100000, '{') }) {
            folder.write("wisdom.json", bytes);
            wisdom(folder.path(), log()).clear();
            d_log.clear();
            CPPUNIT_ASSERT(wisdom(folder.path(), log()).all().empty());
            CPPUNIT_ASSERT(d_log.empty());
        }
        std::filesystem::remove(folder.path("wisdom.json"));
        std::filesystem::create_directory(folder.path("wisdom.json"));
        CPPUNIT_ASSERT_THROW(wisdom(folder.path(), log()).clear(), std::system_error);
    }

    void files_stay_small_enough_to_be_read()
    {
        const temporary_folder folder;
        const std::string large(wisdom::max_answer_bytes - 1000, 'x');
        std::string answers;
        for (std::size_t i = 0; i < wisdom::max_file_bytes / large.size(); i++)
            answers += (i ? ", \"" : "\"") + std::to_string(i) +
                       R"(": {"time": 1, "answer": ")" + large + "\"}";
        folder.write("wisdom.json",
                     "{\"format\": " + std::to_string(wisdom::format) +
                         R"(, "plans": {)" + answers + "}}");
        wisdom one(folder.path(), log());
        one.store("plans", "new", large);
        one.store("plans", "last", "1");
        CPPUNIT_ASSERT(std::filesystem::file_size(folder.path("wisdom.json")) <=
                       wisdom::max_file_bytes);
        CPPUNIT_ASSERT_EQUAL(std::string("1"),
                             wisdom(folder.path(), log()).find("plans", "last"));
        CPPUNIT_ASSERT(d_log.empty());
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_wisdom_files, "qa_wisdom_files");
