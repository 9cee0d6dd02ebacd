/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "engine/tests/support/qa_refused.h"

#include <gnuradio/blocks/vector_sink.h>
#include <gnuradio/blocks/vector_source.h>
#include <gnuradio/cldsp/devices.h>
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

    void lists_devices_and_variants()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("host"), gr::cldsp::devices().back().id);
        CPPUNIT_ASSERT(!gr::cldsp::list_variants().empty());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_blocks);

} // namespace
