// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that every executor of a bank gives the outputs of single filters.

#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/reference.h>

#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

constexpr double bound = -120; // dB of a channel's peak

//! Tests that every implementation of a bank gives the outputs of single filters.
class qa_freq_xlating_filter_bank : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_freq_xlating_filter_bank);
    CPPUNIT_TEST(equals_the_reference);
    CPPUNIT_TEST(equals_single_filters);
    CPPUNIT_TEST(many_channels);
    CPPUNIT_TEST(long_filters);
    CPPUNIT_TEST(every_input_type);
    CPPUNIT_TEST(taps_of_any_lengths);
    CPPUNIT_TEST(a_retuned_channel_leaves_the_others);
    CPPUNIT_TEST(threads_change_nothing);
    CPPUNIT_TEST(streams_of_any_length);
    CPPUNIT_TEST(nothing_beyond_the_window_is_used);
    CPPUNIT_TEST(a_reset_starts_a_new_stream);
    CPPUNIT_TEST_SUITE_END();

    context_registry d_registry{ test_options() };
    std::mt19937 d_random{ 1 };

    //! The options of the implementations under test, by name.
    static std::map<std::string, freq_xlating_filter_bank_options> ways()
    {
        std::map<std::string, freq_xlating_filter_bank_options> result;
        for (const std::string algorithm : { "direct", "fast_convolution" }) {
            freq_xlating_filter_bank_options options;
            options.algorithm = algorithm;
            options.accuracy = 0;
            options.device = "host";
            options.threads = 3;
            result["host/" + algorithm] = options;
        }
        freq_xlating_filter_bank_options options;
        options.algorithm = "direct";
        options.device = test_device().id();
        options.variant = "gpu_tile"; // one program for all taps
        options.transfer = "mapped";
        result["device/direct"] = options;
        return result;
    }

    static bool on_device(const std::string& way)
    {
        return way.compare(0, 6, "device") == 0;
    }

    static void assert_error(double error, const std::string& what)
    {
        CPPUNIT_ASSERT_MESSAGE(what + ": " + std::to_string(error) + " dB",
                               error < bound);
    }

    void compare(const freq_xlating_filter_bank_problem& problem,
                 const std::string& way,
                 const freq_xlating_filter_bank_options& options,
                 std::size_t outputs,
                 std::size_t changes)
    {
        bank_beside_singles both(
            problem, options, d_registry, static_cast<unsigned>(d_random()));
        both.run(outputs, changes);
        assert_error(both.error(),
                     way + ", " + sample_type_name(problem.input) + ", " +
                         std::to_string(problem.channels()) + " channels, decimation " +
                         std::to_string(problem.decimation));
        CPPUNIT_ASSERT(!both.bank().fell_back());
        CPPUNIT_ASSERT_EQUAL(options.algorithm, both.bank().algorithm_name());
    }

    //! All outputs of a stream of \p items new items in one call.
    static bank_outputs run_at_once(freq_xlating_filter_bank& bank, std::size_t items)
    {
        const auto& problem = bank.problem();
        const auto stream = noise(problem.input, bank.history() + items, 3);
        bank_outputs out(bank.channels(), items / problem.decimation);
        bank.process(stream.data(), bank.history() + items, out.at(0).data(), items);
        return out;
    }

public:
    void equals_the_reference()
    {
        for (const auto& [way, options] : ways()) {
            const auto problem = make_bank_problem(sample_type::fc32, 5, 33, false, 3);
            freq_xlating_filter_bank bank(problem, options, d_registry);
            const std::size_t items = small_tests() ? 300 : 20000;
            auto stream = fir_case::silence(problem.input, bank.history());
            const auto fresh = noise(problem.input, items, 8);
            stream.insert(stream.end(), fresh.begin(), fresh.end());
            bank_outputs out(bank.channels(), items / problem.decimation);
            bank.process(stream.data(), bank.history() + items, out.at(0).data(), items);
            for (std::size_t c = 0; c < bank.channels(); c++) {
                freq_xlating_fir_reference reference(problem.channel(c));
                assert_error(error_db(out[c], reference.process(fresh.data(), items)),
                             way);
            }
        }
    }

    void equals_single_filters()
    {
        for (const auto& [way, options] : ways())
            for (const std::size_t channels : { 1, 7, 64 })
                for (const std::size_t decimation : { 1, 6, 42 }) {
                    if (small_tests() && channels == 64 && decimation > 1)
                        continue;
                    compare(make_bank_problem(sample_type::fc32,
                                              decimation,
                                              decimation * 4 + 7,
                                              decimation != 6,
                                              channels),
                            way,
                            options,
                            10 + (small_tests() ? 40 : 1000) / decimation,
                            channels == 64 ? 10 : 30);
                }
    }

    void many_channels()
    {
        for (const auto& [way, options] : ways()) {
            const std::size_t channels = small_tests() ? 60 : 500;
            compare(make_bank_problem(sample_type::fc32, 8, 19, true, channels),
                    way,
                    options,
                    on_device(way) ? 20 : 100,
                    5);
        }
    }

    void long_filters()
    {
        for (const auto& [way, options] : ways())
            compare(make_bank_problem(sample_type::fc32, 42, 2429, true, 4),
                    way,
                    options,
                    small_tests() ? 10 : 150,
                    small_tests() ? 2 : 10);
    }

    void every_input_type()
    {
        for (const auto& [way, options] : ways())
            for (const auto type : all_sample_types())
                for (const bool real_taps : { false, true })
                    // On a device each type has to be compiled.
                    if (!on_device(way) || type == sample_type::fc32 ||
                        type == sample_type::s16 || type == sample_type::cs12)
                        compare(make_bank_problem(type, 3, 30, real_taps, 4),
                                way,
                                options,
                                small_tests() ? 30 : 300,
                                5);
    }

    void taps_of_any_lengths()
    {
        for (const auto& [way, options] : ways())
            for (const std::size_t decimation : { 1, 7 }) {
                auto problem =
                    make_bank_problem(sample_type::fc32, decimation, 1, true, 9);
                problem.taps = random_bank_taps(9, 60, d_random);
                compare(problem, way, options, small_tests() ? 20 : 600, 0);
                compare(problem, way, options, small_tests() ? 20 : 600, 20);
            }
    }

    void a_retuned_channel_leaves_the_others()
    {
        for (const auto& [way, options] : ways()) {
            const auto problem = make_bank_problem(sample_type::fc32, 4, 50, true, 5);
            freq_xlating_filter_bank left_alone(problem, options, d_registry);
            freq_xlating_filter_bank retuned(problem, options, d_registry);
            for (int part = 0; part < 4; part++) {
                const auto a = run_at_once(left_alone, 200);
                const auto b = run_at_once(retuned, 200);
                for (std::size_t c = 0; c < 5; c++)
                    CPPUNIT_ASSERT_EQUAL(part == 0 || c != 2, a[c] == b[c]);
                retuned.set_center_freq(2, 1000.0 * part + 77);
            }
        }
    }

    void threads_change_nothing()
    {
        for (const auto& [way, options] : ways()) {
            auto one_thread = options;
            one_thread.threads = 1;
            const auto problem = make_bank_problem(sample_type::cs16, 4, 50, false, 11);
            freq_xlating_filter_bank few(problem, one_thread, d_registry);
            freq_xlating_filter_bank more(problem, options, d_registry);
            for (int part = 0; part < (small_tests() ? 2 : 10); part++) {
                const auto a = run_at_once(few, 400);
                const auto b = run_at_once(more, 400);
                for (std::size_t c = 0; c < 11; c++) {
                    const std::vector<std::complex<double>> want(a[c].begin(),
                                                                 a[c].end());
                    assert_error(error_db(b[c], want), way);
                    // With another number of threads another block size may be the
                    // fastest, and its rounding differs.
                    CPPUNIT_ASSERT(options.algorithm != "direct" || a[c] == b[c]);
                }
            }
        }
    }

    void streams_of_any_length()
    {
        for (const auto& [way, options] : ways())
            for (const std::size_t decimation : { 1, 10 }) {
                const auto problem =
                    make_bank_problem(sample_type::fc32, decimation, 40, true, 2);
                const std::size_t most = small_tests() ? 300 : 20000;
                for (int i = 0; i < (small_tests() ? 10 : 60); i++) {
                    const std::size_t items =
                        i < 30 ? static_cast<std::size_t>(i) : d_random() % most;
                    bank_beside_singles both(
                        problem, options, d_registry, static_cast<unsigned>(i));
                    both.run(items / decimation, 0, items % decimation);
                    if (items / decimation > 100) // with fewer outputs there may be no
                                                  // peak
                        assert_error(both.error(), way + ", " + std::to_string(items));
                }
            }
    }

    void nothing_beyond_the_window_is_used()
    {
        constexpr std::size_t guard = 64;
        const float nan = std::numeric_limits<float>::quiet_NaN();
        for (const auto& [way, options] : ways())
            for (const std::size_t items : { 30, 33, 1000 }) {
                auto problem = make_bank_problem(sample_type::fc32, 3, 1, true, 3);
                problem.taps = random_bank_taps(3, 20, d_random);
                freq_xlating_filter_bank bank(problem, options, d_registry);
                freq_xlating_filter_bank among_nan(problem, options, d_registry);
                const std::size_t window = bank.history() + items;
                const auto stream = noise(problem.input, window, 3);
                std::vector<std::complex<float>> in(window + 2 * guard, nan);
                std::memcpy(&in[guard], stream.data(), stream.size());
                const std::size_t outputs = items / problem.decimation;
                bank_outputs want(3, outputs), got(3, outputs);
                bank.process(stream.data(), window, want.at(0).data(), outputs);
                among_nan.process(&in[guard], window, got.at(0).data(), outputs);
                for (std::size_t c = 0; c < 3; c++)
                    CPPUNIT_ASSERT(got[c] == want[c]);
            }
    }

    void a_reset_starts_a_new_stream()
    {
        for (const auto& [way, options] : ways()) {
            const auto problem = make_bank_problem(sample_type::fc32, 4, 33, true, 6);
            freq_xlating_filter_bank bank(problem, options, d_registry);
            const auto first = run_at_once(bank, 200);
            bank.reset();
            const auto again = run_at_once(bank, 200);
            for (std::size_t c = 0; c < 6; c++)
                CPPUNIT_ASSERT(first[c] == again[c]);
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_freq_xlating_filter_bank,
                                      "qa_freq_xlating_filter_bank");

} // namespace
