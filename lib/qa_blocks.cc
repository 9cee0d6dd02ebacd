// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the filters as a C++ program uses them.

#include "engine/tests/support/qa_refused.h"

#include <gnuradio/block_detail.h>
#include <gnuradio/blocks/vector_sink.h>
#include <gnuradio/blocks/vector_source.h>
#include <gnuradio/buffer.h>
#include <gnuradio/cldsp/devices.h>
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter_volk.h>
#include <gnuradio/top_block.h>
#include <cppunit/extensions/HelperMacros.h>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using cldsp::assert_refused;
using gr::cldsp::freq_xlating_filter_bank_ccf;
using gr::cldsp::freq_xlating_fir_filter_ccf;
using gr::cldsp::freq_xlating_fir_filter_cu8_f;
using gr::cldsp::freq_xlating_fir_filter_volk_ccf;

// Tests of the blocks as a C++ program uses them.
class qa_blocks : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_blocks);
    CPPUNIT_TEST(shifts_a_tone_to_0_hz);
    CPPUNIT_TEST(volk_gives_the_same);
    CPPUNIT_TEST(takes_iq_pairs);
    CPPUNIT_TEST(names_bad_arguments);
    CPPUNIT_TEST(buffers_are_at_least_as_large_as_asked_for);
    CPPUNIT_TEST(lists_devices_and_variants);
    CPPUNIT_TEST_SUITE_END();

    static constexpr double fs = 1000, fc = 125;
    static constexpr int decimation = 4;

    static std::vector<gr_complex> tone(std::size_t count)
    {
        std::vector<gr_complex> items(count);
        for (std::size_t n = 0; n < count; n++)
            items[n] = std::polar(1.0, 2 * M_PI * fc / fs * n);
        return items;
    }

    static std::vector<gr_complex> run(gr::basic_block_sptr block,
                                       const std::vector<gr_complex>& items)
    {
        auto tb = gr::make_top_block("test");
        auto source = gr::blocks::vector_source_c::make(items);
        auto sink = gr::blocks::vector_sink_c::make();
        tb->connect(source, 0, block, 0);
        tb->connect(block, 0, sink, 0);
        tb->run();
        return sink->data();
    }

    // A tone at fc gives a constant: the taps have a gain of 1 and a group delay of one
    // item.
    static void check_tone(const std::vector<gr_complex>& out, std::size_t items)
    {
        CPPUNIT_ASSERT_EQUAL(items / decimation, out.size());
        const gr_complex expected = std::polar(1.0f, float(-2 * M_PI * fc / fs));
        for (std::size_t n = 1; n < out.size(); n++)
            CPPUNIT_ASSERT(std::abs(out[n] - expected) < 1e-5f);
    }

    void shifts_a_tone_to_0_hz()
    {
        auto block = freq_xlating_fir_filter_ccf::make(
            decimation, { 0.25f, 0.5f, 0.25f }, fc, fs, "host");
        check_tone(run(block, tone(10001)), 10001);
        CPPUNIT_ASSERT_EQUAL(std::string("host"), block->device_name());
        CPPUNIT_ASSERT_EQUAL(std::string("none"), block->transfer_name());
        CPPUNIT_ASSERT(!block->fell_back());
    }

    void volk_gives_the_same()
    {
        auto block = freq_xlating_fir_filter_volk_ccf::make(
            decimation, { 0.25f, 0.5f, 0.25f }, fc, fs);
        check_tone(run(block, tone(10001)), 10001);
        CPPUNIT_ASSERT_EQUAL(std::string("volk"), block->variant_name());
    }

    void takes_iq_pairs()
    {
        auto block = freq_xlating_fir_filter_cu8_f::make(1, { 1 }, 0, fs, "host");
        auto tb = gr::make_top_block("test");
        auto source = gr::blocks::vector_source_b::make({ 0, 255, 255, 0 }, false, 2);
        auto sink = gr::blocks::vector_sink_c::make();
        tb->connect(source, 0, block, 0);
        tb->connect(block, 0, sink, 0);
        tb->run();
        const std::vector<gr_complex> expected{ { -1, 1 }, { 1, -1 } };
        CPPUNIT_ASSERT_EQUAL(expected.size(), sink->data().size());
        for (std::size_t n = 0; n < expected.size(); n++)
            CPPUNIT_ASSERT(std::abs(sink->data()[n] - expected[n]) < 1e-5f);
    }

    void names_bad_arguments()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        assert_refused({ "decimation" },
                       [&] { freq_xlating_fir_filter_ccf::make(-1, { 1 }, 0, 1); });
        assert_refused({ "taps" },
                       [&] { freq_xlating_fir_filter_ccf::make(1, {}, 0, 1); });
        assert_refused({ "center_freq" },
                       [&] { freq_xlating_fir_filter_ccf::make(1, { 1 }, nan, 1); });
        assert_refused({ "sampling_freq" },
                       [&] { freq_xlating_fir_filter_volk_ccf::make(1, { 1 }, 0, 0); });
        assert_refused({ "call" }, [&] { gr::cldsp::inject_failure("coffee"); });
    }

    //! The size of an output's buffer in items, while the flowgraph runs.
    static int buffer_of(gr::block_sptr block, int outputs)
    {
        auto tb = gr::make_top_block("test");
        tb->connect(gr::blocks::vector_source_c::make(tone(1000)), 0, block, 0);
        for (int port = 0; port < outputs; port++)
            tb->connect(block, port, gr::blocks::vector_sink_c::make(), 0);
        tb->start();
        const int size = block->detail()->output(outputs - 1)->bufsize();
        tb->stop();
        tb->wait();
        return size;
    }

    // GNU Radio's pages round a buffer up, but a multiple that the block asks for rounds
    // it down.
    void buffers_are_at_least_as_large_as_asked_for()
    {
        for (const double rate : { 1e5, 1e6, 2.016e6, 20e6 })
            for (const int asked : { 20000, 65536, 100000, 262144 }) {
                const std::vector<float> taps{ 1 };
                auto filter = freq_xlating_fir_filter_ccf::make(2, taps, 0, rate, "host");
                auto volk = freq_xlating_fir_filter_volk_ccf::make(2, taps, 0, rate);
                auto bank = freq_xlating_filter_bank_ccf::make(
                    2, { taps }, { 0, 1 }, rate, "host");
                filter->set_min_output_buffer(asked);
                volk->set_min_output_buffer(0, asked);
                bank->set_min_output_buffer(1, asked);
                CPPUNIT_ASSERT(buffer_of(filter, 1) >= asked);
                CPPUNIT_ASSERT(buffer_of(volk, 1) >= asked);
                CPPUNIT_ASSERT(buffer_of(bank, 2) >= asked);
                // A second run, a multiple of the user's own and a larger maximum change
                // nothing.
                const int made = buffer_of(filter, 1);
                CPPUNIT_ASSERT(made >= asked);
                CPPUNIT_ASSERT(made < asked + 2 * filter->alignment() + 8192);
                filter->set_output_multiple(777);
                CPPUNIT_ASSERT(buffer_of(filter, 1) >= asked);
                CPPUNIT_ASSERT_EQUAL(777, filter->output_multiple());
                volk->set_max_output_buffer(0, asked + 70000);
                CPPUNIT_ASSERT(buffer_of(volk, 1) >= asked);
                CPPUNIT_ASSERT_EQUAL(long(asked), filter->min_output_buffer(0));
            }
    }

    void lists_devices_and_variants()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("host"), gr::cldsp::devices().back().id);
        CPPUNIT_ASSERT(!gr::cldsp::list_variants().empty());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_blocks);

} // namespace
