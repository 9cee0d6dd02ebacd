// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of PoCL's compiler: one at a time, and refused where it would fail.

#include "tests/support/qa_process.h"

#include <cldsp/pocl.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <system_error>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

using namespace cldsp;

namespace {

constexpr auto pocl_name = "Portable Computing Language";

} // namespace

class qa_pocl : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_pocl);
    CPPUNIT_TEST(it_is_known_by_its_name);
    CPPUNIT_TEST(its_folder_follows_the_environment);
    CPPUNIT_TEST(one_compiles_at_a_time);
    CPPUNIT_TEST(different_programs_do_not_wait);
    CPPUNIT_TEST(others_take_no_lock);
    CPPUNIT_TEST(a_folder_that_cannot_be_made_stops_nobody);
    CPPUNIT_TEST(errors_come_through);
    CPPUNIT_TEST(a_full_disk_is_told);
    CPPUNIT_TEST(a_folder_without_programs_is_told);
    CPPUNIT_TEST(a_missing_linker_is_told);
    CPPUNIT_TEST(a_limit_of_files_is_told);
    CPPUNIT_TEST_SUITE_END();

    void it_is_known_by_its_name()
    {
        CPPUNIT_ASSERT(is_pocl(pocl_name));
        CPPUNIT_ASSERT(!is_pocl("NVIDIA CUDA"));
        CPPUNIT_ASSERT(!is_pocl(""));
    }

    void its_folder_follows_the_environment()
    {
        const auto folder = [](const char* own, const char* cache, const char* home) {
            const changed_environment changed({ { "POCL_CACHE_DIR", own },
                                                { "XDG_CACHE_HOME", cache },
                                                { "HOME", home } });
            return pocl_cache_folder();
        };
        CPPUNIT_ASSERT_EQUAL(std::string("/own"), folder("/own", "/cache", "/home"));
        CPPUNIT_ASSERT_EQUAL(std::string("/cache/pocl"),
                             folder(nullptr, "/cache", "/home"));
        CPPUNIT_ASSERT_EQUAL(std::string("/home/.cache/pocl"),
                             folder(nullptr, "", "/home"));
        CPPUNIT_ASSERT_EQUAL(std::string("/tmp/pocl"), folder(nullptr, nullptr, nullptr));
    }

    void one_compiles_at_a_time()
    {
        constexpr int processes = 3, threads = 2, builds = 20;
        if (is_child()) {
            const std::string path = std::getenv("CLDSP_TEST_FILE");
            // The value that is read is wrong if another process has written meanwhile.
            const auto count = [&] {
                int n = 0;
                std::ifstream(path) >> n;
                std::this_thread::yield();
                std::ofstream(path) << n + 1;
            };
            in_threads(threads, [&](int) {
                for (int k = 0; k < builds; k++)
                    run_compiler(pocl_name, "program", count);
            });
            return;
        }
        const temporary_folder folder;
        CPPUNIT_ASSERT(in_processes(processes,
                                    "qa_pocl::one_compiles_at_a_time",
                                    { { "CLDSP_TEST_FILE", folder.path("count") },
                                      { "POCL_CACHE_DIR", folder.path("pocl") } }));
        int counted = 0;
        std::ifstream(folder.path("count")) >> counted;
        CPPUNIT_ASSERT_EQUAL(processes * threads * builds, counted);
    }

    // Most other programs have another lock. A wait of no time is reported in the log.
    void different_programs_do_not_wait()
    {
        const temporary_folder folder;
        const std::string own = folder.path("pocl");
        const changed_environment changed({ { "POCL_CACHE_DIR", own.c_str() } });
        const auto has_to_wait = [](const std::string& program) {
            bool told = false;
            const lock_waiting no_time(
                [&](log_level, const std::string&) { told = true; }, 0);
            run_compiler(
                pocl_name, program, [] {}, no_time);
            return told;
        };
        int waits = 0;
        run_compiler(pocl_name, "program", [&] {
            CPPUNIT_ASSERT(has_to_wait("program"));
            for (int k = 0; k < 40; k++)
                waits += has_to_wait(std::to_string(k));
        });
        CPPUNIT_ASSERT(waits < 20);
        CPPUNIT_ASSERT(!has_to_wait("program"));
    }

    void others_take_no_lock()
    {
        const temporary_folder folder;
        const std::string own = folder.path("pocl");
        const changed_environment changed({ { "POCL_CACHE_DIR", own.c_str() } });
        int runs = 0;
        run_compiler("NVIDIA CUDA", "program", [&] { runs++; });
        CPPUNIT_ASSERT(!std::filesystem::exists(own));
        run_compiler(pocl_name, "program", [&] { runs++; });
        CPPUNIT_ASSERT(std::filesystem::exists(own));
        CPPUNIT_ASSERT_EQUAL(2, runs);
    }

    void a_folder_that_cannot_be_made_stops_nobody()
    {
        const changed_environment changed({ { "POCL_CACHE_DIR", "/proc/no/folder" } });
        int runs = 0;
        run_compiler(pocl_name, "program", [&] { runs++; });
        CPPUNIT_ASSERT_EQUAL(1, runs);
    }

    void errors_come_through()
    {
        const temporary_folder folder;
        const std::string own = folder.path("pocl");
        const changed_environment changed({ { "POCL_CACHE_DIR", own.c_str() } });
        int runs = 0;
        const auto fails = [&] {
            runs++;
            throw std::runtime_error("no");
        };
        CPPUNIT_ASSERT_THROW(run_compiler(pocl_name, "program", fails),
                             std::runtime_error);
        const auto fails_as_files_do = [&] {
            runs++;
            throw std::system_error(std::make_error_code(std::errc::io_error));
        };
        CPPUNIT_ASSERT_THROW(run_compiler(pocl_name, "program", fails_as_files_do),
                             std::system_error);
        CPPUNIT_ASSERT_EQUAL(2, runs);
        run_compiler(pocl_name, "program", [&] { runs++; });
        CPPUNIT_ASSERT_EQUAL(3, runs);
    }

    void a_full_disk_is_told()
    {
        const temporary_folder folder;
        for (const auto& path : { folder.path(), folder.path("made/by/PoCL") }) {
            CPPUNIT_ASSERT_EQUAL(std::string(), why_not_safe_to_compile(path, 0));
            const auto why = why_not_safe_to_compile(path, std::uint64_t(1) << 62);
            CPPUNIT_ASSERT_MESSAGE(why, why.find(path) != std::string::npos);
        }
        // A file system without any room.
        CPPUNIT_ASSERT(!why_not_safe_to_compile("/proc/self", 1).empty());
    }

    static void assert_told(const std::string& path, const std::string& word)
    {
        const auto why = why_not_safe_to_compile(path, 0);
        CPPUNIT_ASSERT_MESSAGE(why, why.find(word) != std::string::npos);
    }

    // PoCL maps what it has compiled, which such a file system refuses.
    void a_folder_without_programs_is_told()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT(
                succeeded(start_again("qa_pocl::a_folder_without_programs_is_told", {})));
            return;
        }
        const temporary_folder folder;
        // The mount is this process's own, and gone with it.
        if (::unshare(CLONE_NEWNS) != 0 ||
            ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("none", folder.path().c_str(), "tmpfs", MS_NOEXEC, nullptr) != 0) {
            std::cerr << "a_folder_without_programs_is_told: skipped, this user mounts "
                         "nothing\n";
            return;
        }
        assert_told(folder.path("folder/of/PoCL"), "noexec");
        ::umount(folder.path().c_str());
    }

    void a_missing_linker_is_told()
    {
        const temporary_folder folder;
        for (const char* path : { static_cast<const char*>(nullptr), "", ":/nowhere:" }) {
            const changed_environment changed({ { "PATH", path } });
            assert_told(folder.path(), " ld,");
            CPPUNIT_ASSERT_EQUAL(std::string(),
                                 why_not_safe_to_compile(folder.path(), 0, false));
        }
        CPPUNIT_ASSERT(pocl_starts_linker("3.1+debian"));
        CPPUNIT_ASSERT(pocl_starts_linker("6.0+debian"));
        CPPUNIT_ASSERT(!pocl_starts_linker("7.1"));
        CPPUNIT_ASSERT(!pocl_starts_linker("unknown"));
    }

    void a_limit_of_files_is_told()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT(
                succeeded(start_again("qa_pocl::a_limit_of_files_is_told", {})));
            return;
        }
        struct rlimit limit = {};
        CPPUNIT_ASSERT_EQUAL(0, ::getrlimit(RLIMIT_FSIZE, &limit));
        limit.rlim_cur = 1 << 20;
        CPPUNIT_ASSERT_EQUAL(0, ::setrlimit(RLIMIT_FSIZE, &limit));
        const temporary_folder folder;
        CPPUNIT_ASSERT_EQUAL(std::string(),
                             why_not_safe_to_compile(folder.path(), 1 << 20));
        const auto why = why_not_safe_to_compile(folder.path(), 2 << 20);
        CPPUNIT_ASSERT_MESSAGE(why, why.find("ulimit -f") != std::string::npos);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_pocl, "qa_pocl");
