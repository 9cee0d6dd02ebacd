// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows what the host's clock tells of commands whose queues tell no times.

#include "opencl/commands.h"
#include "opencl/queue_window.h"
#include "tests/support/qa_limits.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <chrono>
#include <memory>
#include <vector>

using namespace cldsp;

namespace {

//! A queue of a device without times of its own, and numbers to compute with.
class untimed_queue
{
public:
    untimed_queue()
        : d_device(std::make_shared<context>(test_device(), profile_options("rusticl"))),
          d_queue(d_device->make_queue()),
          d_numbers(64, 5),
          d_memory(d_device->cl_context(),
                   CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                   d_numbers.size() * sizeof(int),
                   d_numbers.data()),
          d_kernel(d_device->build_source("__kernel void add(__global int* x)\n"
                                          "{ x[get_global_id(0)] += 3; }\n",
                                          ""),
                   "add"),
          d_start(clock::now())
    {
        set_args(d_kernel, d_memory);
    }

    const context& device() const { return *d_device; }
    cl::Event kernel()
    {
        return enqueue_kernel(
            *d_device, d_queue, d_kernel, cl::NDRange(64), cl::NDRange(1));
    }
    cl::Event read()
    {
        auto slot = d_device->admit_command(d_queue);
        cl::Event done;
        d_queue.enqueueReadBuffer(d_memory,
                                  CL_FALSE,
                                  0,
                                  d_numbers.size() * sizeof(int),
                                  d_numbers.data(),
                                  nullptr,
                                  &done);
        slot.enqueued(done);
        return done;
    }
    void wait(const cl::Event& event) { d_device->wait(event); }
    void finish() { d_device->finish(d_queue); }
    double seconds(const cl::Event& event) const
    {
        return event_seconds(*d_device, event);
    }
    double seconds(const std::vector<cl::Event>& events) const
    {
        time_spans spans(*d_device);
        for (const auto& event : events)
            spans.add(event);
        return spans.seconds();
    }
    //! Since this object was made.
    double seconds() const
    {
        return std::chrono::duration<double>(clock::now() - d_start).count();
    }

private:
    using clock = std::chrono::steady_clock;

    std::shared_ptr<context> d_device;
    device_queue d_queue;
    std::vector<int> d_numbers;
    cl::Buffer d_memory;
    cl::Kernel d_kernel;
    clock::time_point d_start;
};

class qa_host_clock : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_host_clock);
    CPPUNIT_TEST(who_has_the_clock);
    CPPUNIT_TEST(kernels_take_the_time_of_their_round);
    CPPUNIT_TEST(copies_alone_are_timed_once);
    CPPUNIT_TEST(rounds_follow_one_another);
    CPPUNIT_TEST(a_command_that_nobody_has_waited_for);
    CPPUNIT_TEST(many_commands);
    CPPUNIT_TEST_SUITE_END();

public:
    void who_has_the_clock()
    {
        for (const char* profile : { "v3d", "rusticl" })
            CPPUNIT_ASSERT(
                !context(test_device(), profile_options(profile)).has_driver_clock());
        CPPUNIT_ASSERT_EQUAL(
            test_device().limits.profiling,
            context(test_device(), profile_options("vc4")).has_driver_clock());
    }

    //! The clock does not tell the copies behind a kernel from the kernel.
    void kernels_take_the_time_of_their_round()
    {
        untimed_queue queue;
        const auto first = queue.kernel(), second = queue.kernel(), copy = queue.read();
        queue.wait(copy);
        const double most = queue.seconds();
        CPPUNIT_ASSERT(queue.seconds(first) > 0);
        CPPUNIT_ASSERT(queue.seconds(second) > 0);
        CPPUNIT_ASSERT(queue.seconds(first) >= queue.seconds(second));
        CPPUNIT_ASSERT_EQUAL(0.0, queue.seconds(copy));
        CPPUNIT_ASSERT_EQUAL(queue.seconds(first),
                             queue.seconds({ first, second, copy }));
        CPPUNIT_ASSERT(queue.seconds(first) <= most);
    }

    void copies_alone_are_timed_once()
    {
        untimed_queue queue;
        const auto first = queue.read(), second = queue.read();
        queue.wait(second);
        CPPUNIT_ASSERT(queue.seconds(first) > 0);
        CPPUNIT_ASSERT_EQUAL(0.0, queue.seconds(second));
    }

    //! A command that was enqueued early begins where the one before it ends.
    void rounds_follow_one_another()
    {
        untimed_queue queue;
        const auto first = queue.kernel(), second = queue.kernel();
        queue.wait(first);
        queue.wait(second);
        const double most = queue.seconds();
        CPPUNIT_ASSERT(queue.seconds(first) > 0);
        CPPUNIT_ASSERT(queue.seconds(second) >= 0);
        // Each nanosecond counts once, but for rounding.
        CPPUNIT_ASSERT_DOUBLES_EQUAL(queue.seconds(first) + queue.seconds(second),
                                     queue.seconds({ first, second }),
                                     1e-12);
        CPPUNIT_ASSERT(queue.seconds({ first, second }) <= most);
    }

    void a_command_that_nobody_has_waited_for()
    {
        untimed_queue queue;
        const auto kernel = queue.kernel();
        queue.finish();
        const double known = queue.seconds(kernel);
        CPPUNIT_ASSERT(known > 0);
        CPPUNIT_ASSERT_EQUAL(known, queue.seconds(kernel));
    }

    //! Times are kept for more commands than a call has, and not for all of a stream.
    void many_commands()
    {
        untimed_queue queue;
        std::vector<cl::Event> held{ queue.kernel() }; // no handle is used twice
        queue.wait(held.front());
        CPPUNIT_ASSERT(queue.seconds(held.front()) > 0);
        constexpr std::size_t count = 4200; // twice as many as are kept
        while (held.size() < count)
            held.push_back(queue.read());
        held.push_back(queue.kernel());
        queue.finish();
        CPPUNIT_ASSERT_EQUAL(0.0, queue.seconds(held.front()));
        CPPUNIT_ASSERT(queue.seconds(held.back()) > 0);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_host_clock, "qa_host_clock");

} // namespace
