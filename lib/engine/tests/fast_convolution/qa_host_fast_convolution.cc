/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tests/support/qa_host_fir_support.h"
#include "tests/support/qa_support.h"

#include "base/thread_pool.h"
#include "tests/support/qa_filter_of_one.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

//! The variants that cover a decimation.
std::vector<std::string> variants(std::size_t decimation)
{
    if (decimation == 1)
        return { "polyphase", "four_step", "selected_bins" };
    return { "polyphase", "selected_bins" };
}

void check_stream(const stream& s, const std::string& variant, std::size_t rows)
{
    const auto fir = make_host_fast_convolution(variant, s.setup, rows, 0);
    CPPUNIT_ASSERT_EQUAL(variant, fir->variant_name());
    const double error = error_db(s.run(*fir), s.expected);
    CPPUNIT_ASSERT_MESSAGE(variant + ", " + std::to_string(s.setup.taps()) + " taps, " +
                               std::to_string(s.setup.problem.decimation) +
                               " to 1: " + std::to_string(error) + " dB",
                           error < -120);
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();
const std::complex<float> not_finite[] = {
    { nan, 0 }, { 0, nan }, { inf, 0 }, { 1, -inf }
};

//! Checks the outputs if the item at \p at is not finite.
void check_spoilt(const stream& s, outputs_t got, std::size_t at)
{
    auto expected = s.expected;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); i++) {
        const std::size_t oldest = i * s.setup.problem.decimation;
        const bool meets = oldest <= at && at < oldest + s.setup.taps();
        const bool finite = std::isfinite(got[i].real()) && std::isfinite(got[i].imag());
        wrong += meets == finite;
        if (meets || !finite)
            expected[i] = got[i] = 0;
    }
    CPPUNIT_ASSERT_EQUAL_MESSAGE(
        "outputs spoilt that should not be, or the other way", std::size_t(0), wrong);
    CPPUNIT_ASSERT(error_db(got, expected) < -120);
}

} // namespace

class qa_host_fast_convolution : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_host_fast_convolution);
    CPPUNIT_TEST(shapes);
    CPPUNIT_TEST(types);
    CPPUNIT_TEST(block_sizes);
    CPPUNIT_TEST(cuts);
    CPPUNIT_TEST(large_blocks_of_several_channels);
    CPPUNIT_TEST(reads_no_further);
    CPPUNIT_TEST(retune);
    CPPUNIT_TEST(taps_change);
    CPPUNIT_TEST(taps_beyond_the_rows);
    CPPUNIT_TEST(items_that_are_not_finite);
    CPPUNIT_TEST(items_that_are_not_finite_in_a_bank);
    CPPUNIT_TEST(streams_that_are_not_finite);
    CPPUNIT_TEST(statistics);
    CPPUNIT_TEST(bad_arguments);
    CPPUNIT_TEST_SUITE_END();

public:
    void shapes()
    {
        for (const std::size_t decimation : { 1, 2, 3, 5, 8, 16, 17, 42, 50, 130 }) {
            for (const std::size_t taps : { 1, 2, 41, 42, 43, 201, 1000 }) {
                const stream s(make_problem(sample_type::fc32, decimation, taps, false),
                               small_tests() ? 150 : 700);
                for (const auto& variant : variants(decimation))
                    check_stream(s, variant, 0);
            }
        }
        const stream s(make_problem(sample_type::fc32, 42, 2429, true), 1000);
        for (const auto& variant : variants(42))
            check_stream(s, variant, 0);
    }

    void types()
    {
        for (const auto type : all_sample_types()) {
            for (const bool real_taps : { false, true }) {
                const stream s(make_problem(type, 12, 131, real_taps), 1000);
                for (const auto& variant : variants(12))
                    check_stream(s, variant, 0);
            }
        }
    }

    void block_sizes()
    {
        const stream s(make_problem(sample_type::fc32, 42, 300, true), 1500);
        for (const std::size_t rows : { 16, 32, 64, 128, 256, 512, 1024 })
            for (const auto& variant : variants(42))
                check_stream(s, variant, rows);
    }

    void cuts()
    {
        const stream s(make_problem(sample_type::cs16, 10, 555, true), 3000);
        for (const auto& variant : variants(10)) {
            const auto fir = make_host_fast_convolution(variant, s.setup, 0, 0);
            for (unsigned seed = 0; seed < (small_tests() ? 3 : 50); seed++)
                CPPUNIT_ASSERT(error_db(s.run_in_cuts(*fir, seed), s.expected) < -120);
        }
    }

    //! Checks the outputs of the channels whose streams are there; the others are idle.
    //! The streams are cut into calls before the outputs of \p cuts.
    static void check_in_calls(filter_executor& bank,
                               const std::vector<const stream*>& channels,
                               std::vector<std::size_t> cuts)
    {
        const stream& some = **std::find_if(
            channels.begin(), channels.end(), [](const stream* s) { return s; });
        std::vector<outputs_t> out(channels.size(), outputs_t(some.outputs));
        const std::size_t item = sample_size(some.setup.problem.input);
        cuts.push_back(some.outputs);
        std::size_t begin = 0;
        for (const std::size_t end : cuts) {
            std::vector<std::complex<float>*> to;
            std::vector<phase64> phases;
            for (std::size_t c = 0; c < channels.size(); c++) {
                const stream* s = channels[c];
                to.push_back(s ? out[c].data() + begin : nullptr);
                phases.push_back(s ? s->phase - s->advance() * begin : phase64());
            }
            bank.run({ some.items.data() + begin * some.setup.problem.decimation * item,
                       some.setup.taps() - 1,
                       to.data(),
                       end - begin,
                       phases.data() });
            begin = end;
        }
        for (std::size_t c = 0; c < channels.size(); c++)
            if (channels[c]) {
                const double error = error_db(out[c], channels[c]->expected);
                CPPUNIT_ASSERT_MESSAGE("channel " + std::to_string(c) + ": " +
                                           std::to_string(error) + " dB",
                                       error < -120);
            }
    }

    // The transform of these blocks stores only the bins that the active channels keep.
    void large_blocks_of_several_channels()
    {
        constexpr std::size_t decimation = 600, taps = 6001, outputs = 500;
        std::vector<std::complex<float>> low_pass;
        for (std::size_t i = 0; i < taps; i++) {
            const double offset = static_cast<double>(i) - 0.5 * (taps - 1.0);
            const double x = M_PI * offset / decimation;
            const double turn = 2 * M_PI * offset / (taps - 1.0);
            const double window = 0.42 + 0.5 * std::cos(turn) + 0.08 * std::cos(2 * turn);
            low_pass.emplace_back(window * (x == 0 ? 1 : std::sin(x) / x) / decimation);
        }
        for (const auto type : { sample_type::s16, sample_type::fc32 }) {
            const auto make = [&](double center_freq) {
                auto problem = make_problem(type, decimation, taps, true);
                problem.taps = low_pass;
                problem.center_freq = center_freq;
                return stream(problem, outputs);
            };
            const stream first = make(123456.7), second = make(-1007000.0),
                         third = make(0), fourth = make(777000.1);
            const std::vector<filter_channel> setups = { first.setup,
                                                         second.setup,
                                                         third.setup };
            const auto bank = make_host_fast_convolution("selected_bins",
                                                         setups,
                                                         160,
                                                         1e-7,
                                                         std::make_shared<thread_pool>(2),
                                                         model_costs(setups));
            check_in_calls(*bank, { &first, &second, &third }, {});
            check_in_calls(*bank, { &first, &second, &third }, { 1, 140, 300, 301, 455 });
            check_in_calls(*bank, { nullptr, &second, nullptr }, { 200 });
            check_in_calls(*bank, { &first, nullptr, &third }, { 99 });
            bank->configure(1, fourth.setup);
            check_in_calls(*bank, { &first, &fourth, &third }, { 222 });
        }
    }

    void reads_no_further()
    {
        for (const std::size_t decimation : { 1, 7, 42 }) {
            for (const std::size_t outputs : { 1, 60, 500, 2000 }) {
                const stream s(make_problem(sample_type::fc32, decimation, 299, true),
                               outputs);
                for (const bool at_end : { false, true }) {
                    const guarded_memory items(s.items.size(), at_end);
                    std::copy(s.items.begin(),
                              s.items.end(),
                              static_cast<unsigned char*>(items.data()));
                    const guarded_memory out(outputs * sizeof(std::complex<float>),
                                             at_end);
                    auto* to = static_cast<std::complex<float>*>(out.data());
                    for (const auto& variant : variants(decimation)) {
                        const auto fir =
                            make_host_fast_convolution(variant, s.setup, 0, 0);
                        fir->run(s.call(items.data(), to));
                        CPPUNIT_ASSERT(error_db({ to, to + outputs }, s.expected) < -120);
                    }
                }
            }
        }
    }

    void retune()
    {
        auto problem = make_problem(sample_type::fc32, 21, 700, true);
        const filter_channel before(problem);
        problem.center_freq = 321098.7;
        const stream s(problem, 1000);
        for (const auto& variant : variants(21)) {
            const auto fir = make_host_fast_convolution(variant, before, 0, 0);
            fir->configure(s.setup);
            CPPUNIT_ASSERT(error_db(s.run(*fir), s.expected) < -120);
        }
    }

    void taps_change()
    {
        const std::size_t numbers[] = { 300, 3000, 17, 299, 3001 };
        for (const auto& variant : variants(16)) {
            const auto fir = make_host_fast_convolution(
                variant,
                filter_channel(make_problem(sample_type::cu8, 16, 299, true)),
                0,
                0);
            for (const std::size_t taps : numbers) {
                const stream s(make_problem(sample_type::cu8, 16, taps, true), 1000);
                fir->configure(s.setup);
                CPPUNIT_ASSERT(error_db(s.run(*fir), s.expected) < -120);
            }
        }
    }

    // A block's transform of rows has a maximum length; the stream continues with longer
    // taps.
    void taps_beyond_the_rows()
    {
        const auto fir = make_host_fast_convolution(
            "polyphase",
            filter_channel(make_problem(sample_type::fc32, 16, 100, true)),
            0,
            0);
        const stream s(make_problem(sample_type::fc32, 16, 20000, true), 2000);
        fir->configure(s.setup);
        CPPUNIT_ASSERT(error_db(s.run(*fir), s.expected) < -120);
        CPPUNIT_ASSERT_EQUAL(std::string("selected_bins"), fir->variant_name());
        // With short taps the bank returns to the method that the options name.
        const stream other(make_problem(sample_type::fc32, 16, 90, true), 2000);
        fir->configure(other.setup);
        CPPUNIT_ASSERT(error_db(other.run(*fir), other.expected) < -120);
        CPPUNIT_ASSERT_EQUAL(std::string("polyphase"), fir->variant_name());
    }

    // Only the outputs whose taps meet the item are spoilt, however the stream is cut
    // into calls.
    void items_that_are_not_finite()
    {
        const std::vector<std::pair<std::size_t, std::size_t>> shapes = {
            { 1, 51 }, { 1, 700 }, { 8, 51 }, { 8, 1001 }, { 42, 300 }
        };
        for (const auto& [decimation, taps] : shapes) {
            const auto problem = make_problem(sample_type::fc32, decimation, taps, true);
            const stream good(problem, small_tests() ? 700 : 2500);
            for (const auto& variant : variants(decimation)) {
                const auto fir = make_host_fast_convolution(variant, good.setup, 0, 0);
                for (const auto& value : not_finite) {
                    for (const std::size_t part : { 0, 1, 3, 7, 10 }) {
                        stream s = good;
                        auto* items = reinterpret_cast<std::complex<float>*>(&s.items[0]);
                        const std::size_t last = s.setup.window(s.outputs) - 1;
                        items[last * part / 10] = value;
                        check_spoilt(s, s.run(*fir), last * part / 10);
                        check_spoilt(s, s.run_in_cuts(*fir, part), last * part / 10);
                    }
                }
                // The bad items have no effect on later streams.
                CPPUNIT_ASSERT(error_db(good.run(*fir), good.expected) < -120);
            }
        }
    }

    // These outputs are not computed, because a sum would have the payload of the item's
    // NaN.
    void streams_that_are_not_finite()
    {
        for (const auto type : { sample_type::fc32, sample_type::f32 }) {
            for (const std::size_t decimation : { 1, 16 }) {
                const stream s(make_problem(type, decimation, 301, true),
                               small_tests() ? 700 : 2500);
                const std::size_t count = s.items.size() / sizeof(float);
                for (const float value : { std::nanf("0x1234"), inf }) {
                    // Either no item of the stream is finite, or all but one are, which
                    // then spoils some outputs.
                    for (const bool all : { false, true }) {
                        auto bad = s;
                        auto* items = reinterpret_cast<float*>(bad.items.data());
                        if (all)
                            std::fill_n(items, count, value);
                        else
                            items[count / 2] = value;
                        for (const auto& variant : variants(decimation))
                            check_nans(bad, variant, all);
                    }
                }
            }
        }
    }

    static void check_nans(const stream& s, const std::string& variant, bool all)
    {
        const auto fir = make_host_fast_convolution(variant, s.setup, 0, 0);
        const float not_computed[] = { nan, nan };
        std::size_t spoilt = 0;
        for (const auto& value : s.run(*fir)) {
            const bool re = std::isnan(value.real()), im = std::isnan(value.imag());
            CPPUNIT_ASSERT_MESSAGE(variant,
                                   (re && im) || (!all && std::isfinite(value.real()) &&
                                                  std::isfinite(value.imag())));
            spoilt += re;
            CPPUNIT_ASSERT(!re || std::memcmp(&value, not_computed, sizeof(value)) == 0);
        }
        CPPUNIT_ASSERT(all || (spoilt > 0 && spoilt < s.outputs));
    }

    void items_that_are_not_finite_in_a_bank()
    {
        constexpr std::size_t taps = 301;
        for (const std::size_t decimation : { 1, 16 }) {
            std::vector<stream> channels;
            std::vector<filter_channel> setups;
            for (const bool real_taps : { true, false, true }) {
                auto problem =
                    make_problem(sample_type::fc32, decimation, taps, real_taps);
                problem.center_freq += 1e5 * static_cast<double>(setups.size());
                channels.emplace_back(problem, small_tests() ? 700 : 2500);
                setups.push_back(channels.back().setup);
            }
            const auto pool = std::make_shared<thread_pool>(2);
            for (const auto& variant : variants(decimation)) {
                const auto bank = make_host_fast_convolution(
                    variant, setups, 0, 0, pool, model_costs(setups));
                for (const auto& value : not_finite)
                    check_bank(*bank, channels, value);
            }
        }
    }

    void check_bank(filter_executor& bank,
                    const std::vector<stream>& channels,
                    std::complex<float> value)
    {
        const stream& first = channels.front();
        auto bytes = first.items;
        auto* items = reinterpret_cast<std::complex<float>*>(bytes.data());
        const std::size_t at = first.setup.window(first.outputs) / 2;
        items[at] = value;
        std::vector<outputs_t> out(channels.size(), outputs_t(first.outputs));
        const std::size_t past = first.setup.taps() - 1;
        // The stream is cut into two calls within the window that meets the item.
        const std::size_t cut = at / first.setup.problem.decimation - 3;
        for (const bool before : { true, false }) {
            const std::size_t begin = before ? 0 : cut;
            const std::size_t end = before ? cut : first.outputs;
            std::vector<std::complex<float>*> to;
            std::vector<phase64> phases;
            for (std::size_t c = 0; c < channels.size(); c++) {
                to.push_back(out[c].data() + begin);
                phases.push_back(channels[c].phase - channels[c].advance() * begin);
            }
            bank.run({ items + begin * first.setup.problem.decimation,
                       past,
                       to.data(),
                       end - begin,
                       phases.data() });
        }
        for (std::size_t c = 0; c < channels.size(); c++)
            check_spoilt(channels[c], out[c], at);
    }

    void statistics()
    {
        const stream s(make_problem(sample_type::fc32, 42, 300, true), 500);
        for (const auto& variant : variants(42)) {
            const auto fir = make_host_fast_convolution(variant, s.setup, 0, 0);
            CPPUNIT_ASSERT(fir->statistics().calls == 0);
            s.run(*fir);
            s.run(*fir);
            CPPUNIT_ASSERT(fir->statistics().calls == 2);
            CPPUNIT_ASSERT(fir->statistics().outputs == 1000);
            CPPUNIT_ASSERT(fir->statistics().kernel_time > 0);
            CPPUNIT_ASSERT_EQUAL(std::string("host"), fir->device_name());
            CPPUNIT_ASSERT_EQUAL(std::string("none"), fir->transfer_name());
        }
    }

    void bad_arguments()
    {
        const filter_channel setup(make_problem(sample_type::fc32, 42, 300, true));
        CPPUNIT_ASSERT_THROW(make_host_fast_convolution("simd", setup, 0, 0),
                             std::invalid_argument);
        CPPUNIT_ASSERT_THROW(make_host_fast_convolution("polyphase", setup, 100, 0),
                             std::invalid_argument);
        const filter_channel huge(make_problem(sample_type::fc32, 1, 100000, true));
        CPPUNIT_ASSERT_THROW(make_host_fast_convolution("polyphase", huge, 0, 0),
                             std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_host_fast_convolution,
                                      "qa_host_fast_convolution");

} // namespace cldsp
