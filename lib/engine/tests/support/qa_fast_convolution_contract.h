// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What every executor of fast convolution must do.

#pragma once

#include "tests/support/qa_bank_executor_support.h"
#include "tests/support/qa_refused.h"
#include "tests/support/qa_support.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! Block sizes small enough for the work-groups of a profile and for a simulator.
struct block_case {
    std::size_t decimation, taps, rows;
};

//! A way to make executors.
struct executor_way {
    std::string variant;
    block_case usual;
    std::vector<std::string> transfers;
    bool on_raster = false; //!< whether the channels have to be on one
    bool is_slow = false;   //!< whether a simulation runs, so that few cases do
};

//! Taps that are their own mirror image, or minus that.
inline std::vector<std::complex<float>>
mirrored_taps(std::size_t count, unsigned seed, float sign = 1)
{
    auto taps = random_taps(count, true, seed);
    for (std::size_t k = 0; k < count / 2; ++k)
        taps[count - 1 - k] = sign * taps[k];
    if (count % 2 == 1 && sign < 0)
        taps[count / 2] = 0;
    return taps;
}

//! Channels with the same taps on a raster of \p size frequencies, whose origin is no
//! simple fraction of the sampling rate.
inline std::vector<filter_channel> on_raster(std::size_t size,
                                             const std::vector<int>& places,
                                             std::size_t decimation,
                                             const std::vector<std::complex<float>>& taps,
                                             sample_type type = sample_type::fc32)
{
    constexpr double rate = 2.4e6;
    const shared_taps shared(taps);
    std::vector<filter_channel> channels;
    for (const int place : places) {
        freq_xlating_fir_problem problem;
        problem.input = type;
        problem.decimation = decimation;
        problem.sampling_freq = rate;
        problem.center_freq = 12345.6 + place * rate / static_cast<double>(size);
        channels.emplace_back(problem);
        channels.back().set_taps(shared);
    }
    return channels;
}

//! Channels that the executors of a way take; those of a raster have the same taps.
inline std::vector<filter_channel> channels_of(const executor_way& how,
                                               sample_type type,
                                               const block_case& b,
                                               std::size_t count,
                                               bool real_taps)
{
    if (!how.on_raster)
        return make_channels(type, b.decimation, b.taps, count, real_taps);
    std::vector<int> places;
    for (std::size_t c = 0; c < count; c++) // two of them have the same
        places.push_back(static_cast<int>(c % 7 * 5) - 6);
    return on_raster(
        b.rows, places, b.decimation, random_taps(b.taps, real_taps, 3), type);
}

/*!
 * What every executor of fast convolution has to do, on the host and on devices. A
 * fixture says which executors it makes, in which ways.
 */
class fast_convolution_contract : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(fast_convolution_contract);
    CPPUNIT_TEST(every_decimation);
    CPPUNIT_TEST(every_type);
    CPPUNIT_TEST(every_transfer);
    CPPUNIT_TEST(calls_of_any_length);
    CPPUNIT_TEST(streams_cut_anywhere);
    CPPUNIT_TEST(nothing_beside_the_data_is_touched);
    CPPUNIT_TEST(channels_come_and_go);
    CPPUNIT_TEST(retunes_and_new_taps);
    CPPUNIT_TEST(items_that_are_not_finite);
    CPPUNIT_TEST(taps_that_are_zero_keep_nothing);
    CPPUNIT_TEST(accuracy_is_kept_and_used);
    CPPUNIT_TEST(bad_arguments);
    CPPUNIT_TEST_SUITE_END_ABSTRACT();

protected:
    static constexpr double bound = -120; // dB of the output's peak
    static constexpr double pi = 3.14159265358979323846;

    using taps_of = std::vector<std::complex<float>>;

    using way = executor_way;

    virtual std::vector<way> ways() const = 0;
    //! The ways for tests that make many executors. Where a simulator runs the tests, one
    //! that simulates, too, takes seconds to make.
    std::vector<way> ways_of_many() const
    {
        auto some = ways();
        if (small_tests())
            some.erase(std::remove_if(some.begin(),
                                      some.end(),
                                      [](const way& how) { return how.is_slow; }),
                       some.end());
        return some;
    }
    virtual std::unique_ptr<filter_executor>
    make(const way& how,
         const std::vector<filter_channel>& channels,
         std::size_t rows,
         double accuracy = 0,
         const std::string& transfer = "") const = 0;
    //! Whether a variant has blocks of this size.
    virtual bool
    takes(const way& how, std::size_t rows, std::size_t decimation) const = 0;
    //! The outputs beside those whose taps meet an item that is not finite that may be
    //! spoilt, too.
    virtual std::size_t spoilt_beside(const way& how, std::size_t rows) const = 0;

    static void assert_right(double error, const std::string& what, double limit = bound)
    {
        CPPUNIT_ASSERT_MESSAGE(what + ": " + std::to_string(error) + " dB",
                               error < limit);
    }

    //! Runs a stream, as a whole and in cuts.
    void check(const way& how,
               const std::vector<filter_channel>& channels,
               std::size_t rows,
               std::size_t outputs) const
    {
        stream_case c(channels, outputs);
        const auto bank = make(how, channels, rows);
        c.run(*bank);
        const auto& p = channels[0].problem;
        const std::string what = how.variant + ", " + sample_type_name(p.input) +
                                 ", decimation " + std::to_string(p.decimation) + ", " +
                                 std::to_string(rows) + " rows, " +
                                 std::to_string(p.taps.size()) + " taps";
        assert_right(c.error(), what);
        CPPUNIT_ASSERT_EQUAL(how.variant, bank->variant_name());
        const auto statistics = bank->statistics();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), statistics.calls);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(outputs), statistics.outputs);
        CPPUNIT_ASSERT(statistics.kernel_time > 0);
        c.again();
        c.run_in_cuts(*bank, 5);
        assert_right(c.error(), what + ", in cuts");
    }

    //! Taps of a narrow filter whose response falls without ripples.
    static taps_of narrow_taps(std::size_t decimation)
    {
        taps_of taps;
        const auto half = static_cast<double>(4 * decimation);
        for (double t = -half; t <= half; t++)
            taps.emplace_back(
                static_cast<float>(std::exp(-18 * t * t / (half * half)) / half));
        return taps;
    }
    static filter_channel
    channel_of(std::size_t decimation, const taps_of& taps, double center_freq)
    {
        return filter_channel({ sample_type::fc32, decimation, taps, center_freq, 1.0 });
    }

public:
    void every_decimation()
    {
        std::vector<block_case> cases{ { 2, 9, 16 }, { 1, 7, 32 }, { 7, 130, 32 } };
        if (!small_tests())
            cases.insert(cases.end(),
                         { { 1, 61, 256 },
                           { 42, 201, 8 },
                           { 3, 40, 64 },
                           { 17, 100, 12 },
                           { 42, 2429, 256 },
                           { 100, 500, 16 } });
        // Each size and each number of channels is a program of its own on a device.
        const std::vector<std::size_t> counts{ 1, 4, 9 };
        for (const auto& how : ways_of_many())
            for (std::size_t i = 0; i < cases.size(); ++i)
                for (std::size_t j = 0; j < counts.size(); ++j) {
                    const auto& b = cases[i];
                    if (how.is_slow && i > 2)
                        continue;
                    if (takes(how, b.rows, b.decimation) &&
                        (i == 0 || i % counts.size() == j))
                        check(how,
                              channels_of(how, sample_type::fc32, b, counts[j], false),
                              b.rows,
                              small_tests() ? 40 : 300);
                }
    }

    void every_type()
    {
        for (const auto& how : ways_of_many())
            for (const auto type : all_sample_types())
                for (const bool real_taps : { false, true })
                    if ((!small_tests() && !how.is_slow) || real_taps == is_complex(type))
                        check(how,
                              channels_of(how, type, how.usual, 2, real_taps),
                              how.usual.rows,
                              // The first outputs of cu8 items are not compared.
                              (small_tests() ? 20 : 200) + how.usual.taps);
    }

    //! Memory is copied, or the stream's own memory is used.
    void every_transfer()
    {
        for (const auto& how : ways_of_many())
            for (const auto type : { sample_type::cs16, sample_type::cs12 })
                for (const auto& transfer : how.transfers)
                    for (const std::size_t count : { 1, 3 }) {
                        if ((small_tests() || how.is_slow) &&
                            (count == 1) != (type == sample_type::cs12))
                            continue;
                        const auto channels =
                            channels_of(how, type, how.usual, count, true);
                        const auto bank =
                            make(how, channels, how.usual.rows, 0, transfer);
                        CPPUNIT_ASSERT_EQUAL(transfer, bank->transfer_name());
                        stream_case c(channels, small_tests() ? 20 : 200);
                        for (const bool lent : { false, true }) {
                            if (lent)
                                c.lend_to(*bank);
                            c.again();
                            c.run_in_cuts(*bank, 4);
                            assert_right(c.error(), how.variant + ", " + transfer);
                        }
                        bank->set_stream_memory({}, {});
                    }
    }

    void calls_of_any_length()
    {
        for (const auto& how : ways_of_many()) {
            const auto channels = channels_of(how, sample_type::fc32, how.usual, 2, true);
            const auto bank = make(how, channels, how.usual.rows);
            for (std::size_t outputs = 1; outputs <= 3 * how.usual.rows;
                 outputs += 1 + outputs / (small_tests() ? 1 : 9)) {
                stream_case c(channels, outputs);
                c.run(*bank);
                assert_right(c.error(), how.variant + ", " + std::to_string(outputs));
            }
            run_outputs(*bank, nullptr, 0, { nullptr, nullptr }, 0, { {}, {} });
            if (small_tests() || how.is_slow)
                continue;
            stream_case many(channels, 100000);
            many.run(*bank);
            assert_right(many.error(), how.variant + ", many outputs");
        }
    }

    void streams_cut_anywhere()
    {
        for (const auto& how : ways_of_many())
            for (const auto type :
                 { sample_type::cu8, sample_type::s8, sample_type::cs12 }) {
                const auto channels = channels_of(how, type, how.usual, 3, false);
                const auto bank =
                    make(how, channels, how.usual.rows, 0, how.transfers.back());
                stream_case c(channels, (small_tests() ? 40 : 900) + how.usual.taps);
                for (unsigned seed = 0; seed < (small_tests() ? 1U
                                                : how.is_slow ? 10U
                                                              : 40U);
                     ++seed) {
                    c.again();
                    c.run_in_cuts(*bank, seed);
                    assert_right(c.error(), how.variant);
                }
            }
    }

    //! All memory around the window and the outputs is NaN, which must neither be read
    //! nor overwritten. First the call brings more history than the taps need, then less
    //! than the blocks have, which were made for longer taps.
    void nothing_beside_the_data_is_touched()
    {
        for (const auto& how : ways())
            for (const std::size_t count : { 1, 3 }) {
                block_case b = how.usual;
                auto channels = channels_of(how, sample_type::fc32, b, count, false);
                const auto bank = make(how, channels, b.rows, 0, how.transfers.back());
                run_among_nan(*bank, channels, 3, how.variant);
                b.taps -= b.taps / 4;
                channels = channels_of(how, sample_type::fc32, b, count, false);
                for (std::size_t c = 0; c < count; c++)
                    bank->configure(c, channels[c]);
                run_among_nan(*bank, channels, 0, how.variant + ", shorter taps");
            }
    }

    static void run_among_nan(filter_executor& bank,
                              const std::vector<filter_channel>& channels,
                              std::size_t more_history,
                              const std::string& what)
    {
        constexpr std::size_t guard = 64;
        const std::complex<float> nan(std::nanf(""), std::nanf(""));
        const std::size_t taps = channels[0].taps();
        const std::size_t outputs = small_tests() ? 30 : 150;
        const std::size_t items = channels[0].window(outputs);
        std::vector<std::complex<float>> in(items + more_history + 2 * guard, nan);
        const auto fresh = noise(sample_type::fc32, items, 42);
        std::memcpy(&in[guard + more_history], fresh.data(), items * sizeof(in[0]));
        std::vector<taps_of> out(channels.size(), taps_of(outputs + 2 * guard, nan));
        std::vector<std::complex<float>*> places;
        std::vector<phase64> phases;
        for (std::size_t c = 0; c < channels.size(); c++) {
            places.push_back(out[c].data() + guard);
            phases.push_back(first_phase(channels[c]));
        }
        run_outputs(bank, &in[guard], taps - 1 + more_history, places, outputs, phases);
        for (const auto& one : out)
            for (std::size_t i = 0; i < one.size(); ++i)
                CPPUNIT_ASSERT_EQUAL_MESSAGE(
                    what, i < guard || i >= guard + outputs, std::isnan(one[i].real()));
    }

    void channels_come_and_go()
    {
        for (const auto& how : ways_of_many()) {
            const auto channels =
                channels_of(how, sample_type::fc32, how.usual, 7, false);
            const auto bank = make(how, channels, how.usual.rows);
            const std::vector<std::vector<std::size_t>> calls{
                { 0, 1, 2, 3, 4, 5, 6 }, { 1, 5 }, { 4 }, { 0, 3, 6 }, { 2, 3, 4, 5 }
            };
            for (const auto& active : calls) {
                stream_case c(channels, small_tests() ? 40 : 90);
                c.run_some(*bank, active);
                for (const std::size_t channel : active)
                    assert_right(c.error_of(channel),
                                 how.variant + ", channel " + std::to_string(channel));
            }
            stream_case(channels, 40).run_some(*bank, {});
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(calls.size()), bank->statistics().calls);
        }
    }

    void retunes_and_new_taps()
    {
        for (const auto& how : ways_of_many()) {
            const auto& b = how.usual;
            auto channels = channels_of(how, sample_type::fc32, b, 3, true);
            const auto bank = make(how, channels, b.rows);
            const auto change = [&](std::size_t channel, double freq, std::size_t taps) {
                auto problem = channels[channel].problem;
                problem.center_freq = freq;
                if (taps)
                    problem.taps = random_taps(taps, false, 77);
                channels[channel] = filter_channel(problem);
                bank->configure(channel, channels[channel]);
                const std::size_t outputs = small_tests() ? 20 : 130; // several blocks
                // A call may bring more history than the taps need.
                std::vector<std::size_t> histories{ 0, b.taps + 20, b.taps + 25 };
                if (small_tests() || how.is_slow)
                    histories = { taps == 2 ? 0 : b.taps + 25 };
                for (const std::size_t max_taps : histories) {
                    stream_case c(channels, outputs, max_taps);
                    c.run(*bank);
                    assert_right(c.error(),
                                 how.variant + ", " + std::to_string(freq) + " Hz, " +
                                     std::to_string(taps) + " taps");
                }
            };
            change(1, -654321.1, 0);
            change(0, 1e9 / 3, 0);
            change(2, 5000, 3);
            change(0, 5000, 1);
            change(1, -1, 2); // now the history of the calls is shorter than the overlap
                              // of the blocks
            change(1, 31.25, b.taps);
            if (b.rows > 2 * (2 * b.taps / b.decimation) || !small_tests())
                change(2, 100, 2 * b.taps); // needs blocks with a longer overlap
        }
    }

    //! Outputs whose taps meet such an item are not finite. Others are right, but for
    //! those of the same block on devices.
    void items_that_are_not_finite()
    {
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        constexpr float inf = std::numeric_limits<float>::infinity();
        const std::complex<float> values[] = {
            { nan, 0 }, { 0, nan }, { inf, 0 }, { 1, -inf }
        };
        for (const auto& how : ways_of_many()) {
            const auto channels = channels_of(how, sample_type::fc32, how.usual, 3, true);
            const auto bank = make(how, channels, how.usual.rows);
            const bool few = small_tests() || how.is_slow;
            const std::size_t outputs = (few ? 5 : 8) * how.usual.rows;
            std::size_t number = 0;
            for (const auto& value : values)
                for (const std::size_t part : { 0, 1, 3, 7, 10 }) {
                    if (few && number++ % 6 != 0)
                        continue; // each value at another place
                    stream_case c(channels, outputs);
                    c.spoil((c.items() - 1) * part / 10, value);
                    for (const bool cut : { false, true }) {
                        c.again();
                        if (cut)
                            c.run_in_cuts(*bank, static_cast<unsigned>(part));
                        else
                            c.run(*bank);
                        c.check_spoilt(spoilt_beside(how, how.usual.rows),
                                       bound,
                                       how.variant + ", part " + std::to_string(part));
                    }
                }
            // The bad items have no effect on later streams.
            stream_case good(channels, outputs);
            good.run(*bank);
            assert_right(good.error(), how.variant + ", after bad items");
        }
    }

    void taps_that_are_zero_keep_nothing()
    {
        for (const auto& how : ways()) {
            const std::vector<filter_channel> channels{ filter_channel(
                { sample_type::fc32, how.usual.decimation, { 0, 0, 0 }, 0.1, 1.0 }) };
            const auto bank = make(how, channels, how.usual.rows, 1e-5);
            std::vector<std::complex<float>> in(channels[0].window(50), 1), out(50, 1);
            run_outputs(*bank, in.data(), 2, { out.data() }, out.size(), { {} });
            CPPUNIT_ASSERT_MESSAGE(how.variant,
                                   out == std::vector<std::complex<float>>(50));
        }
    }

    //! Measures a low-pass filter's response by tones at the block's output.
    void accuracy_is_kept_and_used()
    {
        constexpr std::size_t decimation = 7, count = 91, rows = 32;
        const std::size_t outputs = small_tests() ? 60 : 1200;
        taps_of taps;
        double gain = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const double n = static_cast<double>(i) - (count - 1) / 2.0;
            const double window = 0.42 + 0.5 * std::cos(2 * pi * n / (count + 1)) +
                                  0.08 * std::cos(4 * pi * n / (count + 1));
            const double value =
                window * (n == 0 ? 0.08 : std::sin(0.08 * pi * n) / (pi * n));
            taps.emplace_back(static_cast<float>(value));
            gain += value;
        }
        const filter_channel setup({ sample_type::fc32, decimation, taps, 0.1, 1.0 });
        const auto measured = [&](filter_executor& filter, double freq) {
            std::vector<std::complex<float>> in(setup.window(outputs)), out(outputs);
            for (std::size_t i = 0; i < in.size(); ++i)
                in[i] = static_cast<std::complex<float>>(
                    std::polar(1.0, 2 * pi * freq * static_cast<double>(i)));
            run_outputs(filter, in.data(), count - 1, { out.data() }, outputs, { {} });
            // Only whole blocks are summed, because the effects at a block's borders
            // differ between blocks.
            std::complex<double> sum = 0;
            const std::size_t used = outputs / (rows - 12) * (rows - 12);
            for (std::size_t i = 0; i < used; ++i)
                sum += std::complex<double>(out[i]) *
                       std::polar(1.0,
                                  -2 * pi * (freq - 0.1) *
                                      static_cast<double>(i * decimation));
            return sum / static_cast<double>(used);
        };
        for (const auto& how : ways_of_many()) {
            // The block of a small one is too short for a stopband.
            if (!takes(how, rows, decimation) || how.usual.rows < rows / 2)
                continue;
            const int tones = small_tests() ? 3 : how.is_slow ? 11 : 41;
            const auto tone = [&](int i) {
                return -0.5 + i / static_cast<double>(tones);
            };
            const auto exact = make(how, { setup }, rows);
            std::vector<std::complex<double>> expected;
            for (int i = 0; i < tones; ++i)
                expected.push_back(measured(*exact, tone(i)));
            for (const double accuracy : { 1e-3, 1e-2 }) {
                const auto filter = make(how, { setup }, rows, accuracy);
                double largest = 0;
                for (int i = 0; i < tones; ++i)
                    largest = std::max(
                        largest, std::abs(measured(*filter, tone(i)) - expected[i]));
                CPPUNIT_ASSERT_MESSAGE(how.variant + ": " +
                                           std::to_string(largest / gain),
                                       largest < accuracy * gain);
                // Some bins were left out, as expected.
                CPPUNIT_ASSERT_MESSAGE(how.variant,
                                       leaves_bins_out(how) == (largest > 1e-6 * gain));
            }
        }
    }
    //! Whether a variant uses the accuracy; the others are exact.
    virtual bool leaves_bins_out(const way&) const { return true; }

    void bad_arguments()
    {
        for (const auto& how : ways_of_many()) {
            const auto& b = how.usual;
            const auto channels = channels_of(how, sample_type::fc32, b, 2, true);
            for (const double accuracy : { -1e-9, 0.2, std::nan("") })
                assert_refused({ "'accuracy'", "0 to 0.1" },
                               [&] { make(how, channels, b.rows, accuracy); });
            // A block that the variant does not have.
            for (const std::size_t rows : { 7, 14 })
                if (!takes(how, rows, b.decimation))
                    assert_refused({ "'ifft_size'", std::to_string(rows) },
                                   [&] { make(how, channels, rows); });
            const auto bank = make(how, channels, b.rows);
            assert_refused({ "'channel'", "2", "0 to 1" },
                           [&] { bank->configure(2, channels[0]); });
            stream_case c(channels, 50);
            c.run(*bank);
            assert_right(c.error(), how.variant + ", after what was refused");
        }
    }
};

} // namespace cldsp
