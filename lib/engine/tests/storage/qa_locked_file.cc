// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that files are read whole, and that no update of any process is lost.

#include "base/owner_gate.h"
#include "storage/file_lock.h"
#include "tests/support/qa_process.h"

#include <cldsp/locked_file.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <system_error>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

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
    CPPUNIT_TEST(only_regular_files_of_bounded_size_are_read);
    CPPUNIT_TEST(unreadable_file_is_not_replaced);
    CPPUNIT_TEST(file_of_another_user_is_not_replaced);
    CPPUNIT_TEST(file_that_others_may_write_is_replaced);
    CPPUNIT_TEST(mode_and_owner_stay);
    CPPUNIT_TEST(new_folders_are_private);
    CPPUNIT_TEST(names_that_cannot_be);
    CPPUNIT_TEST(what_dead_writers_left_goes);
    CPPUNIT_TEST(files_of_an_owner_that_has_gone);
    CPPUNIT_TEST(an_owner_that_goes_waits_for_no_lock);
    CPPUNIT_TEST_SUITE_END();

    static std::optional<std::string> content_of(const std::string& path)
    {
        return read_file(path, 1 << 20);
    }

    static mode_t mode_of(const std::string& path)
    {
        struct stat status = {};
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path, 0, stat(path.c_str(), &status));
        return status.st_mode & 07777;
    }

    static std::string plus_one(const std::optional<std::string>& number)
    {
        return std::to_string(number ? std::stoi(*number) + 1 : 1);
    }

    void missing_file_is_empty()
    {
        const temporary_folder folder;
        CPPUNIT_ASSERT(!content_of(folder.path("none")));
        CPPUNIT_ASSERT(!content_of(folder.path("no/folder")));
    }

    void write_and_read_back()
    {
        const temporary_folder folder;
        for (const auto& bytes :
             { std::string(), std::string("a\0b\n\xff", 5), std::string(300000, 'x') }) {
            write_locked(folder.path("file"), bytes);
            CPPUNIT_ASSERT(content_of(folder.path("file")) == bytes);
        }
    }

    void folders_are_made()
    {
        const temporary_folder folder;
        write_locked(folder.path("a/b/c"), "text");
        CPPUNIT_ASSERT(content_of(folder.path("a/b/c")) == std::string("text"));
    }

    void update_sees_the_present_content()
    {
        const temporary_folder folder;
        for (int i = 0; i < 3; i++)
            update_locked(folder.path("count"), 100, plus_one);
        CPPUNIT_ASSERT(content_of(folder.path("count")) == std::string("3"));
    }

    void failed_update_changes_nothing()
    {
        const temporary_folder folder;
        write_locked(folder.path("file"), "old");
        CPPUNIT_ASSERT_THROW(
            update_locked(folder.path("file"),
                          100,
                          [](const std::optional<std::string>&) -> std::string {
                              throw std::runtime_error("no");
                          }),
            std::runtime_error);
        CPPUNIT_ASSERT(content_of(folder.path("file")) == std::string("old"));
        write_locked(folder.path("file"), "new"); // the lock is free again
    }

    void unwritable_folder()
    {
        // Not even root can make a folder there.
        CPPUNIT_ASSERT_THROW(write_locked("/proc/cldsp/file", "x"), std::system_error);
        CPPUNIT_ASSERT(!content_of("/proc/cldsp/file"));
        CPPUNIT_ASSERT(content_of("/proc/version"));
    }

    void no_temporary_file_stays()
    {
        const temporary_folder folder;
        write_locked(folder.path("file"), "x");
        // A folder with the name of the file makes the last step fail.
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
            const auto bytes = content_of(path);
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
                    update_locked(path, 100, plus_one);
            });
            return;
        }
        const temporary_folder folder;
        CPPUNIT_ASSERT(in_processes(processes,
                                    "qa_locked_file::no_update_of_any_process_is_lost",
                                    { { "CLDSP_TEST_FILE", folder.path("count") } }));
        CPPUNIT_ASSERT(content_of(folder.path("count")) ==
                       std::to_string(processes * threads * updates));
    }

    void only_regular_files_of_bounded_size_are_read()
    {
        const temporary_folder folder;
        CPPUNIT_ASSERT_EQUAL(0, mkfifo(folder.path("pipe").c_str(), 0600));
        std::filesystem::create_directory(folder.path("folder"));
        for (const auto& path :
             { folder.path("pipe"), folder.path("folder"), std::string("/dev/zero") })
            CPPUNIT_ASSERT_THROW(content_of(path), std::system_error);
        CPPUNIT_ASSERT_THROW(update_locked(folder.path("pipe"), 100, plus_one),
                             std::system_error);
        CPPUNIT_ASSERT(std::filesystem::is_fifo(folder.path("pipe")));

        folder.write("large", std::string(1001, 'x'));
        CPPUNIT_ASSERT(read_file(folder.path("large"), 1001));
        CPPUNIT_ASSERT_THROW(read_file(folder.path("large"), 1000), std::system_error);
        // Writing replaces the file, whatever was there.
        write_locked(folder.path("pipe"), "text");
        CPPUNIT_ASSERT(content_of(folder.path("pipe")) == std::string("text"));
    }

    void unreadable_file_is_not_replaced()
    {
        if (is_child()) {
            become_nobody();
            const std::string path = std::getenv("CLDSP_TEST_FILE");
            CPPUNIT_ASSERT_THROW(content_of(path), std::system_error);
            CPPUNIT_ASSERT_THROW(update_locked(path, 100, plus_one), std::system_error);
            return;
        }
        const temporary_folder folder;
        const auto path = folder.path("file");
        folder.write("file", "7");
        chmod(folder.path().c_str(), 0777);
        chmod(path.c_str(), 0);
        const bool good =
            succeeded(start_again("qa_locked_file::unreadable_file_is_not_replaced",
                                  { { "CLDSP_TEST_FILE", path } }));
        chmod(path.c_str(), 0600);
        CPPUNIT_ASSERT(good);
        CPPUNIT_ASSERT_EQUAL(std::string("7"), folder.read("file"));
    }

    void file_of_another_user_is_not_replaced()
    {
        if (is_child()) {
            become_nobody();
            const std::string path = std::getenv("CLDSP_TEST_FILE");
            CPPUNIT_ASSERT(content_of(path) == std::string("7"));
            CPPUNIT_ASSERT_THROW(update_locked(path, 100, plus_one), std::system_error);
            CPPUNIT_ASSERT_THROW(write_locked(path, "8"), std::system_error);
            return;
        }
        if (geteuid() != 0)
            return; // only root can act as two users
        const temporary_folder folder;
        folder.write("file", "7");
        chmod(folder.path().c_str(), 0777);
        chmod(folder.path("file").c_str(), 0644);
        CPPUNIT_ASSERT(
            succeeded(start_again("qa_locked_file::file_of_another_user_is_not_replaced",
                                  { { "CLDSP_TEST_FILE", folder.path("file") } })));
        CPPUNIT_ASSERT_EQUAL(std::string("7"), folder.read("file"));
    }

    void file_that_others_may_write_is_replaced()
    {
        if (is_child()) {
            become_nobody();
            update_locked(std::getenv("CLDSP_TEST_FILE"), 100, plus_one);
            return;
        }
        const temporary_folder folder;
        folder.write("file", "7");
        chmod(folder.path().c_str(), 0777);
        chmod(folder.path("file").c_str(), 0666);
        CPPUNIT_ASSERT(succeeded(
            start_again("qa_locked_file::file_that_others_may_write_is_replaced",
                        { { "CLDSP_TEST_FILE", folder.path("file") } })));
        CPPUNIT_ASSERT_EQUAL(std::string("8"), folder.read("file"));
        CPPUNIT_ASSERT_EQUAL(mode_t(0666), mode_of(folder.path("file")));
    }

    void mode_and_owner_stay()
    {
        const temporary_folder folder;
        const auto path = folder.path("file");
        update_locked(path, 100, plus_one);
        // The mode of the folder is 0700.
        CPPUNIT_ASSERT_EQUAL(mode_t(0600), mode_of(path));
        for (const mode_t mode : { 0640, 0664, 0600 }) {
            chmod(path.c_str(), mode);
            update_locked(path, 100, plus_one);
            CPPUNIT_ASSERT_EQUAL(mode, mode_of(path));
        }
        if (geteuid() == 0) {
            constexpr uid_t owner = 65534;
            CPPUNIT_ASSERT_EQUAL(0, chown(path.c_str(), owner, owner));
            update_locked(path, 100, plus_one);
            struct stat status = {};
            CPPUNIT_ASSERT_EQUAL(0, stat(path.c_str(), &status));
            CPPUNIT_ASSERT(status.st_uid == owner && status.st_gid == owner);
        }
        // Users who may read the folder may read new files in it, and users who may write
        // there may take its lock.
        const temporary_folder shared;
        chmod(shared.path().c_str(), 0775);
        update_locked(shared.path("file"), 100, plus_one);
        CPPUNIT_ASSERT_EQUAL(mode_t(0644), mode_of(shared.path("file")));
        CPPUNIT_ASSERT_EQUAL(mode_t(0664), mode_of(shared.path(".lock")));
    }

    void new_folders_are_private()
    {
        const temporary_folder folder;
        write_locked(folder.path("a/b/file"), "text");
        CPPUNIT_ASSERT_EQUAL(mode_t(0700), mode_of(folder.path("a")));
        CPPUNIT_ASSERT_EQUAL(mode_t(0700), mode_of(folder.path("a/b")));
    }

    void names_that_cannot_be()
    {
        const temporary_folder folder;
        folder.write("file", "text");
        const std::string long_name(5000, 'x');
        for (const auto& path : { folder.path("file/in/a/file"),
                                  folder.path(long_name),
                                  folder.path(long_name + "/file") })
            CPPUNIT_ASSERT_THROW(write_locked(path, "x"), std::system_error);
        CPPUNIT_ASSERT(!content_of(folder.path("file/in/a/file")));
        CPPUNIT_ASSERT_THROW(content_of(folder.path(long_name)), std::system_error);
        // The lock file's name is taken by something that is not a file.
        std::filesystem::remove(folder.path(".lock"));
        std::filesystem::create_directory(folder.path(".lock"));
        CPPUNIT_ASSERT_THROW(write_locked(folder.path("file"), "x"), std::system_error);
        CPPUNIT_ASSERT(content_of(folder.path("file")) == std::string("text"));
    }

    void what_dead_writers_left_goes()
    {
        const temporary_folder folder;
        const std::vector<std::string> others = {
            "file.backup",    "file.a1B2c3",      "file.tmp-a1B2c3x", "file.tmp-a1B2c",
            "file.tmp-1B2c_", "files.tmp-a1B2c3", "xfile.tmp-a1B2c3",
        };
        for (const auto& name : others)
            folder.write(name, "somebody's");
        folder.write("file.tmp-a1B2c3", "half of");
        folder.write("file.tmp-d4E5f6", "half of");
        std::filesystem::create_symlink("file.backup", folder.path("file.tmp-g7H8i9"));
        file_lock living(folder.path("file.tmp-d4E5f6"));
        CPPUNIT_ASSERT(living.try_lock());
        write_locked(folder.path("file"), "text");
        const auto is_there = [&](const std::string& name) {
            std::error_code ignored;
            return exists(std::filesystem::symlink_status(folder.path(name), ignored));
        };
        CPPUNIT_ASSERT(!is_there("file.tmp-a1B2c3"));
        CPPUNIT_ASSERT(is_there("file.tmp-d4E5f6"));
        CPPUNIT_ASSERT(is_there("file.tmp-g7H8i9"));
        for (const auto& name : others)
            CPPUNIT_ASSERT_MESSAGE(name, is_there(name));
    }

    static lock_waiting waiting_of(const std::shared_ptr<owner_gate>& owner)
    {
        return lock_waiting({}, lock_waiting::default_max_seconds, 60, owner);
    }

    void files_of_an_owner_that_has_gone()
    {
        const temporary_folder folder;
        const auto owner = std::make_shared<owner_gate>();
        const auto waiting = waiting_of(owner);
        write_locked(folder.path("a/file"), "text", waiting);
        owner->close();
        write_locked(folder.path("a/file"), "other", waiting);
        update_locked(folder.path("a/file"), 100, plus_one, waiting);
        CPPUNIT_ASSERT(content_of(folder.path("a/file")) == std::string("text"));
        std::filesystem::remove_all(folder.path("a"));
        write_locked(folder.path("a/file"), "other", waiting);
        update_locked(folder.path("a/file"), 100, plus_one, waiting);
        bool has_run = false, had_lock = true;
        run_with_lock(
            folder.path("a/lock"),
            [&](bool is_locked) {
                has_run = true;
                had_lock = is_locked;
            },
            waiting);
        CPPUNIT_ASSERT(has_run && !had_lock);
        CPPUNIT_ASSERT(!std::filesystem::exists(folder.path("a")));
    }

    void an_owner_that_goes_waits_for_no_lock()
    {
        const temporary_folder folder;
        write_locked(folder.path("file"), "text");
        file_lock other(folder.path(".lock"));
        CPPUNIT_ASSERT(other.try_lock());
        const auto owner = std::make_shared<owner_gate>();
        // Without its owner's end the writer would wait for half a minute, and then
        // write.
        auto written = std::async(std::launch::async, [&] {
            write_locked(folder.path("file"), "other", waiting_of(owner));
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        owner->close();
        try {
            written.get();
        } catch (const std::system_error& e) {
            CPPUNIT_ASSERT(e.code() == std::errc::operation_canceled);
        }
        CPPUNIT_ASSERT(content_of(folder.path("file")) == std::string("text"));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_locked_file, "qa_locked_file");
