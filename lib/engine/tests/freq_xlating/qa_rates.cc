// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of channels with rates of their own.

#include "freq_xlating/bank_selection.h"
#include "tests/support/qa_bank_fixture.h"
#include "tests/support/qa_bank_of_one.h"
#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_refused.h"
#include "tests/support/qa_support.h"

#include <cldsp/interpolated_taps.h>

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/reference.h>

#include <cppunit/extensions/HelperMacros.h>


#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#if __GLIBC_PREREQ(2, 33)
#define CLDSP_COUNTS_MEMORY 1
#endif
#endif

using namespace cldsp;

namespace {

//! Tests of channels with rates of their own, beside the scripts of qa_coming_channels.
class qa_rates : public bank_fixture
{
    CPPUNIT_TEST_SUITE(qa_rates);
    CPPUNIT_TEST(ratios_of_rates);
    CPPUNIT_TEST(ratios_of_rates_that_are_nearly_rational);
    CPPUNIT_TEST(ratios_count);
    CPPUNIT_TEST(bad_ratios_are_refused);
    CPPUNIT_TEST(bad_problems_are_refused);
    CPPUNIT_TEST(interpolated_taps_pass_the_band);
    CPPUNIT_TEST(a_list_of_equal_decimations_is_one);
    CPPUNIT_TEST(a_single_filter_with_a_rational_rate);
    CPPUNIT_TEST(long_calls_on_threads);
    CPPUNIT_TEST(default_accuracy);
    CPPUNIT_TEST(plans_are_details);
    CPPUNIT_TEST(decimations_longer_than_a_typical_call);
    CPPUNIT_TEST(items_that_are_not_finite);
    CPPUNIT_TEST(rates_without_a_common_block);
    CPPUNIT_TEST(banks_of_random_rates);
    CPPUNIT_TEST(an_unlucky_rate_slows_no_other);
    CPPUNIT_TEST(auto_refuses_no_rate);
    CPPUNIT_TEST(long_calls_of_groups_on_a_device);
    CPPUNIT_TEST(making_takes_bounded_memory);
    CPPUNIT_TEST(a_sole_way_is_measured);
    CPPUNIT_TEST(lost_device);
    CPPUNIT_TEST(the_next_output_is_announced);
    CPPUNIT_TEST_SUITE_END();

    static freq_xlating_filter_bank_problem
    with_rates(const std::vector<rate_ratio>& rates,
               sample_type input = sample_type::fc32,
               std::size_t taps = 61)
    {
        auto problem = make_bank_problem(input, 1, taps, true, rates.size());
        problem.rates = rates;
        return problem;
    }

    //! A stream behind as many zeros as the bank's history.
    struct stream {
        stream(const freq_xlating_filter_bank& bank, std::size_t count, unsigned seed)
            : type(bank.problem().input),
              items(count),
              bytes(bank.history() * sample_size(type))
        {
            const auto fresh = noise(type, count, seed);
            bytes.insert(bytes.end(), fresh.begin(), fresh.end());
        }
        const unsigned char* fresh() const
        {
            return bytes.data() + bytes.size() - items * sample_size(type);
        }

        sample_type type;
        std::size_t items;
        std::vector<unsigned char> bytes;
    };

    //! Runs a whole stream in one call, and returns the outputs of each channel.
    static std::vector<std::vector<std::complex<float>>>
    run(freq_xlating_filter_bank& bank, const stream& in)
    {
        std::vector<std::vector<std::complex<float>>> out(
            bank.channels(), std::vector<std::complex<float>>(in.items));
        std::vector<std::complex<float>*> places;
        for (auto& values : out)
            places.push_back(values.data());
        std::vector<std::size_t> outputs(bank.channels());
        const std::size_t done = bank.process_items(in.bytes.data(),
                                                    bank.history() + in.items,
                                                    places.data(),
                                                    in.items,
                                                    outputs.data());
        CPPUNIT_ASSERT_EQUAL(in.items, done);
        for (std::size_t c = 0; c < out.size(); c++) {
            CPPUNIT_ASSERT_EQUAL(bank.rate(c).outputs(in.items),
                                 static_cast<std::uint64_t>(outputs[c]));
            out[c].resize(outputs[c]);
        }
        return out;
    }

    //! The largest error of any channel.
    static double error_of(freq_xlating_filter_bank& bank, const stream& in)
    {
        double largest = -1000;
        const auto out = run(bank, in);
        for (std::size_t c = 0; c < out.size(); c++) {
            freq_xlating_fir_reference reference(bank.problem().channel(c));
            largest = std::max(largest,
                               error_db(out[c], reference.process(in.fresh(), in.items)));
        }
        return largest;
    }

    static void assert_ratio(std::size_t p, std::size_t q, double output, double input)
    {
        const auto ratio = rate_ratio::of_rates(output, input);
        CPPUNIT_ASSERT_EQUAL(p, ratio.interpolation);
        CPPUNIT_ASSERT_EQUAL(q, ratio.decimation);
    }

public:
    void ratios_of_rates()
    {
        assert_ratio(3, 128, 48e3, 2.048e6);
        assert_ratio(1, 50, 48e3, 2.4e6);
        assert_ratio(147, 8000, 44.1e3, 2.4e6);
        assert_ratio(441, 20480, 44.1e3, 2.048e6);
        assert_ratio(3, 625, 48e3, 1e7);
        assert_ratio(1, 1, 96e3, 96e3);
        assert_ratio(9, 10, 9, 10);
        assert_ratio(1, 10800, 12e3, 129.6e6);
        assert_ratio(1, 3, 1.0 / 3.0, 1.0);
        assert_ratio(3, 10, 0.3, 1.0);
        assert_ratio(1, 7, 0.7, 4.9);
        CPPUNIT_ASSERT_EQUAL(std::string("128/3"), rate_ratio({ 3, 128 }).text());
        CPPUNIT_ASSERT_EQUAL(std::string("42"), rate_ratio({ 1, 42 }).text());
        CPPUNIT_ASSERT_DOUBLES_EQUAL(48e3, rate_ratio({ 3, 128 }).rate(2.048e6), 1e-9);
    }

    //! The counts agree with a count by one item at a time.
    void ratios_count()
    {
        for (const rate_ratio ratio : { rate_ratio{ 1, 1 },
                                        rate_ratio{ 1, 7 },
                                        rate_ratio{ 3, 8 },
                                        rate_ratio{ 9, 10 },
                                        rate_ratio{ 441, 20480 } }) {
            std::uint64_t outputs = 0;
            for (std::uint64_t items = 0; items < 50000; items++) {
                // Output m is given out when item (m + 1) Q / P is the next one.
                while ((outputs + 1) * ratio.decimation <= items * ratio.interpolation)
                    outputs++;
                CPPUNIT_ASSERT_EQUAL(outputs, ratio.outputs(items));
            }
            for (std::uint64_t m = 1; m < 500; m++) {
                CPPUNIT_ASSERT(ratio.outputs(ratio.items(m)) >= m);
                CPPUNIT_ASSERT(ratio.outputs(ratio.items(m) - 1) < m);
                CPPUNIT_ASSERT_EQUAL(m * ratio.decimation / ratio.interpolation,
                                     ratio.newest_item(m));
            }
            // Ten years at 1 GS/s
            const std::uint64_t many = 315360000000000000;
            const auto whole = many / ratio.decimation * ratio.decimation;
            CPPUNIT_ASSERT_EQUAL(whole / ratio.decimation * ratio.interpolation,
                                 ratio.outputs(whole));
            CPPUNIT_ASSERT_EQUAL(whole, ratio.items(ratio.outputs(whole)));
        }
    }

    void ratios_of_rates_that_are_nearly_rational()
    {
        const double reported = 1000000.026491; // by a driver that was asked for 1 MS/s
        assert_ratio(6, 125, 48e3, reported);
        assert_ratio(1, 20, 50e3, reported);
        assert_ratio(441, 10000, 44.1e3, reported);
        assert_ratio(1, 1, 1e6, reported);
        assert_ratio(9, 10, 900e3, 999999.97);
        assert_ratio(1, 10, 0.1, 1 + 0.99e-6);
        CPPUNIT_ASSERT_EQUAL(
            std::string("48000.0012716 Hz instead of 48000 Hz, 6/125 of "
                        "1000000.02649 Hz"),
            rate_ratio::of_rates(48e3, reported).other_rate_text(48e3, reported));
        CPPUNIT_ASSERT_EQUAL(
            std::string(),
            rate_ratio::of_rates(44.1e3, 2.4e6).other_rate_text(44.1e3, 2.4e6));
        // All that is not refused is close, exact ratios stay exact, and the rate that a
        // refusal names is taken.
        std::mt19937 random(7);
        std::size_t refused = 0;
        for (int i = 0; i < 20000; i++) {
            const double input = std::uniform_real_distribution<>(1e3, 1e8)(random);
            const double part =
                std::exp(std::uniform_real_distribution<>(-16, -0.11)(random));
            double output = part * input;
            if (i % 2)
                // Near a simple ratio, others need large numbers.
                output = input / (2 + i % 7) * (1 + 1e-5 * (1 + i % 40));
            try {
                const auto ratio = rate_ratio::of_rates(output, input);
                ratio.check();
                CPPUNIT_ASSERT(std::abs(ratio.rate(input) / output - 1) < 1.000001e-6);
                CPPUNIT_ASSERT(ratio == rate_ratio::of_rates(ratio.rate(input), input));
            } catch (const std::invalid_argument& e) {
                const std::string why = e.what();
                const auto at = why.rfind(' ');
                const auto nearest =
                    rate_ratio::of_rates(std::stod(why.substr(at)), input);
                CPPUNIT_ASSERT_MESSAGE(why,
                                       std::abs(nearest.rate(input) / output - 1) < 3e-4);
                refused++;
            }
        }
        CPPUNIT_ASSERT(refused > 100);
    }

    void bad_ratios_are_refused()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (const double rate : { 0.0, -1.0, nan, 0.95, 1.5, 1e300 })
            assert_refused({ "output_rate", "above 0" },
                           [&] { rate_ratio::of_rates(rate, 1.0); });
        assert_refused({ "output_rate[3]", "49.9975", "P 1 to 4096", "nearest is 50" },
                       [&] { rate_ratio::of_rates(49.9975, 100.0, "output_rate[3]"); });
        assert_refused({ "output_rate", "1e-08", "nearest is 5.96046447754e-08" },
                       [&] { rate_ratio::of_rates(1e-8, 1.0); });
        assert_refused({ "rate", "0 outputs" }, [&] { rate_ratio{ 0, 4 }.check(); });
        assert_refused({ "rate", "5000 outputs" }, [&] {
            rate_ratio{ 5000, 50001 }.check();
        });
        assert_refused({ "rate", "0 items" }, [&] { rate_ratio{ 1, 0 }.check(); });
        assert_refused({ "rate", "0.9" }, [&] { rate_ratio{ 19, 20 }.check(); });
        assert_refused({ "rate", "0.9" }, [&] { rate_ratio{ 3, 2 }.check(); });
        assert_refused({ "rate", "lowest terms" }, [&] { rate_ratio{ 2, 8 }.check(); });
    }

    void bad_problems_are_refused()
    {
        const auto refused = [&](const freq_xlating_filter_bank_problem& problem,
                                 const std::vector<std::string>& words) {
            assert_refused(words, [&] {
                freq_xlating_filter_bank(problem, options("host"), d_registry);
            });
        };
        auto problem = with_rates({ { 1, 4 }, { 1, 5 } });
        problem.rates.push_back({ 1, 6 });
        refused(problem, { "rates", "3 of them", "2" });
        problem.max_channels = 4;
        refused(problem, { "rates", "3 of them", "4" });
        problem.rates = { { 1, 4 }, { 1, 5 }, { 1, 6 }, { 2, 6 } };
        refused(problem, { "rates[3]", "lowest terms" });
        problem.rates[3] = { 1, 7 };
        freq_xlating_filter_bank bank(problem, options("host"), d_registry);
        const auto taps = random_taps(9, true, 1);
        assert_refused({ "'rate'", "5 items", "free" }, [&] {
            bank.add_channel(taps, 0, rate_ratio{ 1, 5 });
        });
        CPPUNIT_ASSERT_EQUAL(std::size_t(3),
                             bank.add_channel(taps, 0, rate_ratio{ 1, 7 }));
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), bank.add_channel(taps, 0));
        assert_refused({ "channels", "all in use" }, [&] { bank.add_channel(taps, 0); });
        assert_refused({ "channel", "4" }, [&] { bank.rate(4); });
        std::complex<float>* places[4] = {};
        assert_refused({ "rates" }, [&] { bank.process(nullptr, 0, places, 0); });

        freq_xlating_fir_problem single;
        single.taps = taps;
        single.interpolation = 19;
        single.decimation = 20;
        assert_refused({ "interpolation", "0.9" }, [&] {
            freq_xlating_filter_bank(bank_of_one(single), {}, d_registry);
        });
    }

    //! A carrier in the band keeps its level and phase between the items, within 4e-7.
    void interpolated_taps_pass_the_band()
    {
        for (const rate_ratio ratio :
             { rate_ratio{ 3, 128 }, rate_ratio{ 2, 5 }, rate_ratio{ 9, 10 } }) {
            const double edge = 0.5 * ratio.rate(1.0);
            for (const double frequency : { 0.0, 0.3 * edge, 0.99 * edge })
                for (std::size_t phase = 0; phase < ratio.interpolation; phase++) {
                    const auto taps = interpolated_taps({ 1.0f }, ratio, phase);
                    CPPUNIT_ASSERT_EQUAL(1 + ratio.further_taps(), taps.size());
                    const double fraction = static_cast<double>(phase * ratio.decimation %
                                                                ratio.interpolation) /
                                            static_cast<double>(ratio.interpolation);
                    std::complex<double> sum = 0;
                    for (std::size_t k = 0; k < taps.size(); k++)
                        sum += std::complex<double>(taps[k]) *
                               std::polar(1.0,
                                          -2 * M_PI * frequency * static_cast<double>(k));
                    const double late =
                        static_cast<double>(ratio.further_taps()) / 2 - fraction;
                    CPPUNIT_ASSERT(
                        std::abs(sum - std::polar(1.0, -2 * M_PI * frequency * late)) <
                        4e-7);
                }
        }
    }

    void a_list_of_equal_decimations_is_one()
    {
        const auto list = with_rates({ { 1, 6 }, { 1, 6 } });
        freq_xlating_filter_bank bank(list, options("host"), d_registry);
        CPPUNIT_ASSERT(bank.has_one_decimation());
        CPPUNIT_ASSERT_EQUAL(std::size_t(6), bank.problem().decimation);
        CPPUNIT_ASSERT_EQUAL(std::size_t(6), bank.items_to_next_output());
        CPPUNIT_ASSERT_EQUAL(std::size_t(60), bank.history());
        CPPUNIT_ASSERT(error_of(bank, stream(bank, 6000, 1)) < -120);
    }

    void a_single_filter_with_a_rational_rate()
    {
        freq_xlating_fir_problem problem;
        problem.taps = random_taps(50, true, 1);
        problem.interpolation = 3;
        problem.decimation = 8;
        problem.center_freq = 0.1;
        one_thread_options host;
        host.device = "host";
        CPPUNIT_ASSERT_EQUAL(
            std::size_t(3),
            freq_xlating_filter_bank(bank_of_one(problem), host, d_registry)
                .problem()
                .channel(0)
                .interpolation);
    }

    void long_calls_on_threads()
    {
        for (const std::string variant : { "simd", "selected_bins" }) {
            auto o = options("host", variant);
            o.threads = 3;
            o.typical_items = 60000;
            for (const auto type : { sample_type::fc32, sample_type::s16 }) {
                freq_xlating_filter_bank bank(
                    with_rates({ { 1, 12 }, { 3, 16 }, { 1, 20 }, { 1, 12 } }, type, 501),
                    o,
                    d_registry);
                CPPUNIT_ASSERT_EQUAL(variant, bank.variant_name());
                const stream in(bank, small_tests() ? 20001 : 60001, 2);
                CPPUNIT_ASSERT(error_of(bank, in) < -120);
            }
        }
    }

    //! The response differs by no more than the accuracy, relative to the largest gain.
    void default_accuracy()
    {
        auto o = options("host", "selected_bins");
        o.accuracy = 1e-5;
        auto problem = with_rates({ { 3, 64 }, { 1, 24 } });
        std::vector<std::complex<float>> low(301);
        for (std::size_t k = 0; k < low.size(); k++) {
            const double t = (static_cast<double>(k) - 150) / 151;
            low[k] = static_cast<float>(std::exp(-18 * t * t) / 100);
        }
        problem.taps = { low };
        freq_xlating_filter_bank bank(problem, o, d_registry);
        CPPUNIT_ASSERT(error_of(bank, stream(bank, 50000, 4)) < -100);
    }

    //! The log tells developers the plan of the bank, after those of its groups.
    void plans_are_details()
    {
        for (const char* variant : { "auto", "simd", "selected_bins" }) {
            auto o = options("host", variant);
            std::vector<std::string> told, details;
            o.log = [&](log_level level, const std::string& text) {
                (level == log_level::debug ? details : told).push_back(text);
            };
            const freq_xlating_filter_bank bank(
                with_rates({ { 1, 4 }, { 1, 6 }, { 1, 6 } }), o, d_registry);
            CPPUNIT_ASSERT(told.empty());
            CPPUNIT_ASSERT(details.size() >= 3);
            CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t(1),
                                 std::count(details.begin(),
                                            details.end(),
                                            "plan: " + bank.plan()));
        }
    }

    //! The measured calls have outputs. Without outputs every plan would seem to be
    //! endlessly fast.
    void decimations_longer_than_a_typical_call()
    {
        auto o = options("host");
        o.typical_items = 1000;
        for (const std::size_t channels : { 2, 3 }) {
            std::vector<rate_ratio> rates(channels, { 1, 50000 });
            rates[0].decimation = 100000;
            const freq_xlating_filter_bank bank(
                with_rates(rates, sample_type::fc32, 20000), o, d_registry);
            const double measured = bank.chosen().measured;
            CPPUNIT_ASSERT_MESSAGE(bank.plan(), measured > 0 && measured < 1e11);
        }
    }

    //! An item that is not finite spoils the outputs whose taps meet it, and no others.
    void items_that_are_not_finite()
    {
        const auto problem = with_rates({ { 1, 4 }, { 3, 8 }, { 1, 7 } });
        const auto o = options("host", "selected_bins");
        freq_xlating_filter_bank good(problem, o, d_registry),
            bad(problem, o, d_registry);
        stream in(good, 5000, 5);
        const auto expected = run(good, in);
        auto* items = reinterpret_cast<std::complex<float>*>(in.bytes.data());
        const std::size_t place = 2345;
        items[good.history() + place] = std::numeric_limits<float>::infinity();
        const auto out = run(bad, in);
        for (std::size_t c = 0; c < out.size(); c++) {
            const rate_ratio ratio = bad.rate(c);
            const std::size_t reach = 61 + ratio.further_taps();
            std::size_t spoilt = 0;
            for (std::size_t m = 0; m < out[c].size(); m++) {
                const auto newest = ratio.newest_item(m);
                if (newest >= place && newest < place + reach) {
                    CPPUNIT_ASSERT(!std::isfinite(out[c][m].real()));
                    spoilt++;
                } else {
                    CPPUNIT_ASSERT(std::abs(out[c][m] - expected[c][m]) < 1e-4);
                }
            }
            CPPUNIT_ASSERT(spoilt > 0);
        }
    }

    //! No block suits such decimations, so that each has an executor of its own.
    void rates_without_a_common_block()
    {
        const auto problem = with_rates({ { 1, 4093 }, { 1, 4099 }, { 1, 4111 } });
        freq_xlating_filter_bank bank(problem, options("host"), d_registry);
        CPPUNIT_ASSERT(error_of(bank, stream(bank, 100000, 6)) < -120);
        assert_refused({ "four_step", "4093" }, [&] {
            auto o = options("host", "four_step");
            freq_xlating_filter_bank(problem, o, d_registry);
        });
    }

    //! Random rates, whichever way is chosen for them.
    void banks_of_random_rates()
    {
        std::mt19937 random(37);
        const sample_type types[] = { sample_type::fc32,
                                      sample_type::cs16,
                                      sample_type::f32 };
        for (unsigned bank_of = 0; bank_of < (small_tests() ? 3u : 6u); bank_of++) {
            std::vector<rate_ratio> rates(2 + random() % 5);
            for (auto& rate : rates) {
                const std::size_t decimation = 2 + random() % 1000;
                rate = rate_ratio::of(
                    1 + random() % std::max<std::size_t>(1, decimation * 9 / 10),
                    decimation);
            }
            auto o = options("host");
            o.threads = 1 + bank_of % 2;
            freq_xlating_filter_bank bank(
                with_rates(rates, types[bank_of % 3], 1 + random() % 80), o, d_registry);
            CPPUNIT_ASSERT(!bank.fell_back());
            const double error = error_of(bank, stream(bank, 6000, bank_of));
            CPPUNIT_ASSERT_MESSAGE(bank.plan() + ": " + std::to_string(error),
                                   error < -110);
        }
    }

    //! Rates without a common block of a useful size do not share one. Nothing is
    //! measured, so that other load of the machine does not matter.
    void an_unlucky_rate_slows_no_other()
    {
        const auto seconds_of = [&](const std::vector<rate_ratio>& rates) {
            auto o = options("host");
            o.threads = 2;
            const auto selected = host_instead(
                with_rates(rates, sample_type::fc32, 500), o, host_rates(), "");
            CPPUNIT_ASSERT(selected.plan.fft_size < 200000);
            return 1 / selected.plan.predicted;
        };
        const std::vector<rate_ratio> good{ { 147, 8000 }, { 1, 50 } };
        const double alone = seconds_of(good);
        for (const std::size_t decimation : { 243, 251 }) {
            auto all = good;
            all.push_back({ 1, decimation });
            const double with = seconds_of(all);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(with / alone), with < 4 * alone);
        }
        seconds_of({ { 128, 147 }, { 125, 147 }, { 1, 2500 }, { 17, 40 }, { 1, 2 } });
    }

    //! "auto" computes a rate each of whose ways exceeds half of the memory, and the
    //! number of threads does not decide which of the others' ways are open.
    void auto_refuses_no_rate()
    {
        const auto variant_of = [&](const std::vector<rate_ratio>& rates,
                                    std::size_t taps,
                                    unsigned threads) {
            auto o = options("host");
            o.threads = threads;
            return host_instead(
                       with_rates(rates, sample_type::fc32, taps), o, host_rates(), "")
                .plan.variant;
        };
        CPPUNIT_ASSERT_EQUAL(std::string("simd"),
                             variant_of({ { 1929, 1562500 } }, 20000, 2));
        for (const unsigned threads : { 1U, 16U }) {
            const auto variant = variant_of(
                { { 1, 1250 }, { 441, 400000 }, { 441, 200000 }, { 441, 100000 } },
                33000,
                threads);
            CPPUNIT_ASSERT_MESSAGE(variant,
                                   variant.find("selected_bins") == std::string::npos);
        }
    }

    //! The memory of a device is not the host's.
    void long_calls_of_groups_on_a_device()
    {
        auto o = on_device("copy");
        o.typical_items = std::size_t(1) << 20;
        freq_xlating_filter_bank bank(
            with_rates({ { 17, 100 } }, sample_type::fc32, 9), o, d_registry);
        CPPUNIT_ASSERT(!bank.fell_back());
        CPPUNIT_ASSERT(error_of(bank, stream(bank, 3000, 9)) < -120);
    }

    //! The memory that the process has now, in bytes; 0 where no library counts it.
    static std::size_t memory_in_use()
    {
#ifdef CLDSP_COUNTS_MEMORY
        const auto all = mallinfo2();
        return all.uordblks + all.hblkhd;
#else
        return 0;
#endif
    }

    //! Each variant computes such a rate within the bound, or its error says what does.
    void making_takes_bounded_memory()
    {
        const auto problem = with_rates({ { 3391, 7827 } }, sample_type::fc32, 1);
        for (const std::string variant : { "auto", "simd", "volk", "selected_bins" }) {
            const std::size_t before = memory_in_use();
            auto o = options("host", variant);
            o.threads = 4; // each of which has memory of its own
            freq_xlating_filter_bank bank(problem, o, d_registry);
            const double error = error_of(bank, stream(bank, 20000, 9));
            CPPUNIT_ASSERT_MESSAGE(variant + ": " + std::to_string(error), error < -110);
            CPPUNIT_ASSERT(memory_in_use() < before + (std::size_t(1) << 28));
        }
        assert_refused(
            { "variant", "'polyphase'", "3391 outputs for 7827 items", "'auto', 'simd'" },
            [&] {
                freq_xlating_filter_bank(
                    problem, options("host", "polyphase"), d_registry);
            });
        // Few groups of it are within the bound.
        const auto few = with_rates({ { 3, 16 } }, sample_type::fc32, 40);
        freq_xlating_filter_bank bank(few, options("host", "polyphase"), d_registry);
        CPPUNIT_ASSERT(error_of(bank, stream(bank, 3000, 9)) < -120);
    }

    void a_sole_way_is_measured()
    {
        for (const char* variant : { "simd", "selected_bins" }) {
            const freq_xlating_filter_bank bank(
                with_rates({ { 13, 300 } }), options("host", variant), d_registry);
            CPPUNIT_ASSERT(bank.chosen().measured > 0);
            CPPUNIT_ASSERT(bank.chosen().predicted > 0);
        }
    }

    void lost_device()
    {
        const auto device = d_registry.get(test_device());
        for (const int after : { 0, 1, 4, 9 }) {
            d_log.clear();
            freq_xlating_filter_bank bank(with_rates({ { 1, 4 }, { 2, 5 }, { 1, 6 } }),
                                          on_device("copy"),
                                          d_registry);
            CPPUNIT_ASSERT(!bank.fell_back());
            device->inject_failure(injected_call::enqueue, after);
            const stream in(bank, 3000, 7);
            const double error = error_of(bank, in);
            device->inject_failure(injected_call::none);
            CPPUNIT_ASSERT(error < -120);
            CPPUNIT_ASSERT(bank.fell_back());
            CPPUNIT_ASSERT_EQUAL(std::string("host"), bank.device_name());
            CPPUNIT_ASSERT(logged("clEnqueueNDRangeKernel"));
        }
    }

    //! Calls of exactly as many items as are announced give outputs, and calls of one
    //! less give none.
    void the_next_output_is_announced()
    {
        freq_xlating_filter_bank bank(
            with_rates({ { 1, 4 }, { 3, 8 }, { 1, 7 } }), options("host"), d_registry);
        const stream in(bank, 3000, 8);
        std::vector<std::complex<float>> values(3 * 8);
        std::complex<float>* places[3] = { &values[0], &values[8], &values[16] };
        std::size_t counts[3] = {};
        const auto call = [&](std::size_t done, std::size_t items) {
            CPPUNIT_ASSERT_EQUAL(
                items,
                bank.process_items(in.bytes.data() + done * sizeof(values[0]),
                                   bank.history() + items,
                                   places,
                                   8,
                                   counts));
            return counts[0] + counts[1] + counts[2];
        };
        for (std::size_t done = 0; done + 8 < in.items;) {
            const std::size_t items = bank.items_to_next_output();
            CPPUNIT_ASSERT(items >= 1 && items <= 3);
            const std::size_t first = items / 2;
            CPPUNIT_ASSERT_EQUAL(std::size_t(0), call(done, first));
            CPPUNIT_ASSERT_EQUAL(items - first, bank.items_to_next_output());
            CPPUNIT_ASSERT(call(done + first, items - first) > 0);
            done += items;
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_rates, "qa_rates");

} // namespace
