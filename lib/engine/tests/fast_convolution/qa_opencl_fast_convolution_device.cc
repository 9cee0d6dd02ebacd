// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of fast convolution where a device fails, is small, or compiles.

#include "tests/support/qa_fast_convolution_support.h"
#include "tests/support/qa_process.h"

#include <cldsp/errors.h>

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <utility>
#include <vector>

using namespace cldsp;

namespace {

//! What every variant does with the limits, the failures and the compiler of a device.
class qa_opencl_fast_convolution_device : public CppUnit::TestFixture,
                                          protected opencl_variants
{
    CPPUNIT_TEST_SUITE(qa_opencl_fast_convolution_device);
    CPPUNIT_TEST(pieces_of_a_call_overlap);
    CPPUNIT_TEST(failures_while_pieces_overlap);
    CPPUNIT_TEST(more_channels_than_a_buffer_holds);
    CPPUNIT_TEST(injected_failures);
    CPPUNIT_TEST(second_start_compiles_nothing);
    CPPUNIT_TEST(bad_arguments);
#ifdef CLDSP_HAVE_VKFFT
    CPPUNIT_TEST(plans_take_fewer_rows);
#else
    CPPUNIT_TEST(refused_without_vkfft);
#endif
    CPPUNIT_TEST_SUITE_END();

    static constexpr double bound = -120; // dB of the output's peak

    static void assert_right(double error, const executor_way& how)
    {
        CPPUNIT_ASSERT_MESSAGE(how.variant + ": " + std::to_string(error) + " dB",
                               error < bound);
    }
    static std::vector<filter_channel> channels_of(const executor_way& how,
                                                   std::size_t count)
    {
        return cldsp::channels_of(how, sample_type::fc32, how.usual, count, true);
    }

public:
    //! A stream that is several times longer than the shortest piece, which brings 8 MiB.
    void pieces_of_a_call_overlap()
    {
        if (small_tests())
            return;
        const auto device = device_with_own_memory();
        for (const auto& how : device_ways())
            for (const std::size_t count : { 1, 2 }) {
                if (how.is_slow)
                    continue;
                const auto channels = channels_of(how, count);
                stream_case c(channels, 3000000 / how.usual.decimation);
                for (const auto& transfer : how.transfers) {
                    const auto bank =
                        make_on(device, how, channels, how.usual.rows, 1e-7, transfer);
                    for (const bool lent : { false, true }) {
                        if (lent)
                            c.lend_to(*bank);
                        c.again();
                        const auto before = device->commands();
                        c.run(*bank);
                        // Of each piece the writes of items and factors, a kernel or
                        // more, and the outputs; a single piece takes seven.
                        constexpr std::uint64_t pieces = 3, commands_of_a_piece = 4;
                        CPPUNIT_ASSERT_MESSAGE(how.variant + ", " + transfer,
                                               device->commands() - before >=
                                                   pieces * commands_of_a_piece);
                        assert_right(c.error(), how);
                    }
                    bank->set_stream_memory({}, {});
                }
            }
    }

    //! Runs a stream while one call of the driver fails. The executor continues after
    //! that.
    //! \returns whether there was such a call
    bool fails_once(const std::shared_ptr<context>& device,
                    filter_executor& bank,
                    stream_case& c,
                    const executor_way& how,
                    injected_call call,
                    int after) const
    {
        device->inject_failure(call, after);
        bool failed = false;
        try {
            c.again();
            c.run(bank);
        } catch (const opencl_error&) {
            failed = true;
        }
        device->inject_failure(injected_call::none);
        c.again();
        c.run(bank);
        assert_right(c.error(), how);
        return failed;
    }

    void failures_while_pieces_overlap()
    {
        if (small_tests() || smallest())
            return;
        const auto device = device_with_own_memory();
        constexpr int pieces = 5, commands_of_a_piece = 4, step = 4;
        constexpr int kib = 256; // of the spectra of a piece
        for (const auto& how : device_ways()) {
            if (how.is_slow || how.on_raster)
                continue; // too slow, or without spectra
            const auto& b = how.usual;
            const auto channels = channels_of(how, 2);
            const std::size_t blocks = kib * 1024 / (b.rows * b.decimation * 8);
            stream_case c(channels, pieces * blocks * b.rows);
            int failures = 0;
            for (bool failed = true; failed; failures += failed ? step : 0) {
                const auto bank = make_on(device,
                                          how,
                                          channels,
                                          b.rows,
                                          0,
                                          "zero_copy",
                                          { { "pipeline_kib", kib } });
                c.lend_to(*bank);
                failed =
                    fails_once(device, *bank, c, how, injected_call::enqueue, failures);
                bank->set_stream_memory({}, {});
            }
            CPPUNIT_ASSERT_MESSAGE(how.variant, failures >= pieces * commands_of_a_piece);
        }
    }

    //! A batch of the pipeline has the outputs of this many channels of the folds, and of
    //! fewer with VkFFT alone.
    void more_channels_than_a_buffer_holds()
    {
        if (small_tests() || d_device->device().kind != device_kind::cpu)
            return; // the test would run the same code, only with larger buffers
        const block_case b{ 2, 9, 16 };
        constexpr std::size_t kib = 256;
        const std::size_t batch = 4 * kib * 1024 / (b.rows * sizeof(std::complex<float>));
        for (const auto& how : device_ways()) {
            if (how.is_slow || how.on_raster)
                continue;
            const auto channels =
                cldsp::channels_of(how, sample_type::cs8, b, batch + 100, true);
            const auto bank = make_on(
                d_device, how, channels, b.rows, 0, "copy", { { "pipeline_kib", kib } });
            stream_case c(channels, 40);
            c.run(*bank);
            for (const std::size_t channel :
                 { std::size_t(0), batch - 1, batch, batch + 99 })
                assert_right(c.error_of(channel), how);
        }
    }

    //! Makes every call of the driver fail in turn, until there is no later call. The
    //! last channels of a bank on a raster are computed by another bank.
    void injected_failures()
    {
        for (const auto& how : device_ways()) {
            if (how.is_slow && small_tests())
                continue; // takes seconds to make
            for (const auto& transfer : how.transfers)
                for (const std::size_t count : { 1, 2 }) {
                    if ((how.is_slow || small_tests()) &&
                        (count == 1) != (transfer == "mapped"))
                        continue;
                    auto channels = channels_of(how, count);
                    const auto planned = channels;
                    if (count > 1)
                        channels[1].set_center_freq(98765.4);
                    stream_case c(channels, 100);
                    for (const auto call :
                         { injected_call::enqueue, injected_call::allocate }) {
                        int failures = 0;
                        for (bool failed = true; failed; failures += failed) {
                            const auto bank = make_on(
                                d_device, how, planned, how.usual.rows, 1e-7, transfer);
                            bank->configure(count - 1, channels.back());
                            failed = fails_once(d_device, *bank, c, how, call, failures);
                        }
                        CPPUNIT_ASSERT_MESSAGE(
                            how.variant + ", " + transfer,
                            failures > (call == injected_call::enqueue ? 2 : 1));
                    }
                }
            const auto channels = channels_of(how, 2);
            const auto bank = make_on(d_device, how, channels, how.usual.rows);
            d_device->inject_failure(injected_call::enqueue);
            bank->configure(0, channels[0]);
            CPPUNIT_ASSERT_THROW(stream_case(channels, 50).run(*bank), opencl_error);
            // Where matrix units refuse a size, a smaller one takes its place.
            const bool tries_again = how.variant == tensor_fold_variant().name &&
                                     mode() == tensor_mode::native;
            for (const auto call : { injected_call::allocate, injected_call::build }) {
                if (tries_again)
                    continue;
                d_device->inject_failure(call);
                CPPUNIT_ASSERT_THROW(make_on(d_device, how, channels, how.usual.rows),
                                     opencl_error);
            }
            d_device->inject_failure(injected_call::none);
        }
    }

    void second_start_compiles_nothing()
    {
        for (const auto& how : device_ways()) {
            if (how.is_slow)
                continue;
            const temporary_folder folder;
            auto options = test_options();
            options.disk_cache = true;
            options.cache_folder = folder.path();
            std::vector<std::size_t> compiled;
            for (int start = 0; start < 2; ++start) {
                const auto device = std::make_shared<context>(test_device(), options);
                make_on(device, how, channels_of(how, 1), how.usual.rows);
                compiled.push_back(device->programs_compiled());
            }
            // VkFFT's transforms in both directions and the kernels around them, or one
            // program for the forward transforms and one for the rest. Others have more.
            if (how.variant == "vkfft" || how.variant == "fused_fold")
                CPPUNIT_ASSERT_EQUAL_MESSAGE(how.variant,
                                             std::size_t(how.variant == "vkfft" ? 3 : 2),
                                             compiled[0]);
            CPPUNIT_ASSERT_MESSAGE(how.variant, compiled[0] > 0);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(how.variant, std::size_t(0), compiled[1]);
        }
    }

    void bad_arguments()
    {
        for (const auto& how : device_ways()) {
            if (how.is_slow && small_tests())
                continue; // takes seconds to make
            const auto& b = how.usual;
            const auto channels = channels_of(how, 2);
            const auto refused = [&](std::size_t rows) {
                assert_refused({ "'ifft_size'", std::to_string(rows) },
                               [&] { make_on(d_device, how, channels, rows); });
            };
            assert_refused({ "'channels'", "none", "one or more" },
                           [&] { make_on(d_device, how, {}, b.rows); });
            if (!how.on_raster)
                refused((b.taps - 1) / b.decimation);
            refused(limits().max_buffer);
            // The groups are too small for VkFFT's longer transforms.
            if (limits().max_work_group_size < 64)
                CPPUNIT_ASSERT_THROW(
                    make_on(d_device, how, channels, 4096 / b.decimation),
                    std::invalid_argument);
            if (limits().max_buffer > (std::size_t(1) << 27))
                continue;
            // A request for taps that are too long for any block changes nothing.
            const auto bank = make_on(d_device, how, channels, b.rows);
            auto longer = channels[0];
            longer.set_taps(shared_taps::values(limits().max_buffer / 8 + 1, 1.0f));
            assert_refused({ "'taps'" }, [&] { bank->configure(0, longer); });
            stream_case c(channels, 50);
            c.run(*bank);
            assert_right(c.error(), how);
        }
    }

    void refused_without_vkfft()
    {
        CPPUNIT_ASSERT(!vkfft_plan::missing().empty());
        for (const auto* variant : opencl_fast_convolution_variants())
            assert_refused({ "'variant'", variant->name }, [&] {
                make_opencl_fast_convolution(
                    d_device,
                    variant->name,
                    "copy",
                    make_channels(sample_type::fc32, 2, 9, 1, true),
                    0,
                    16);
            });
    }

    //! A plan transforms as many rows as a call has, and does not touch memory beyond
    //! them.
    void plans_take_fewer_rows()
    {
        const auto device = std::make_shared<context>(test_device(), test_options());
        const auto queue = device->make_queue();
        // The cases have several rows per group, one row per group, and two passes.
        for (const auto& [length, most] : { std::pair<std::size_t, std::size_t>{ 48, 37 },
                                            { 1024, 11 },
                                            { 16384, 5 } }) {
            if (length > vkfft_plan::max_length(device->limits()))
                continue;
            vkfft_plan plan(device, queue, fft_direction::forward, length, most);
            // Each row has one nonzero value, whose transform is a rotating phasor.
            std::vector<std::complex<float>> in(length * most), out(length * most);
            for (std::size_t r = 0; r < most; ++r)
                in[r * length + 1] = static_cast<float>(r + 1);
            const std::size_t bytes = in.size() * sizeof(in[0]);
            const cl::Buffer buffer(device->cl_context(), CL_MEM_READ_WRITE, bytes);
            for (const std::size_t rows : { std::size_t(1), most / 2, most - 1, most }) {
                const std::string message = std::to_string(rows) + " of " +
                                            std::to_string(most) + " rows of " +
                                            std::to_string(length) + " values";
                const std::size_t touched = plan.rows_touched(rows);
                CPPUNIT_ASSERT_MESSAGE(message, touched >= rows && touched <= most);
                queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, in.data());
                std::vector<cl::Event> events;
                plan.enqueue(buffer, rows, events);
                queue.enqueueReadBuffer(buffer, CL_TRUE, 0, bytes, out.data());
                for (std::size_t r = 0; r < rows; ++r)
                    for (std::size_t k = 0; k < length; ++k) {
                        const double angle = -2 * std::acos(-1.0) *
                                             static_cast<double>(k) /
                                             static_cast<double>(length);
                        const auto expected = static_cast<std::complex<float>>(
                            std::polar(static_cast<double>(r + 1), angle));
                        CPPUNIT_ASSERT_MESSAGE(message,
                                               std::abs(out[r * length + k] - expected) <
                                                   1e-4F * static_cast<float>(r + 1));
                    }
                CPPUNIT_ASSERT_MESSAGE(message,
                                       std::equal(in.begin() + touched * length,
                                                  in.end(),
                                                  out.begin() + touched * length));
            }
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_opencl_fast_convolution_device,
                                      "qa_opencl_fast_convolution_device");

} // namespace
