// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that the engine counts the processors that it may use, not those that there are.

#include "base/processors.h"
#include "base/thread_pool.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <sched.h>
#include <unistd.h>

using namespace cldsp;
namespace fs = std::filesystem;

class qa_processors : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_processors);
    CPPUNIT_TEST(a_set_of_the_process_counts);
    CPPUNIT_TEST(a_set_of_a_thread_does_not_count);
    CPPUNIT_TEST(no_limit);
    CPPUNIT_TEST(limit_of_the_unified_groups);
    CPPUNIT_TEST(limit_of_the_first_groups);
    CPPUNIT_TEST(what_is_no_list_of_groups);
    CPPUNIT_TEST_SUITE_END();

    fs::path d_root;
    cpu_set_t d_before;

    void write(const std::string& path, const std::string& text)
    {
        fs::create_directories((d_root / path).parent_path());
        std::ofstream(d_root / path) << text;
    }

    double quota() const { return processors_of_quota(d_root / "proc", d_root / "sys"); }

    static void bind_to_first_of(const cpu_set_t& all)
    {
        cpu_set_t one;
        CPU_ZERO(&one);
        for (std::size_t i = 0; CPU_COUNT(&one) == 0; i++)
            if (CPU_ISSET(i, &all))
                CPU_SET(i, &one);
        CPPUNIT_ASSERT_EQUAL(0, ::sched_setaffinity(0, sizeof(one), &one));
    }

public:
    void setUp() override
    {
        std::string name = fs::temp_directory_path() / "cldsp-qa-XXXXXX";
        CPPUNIT_ASSERT(::mkdtemp(name.data()));
        d_root = name;
        CPPUNIT_ASSERT_EQUAL(
            0, ::sched_getaffinity(::getpid(), sizeof(d_before), &d_before));
    }
    void tearDown() override
    {
        ::sched_setaffinity(0, sizeof(d_before), &d_before);
        fs::remove_all(d_root);
    }

    void a_set_of_the_process_counts()
    {
        CPPUNIT_ASSERT_EQUAL(static_cast<std::size_t>(CPU_COUNT(&d_before)),
                             processors_of_process().size());
        bind_to_first_of(d_before);
        CPPUNIT_ASSERT_EQUAL(1u, usable_processors());
        CPPUNIT_ASSERT_EQUAL(1u, thread_pool::count_for(0));
    }

    void a_set_of_a_thread_does_not_count()
    {
        const unsigned before = usable_processors();
        unsigned bound = 0;
        std::thread([&] {
            bind_to_first_of(d_before);
            bound = usable_processors();
        }).join();
        CPPUNIT_ASSERT_EQUAL(before, bound);
    }

    void no_limit()
    {
        CPPUNIT_ASSERT_EQUAL(0.0, quota());
        write("proc/self/cgroup", "4:cpu,cpuacct:/\n0::/user.slice\n");
        CPPUNIT_ASSERT_EQUAL(0.0, quota());
        write("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
        write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
        write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
        CPPUNIT_ASSERT_EQUAL(0.0, quota());
    }

    void limit_of_the_unified_groups()
    {
        write("proc/self/cgroup", "0::/a/b\n");
        write("sys/fs/cgroup/a/b/cpu.max", "400000 100000\n");
        CPPUNIT_ASSERT_EQUAL(4.0, quota());
        write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
        CPPUNIT_ASSERT_EQUAL(1.5, quota());
        // A container sees its own group as the root.
        write("proc/self/cgroup", "0::/\n");
        write("sys/fs/cgroup/cpu.max", "200000 100000\n");
        CPPUNIT_ASSERT_EQUAL(2.0, quota());
    }

    void limit_of_the_first_groups()
    {
        write("proc/self/cgroup", "3:cpuset:/x\n2:cpu,cpuacct:/docker/1f\n");
        write("sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_quota_us", "250000\n");
        write("sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_period_us", "100000\n");
        CPPUNIT_ASSERT_EQUAL(2.5, quota());
        write("sys/fs/cgroup/cpuset/x/cpu.cfs_quota_us", "100000\n");
        write("sys/fs/cgroup/cpuset/x/cpu.cfs_period_us", "100000\n");
        CPPUNIT_ASSERT_EQUAL(2.5, quota());
    }

    void what_is_no_list_of_groups()
    {
        for (const char* text : { "", "\n", "0", "0:", "0::", "0::a\n", "::::", "x" }) {
            write("proc/self/cgroup", text);
            CPPUNIT_ASSERT_EQUAL(0.0, quota());
        }
        write("proc/self/cgroup", "0::/a\n");
        for (const char* text : { "", "0 0", "1", "max", "-1 -1", "x y" }) {
            write("sys/fs/cgroup/a/cpu.max", text);
            CPPUNIT_ASSERT_EQUAL(0.0, quota());
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_processors, "qa_processors");
