// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of an engine that is replaced when a better one was planned, without a device.

#include "tests/support/qa_support.h"

#include <cldsp/chosen_plan.h>
#include <cldsp/errors.h>
#include <cldsp/logger.h>
#include <cldsp/planned_engine.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace cldsp;

namespace {

struct fake_options {
    bool at_once = false;
    std::function<bool()> stopped;
    logger log;
};

//! An engine that is only a number.
class fake_engine
{
public:
    fake_engine(int number, bool provisional) : d_number(number)
    {
        d_plan.provisional = provisional;
    }
    const chosen_plan& chosen() const { return d_plan; }
    int number() const { return d_number; }

private:
    int d_number;
    chosen_plan d_plan;
};

//! What the engines of a test share with the threads that make them, and may outlive it.
struct workshop {
    std::atomic<int> made{ 0 };     // engines that were begun
    std::atomic<int> finished{ 0 }; // engines that were made, or stopped
    std::atomic<int> stopped{ 0 };
    std::atomic<bool> hold{ false };    // whether the making waits
    std::atomic<bool> is_deaf{ false }; // whether it does not ask to be stopped
    std::atomic<int> failures{ 0 };     // of the next engines
    std::mutex mutex;                   // guards messages
    std::vector<std::string> messages;
};

constexpr auto pause = std::chrono::milliseconds(1);

//! Waits without a bound: if the condition never comes, the test's time is over.
void await(const std::function<bool()>& condition)
{
    while (!condition())
        std::this_thread::sleep_for(pause);
}

class qa_planned_engine : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_planned_engine);
    CPPUNIT_TEST(a_final_engine_stays);
    CPPUNIT_TEST(a_provisional_engine_is_replaced_once);
    CPPUNIT_TEST(nothing_is_planned_before_it_is_asked_for);
    CPPUNIT_TEST(a_pause_stops_the_planning);
    CPPUNIT_TEST(a_pause_drops_what_does_not_stop);
    CPPUNIT_TEST(many_pauses);
    CPPUNIT_TEST(the_owner_may_go_while_it_plans);
    CPPUNIT_TEST(a_failure_is_told_once);
    CPPUNIT_TEST(an_engine_chosen_again_is_not_replaced);
    CPPUNIT_TEST_SUITE_END();

    using engine = planned_engine<fake_engine, fake_options>;

    std::shared_ptr<workshop> d_shop = std::make_shared<workshop>();

    static fake_engine make(workshop& shop, const fake_options& options)
    {
        const int number = ++shop.made;
        if (options.at_once)
            return { number, true };
        struct count_at_end {
            std::atomic<int>& count;
            ~count_at_end() { count++; }
        } at_end{ shop.finished };
        while (shop.hold) {
            if (options.stopped && !shop.is_deaf && options.stopped()) {
                shop.stopped++;
                throw planning_stopped();
            }
            std::this_thread::sleep_for(pause);
        }
        if (shop.failures > 0) {
            shop.failures--;
            throw std::invalid_argument("parameter 'device' is 'toaster'");
        }
        return { number, false };
    }

    std::unique_ptr<engine> start(bool at_once = true)
    {
        fake_options options;
        options.at_once = at_once;
        options.log = [shop = d_shop](log_level, const std::string& text) {
            const std::lock_guard<std::mutex> guard(shop->mutex);
            shop->messages.push_back(text);
        };
        return std::make_unique<engine>(
            [shop = d_shop](const fake_options& its) { return make(*shop, its); },
            options);
    }

    void await_finished(int count) const
    {
        await([&] { return d_shop->finished == count; });
    }

public:
    void a_final_engine_stays()
    {
        const auto one = start(false);
        one->resume_planning();
        CPPUNIT_ASSERT_EQUAL(1, (*one)->number());
        CPPUNIT_ASSERT(!one->waits() && !one->renew());
        CPPUNIT_ASSERT_EQUAL(1, d_shop->made.load());
    }

    void a_provisional_engine_is_replaced_once()
    {
        const auto one = start();
        CPPUNIT_ASSERT(!one->renew());
        one->resume_planning();
        await([&] { return one->waits(); });
        one->resume_planning(); // there is nothing left to plan
        CPPUNIT_ASSERT_EQUAL(1, (*one)->number());
        CPPUNIT_ASSERT(one->renew());
        CPPUNIT_ASSERT_EQUAL(2, (*one)->number());
        CPPUNIT_ASSERT(!(*one)->chosen().provisional);
        one->resume_planning();
        CPPUNIT_ASSERT(!one->renew());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), one->renewals());
        CPPUNIT_ASSERT_EQUAL(2, d_shop->made.load());
    }

    void nothing_is_planned_before_it_is_asked_for()
    {
        const auto idle = start();
        const auto busy = start();
        busy->resume_planning();
        await([&] { return busy->waits(); });
        CPPUNIT_ASSERT(!idle->waits());
        CPPUNIT_ASSERT_EQUAL(3, d_shop->made.load());
    }

    void a_pause_stops_the_planning()
    {
        d_shop->hold = true;
        const auto one = start();
        one->resume_planning();
        await([&] { return d_shop->made == 2; });
        one->pause_planning();
        await_finished(1);
        CPPUNIT_ASSERT_EQUAL(1, d_shop->stopped.load());
        CPPUNIT_ASSERT(!one->waits());
        d_shop->hold = false;
        one->resume_planning();
        await([&] { return one->waits(); });
        CPPUNIT_ASSERT(one->renew());
        CPPUNIT_ASSERT_EQUAL(3, (*one)->number());
    }

    void a_pause_drops_what_does_not_stop()
    {
        d_shop->hold = d_shop->is_deaf = true;
        const auto one = start();
        one->resume_planning();
        await([&] { return d_shop->made == 2; });
        one->pause_planning();
        d_shop->hold = false;
        await_finished(1);
        // Another owner is served after the first one's engine was dropped.
        const auto next = start();
        next->resume_planning();
        await([&] { return next->waits(); });
        CPPUNIT_ASSERT(!one->waits());
        one->resume_planning();
        await([&] { return one->waits(); });
    }

    void many_pauses()
    {
        const int rounds = small_tests() ? 100 : 2000;
        const auto one = start();
        for (int i = 0; i < rounds; i++) {
            one->resume_planning();
            if (i % 3 == 0)
                std::this_thread::yield();
            one->pause_planning();
        }
        one->resume_planning();
        await([&] { return one->waits(); });
        CPPUNIT_ASSERT(one->renew());
    }

    void the_owner_may_go_while_it_plans()
    {
        for (const bool is_deaf : { false, true }) {
            d_shop = std::make_shared<workshop>();
            d_shop->hold = true;
            d_shop->is_deaf = is_deaf;
            auto one = start();
            one->resume_planning();
            await([&] { return d_shop->made == 2; });
            one.reset(); // does not wait
            CPPUNIT_ASSERT(!is_deaf || d_shop->finished == 0);
            d_shop->hold = false;
            await_finished(1);
        }
        // One whose turn has not come yet.
        d_shop = std::make_shared<workshop>();
        d_shop->hold = true;
        const auto first = start();
        first->resume_planning();
        await([&] { return d_shop->made == 2; });
        auto queued = start();
        queued->resume_planning();
        queued.reset();
        d_shop->hold = false;
        await([&] { return first->waits(); });
        const auto last = start();
        last->resume_planning();
        await([&] { return last->waits(); });
        CPPUNIT_ASSERT_EQUAL(5, d_shop->made.load()); // three at once, and two later
    }

    void a_failure_is_told_once()
    {
        d_shop->failures = 1;
        const auto one = start();
        one->resume_planning();
        await([&] {
            const std::lock_guard<std::mutex> guard(d_shop->mutex);
            return !d_shop->messages.empty();
        });
        for (int i = 0; i < 3; i++) {
            one->pause_planning();
            one->resume_planning();
        }
        const auto next = start();
        next->resume_planning();
        await([&] { return next->waits(); });
        CPPUNIT_ASSERT(!one->waits());
        CPPUNIT_ASSERT_EQUAL(1, (*one)->number());
        const std::lock_guard<std::mutex> guard(d_shop->mutex);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_shop->messages.size());
        CPPUNIT_ASSERT(d_shop->messages[0].find("'toaster'") != std::string::npos);
    }

    void an_engine_chosen_again_is_not_replaced()
    {
        d_shop->hold = d_shop->is_deaf = true;
        const auto one = start();
        one->resume_planning();
        await([&] { return d_shop->made == 2; });
        // The engine that is chosen again has its turn while the other one is made.
        std::thread again([&] { one->choose_again(); });
        await([&] { return d_shop->made == 3; });
        d_shop->hold = false;
        again.join();
        await_finished(2);
        const auto next = start();
        next->resume_planning();
        await([&] { return next->waits(); });
        CPPUNIT_ASSERT(one->renew());
        CPPUNIT_ASSERT_EQUAL(3, (*one)->number());
        CPPUNIT_ASSERT(!one->waits());
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_planned_engine, "qa_planned_engine");

} // namespace
