// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of what every variant of fast convolution on a device computes.

#include "tests/support/qa_fast_convolution_support.h"

#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! What every variant on OpenCL devices computes.
class qa_opencl_fast_convolution : public fast_convolution_contract,
                                   protected opencl_variants
{
    CPPUNIT_TEST_SUB_SUITE(qa_opencl_fast_convolution, fast_convolution_contract);
    CPPUNIT_TEST(rows_chosen_by_size);
    CPPUNIT_TEST(linear_phase_of_any_length);
    CPPUNIT_TEST(linear_phase_until_a_channel_has_none);
    CPPUNIT_TEST(narrow_channels_anywhere);
    CPPUNIT_TEST_SUITE_END();

    std::vector<way> ways() const override { return device_ways(); }
    bool takes(const way& how, std::size_t rows, std::size_t decimation) const override
    {
        return has_block(how, rows, decimation);
    }
    std::unique_ptr<filter_executor> make(const way& how,
                                          const std::vector<filter_channel>& channels,
                                          std::size_t rows,
                                          double accuracy = 0,
                                          const std::string& transfer = "") const override
    {
        return make_on(d_device,
                       how,
                       channels,
                       rows,
                       accuracy,
                       transfer.empty() ? "copy" : transfer);
    }
    std::size_t spoilt_beside(const way&, std::size_t rows) const override
    {
        return rows;
    }
    bool leaves_bins_out(const way& how) const override { return !how.on_raster; }

    //! The variants that take any channels.
    std::vector<way> folds() const
    {
        std::vector<way> some;
        for (const auto& how : ways_of_many())
            if (!how.on_raster)
                some.push_back(how);
        return some;
    }

    static void check_bank(const way& how,
                           filter_executor& bank,
                           const std::vector<filter_channel>& channels,
                           std::size_t outputs,
                           double limit = bound)
    {
        stream_case c(channels, outputs);
        c.run_in_cuts(bank, 5);
        assert_right(c.error(),
                     how.variant + ", " + std::to_string(channels[0].taps()) + " taps",
                     limit);
    }

public:
    void rows_chosen_by_size()
    {
        if (limits().max_work_group_size < 64 || small_tests())
            return; // the chosen block would take minutes to compile
        for (const auto& how : folds()) {
            if (how.is_slow)
                continue;
            check(how, make_channels(sample_type::fc32, 42, 201, 1, true), 0, 3000);
            // Longer blocks need fewer transforms per output, but only up to a limit.
            const auto& device = d_device->device();
            const std::size_t rows = fast_convolution_size(how.variant, device, 42, 201);
            CPPUNIT_ASSERT(rows >= 16 && rows <= 4096);
            if (takes(how, 131072, 1))
                CPPUNIT_ASSERT(fast_convolution_size(how.variant, device, 1, 100000) >
                               100000);
        }
    }

    //! The middle of the taps is a whole number of outputs away from the block's
    //! beginning, whatever the decimation. The numbers of taps have every remainder of a
    //! division by it.
    void linear_phase_of_any_length()
    {
        for (const auto& how : folds()) {
            const std::size_t decimation = how.usual.decimation, rows = how.usual.rows;
            if (rows < 16)
                continue;
            for (std::size_t count = 1; count <= 4 * decimation;
                 count += small_tests() || how.is_slow ? 9 : 3) {
                std::vector<filter_channel> channels;
                for (const double f : { 0.1, -0.35, 0.0 })
                    channels.push_back(channel_of(
                        decimation, mirrored_taps(count, 3, f == 0 ? -1.0f : 1.0f), f));
                check_bank(
                    how, *make(how, channels, rows), channels, small_tests() ? 30 : 120);
            }
        }
    }

    //! Real responses, then complex ones for all, then longer taps, and real ones again.
    void linear_phase_until_a_channel_has_none()
    {
        constexpr std::size_t decimation = 6, rows = 32;
        for (const auto& how : folds()) {
            if (how.usual.rows < 16 || smallest())
                continue;
            std::vector<filter_channel> channels;
            for (int i = 0; i < 5; ++i)
                channels.push_back(
                    channel_of(decimation, mirrored_taps(61, 7), 0.07 * i - 0.2));
            const auto bank = make(how, channels, rows, 1e-7);
            const std::size_t outputs = small_tests() ? 22 : 100; // several blocks
            const auto change = [&](std::size_t changed, const filter_channel& setup) {
                channels[changed] = setup;
                bank->configure(changed, setup);
                check_bank(how, *bank, channels, outputs);
            };
            check_bank(how, *bank, channels, outputs);
            change(1, channel_of(decimation, mirrored_taps(61, 8), 0.33));
            if (!small_tests())
                change(
                    2,
                    channel_of(decimation, mirrored_taps(31, 9), -0.1)); // other middle
            change(3, channel_of(decimation, random_taps(61, false, 10), 0.4));
            if (small_tests())
                continue; // the kernels of real gains and of complex ones have run
            change(3, channel_of(decimation, mirrored_taps(61, 7), 0.4));
            change(0,
                   channel_of(decimation, mirrored_taps(91, 11), 0.2)); // another block
            change(0,
                   channel_of(decimation, mirrored_taps(60, 12), 0.2)); // no middle tap
        }
    }

    //! Channels that keep a few rows of bins, which wrap round the end of the spectrum,
    //! in any order of frequencies and more than a tile has; then some of them at other
    //! frequencies, and some inactive.
    void narrow_channels_anywhere()
    {
        constexpr double limit = -95;
        for (const auto& how : folds())
            // A large decimation has sums of more rows than a float should add up.
            for (const std::size_t decimation : { 16, 100 }) {
                if (how.usual.rows < 16 || smallest() || !takes(how, 16, decimation) ||
                    (decimation == 100 && small_tests()))
                    continue;
                std::vector<filter_channel> channels;
                for (const double f :
                     { 0.49, 0.0, -0.3, 0.1, 0.11, -0.49, 0.5, 0.3, 0.12, -0.01 })
                    channels.push_back(
                        channel_of(decimation, narrow_taps(decimation), f));
                const std::size_t count = decimation == 100 ? 10
                                          : small_tests()   ? 40
                                                            : 70;
                while (channels.size() < count) {
                    const double f = 0.382 * static_cast<double>(channels.size()) + 0.49;
                    channels.push_back(channel_of(
                        decimation, narrow_taps(decimation), std::remainder(f, 1.0)));
                }
                const auto bank = make(how, channels, 16, 1e-5);
                const std::size_t outputs = small_tests() ? 20 : 60;
                check_bank(how, *bank, channels, outputs, limit);
                for (const auto& [changed, f] :
                     { std::pair<std::size_t, double>{ 3, -0.2 }, { 6, 0.02 } }) {
                    channels[changed] =
                        channel_of(decimation, narrow_taps(decimation), f);
                    bank->configure(changed, channels[changed]);
                }
                check_bank(how, *bank, channels, outputs, limit);
                stream_case some(channels, outputs);
                some.run_some(*bank, { 1, 3, 6, 8 });
                for (const std::size_t c : { 1, 3, 6, 8 })
                    assert_right(some.error_of(c), how.variant + ", some", limit);
            }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_opencl_fast_convolution,
                                      "qa_opencl_fast_convolution");

} // namespace
