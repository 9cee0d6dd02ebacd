/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "qa_process.h"

#include <cldsp/locked_file.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <system_error>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

using namespace cldsp;

class qa_locked_file : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_locked_file);
    CPPUNIT_TEST(missing_file_is_empty);
    CPPUNIT_TEST(write_and_read_back);
    CPPUNIT_TEST(folders_are_made);
    CPPUNIT_TEST(update_sees_the_present_content);
    CPPUNIT_TEST(failed_update_changes_nothing);
    CPPUNIT_TEST(unwritable_folder);
    CPPUNIT_TEST(no_temporary_file_stays);
    CPPUNIT_TEST(readers_see_whole_files);
    CPPUNIT_TEST(no_update_of_any_process_is_lost);
    CPPUNIT_TEST_SUITE_END();

    static std::string plus_one(const std::optional<std::string>& number)
    {
        return std::to_string(number ? std::stoi(*number) + 1 : 1);
    }

    void missing_file_is_empty()
    {
        const temporary_folder folder;
        CPPUNIT_ASSERT(!read_locked(folder.path("none")));
        CPPUNIT_ASSERT(!read_locked(folder.path("no/folder")));
    }

    void write_and_read_back()
    {
        const temporary_folder folder;
        for (const auto& bytes :
             { std::string(), std::string("a\0b\n\xff", 5), std::string(300000, 'x') }) {
            write_locked(folder.path("file"), bytes);
            CPPUNIT_ASSERT(read_locked(folder.path("file")) == bytes);
        }
    }

    void folders_are_made()
    {
        const temporary_folder folder;
        write_locked(folder.path("a/b/c"), "text");
        CPPUNIT_ASSERT(read_locked(folder.path("a/b/c")) == std::string("text"));
    }

    void update_sees_the_present_content()
    {
        const temporary_folder folder;
        for (int i = 0; i < 3; i++)
            update_locked(folder.path("count"), plus_one);
        CPPUNIT_ASSERT(read_locked(folder.path("count")) == std::string("3"));
    }

    void failed_update_changes_nothing()
    {
        const temporary_folder folder;
        write_locked(folder.path("file"), "old");
        CPPUNIT_ASSERT_THROW(
            update_locked(folder.path("file"),
                          [](const std::optional<std::string>&) -> std::string {
                              throw std::runtime_error("no");
                          }),
            std::runtime_error);
        CPPUNIT_ASSERT(read_locked(folder.path("file")) == std::string("old"));
        write_locked(folder.path("file"), "new"); // the lock is free again
    }

    void unwritable_folder()
    {
        // Not even root makes a folder there.
        CPPUNIT_ASSERT_THROW(write_locked("/proc/cldsp/file", "x"), std::system_error);
        CPPUNIT_ASSERT(!read_locked("/proc/cldsp/file"));
        CPPUNIT_ASSERT(read_locked("/proc/version"));
    }

    void no_temporary_file_stays()
    {
        const temporary_folder folder;
        write_locked(folder.path("file"), "x");
        // A folder in the file's place makes the last step fail.
        std::filesystem::create_directory(folder.path("taken"));
        CPPUNIT_ASSERT_THROW(write_locked(folder.path("taken"), "x"), std::system_error);
        std::size_t entries = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
            const auto name = entry.path().filename().string();
            CPPUNIT_ASSERT(name == ".lock" || name == "file" || name == "taken");
            entries++;
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), entries);
    }

    void readers_see_whole_files()
    {
        const temporary_folder folder;
        const auto path = folder.path("file");
        write_locked(path, std::string(50000, 'a'));
        std::thread writer([&] {
            for (int i = 0; i < 50; i++)
                write_locked(path, std::string(50000, static_cast<char>('a' + i % 26)));
        });
        bool whole = true;
        for (int i = 0; i < 200; i++) {
            const auto bytes = read_locked(path);
            whole = whole && bytes && *bytes == std::string(50000, (*bytes)[0]);
        }
        writer.join();
        CPPUNIT_ASSERT(whole);
    }

    void no_update_of_any_process_is_lost()
    {
        constexpr int processes = 6, threads = 3, updates = 10;
        if (is_child()) {
            const std::string path = std::getenv("CLDSP_TEST_FILE");
            in_threads(threads, [&](int) {
                for (int k = 0; k < updates; k++)
                    update_locked(path, plus_one);
            });
            return;
        }
        const temporary_folder folder;
        CPPUNIT_ASSERT(in_processes(processes,
                                    "qa_locked_file::no_update_of_any_process_is_lost",
                                    { { "CLDSP_TEST_FILE", folder.path("count") } }));
        CPPUNIT_ASSERT(read_locked(folder.path("count")) ==
                       std::to_string(processes * threads * updates));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_locked_file);
