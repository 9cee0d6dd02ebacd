// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the taps that a stream passes to its engine.

#include "filter_stream.h"

#include <cldsp/context.h>
#include <cppunit/extensions/HelperMacros.h>
#include <random>
#include <vector>

namespace {

using gr::cldsp::filter_stream;
using cldsp::same_kind;

// Tests of the taps that a filter_stream passes to its engine.
class qa_filter_stream : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_filter_stream);
    CPPUNIT_TEST(the_engine_gets_the_wanted_taps);
    CPPUNIT_TEST(an_added_channel_copies_no_taps);
    CPPUNIT_TEST(passed_points_are_forgotten);
    CPPUNIT_TEST(lists_before_a_call_apply_in_their_order);
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

    // A flowgraph may run for days with a point every millisecond, and the channel may be
    // idle all the time.
    void passed_points_are_forgotten()
    {
        constexpr std::size_t items = 10000, distance = 100;
        filter_stream stream(problem(10, 0), options(), d_registry);
        stream.start({}, {});
        stream.set_channel_active(1, false);
        const std::vector<gr_complex> in(stream.past_items() + items);
        std::vector<gr_complex> out(items);
        gr_complex* const places[] = { out.data(), nullptr };
        const std::size_t most = (stream.past_items() + items) / distance + 2;
        std::size_t points = 0;
        for (int call = 0; call < 20; call++) {
            const auto begin = static_cast<std::int64_t>(stream.position());
            for (int channel = 0; channel < 2; channel++)
                for (std::size_t at = 0; at < items; at += distance)
                    stream.schedule(channel,
                                    { { begin + static_cast<std::int64_t>(at),
                                        static_cast<double>(at % 7),
                                        1 } });
            stream.apply_changes();
            stream.process(in.data(), items, places);
            points += stream.taken_points().size();
            for (std::size_t channel = 0; channel < 2; channel++) {
                CPPUNIT_ASSERT(stream.engine().stretches(channel) > items / distance);
                CPPUNIT_ASSERT(stream.engine().stretches(channel) <= most);
            }
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t(2 * 20 * items / distance), points);
    }

    void lists_before_a_call_apply_in_their_order()
    {
        const auto frequencies =
            [&](const std::vector<std::vector<::cldsp::frequency_point>>& lists) {
                filter_stream stream(problem(10, 0), options(), d_registry);
                stream.start({}, {});
                for (const auto& points : lists)
                    stream.schedule(0, points);
                stream.apply_changes();
                std::vector<double> hz;
                for (const std::int64_t item : { 0, 50, 150, 250, 350 })
                    hz.push_back(stream.engine().schedule_at(0, item).hz);
                return hz;
            };
        const std::vector<double> rising{ 1, 1, 5, 6, 7 }, replaced{ 1, 1, 5, 8, 8 },
            stays{ 1, 1, 1, 1, 1 }, goes_on{ 1, 1, 1, 9, 9 };
        CPPUNIT_ASSERT(rising == frequencies({ { { 100, 5, 0 } },
                                               { { 200, 6, 0 }, { 300, 7, 0 } } }));
        CPPUNIT_ASSERT(replaced == frequencies({ { { 100, 5, 0 } },
                                                 { { 220, 6, 0 }, { 300, 7, 0 } },
                                                 { { 200, 8, 0 } } }));
        // After an empty list, the lists before it have no effect any more.
        CPPUNIT_ASSERT(stays == frequencies({ { { 0, 3, 0 }, { 100, 5, 0 } }, {}, {} }));
        CPPUNIT_ASSERT(
            goes_on ==
            frequencies({ { { 0, 3, 0 }, { 100, 5, 0 } }, {}, { { 200, 9, 0 } } }));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_filter_stream);

} // namespace
