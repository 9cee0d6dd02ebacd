// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the limits on commands in flight and on the time of a kernel.

#include "opencl/kernel_pace.h"
#include "opencl/queue_window.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/errors.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/reference.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace cldsp;

namespace {

//! Tests of the limits on commands in flight and on the time of a kernel.
class qa_queue_limits : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_queue_limits);
    CPPUNIT_TEST(pace_without_a_limit);
    CPPUNIT_TEST(pace_finds_the_size);
    CPPUNIT_TEST(pace_follows_a_slower_device);
    CPPUNIT_TEST(rest_of_a_call_does_not_slow_the_next);
    CPPUNIT_TEST(bad_times_are_refused);
    CPPUNIT_TEST(window_holds_back);
    CPPUNIT_TEST(commands_that_end_at_once_count);
    CPPUNIT_TEST(unused_slot_is_given_back);
    CPPUNIT_TEST(window_bounds_every_algorithm);
    CPPUNIT_TEST(kernels_are_split);
    CPPUNIT_TEST_SUITE_END();

    static context_options limited(std::size_t window, double longest)
    {
        auto options = test_options();
        options.queue_window = window;
        options.longest_kernel = longest;
        return options;
    }

    void pace_without_a_limit()
    {
        kernel_pace pace(0, 10);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1000000), pace.units(1000000));
        pace.ran(1000000, 5);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1000000), pace.units(1000000));
    }

    //! Simulates a device that computes \p rate units per second.
    static double settle(kernel_pace& pace, double rate, int kernels = 30)
    {
        double seconds = 0;
        for (int i = 0; i < kernels; i++) {
            const std::size_t units = pace.units(std::numeric_limits<std::size_t>::max());
            seconds = static_cast<double>(units) / rate;
            pace.ran(units, seconds);
        }
        return seconds;
    }

    void pace_finds_the_size()
    {
        kernel_pace pace(1e-3, 16);
        CPPUNIT_ASSERT_EQUAL(std::size_t(16), pace.units(1000));
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), pace.units(3));
        const double seconds = settle(pace, 1e9);
        CPPUNIT_ASSERT(seconds <= 1e-3 && seconds > 0.5e-3);
    }

    void pace_follows_a_slower_device()
    {
        kernel_pace pace(1e-3, 16);
        settle(pace, 1e9);
        CPPUNIT_ASSERT(settle(pace, 1e6) <= 1e-3);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), kernel_pace(1e-3, 0).units(7));
        settle(pace, 1); // one unit takes a second and cannot be divided
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), pace.units(7));
    }

    void rest_of_a_call_does_not_slow_the_next()
    {
        kernel_pace pace(1e-3, 16);
        settle(pace, 1e9);
        const std::size_t before = pace.units(1 << 30);
        pace.ran(5, 5e-9);
        CPPUNIT_ASSERT_EQUAL(before, pace.units(1 << 30));
    }

    void bad_times_are_refused()
    {
        for (const double longest : { -1.0, std::nan(""), HUGE_VAL }) {
            context_registry registry(limited(0, longest));
            CPPUNIT_ASSERT_THROW(registry.get(test_device()), std::invalid_argument);
        }
    }

    void window_holds_back()
    {
        context_registry registry(limited(1, 0));
        const auto device = registry.get(test_device());
        queue_window window(
            1, [&](const cl::Event& event) { device->wait(event); }, [] {});
        cl::UserEvent first(device->cl_context());
        window.admit();
        window.enqueued(first);

        std::atomic<bool> admitted{ false };
        std::thread second([&] {
            window.admit();
            admitted = true;
            window.give_back();
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const bool early = admitted;
        first.setStatus(CL_COMPLETE);
        second.join();
        CPPUNIT_ASSERT(!early);
        CPPUNIT_ASSERT(admitted);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), window.peak());
    }

    //! A command may have ended before the thread that enqueued it says so.
    void commands_that_end_at_once_count()
    {
        context_registry registry(limited(1, 0));
        const auto device = registry.get(test_device());
        queue_window window(
            1, [&](const cl::Event& event) { device->wait(event); }, [] {});
        for (int i = 0; i < 3; i++) {
            cl::UserEvent ended(device->cl_context());
            ended.setStatus(CL_COMPLETE);
            window.admit();
            window.enqueued(ended);
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), window.peak());
        }
    }

    void unused_slot_is_given_back()
    {
        context_registry registry(limited(1, 0));
        const auto device = registry.get(test_device());
        const auto queue = device->make_queue();
        for (int i = 0; i < 3; i++)
            const auto slot = device->admit_command(queue);
        device->inject_failure(injected_call::enqueue);
        CPPUNIT_ASSERT_THROW(device->admit_command(queue), opencl_error);
        const auto slot = device->admit_command(queue);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(4), device->commands());
    }

    //! The number of commands of a call, after an earlier call has shown how long the
    //! kernels run. Also checks the call's outputs.
    std::uint64_t commands_of(context_registry& registry,
                              const std::string& algorithm,
                              const std::string& transfer,
                              std::size_t outputs = small_tests() ? 1000 : 5000)
    {
        const auto problem = make_fir_problem(sample_type::fc32, 7, 33, true);
        const fir_case c(problem, outputs);
        one_thread_options options;
        options.device = test_device().id();
        options.algorithm = algorithm;
        options.transfer = transfer;
        freq_xlating_filter_bank filter(bank_of_one(problem), options, registry);
        const auto device = registry.get(test_device());
        c.run(filter);
        filter.reset();
        const auto before = device->commands();
        const double error = error_db(c.run(filter), c.expected());
        CPPUNIT_ASSERT_MESSAGE(algorithm + "/" + transfer + ": " + std::to_string(error),
                               error < -100);
        CPPUNIT_ASSERT(!filter.fell_back());
        return device->commands() - before;
    }

    std::vector<std::string> algorithms(context_registry& registry)
    {
        std::vector<std::string> result = { "direct" };
        try {
            commands_of(registry, "fast_convolution", "copy");
            result.push_back("fast_convolution");
        } catch (const std::invalid_argument&) {
            // The build has no VkFFT, or no block fits the lowered profile.
        }
        return result;
    }

    void window_bounds_every_algorithm()
    {
        for (const std::size_t most : { 1, 2 }) {
            context_registry registry(limited(most, 0));
            for (const auto& algorithm : algorithms(registry))
                for (const std::string transfer : { "copy", "mapped", "zero_copy" })
                    CPPUNIT_ASSERT(commands_of(registry, algorithm, transfer) > 0);
            const std::size_t peak = registry.get(test_device())->max_in_flight();
            CPPUNIT_ASSERT(peak >= 1 && peak <= most);
        }
    }

    void kernels_are_split()
    {
        // Whether the driver has the times of kernels, or the host's clock takes them.
        std::vector<std::string> profiles = { test_options().profile };
        if (test_device().limits.profiling)
            profiles.push_back("rusticl");
        for (const auto& profile : profiles) {
            auto free = limited(0, 0), bounded = limited(0, 1e-9);
            free.profile = bounded.profile = profile;
            context_registry free_registry(free), registry(bounded);
            for (const auto& algorithm : algorithms(registry)) {
                // Each output, or block of them, becomes a kernel that is waited for.
                const std::size_t few = algorithm == "direct" ? 100 : 1000;
                const auto whole = commands_of(free_registry, algorithm, "copy", few);
                const auto split = commands_of(registry, algorithm, "copy", few);
                CPPUNIT_ASSERT_MESSAGE(
                    profile + algorithm + ": " + std::to_string(split) +
                        " commands instead of " + std::to_string(whole),
                    split > 2 * whole);
            }
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_queue_limits, "qa_queue_limits");

} // namespace
