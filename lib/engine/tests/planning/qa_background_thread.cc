// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests the thread in which blocks plan: its order, its end, forks and exits.

#include "base/exits.h"
#include "tests/support/qa_process.h"

#include <cldsp/background_thread.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <condition_variable>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

using namespace cldsp;

namespace {

//! Something that another thread waits for. Only a failing test waits for ever.
class event
{
public:
    void happen()
    {
        const std::lock_guard<std::mutex> lock(d_mutex);
        d_has_happened = true;
        d_changed.notify_all();
    }
    void wait()
    {
        std::unique_lock<std::mutex> lock(d_mutex);
        d_changed.wait(lock, [this] { return d_has_happened; });
    }

private:
    std::mutex d_mutex;
    std::condition_variable d_changed;
    bool d_has_happened = false;
};

class qa_background_thread : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_background_thread);
    CPPUNIT_TEST(tasks_run_in_order);
    CPPUNIT_TEST(a_task_may_throw_and_post);
    CPPUNIT_TEST(a_withdrawn_task_keeps_nothing);
    CPPUNIT_TEST(processors_are_those_of_the_process);
    CPPUNIT_TEST(a_child_of_fork_plans);
    CPPUNIT_TEST(exit_waits_for_the_task);
    CPPUNIT_TEST(exit_does_not_wait_for_ever);
    CPPUNIT_TEST(exit_of_the_main_thread_ends_planning_first);
    CPPUNIT_TEST(exit_ends_planning_before_libraries_of_drivers);
    CPPUNIT_TEST_SUITE_END();

    static background_thread& planning() { return background_thread::planning(); }

    //! Waits until all tasks so far have ended.
    static void finish()
    {
        event ended;
        CPPUNIT_ASSERT(planning().post([&] { ended.happen(); }));
        ended.wait();
    }

    //! Whether this test, run again in a process of its own, ends as it should.
    static int status_of(const std::string& test)
    {
        const pid_t child = start_again("qa_background_thread::" + test, {});
        int status = -1;
        CPPUNIT_ASSERT_EQUAL(child, waitpid(child, &status, 0));
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

public:
    void tasks_run_in_order()
    {
        for (int round = 0; round < 50; round++) {
            std::vector<int> order;
            for (int i = 0; i < 5; i++)
                planning().post([&order, i] { order.push_back(i); });
            finish();
            CPPUNIT_ASSERT(order == std::vector<int>({ 0, 1, 2, 3, 4 }));
        }
    }

    void a_task_may_throw_and_post()
    {
        std::atomic<int> ran{ 0 };
        event ended;
        planning().post([&] {
            planning().post([&] {
                ran++;
                ended.happen();
            });
            ran++;
            throw std::runtime_error("dropped");
        });
        ended.wait();
        CPPUNIT_ASSERT_EQUAL(2, ran.load());
        finish();
    }

    void a_withdrawn_task_keeps_nothing()
    {
        event begun, may_end;
        planning().post([&] {
            begun.happen();
            may_end.wait();
        });
        begun.wait();
        std::atomic<int> ran{ 0 };
        const auto one = std::make_shared<int>(), other = std::make_shared<int>();
        planning().post([&ran, one] { ran += 1; }, one.get());
        planning().post([&ran, other] { ran += 2; }, other.get());
        planning().withdraw(one.get());
        CPPUNIT_ASSERT_EQUAL(1L, one.use_count());
        CPPUNIT_ASSERT_EQUAL(2L, other.use_count());
        planning().withdraw(one.get()); // there is none any more
        may_end.happen();
        finish();
        CPPUNIT_ASSERT_EQUAL(2, ran.load());
        // It has begun, and so is gone.
        planning().withdraw(other.get());
    }

    //! A block may be bound to one processor, and then posts a plan.
    void processors_are_those_of_the_process()
    {
        finish();
        cpu_set_t all;
        CPU_ZERO(&all);
        CPPUNIT_ASSERT_EQUAL(0, ::sched_getaffinity(::getpid(), sizeof(all), &all));
        event ended;
        int count = 0;
        std::thread block([&] {
            cpu_set_t one;
            CPU_ZERO(&one);
            for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
                if (CPU_ISSET(i, &all))
                    CPU_SET(i, &one);
            ::sched_setaffinity(0, sizeof(one), &one);
            planning().post([&] {
                cpu_set_t own;
                CPU_ZERO(&own);
                ::sched_getaffinity(0, sizeof(own), &own);
                count = CPU_COUNT(&own);
                ended.happen();
            });
        });
        block.join();
        ended.wait();
        CPPUNIT_ASSERT_EQUAL(CPU_COUNT(&all), count);
    }

    //! Before the parent has planned, while it plans, and afterwards.
    void a_child_of_fork_plans()
    {
        if (!may_start_threads_after_fork)
            return;
        if (!is_child()) {
            CPPUNIT_ASSERT_EQUAL(0, status_of("a_child_of_fork_plans"));
            return;
        }
        const auto child_plans = [] {
            const pid_t child = fork();
            if (child == 0) {
                finish();
                finish();
                std::exit(0);
            }
            return succeeded(child);
        };
        CPPUNIT_ASSERT(child_plans());
        event begun, may_end;
        planning().post([&] {
            begun.happen();
            may_end.wait();
        });
        begun.wait();
        for (int i = 0; i < 20; i++)
            CPPUNIT_ASSERT(child_plans());
        may_end.happen();
        finish();
        CPPUNIT_ASSERT(child_plans());
        finish();
    }

    void exit_waits_for_the_task()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT_EQUAL(3, status_of("exit_waits_for_the_task"));
            return;
        }
        static event begun;
        planning().post([] {
            begun.happen();
            while (!planning().ending())
                std::this_thread::yield();
            ::_exit(3); // so the task has seen the end, and was waited for
        });
        begun.wait();
        planning().post([] { ::_exit(4); }); // is never called
        std::exit(0);
    }

    //! A driver that hangs leaves the status as it is.
    void exit_does_not_wait_for_ever()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT_EQUAL(5, status_of("exit_does_not_wait_for_ever"));
            return;
        }
        static event begun, never;
        planning().post([] {
            begun.happen();
            never.wait();
        });
        begun.wait();
        std::exit(5);
    }

    //! A driver that is being loaded registers functions for the exit before it can be
    //! used.
    void exit_of_the_main_thread_ends_planning_first()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT_EQUAL(
                6, status_of("exit_of_the_main_thread_ends_planning_first"));
            return;
        }
        finish();
        std::atexit([] { ::_exit(planning().ending() ? 6 : 7); });
        std::exit(8);
    }

    void exit_ends_planning_before_libraries_of_drivers()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT_EQUAL(
                6, status_of("exit_ends_planning_before_libraries_of_drivers"));
            return;
        }
        finish();
        std::atexit([] { ::_exit(planning().ending() ? 6 : 7); });
        // Of the C library's, one that nobody else loads. Where it is missing, there is
        // nothing to test.
        if (!::dlopen("libanl.so.1", RTLD_NOW))
            ::_exit(6);
        libraries_were_loaded();
        std::thread([] { std::exit(8); }).join();
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_background_thread, "qa_background_thread");

} // namespace
