/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "qa_process.h"
#include "qa_support.h"

#include <cldsp/context.h>
#include <cldsp/errors.h>
#include <cldsp/wait_strategy.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace cldsp;

class qa_context : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_context);
    CPPUNIT_TEST(host_is_refused);
    CPPUNIT_TEST(unknown_profile_is_refused);
    CPPUNIT_TEST(missing_device_is_refused);
    CPPUNIT_TEST(limits_are_lowered);
    CPPUNIT_TEST(kernel_runs_and_is_timed);
    CPPUNIT_TEST(edited_kernel_is_built_anew);
    CPPUNIT_TEST(build_error_has_the_log);
    CPPUNIT_TEST(unknown_kernel_is_refused);
    CPPUNIT_TEST(injected_failure_hits_one_call);
    CPPUNIT_TEST(injected_failure_can_be_called_off);
    CPPUNIT_TEST(injected_build_failure);
    CPPUNIT_TEST(waiting_takes_no_processor_time);
    CPPUNIT_TEST(waiting_for_a_user_event);
    CPPUNIT_TEST(waiting_for_a_complete_event);
    CPPUNIT_TEST(failed_command_is_an_error);
    CPPUNIT_TEST(many_short_waits_of_many_threads);
    CPPUNIT_TEST_SUITE_END();

    temporary_folder d_folder;
    std::unique_ptr<context_registry> d_registry;
    std::shared_ptr<context> d_context;

    static constexpr auto toy = "__kernel void toy(__global int* x, int add)\n"
                                "{ x[get_global_id(0)] += add; }\n";

public:
    void setUp() override
    {
        d_folder.write("toy.cl", toy);
        auto options = make_test_registry().options();
        options.kernel_path = d_folder.path();
        options.disk_cache = false;
        d_registry = std::make_unique<context_registry>(options);
        d_context = d_registry->get(test_device());
    }

private:
    // Adds to a few numbers and returns the kernel's event.
    cl::Event enqueue(const cl::CommandQueue& queue,
                      const cl::Buffer& numbers,
                      const std::vector<cl::Event>* after = nullptr)
    {
        cl::Kernel kernel(d_context->build("toy", ""), "toy");
        kernel.setArg(0, numbers);
        kernel.setArg(1, 3);
        cl::Event event;
        queue.enqueueNDRangeKernel(
            kernel, cl::NullRange, cl::NDRange(4), cl::NDRange(1), after, &event);
        return event;
    }

    cl::Buffer numbers(std::vector<int> values)
    {
        return cl::Buffer(d_context->cl_context(),
                          CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          values.size() * sizeof(int),
                          values.data());
    }

    // Every way of waiting, but NVIDIA's own alone there: a callback's thread would spin.
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

    // In seconds; of all threads by default.
    static double processor_time(clockid_t clock = CLOCK_PROCESS_CPUTIME_ID)
    {
        timespec time;
        clock_gettime(clock, &time);
        return static_cast<double>(time.tv_sec) +
               1e-9 * static_cast<double>(time.tv_nsec);
    }

    void host_is_refused()
    {
        CPPUNIT_ASSERT_THROW(context(device_info(), {}), std::invalid_argument);
    }

    void unknown_profile_is_refused()
    {
        auto options = test_options();
        options.profile = "huge";
        CPPUNIT_ASSERT_THROW(context(test_device(), options), std::invalid_argument);
    }

    void missing_device_is_refused()
    {
        auto device = test_device();
        device.index = 99;
        CPPUNIT_ASSERT_THROW(context(device, {}), opencl_error);
        device.platform = 99;
        CPPUNIT_ASSERT_THROW(context(device, {}), opencl_error);
    }

    void limits_are_lowered()
    {
        auto options = test_options();
        options.profile = "cl12-min";
        CPPUNIT_ASSERT_EQUAL(
            std::size_t(1), context(test_device(), options).limits().max_work_group_size);
        const auto expected = test_device().limits.lowered(test_options().profile);
        CPPUNIT_ASSERT_EQUAL(expected.max_buffer, d_context->limits().max_buffer);
    }

    void kernel_runs_and_is_timed()
    {
        const auto queue = d_context->make_queue();
        const auto buffer = numbers({ 1, 2, 3, 4 });
        const auto event = enqueue(queue, buffer);
        d_context->wait(event);
        std::vector<int> values(4);
        queue.enqueueReadBuffer(buffer, CL_TRUE, 0, 16, values.data());
        CPPUNIT_ASSERT((values == std::vector<int>{ 4, 5, 6, 7 }));
        CPPUNIT_ASSERT(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() >=
                       event.getProfilingInfo<CL_PROFILING_COMMAND_START>());
    }

    void edited_kernel_is_built_anew()
    {
        d_context->build("toy", "");
        d_context->build("toy", "");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_context->programs_compiled());
        d_context->build("toy", "-DA=1");
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), d_context->programs_compiled());
        d_folder.write("toy.cl", std::string(toy) + "// edited\n");
        d_context->build("toy", "");
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), d_context->programs_compiled());
    }

    void build_error_has_the_log()
    {
        d_folder.write("broken.cl", "__kernel void broken() { undeclared_name = 1; }\n");
        try {
            d_context->build("broken", "-DOPTION=1");
            CPPUNIT_FAIL("it was built");
        } catch (const opencl_error& e) {
            const std::string what = e.what();
            CPPUNIT_ASSERT_EQUAL(CL_BUILD_PROGRAM_FAILURE, e.code());
            CPPUNIT_ASSERT_EQUAL(std::string("clBuildProgram"), e.call());
            CPPUNIT_ASSERT(what.find("undeclared_name") != std::string::npos);
            CPPUNIT_ASSERT(what.find("-DOPTION=1") != std::string::npos);
            CPPUNIT_ASSERT(what.find(d_context->name()) != std::string::npos);
        }
    }

    void unknown_kernel_is_refused()
    {
        CPPUNIT_ASSERT_THROW(d_context->build("none", ""), std::invalid_argument);
    }

    void injected_failure_hits_one_call()
    {
        d_context->inject_failure(injected_call::enqueue, 2);
        d_context->check_injected(injected_call::enqueue);
        d_context->check_injected(injected_call::allocate);
        d_context->check_injected(injected_call::enqueue);
        try {
            d_context->check_injected(injected_call::enqueue);
            CPPUNIT_FAIL("the third call did not fail");
        } catch (const opencl_error& e) {
            CPPUNIT_ASSERT_EQUAL(CL_OUT_OF_RESOURCES, e.code());
            CPPUNIT_ASSERT(std::string(e.what()).find(d_context->name()) !=
                           std::string::npos);
        }
        d_context->check_injected(injected_call::enqueue);
    }

    void injected_failure_can_be_called_off()
    {
        d_context->inject_failure(injected_call::allocate);
        d_context->inject_failure(injected_call::none);
        d_context->check_injected(injected_call::allocate);
        d_context->inject_failure(injected_call::allocate);
        CPPUNIT_ASSERT_THROW(d_context->check_injected(injected_call::allocate),
                             opencl_error);
    }

    void injected_build_failure()
    {
        d_context->inject_failure(injected_call::build);
        CPPUNIT_ASSERT_THROW(d_context->build("toy", ""), opencl_error);
        d_context->build("toy", "");
    }

    // The processor time, by one of the system's clocks, while a user event holds a queue
    // for 50 ms, and this thread waits for the held command, or sleeps without a strategy.
    double time_of_held_queue(const wait_strategy* strategy, clockid_t clock)
    {
        const auto queue = d_context->make_queue();
        const auto buffer = numbers({ 1, 2, 3, 4 });
        cl::UserEvent gate(d_context->cl_context());
        const std::vector<cl::Event> after{ gate };
        const auto event = enqueue(queue, buffer, &after);
        queue.flush();
        const double before = processor_time(clock);
        std::thread opener([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            gate.setStatus(CL_COMPLETE);
        });
        const int status = strategy ? strategy->wait(event) : CL_COMPLETE;
        opener.join();
        const double used = processor_time(clock) - before;
        CPPUNIT_ASSERT_EQUAL(CL_COMPLETE, status);
        d_context->wait(event);
        return used;
    }

    void waiting_takes_no_processor_time()
    {
        time_of_held_queue(nullptr, CLOCK_PROCESS_CPUTIME_ID); // compiles
        // Some drivers spin in a thread of their own as long as a user event is open, waited
        // for or not, and more or less from one time to the next. Then this thread counts.
        const bool driver_spins =
            time_of_held_queue(nullptr, CLOCK_PROCESS_CPUTIME_ID) > 2e-3;
        for (const auto& strategy : strategies()) {
            const double used = time_of_held_queue(
                &strategy, driver_spins ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID);
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

CPPUNIT_TEST_SUITE_REGISTRATION(qa_context);
