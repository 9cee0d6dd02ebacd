/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fft/vkfft_plan.h"
#include "tests/support/qa_fast_convolution_support.h"

#include <cldsp/errors.h>

#include <cppunit/extensions/HelperMacros.h>

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! Tests of fast convolution with limits, failures and the compiler of a device.
class opencl_fast_convolution_device_tests : public fast_convolution_fixture
{
    CPPUNIT_TEST_SUITE(opencl_fast_convolution_device_tests);
#ifdef CLDSP_HAVE_VKFFT
    CPPUNIT_TEST(pieces_of_a_call_overlap);
    CPPUNIT_TEST(failures_while_pieces_overlap);
    CPPUNIT_TEST(more_channels_than_a_buffer_holds);
    CPPUNIT_TEST(injected_failures);
    CPPUNIT_TEST(second_start_compiles_nothing);
    CPPUNIT_TEST(plans_take_fewer_rows);
    CPPUNIT_TEST(errors);
#else
    CPPUNIT_TEST(refused_without_vkfft);
#endif
    CPPUNIT_TEST_SUITE_END_ABSTRACT();

public:
    void refused_without_vkfft()
    {
        CPPUNIT_ASSERT(!vkfft_plan::missing().empty());
        CPPUNIT_ASSERT_THROW(make(make_channels(sample_type::fc32, 2, 9, 1, true), 16),
                             std::invalid_argument);
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

    //! Tests the method for GPUs with memory of their own, on any device.
    void pieces_of_a_call_overlap()
    {
        if (small_tests())
            return;
        auto info = test_device();
        info.kind = device_kind::gpu;
        info.limits.host_unified_memory = false;
        const auto device = std::make_shared<context>(info, test_options());
        const auto b = usual();
        for (const char* transfer : { "copy", "mapped", "zero_copy" })
            for (const std::size_t count : { 1, 2 }) {
                const auto channels =
                    make_channels(sample_type::fc32, b.decimation, b.taps, count, true);
                const auto bank = make_opencl_fast_convolution(
                    device, variant(), transfer, channels, 0, b.rows);
                // The stream is several times longer than the shortest piece, which
                // brings 8 MiB.
                stream_case c(channels, 3000000 / b.decimation);
                for (const bool lent : { false, true }) {
                    if (lent)
                        c.lend_to(*bank);
                    c.again();
                    const auto before = device->commands();
                    c.run(*bank);
                    constexpr std::uint64_t pieces = 3, commands_of_a_piece = 4;
                    CPPUNIT_ASSERT(device->commands() - before >=
                                   pieces * commands_of_a_piece);
                    CPPUNIT_ASSERT_MESSAGE(transfer, c.error() < bound);
                }
                bank->set_stream_memory({}, {});
            }
    }

    //! Lets calls of the driver fail in turn, while pieces of a call overlap.
    void failures_while_pieces_overlap()
    {
        if (small_tests() || smallest())
            return;
        auto info = test_device();
        info.kind = device_kind::gpu;
        info.limits.host_unified_memory = false;
        const auto device = std::make_shared<context>(info, test_options());
        const auto b = usual();
        const auto channels =
            make_channels(sample_type::fc32, b.decimation, b.taps, 2, true);
        constexpr int pieces = 5, commands_of_a_piece = 4, step = 4;
        constexpr int kib = 256; // of the spectra of a piece
        const std::size_t blocks = kib * 1024 / (b.rows * b.decimation * 8);
        stream_case c(channels, pieces * blocks * b.rows);
        int failures = 0;
        for (bool failed = true; failed; failures += failed ? step : 0) {
            const auto bank = make_opencl_fast_convolution(device,
                                                           variant(),
                                                           "zero_copy",
                                                           channels,
                                                           0,
                                                           b.rows,
                                                           { { "pipeline_kib", kib } });
            c.again();
            c.lend_to(*bank);
            device->inject_failure(injected_call::enqueue, failures);
            failed = false;
            try {
                c.run(*bank);
            } catch (const opencl_error&) {
                failed = true;
            }
            device->inject_failure(injected_call::none);
            // The executor continues after a failure of the driver.
            c.again();
            c.run(*bank);
            CPPUNIT_ASSERT(c.error() < bound);
            bank->set_stream_memory({}, {});
        }
        CPPUNIT_ASSERT(failures >= pieces * commands_of_a_piece);
    }

    void more_channels_than_a_buffer_holds()
    {
        if (small_tests())
            return;
        const std::size_t bytes =
            std::min<std::size_t>(d_device->limits().max_buffer / 2, 4 << 20);
        if (d_device->device().kind != device_kind::cpu)
            return; // the test would run the same code, only with larger buffers
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

    void injected_failures()
    {
        const auto b = usual();
        const auto channels =
            make_channels(sample_type::fc32, b.decimation, b.taps, 2, true);
        for (const char* transfer : { "copy", "mapped", "zero_copy" })
            for (const std::size_t count : { 1, 2 }) {
                const std::vector<filter_channel> some(
                    channels.begin(), channels.begin() + static_cast<long>(count));
                stream_case c(some, 100);
                // Makes every call of the driver fail in turn, until there is no later
                // call.
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
                        // The executor continues after a failure of the driver.
                        c.again();
                        c.run(*bank);
                        CPPUNIT_ASSERT(c.error() < bound);
                    }
                    CPPUNIT_ASSERT(failures > (call == injected_call::enqueue ? 2 : 1));
                }
            }
        const auto bank = make(channels, b.rows);
        d_device->inject_failure(injected_call::enqueue);
        bank->configure(0, channels[0]);
        CPPUNIT_ASSERT_THROW(stream_case(channels, 50).run(*bank), opencl_error);
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
        options.disk_cache = true;
        options.cache_folder = folder.string();
        std::vector<std::size_t> compiled;
        for (int start = 0; start < 2; ++start) {
            const auto device = std::make_shared<context>(test_device(), options);
            make_opencl_fast_convolution(device, variant(), "copy", channels, 0, b.rows);
            compiled.push_back(device->programs_compiled());
        }
        std::filesystem::remove_all(folder);
        // VkFFT's transforms in both directions and the kernels around them, or one
        // program for the forward transforms and one for the rest.
        CPPUNIT_ASSERT_EQUAL(std::size_t(variant() == "vkfft" ? 3 : 2), compiled[0]);
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
        // The groups are too small for VkFFT's longer transforms.
        if (d_device->limits().max_work_group_size < 64)
            CPPUNIT_ASSERT_THROW(make(channels, 4096 / b.decimation),
                                 std::invalid_argument);
        auto bank = make(channels, b.rows);
        CPPUNIT_ASSERT_THROW(bank->configure(2, channels[0]), std::invalid_argument);
        if (d_device->limits().max_buffer > (std::size_t(1) << 27))
            return;
        // A request for taps that are too long for any block changes nothing.
        auto problem = channels[0].problem;
        problem.taps = shared_taps::values(d_device->limits().max_buffer / 8 + 1, 1.0f);
        CPPUNIT_ASSERT_THROW(bank->configure(0, filter_channel(problem)),
                             std::invalid_argument);
        stream_case c(channels, 50);
        c.run(*bank);
        CPPUNIT_ASSERT(c.error() < bound);
    }
};

} // namespace cldsp
