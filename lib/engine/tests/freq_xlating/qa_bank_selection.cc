// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of how a bank checks its arguments and chooses a plan.

#include "tests/support/qa_bank_fixture.h"
#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_refused.h"
#include "tests/support/qa_support.h"

#include <cldsp/freq_xlating_filter_bank.h>

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace cldsp;

namespace {

//! Tests of how a filter bank checks its arguments and chooses a plan.
class qa_bank_selection : public bank_fixture
{
    CPPUNIT_TEST_SUITE(qa_bank_selection);
    CPPUNIT_TEST(bad_problems_are_refused);
    CPPUNIT_TEST(bad_options_are_refused);
    CPPUNIT_TEST(refused_setters_change_nothing);
    CPPUNIT_TEST(forced_choices_are_kept);
    CPPUNIT_TEST(auto_measures_once_and_says_so);
    CPPUNIT_TEST(statistics_count);
    CPPUNIT_TEST(small_calls_give_nothing);
    CPPUNIT_TEST(moved_banks_go_on);
    CPPUNIT_TEST_SUITE_END();

public:
    void bad_problems_are_refused()
    {
        using problem_type = freq_xlating_filter_bank_problem;
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const std::vector<
            std::pair<std::vector<std::string>, std::function<void(problem_type&)>>>
            mistakes = {
                { { "'decimation'", "is 0", "1 or more" },
                  [](auto& p) { p.decimation = 0; } },
                { { "'center_freqs'", "empty", "one frequency" },
                  [](auto& p) { p.center_freqs.clear(); } },
                { { "'center_freqs[2]'", "nan", "finite" },
                  [&](auto& p) { p.center_freqs[2] = nan; } },
                { { "'center_freqs[0]'", "inf", "finite" },
                  [](auto& p) { p.center_freqs[0] = HUGE_VAL; } },
                { { "'taps'", "is empty", "3, one per channel" },
                  [](auto& p) { p.taps.clear(); } },
                { { "'taps'", "2 lists", "one list for all" },
                  [](auto& p) { p.taps.resize(2, { 1.0f }); } },
                { { "'taps'", "4 lists" }, [](auto& p) { p.taps.resize(4, { 1.0f }); } },
                { { "'taps'", "empty", "one tap or more" },
                  [](auto& p) { p.taps[0] = shared_taps::values(); } },
                { { "'taps[1]'", "empty" },
                  [](auto& p) {
                      p.taps = { { 1.0f }, {}, { 1.0f } };
                  } },
                { { "'taps[2]'", "index 1", "finite" },
                  [&](auto& p) {
                      p.taps = { { 1.0f }, { 1.0f }, { 1.0f, nan } };
                  } },
                { { "'sampling_freq' is 0,", "above 0" },
                  [](auto& p) { p.sampling_freq = 0; } },
                { { "'sampling_freq'", "nan", "finite" },
                  [&](auto& p) { p.sampling_freq = nan; } },
            };
        for (const auto& [parts, mistake] : mistakes) {
            auto p = problem();
            mistake(p);
            assert_refused(
                parts, [&] { freq_xlating_filter_bank(p, options("host"), d_registry); });
        }
    }

    void bad_options_are_refused()
    {
        using options_type = freq_xlating_filter_bank_options;
        const std::string id = test_device().id();
        const std::vector<
            std::pair<std::vector<std::string>, std::function<void(options_type&)>>>
            mistakes = {
                { { "'algorithm'", "'fft'", "auto, direct, fast_convolution" },
                  [](auto& o) { o.algorithm = "fft"; } },
                { { "'accuracy'", "-0.1", "0 to 0.1" },
                  [](auto& o) { o.accuracy = -0.1; } },
                { { "'accuracy'", "0.2" }, [](auto& o) { o.accuracy = 0.2; } },
                { { "'accuracy'", "nan" }, [](auto& o) { o.accuracy = std::nan(""); } },
                { { "'variant'", "'fastest'", "cpu_tile" },
                  [](auto& o) { o.variant = "fastest"; } },
                { { "'variant'", "'gpu_tile'" },
                  [](auto& o) { o.variant = "gpu_tile"; } },
                { { "'variant'", "'simd'" },
                  [&](auto& o) {
                      o.device = id;
                      o.variant = "simd";
                  } },
                { { "'transfer'", "'teleport'", "zero_copy" },
                  [](auto& o) { o.transfer = "teleport"; } },
                { { "device", "'no such device'" },
                  [](auto& o) { o.device = "no such device"; } },
                { { "'threads'", "5000", "0 to 1024" },
                  [](auto& o) { o.threads = 5000; } },
            };
        for (const auto& [parts, mistake] : mistakes) {
            auto o = options("host");
            mistake(o);
            assert_refused(parts,
                           [&] { freq_xlating_filter_bank(problem(), o, d_registry); });
        }
    }

    void refused_setters_change_nothing()
    {
        const auto p = problem();
        freq_xlating_filter_bank bank(p, options("host"), d_registry);
        freq_xlating_filter_bank untouched(p, options("host"), d_registry);
        const double nan = std::nan("");
        assert_refused({ "'channel'", "is 3", "0 to 2" },
                       [&] { bank.set_center_freq(3, 0); });
        assert_refused({ "'center_freq'", "nan" }, [&] { bank.set_center_freq(0, nan); });
        assert_refused({ "'center_freqs'", "2", "3, one per channel" }, [&] {
            bank.set_center_freqs({ 1, 2 });
        });
        assert_refused({ "'center_freqs[1]'", "nan" }, [&] {
            bank.set_center_freqs({ 1, nan, 3 });
        });
        assert_refused({ "'taps'", "2 lists" }, [&] {
            bank.set_taps({ { 1.0f }, { 2.0f } });
        });
        assert_refused({ "'taps[1]'", "empty" }, [&] {
            bank.set_taps({ { 1.0f }, {}, { 2.0f } });
        });
        CPPUNIT_ASSERT(bank.problem().center_freqs == p.center_freqs);
        CPPUNIT_ASSERT(bank.problem().taps == p.taps);
        CPPUNIT_ASSERT_EQUAL(std::size_t(32), bank.history());
        const auto stream = noise(p.input, 32 + 400, 1);
        bank_outputs a(3, 100), b(3, 100);
        bank.process(stream.data(), 432, a.at(0).data(), 100);
        untouched.process(stream.data(), 432, b.at(0).data(), 100);
        for (std::size_t c = 0; c < 3; c++)
            CPPUNIT_ASSERT(a[c] == b[c]);
    }

    void forced_choices_are_kept()
    {
        freq_xlating_filter_bank host(problem(), options("host", "volk"), d_registry);
        CPPUNIT_ASSERT_EQUAL(std::string("host"), host.device_name());
        CPPUNIT_ASSERT_EQUAL(std::string("direct"), host.algorithm_name());
        CPPUNIT_ASSERT_EQUAL(std::string("volk"), host.variant_name());
        CPPUNIT_ASSERT_EQUAL(std::string("none"), host.transfer_name());
        assert_names(host.plan(), { "direct", "volk", "host" });
        auto o = options("host");
        o.algorithm = "fast_convolution";
        o.variant = "selected_bins";
        freq_xlating_filter_bank fast(problem(), o, d_registry);
        CPPUNIT_ASSERT_EQUAL(o.algorithm, fast.algorithm_name());
        CPPUNIT_ASSERT_EQUAL(o.variant, fast.variant_name());
        assert_names(fast.plan(), { o.algorithm, "selected_bins", "host" });
        freq_xlating_filter_bank device(
            problem(), options(test_device().id(), "block", "mapped"), d_registry);
        CPPUNIT_ASSERT_EQUAL(test_device().name, device.device_name());
        CPPUNIT_ASSERT_EQUAL(std::string("direct"), device.algorithm_name());
        CPPUNIT_ASSERT_EQUAL(std::string("block"), device.variant_name());
        CPPUNIT_ASSERT_EQUAL(std::string("mapped"), device.transfer_name());
        CPPUNIT_ASSERT(!device.fell_back());
        assert_names(device.plan(), { "direct", "block", test_device().name });
    }

    void auto_measures_once_and_says_so()
    {
        // Whichever candidate is first, the other must be predicted close enough to be
        // measured.
        freq_xlating_filter_bank first(problem(), options("auto"), d_registry);
        CPPUNIT_ASSERT(logged("plan"));
        assert_names(first.plan(), { first.algorithm_name(), first.variant_name() });
        d_log.clear();
        freq_xlating_filter_bank second(problem(), options("auto"), d_registry);
        CPPUNIT_ASSERT(!logged("measured:"));
        CPPUNIT_ASSERT_EQUAL(first.device_name(), second.device_name());
        CPPUNIT_ASSERT_EQUAL(first.variant_name(), second.variant_name());
        bank_beside_singles both(problem(), options("auto"), d_registry, 1);
        both.run(200, 5);
        CPPUNIT_ASSERT(both.error() < -120);
    }

    void statistics_count()
    {
        for (const auto& o : { options("host", "simd"), on_device("copy") }) {
            const auto p = problem();
            freq_xlating_filter_bank bank(p, o, d_registry);
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), bank.statistics().calls);
            const auto stream = noise(p.input, bank.history() + 400, 1);
            bank_outputs out(3, 100);
            for (int i = 0; i < 2; i++)
                bank.process(stream.data(), 432, out.at(0).data(), 100);
            const auto s = bank.statistics();
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(2), s.calls);
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(200), s.outputs);
            CPPUNIT_ASSERT(s.kernel_time > 0 && s.kernel_time < 10);
        }
    }

    void small_calls_give_nothing()
    {
        const auto p = problem();
        freq_xlating_filter_bank bank(p, options("host"), d_registry);
        const auto phase = bank.phase(1);
        std::vector<std::complex<float>> in(bank.history() + p.decimation);
        bank_outputs out(3, 1);
        for (const std::size_t items : { std::size_t(0), bank.history(), in.size() - 1 })
            CPPUNIT_ASSERT_EQUAL(
                std::size_t(0),
                bank.process(in.data(), items, out.at(0).data(), 1).produced);
        CPPUNIT_ASSERT_EQUAL(
            std::size_t(0),
            bank.process(in.data(), in.size(), out.at(0).data(), 0).consumed);
        CPPUNIT_ASSERT(bank.phase(1) == phase);
        const auto r = bank.process(in.data(), in.size(), out.at(0).data(), 1);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), r.produced);
        CPPUNIT_ASSERT_EQUAL(p.decimation, r.consumed);
    }

    void moved_banks_go_on()
    {
        const auto p = problem();
        const auto stream = noise(p.input, 432, 1);
        freq_xlating_filter_bank one(p, options("host"), d_registry);
        freq_xlating_filter_bank other(problem(1), options("host"), d_registry);
        bank_outputs a(3, 100), b(3, 100);
        one.process(stream.data(), 432, a.at(0).data(), 100);
        one.reset();
        other = std::move(one);
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), other.channels());
        other.process(stream.data(), 432, b.at(0).data(), 100);
        for (std::size_t c = 0; c < 3; c++)
            CPPUNIT_ASSERT(a[c] == b[c]);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_bank_selection, "qa_bank_selection");

} // namespace
