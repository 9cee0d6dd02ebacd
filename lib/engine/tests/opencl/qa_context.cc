// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of opening devices, building kernels, and making calls fail.

#include "opencl/commands.h"
#include "tests/support/qa_context_support.h"

#include <cldsp/errors.h>

#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

class qa_context : public context_fixture
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
    CPPUNIT_TEST_SUITE_END();

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
        cl::Kernel kernel(d_context->build("toy", ""), "toy");
        set_args(kernel, buffer, cl_int(3));
        const auto event =
            enqueue_kernel(*d_context, queue, kernel, cl::NDRange(4), cl::NDRange(1));
        d_context->wait(event);
        std::vector<int> values(4);
        queue.enqueueReadBuffer(buffer, CL_TRUE, 0, 16, values.data());
        CPPUNIT_ASSERT((values == std::vector<int>{ 4, 5, 6, 7 }));
        if (d_context->has_driver_clock())
            CPPUNIT_ASSERT(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() >=
                           event.getProfilingInfo<CL_PROFILING_COMMAND_START>());
        else
            CPPUNIT_ASSERT(event_seconds(*d_context, event) > 0);
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
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_context, "qa_context");
