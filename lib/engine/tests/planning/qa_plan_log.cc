// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of what the log tells users, and how often.

#include "tests/support/qa_fake_plans.h"

#include <cldsp/plan_log.h>
#include <cldsp/told_lines.h>

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <thread>
#include <vector>

using namespace cldsp;

namespace {

//! Tests of what the log tells users, and how often.
class qa_plan_log : public planner_fixture
{
    CPPUNIT_TEST_SUITE(qa_plan_log);
    CPPUNIT_TEST(equal_engines_tell_once);
    CPPUNIT_TEST(places_have_names);
    CPPUNIT_TEST(a_move_tells_how_much_faster_it_is);
    CPPUNIT_TEST(a_plan_remembers_the_rate_of_the_host);
    CPPUNIT_TEST(what_takes_long_is_told_before);
    CPPUNIT_TEST(nobody_is_told_of_work_in_the_background);
    CPPUNIT_TEST(lines_are_bounded_and_shared_by_threads);
    CPPUNIT_TEST_SUITE_END();

    std::vector<std::string> d_told, d_details;

    logger log()
    {
        return [this](log_level level, const std::string& text) {
            (level == log_level::debug ? d_details : d_told).push_back(text);
        };
    }

    static chosen_plan on_host()
    {
        chosen_plan plan;
        plan.device = plan.device_name = "host";
        plan.algorithm = "direct";
        plan.variant = "simd";
        return plan;
    }

    static chosen_plan on_gpu(double measured = 0, double host_measured = 0)
    {
        auto plan = on_host();
        plan.device = "0:1";
        plan.device_name = "NVIDIA H200";
        plan.measured = measured;
        plan.host_measured = host_measured;
        return plan;
    }

    using texts = std::vector<std::string>;

    static std::string start_of(const chosen_plan& plan)
    {
        const context_registry registry;
        std::string line;
        tell_start(
            registry, [&](log_level, const std::string& text) { line = text; }, plan);
        return line;
    }

public:
    void equal_engines_tell_once()
    {
        for (int i = 0; i < 60; i++)
            tell_start(*d_registry, log(), on_host());
        CPPUNIT_ASSERT(d_told == texts{ "runs on the host's SIMD units" });
        CPPUNIT_ASSERT_EQUAL(std::size_t(59), d_details.size());
        for (int i = 0; i < 60; i++)
            tell_move(*d_registry, log(), on_host(), on_gpu(410e6, 100e6));
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), d_told.size());
        // A product is another kind of work.
        auto product = on_host();
        product.unit = "GFLOP/s";
        tell_start(*d_registry, log(), product);
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), d_told.size());
        // Another registry has another log.
        tell_start(context_registry(), log(), on_host());
        CPPUNIT_ASSERT_EQUAL(std::size_t(4), d_told.size());
        tell_start(*d_registry, {}, on_gpu()); // there is no log
    }

    void places_have_names()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("runs on 'NVIDIA H200'"), start_of(on_gpu()));
        auto volk = on_host();
        volk.variant = "volk";
        CPPUNIT_ASSERT_EQUAL(std::string("runs on the host by VOLK"), start_of(volk));
        auto shared = on_gpu();
        shared.shares = { on_gpu(), on_host() };
        shared.shares[0].channels = 9;
        shared.shares[1].channels = 1;
        CPPUNIT_ASSERT_EQUAL(std::string("runs on 'NVIDIA H200' (9 channels), the host's "
                                         "SIMD units (1 channel)"),
                             start_of(shared));
        auto rates = on_gpu();
        rates.device = "0:1, host";
        rates.device_name = "NVIDIA H200, host";
        CPPUNIT_ASSERT_EQUAL(std::string("runs on several devices: NVIDIA H200, host"),
                             start_of(rates));
    }

    void a_move_tells_how_much_faster_it_is()
    {
        const auto move = [&](const chosen_plan& before, const chosen_plan& now) {
            d_told.clear();
            tell_move(context_registry(), log(), before, now);
            return d_told.empty() ? "" : d_told.front();
        };
        CPPUNIT_ASSERT_EQUAL(std::string("moved to 'NVIDIA H200', 4.1 times as fast"),
                             move(on_host(), on_gpu(410e6, 100e6)));
        const std::string unknown = "moved to 'NVIDIA H200'";
        CPPUNIT_ASSERT_EQUAL(unknown, move(on_host(), on_gpu()));
        CPPUNIT_ASSERT_EQUAL(unknown, move(on_host(), on_gpu(410e6)));
        // Rates that were measured apart, perhaps with other taps, are not compared.
        auto measured = on_host();
        measured.measured = 100e6;
        CPPUNIT_ASSERT_EQUAL(unknown, move(measured, on_gpu(410e6)));
        CPPUNIT_ASSERT_EQUAL(unknown, move(on_host(), on_gpu(101e6, 100e6)));
        CPPUNIT_ASSERT_EQUAL(std::string("moved to the host's SIMD units"),
                             move(on_gpu(410e6, 100e6), measured));
        auto other = on_host();
        other.algorithm = "fast_convolution";
        CPPUNIT_ASSERT_EQUAL(std::string(), move(on_host(), other));
    }

    void a_plan_remembers_the_rate_of_the_host()
    {
        add("direct", 2e-3, 2e-3);
        add("direct", 1e-3, 1e-3, 0, device(device_kind::gpu, "a GPU"));
        for (const bool remembered : { false, true }) {
            const auto plan = choose().plan;
            CPPUNIT_ASSERT_EQUAL(remembered, plan.remembered);
            CPPUNIT_ASSERT_EQUAL(std::string("a GPU"), plan.device_name);
            CPPUNIT_ASSERT_DOUBLES_EQUAL(2, plan.measured / plan.host_measured, 1e-3);
        }
    }

    void what_takes_long_is_told_before()
    {
        add("direct", 2e-3, 2e-3);
        add("fast_convolution", 2e-3, 2e-3, 64);
        const auto wait = [&](const std::string& problem) {
            auto one = request(problem);
            one.log = log();
            choose(one);
        };
        wait("of the host");
        CPPUNIT_ASSERT(d_told.empty());
        add("direct", 1e-3, 1e-3, 0, device(device_kind::gpu, "a GPU"));
        for (const auto* problem : { "one", "one", "another" })
            wait(problem);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_told.size());
        CPPUNIT_ASSERT_EQUAL(std::string("compiling and measuring for 'a GPU', which may "
                                         "take 2 s or more the first time"),
                             d_told.front());
    }

    void nobody_is_told_of_work_in_the_background()
    {
        CPPUNIT_ASSERT(!without_news({}));
        const auto quiet = without_news(log());
        for (const auto level :
             { log_level::debug, log_level::info, log_level::warning, log_level::error })
            quiet(level, "text");
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), d_told.size());
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), d_details.size());
    }

    void lines_are_bounded_and_shared_by_threads()
    {
        told_lines lines;
        CPPUNIT_ASSERT(lines.is_new("first"));
        for (std::size_t i = 0; i + 1 < told_lines::most; i++)
            CPPUNIT_ASSERT(lines.is_new(std::to_string(i)));
        CPPUNIT_ASSERT(!lines.is_new("first"));
        CPPUNIT_ASSERT(lines.is_new("one more"));
        CPPUNIT_ASSERT(lines.is_new("first")); // the oldest line was forgotten

        told_lines shared;
        std::vector<int> told(8);
        std::vector<std::thread> threads;
        for (auto& count : told)
            threads.emplace_back([&] {
                for (int i = 0; i < 1000; i++)
                    count += shared.is_new(std::to_string(i % 32));
            });
        for (auto& thread : threads)
            thread.join();
        int all = 0;
        for (const int count : told)
            all += count;
        CPPUNIT_ASSERT_EQUAL(32, all);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_plan_log, "qa_plan_log");

} // namespace
