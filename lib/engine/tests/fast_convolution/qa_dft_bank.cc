// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the DFT filter bank, with channels on a raster and off it.

#include "base/arithmetic.h"
#include "fast_convolution/dft_bank.h"
#include "fast_convolution/opencl_dft_bank.h"
#include "tests/support/qa_bank_executor_support.h"
#include "tests/support/qa_context_support.h"
#include "tests/support/qa_fast_convolution_contract.h"
#include "tests/support/qa_refused.h"
#include "tests/support/qa_support.h"

#include <cldsp/errors.h>
#include <cldsp/freq_xlating_filter_bank.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace cldsp;

namespace {

using taps_of = std::vector<std::complex<float>>;

//! Tests of the DFT filter bank: channels with the same taps on a raster of frequencies.
class qa_dft_bank : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_dft_bank);
    CPPUNIT_TEST(radices_have_the_product);
    CPPUNIT_TEST(raster_is_found);
    CPPUNIT_TEST(raster_is_exact);
    CPPUNIT_TEST(sizes_for_any_limits);
    CPPUNIT_TEST(several_sizes);
    CPPUNIT_TEST(many_products);
    CPPUNIT_TEST(retune_on_the_raster_and_off_it);
    CPPUNIT_TEST(new_taps);
    CPPUNIT_TEST(every_channel_off_the_raster);
    CPPUNIT_TEST(errors);
    CPPUNIT_TEST(bank_by_name);
    CPPUNIT_TEST(offered_to_channels_at_different_frequencies);
    CPPUNIT_TEST(plan_of_another_raster_is_outdated);
    CPPUNIT_TEST_SUITE_END();

    static constexpr double bound = -120; // dB of the output's peak
    static constexpr double rate = 2.4e6;

    context_registry d_registry{ test_options() };
    const std::shared_ptr<context> d_device = d_registry.get(test_device());

    static double frequency(std::size_t size, double place)
    {
        return 12345.6 + place * rate / static_cast<double>(size);
    }
    static std::vector<int> all_places(std::size_t size)
    {
        std::vector<int> places(size);
        std::iota(places.begin(), places.end(), -static_cast<int>(size / 2));
        return places;
    }

    std::unique_ptr<filter_executor> make(const std::vector<filter_channel>& channels,
                                          std::size_t size = 0) const
    {
        return make_opencl_dft_bank(d_device, "copy", channels, 1e-7, size);
    }

    static double error_in_cuts(filter_executor& bank,
                                const std::vector<filter_channel>& channels,
                                std::size_t outputs,
                                unsigned seed = 5)
    {
        stream_case c(channels, outputs);
        c.run_in_cuts(bank, seed);
        return c.error();
    }

    static void
    retune(filter_channel& channel, filter_executor& bank, std::size_t index, double freq)
    {
        channel.set_center_freq(freq);
        bank.configure(index, channel);
    }

    //! A small bank on 12 frequencies, two of whose channels have the same.
    static std::vector<filter_channel> usual()
    {
        return on_raster(12, { 5, -3, 0, 5, 7, -6, 2 }, 7, random_taps(60, true, 3));
    }

public:
    void radices_have_the_product()
    {
        for (std::size_t size = 0; size <= max_raster_size; size++) {
            const auto radices = dft_bank_radices(size);
            std::size_t left = std::max<std::size_t>(1, size);
            for (const std::size_t prime : { 2, 3, 5 })
                while (left % prime == 0)
                    left /= prime;
            if (size < 2 || left > 1) {
                CPPUNIT_ASSERT(radices.empty());
                continue;
            }
            std::size_t twos = 0, odd = 0;
            for (std::size_t rest = size; rest > 1; ++(rest % 2 ? odd : twos))
                rest /= rest % 2 == 0 ? 2 : rest % 3 == 0 ? 3 : 5;
            if (radices.empty()) {
                CPPUNIT_ASSERT(divide_up(twos, 4) + odd > 6); // too many passes
                continue;
            }
            std::size_t product = 1;
            for (const std::size_t radix : radices) {
                CPPUNIT_ASSERT(radix == 2 || radix == 3 || radix == 4 || radix == 5 ||
                               radix == 8 || radix == 16);
                product *= radix;
            }
            CPPUNIT_ASSERT_EQUAL(size, product);
            CPPUNIT_ASSERT(radices.size() <= 6);
        }
        CPPUNIT_ASSERT(dft_bank_radices(32) == std::vector<std::size_t>({ 8, 4 }));
        CPPUNIT_ASSERT(dft_bank_radices(1024) == std::vector<std::size_t>({ 16, 16, 4 }));
        CPPUNIT_ASSERT(dft_bank_radices(1000) ==
                       std::vector<std::size_t>({ 8, 5, 5, 5 }));
    }

    void raster_is_found()
    {
        const auto taps = random_taps(31, true, 1);
        const auto found = [](const std::vector<filter_channel>& channels) {
            return find_raster(channels, max_raster_size);
        };
        for (const std::size_t size : { 2, 3, 10, 96, 400, 1024, 6000 }) {
            const auto last = static_cast<int>(size) - 1;
            const auto channels = on_raster(size, { 1, 2, last, 1 }, 5, taps);
            CPPUNIT_ASSERT_EQUAL(size, found(channels));
            CPPUNIT_ASSERT_EQUAL(std::size_t(0), find_raster(channels, size - 1));
            CPPUNIT_ASSERT_EQUAL(std::size_t(1),
                                 place_on_raster(channels[1], channels[0], size)->place);
            CPPUNIT_ASSERT_EQUAL(size - 2,
                                 place_on_raster(channels[2], channels[0], size)->place);
        }
        // Frequencies in steps of 7 / 96 are on the raster of 96 and on no coarser one. A
        // raster of 14 needs a radix of 7, and so does every multiple of it.
        CPPUNIT_ASSERT_EQUAL(std::size_t(96), found(on_raster(96, { 0, 7 }, 5, taps)));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), found(on_raster(14, { 0, 1 }, 5, taps)));
        auto channels = on_raster(96, { 0, 7 }, 5, taps);
        channels[1].set_center_freq(frequency(96, 7) + 0.001);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), found(channels));
        channels = on_raster(96, { 0, 7 }, 5, taps);
        channels[1].set_taps(taps); // the same in another list
        CPPUNIT_ASSERT_EQUAL(std::size_t(96), found(channels));
        channels[1].set_taps(random_taps(31, true, 2));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), found(channels));
    }

    //! A channel that counts as being on the raster keeps its phase through each piece.
    void raster_is_exact()
    {
        const auto channels = on_raster(1000, { 0, 499 }, 5, { 1, 2, 3 });
        CPPUNIT_ASSERT(place_on_raster(channels[1], channels[0], 1000)->error < 1e-15);
        auto other = channels[1];
        for (const double hertz : { 1e-8, -1e-7 }) {
            other.set_center_freq(frequency(1000, 499) + hertz);
            const auto found = place_on_raster(other, channels[0], 1000);
            CPPUNIT_ASSERT_EQUAL(std::size_t(499), found->place);
            CPPUNIT_ASSERT_DOUBLES_EQUAL(std::abs(hertz) / rate, found->error, 1e-16);
        }
        other.set_center_freq(frequency(1000, 499) + 1e-6);
        CPPUNIT_ASSERT(!place_on_raster(other, channels[0], 1000));
        for (const double error : { 0.0, 1e-17, 1e-14, 0x1p-43 }) {
            const auto items = static_cast<double>(max_raster_items(error));
            CPPUNIT_ASSERT(items * error <= 0x1p-24 && items >= 0x1p19);
        }
        // Differences of frequencies of hundreds of megahertz, by thirds of 25 kHz.
        for (const double sampling_freq : { 2.4e6, 250e3 })
            for (const double origin : { 118e6, 446e6 }) {
                std::vector<filter_channel> airband;
                for (int k = 0; k < 20; k++) {
                    auto problem = freq_xlating_fir_problem(channels[0].problem);
                    problem.sampling_freq = sampling_freq;
                    problem.center_freq = (origin + 25e3 * k / 3) - (origin - 1e5);
                    airband.emplace_back(problem);
                }
                CPPUNIT_ASSERT_EQUAL(std::size_t(sampling_freq > 1e6 ? 288 : 30),
                                     find_raster(airband, max_raster_size));
            }
    }

    void sizes_for_any_limits()
    {
        device_limits limits = d_device->limits();
        for (const std::size_t group : { 1, 12, 64, 1024 })
            for (const std::size_t memory : { 1024, 8192, 49152, 1 << 20 }) {
                limits.max_work_group_size = limits.max_work_item_sizes[0] = group;
                limits.local_memory = memory;
                const std::size_t most = max_dft_bank_size(limits);
                CPPUNIT_ASSERT(most >= 64 && most <= max_raster_size);
                for (std::size_t size = 2; size <= most; size += 1 + size / 7) {
                    if (dft_bank_radices(size).empty())
                        continue;
                    for (const std::size_t decimation : { 1, 42, 1000 })
                        for (const std::size_t taps : { 1, 200, 3000, 100000 }) {
                            const auto shape =
                                suggested_dft_bank(limits, size, decimation, taps);
                            CPPUNIT_ASSERT(shape.items >= 1 && shape.items <= group);
                            CPPUNIT_ASSERT(shape.local_bytes() <= memory);
                            CPPUNIT_ASSERT_EQUAL(std::size_t(0),
                                                 shape.outputs % shape.parts);
                            CPPUNIT_ASSERT(shape.window == 0 ||
                                           shape.window >=
                                               (shape.outputs - 1) * decimation + taps);
                        }
                }
            }
    }

    //! Rasters with every radix, decimations above and below the size and with common
    //! factors, and fewer taps than the raster has frequencies.
    void several_sizes()
    {
        struct bank_case {
            std::size_t size, decimation, taps;
        };
        std::vector<bank_case> cases{ { 2, 1, 7 }, { 15, 6, 40 } };
        if (!small_tests())
            cases.insert(cases.end(),
                         { { 3, 5, 1 },
                           { 32, 42, 11 },
                           { 48, 36, 200 },
                           { 100, 7, 350 },
                           { 720, 42, 2429 },
                           { 1024, 1000, 3000 } });
        for (const auto& b : cases) {
            if (b.size > max_dft_bank_size(d_device->limits()))
                continue;
            auto places = all_places(b.size);
            if (places.size() > 20) { // some of them, in no order
                std::vector<int> some;
                for (std::size_t i = 0; i < 17; i++)
                    some.push_back(places[i * 37 % places.size()]);
                // so that the raster is not a coarser one
                some.push_back(some.front() + 1);
                places = some;
            }
            const auto channels = on_raster(
                b.size, places, b.decimation, random_taps(b.taps, b.taps % 2 == 1, 9));
            const auto bank = make(channels);
            const double error = error_in_cuts(*bank, channels, small_tests() ? 40 : 150);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(b.size) + ": " + std::to_string(error),
                                   error < bound);
            CPPUNIT_ASSERT_EQUAL(std::string("dft_bank"), bank->variant_name());
            CPPUNIT_ASSERT_EQUAL(std::string("copy"), bank->transfer_name());
            CPPUNIT_ASSERT(bank->statistics().kernel_time > 0);
        }
    }

    //! More products in a sum than one float should add up.
    void many_products()
    {
        if (small_tests())
            return;
        const auto channels =
            on_raster(4, { 0, 1, 2 }, 50, taps_of(5000, { 0.01f, 0.0f }));
        CPPUNIT_ASSERT(error_in_cuts(*make(channels, 4), channels, 90) < bound);
    }

    void retune_on_the_raster_and_off_it()
    {
        auto channels = usual();
        const auto bank = make(channels);
        const std::size_t outputs = small_tests() ? 30 : 100;
        const auto check = [&](std::size_t channel, double freq) {
            retune(channels[channel], *bank, channel, freq);
            const double error = error_in_cuts(*bank, channels, outputs);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(freq) + ": " + std::to_string(error),
                                   error < bound);
        };
        check(1, frequency(12, 4));
        check(0, frequency(12, -1)); // the origin until now
        if (small_tests())
            return; // other variants have tests of their own
        check(1, 777777.7);
        check(1, 666666.6); // still off
        check(4, -543210.9);
        check(1, frequency(12, 1));
        check(0, 1e9 / 3);
        check(4, frequency(12, 0));
        check(0, frequency(12, 3));
        check(3, frequency(24, 5)); // a raster of 24 has all of them
        check(5, frequency(24, -3));
        // All of them to another origin, one after the other.
        for (std::size_t c = 0; c < channels.size(); c++)
            check(c, channels[c].problem.center_freq + 1111.1);
    }

    void new_taps()
    {
        auto channels = usual();
        const auto bank = make(channels);
        const auto check = [&](std::size_t first, std::size_t end, const taps_of& taps) {
            const shared_taps shared(taps);
            for (std::size_t c = first; c < end; c++) {
                channels[c].set_taps(shared);
                bank->configure(c, channels[c]);
            }
            const std::size_t outputs = small_tests() ? 30 : 100;
            const double error = error_in_cuts(*bank, channels, outputs);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(error), error < bound);
        };
        check(0, 7, random_taps(61, true, 9));
        if (small_tests())
            return;
        check(2, 3, random_taps(31, false, 8));
        check(2, 3, random_taps(300, false, 8)); // too long for the others' bank
        check(0, 7, random_taps(61, true, 9));
        check(0, 7, random_taps(1500, true, 10)); // a longer window
        check(0, 7, random_taps(5, true, 11));
        check(6, 7, random_taps(60, true, 12));
        for (std::size_t taps = 61; taps < 100; taps += 3)
            check(0, 7, random_taps(taps, true, 13));
    }

    //! More channels than a bank for the others has slots at first.
    void every_channel_off_the_raster()
    {
        if (small_tests())
            return;
        auto channels = on_raster(25, all_places(25), 6, random_taps(40, true, 3));
        const auto bank = make(channels);
        for (std::size_t c = 0; c < channels.size(); c++) {
            const auto number = static_cast<double>(c);
            retune(channels[c], *bank, c, 1000 * std::sqrt(2 + number) * (1 + number));
            if (c == 7 || c == 24)
                CPPUNIT_ASSERT(error_in_cuts(*bank, channels, 60) < bound);
        }
        for (std::size_t c = 0; c < channels.size(); c++)
            retune(channels[c], *bank, c, frequency(25, static_cast<double>(c)));
        CPPUNIT_ASSERT(error_in_cuts(*bank, channels, 60) < bound);
    }

    void errors()
    {
        auto channels = usual();
        assert_refused({ "ifft_size", "14", "product of 2, 3 and 5" },
                       [&] { make(channels, 14); });
        assert_refused({ "ifft_size", "1000000", "from 2 to" },
                       [&] { make(channels, 1000000); });
        assert_refused({ "ifft_size", "10", "channel 1" }, [&] { make(channels, 10); });
        auto off = channels;
        off[3].set_center_freq(3.3);
        assert_refused({ "variant", "dft_bank", "raster", d_device->name() },
                       [&] { make(off); });
    }

    void bank_by_name()
    {
        freq_xlating_filter_bank_problem problem;
        problem.decimation = 6;
        problem.taps = { random_taps(41, true, 1) };
        problem.sampling_freq = rate;
        for (int k = 0; k < 9; k++)
            problem.center_freqs.push_back(frequency(20, k));
        freq_xlating_filter_bank_options options;
        options.device = test_device().id();
        options.variant = "dft_bank";
        if (small_tests())
            options.typical_items = 400; // calls of this size are measured
        freq_xlating_filter_bank bank(problem, options, d_registry);
        CPPUNIT_ASSERT_EQUAL(std::string("dft_bank"), bank.variant_name());
        CPPUNIT_ASSERT_EQUAL(std::string("fast_convolution"), bank.algorithm_name());

        const auto mixed = [&] {
            auto changed = problem;
            changed.center_freqs[4] += 1;
            freq_xlating_filter_bank(changed, options, d_registry);
        };
        assert_refused({ "variant", "dft_bank", "raster" }, mixed);
        // A channel that leaves the raster later is computed all the same.
        constexpr std::size_t outputs = 50;
        const std::size_t items = outputs * problem.decimation;
        const std::size_t history = problem.taps[0].size() - 1;
        const auto fresh = noise(sample_type::fc32, items, 7);
        auto in = fir_case::silence(sample_type::fc32, history);
        in.insert(in.end(), fresh.begin(), fresh.end());
        for (const double freq : { problem.center_freqs[4], 54321.0 }) {
            if (small_tests() && freq == 54321.0)
                continue;
            bank.set_center_freq(4, freq);
            bank.reset();
            std::vector<taps_of> out(problem.center_freqs.size(), taps_of(outputs));
            std::vector<std::complex<float>*> places;
            for (auto& one : out)
                places.push_back(one.data());
            CPPUNIT_ASSERT_EQUAL(
                outputs,
                bank.process(in.data(), history + items, places.data(), outputs)
                    .produced);
            problem.center_freqs[4] = freq;
            for (const std::size_t c : { 0, 4, 8 }) {
                freq_xlating_fir_problem one;
                one.decimation = problem.decimation;
                one.taps = problem.taps[0];
                one.sampling_freq = rate;
                one.center_freq = problem.center_freqs[c];
                freq_xlating_fir_reference reference(one);
                CPPUNIT_ASSERT(error_db(out[c], reference.process(fresh.data(), items)) <
                               bound);
            }
        }
        CPPUNIT_ASSERT(!bank.fell_back());
    }

    freq_xlating_filter_bank_problem bank_on_raster(double distance) const
    {
        freq_xlating_filter_bank_problem problem;
        problem.decimation = 6;
        problem.taps = { random_taps(9, true, 1) };
        problem.sampling_freq = rate;
        for (int k = 0; k < 9; k++)
            problem.center_freqs.push_back(k * distance * rate);
        return problem;
    }
    freq_xlating_filter_bank_options on_device() const
    {
        freq_xlating_filter_bank_options options;
        options.device = test_device().id();
        options.algorithm = "fast_convolution";
        options.typical_items = 400; // calls of this size are measured
        return options;
    }

    //! Channels that are all at one frequency probably wait for the real ones.
    void offered_to_channels_at_different_frequencies()
    {
        // With smaller work-groups VkFFT has no block for the bank.
        if (small_tests() || d_device->limits().max_work_group_size < 8)
            return;
        auto options = on_device();
        std::string candidates;
        options.log = [&](log_level, const std::string& text) { candidates += text; };
        for (const double distance : { 0.0, 1.0 / 20 }) {
            candidates.clear();
            freq_xlating_filter_bank(bank_on_raster(distance), options, d_registry);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(candidates,
                                         distance > 0,
                                         candidates.find("dft_bank") !=
                                             std::string::npos);
        }
    }

    void plan_of_another_raster_is_outdated()
    {
        chosen_plan plan;
        plan.device = test_device().id();
        plan.algorithm = "fast_convolution";
        plan.variant = "dft_bank";
        plan.transfer = "copy";
        plan.ifft_size = 10;
        const auto options = on_device();
        CPPUNIT_ASSERT(is_outdated(plan, bank_on_raster(1.0 / 20), options, d_registry));
        plan.ifft_size = 20;
        auto off = bank_on_raster(1.0 / 20);
        off.center_freqs[3] += 1;
        CPPUNIT_ASSERT(is_outdated(plan, off, options, d_registry));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_dft_bank, "qa_dft_bank");

} // namespace
