// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Uses the whole engine from several threads at once, and while the process ends.

#include "tests/support/qa_bank_of_one.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_support.h"

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/gemm.h>
#include <cldsp/wisdom.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

using complex = std::complex<float>;

//! The seconds of the test; CLDSP_TEST_SECONDS may set another time.
double test_seconds()
{
    const auto asked = environment("CLDSP_TEST_SECONDS");
    return asked.empty() ? 1 : std::atof(asked.c_str());
}

//! "host", and a device if the test has one.
std::vector<std::string> places()
{
    std::vector<std::string> all{ "host" };
    if (environment("CLDSP_TEST_DEVICE") != "host")
        all.push_back(test_device().id());
    return all;
}

//! Prints the log, so that a failing test shows the reason.
void print_failures(log_level level, const std::string& text)
{
    if (level == log_level::warning || level == log_level::error)
        std::fprintf(stderr, "%s\n", text.c_str());
}

freq_xlating_fir_problem filter_problem(std::size_t taps, std::size_t decimation)
{
    freq_xlating_fir_problem problem;
    problem.decimation = decimation;
    problem.taps.assign(taps, complex(1.0f / static_cast<float>(taps)));
    problem.center_freq = 0.1;
    return problem;
}

//! Checks outputs for a constant input: at a frequency of 0 it passes the filter
//! unchanged.
void check_constant(const complex* out, std::size_t count)
{
    for (std::size_t i = 0; i < count; i++)
        CPPUNIT_ASSERT(std::abs(std::abs(out[i]) - 1) < 1e-3);
}

void filter_once(freq_xlating_filter_bank& filter, std::size_t round)
{
    const std::vector<complex> in(4001 + filter.history(), complex(1));
    std::vector<complex> out(4000);
    filter.set_center_freq(0, 0.01 * static_cast<double>(round % 7));
    process(filter, in.data(), in.size(), { out.data(), out.size() });
    filter.set_center_freq(0, 0);
    const auto done = process(filter, in.data(), in.size(), { out.data(), out.size() });
    CPPUNIT_ASSERT(done.produced > 0);
    check_constant(out.data(), done.produced);
}

void make_and_run_filter(const std::string& place,
                         const std::string& algorithm,
                         std::size_t round,
                         context_registry& registry)
{
    one_thread_options options;
    options.device = place;
    options.algorithm = algorithm;
    options.log = print_failures;
    freq_xlating_filter_bank filter(
        bank_of_one(filter_problem(31 + 10 * (round % 3), 4 + round % 2)),
        options,
        registry);
    for (std::size_t i = 0; i < 3; i++)
        filter_once(filter, round + i);
    filter.set_taps({ std::vector<complex>(20, complex(1.0f / 20)) });
    filter_once(filter, round);
    filter.take_engine(freq_xlating_filter_bank(
        bank_of_one(filter_problem(20, 4 + round % 2)), options, registry));
    filter_once(filter, round);
    CPPUNIT_ASSERT(!filter.fell_back());
    filter.statistics();
}

void make_and_run_bank(const std::string& place,
                       const std::string& algorithm,
                       std::size_t round,
                       context_registry& registry)
{
    constexpr std::size_t channels = 6, room = 500;
    freq_xlating_filter_bank_problem problem;
    problem.decimation = 8;
    problem.taps = { std::vector<complex>(64, complex(1.0f / 64)) };
    problem.center_freqs.assign(channels, 0.0);
    freq_xlating_filter_bank_options options;
    options.device = place;
    options.algorithm = algorithm;
    options.threads = 3;
    options.log = print_failures;
    freq_xlating_filter_bank bank(problem, options, registry);
    std::vector<std::vector<complex>> out(channels, std::vector<complex>(room));
    std::vector<complex*> outs;
    for (auto& channel : out)
        outs.push_back(channel.data());
    const std::vector<complex> in(8 * room + bank.history(), complex(1));
    for (std::size_t i = 0; i < 4; i++) {
        bank.set_center_freq((round + i) % channels, 0.2);
        bank.process(in.data(), in.size(), outs.data(), room);
        bank.set_center_freqs(std::vector<double>(channels, 0));
        const auto done = bank.process(in.data(), in.size(), outs.data(), room);
        for (const auto& channel : out)
            check_constant(channel.data(), done.produced);
    }
    CPPUNIT_ASSERT(!bank.fell_back());
}

void make_and_run_product(const std::string& place,
                          std::size_t round,
                          context_registry& registry)
{
    const std::size_t n = 16 + 8 * (round % 3);
    gemm_options options;
    options.device = place;
    gemm product(gemm_type::f32, { n, n, n }, options, registry);
    const std::vector<float> a(n * n, 1), b(n * n, 2);
    std::vector<float> c(n * n);
    for (int i = 0; i < 4; i++) {
        product.multiply(
            { n, n, n }, 1, { a.data(), n }, { b.data(), n }, 0, { c.data(), n });
        for (const auto value : c)
            CPPUNIT_ASSERT_DOUBLES_EQUAL(2.0 * static_cast<double>(n), value, 1e-3);
    }
}

} // namespace

/*!
 * Runs everything from several threads at once, on one registry, as the blocks of a
 * program do. The thread sanitizer finds more here than the outputs show.
 */
class qa_threads : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_threads);
    CPPUNIT_TEST(everything);
    CPPUNIT_TEST(while_the_process_ends);
    CPPUNIT_TEST_SUITE_END();

    using action = std::function<void(std::size_t round)>;

    //! Calls each action in a separate thread, again and again for the time of the test.
    static void run(const std::vector<action>& actions)
    {
        const auto end = std::chrono::steady_clock::now() +
                         std::chrono::duration<double>(test_seconds());
        std::atomic<std::size_t> rounds{ 0 };
        std::vector<std::exception_ptr> errors(actions.size());
        in_threads(static_cast<int>(actions.size()), [&](int i) {
            const auto number = static_cast<std::size_t>(i);
            try {
                std::size_t round = 0;
                do {
                    actions[number](round++);
                    rounds++;
                } while (std::chrono::steady_clock::now() < end);
            } catch (...) {
                errors[number] = std::current_exception();
            }
        });
        for (const auto& error : errors)
            if (error)
                std::rethrow_exception(error);
        std::cout << " " << rounds << " rounds";
    }

    context_registry d_registry{ test_options() };

    std::vector<action> filter_actions()
    {
        std::vector<action> actions;
        for (const auto& place : places())
            actions.push_back([this, place](std::size_t round) {
                make_and_run_filter(place, "direct", round, d_registry);
            });
        for (const std::string algorithm : { "fast_convolution", "auto" })
            actions.push_back([this, algorithm](std::size_t round) {
                make_and_run_filter("host", algorithm, round, d_registry);
            });
        return actions;
    }

    std::vector<action> bank_actions()
    {
        std::vector<action> actions;
        for (const auto& place : places())
            actions.push_back([this, place](std::size_t round) {
                make_and_run_bank(place, "direct", round, d_registry);
            });
        actions.push_back([this](std::size_t round) {
            make_and_run_bank("host", "fast_convolution", round, d_registry);
        });
        return actions;
    }

    std::vector<action> product_actions()
    {
        std::vector<action> actions;
        for (const auto& place : places())
            for (int i = 0; i < 2; i++)
                actions.push_back([this, place](std::size_t round) {
                    make_and_run_product(place, round, d_registry);
                });
        return actions;
    }

    void everything()
    {
        std::vector<action> all{
            [](std::size_t) { CPPUNIT_ASSERT(list_devices().back().is_host()); },
            [this](std::size_t) { d_registry.contexts(); },
            [this](std::size_t round) {
                d_registry.wisdom().store(
                    "plans", "key " + std::to_string(round % 10), "answer");
                d_registry.wisdom().export_text();
            },
        };
        for (const auto& more : { filter_actions(), bank_actions(), product_actions() })
            all.insert(all.end(), more.begin(), more.end());
        run(all);
    }

    /*
     * A thread that the process waits for at its end may be in the engine while static
     * objects are destroyed. Static objects that are constructed after this one are
     * already destroyed when its destructor plans and filters.
     */
    void while_the_process_ends()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT(
                succeeded(start_again("qa_threads::while_the_process_ends", {})));
            return;
        }
        struct at_the_end {
            ~at_the_end()
            {
                try {
                    context_registry registry(test_options());
                    for (const std::string algorithm : { "direct", "auto" })
                        make_and_run_filter("host", algorithm, 0, registry);
                    make_and_run_bank("host", "auto", 0, registry);
                    make_and_run_product("host", 0, registry);
                } catch (...) {
                    std::_Exit(1);
                }
            }
        };
        static const at_the_end last;
        make_and_run_filter("host", "auto", 0, d_registry);
        make_and_run_bank("host", "auto", 0, d_registry);
        make_and_run_product("host", 0, d_registry);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_threads, "qa_threads");
