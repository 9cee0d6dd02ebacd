// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lets streams change over to engines that the planning thread makes meanwhile.

#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_support.h"

#include <cldsp/background_thread.h>
#include <cldsp/errors.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/fresh_engine.h>
#include <cldsp/stream_bank.h>
#include <cldsp/wisdom.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <unistd.h>

using namespace cldsp;

namespace {

std::shared_ptr<context_registry> borrowed(context_registry& registry)
{
    return { std::shared_ptr<void>(), &registry };
}

//! A stream whose engines are made by the planning thread while it runs, beside a stream
//! that keeps its engine.
class planned_stream
{
public:
    using complex = std::complex<float>;

    planned_stream(sample_type input, context_registry& registry, unsigned seed)
        : d_input(input),
          d_registry(registry),
          d_random(seed),
          d_planned(std::make_shared<planned>(problem_of(input))),
          d_stream(d_planned->problem, options("direct"), borrowed(registry), {}),
          d_reference(d_planned->problem, options("direct"), borrowed(registry), {})
    {
    }
    ~planned_stream() { d_planned->wanted = false; }

    std::size_t changes() const { return d_planned->fresh.taken(); }
    bool is_planning() const { return d_planned->posted; }

    //! Asks for another engine, if none is being made.
    void plan()
    {
        static const char* const ways[] = { "direct", "fast_convolution", "auto" };
        if (d_planned->posted.exchange(true))
            return;
        const auto its = options(ways[d_random() % 3]);
        // Sometimes the plan is remembered, and sometimes it is measured.
        const bool forgets = d_random() % 4 == 0;
        background_thread::planning().post(
            [kept = d_planned, its, forgets, &registry = d_registry] {
                make(*kept, its, forgets, registry);
            });
    }

    //! Filters some items, on the new engine if there is one.
    void filter()
    {
        d_planned->fresh.take([this](freq_xlating_filter_bank&& fresh) {
            d_stream.bank().take_engine(std::move(fresh));
        });
        if (d_random() % 8 == 0)
            retune();
        const std::size_t items = 1 + d_random() % 3000;
        const auto in = noise(d_input, items, static_cast<unsigned>(d_random()));
        const auto out = filtered(d_stream, in.data(), items);
        const auto expected = filtered(d_reference, in.data(), items);
        compare(out, expected);
        // A stream that keeps all processors busy would keep the planning thread waiting.
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

private:
    struct planned {
        explicit planned(freq_xlating_filter_bank_problem its) : problem(std::move(its))
        {
        }
        const freq_xlating_filter_bank_problem problem;
        fresh_engine<freq_xlating_filter_bank> fresh;
        std::atomic<bool> posted{ false }, wanted{ true };
    };
    using outputs = std::vector<std::vector<complex>>;

    static freq_xlating_filter_bank_problem problem_of(sample_type input)
    {
        freq_xlating_filter_bank_problem problem;
        problem.input = input;
        problem.decimation = 8;
        problem.taps = { random_taps(96, true, 3) };
        problem.center_freqs = { 0.05, -0.21, 0.4 };
        problem.sampling_freq = 1;
        return problem;
    }

    freq_xlating_filter_bank_options options(const std::string& algorithm)
    {
        freq_xlating_filter_bank_options its;
        its.device = "host";
        its.algorithm = algorithm;
        its.accuracy = 0;
        its.threads = 1 + d_random() % 3;
        its.typical_items = 2048;
        return its;
    }

    static void make(planned& its,
                     freq_xlating_filter_bank_options options,
                     bool forgets,
                     context_registry& registry)
    {
        try {
            options.stopped = [&its] {
                return !its.wanted || background_thread::planning().ending();
            };
            if (forgets)
                registry.wisdom().clear("plans");
            its.fresh.offer({ its.problem, options, registry });
        } catch (const planning_stopped&) {
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s\n", e.what());
            std::abort();
        }
        its.posted = false;
    }

    void retune()
    {
        const std::size_t channel = d_random() % 3;
        const double hz = 1e-3 * static_cast<double>(d_random() % 1000) - 0.5;
        d_stream.bank().set_center_freq(channel, hz);
        d_reference.bank().set_center_freq(channel, hz);
    }

    static outputs filtered(stream_bank& bank, const void* in, std::size_t items)
    {
        const std::size_t room = bank.max_outputs(items);
        outputs out(3, std::vector<complex>(room));
        complex* const places[] = { out[0].data(), out[1].data(), out[2].data() };
        std::size_t counts[3] = {};
        bank.process(in, items, places, room, counts);
        for (std::size_t channel = 0; channel < 3; channel++)
            out[channel].resize(counts[channel]);
        return out;
    }

    static void compare(const outputs& out, const outputs& expected)
    {
        double error = 0, level = 0;
        for (std::size_t channel = 0; channel < out.size(); channel++) {
            CPPUNIT_ASSERT_EQUAL(expected[channel].size(), out[channel].size());
            for (std::size_t i = 0; i < out[channel].size(); i++) {
                error = std::max<double>(
                    error, std::abs(out[channel][i] - expected[channel][i]));
                level = std::max<double>(level, std::abs(expected[channel][i]));
            }
        }
        CPPUNIT_ASSERT(error <= 1e-4 * level);
    }

    const sample_type d_input;
    context_registry& d_registry;
    std::mt19937 d_random;
    const std::shared_ptr<planned> d_planned;
    stream_bank d_stream, d_reference;
};

//! What the system tells of one thread of this process.
struct thread_state {
    std::string name;
    int policy = 0;
    int nice = 0;

    bool is_low() const { return policy == SCHED_IDLE || nice == 19; }
};

//! The threads of this process; none where the system does not tell.
std::vector<thread_state> threads_of_process()
{
    std::vector<thread_state> all;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator("/proc/self/task", error)) {
        std::ifstream file(entry.path() / "stat");
        // A thread that ends meanwhile cannot be read, which iterators of the buffer throw.
        std::string text;
        std::getline(file, text);
        const auto open = text.find('('), close = text.rfind(')');
        if (open == text.npos || close == text.npos)
            continue; // it has just ended
        thread_state one;
        one.name = text.substr(open + 1, close - open - 1);
        std::istringstream fields(text.substr(close + 1));
        std::string field;
        for (int number = 3; number <= 41 && fields >> field; number++) {
            if (number == 19)
                one.nice = std::stoi(field);
            if (number == 41)
                one.policy = std::stoi(field);
        }
        all.push_back(one);
    }
    return all;
}

/*!
 * Streams change over to engines that the planning thread makes while they run.
 *
 * The sanitizers watch this test. CLDSP_TEST_CHANGES sets the number of changes of each
 * type of items, and CLDSP_TEST_SECONDS a time instead.
 */
class qa_changes_while_planning : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_changes_while_planning);
    CPPUNIT_TEST(no_sample_is_lost);
    CPPUNIT_TEST(owners_go_while_planning);
    CPPUNIT_TEST(a_child_of_fork_filters_and_plans);
    CPPUNIT_TEST(exit_while_planning);
    CPPUNIT_TEST(threads_of_an_engine_are_normal);
    CPPUNIT_TEST(threads_of_an_engine_are_normal_without_rights);
    CPPUNIT_TEST_SUITE_END();

    context_registry d_registry{ test_options() };

    //! Runs streams until each has changed its engine \p changes times.
    void change(std::size_t changes, unsigned seed)
    {
        planned_stream first(sample_type::fc32, d_registry, seed);
        planned_stream second(sample_type::cs16, d_registry, seed + 1);
        while (first.changes() < changes || second.changes() < changes)
            for (auto* stream : { &first, &second }) {
                stream->plan();
                stream->filter();
            }
    }

public:
    void no_sample_is_lost()
    {
        const auto seconds = environment("CLDSP_TEST_SECONDS");
        const auto asked = environment("CLDSP_TEST_CHANGES");
        const std::size_t changes = asked.empty() ? 12 : std::stoul(asked);
        const auto end = std::chrono::steady_clock::now() +
                         std::chrono::duration<double>(
                             seconds.empty() ? 0 : std::atof(seconds.c_str()));
        unsigned seed = 0;
        do
            change(changes, seed += 2);
        while (std::chrono::steady_clock::now() < end);
    }

    //! The planning thread is left with engines that nobody wants.
    void owners_go_while_planning()
    {
        std::mt19937 random(7);
        for (unsigned i = 0; i < 40; i++) {
            planned_stream stream(sample_type::fc32, d_registry, i);
            for (unsigned calls = random() % 5; calls > 0; calls--) {
                stream.plan();
                stream.filter();
            }
        }
        change(1, 99);
    }

    void a_child_of_fork_filters_and_plans()
    {
        if (!may_start_threads_after_fork || !may_fork_beside_threads())
            return;
        std::mt19937 random(8);
        planned_stream stream(sample_type::fc32, d_registry, 1);
        bool good = true;
        for (int i = 0; i < 6; i++) {
            stream.plan();
            stream.filter();
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
            const pid_t child = fork();
            if (child == 0) {
                try {
                    planned_stream another(sample_type::fc32, d_registry, 2);
                    while (another.changes() < 1) {
                        another.plan();
                        another.filter();
                    }
                } catch (...) {
                    _exit(1);
                }
                std::exit(0);
            }
            good = succeeded(child) && good;
            stream.filter();
        }
        CPPUNIT_ASSERT(good);
        const std::size_t before = stream.changes();
        while (stream.changes() == before) { // the parent goes on
            stream.plan();
            stream.filter();
        }
    }

    void exit_while_planning()
    {
        if (!is_child()) {
            std::vector<pid_t> children;
            for (int i = 0; i < 8; i++)
                children.push_back(
                    start_again("qa_changes_while_planning::exit_while_planning",
                                { { "CLDSP_TEST_NUMBER", std::to_string(i) } }));
            bool good = true;
            for (const auto child : children)
                good = succeeded(child) && good;
            CPPUNIT_ASSERT(good);
            return;
        }
        const unsigned number =
            static_cast<unsigned>(std::atoi(environment("CLDSP_TEST_NUMBER").c_str()));
        static auto& registry = *new context_registry(test_options());
        static planned_stream stream(sample_type::fc32, registry, number);
        stream.plan();
        for (unsigned i = 0; i < number; i++)
            stream.filter();
        std::this_thread::sleep_for(std::chrono::milliseconds(5 * number));
        std::exit(0);
    }

    //! Only the planning thread and those that compute for it are idle.
    void threads_of_an_engine_are_normal()
    {
        const bool is_low = ::sched_getscheduler(0) == SCHED_IDLE;
        planned_stream stream(sample_type::fc32, d_registry, 5);
        bool was_idle = false;
        while (stream.changes() < 12) {
            stream.plan();
            stream.filter();
            for (const auto& one : threads_of_process())
                was_idle = was_idle || (one.name == "cldsp-planning" && one.is_low());
        }
        while (stream.is_planning())
            std::this_thread::yield();
        // The last task may still be on its way out.
        const auto are_normal = [&](const std::vector<thread_state>& all) {
            return std::none_of(all.begin(), all.end(), [&](const auto& one) {
                return one.is_low() != is_low;
            });
        };
        while (!are_normal(threads_of_process()))
            std::this_thread::yield(); // only a failing test waits for ever
        CPPUNIT_ASSERT(was_idle || threads_of_process().empty());
        stream.filter();
    }

    void threads_of_an_engine_are_normal_without_rights()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT(succeeded(start_again(
                "qa_changes_while_planning::threads_of_an_engine_are_normal_without_"
                "rights",
                {})));
            return;
        }
        become_nobody();
        threads_of_an_engine_are_normal();
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_changes_while_planning,
                                      "qa_changes_while_planning");

} // namespace
