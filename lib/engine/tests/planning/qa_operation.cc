// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of what all operations have in common, with one that only counts its calls.

#include "planning/operation.h"
#include "storage/host_identity.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_refused.h"
#include "tests/support/qa_support.h"

#include <cldsp/errors.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! Fails after some calls.
class counting_executor final : public operation_executor
{
public:
    counting_executor(executor_names names, int good_calls)
        : operation_executor(std::move(names)), d_left(good_calls)
    {
    }
    void run()
    {
        if (d_left-- <= 0)
            throw opencl_error("clFinish", -5, device_name());
        d_sums.add_call(3);
    }

private:
    int d_left;
};

class counting_trial
{
public:
    void lend_to(counting_executor&) const {}
    void take_from(counting_executor&) const {}
    void spoil() const {}
    void run(counting_executor& executor) const { executor.run(); }
    output_error error(const counting_executor&) const { return {}; }
    void keep() const noexcept {}
    bool is_kept() const noexcept { return false; }
};

class counting_variant;

struct counting_problem : operation_problem {
    using executor = counting_executor;
    using variant = counting_variant;
    using trial = counting_trial;
    static constexpr const char* algorithm = "counting";
    static const variant_table<counting_problem>& variants();

    std::string what_variants_take() const { return is_odd ? " for odd ones" : ""; }
    bool is_small() const { return true; }
    operation_work work() const { return { 1e6, 1e3, 2 }; }
    std::string unit() const { return "Gop/s"; }
    std::string key() const { return "counting"; }
    std::shared_ptr<const counting_trial> make_trial(trial_call) const
    {
        return std::make_shared<const counting_trial>();
    }
    std::string rate_name() const { return "counting"; }
    counting_problem of_calibration() const { return *this; }

    bool is_odd = false;
};

//! A variant that takes no odd problems unless it is the host's first one.
class counting_variant final : public operation_variant<counting_problem>
{
public:
    counting_variant(const std::string& its_name, bool is_of_host, int good_calls)
        : operation_variant(its_name, is_of_host, is_of_host ? suits_any : suits_none),
          d_good_calls(good_calls)
    {
    }
    bool takes(const counting_problem& problem) const override
    {
        return !problem.is_odd || name == "simd";
    }
    std::unique_ptr<counting_executor> make(const counting_problem&,
                                            const operation_place&) const override
    {
        return std::make_unique<counting_executor>(
            executor_names{ host && name == "simd" ? "host" : "a device", name, "none" },
            d_good_calls);
    }

private:
    int d_good_calls;
};

const variant_table<counting_problem>& counting_problem::variants()
{
    static const counting_variant simd("simd", true, 1 << 30),
        failing("failing", true, 2), other("other", false, 1);
    static const variant_table<counting_problem> all{ &simd, &failing, &other };
    return all;
}

class qa_operation : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_operation);
    CPPUNIT_TEST(names_and_statistics);
    CPPUNIT_TEST(the_host_repeats_a_call_that_fails);
    CPPUNIT_TEST(refused_variants);
    CPPUNIT_TEST(predictions);
    CPPUNIT_TEST(rates_are_remembered);
    CPPUNIT_TEST_SUITE_END();

    using counting = operation<counting_problem>;

    counting make(const std::string& variant, bool is_odd = false)
    {
        counting_problem problem;
        problem.is_odd = is_odd;
        return counting(problem, { "auto", variant, {}, d_log }, d_registry);
    }

public:
    void names_and_statistics()
    {
        auto engine = make("auto", true);
        CPPUNIT_ASSERT_EQUAL(std::string("host"), engine.device_name());
        CPPUNIT_ASSERT_EQUAL(std::string("simd"), engine.variant_name());
        CPPUNIT_ASSERT_EQUAL(std::string("none"), engine.transfer_name());
        CPPUNIT_ASSERT(engine.on_host() && !engine.may_use_devices());
        engine.run([](counting_executor& executor) { executor.run(); });
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), engine.statistics().calls);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(3), engine.statistics().outputs);
        CPPUNIT_ASSERT(engine.plan().predicted > 0 && !engine.fell_back());
    }

    void the_host_repeats_a_call_that_fails()
    {
        auto engine = make("failing");
        int attempts = 0;
        for (int call = 0; call < 4; call++)
            engine.run([&](counting_executor& executor) {
                attempts++;
                executor.run();
            });
        CPPUNIT_ASSERT_EQUAL(5, attempts);
        CPPUNIT_ASSERT(engine.fell_back());
        CPPUNIT_ASSERT_EQUAL(std::string("simd"), engine.variant_name());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(2), engine.statistics().calls);
        assert_names(engine.plan().text(),
                     { "counting/simd on host instead: device 'a device' failed" });
    }

    void refused_variants()
    {
        assert_refused({ "variant", "'espresso'", "one of auto, simd, failing, other" },
                       [&] { make("espresso"); });
        assert_refused({ "variant", "'other'", "one of auto, simd for odd ones" },
                       [&] { make("other", true); });
    }

    void predictions()
    {
        const operation_work work{ 1e6, 1e6, 2 }, more{ 2e6, 1e6, 2 };
        CPPUNIT_ASSERT(host_seconds(work, 1e9) < host_seconds(more, 1e9));
        CPPUNIT_ASSERT(host_seconds(work, 1e9) > host_seconds(work, 1e10));
        operation_place place;
        place.device.kind = device_kind::gpu;
        place.device.limits.compute_units = 4;
        const auto seconds = [&](const operation_work& its, double per_flop) {
            return device_seconds(its, place, per_flop);
        };
        CPPUNIT_ASSERT(seconds(work, 1) < seconds(more, 1));
        CPPUNIT_ASSERT(seconds(work, 8) < seconds(work, 1));
        const double copied = seconds(work, 1);
        place.transfer = "zero_copy";
        CPPUNIT_ASSERT(seconds(work, 1) < copied);
    }

    void rates_are_remembered()
    {
        const temporary_folder folder;
        context_options options;
        options.cache_folder = folder.path();
        int measured = 0;
        const auto rate = [&](context_registry& registry) {
            return calibrated_host_rate(registry, "qa_operation", true, [&] {
                measured++;
                return 3e9;
            });
        };
        const auto key = host_identity() + ", qa_operation";
        context_registry first(options);
        CPPUNIT_ASSERT_EQUAL(3e9, rate(first));
        context_registry later(options);
        CPPUNIT_ASSERT(!later.wisdom().find("calibration", key).empty());
        later.wisdom().store("calibration", key, "{\"rate\": 4e9}");
        CPPUNIT_ASSERT_EQUAL(4e9, rate(later));
        for (const char* text : { "nonsense",
                                  "{}",
                                  "{\"rate\": \"3\"}",
                                  "{\"rate\": -1}",
                                  "{\"rate\": 1e300}" }) {
            later.wisdom().store("calibration", key, text);
            CPPUNIT_ASSERT_EQUAL(3e9, rate(later));
            CPPUNIT_ASSERT(later.wisdom().find("calibration", key) != text);
        }
        CPPUNIT_ASSERT_EQUAL(1, measured); // by this process
    }

private:
    context_registry d_registry{ test_options() };
    logger d_log;
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_operation, "qa_operation");

} // namespace
