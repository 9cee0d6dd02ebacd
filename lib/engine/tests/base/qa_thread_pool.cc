// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of loops that threads share: every index once, exceptions, sleep.

#include "base/thread_pool.h"

#include <cppunit/extensions/HelperMacros.h>

#include <pthread.h>
#include <signal.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace cldsp;

namespace {

class qa_thread_pool : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_thread_pool);
    CPPUNIT_TEST(every_index_comes_once);
    CPPUNIT_TEST(loops_of_any_length);
    CPPUNIT_TEST(one_thread_is_the_callers);
    CPPUNIT_TEST(a_short_loop_is_the_callers);
    CPPUNIT_TEST(a_loop_uses_all_threads_and_no_more);
    CPPUNIT_TEST(a_worker_is_one_thread_at_a_time);
    CPPUNIT_TEST(exceptions_reach_the_caller);
    CPPUNIT_TEST(an_exception_ends_the_loop);
    CPPUNIT_TEST(idle_threads_sleep);
    CPPUNIT_TEST(threads_have_a_name_and_no_signals);
    CPPUNIT_TEST(loops_of_two_threads_take_turns);
    CPPUNIT_TEST(pools_come_and_go);
    CPPUNIT_TEST(bad_counts_are_refused);
    CPPUNIT_TEST_SUITE_END();

    //! Only a failing test waits so long.
    static constexpr std::chrono::seconds patience{ 60 };

    //! A meeting point: returns when \p count calls are inside at once, which needs as
    //! many threads.
    class meeting
    {
    public:
        explicit meeting(unsigned count) : d_missing(count) {}
        void join()
        {
            std::unique_lock<std::mutex> lock(d_mutex);
            if (--d_missing == 0)
                d_all.notify_all();
            else
                d_all.wait(lock, [this] { return d_missing == 0; });
        }

    private:
        std::mutex d_mutex;
        std::condition_variable d_all;
        unsigned d_missing;
    };

public:
    void every_index_comes_once()
    {
        thread_pool pool(4);
        std::vector<std::atomic<int>> calls(1000);
        for (int loop = 1; loop <= 50; loop++) {
            pool.parallel_for(calls.size(), [&](std::size_t i, unsigned) { calls[i]++; });
            for (const auto& c : calls)
                CPPUNIT_ASSERT_EQUAL(loop, c.load());
        }
    }

    void loops_of_any_length()
    {
        thread_pool pool(3);
        for (int loop = 0; loop < 300; loop++)
            for (std::size_t count = 0; count < 8; count++) {
                std::atomic<std::size_t> calls{ 0 }, sum{ 0 };
                pool.parallel_for(count, [&](std::size_t i, unsigned) {
                    calls++;
                    sum += i;
                });
                CPPUNIT_ASSERT_EQUAL(count, calls.load());
                CPPUNIT_ASSERT_EQUAL(count ? count * (count - 1) / 2 : 0, sum.load());
            }
    }

    void one_thread_is_the_callers()
    {
        thread_pool pool(1);
        CPPUNIT_ASSERT_EQUAL(1u, pool.threads());
        std::vector<std::size_t> order;
        pool.parallel_for(5, [&](std::size_t i, unsigned worker) {
            CPPUNIT_ASSERT(std::this_thread::get_id() == d_caller);
            CPPUNIT_ASSERT_EQUAL(0u, worker);
            order.push_back(i);
        });
        CPPUNIT_ASSERT(order == (std::vector<std::size_t>{ 0, 1, 2, 3, 4 }));
    }

    void a_short_loop_is_the_callers()
    {
        thread_pool pool(3);
        CPPUNIT_ASSERT_EQUAL(1u, pool.threads_for(0.99 * min_shared_seconds));
        CPPUNIT_ASSERT_EQUAL(2u, pool.threads_for(min_shared_seconds));
        CPPUNIT_ASSERT_EQUAL(3u, pool.threads_for(1));
        CPPUNIT_ASSERT_EQUAL(40u, thread_pool::threads_for(1e-3, 64));
        std::vector<std::size_t> order;
        pool.share(5, 1, [&](std::size_t i, unsigned worker) {
            CPPUNIT_ASSERT(std::this_thread::get_id() == d_caller);
            CPPUNIT_ASSERT_EQUAL(0u, worker);
            order.push_back(i);
        });
        CPPUNIT_ASSERT(order == (std::vector<std::size_t>{ 0, 1, 2, 3, 4 }));
        meeting all(3); // hangs if there are fewer threads
        pool.share(3, 3, [&](std::size_t, unsigned) { all.join(); });
    }

    void a_loop_uses_all_threads_and_no_more()
    {
        for (const unsigned threads : { 2u, 5u }) {
            thread_pool pool(threads);
            CPPUNIT_ASSERT_EQUAL(threads, pool.threads());
            meeting all(threads); // hangs if there are fewer threads
            pool.parallel_for(threads, [&](std::size_t, unsigned) { all.join(); });

            std::mutex mutex;
            std::set<std::thread::id> ids;
            pool.parallel_for(2000, [&](std::size_t, unsigned) {
                const std::lock_guard<std::mutex> lock(mutex);
                ids.insert(std::this_thread::get_id());
            });
            CPPUNIT_ASSERT(ids.size() <= threads);
        }
    }

    void a_worker_is_one_thread_at_a_time()
    {
        thread_pool pool(4);
        std::vector<std::atomic<int>> inside(pool.threads());
        std::atomic<bool> alone{ true };
        pool.parallel_for(20000, [&](std::size_t, unsigned worker) {
            if (inside.at(worker)++ != 0)
                alone = false;
            inside[worker]--;
        });
        CPPUNIT_ASSERT(alone);
    }

    void exceptions_reach_the_caller()
    {
        for (const unsigned threads : { 1u, 3u }) {
            thread_pool pool(threads);
            for (const std::size_t bad : { 0, 1, 99 })
                CPPUNIT_ASSERT_THROW(pool.parallel_for(100,
                                                       [&](std::size_t i, unsigned) {
                                                           if (i == bad)
                                                               throw std::domain_error(
                                                                   "bad");
                                                       }),
                                     std::domain_error);
            // Every thread throws an exception at once, and the pool can be used
            // afterwards.
            meeting all(threads);
            CPPUNIT_ASSERT_THROW(pool.parallel_for(threads,
                                                   [&](std::size_t, unsigned) {
                                                       all.join();
                                                       throw std::domain_error("bad");
                                                   }),
                                 std::domain_error);
            std::atomic<int> calls{ 0 };
            pool.parallel_for(10, [&](std::size_t, unsigned) { calls++; });
            CPPUNIT_ASSERT_EQUAL(10, calls.load());
        }
    }

    void an_exception_ends_the_loop()
    {
        thread_pool pool(1);
        int calls = 0;
        CPPUNIT_ASSERT_THROW(pool.parallel_for(100,
                                               [&](std::size_t, unsigned) {
                                                   if (++calls == 3)
                                                       throw std::domain_error("bad");
                                               }),
                             std::domain_error);
        CPPUNIT_ASSERT_EQUAL(3, calls);
    }

    // After a loop every worker soon sleeps, and nothing wakes it until the next loop. A
    // worker that spins would never sleep, and one that polls would wake between any two
    // checks of its state.
    void idle_threads_sleep()
    {
#if defined(__linux__)
        constexpr unsigned threads = 8;
        thread_pool pool(threads);
        meeting all(threads);
        std::vector<std::string> status(threads); // for each thread, a file of the kernel
        pool.parallel_for(threads, [&](std::size_t, unsigned worker) {
            status[worker] =
                "/proc/self/task/" + std::to_string(::syscall(SYS_gettid)) + "/status";
            all.join();
        });
        status.erase(status.begin()); // the thread of the caller
        const auto deadline = std::chrono::steady_clock::now() + patience;
        for (auto before = wakings(status);;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            const auto now = wakings(status);
            if (now && now == before)
                return;
            CPPUNIT_ASSERT_MESSAGE("the workers do not come to rest",
                                   std::chrono::steady_clock::now() < deadline);
            before = now;
        }
#else
        std::cout << "skipped: only Linux tells what a thread does" << std::endl;
#endif
    }

    //! The context switches of these threads so far; empty if one of the threads runs
    //! now.
    static std::optional<std::vector<std::string>>
    wakings(const std::vector<std::string>& status)
    {
        std::vector<std::string> counts;
        for (const auto& path : status) {
            std::ifstream file(path);
            CPPUNIT_ASSERT_MESSAGE(path, file.good());
            std::string line;
            while (std::getline(file, line)) {
                if (line.rfind("State:", 0) == 0 &&
                    line.find('S', 6) == std::string::npos)
                    return std::nullopt;
                if (line.find("ctxt_switches:") != std::string::npos)
                    counts.push_back(line);
            }
        }
        return counts;
    }

    void threads_have_a_name_and_no_signals()
    {
        constexpr unsigned threads = 3;
        thread_pool pool(threads);
        meeting all(threads);
        std::atomic<int> named{ 0 }, blocking{ 0 };
        pool.parallel_for(threads, [&](std::size_t, unsigned worker) {
            all.join();
            if (worker == 0)
                return;
            sigset_t mask;
            pthread_sigmask(SIG_BLOCK, nullptr, &mask);
            blocking += sigismember(&mask, SIGINT);
#if defined(__linux__)
            char name[16] = {};
            pthread_getname_np(pthread_self(), name, sizeof(name));
            named += std::string(name) == "cldsp";
#else
            named++;
#endif
        });
        CPPUNIT_ASSERT_EQUAL(2, named.load());
        CPPUNIT_ASSERT_EQUAL(2, blocking.load());
        sigset_t mask;
        pthread_sigmask(SIG_BLOCK, nullptr, &mask);
        CPPUNIT_ASSERT(!sigismember(&mask, SIGINT));
    }

    void loops_of_two_threads_take_turns()
    {
        thread_pool pool(3);
        const auto loops = [&](std::atomic<int>& calls) {
            for (int i = 0; i < 500; i++)
                pool.parallel_for(7, [&](std::size_t, unsigned) { calls++; });
        };
        std::atomic<int> here{ 0 }, there{ 0 };
        std::thread other([&] { loops(there); });
        loops(here);
        other.join();
        CPPUNIT_ASSERT_EQUAL(3500, here.load());
        CPPUNIT_ASSERT_EQUAL(3500, there.load());
    }

    void pools_come_and_go()
    {
        for (int i = 0; i < 100; i++) {
            thread_pool pool(3);
            if (i % 2)
                pool.parallel_for(3, [](std::size_t, unsigned) {});
        }
    }

    void bad_counts_are_refused()
    {
        CPPUNIT_ASSERT_THROW(thread_pool(thread_pool::max_threads + 1),
                             std::invalid_argument);
        CPPUNIT_ASSERT(thread_pool(0).threads() >= 1);
    }

private:
    const std::thread::id d_caller = std::this_thread::get_id();
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_thread_pool, "qa_thread_pool");

} // namespace
