// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the measured peak rates, without any bound on a speed.

#include "tests/support/qa_support.h"
#include "roofline/roofline_simd.h"

#include <cldsp/roofline.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

// The bounds are so wide that every machine meets them; no test asserts a speed.
class qa_roofline : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_roofline);
    CPPUNIT_TEST(host);
    CPPUNIT_TEST(opencl);
    CPPUNIT_TEST(fp32_alone);
    CPPUNIT_TEST(every_instruction_set);
    CPPUNIT_TEST(answers_are_remembered);
    CPPUNIT_TEST(progress_is_told_and_may_end_it);
    CPPUNIT_TEST(a_refused_step_leaves_the_others);
    CPPUNIT_TEST(json_there_and_back);
    CPPUNIT_TEST(attainable);
    CPPUNIT_TEST(bad_options);
    CPPUNIT_TEST_SUITE_END();

    static roofline_options quick()
    {
        roofline_options options;
        options.seconds = 0.01;
        return options;
    }

    static bool plausible(double value) { return value > 1e4 && value < 1e18; }

    static void check_common(const roofline& r)
    {
        for (const double rate : { r.fp32,
                                   r.int32,
                                   r.popcount,
                                   r.global_read,
                                   r.global_write,
                                   r.global_copy,
                                   r.local })
            CPPUNIT_ASSERT(plausible(rate));
        CPPUNIT_ASSERT(r.launch_latency > 0 && r.launch_latency < 60);
        CPPUNIT_ASSERT(r.launch_interval > 0 && r.launch_interval < 60);
    }

    void host()
    {
        auto registry = make_test_registry();
        for (const unsigned threads : { 1u, 3u }) {
            auto options = quick();
            options.threads = threads;
            const auto r = measure_roofline(device_info(), registry, options);
            check_common(r);
            CPPUNIT_ASSERT_EQUAL(threads, r.threads);
            CPPUNIT_ASSERT_EQUAL(0.0, r.host_to_device);
        }
    }

    void opencl()
    {
        auto registry = make_test_registry();
        for (const auto& device : test_devices()) {
            const auto r = measure_roofline(device, registry, quick());
            check_common(r);
            CPPUNIT_ASSERT_EQUAL(device.name, r.device);
            CPPUNIT_ASSERT_EQUAL(0u, r.threads);
            const bool half = registry.get(device)->limits().fp16;
            CPPUNIT_ASSERT(half ? plausible(r.fp16) : r.fp16 == 0);
            for (const double rate : { r.host_to_device,
                                       r.device_to_host,
                                       r.host_to_device_mapped,
                                       r.device_to_host_mapped })
                CPPUNIT_ASSERT(plausible(rate));
        }
    }

    void fp32_alone()
    {
        auto registry = make_test_registry();
        CPPUNIT_ASSERT(plausible(measure_fp32_peak(device_info(), registry, quick())));
        CPPUNIT_ASSERT(plausible(measure_fp32_peak(test_device(), registry, quick())));
    }

    void every_instruction_set()
    {
        const std::vector<std::uint32_t> ones(1024, 1);
        for (const auto* kernels : available_roofline_kernels()) {
            // x = 0.999 x + 0.001 converges to 1 in every chain and lane.
            const float one_chain_less = kernels->multiply_add(20000);
            CPPUNIT_ASSERT(one_chain_less > 11.9f && one_chain_less < 16.1f);
            CPPUNIT_ASSERT_DOUBLES_EQUAL(
                std::round(one_chain_less), one_chain_less, 0.01);
            CPPUNIT_ASSERT(kernels->integer(1) != kernels->integer(2));
            CPPUNIT_ASSERT(kernels->count_bits(1) != kernels->count_bits(2));
            if (kernels->has_bit_vectors())
                CPPUNIT_ASSERT(kernels->count_bits_in_vectors(1) !=
                               kernels->count_bits_in_vectors(2));
            // The sum of one lane over all vectors.
            const std::uint32_t sum =
                kernels->read(ones.data(), ones.size() * sizeof(std::uint32_t));
            CPPUNIT_ASSERT(sum >= 1024 / 16 && sum <= 1024 / 4);
            CPPUNIT_ASSERT(kernels->operations > 0 && kernels->words > 0);
        }
    }

    void answers_are_remembered()
    {
        auto registry = make_test_registry();
        const auto first = measure_roofline(device_info(), registry, quick());
        bool measured = false;
        auto options = quick();
        options.progress = [&](std::size_t, std::size_t, const std::string&) {
            measured = true;
        };
        const auto second = measure_roofline(device_info(), registry, options);
        CPPUNIT_ASSERT(!measured);
        CPPUNIT_ASSERT_EQUAL(first.to_json(), second.to_json());
        options.again = true;
        measure_roofline(device_info(), registry, options);
        CPPUNIT_ASSERT(measured);
        // A different number of threads has a different key.
        measured = false;
        options.again = false;
        options.threads = first.threads + 1;
        measure_roofline(device_info(), registry, options);
        CPPUNIT_ASSERT(measured);
    }

    void progress_is_told_and_may_end_it()
    {
        auto registry = make_test_registry();
        for (const auto& device : { device_info(), test_device() }) {
            std::size_t steps = 0, total = 0;
            auto options = quick();
            options.progress =
                [&](std::size_t done, std::size_t of, const std::string& what) {
                    CPPUNIT_ASSERT_EQUAL(steps, done);
                    CPPUNIT_ASSERT(!what.empty());
                    total = of;
                    steps++;
                };
            measure_roofline(device, registry, options);
            CPPUNIT_ASSERT_EQUAL(total, steps);

            options.again = true;
            options.progress = [](std::size_t done, std::size_t, const std::string&) {
                if (done == 1)
                    throw std::runtime_error("enough");
            };
            CPPUNIT_ASSERT_THROW(measure_roofline(device, registry, options),
                                 std::runtime_error);
        }
    }

    void a_refused_step_leaves_the_others()
    {
        std::string told;
        auto options = test_options();
        options.log = [&](log_level, const std::string& text) { told += text; };
        context_registry registry(options);
        const auto device = test_device();
        for (const auto call :
             { injected_call::enqueue, injected_call::allocate, injected_call::build }) {
            told.clear();
            registry.get(device)->inject_failure(call);
            auto again = quick();
            again.again = true;
            const auto r = measure_roofline(device, registry, again);
            CPPUNIT_ASSERT_EQUAL(0.0, r.fp32);
            CPPUNIT_ASSERT(plausible(r.int32) && plausible(r.global_read));
            CPPUNIT_ASSERT(told.find("fp32 is not measured") != std::string::npos);
        }
    }

    void json_there_and_back()
    {
        roofline r;
        r.device = "a device";
        r.threads = 7;
        double value = 1;
        for (const auto& figure : roofline_figures())
            r.*figure.value = value *= 1.5;
        const auto back = roofline::from_json(r.to_json());
        CPPUNIT_ASSERT_EQUAL(r.device, back.device);
        CPPUNIT_ASSERT_EQUAL(r.threads, back.threads);
        for (const auto& figure : roofline_figures())
            CPPUNIT_ASSERT_EQUAL(r.*figure.value, back.*figure.value);
        for (const std::string text : { "", "text", "[]", "{}", "{\"fp16\":1}" })
            CPPUNIT_ASSERT_THROW(roofline::from_json(text), std::invalid_argument);
        const auto odd = roofline::from_json(
            "{\"fp32\":-1,\"local\":\"text\",\"threads\":-3,\"device\":4}");
        CPPUNIT_ASSERT_EQUAL(0.0, odd.fp32);
        CPPUNIT_ASSERT_EQUAL(0.0, odd.local);
    }

    void attainable()
    {
        roofline r;
        r.fp32 = 100;
        CPPUNIT_ASSERT_EQUAL(100.0, r.attainable(0.1, 1e6)); // the bandwidth is not known
        r.global_read = 10;
        r.global_copy = 8;
        r.local = 50;
        CPPUNIT_ASSERT_EQUAL(5.0, r.attainable(0.5, 1e6));
        CPPUNIT_ASSERT_EQUAL(100.0, r.attainable(20, 1e6));
        r.cache = 1e6;
        CPPUNIT_ASSERT_EQUAL(25.0, r.attainable(0.5, 1e6));
        CPPUNIT_ASSERT_EQUAL(5.0, r.attainable(0.5, 2e6));
    }

    void bad_options()
    {
        auto registry = make_test_registry();
        for (const double seconds : { 0.0, -1.0, 1e9, double(NAN) }) {
            roofline_options options;
            options.seconds = seconds;
            CPPUNIT_ASSERT_THROW(measure_roofline(device_info(), registry, options),
                                 std::invalid_argument);
            CPPUNIT_ASSERT_THROW(measure_fp32_peak(device_info(), registry, options),
                                 std::invalid_argument);
        }
        auto options = quick();
        options.threads = 5000;
        CPPUNIT_ASSERT_THROW(measure_roofline(device_info(), registry, options),
                             std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_roofline, "qa_roofline");
