// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of stored programs: damaged, shared by processes, or fatal to a driver.

#include "opencl/program_cache.h"
#include "storage/program_store.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_support.h"

#include <cldsp/errors.h>
#include <cldsp/locked_file.h>
#include <cldsp/pocl.h>
#include <cldsp/program_store.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

using namespace cldsp;

class qa_program_cache : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_program_cache);
    CPPUNIT_TEST(second_use_is_in_memory);
    CPPUNIT_TEST(another_cache_reads_the_binary);
    CPPUNIT_TEST(key_has_options_and_driver);
    CPPUNIT_TEST(damaged_binaries_are_built_anew);
    CPPUNIT_TEST(binary_the_driver_refuses_is_built_anew);
    CPPUNIT_TEST(binary_of_another_program_is_not_used);
    CPPUNIT_TEST(failed_build_is_not_kept);
    CPPUNIT_TEST(warnings_are_not_printed);
    CPPUNIT_TEST(unwritable_folder_is_told_once);
    CPPUNIT_TEST(a_failure_of_the_moment_costs_no_binary);
    CPPUNIT_TEST(no_folder_keeps_programs_in_memory);
    CPPUNIT_TEST(default_folder_follows_the_environment);
    CPPUNIT_TEST(storing_follows_the_environment);
    CPPUNIT_TEST(threads_build_a_program_once);
    CPPUNIT_TEST(processes_share_the_folder);
    CPPUNIT_TEST(processes_compile_at_once);
    CPPUNIT_TEST(folder_keeps_what_was_used_last);
    CPPUNIT_TEST(memory_keeps_what_was_used_last);
    CPPUNIT_TEST(a_binary_that_ended_a_process_is_built_anew);
    CPPUNIT_TEST(a_driver_that_dies_over_a_binary_does_so_once);
    CPPUNIT_TEST(marks_of_loaders);
    CPPUNIT_TEST(binaries_of_others_are_not_run);
    CPPUNIT_TEST(odd_files_are_built_anew);
    CPPUNIT_TEST(nothing_is_compiled_on_a_full_disk);
    CPPUNIT_TEST_SUITE_END();

    static constexpr auto source = "__kernel void toy(__global int* x)\n"
                                   "{ x[get_global_id(0)] = VALUE; }\n";
    static constexpr auto options = "-DVALUE=42";

    temporary_folder d_folder;
    std::shared_ptr<context> d_context;
    std::string d_told;
    std::size_t d_warnings = 0;

public:
    void setUp() override
    {
        auto registry = make_test_registry();
        d_context = registry.get(test_device());
    }

private:
    program_cache make_cache(const std::string& folder, const program_limits& limits = {})
    {
        return program_cache(
            d_context->cl_context(),
            d_context->cl_device(),
            d_context->device(),
            folder,
            [this](log_level level, const std::string& text) {
                d_told += text + '\n';
                d_warnings += level == log_level::warning;
            },
            limits);
    }

    // The variable with which a child process makes its folders in this test's folder,
    // because it may end without deleting them.
    std::pair<const char*, std::string> in_the_folder() const
    {
        return { "TMPDIR", d_folder.path() };
    }

    static std::string value(int i) { return "-DVALUE=" + std::to_string(i); }

    int run(const cl::Program& program)
    {
        int value = 0;
        const auto queue = d_context->make_queue();
        const cl::Buffer buffer(d_context->cl_context(), CL_MEM_READ_WRITE, sizeof(int));
        cl::Kernel kernel(program, "toy");
        kernel.setArg(0, buffer);
        queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
        queue.enqueueReadBuffer(buffer, CL_TRUE, 0, sizeof(value), &value);
        return value;
    }

    void second_use_is_in_memory()
    {
        auto cache = make_cache("");
        CPPUNIT_ASSERT_EQUAL(42, run(cache.get(source, options)));
        CPPUNIT_ASSERT(cache.get(source, options)() == cache.get(source, options)());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), cache.compiled());
    }

    void another_cache_reads_the_binary()
    {
        auto first = make_cache(d_folder.path());
        first.get(source, options);
        auto second = make_cache(d_folder.path());
        CPPUNIT_ASSERT_EQUAL(42, run(second.get(source, options)));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), second.compiled());
        CPPUNIT_ASSERT(d_told.find("loaded from") != std::string::npos);
    }

    void key_has_options_and_driver()
    {
        auto cache = make_cache(d_folder.path());
        CPPUNIT_ASSERT(cache.path(source, options) != cache.path(source, "-DVALUE=1"));
        CPPUNIT_ASSERT(cache.path(source, options) != cache.path("", options));
        CPPUNIT_ASSERT(cache.path(source, options) !=
                       cache.path(source, options, "sm_90a"));
        auto info = d_context->device();
        info.driver_version += ".1";
        const program_cache updated(
            d_context->cl_context(), d_context->cl_device(), info, d_folder.path(), {});
        CPPUNIT_ASSERT(cache.path(source, options) != updated.path(source, options));
    }

    // Damages the binary on disk, and checks that it is built anew and replaced.
    void expect_rebuild(const std::string& damaged)
    {
        const auto path = make_cache(d_folder.path()).path(source, options);
        write_locked(path, damaged);
        auto cache = make_cache(d_folder.path());
        CPPUNIT_ASSERT_EQUAL(42, run(cache.get(source, options)));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), cache.compiled());
        CPPUNIT_ASSERT(d_told.find("built anew") != std::string::npos);
        auto next = make_cache(d_folder.path());
        next.get(source, options);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), next.compiled());
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), d_warnings);
    }

    void damaged_binaries_are_built_anew()
    {
        auto cache = make_cache(d_folder.path());
        cache.get(source, options);
        const auto good = *read_file(cache.path(source, options), 1 << 30);
        expect_rebuild("");
        expect_rebuild("x");
        expect_rebuild(good.substr(0, 40));
        expect_rebuild(good.substr(0, good.size() - 1));
        expect_rebuild(good + "x");
        for (const std::size_t position :
             { std::size_t(0), std::size_t(9), std::size_t(20) })
            expect_rebuild(flipped(good, position));
        expect_rebuild(flipped(good, good.size() / 2));
        expect_rebuild(flipped(good, good.size() - 1));
    }

    static std::string flipped(std::string bytes, std::size_t position)
    {
        bytes[position] = static_cast<char>(bytes[position] ^ 0x10);
        return bytes;
    }

    // The file is intact, but its contents are not a binary of this driver.
    void binary_the_driver_refuses_is_built_anew()
    {
        auto cache = make_cache(d_folder.path());
        expect_rebuild(pack_program_file(cache.key(source, options), "no binary at all"));
    }

    void binary_of_another_program_is_not_used()
    {
        auto cache = make_cache(d_folder.path());
        cache.get(source, "-DVALUE=1");
        expect_rebuild(*read_file(cache.path(source, "-DVALUE=1"), 1 << 30));
    }

    void failed_build_is_not_kept()
    {
        auto cache = make_cache(d_folder.path());
        CPPUNIT_ASSERT_THROW(cache.get("__kernel void toy() { oops }", ""), opencl_error);
        CPPUNIT_ASSERT(std::filesystem::is_empty(d_folder.path()));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), cache.compiled());
    }

    void warnings_are_not_printed()
    {
        // The number in the source differs in each run, so that the driver's own cache
        // does not have the program.
        auto cache = make_cache("");
        const auto program =
            cache.get("__kernel void toy(__global int* x) { x[0] = 42.5; } // " +
                          std::to_string(getpid()) + '\n',
                      "");
        CPPUNIT_ASSERT_EQUAL(42, run(program));
        const auto log =
            program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(d_context->cl_device());
        CPPUNIT_ASSERT_MESSAGE(log, log.find("warning") == std::string::npos);
    }

    void unwritable_folder_is_told_once()
    {
        auto cache = make_cache("/proc/cldsp"); // not even root can make a folder there
        CPPUNIT_ASSERT_EQUAL(42, run(cache.get(source, options)));
        cache.get(source, "-DVALUE=1");
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), cache.compiled());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_warnings);
    }

    void a_failure_of_the_moment_costs_no_binary()
    {
        // Reading the first byte of a process's memory is an input/output error.
        auto cache = make_cache(d_folder.path());
        const auto path = cache.path(source, options);
        std::filesystem::create_symlink("/proc/self/mem", path);
        // A folder with the name of the lock file prevents all writing.
        std::filesystem::create_directory(d_folder.path(".lock"));
        CPPUNIT_ASSERT_EQUAL(42, run(cache.get(source, options)));
        CPPUNIT_ASSERT_MESSAGE(d_told, std::filesystem::is_symlink(path));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(d_told, std::size_t(1), d_warnings);
        cache.get(source, value(1));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(d_told, std::size_t(1), d_warnings);
        // The obstacle is removed, and binaries are stored again.
        std::filesystem::remove(d_folder.path(".lock"));
        cache.get(source, value(2));
        CPPUNIT_ASSERT(std::filesystem::is_regular_file(cache.path(source, value(2))));
        auto next = make_cache(d_folder.path());
        next.get(source, value(2));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), next.compiled());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(d_told, std::size_t(1), d_warnings);
    }

    void no_folder_keeps_programs_in_memory()
    {
        auto cache = make_cache("");
        cache.get(source, options);
        CPPUNIT_ASSERT_EQUAL(std::string(), d_told);
    }

    void default_folder_follows_the_environment()
    {
        const auto folder = [](const char* cache) {
            const changed_environment changed({ { "XDG_CACHE_HOME", cache } });
            return program_cache::default_folder();
        };
        const auto by_xdg = folder("/somewhere");
        const auto by_home = folder("relative");
        CPPUNIT_ASSERT_EQUAL(std::string("/somewhere/gr-cldsp"), by_xdg);
        const auto home = environment("HOME");
        CPPUNIT_ASSERT_EQUAL(home.empty() ? home : home + "/.cache/gr-cldsp", by_home);
    }

    void storing_follows_the_environment()
    {
        const auto stored = [](const char* wanted) {
            const temporary_folder folder;
            const changed_environment changed({ { "CLDSP_STORE_PROGRAMS", wanted } });
            auto with_files = test_options();
            with_files.disk_cache = true;
            with_files.cache_folder = folder.path();
            context(test_device(), with_files).build_source(source, options);
            return !std::filesystem::is_empty(folder.path());
        };
        CPPUNIT_ASSERT(stored(nullptr));
        CPPUNIT_ASSERT(stored("1"));
        CPPUNIT_ASSERT(!stored("0"));
    }

    void threads_build_a_program_once()
    {
        auto cache = make_cache(d_folder.path());
        in_threads(4, [&](int) { cache.get(source, options); });
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), cache.compiled());
    }

    void processes_share_the_folder()
    {
        if (is_child()) {
            auto cache = make_cache(environment("CLDSP_TEST_FILE"));
            for (int i = 0; i < 4; i++)
                CPPUNIT_ASSERT_EQUAL(i, run(cache.get(source, value(i))));
            CPPUNIT_ASSERT_EQUAL(std::size_t(0), d_warnings);
            return;
        }
        CPPUNIT_ASSERT(in_processes(2,
                                    "qa_program_cache::processes_share_the_folder",
                                    { { "CLDSP_TEST_FILE", d_folder.path() } }));
        auto cache = make_cache(d_folder.path());
        for (int i = 0; i < 4; i++)
            cache.get(source, value(i));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), cache.compiled());
    }

    // PoCL also stores compiled programs, in files that it writes in place. Without a
    // lock on these files a process may, rarely, end in the middle of a build.
    void processes_compile_at_once()
    {
        constexpr int programs = 10;
        if (is_child()) {
            auto cache = make_cache("");
            for (int i = 0; i < programs; i++)
                CPPUNIT_ASSERT_EQUAL(i, run(cache.get(source, value(i))));
            return;
        }
        CPPUNIT_ASSERT(in_processes(4,
                                    "qa_program_cache::processes_compile_at_once",
                                    { { "POCL_CACHE_DIR", d_folder.path() } }));
    }

    // There is room for two and a half programs: that of value 1 is used again and
    // outlives that of value 2.
    void folder_keeps_what_was_used_last()
    {
        program_limits limits;
        {
            auto cache = make_cache(d_folder.path());
            cache.get(source, value(1));
            cache.get(source, value(2));
            const auto bytes = std::filesystem::file_size(cache.path(source, value(1)));
            limits.folder_bytes = bytes * 5 / 2;
            d_folder.write("program-0123456789abcdef.bin.tmp-a1B2c3", "half a program");
            d_folder.write("program-notes.txt", "somebody's");
        }
        auto cache = make_cache(d_folder.path(), limits);
        cache.get(source, value(1));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), cache.compiled());
        cache.get(source, value(3));
        const auto is_kept = [&](int i) {
            return std::filesystem::exists(cache.path(source, value(i)));
        };
        CPPUNIT_ASSERT(is_kept(1));
        CPPUNIT_ASSERT(!is_kept(2));
        CPPUNIT_ASSERT(is_kept(3));
        CPPUNIT_ASSERT(!std::filesystem::exists(
            d_folder.path("program-0123456789abcdef.bin.tmp-a1B2c3")));
        CPPUNIT_ASSERT(std::filesystem::exists(d_folder.path("program-notes.txt")));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), d_warnings);
    }

    void memory_keeps_what_was_used_last()
    {
        program_limits limits;
        limits.programs = 2;
        auto cache = make_cache("", limits);
        const auto dropped = cache.get(source, value(2));
        for (const int i : { 1, 2, 1, 3, 1 })
            CPPUNIT_ASSERT_EQUAL(i, run(cache.get(source, value(i))));
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), cache.compiled());
        CPPUNIT_ASSERT_EQUAL(2, run(dropped));
        cache.get(source, value(2));
        CPPUNIT_ASSERT_EQUAL(std::size_t(4), cache.compiled());
    }

    void a_binary_that_ended_a_process_is_built_anew()
    {
        if (is_child()) {
            // Simulates a driver that finds the program damaged.
            const loading_mark mark(environment("CLDSP_TEST_FILE"));
            CPPUNIT_ASSERT(!mark.was_left_behind());
            kill(getpid(), SIGKILL);
        }
        auto first = make_cache(d_folder.path());
        first.get(source, options);
        const auto path = first.path(source, options);
        CPPUNIT_ASSERT(!std::filesystem::exists(loading_mark_path(path)));
        CPPUNIT_ASSERT(!succeeded(
            start_again("qa_program_cache::a_binary_that_ended_a_process_is_built_anew",
                        { { "CLDSP_TEST_FILE", path }, in_the_folder() })));
        CPPUNIT_ASSERT(std::filesystem::exists(loading_mark_path(path)));
        d_told.clear();
        auto second = make_cache(d_folder.path());
        CPPUNIT_ASSERT_EQUAL(42, run(second.get(source, options)));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), second.compiled());
        CPPUNIT_ASSERT_MESSAGE(d_told,
                               d_told.find("a process ended while the driver loaded") !=
                                   std::string::npos);
        CPPUNIT_ASSERT(!std::filesystem::exists(loading_mark_path(path)));
        auto third = make_cache(d_folder.path());
        CPPUNIT_ASSERT_EQUAL(42, run(third.get(source, options)));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), third.compiled());
    }

    // The file is intact, but its binary was damaged before it was written. Some drivers
    // refuse such a binary and some end the process, but not in two starts.
    void a_driver_that_dies_over_a_binary_does_so_once()
    {
        if (is_child()) {
            auto cache = make_cache(environment("CLDSP_TEST_FILE"));
            CPPUNIT_ASSERT_EQUAL(42, run(cache.get(source, options)));
            return;
        }
        auto cache = make_cache(d_folder.path());
        cache.get(source, options);
        const auto path = cache.path(source, options);
        const auto key = cache.key(source, options);
        std::string reason;
        const auto good = *unpack_program_file(*read_file(path, 1 << 30), key, reason);
        for (const std::size_t kept : { good.size() / 8, good.size() / 2 }) {
            write_locked(path, pack_program_file(key, good.substr(0, kept)));
            const auto start = [&] {
                return succeeded(start_again(
                    "qa_program_cache::a_driver_that_dies_over_a_binary_does_so_once",
                    { { "CLDSP_TEST_FILE", d_folder.path() }, in_the_folder() }));
            };
            start();
            CPPUNIT_ASSERT(start());
        }
    }

    void marks_of_loaders()
    {
        const auto path = d_folder.path("program-0123456789abcdef.bin");
        const auto mark = loading_mark_path(path);
        d_folder.write("program-0123456789abcdef.bin", "binary");
        {
            // The mark of a living process has no effect, and nobody removes it.
            const loading_mark one(path), other(path);
            CPPUNIT_ASSERT(!one.was_left_behind() && !other.was_left_behind());
            remove_programs(d_folder.path(), 0);
            CPPUNIT_ASSERT(!std::filesystem::exists(path));
            CPPUNIT_ASSERT(std::filesystem::exists(mark));
        }
        CPPUNIT_ASSERT(!std::filesystem::exists(mark));
        // A mark without a lock yet is empty, and its maker may be alive.
        std::ofstream{ mark };
        CPPUNIT_ASSERT(!loading_mark(path).was_left_behind());
        CPPUNIT_ASSERT(!std::filesystem::exists(mark));
        std::ofstream(mark) << "loading";
        CPPUNIT_ASSERT(loading_mark(path).was_left_behind());
        CPPUNIT_ASSERT(!std::filesystem::exists(mark));
        // remove_programs() keeps an unlocked mark as long as its program, and removes it
        // with the program.
        d_folder.write("program-0123456789abcdef.bin", "binary");
        std::ofstream{ mark };
        remove_programs(d_folder.path(), 1000);
        CPPUNIT_ASSERT(std::filesystem::exists(mark));
        remove_programs(d_folder.path(), 0);
        CPPUNIT_ASSERT(!std::filesystem::exists(mark));
    }

    void binaries_of_others_are_not_run()
    {
        auto first = make_cache(d_folder.path());
        first.get(source, options);
        const auto path = first.path(source, options);
        const auto compiles = [&](bool is_trusted) {
            d_told.clear();
            d_warnings = 0;
            auto cache = make_cache(d_folder.path());
            cache.get(source, options);
            cache.get(source, value(1));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(
                d_told, std::size_t(is_trusted ? 0 : 1), d_warnings);
            return cache.compiled();
        };
        compiles(true);
        for (const mode_t mode : { 0777, 01777 }) {
            chmod(d_folder.path().c_str(), mode);
            CPPUNIT_ASSERT_EQUAL(std::size_t(2), compiles(false));
        }
        chmod(d_folder.path().c_str(), 0775); // as for a user's own group
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), compiles(true));
        chmod(d_folder.path().c_str(), 0700);
        // A file that others may write is replaced.
        chmod(path.c_str(), 0666);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), compiles(true));
        CPPUNIT_ASSERT_MESSAGE(d_told,
                               d_told.find("other users may write") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), compiles(true));
        if (geteuid() != 0)
            return; // only root can act as two users
        constexpr uid_t somebody = 65534;
        CPPUNIT_ASSERT_EQUAL(0, chown(d_folder.path().c_str(), somebody, somebody));
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), compiles(false));
    }

    void odd_files_are_built_anew()
    {
        const auto path = make_cache(d_folder.path()).path(source, options);
        CPPUNIT_ASSERT_EQUAL(0, mkfifo(path.c_str(), 0600));
        auto first = make_cache(d_folder.path());
        CPPUNIT_ASSERT_EQUAL(42, run(first.get(source, options)));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), first.compiled());
        CPPUNIT_ASSERT(std::filesystem::is_regular_file(path));
        std::filesystem::resize_file(path, std::uintmax_t(1) << 40);
        auto second = make_cache(d_folder.path());
        CPPUNIT_ASSERT_EQUAL(42, run(second.get(source, options)));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), second.compiled());
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), d_warnings);
        std::filesystem::remove(path);
        std::filesystem::create_directory(path);
        auto third = make_cache(d_folder.path());
        CPPUNIT_ASSERT_EQUAL(42, run(third.get(source, options)));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), third.compiled());
    }

    void nothing_is_compiled_on_a_full_disk()
    {
        auto cache = make_cache(d_folder.path());
        CPPUNIT_ASSERT_EQUAL(42, run(cache.get(source, options)));
        cache.check_room();
        program_limits limits;
        limits.min_free_bytes = std::uint64_t(1) << 62;
        auto full = make_cache(d_folder.path(), limits);
        if (!is_pocl(d_context->device().platform_name)) {
            full.get(source, options);
            return;
        }
        for (const auto& action : std::vector<std::function<void()>>{
                 [&] { full.get(source, value(1)); }, // would compile the program
                 [&] { full.get(source, options); },  // would unpack a binary
                 [&] { full.check_room(); } }) {
            try {
                action();
                CPPUNIT_FAIL("the driver was called");
            } catch (const opencl_error& e) {
                CPPUNIT_ASSERT_EQUAL(CL_OUT_OF_RESOURCES, e.code());
                CPPUNIT_ASSERT_MESSAGE(e.what(),
                                       std::string(e.what()).find(pocl_cache_folder()) !=
                                           std::string::npos);
            }
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), full.compiled());
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_program_cache, "qa_program_cache");
