// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that an owner that closes its gate waits for who is inside, and for nobody else.

#include "base/engine_threads.h"
#include "base/owner_gate.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace cldsp;

namespace {

class qa_owner_gate : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_owner_gate);
    CPPUNIT_TEST(a_closed_gate_lets_nobody_pass);
    CPPUNIT_TEST(closing_waits_for_who_is_inside);
    CPPUNIT_TEST(who_is_inside_may_pass_again);
    CPPUNIT_TEST(an_action_may_end_its_owner);
    CPPUNIT_TEST(an_action_that_throws_has_left);
    CPPUNIT_TEST(an_idle_thread_passes_at_normal_priority);
    CPPUNIT_TEST(nothing_of_the_owner_is_used_afterwards);
    CPPUNIT_TEST_SUITE_END();

    owner_gate d_gate;

    static void nothing() {}

    void a_closed_gate_lets_nobody_pass()
    {
        CPPUNIT_ASSERT(!d_gate.is_closed());
        CPPUNIT_ASSERT(d_gate.pass(nothing));
        d_gate.close();
        d_gate.close();
        CPPUNIT_ASSERT(d_gate.is_closed());
        bool called = false;
        CPPUNIT_ASSERT(!d_gate.pass([&] { called = true; }));
        CPPUNIT_ASSERT(!called);
    }

    void closing_waits_for_who_is_inside()
    {
        std::promise<void> inside, leave;
        std::thread visitor([&] {
            d_gate.pass([&] {
                inside.set_value();
                leave.get_future().wait();
            });
        });
        inside.get_future().wait();
        auto closed = std::async(std::launch::async, [&] { d_gate.close(); });
        while (!d_gate.is_closed())
            std::this_thread::yield();
        const auto early = closed.wait_for(std::chrono::milliseconds(20));
        leave.set_value();
        closed.wait();
        visitor.join();
        CPPUNIT_ASSERT(early == std::future_status::timeout);
    }

    void who_is_inside_may_pass_again()
    {
        bool again = false, other = true;
        std::future<void> kept;
        d_gate.pass([&] {
            auto closed = std::async(std::launch::async, [&] { d_gate.close(); });
            while (!d_gate.is_closed())
                std::this_thread::yield();
            again = d_gate.pass(nothing);
            std::thread([&] { other = d_gate.pass(nothing); }).join();
            // Its end waits for close(), which waits for this action.
            kept = std::move(closed);
        });
        kept.wait();
        CPPUNIT_ASSERT(again);
        CPPUNIT_ASSERT(!other);
    }

    void an_action_may_end_its_owner()
    {
        CPPUNIT_ASSERT(d_gate.pass([&] { d_gate.close(); }));
        CPPUNIT_ASSERT(!d_gate.pass(nothing));
    }

    void an_action_that_throws_has_left()
    {
        CPPUNIT_ASSERT_THROW(d_gate.pass([] { throw std::runtime_error("no"); }),
                             std::runtime_error);
        d_gate.close();
    }

    void an_idle_thread_passes_at_normal_priority()
    {
        bool idle = true;
        run_idle([&] { d_gate.pass([&] { idle = is_idle_thread(); }); });
        CPPUNIT_ASSERT(!idle);
    }

    void nothing_of_the_owner_is_used_afterwards()
    {
        for (int round = 0; round < 50; round++) {
            const auto gate = std::make_shared<owner_gate>();
            std::atomic<bool> is_there{ true }, is_used_too_late{ false };
            std::vector<std::thread> visitors;
            for (int i = 0; i < 3; i++)
                visitors.emplace_back([&, gate] {
                    while (gate->pass([&] {
                        if (!is_there)
                            is_used_too_late = true;
                    })) {
                    }
                });
            gate->close();
            is_there = false;
            for (auto& visitor : visitors)
                visitor.join();
            CPPUNIT_ASSERT(!is_used_too_late);
        }
    }
};

} // namespace

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_owner_gate, "qa_owner_gate");
