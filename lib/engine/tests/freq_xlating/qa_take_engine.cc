// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that a new engine takes over a stream without any effect on it.

#include "tests/support/qa_bank_of_one.h"
#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/reference.h>

#include <cppunit/extensions/HelperMacros.h>

#include <complex>
#include <memory>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

constexpr double bound_db = -120;

//! The options of an engine.
struct engine {
    std::string device, algorithm, variant;
};

//! Tests that another engine takes over a stream without any effect on the outputs.
class qa_take_engine : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_take_engine);
    CPPUNIT_TEST(filter_keeps_phase_and_samples);
    CPPUNIT_TEST(filter_keeps_phase_and_samples_of_bytes);
    CPPUNIT_TEST(bank_keeps_phases_and_samples);
    CPPUNIT_TEST(what_computes_is_the_new_one);
    CPPUNIT_TEST_SUITE_END();

    context_registry d_registry{ test_options() };
    const std::string d_device = test_device().id();
    const std::vector<engine> d_engines = { { "host", "direct", "auto" },
                                            { d_device, "direct", "cpu_tile" },
                                            { "host", "fast_convolution", "auto" },
                                            { d_device, "direct", "gpu_tile" } };
    static constexpr std::size_t parts = 10, outputs = 300;

    freq_xlating_filter_bank bank(const freq_xlating_filter_bank_problem& problem,
                                  const engine& wanted,
                                  freq_xlating_filter_bank_options options = {})
    {
        options.device = wanted.device;
        options.algorithm = wanted.algorithm;
        options.variant = wanted.variant;
        options.accuracy = 0;
        options.typical_items = outputs * problem.decimation;
        return freq_xlating_filter_bank(problem, options, d_registry);
    }
    freq_xlating_filter_bank filter(const freq_xlating_fir_problem& problem,
                                    const engine& wanted)
    {
        return bank(bank_of_one(problem), wanted, one_thread_options());
    }

    //! Noise after the silence that comes before a stream.
    static std::vector<unsigned char>
    stream(sample_type type, std::size_t history, std::size_t items)
    {
        auto all = fir_case::silence(type, history);
        const auto fresh = noise(type, items, 21);
        all.insert(all.end(), fresh.begin(), fresh.end());
        return all;
    }

    void check_filter(sample_type type)
    {
        const auto problem = make_fir_problem(type, 7, 65, true);
        const std::size_t size = sample_size(type), max_taps = 130;
        const std::size_t part = outputs * problem.decimation;
        const auto items = stream(type, max_taps - 1, parts * part);

        auto running = filter(problem, d_engines[0]);
        freq_xlating_fir_reference reference(problem);
        std::vector<std::complex<float>> got(parts * outputs);
        std::vector<std::complex<double>> expected;
        for (std::size_t i = 0; i < parts; i++) {
            if (i % 3 == 1) {
                const double freq = -150000.5 * static_cast<double>(i);
                running.set_center_freq(0, freq);
                reference.set_center_freq(freq);
            }
            if (i == 3 || i == 6) {
                const auto taps = random_taps(i == 3 ? max_taps : 20, i == 3, 9);
                running.set_taps({ taps });
                reference.set_taps(taps);
            }
            // This engine is made for the first frequency and taps, and has to take over
            // the later ones.
            if (i > 0)
                running.take_engine(filter(problem, d_engines[i % d_engines.size()]));
            const std::size_t history = running.history();
            const auto* first = items.data() + (max_taps - 1 + i * part) * size;
            const auto result =
                process(running,
                        first - history * size,
                        history + part,
                        span<std::complex<float>>(got).subspan(i * outputs, outputs));
            CPPUNIT_ASSERT_EQUAL(outputs, result.produced);
            const auto more =
                reference.process(items.data() + (max_taps - 1 + i * part) * size, part);
            expected.insert(expected.end(), more.begin(), more.end());
        }
        CPPUNIT_ASSERT(!running.fell_back());
        // For cu8 the outputs that meet the silence are skipped, because no byte means
        // zero.
        const std::size_t skip = type == sample_type::cu8 ? 1 + 64 / 7 : 0;
        got.erase(got.begin(), got.begin() + skip);
        expected.erase(expected.begin(), expected.begin() + skip);
        CPPUNIT_ASSERT(error_db(got, expected) < bound_db);
    }

    void filter_keeps_phase_and_samples() { check_filter(sample_type::fc32); }
    void filter_keeps_phase_and_samples_of_bytes() { check_filter(sample_type::cu8); }

    void bank_keeps_phases_and_samples()
    {
        const std::size_t channels = 3, taps = 65;
        const auto problem =
            make_bank_problem(sample_type::fc32, 7, taps, true, channels);
        const std::size_t part = outputs * problem.decimation;
        const auto items = stream(problem.input, taps - 1, parts * part);
        const std::size_t size = sample_size(problem.input);

        auto running = bank(problem, d_engines[0]);
        std::vector<freq_xlating_fir_reference> references;
        for (std::size_t c = 0; c < channels; c++)
            references.emplace_back(problem.channel(c));
        std::vector<std::vector<std::complex<float>>> got(
            channels, std::vector<std::complex<float>>(parts * outputs));
        std::vector<std::vector<std::complex<double>>> expected(channels);
        for (std::size_t i = 0; i < parts; i++) {
            if (i % 2) {
                const double freq = -70000.5 * static_cast<double>(i);
                running.set_center_freq(i % channels, freq);
                references[i % channels].set_center_freq(freq);
            }
            if (i > 0)
                running.take_engine(bank(problem, d_engines[i % d_engines.size()]));
            const auto* fresh = items.data() + (taps - 1 + i * part) * size;
            std::vector<std::complex<float>*> out;
            for (auto& channel : got)
                out.push_back(channel.data() + i * outputs);
            const auto result = running.process(
                fresh - (taps - 1) * size, taps - 1 + part, out.data(), outputs);
            CPPUNIT_ASSERT_EQUAL(outputs, result.produced);
            for (std::size_t c = 0; c < channels; c++) {
                const auto more = references[c].process(fresh, part);
                expected[c].insert(expected[c].end(), more.begin(), more.end());
            }
        }
        CPPUNIT_ASSERT(!running.fell_back());
        for (std::size_t c = 0; c < channels; c++)
            CPPUNIT_ASSERT(error_db(got[c], expected[c]) < bound_db);
    }

    void what_computes_is_the_new_one()
    {
        const auto problem = make_fir_problem(sample_type::fc32, 7, 65, true);
        auto running = filter(problem, d_engines[0]);
        CPPUNIT_ASSERT_EQUAL(std::string("host"), running.device_name());
        auto fresh = filter(problem, d_engines[1]);
        const auto device = fresh.device_name(), plan = fresh.plan();
        running.take_engine(std::move(fresh));
        CPPUNIT_ASSERT_EQUAL(device, running.device_name());
        CPPUNIT_ASSERT_EQUAL(std::string("cpu_tile"), running.variant_name());
        CPPUNIT_ASSERT_EQUAL(plan, running.plan());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), running.statistics().calls);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_take_engine, "qa_take_engine");

} // namespace
