/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "filter_stream.h"

#include <cldsp/context.h>
#include <cppunit/extensions/HelperMacros.h>
#include <random>
#include <vector>

namespace {

using gr::cldsp::filter_stream;
using gr::cldsp::same_kind;

// Tests of the taps that a filter_stream passes to its engine.
class qa_filter_stream : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_filter_stream);
    CPPUNIT_TEST(the_engine_gets_the_wanted_taps);
    CPPUNIT_TEST(an_added_channel_copies_no_taps);
    CPPUNIT_TEST_SUITE_END();

    ::cldsp::context_registry d_registry;

    static filter_stream::problem_type problem(std::size_t taps, std::size_t slots)
    {
        filter_stream::problem_type result;
        result.taps = { list(taps, true) };
        result.center_freqs = { 1, 2 };
        result.sampling_freq = 1000;
        result.max_channels = slots;
        return result;
    }

    static filter_stream::options_type options()
    {
        filter_stream::options_type result;
        result.device = "host";
        result.variant = "simd";
        return result;
    }

    static std::vector<std::complex<float>> list(std::size_t taps, bool real)
    {
        return std::vector<std::complex<float>>(taps, { 1, real ? 0.0f : 1.0f });
    }

    static filter_stream::taps_type wanted(const filter_stream& stream)
    {
        return stream.wanted(&filter_stream::problem_type::taps);
    }

    // Whatever comes and goes between two calls, a plan that was made for the wanted taps
    // fits the engine that runs.
    void the_engine_gets_the_wanted_taps()
    {
        constexpr int slots = 5;
        filter_stream stream(problem(10, slots), options(), d_registry);
        stream.add_channel(list(50, false), 7);
        stream.remove_channel(2);
        stream.apply_changes();
        CPPUNIT_ASSERT(same_kind(wanted(stream), stream.engine().problem().taps));
        CPPUNIT_ASSERT_EQUAL(std::size_t(10), wanted(stream)[2].size());

        std::mt19937 random(1);
        std::vector<bool> used{ true, true, false, false, false };
        for (int step = 0; step < 2000; step++) {
            const int c = static_cast<int>(random() % slots);
            const auto taps = list(1 + random() % 6 * 10, random() % 2);
            if (random() % 20 == 0)
                stream.set_taps({ taps });
            else if (used[c])
                stream.remove_channel(c);
            else
                stream.add_channel(taps, 5, c);
            used[c] = stream.channel_active(c);
            if (random() % 3 == 0) {
                stream.apply_changes();
                CPPUNIT_ASSERT(same_kind(wanted(stream), stream.engine().problem().taps));
                for (int i = 0; i < slots; i++)
                    CPPUNIT_ASSERT_EQUAL(bool(used[i]), stream.engine().has_channel(i));
            }
        }
    }

    void an_added_channel_copies_no_taps()
    {
        filter_stream stream(problem(1000, 300), options(), d_registry);
        const auto common = wanted(stream).front();
        stream.add_channel(list(20, true), 7);
        stream.apply_changes();
        for (const auto& all : { wanted(stream), stream.engine().problem().taps })
            for (std::size_t c = 0; c < 300; c++)
                CPPUNIT_ASSERT_EQUAL(c != 2, all.at(c).is(common));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_filter_stream);

} // namespace
