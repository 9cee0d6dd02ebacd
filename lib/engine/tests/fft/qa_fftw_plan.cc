// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of FFTW's plans: shared by threads, kept in wisdom, made under one lock.

#include "fft/fftw_plan.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_refused.h"

#include <cldsp/context.h>
#include <cldsp/fftw_planner.h>
#include <cldsp/phase.h>
#include <cldsp/reference.h>
#include <cldsp/wisdom.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

using namespace cldsp;

namespace {

using values_t = fftw_vector<std::complex<float>>;

values_t noise(std::size_t size)
{
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(-1, 1);
    values_t values(size);
    for (auto& value : values)
        value = { uniform(random), uniform(random) };
    return values;
}

std::vector<std::complex<double>> dft(const values_t& in, fftw_direction direction)
{
    const double sign = direction == fftw_direction::forward ? -1 : 1;
    const auto size = static_cast<double>(in.size());
    std::vector<std::complex<double>> out(in.size());
    for (std::size_t k = 0; k < in.size(); k++)
        for (std::size_t i = 0; i < in.size(); i++) {
            const auto turns = static_cast<double>(k * i % in.size()) / size;
            out[k] +=
                std::complex<double>(in[i]) * phase64::from_turns(sign * turns).phasor();
        }
    return out;
}

void check(const fftw_plan& plan, std::size_t size, fftw_direction direction)
{
    const values_t in = noise(size);
    const values_t copy = in;
    values_t out(size);
    plan.execute(in.data(), out.data());
    CPPUNIT_ASSERT(in == copy);
    const std::vector<std::complex<float>> values(out.begin(), out.end());
    CPPUNIT_ASSERT(error_db(values, dft(in, direction)) < -125);
}

//! Stands for the lock of another library. It counts how often it is taken, and notices
//! if it is taken while held or released while free.
struct counting_lock {
    void lock()
    {
        mutex.lock();
        good = good && !held;
        held = true;
        count++;
    }
    void unlock()
    {
        good = good && held;
        held = false;
        mutex.unlock();
    }

    std::mutex mutex;
    bool held = false;
    bool good = true;
    int count = 0;
};

struct lock_that_fails {
    void lock()
    {
        if (fails)
            throw std::runtime_error("the lock fails");
    }
    void unlock() {}

    bool fails = false;
};

//! Runs a test in a separate process, because a lock stays until its process ends.
template <class TEST>
void in_own_process(const std::string& name, const TEST& test)
{
    if (is_child())
        test();
    else
        CPPUNIT_ASSERT(succeeded(start_again("qa_fftw_plan::" + name, {})));
}

context_options options_without_files()
{
    context_options options;
    options.wisdom_file = false;
    return options;
}

} // namespace

class qa_fftw_plan : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_fftw_plan);
    CPPUNIT_TEST(transforms);
    CPPUNIT_TEST(shared);
    CPPUNIT_TEST(from_many_threads);
    CPPUNIT_TEST(wisdom);
    CPPUNIT_TEST(damaged_wisdom);
    CPPUNIT_TEST(memory_is_aligned);
    CPPUNIT_TEST(bad_sizes);
    CPPUNIT_TEST(estimated_without_time);
    CPPUNIT_TEST(a_coarse_clock_measures_nothing);
    CPPUNIT_TEST(a_coarse_clock_is_remembered);
    CPPUNIT_TEST(kept_by_the_set_of_solvers);
    CPPUNIT_TEST(holds_the_shared_lock);
    CPPUNIT_TEST(lock_is_shared_while_others_plan);
    CPPUNIT_TEST(second_lock_is_refused);
    CPPUNIT_TEST(locks_of_one_mutex_are_one);
    CPPUNIT_TEST(one_of_several_locks_counts);
    CPPUNIT_TEST(lock_fails);
    CPPUNIT_TEST_SUITE_END();

    void transforms()
    {
        for (const auto direction : { fftw_direction::forward, fftw_direction::backward })
            for (const std::size_t size : { 1, 2, 61, 64, 420 })
                check(*fftw_plan::get(size, direction), size, direction);
    }

    void shared()
    {
        const auto one = fftw_plan::get(48, fftw_direction::forward);
        CPPUNIT_ASSERT(one == fftw_plan::get(48, fftw_direction::forward));
        CPPUNIT_ASSERT(one != fftw_plan::get(48, fftw_direction::backward));
        CPPUNIT_ASSERT(one != fftw_plan::get(49, fftw_direction::forward));
    }

    void from_many_threads()
    {
        std::vector<std::thread> threads;
        std::vector<std::shared_ptr<const fftw_plan>> found(8);
        for (std::size_t i = 0; i < found.size(); i++)
            threads.emplace_back([i, &found] {
                for (std::size_t size = 90; size < 100; size++)
                    found[i] = fftw_plan::get(size, fftw_direction::forward);
            });
        for (auto& thread : threads)
            thread.join();
        for (const auto& transform : found)
            CPPUNIT_ASSERT(transform == found[0]);
        check(*found[0], 99, fftw_direction::forward);
    }

    void wisdom()
    {
        fftw_plan::get(77, fftw_direction::forward);
        const std::string text = export_fftw_wisdom();
        CPPUNIT_ASSERT(!text.empty());
        CPPUNIT_ASSERT(import_fftw_wisdom(text));
        CPPUNIT_ASSERT_EQUAL(text, export_fftw_wisdom());
        check(*fftw_plan::get(77, fftw_direction::forward), 77, fftw_direction::forward);
    }

    void damaged_wisdom()
    {
        fftw_plan::get(77, fftw_direction::forward);
        const std::string text = export_fftw_wisdom();
        // A plan whose flags have more bits than FFTW's flags would end the process.
        std::string wide = text;
        wide.insert(wide.find("#x", wide.find('(', 1)) + 2, "f00");
        for (const std::string& damaged : { wide,
                                            text + "(",
                                            text.substr(0, 30) + '\0' + text.substr(30),
                                            std::string(),
                                            std::string("{}"),
                                            std::string(10000, '('),
                                            text.substr(0, text.size() / 2),
                                            text.substr(1) })
            CPPUNIT_ASSERT(!import_fftw_wisdom(damaged));
        CPPUNIT_ASSERT_EQUAL(text, export_fftw_wisdom());
    }

    void memory_is_aligned()
    {
        const values_t values(5);
        CPPUNIT_ASSERT(fftw_plan::is_aligned(values.data()));
        // On other processors, such as arm64, FFTW may accept any address.
#if defined(__x86_64__)
        CPPUNIT_ASSERT(!fftw_plan::is_aligned(values.data() + 1));
#endif
    }

    void bad_sizes()
    {
        for (const std::size_t size : { std::size_t(0), std::size_t(1) << 31 })
            CPPUNIT_ASSERT_THROW(fftw_plan::get(size, fftw_direction::forward),
                                 std::invalid_argument);
    }

    void estimated_without_time()
    {
        constexpr auto forward = fftw_direction::forward;
        {
            const fftw_planning_limit none(0);
            const auto plan = fftw_plan::get(1155, forward);
            CPPUNIT_ASSERT(!plan->is_measured());
            CPPUNIT_ASSERT(plan == fftw_plan::get(1155, forward));
            check(*plan, 1155, forward);
        }
        {
            // Too little time to measure anything is spent once.
            const fftw_planning_limit little(1e-9);
            const auto plan = fftw_plan::get(1155, forward);
            CPPUNIT_ASSERT(!plan->is_measured());
            CPPUNIT_ASSERT(plan == fftw_plan::get(1155, forward));
        }
        // With time it is measured, and remembered when nobody holds it.
        if (fftw_plan::known_clock(fftw_trial_seconds) == fftw_clock::coarse)
            return;
        const auto is_measured = [] {
            return fftw_plan::get(90, forward)->is_measured();
        };
        CPPUNIT_ASSERT(is_measured());
        const fftw_planning_limit none(0);
        CPPUNIT_ASSERT(is_measured());
    }

    // A clock with which FFTW finds no plan for a small transform in a billionth of a
    // second is coarse, as one with which it needs longer than usual.
    void a_coarse_clock_measures_nothing()
    {
        in_own_process("a_coarse_clock_measures_nothing", [] {
            CPPUNIT_ASSERT(fftw_plan::known_clock() == fftw_clock::unknown);
            CPPUNIT_ASSERT(fftw_plan::known_clock(1e-9) == fftw_clock::coarse);
            const auto plan = fftw_plan::get(96, fftw_direction::forward);
            CPPUNIT_ASSERT(!plan->is_measured());
            check(*plan, 96, fftw_direction::forward);
        });
    }

    void a_coarse_clock_is_remembered()
    {
        constexpr auto variable = "CLDSP_TEST_FOLDER";
        const auto name = "qa_fftw_plan::a_coarse_clock_is_remembered";
        if (!is_child()) {
            const temporary_folder folder;
            for (int process = 0; process < 2; process++)
                CPPUNIT_ASSERT(
                    succeeded(start_again(name, { { variable, folder.path() } })));
            return;
        }
        context_options options;
        options.cache_folder = std::getenv(variable);
        context_registry registry(options);
        const auto known = [&] { return registry.wisdom().entries("calibration"); };
        CPPUNIT_ASSERT(fftw_plan::known_clock() == fftw_clock::unknown);
        if (known().empty()) {
            fftw_memory memory(registry.wisdom());
            memory.save();
            CPPUNIT_ASSERT(known().empty());
            CPPUNIT_ASSERT(fftw_plan::known_clock(1e-9) == fftw_clock::coarse);
            memory.save();
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), known().size());
            return;
        }
        for (const auto* damaged : { "coarse", "{}", "{\"coarse\": \"no\"}" }) {
            context_registry others(options_without_files());
            others.wisdom().store("calibration", known().front().key, damaged);
            const fftw_memory memory(others.wisdom());
            CPPUNIT_ASSERT(fftw_plan::known_clock() == fftw_clock::unknown);
        }
        const fftw_memory memory(registry.wisdom());
        CPPUNIT_ASSERT(fftw_plan::known_clock() == fftw_clock::coarse);
    }

    // Wisdom that another program with other solvers has stored is neither tried nor
    // replaced.
    void kept_by_the_set_of_solvers()
    {
        const auto kept = [](const context_registry& registry) {
            return registry.wisdom().entries("fftw");
        };
        context_registry registry(options_without_files());
        fftw_plan::get(77, fftw_direction::forward);
        fftw_memory(registry.wisdom()).save();
        const auto first = kept(registry);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), first.size());
        const auto text = registry.wisdom().find("fftw", first[0].key);
        const auto line = text.substr(0, text.find('\n'));
        CPPUNIT_ASSERT(first[0].key.find(line) != std::string::npos);

        context_registry others(options_without_files());
        auto key = first[0].key;
        const auto digit = key.size() - 1;
        key[digit] = key[digit] == '0' ? '1' : '0';
        others.wisdom().store("fftw", key, "of other solvers");
        fftw_memory(others.wisdom()).save();
        CPPUNIT_ASSERT_EQUAL(std::string("of other solvers"),
                             others.wisdom().find("fftw", key));
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), kept(others).size());
    }

    void holds_the_shared_lock()
    {
        in_own_process("holds_the_shared_lock", [] {
            auto before = fftw_plan::get(60, fftw_direction::forward);
            static counting_lock lock;
            share_fftw_planner(lock);
            const auto taken = [](const auto& action) {
                const int count = lock.count;
                action();
                CPPUNIT_ASSERT(!lock.held && lock.good);
                return lock.count - count;
            };
            std::shared_ptr<const fftw_plan> plan, again;
            CPPUNIT_ASSERT_EQUAL(
                1, taken([&] { plan = fftw_plan::get(61, fftw_direction::forward); }));
            CPPUNIT_ASSERT_EQUAL(
                1, taken([&] { again = fftw_plan::get(61, fftw_direction::forward); }));
            CPPUNIT_ASSERT_EQUAL(0, taken([&] { again.reset(); }));
            CPPUNIT_ASSERT_EQUAL(1, taken([&] { plan.reset(); }));
            CPPUNIT_ASSERT_EQUAL(1, taken([&] { before.reset(); }));
            std::string text;
            CPPUNIT_ASSERT_EQUAL(1, taken([&] { text = export_fftw_wisdom(); }));
            CPPUNIT_ASSERT_EQUAL(1, taken([&] { import_fftw_wisdom(text); }));
        });
    }

    void lock_is_shared_while_others_plan()
    {
        in_own_process("lock_is_shared_while_others_plan", [] {
            constexpr int threads = 4;
            static counting_lock lock;
            std::atomic<int> planning{ 0 };
            std::atomic<bool> shared{ false };
            in_threads(threads + 1, [&](int i) {
                if (i == threads) {
                    while (planning < threads)
                        std::this_thread::yield();
                    share_fftw_planner(lock);
                    shared = true;
                    return;
                }
                int after = 0;
                for (std::size_t round = 0; after < 20; round++) {
                    after += shared;
                    const auto size = 8 + 8 * static_cast<std::size_t>(i) + round % 8;
                    fftw_plan::get(size, fftw_direction::backward);
                    planning += round == 8;
                }
            });
            CPPUNIT_ASSERT(lock.good && !lock.held);
            CPPUNIT_ASSERT(lock.count >= 2 * 20 * threads);
        });
    }

    void second_lock_is_refused()
    {
        in_own_process("second_lock_is_refused", [] {
            static counting_lock lock, other;
            share_fftw_planner(lock);
            share_fftw_planner(lock);
            assert_refused({ "FFTW", "lock", "second", "one per process" },
                           [] { share_fftw_planner(other); });
            fftw_plan::get(62, fftw_direction::forward);
            CPPUNIT_ASSERT_EQUAL(0, other.count);
            CPPUNIT_ASSERT(lock.count > 0);
        });
    }

    void locks_of_one_mutex_are_one()
    {
        in_own_process("locks_of_one_mutex_are_one", [] {
            static counting_lock lock, around, other;
            share_fftw_planner(lock);
            share_fftw_planner(around, &lock);
            assert_refused({ "FFTW", "lock", "second", "one per process" },
                           [] { share_fftw_planner(lock, &other); });
            fftw_plan::get(62, fftw_direction::forward);
            CPPUNIT_ASSERT_EQUAL(0, around.count);
            CPPUNIT_ASSERT(lock.count > 0);
        });
    }

    void one_of_several_locks_counts()
    {
        in_own_process("one_of_several_locks_counts", [] {
            static std::array<counting_lock, 8> locks;
            std::atomic<int> refused{ 0 };
            in_threads(static_cast<int>(locks.size()), [&](int i) {
                try {
                    share_fftw_planner(locks[static_cast<std::size_t>(i)]);
                } catch (const std::invalid_argument&) {
                    refused++;
                }
                fftw_plan::get(63, fftw_direction::forward);
            });
            CPPUNIT_ASSERT_EQUAL(static_cast<int>(locks.size()) - 1, refused.load());
            const auto used =
                std::count_if(locks.begin(), locks.end(), [](const counting_lock& lock) {
                    return lock.count > 0;
                });
            CPPUNIT_ASSERT_EQUAL(1, static_cast<int>(used));
        });
    }

    void lock_fails()
    {
        in_own_process("lock_fails", [] {
            static lock_that_fails lock;
            share_fftw_planner(lock);
            auto plan = fftw_plan::get(64, fftw_direction::forward);
            lock.fails = true;
            CPPUNIT_ASSERT_THROW(fftw_plan::get(65, fftw_direction::forward),
                                 std::runtime_error);
            plan.reset();
            lock.fails = false;
            check(*fftw_plan::get(64, fftw_direction::forward),
                  64,
                  fftw_direction::forward);
        });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_fftw_plan, "qa_fftw_plan");
