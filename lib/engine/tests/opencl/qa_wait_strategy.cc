// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that waits for a device take no processor time.

#include "base/arithmetic.h"
#include "base/stopwatch.h"
#include "tests/support/qa_context_support.h"

#include <cldsp/errors.h>
#include <cldsp/wait_strategy.h>

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

using namespace cldsp;

class qa_wait_strategy : public context_fixture
{
    CPPUNIT_TEST_SUITE(qa_wait_strategy);
    CPPUNIT_TEST(waiting_takes_no_processor_time);
    CPPUNIT_TEST(waiting_for_a_user_event);
    CPPUNIT_TEST(waiting_for_a_complete_event);
    CPPUNIT_TEST(failed_command_is_an_error);
    CPPUNIT_TEST(many_short_waits_of_many_threads);
    CPPUNIT_TEST_SUITE_END();

    // All strategies; on NVIDIA only its own, because the thread of a callback would spin
    // there.
    std::vector<wait_strategy> strategies()
    {
        const wait_strategy own(d_context->device());
        auto nvidia = d_context->device();
        nvidia.is_pocl = false;
        nvidia.platform_name = "NVIDIA CUDA";
        if (d_context->device().platform_name == nvidia.platform_name)
            return { own };
        auto unknown = nvidia;
        unknown.platform_name = "unknown";
        return { own, wait_strategy(nvidia), wait_strategy(unknown) };
    }

    // The processor time, by one of the system's clocks, while a user event holds a queue
    // for 50 ms, and this thread waits for the held command, or sleeps without a
    // strategy.
    double time_of_held_queue(const wait_strategy* strategy, clockid_t clock)
    {
        const auto queue = d_context->make_queue();
        const auto buffer = numbers({ 1, 2, 3, 4 });
        cl::UserEvent gate(d_context->cl_context());
        const std::vector<cl::Event> after{ gate };
        const auto event = enqueue(queue, buffer, &after);
        queue.flush();
        const double before = processor_seconds(clock);
        std::thread opener([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            gate.setStatus(CL_COMPLETE);
        });
        const int status = strategy ? strategy->wait(event) : CL_COMPLETE;
        opener.join();
        const double used = processor_seconds(clock) - before;
        CPPUNIT_ASSERT_EQUAL(CL_COMPLETE, status);
        d_context->wait(event);
        return used;
    }

    void waiting_takes_no_processor_time()
    {
        // this call compiles the kernel
        time_of_held_queue(nullptr, CLOCK_PROCESS_CPUTIME_ID);
        // Some drivers have a thread that spins while a user event is open, even if
        // nobody waits for it, and for a varying time. With such a driver only the
        // processor time of this thread is measured.
        const bool driver_spins =
            time_of_held_queue(nullptr, CLOCK_PROCESS_CPUTIME_ID) > 2e-3;
        // Time that a virtual machine is denied counts as used, and so does what the
        // driver's threads happen to do. A thread that spins does so in each wait.
        constexpr int waits = 5;
        for (const auto& strategy : strategies()) {
            double used = infinity;
            for (int i = 0; i < waits && !(used < 5e-3); i++)
                used =
                    std::min(used,
                             time_of_held_queue(&strategy,
                                                driver_spins ? CLOCK_THREAD_CPUTIME_ID
                                                             : CLOCK_PROCESS_CPUTIME_ID));
            CPPUNIT_ASSERT_MESSAGE(std::to_string(1e3 * used) + " ms", used < 5e-3);
        }
    }

    void waiting_for_a_user_event()
    {
        for (const auto& strategy : strategies()) {
            cl::UserEvent event(d_context->cl_context());
            std::thread opener([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                event.setStatus(CL_COMPLETE);
            });
            const int status = strategy.wait(event);
            opener.join();
            CPPUNIT_ASSERT_EQUAL(CL_COMPLETE, status);
        }
    }

    void waiting_for_a_complete_event()
    {
        for (const auto& strategy : strategies()) {
            cl::UserEvent event(d_context->cl_context());
            event.setStatus(CL_COMPLETE);
            CPPUNIT_ASSERT_EQUAL(CL_COMPLETE, strategy.wait(event));
            CPPUNIT_ASSERT_THROW(strategy.wait(cl::Event()), opencl_error);
        }
    }

    void failed_command_is_an_error()
    {
        for (const auto& strategy : strategies()) {
            cl::UserEvent event(d_context->cl_context());
            event.setStatus(CL_OUT_OF_RESOURCES);
            CPPUNIT_ASSERT(strategy.wait(event) < 0);
            CPPUNIT_ASSERT_THROW(d_context->wait(event), opencl_error);
        }
    }

    void many_short_waits_of_many_threads()
    {
        const int waits = small_tests() ? 20 : 500;
        const auto buffer = numbers({ 1, 2, 3, 4 });
        const auto all = strategies();
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < 4; i++)
            threads.emplace_back([&, i] {
                const auto queue = d_context->make_queue();
                for (int k = 0; k < waits; k++) {
                    cl::Event event;
                    queue.enqueueMarkerWithWaitList(nullptr, &event);
                    all[i % all.size()].wait(event);
                }
            });
        for (auto& thread : threads)
            thread.join();
        d_context->wait(enqueue(d_context->make_queue(), buffer));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_wait_strategy, "qa_wait_strategy");
