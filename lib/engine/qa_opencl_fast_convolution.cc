/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "opencl_fast_convolution.h"
#include "qa_fir_support.h"
#include "qa_support.h"
#include "vkfft_plan.h"

#include <cldsp/errors.h>
#include <cldsp/reference.h>

#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

using namespace cldsp;

namespace {

constexpr double bound = -120; // dB of the output's peak, see the design
constexpr double pi = 3.14159265358979323846;

//! Blocks small enough for a profile's work-groups and for a simulator.
struct block_case {
    std::size_t decimation, taps, rows;
};

//! Channels at frequencies that are no round part of the sampling rate.
std::vector<fir_setup> make_channels(sample_type type,
                                     std::size_t decimation,
                                     std::size_t taps,
                                     std::size_t channels,
                                     bool real_taps)
{
    std::vector<fir_setup> result;
    for (std::size_t c = 0; c < channels; ++c) {
        const auto number = static_cast<double>(c);
        const std::size_t own_taps = taps - c % std::min<std::size_t>(taps, 3);
        result.emplace_back(freq_xlating_fir_problem{
            type,
            decimation,
            random_taps(own_taps, real_taps, 5 + static_cast<unsigned>(c)),
            123456.7 - 61234.5 * number,
            2016000.0 });
    }
    return result;
}

phase64 first_phase(const fir_setup& setup)
{
    const auto& p = setup.problem;
    return phase64::from_turns(-p.center_freq / p.sampling_freq *
                               (static_cast<double>(setup.taps()) - 1) / 2);
}

//! A stream of noise that a bank filters in one or several calls.
class stream_case
{
public:
    stream_case(const std::vector<fir_setup>& channels,
                std::size_t outputs,
                std::size_t most_taps = 0)
        : d_channels(channels),
          d_type(channels[0].problem.input),
          d_decimation(channels[0].problem.decimation),
          d_outputs(outputs)
    {
        for (const auto& c : channels) {
            most_taps = std::max(most_taps, c.taps());
            d_phases.push_back(first_phase(c));
        }
        d_past = most_taps - 1;
        d_fresh = noise(d_type, outputs * d_decimation, 42);
        d_stream = fir_case::silence(d_type, d_past);
        d_stream.insert(d_stream.end(), d_fresh.begin(), d_fresh.end());
        d_got.assign(channels.size(), std::vector<std::complex<float>>(outputs));
    }

    //! The next outputs, with a history of \p past items.
    void run(bank_executor& bank, std::size_t outputs, std::size_t past)
    {
        std::vector<std::complex<float>*> out;
        for (auto& channel : d_got)
            out.push_back(channel.data() + d_done);
        const auto* first = d_stream.data() +
                            (d_done * d_decimation + d_past - past) * sample_size(d_type);
        bank.run({ first, past, out.data(), outputs, d_phases.data() });
        for (std::size_t c = 0; c < d_channels.size(); ++c)
            d_phases[c] += -d_channels[c].step * d_decimation * outputs;
        d_done += outputs;
    }
    void run(bank_executor& bank) { run(bank, d_outputs - d_done, d_past); }

    void run_in_cuts(bank_executor& bank, unsigned seed)
    {
        std::mt19937 random(seed);
        while (d_done < d_outputs)
            run(bank,
                std::min<std::size_t>(d_outputs - d_done, 1 + random() % d_outputs),
                d_past);
    }

    //! Of one channel against the reference, outputs that reach before a cu8 stream
    //! left out.
    double error_of(std::size_t channel) const
    {
        freq_xlating_fir_reference reference(d_channels[channel].problem);
        auto expected = reference.process(d_fresh.data(), d_outputs * d_decimation);
        auto got = d_got[channel];
        const std::size_t cut =
            d_type == sample_type::cu8 ? 1 + d_past / d_decimation : 0;
        expected.erase(expected.begin(), expected.begin() + static_cast<long>(cut));
        got.erase(got.begin(), got.begin() + static_cast<long>(cut));
        return error_db(got, expected);
    }
    double error() const
    {
        double worst = -1000;
        for (std::size_t c = 0; c < d_channels.size(); ++c)
            worst = std::max(worst, error_of(c));
        return worst;
    }
    void again()
    {
        for (std::size_t c = 0; c < d_channels.size(); ++c)
            d_phases[c] = first_phase(d_channels[c]);
        d_done = 0;
    }

private:
    const std::vector<fir_setup> d_channels;
    const sample_type d_type;
    const std::size_t d_decimation, d_outputs;
    std::size_t d_past = 0, d_done = 0;
    std::vector<unsigned char> d_fresh, d_stream;
    std::vector<phase64> d_phases;
    std::vector<std::vector<std::complex<float>>> d_got;
};

//! Fast convolution on OpenCL against the double-precision reference.
class qa_opencl_fast_convolution : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_opencl_fast_convolution);
#ifdef CLDSP_HAVE_VKFFT
    CPPUNIT_TEST(any_decimation);
    CPPUNIT_TEST(every_type);
    CPPUNIT_TEST(every_transfer);
    CPPUNIT_TEST(single_filter);
    CPPUNIT_TEST(rows_chosen_by_size);
    CPPUNIT_TEST(short_and_long_calls);
    CPPUNIT_TEST(any_cut);
    CPPUNIT_TEST(retune_and_new_taps);
    CPPUNIT_TEST(more_channels_than_a_buffer_holds);
    CPPUNIT_TEST(accuracy_is_kept_and_used);
    CPPUNIT_TEST(injected_failures);
    CPPUNIT_TEST(second_start_compiles_nothing);
    CPPUNIT_TEST(errors);
#else
    CPPUNIT_TEST(refused_without_vkfft);
#endif
    CPPUNIT_TEST_SUITE_END();

    context_registry d_registry{ test_options() };
    const std::shared_ptr<context> d_device = d_registry.get(test_device());

    //! One work-item a group leaves VkFFT the smallest transforms only.
    bool smallest() const { return d_device->limits().max_work_group_size < 8; }

    block_case usual() const
    {
        return smallest() ? block_case{ 2, 9, 16 } : block_case{ 7, 60, 32 };
    }

    std::unique_ptr<bank_executor> make(const std::vector<fir_setup>& channels,
                                        std::size_t rows,
                                        double accuracy = 0,
                                        const std::string& transfer = "copy") const
    {
        return make_opencl_fast_convolution_bank(
            d_device, transfer, channels, accuracy, rows);
    }

    void check(const std::vector<fir_setup>& channels,
               std::size_t rows,
               std::size_t outputs,
               const std::string& transfer = "copy") const
    {
        stream_case c(channels, outputs);
        const auto bank = make(channels, rows, 0, transfer);
        c.run(*bank);
        CPPUNIT_ASSERT_EQUAL(std::string("vkfft"), bank->variant_name());
        CPPUNIT_ASSERT_EQUAL(transfer, bank->transfer_name());
        CPPUNIT_ASSERT(bank->statistics().kernel_time > 0);
        const auto& p = channels[0].problem;
        CPPUNIT_ASSERT_MESSAGE(std::string(sample_type_name(p.input)) + ", decimation " +
                                   std::to_string(p.decimation) + ", " + transfer + ": " +
                                   std::to_string(c.error()) + " dB",
                               c.error() < bound);
    }

public:
    void refused_without_vkfft()
    {
        CPPUNIT_ASSERT(!vkfft_plan::missing().empty());
        CPPUNIT_ASSERT_THROW(make(make_channels(sample_type::fc32, 2, 9, 1, true), 16),
                             std::invalid_argument);
    }

    void any_decimation()
    {
        std::vector<block_case> cases{ { 2, 9, 16 }, { 1, 7, 32 } };
        if (!smallest())
            cases.insert(
                cases.end(),
                { { 1, 61, 256 }, { 7, 130, 32 }, { 42, 201, 8 }, { 3, 40, 64 } });
        if (!small_tests() && !smallest() && d_device->limits().max_work_group_size >= 64)
            cases.insert(cases.end(), { { 17, 100, 12 }, { 42, 2429, 256 } });
        for (const auto& b : cases)
            for (const std::size_t channels : { 1, 4 })
                check(make_channels(
                          sample_type::fc32, b.decimation, b.taps, channels, false),
                      b.rows,
                      small_tests() ? 100 : 700);
    }

    void every_type()
    {
        const auto b = usual();
        for (const auto type : all_sample_types())
            for (const bool real_taps : { false, true })
                check(make_channels(type, b.decimation, b.taps, 2, real_taps),
                      b.rows,
                      small_tests() ? 60 : 300);
    }

    void every_transfer()
    {
        const auto b = usual();
        for (const char* transfer : { "copy", "mapped", "zero_copy" })
            for (const std::size_t channels : { 1, 3 })
                check(make_channels(
                          sample_type::cs16, b.decimation, b.taps, channels, true),
                      b.rows,
                      200,
                      transfer);
    }

    void single_filter()
    {
        const auto b = usual();
        const auto problem =
            make_fir_problem(sample_type::fc32, b.decimation, b.taps, false);
        const fir_setup setup(problem);
        const auto filter =
            make_opencl_fast_convolution(d_device, "zero_copy", setup, 0, b.rows);
        constexpr std::size_t outputs = 150, guard = 64;
        // All around the window is NaN, which must neither be read nor overwritten.
        const float nan = std::nanf("");
        const auto fresh = noise(sample_type::fc32, outputs * b.decimation, 42);
        const std::size_t items = setup.window(outputs);
        std::vector<std::complex<float>> in(items + 2 * guard, { nan, nan });
        std::fill_n(in.begin() + guard, b.taps - 1, std::complex<float>());
        std::memcpy(in.data() + guard + b.taps - 1,
                    fresh.data(),
                    (items - b.taps + 1) * sizeof(in[0]));
        std::vector<std::complex<float>> out(outputs + 2 * guard, { nan, nan });
        filter->run(
            { in.data() + guard, out.data() + guard, outputs, first_phase(setup) });
        freq_xlating_fir_reference reference(problem);
        const auto expected = reference.process(fresh.data(), outputs * b.decimation);
        for (std::size_t i = 0; i < guard; ++i)
            CPPUNIT_ASSERT(std::isnan(out[i].real()) &&
                           std::isnan(out[guard + outputs + i].real()));
        CPPUNIT_ASSERT(error_db({ out.begin() + guard, out.begin() + guard + outputs },
                                expected) < bound);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(outputs), filter->statistics().outputs);
    }

    void rows_chosen_by_size()
    {
        if (d_device->limits().max_work_group_size < 64 || small_tests())
            return; // what is chosen would take minutes to compile
        check(make_channels(sample_type::fc32, 42, 201, 1, true), 0, 3000);
        // Longer blocks cost fewer transforms an output, but not for ever.
        const auto& limits = d_device->limits();
        const std::size_t rows = fast_convolution_rows(limits, 42, 201);
        CPPUNIT_ASSERT(rows >= 16 && rows <= 4096);
        CPPUNIT_ASSERT(fast_convolution_rows(limits, 1, 100000) > 100000);
    }

    void short_and_long_calls()
    {
        const auto b = usual();
        const auto channels =
            make_channels(sample_type::fc32, b.decimation, b.taps, 2, true);
        const auto bank = make(channels, b.rows);
        for (std::size_t outputs = 1; outputs <= 3 * b.rows; outputs += 1 + outputs / 9) {
            stream_case c(channels, outputs);
            c.run(*bank);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(outputs), c.error() < bound);
        }
        if (small_tests())
            return;
        stream_case many(channels, 100000);
        many.run(*bank);
        CPPUNIT_ASSERT(many.error() < bound);
        bank->run({ nullptr, 0, nullptr, 0, nullptr });
    }

    void any_cut()
    {
        const auto b = usual();
        const auto channels =
            make_channels(sample_type::cu8, b.decimation, b.taps, 3, false);
        const auto bank = make(channels, b.rows, 0, "zero_copy");
        stream_case c(channels, small_tests() ? 90 : 900);
        for (unsigned seed = 0; seed < (small_tests() ? 2 : 60); ++seed) {
            c.again();
            c.run_in_cuts(*bank, seed);
            CPPUNIT_ASSERT(c.error() < bound);
        }
    }

    void retune_and_new_taps()
    {
        const auto b = usual();
        auto channels = make_channels(sample_type::fc32, b.decimation, b.taps, 3, true);
        const auto bank = make(channels, b.rows);
        const auto change = [&](std::size_t channel, double freq, std::size_t taps) {
            auto problem = channels[channel].problem;
            problem.center_freq = freq;
            if (taps)
                problem.taps = random_taps(taps, false, 77);
            channels[channel] = fir_setup(problem);
            bank->configure(channel, channels[channel]);
            for (const std::size_t past : { 0, 5 }) {
                stream_case c(channels, 130);
                c.run(*bank);
                CPPUNIT_ASSERT(c.error() < bound);
                // A call may bring more history than the taps need.
                stream_case more(channels, 130, b.taps + 20 + past);
                more.run(*bank);
                CPPUNIT_ASSERT(more.error() < bound);
            }
        };
        change(1, -654321.1, 0);
        change(0, 1e9 / 3, 0);
        change(2, 5000, 3);
        change(0, 5000, 1);
        change(1, -1, 2); // now the calls' history is shorter than the blocks'
        change(1, 31.25, b.taps);
        if (!smallest())
            change(2, 100, 2 * b.taps); // other blocks, that reach further
    }

    void more_channels_than_a_buffer_holds()
    {
        if (small_tests())
            return;
        const std::size_t bytes =
            std::min<std::size_t>(d_device->limits().max_buffer / 2, 4 << 20);
        if (d_device->device().kind != device_kind::cpu)
            return; // the same code with larger buffers
        const std::size_t rows = 16;
        const std::size_t count = bytes / (rows * sizeof(std::complex<float>)) + 100;
        const auto channels = make_channels(sample_type::cs8, 2, 9, count, true);
        const auto bank = make(channels, rows);
        stream_case c(channels, 40);
        c.run(*bank);
        for (const std::size_t channel :
             { std::size_t(0), count - 101, count - 100, count - 1 })
            CPPUNIT_ASSERT(c.error_of(channel) < bound);
    }

    //! A low-pass filter's response, measured by tones at the block's output.
    void accuracy_is_kept_and_used()
    {
        if (smallest())
            return; // a block too short for a stopband
        constexpr std::size_t decimation = 7, count = 91, rows = 32, outputs = 1200;
        std::vector<std::complex<float>> taps;
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
        const fir_setup setup({ sample_type::fc32, decimation, taps, 0.1, 1.0 });
        const auto measured = [&](fir_executor& filter, double freq) {
            std::vector<std::complex<float>> in(setup.window(outputs)), out(outputs);
            for (std::size_t i = 0; i < in.size(); ++i)
                in[i] = static_cast<std::complex<float>>(
                    std::polar(1.0, 2 * pi * freq * static_cast<double>(i)));
            filter.run({ in.data(), out.data(), outputs, phase64() });
            // Whole blocks: what a block's borders do differs from block to block.
            std::complex<double> sum = 0;
            const std::size_t used = outputs / (rows - 12) * (rows - 12);
            for (std::size_t i = 0; i < used; ++i)
                sum += std::complex<double>(out[i]) *
                       std::polar(1.0,
                                  -2 * pi * (freq - 0.1) *
                                      static_cast<double>(i * decimation));
            return sum / static_cast<double>(used);
        };
        const auto exact = make_opencl_fast_convolution(d_device, "copy", setup, 0, rows);
        const int tones = small_tests() ? 5 : 101;
        for (const double accuracy : { 1e-3, 1e-2 }) {
            const auto filter =
                make_opencl_fast_convolution(d_device, "copy", setup, accuracy, rows);
            double largest = 0;
            for (int i = 0; i < tones; ++i) {
                const double freq = -0.5 + i / static_cast<double>(tones);
                largest = std::max(
                    largest, std::abs(measured(*filter, freq) - measured(*exact, freq)));
            }
            CPPUNIT_ASSERT_MESSAGE(std::to_string(largest / gain),
                                   largest < accuracy * gain);
            // Bins were left out indeed.
            CPPUNIT_ASSERT(largest > 1e-6 * gain);
        }
    }

    void injected_failures()
    {
        const auto b = usual();
        const auto channels =
            make_channels(sample_type::fc32, b.decimation, b.taps, 2, true);
        for (const char* transfer : { "copy", "mapped", "zero_copy" })
            for (const std::size_t count : { 1, 2 }) {
                const std::vector<fir_setup> some(
                    channels.begin(), channels.begin() + static_cast<long>(count));
                stream_case c(some, 100);
                // Every call of the driver in turn, until none is left to fail.
                for (const auto call :
                     { injected_call::enqueue, injected_call::allocate }) {
                    int failures = 0;
                    for (bool failed = true; failed; failures += failed) {
                        const auto bank = make(some, b.rows, 0, transfer);
                        d_device->inject_failure(call, failures);
                        failed = false;
                        try {
                            c.again();
                            c.run(*bank);
                        } catch (const opencl_error&) {
                            failed = true;
                        }
                        d_device->inject_failure(injected_call::none);
                        // The executor goes on where the driver does.
                        c.again();
                        c.run(*bank);
                        CPPUNIT_ASSERT(c.error() < bound);
                    }
                    CPPUNIT_ASSERT(failures > (call == injected_call::enqueue ? 4 : 1));
                }
            }
        const auto bank = make(channels, b.rows);
        d_device->inject_failure(injected_call::enqueue);
        CPPUNIT_ASSERT_THROW(bank->configure(0, channels[1]), opencl_error);
        for (const auto call :
             { injected_call::enqueue, injected_call::allocate, injected_call::build }) {
            d_device->inject_failure(call);
            CPPUNIT_ASSERT_THROW(make(channels, b.rows), opencl_error);
        }
        d_device->inject_failure(injected_call::none);
    }

    void second_start_compiles_nothing()
    {
        const auto b = usual();
        const auto channels =
            make_channels(sample_type::fc32, b.decimation, b.taps, 1, true);
        auto options = test_options();
        const auto folder = std::filesystem::temp_directory_path() /
                            ("cldsp-vkfft-" + std::to_string(::getpid()));
        options.cache_folder = folder.string();
        std::vector<std::size_t> compiled;
        for (int start = 0; start < 2; ++start) {
            const auto device = std::make_shared<context>(test_device(), options);
            make_opencl_fast_convolution_bank(device, "copy", channels, 0, b.rows);
            compiled.push_back(device->programs_compiled());
        }
        std::filesystem::remove_all(folder);
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), compiled[0]);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), compiled[1]);
    }

    void errors()
    {
        const auto b = usual();
        const auto channels =
            make_channels(sample_type::fc32, b.decimation, b.taps, 2, true);
        CPPUNIT_ASSERT_THROW(make({}, b.rows), std::invalid_argument);
        for (const double accuracy : { -1e-9, 0.2, std::nan("") })
            CPPUNIT_ASSERT_THROW(make(channels, b.rows, accuracy), std::invalid_argument);
        const std::size_t lost = (b.taps - 1) / b.decimation;
        CPPUNIT_ASSERT_THROW(make(channels, lost), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(make(channels, d_device->limits().max_buffer),
                             std::invalid_argument);
        // Groups are too small for VkFFT's longer transforms.
        if (d_device->limits().max_work_group_size < 64)
            CPPUNIT_ASSERT_THROW(make(channels, 4096 / b.decimation),
                                 std::invalid_argument);
        auto bank = make(channels, b.rows);
        CPPUNIT_ASSERT_THROW(bank->configure(2, channels[0]), std::invalid_argument);
        if (d_device->limits().max_buffer > (std::size_t(1) << 27))
            return;
        // Longer taps than any block holds change nothing.
        auto problem = channels[0].problem;
        problem.taps.assign(d_device->limits().max_buffer / 8 + 1, 1.0f);
        CPPUNIT_ASSERT_THROW(bank->configure(0, fir_setup(problem)),
                             std::invalid_argument);
        stream_case c(channels, 50);
        c.run(*bank);
        CPPUNIT_ASSERT(c.error() < bound);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_opencl_fast_convolution);

} // namespace
