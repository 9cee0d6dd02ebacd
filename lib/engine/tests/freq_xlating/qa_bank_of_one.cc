// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of a bank of one channel: its checks, its choice and its phase.

#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_refused.h"
#include "tests/support/qa_support.h"

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/reference.h>

#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace cldsp;

namespace {

//! Tests of the filter's checks, of its choice and of its phase; not of its computation.
class qa_bank_of_one : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_bank_of_one);
    CPPUNIT_TEST(bad_problems_are_refused);
    CPPUNIT_TEST(bad_names_are_refused);
    CPPUNIT_TEST(unknown_device_lists_what_there_is);
    CPPUNIT_TEST(variants_that_do_not_fit_are_refused);
    CPPUNIT_TEST(refused_setters_change_nothing);
    CPPUNIT_TEST(old_names_of_variants_are_refused);
    CPPUNIT_TEST(variants_of_another_algorithm_are_refused);
    CPPUNIT_TEST(bad_accuracies_are_refused);
    CPPUNIT_TEST(auto_measures_once_and_says_so);
    CPPUNIT_TEST(answers_outlive_the_registry);
    CPPUNIT_TEST(forced_choices_are_kept);
    CPPUNIT_TEST(forced_algorithms_are_kept);
    CPPUNIT_TEST(plan_tells_of_a_lost_device);
    CPPUNIT_TEST(broken_programs_leave_the_host);
    CPPUNIT_TEST(statistics_count);
    CPPUNIT_TEST(phase_does_not_drift);
    CPPUNIT_TEST(the_phase_of_the_input_starts_at_0_and_stays);
    CPPUNIT_TEST(reset_starts_a_new_stream);
    CPPUNIT_TEST(small_calls_give_nothing);
    CPPUNIT_TEST_SUITE_END();

    std::vector<std::string> d_log;
    context_registry d_registry{ test_options() };

    one_thread_options options(const std::string& device,
                               const std::string& variant = "auto",
                               const std::string& transfer = "auto")
    {
        one_thread_options o;
        o.device = device;
        o.variant = variant;
        o.transfer = transfer;
        o.log = [this](log_level, const std::string& text) { d_log.push_back(text); };
        return o;
    }

    bool logged(const std::string& part) const
    {
        return std::any_of(d_log.begin(), d_log.end(), [&](const std::string& line) {
            return line.find(part) != std::string::npos;
        });
    }

    static freq_xlating_fir_problem problem()
    {
        return make_fir_problem(sample_type::fc32, 4, 33, true);
    }

public:
    void bad_problems_are_refused()
    {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const double infinity = std::numeric_limits<double>::infinity();
        const std::vector<
            std::pair<std::string, std::function<void(freq_xlating_fir_problem&)>>>
            mistakes = {
                { "decimation", [](auto& p) { p.decimation = 0; } },
                { "taps", [](auto& p) { p.taps.clear(); } },
                { "taps",
                  [&](auto& p) {
                      p.taps[3] = { nan, 0 };
                  } },
                { "taps",
                  [&](auto& p) {
                      p.taps[5] = { 0, float(infinity) };
                  } },
                { "center_freq", [&](auto& p) { p.center_freq = nan; } },
                { "center_freq", [&](auto& p) { p.center_freq = infinity; } },
                { "sampling_freq", [](auto& p) { p.sampling_freq = 0; } },
                { "sampling_freq", [](auto& p) { p.sampling_freq = -1; } },
                { "sampling_freq", [&](auto& p) { p.sampling_freq = infinity; } },
                { "sampling_freq", [&](auto& p) { p.sampling_freq = nan; } },
            };
        for (const auto& [parameter, mistake] : mistakes) {
            auto p = problem();
            mistake(p);
            assert_refused({ parameter }, [&] {
                freq_xlating_filter_bank(bank_of_one(p), options("host"), d_registry);
            });
        }
    }

    void bad_names_are_refused()
    {
        const auto make = [&](const one_thread_options& o) {
            return refusal(
                [&] { freq_xlating_filter_bank(bank_of_one(problem()), o, d_registry); });
        };
        assert_names(make(options("auto", "fastest")), { "variant", "cpu_tile" });
        assert_names(make(options("auto", "auto", "teleport")),
                     { "transfer", "zero_copy" });
        auto o = options("auto");
        o.algorithm = "magic";
        assert_names(make(o), { "algorithm", "fast_convolution" });
    }

    void unknown_device_lists_what_there_is()
    {
        for (const char* name : { "no such device", "7:7", "" }) {
            const auto text = refusal([&] {
                freq_xlating_filter_bank(
                    bank_of_one(problem()), options(name), d_registry);
            });
            assert_names(text, { "device", test_device().name });
        }
    }

    void variants_that_do_not_fit_are_refused()
    {
        const auto make = [&](const char* device, const char* variant, sample_type type) {
            auto p = problem();
            p.input = type;
            return refusal([&] {
                freq_xlating_filter_bank(
                    bank_of_one(p), options(device, variant), d_registry);
            });
        };
        const std::string device = test_device().id();
        assert_names(make("host", "naive", sample_type::fc32), { "variant" });
        assert_names(make(device.c_str(), "simd", sample_type::fc32), { "variant" });
        assert_names(make("auto", "naive", sample_type::cu8), { "variant" });
        assert_names(make(device.c_str(), "float16", sample_type::f32), { "cpu_tile" });
    }

    void old_names_of_variants_are_refused()
    {
        for (const auto& [old_name, name] : { std::pair("rows", "polyphase"),
                                              std::pair("grid", "four_step"),
                                              std::pair("bins", "selected_bins") })
            assert_refused({ "variant", old_name, name }, [&, old = old_name] {
                freq_xlating_filter_bank(
                    bank_of_one(problem()), options("host", old), d_registry);
            });
    }

    void variants_of_another_algorithm_are_refused()
    {
        for (const auto& [algorithm, variant, fitting] :
             { std::tuple("direct", "polyphase", "simd"),
               std::tuple("direct", "vkfft", "gpu_tile"),
               std::tuple("fast_convolution", "simd", "selected_bins"),
               std::tuple("fast_convolution", "float16", "vkfft") }) {
            auto o = options("auto", variant);
            o.algorithm = algorithm;
            const auto text = refusal(
                [&] { freq_xlating_filter_bank(bank_of_one(problem()), o, d_registry); });
            assert_names(text, { "variant", fitting });
        }
    }

    void bad_accuracies_are_refused()
    {
        const double infinity = std::numeric_limits<double>::infinity();
        for (const double accuracy : { -1e-9, 0.11, infinity, std::nan("") }) {
            auto o = options("host");
            o.accuracy = accuracy;
            assert_refused({ "accuracy" }, [&] {
                freq_xlating_filter_bank(bank_of_one(problem()), o, d_registry);
            });
        }
        for (const double accuracy : { 0.0, 1e-5, 0.1 }) {
            auto o = options("host");
            o.accuracy = accuracy;
            freq_xlating_filter_bank(bank_of_one(problem()), o, d_registry);
        }
    }

    void refused_setters_change_nothing()
    {
        freq_xlating_filter_bank filter(
            bank_of_one(problem()), options("host"), d_registry);
        const auto phase = filter.phase(0);
        assert_refused({ "center_freq" },
                       [&] { filter.set_center_freq(0, std::nan("")); });
        assert_refused({ "taps" }, [&] { filter.set_taps({ shared_taps{} }); });
        CPPUNIT_ASSERT(filter.phase(0) == phase);
        CPPUNIT_ASSERT(filter.problem().taps_of(0) == problem().taps);
        CPPUNIT_ASSERT_EQUAL(problem().center_freq, filter.problem().center_freqs[0]);
    }

    void auto_measures_once_and_says_so()
    {
        const fir_case c(problem(), 200);
        freq_xlating_filter_bank first(
            bank_of_one(problem()), options("auto"), d_registry);
        CPPUNIT_ASSERT(logged("measured:"));
        CPPUNIT_ASSERT(logged("direct/simd on host"));
        CPPUNIT_ASSERT(logged("plan: " + first.plan()));
        assert_names(first.plan(),
                     { first.algorithm_name() + "/" + first.variant_name(),
                       first.device_name(),
                       "predicted",
                       "measured",
                       "; next: " });
        CPPUNIT_ASSERT(error_db(c.run(first), c.expected()) < -90);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), first.statistics().calls);
        d_log.clear();
        freq_xlating_filter_bank second(
            bank_of_one(problem()), options("auto"), d_registry);
        CPPUNIT_ASSERT(!logged("measured:"));
        assert_same_plan(first, second);
    }

    void assert_same_plan(const freq_xlating_filter_bank& first,
                          const freq_xlating_filter_bank& second)
    {
        CPPUNIT_ASSERT_EQUAL(first.device_name(), second.device_name());
        CPPUNIT_ASSERT_EQUAL(first.algorithm_name(), second.algorithm_name());
        CPPUNIT_ASSERT_EQUAL(first.variant_name(), second.variant_name());
        CPPUNIT_ASSERT_EQUAL(first.transfer_name(), second.transfer_name());
        CPPUNIT_ASSERT_EQUAL(first.plan() + " (remembered)", second.plan());
    }

    void answers_outlive_the_registry()
    {
        const temporary_folder folder;
        auto registry_options = test_options();
        registry_options.disk_cache = true;
        registry_options.cache_folder = folder.path();
        registry_options.wisdom_file = true;
        const auto make = [&](const freq_xlating_fir_problem& p) {
            d_log.clear();
            context_registry registry(registry_options);
            return freq_xlating_filter_bank(bank_of_one(p), options("auto"), registry);
        };
        const auto first = make(problem());
        CPPUNIT_ASSERT(logged("measured:"));
        const auto second = make(problem());
        CPPUNIT_ASSERT(!logged("measured:"));
        assert_same_plan(first, second);
        // A different problem has a different key.
        auto other = problem();
        other.decimation++;
        make(other);
        CPPUNIT_ASSERT(logged("measured:"));
    }

    void forced_choices_are_kept()
    {
        freq_xlating_filter_bank host(
            bank_of_one(problem()), options("host", "volk"), d_registry);
        CPPUNIT_ASSERT_EQUAL(std::string("host"), host.device_name());
        CPPUNIT_ASSERT_EQUAL(std::string("volk"), host.variant_name());
        CPPUNIT_ASSERT_EQUAL(std::string("none"), host.transfer_name());
        freq_xlating_filter_bank device(bank_of_one(problem()),
                                        options(test_device().id(), "block", "mapped"),
                                        d_registry);
        CPPUNIT_ASSERT_EQUAL(test_device().name, device.device_name());
        CPPUNIT_ASSERT_EQUAL(std::string("block"), device.variant_name());
        CPPUNIT_ASSERT_EQUAL(std::string("mapped"), device.transfer_name());
        CPPUNIT_ASSERT(!device.fell_back());
    }

    void forced_algorithms_are_kept()
    {
        const fir_case c(problem(), 200);
        for (const auto& [algorithm, variant] :
             { std::pair("direct", "auto"),
               std::pair("fast_convolution", "auto"),
               std::pair("auto", "selected_bins"),
               std::pair("fast_convolution", "selected_bins"),
               std::pair("auto", "polyphase") }) {
            auto o = options("host", variant);
            o.algorithm = algorithm;
            o.accuracy = 0;
            freq_xlating_filter_bank filter(bank_of_one(problem()), o, d_registry);
            const std::string expected =
                algorithm == std::string("direct") ? "direct" : "fast_convolution";
            CPPUNIT_ASSERT_EQUAL(expected, filter.algorithm_name());
            assert_names(filter.plan(), { expected + "/" + filter.variant_name() });
            if (variant != std::string("auto"))
                CPPUNIT_ASSERT_EQUAL(std::string(variant), filter.variant_name());
            CPPUNIT_ASSERT(!filter.fell_back());
            CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -120);
        }
    }

    void plan_tells_of_a_lost_device()
    {
        const auto device = test_device();
        const fir_case c(problem(), 200);
        auto o = options(device.id());
        o.algorithm = "direct";
        freq_xlating_filter_bank filter(bank_of_one(problem()), o, d_registry);
        assert_names(filter.plan(), { "direct/", device.name });
        d_registry.get(device)->inject_failure(injected_call::enqueue);
        c.run(filter);
        CPPUNIT_ASSERT(filter.fell_back());
        CPPUNIT_ASSERT_EQUAL(std::string("direct"), filter.algorithm_name());
        assert_names(filter.plan(), { "on host instead", "clEnqueueNDRangeKernel" });
    }

    void broken_programs_leave_the_host()
    {
        const auto device = test_device();
        d_registry.get(device)->inject_failure(injected_call::build);
        const fir_case c(problem(), 200);
        freq_xlating_filter_bank filter(
            bank_of_one(problem()), options(device.id(), "cpu_tile", "copy"), d_registry);
        CPPUNIT_ASSERT(filter.fell_back());
        CPPUNIT_ASSERT_EQUAL(std::string("host"), filter.device_name());
        CPPUNIT_ASSERT(logged("clBuildProgram"));
        CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -120);
    }

    void statistics_count()
    {
        const fir_case c(problem(), 100);
        for (const char* device : { "host", "cpu" }) {
            if (find_devices("auto").size() == 1 ||
                (std::string(device) == "cpu" && test_device().kind != device_kind::cpu))
                continue;
            freq_xlating_filter_bank filter(
                bank_of_one(problem()), options(device), d_registry);
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), filter.statistics().calls);
            c.run(filter);
            c.run(filter);
            const auto s = filter.statistics();
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(2), s.calls);
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(200), s.outputs);
            CPPUNIT_ASSERT(s.kernel_time > 0 && s.kernel_time < 10);
        }
    }

    void phase_does_not_drift()
    {
        auto p = problem();
        p.center_freq = 100000.0 / 3;
        freq_xlating_filter_bank filter(bank_of_one(p), options("host"), d_registry);
        constexpr std::uint64_t outputs = 100000000;
        const long double start = filter.phase(0).turns();
        for (int i = 0; i < 100; ++i)
            filter.skip(outputs / 100);
        const long double ideal = start - static_cast<long double>(p.center_freq) *
                                              p.decimation * outputs /
                                              static_cast<long double>(p.sampling_freq);
        const long double off = filter.phase(0).turns() - ideal;
        CPPUNIT_ASSERT(std::fabs(off - std::round(off)) * 2 * M_PI < 1e-6);
    }

    //! Mixes the items down, filters and decimates them. The phase of the mixer is 0 at
    //! the first new item.
    static std::vector<std::complex<double>>
    mixed_and_filtered(const freq_xlating_fir_problem& p,
                       const std::vector<std::complex<float>>& in,
                       std::size_t outputs)
    {
        std::vector<std::complex<double>> result(outputs);
        for (std::size_t n = 0; n < outputs; n++)
            for (std::size_t k = 0; k < p.taps.size(); k++) {
                const std::size_t newest = p.taps.size() - 1 + n * p.decimation;
                const double turns = p.center_freq / p.sampling_freq *
                                     (double(n * p.decimation) - double(k));
                result[n] += std::complex<double>(p.taps[k]) *
                             std::complex<double>(in[newest - k]) *
                             std::polar(1.0, -2 * M_PI * turns);
            }
        return result;
    }

    void the_phase_of_the_input_starts_at_0_and_stays()
    {
        constexpr std::size_t outputs = 150;
        auto p = problem();
        p.phase = phase_reference::input;
        const auto stream =
            random_taps(p.taps.size() - 1 + outputs * p.decimation, false, 9);
        for (const std::string& device : { std::string("host"), test_device().id() }) {
            auto o = options(device);
            o.algorithm = "direct";
            freq_xlating_filter_bank filter(bank_of_one(p), o, d_registry);
            std::vector<std::complex<float>> out(outputs);
            process(filter, stream.data(), stream.size(), out);
            CPPUNIT_ASSERT(error_db(out, mixed_and_filtered(p, stream, outputs)) < -115);

            const auto phase = filter.phase(0);
            filter.set_center_freq(0, -98765.4);
            CPPUNIT_ASSERT(phase == filter.phase(0));
            filter.reset();
            CPPUNIT_ASSERT(filter.phase(0) == phase64());
            process(filter, stream.data(), stream.size(), out);
            auto retuned = p;
            retuned.center_freq = -98765.4;
            CPPUNIT_ASSERT(error_db(out, mixed_and_filtered(retuned, stream, outputs)) <
                           -115);
        }
    }

    void reset_starts_a_new_stream()
    {
        const fir_case c(problem(), 120);
        freq_xlating_filter_bank filter(
            bank_of_one(problem()), options("host"), d_registry);
        const auto first = c.run(filter);
        filter.reset();
        CPPUNIT_ASSERT(first == c.run(filter));
    }

    void small_calls_give_nothing()
    {
        const auto p = problem();
        freq_xlating_filter_bank filter(bank_of_one(p), options("host"), d_registry);
        std::vector<std::complex<float>> in(p.taps.size() + p.decimation), out(4);
        for (const std::size_t items :
             { std::size_t(0), p.taps.size() - 1, p.taps.size() + p.decimation - 2 }) {
            const auto r = process(filter, in.data(), items, out);
            CPPUNIT_ASSERT_EQUAL(std::size_t(0), r.consumed);
            CPPUNIT_ASSERT_EQUAL(std::size_t(0), r.produced);
        }
        const auto r = process(filter, in.data(), p.taps.size() - 1 + p.decimation, out);
        CPPUNIT_ASSERT_EQUAL(p.decimation, r.consumed);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), r.produced);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0),
                             process(filter, in.data(), in.size(), {}).produced);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_bank_of_one, "qa_bank_of_one");

} // namespace
