// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests which threads are idle, and which ones stay normal beside an idle one.

#include "base/engine_threads.h"
#include "base/forks.h"
#include "base/thread_pool.h"
#include "tests/support/qa_process.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

using namespace cldsp;

namespace {

//! Whether the calling thread is one that gets the processor last. A system may permit
//! neither of the two ways.
bool has_lowest_priority()
{
    return ::sched_getscheduler(0) == SCHED_IDLE || ::getpriority(PRIO_PROCESS, 0) == 19;
}

class qa_engine_threads : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_engine_threads);
    CPPUNIT_TEST(an_idle_thread_has_the_lowest_priority);
    CPPUNIT_TEST(its_normal_thread_keeps_its_own);
    CPPUNIT_TEST(exceptions_reach_the_caller);
    CPPUNIT_TEST(processor_time_is_counted);
    CPPUNIT_TEST(a_pool_is_made_for_normal_threads);
    CPPUNIT_TEST(loops_of_an_idle_thread_are_idle);
    CPPUNIT_TEST(workers_of_idle_loops_have_numbers_of_the_pool);
    CPPUNIT_TEST(a_user_without_rights);
    CPPUNIT_TEST(a_real_time_policy_is_not_inherited);
    CPPUNIT_TEST(a_fork_waits_for_locks);
    CPPUNIT_TEST_SUITE_END();

    const bool d_is_low = has_lowest_priority(); // of this program

    //! Runs a loop in which every thread of the pool takes part, and returns whether the
    //! threads besides the caller's have the lowest priority.
    static std::multiset<bool> priorities_of_workers(thread_pool& pool)
    {
        std::mutex mutex;
        std::multiset<bool> all;
        unsigned inside = 0;
        const auto caller = std::this_thread::get_id();
        pool.parallel_for(pool.threads(), [&](std::size_t, unsigned worker) {
            std::unique_lock<std::mutex> lock(mutex);
            CPPUNIT_ASSERT(worker < pool.threads());
            inside++;
            if (std::this_thread::get_id() != caller)
                all.insert(has_lowest_priority());
            while (inside < pool.threads()) {
                lock.unlock();
                std::this_thread::yield();
                lock.lock();
            }
        });
        return all;
    }

    void check_pool() const
    {
        std::unique_ptr<thread_pool> pool;
        run_idle([&] {
            pool = std::make_unique<thread_pool>(3);
            CPPUNIT_ASSERT(priorities_of_workers(*pool) ==
                           std::multiset<bool>({ true, true }));
        });
        CPPUNIT_ASSERT(priorities_of_workers(*pool) ==
                       std::multiset<bool>({ d_is_low, d_is_low }));
    }

public:
    void an_idle_thread_has_the_lowest_priority()
    {
        CPPUNIT_ASSERT(!is_idle_thread());
        run_idle([] {
            CPPUNIT_ASSERT(is_idle_thread());
            CPPUNIT_ASSERT(has_lowest_priority());
            sigset_t blocked;
            pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
            CPPUNIT_ASSERT(sigismember(&blocked, SIGINT));
            CPPUNIT_ASSERT(sigismember(&blocked, SIGTERM));
        });
        CPPUNIT_ASSERT(!is_idle_thread());
        CPPUNIT_ASSERT_EQUAL(d_is_low, has_lowest_priority());
    }

    void its_normal_thread_keeps_its_own()
    {
        const auto caller = std::this_thread::get_id();
        run_idle([&] {
            CPPUNIT_ASSERT(std::this_thread::get_id() != caller);
            const int answer = at_normal_priority([&] {
                CPPUNIT_ASSERT(std::this_thread::get_id() == caller);
                CPPUNIT_ASSERT(!is_idle_thread());
                CPPUNIT_ASSERT_EQUAL(d_is_low, has_lowest_priority());
                return at_normal_priority([] { return 42; });
            });
            CPPUNIT_ASSERT_EQUAL(42, answer);
        });
        CPPUNIT_ASSERT_EQUAL(7, at_normal_priority([] { return 7; }));
    }

    void exceptions_reach_the_caller()
    {
        CPPUNIT_ASSERT_THROW(run_idle([] { throw std::runtime_error("idle"); }),
                             std::runtime_error);
        run_idle([] {
            CPPUNIT_ASSERT_THROW(
                at_normal_priority([] { throw std::out_of_range("normal"); }),
                std::out_of_range);
            at_normal_priority([] {}); // goes on afterwards
        });
    }

    void processor_time_is_counted()
    {
        run_idle([] {
            CPPUNIT_ASSERT_EQUAL(0.0, seconds_at_normal_priority());
            volatile unsigned sum = 0;
            at_normal_priority([&] {
                for (unsigned i = 0; i < 10000000; i++)
                    sum = sum + i;
            });
            CPPUNIT_ASSERT(seconds_at_normal_priority() > 0);
        });
    }

    void a_pool_is_made_for_normal_threads() { check_pool(); }

    void loops_of_an_idle_thread_are_idle()
    {
        thread_pool pool(4);
        const std::multiset<bool> own({ d_is_low, d_is_low, d_is_low });
        CPPUNIT_ASSERT(priorities_of_workers(pool) == own);
        run_idle([&] {
            CPPUNIT_ASSERT(priorities_of_workers(pool) ==
                           std::multiset<bool>({ true, true, true }));
        });
        CPPUNIT_ASSERT(priorities_of_workers(pool) == own);
    }

    void workers_of_idle_loops_have_numbers_of_the_pool()
    {
        thread_pool many(3), few(2);
        run_idle([&] {
            priorities_of_workers(many);
            for (int i = 0; i < 2; i++)
                priorities_of_workers(few);
        });
    }

    //! Root could return from the lowest priority, and others cannot.
    void a_user_without_rights()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT(
                succeeded(start_again("qa_engine_threads::a_user_without_rights", {})));
            return;
        }
        become_nobody();
        check_pool();
        check_pool();
    }

    void a_real_time_policy_is_not_inherited()
    {
        std::thread block([this] {
            sched_param priority = {};
            priority.sched_priority = 1;
            // Few users may have such threads.
            const bool is_real_time = ::sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
            std::thread([&] {
                CPPUNIT_ASSERT_EQUAL(is_real_time, ::sched_getscheduler(0) == SCHED_FIFO);
                forget_inherited_scheduling();
                CPPUNIT_ASSERT(::sched_getscheduler(0) != SCHED_FIFO);
                CPPUNIT_ASSERT_EQUAL(d_is_low, has_lowest_priority());
            }).join();
        });
        block.join();
    }

    void a_fork_waits_for_locks()
    {
        std::mutex mutex;
        std::atomic<bool> ends{ false };
        std::thread holder([&] {
            while (!ends) {
                const fork_delay outer;
                const std::lock_guard<std::mutex> guard(mutex);
                const fork_delay inner;
                std::this_thread::yield();
            }
        });
        bool good = true;
        for (int i = 0; i < 50; i++) {
            const pid_t child = fork();
            if (child == 0) {
                const fork_delay no_fork;
                _exit(mutex.try_lock() ? 0 : 1);
            }
            good = succeeded(child) && good;
        }
        ends = true;
        holder.join();
        CPPUNIT_ASSERT(good);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_engine_threads, "qa_engine_threads");

} // namespace
