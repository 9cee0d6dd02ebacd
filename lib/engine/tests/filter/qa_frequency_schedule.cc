// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that the phase of a changing frequency stays exact for a day.

#include "filter/frequency_schedule.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_refused.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace cldsp;

class qa_frequency_schedule : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_frequency_schedule);
    CPPUNIT_TEST(constant_until_points_are_set);
    CPPUNIT_TEST(ramps_do_not_drift_in_a_day);
    CPPUNIT_TEST(the_unit_of_frequency_is_free);
    CPPUNIT_TEST(jumps_keep_the_phase);
    CPPUNIT_TEST(a_new_list_replaces_the_later_points);
    CPPUNIT_TEST(points_of_the_past_take_effect_now);
    CPPUNIT_TEST(an_empty_list_holds_the_frequency);
    CPPUNIT_TEST(forgetting);
    CPPUNIT_TEST(mixes_every_type);
    CPPUNIT_TEST(mixes_alike_in_any_cut);
    CPPUNIT_TEST(bad_arguments);
    CPPUNIT_TEST_SUITE_END();

    using points = std::vector<frequency_point>;

    static constexpr std::int64_t rate = 20000000; // samples per second
    static constexpr std::int64_t day = 86400 * rate;

    static std::int64_t product(std::int64_t a, std::int64_t b, std::int64_t modulus)
    {
        const auto reduced = [&](std::int64_t v) {
            return (v % modulus + modulus) % modulus;
        };
        std::int64_t sum = 0;
        a = reduced(a);
        for (b = reduced(b); b > 0; b /= 2) {
            if (b % 2)
                sum = (sum + a) % modulus;
            a = 2 * a % modulus;
        }
        return sum;
    }

    //! The phase after \p d items at \p rate, in turns, without whole turns. Products are
    //! computed in integers, and so are exact.
    static long double turns(std::int64_t hz, std::int64_t hz_per_second, std::int64_t d)
    {
        const std::int64_t square = 2 * rate * rate;
        return static_cast<long double>(product(hz, d, rate)) / rate +
               static_cast<long double>(
                   product(product(d, d, square), hz_per_second, square)) /
                   square;
    }

    static void assert_phase(long double expected,
                             const frequency_schedule& schedule,
                             std::int64_t item)
    {
        const long double error = std::remainder(
            expected -
                static_cast<long double>(schedule.phase_at(item).fraction()) * 0x1p-64L,
            1.0L);
        CPPUNIT_ASSERT_MESSAGE("item " + std::to_string(item) + ": " +
                                   std::to_string(static_cast<double>(error) * 1e15) +
                                   "e-15 turns",
                               std::fabs(error) < 2e-14L);
    }

    void constant_until_points_are_set()
    {
        const auto anchor = phase64::from_turns(0.123);
        const frequency_schedule schedule(
            static_cast<double>(rate), -1234567, 1000, anchor);
        CPPUNIT_ASSERT(anchor == schedule.phase_at(1000));
        for (const std::int64_t item :
             { std::int64_t(-3000), std::int64_t(0), rate, 9 * day }) {
            assert_phase(0.123L + turns(-1234567, 0, item - 1000), schedule, item);
            CPPUNIT_ASSERT_EQUAL(-1234567.0, schedule.frequency_at(item));
        }
        CPPUNIT_ASSERT(schedule.is_constant_from(-5));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), schedule.stretches());
    }

    //! Compares ramps with the exact phases, at items of the first 10 s and of a whole
    //! day.
    void ramps_do_not_drift_in_a_day()
    {
        for (const std::int64_t slope : { 1000, -1000, 7, -333333 }) {
            frequency_schedule schedule(static_cast<double>(rate), 145000);
            const std::int64_t start = 123457;
            schedule.set_points({ { start, -5000, static_cast<double>(slope) } }, 0);
            std::mt19937_64 random(2);
            for (int i = 0; i < 2000; i++) {
                const auto d =
                    static_cast<std::int64_t>(random() % (i < 1000 ? 10 * rate : day));
                assert_phase(turns(145000, 0, start) + turns(-5000, slope, d),
                             schedule,
                             start + d);
                CPPUNIT_ASSERT_DOUBLES_EQUAL(-5000 + static_cast<double>(slope) *
                                                         (static_cast<double>(d) / rate),
                                             schedule.frequency_at(start + d),
                                             1e-5);
            }
            CPPUNIT_ASSERT(!schedule.is_constant_from(start));

            // The phasors of the items, at places all over the day.
            const std::vector<std::complex<float>> ones(200, 1.0f);
            std::vector<std::complex<float>> out(ones.size());
            for (int place = 0; place <= 100; place++) {
                const std::int64_t first = start + place * (day / 100);
                schedule.mix(
                    ones.data(), sample_type::fc32, first, out.data(), out.size());
                for (std::size_t i = 0; i < out.size(); i++) {
                    const long double angle =
                        turns(145000, 0, start) +
                        turns(-5000, slope, first - start + static_cast<std::int64_t>(i));
                    const auto expected =
                        std::polar(1.0,
                                   static_cast<double>(std::remainder(-angle, 1.0L)) *
                                       6.283185307179586);
                    CPPUNIT_ASSERT(std::abs(expected - std::complex<double>(out[i])) <
                                   2e-7);
                }
            }
        }
    }

    //! Frequencies and times in another unit give the same phases, to the bit.
    void the_unit_of_frequency_is_free()
    {
        frequency_schedule hertz(2.4e6, 1000.25), other(2.4e6 / 1024, 1000.25 / 1024);
        hertz.set_points({ { 5, 0.1, -20.3 }, { 5000, -1e5, 1e6 } }, 0);
        other.set_points({ { 5, 0.1 / 1024, -20.3 / 1024 / 1024 },
                           { 5000, -1e5 / 1024, 1e6 / 1024 / 1024 } },
                         0);
        for (const std::int64_t item : { -5, 3, 77, 4999, 5000, 5001, 1000000000 })
            CPPUNIT_ASSERT(hertz.phase_at(item) == other.phase_at(item));
    }

    void jumps_keep_the_phase()
    {
        frequency_schedule schedule(static_cast<double>(rate), 10000);
        schedule.set_points(
            { { 1000, 2000000, 0 }, { 70001, -3000000, -5000 }, { 70002, 12, 34 } }, 0);
        CPPUNIT_ASSERT_EQUAL(std::size_t(4), schedule.stretches());
        long double before = turns(10000, 0, 1000);
        assert_phase(before, schedule, 1000);
        assert_phase(before + turns(2000000, 0, 30), schedule, 1030);
        before += turns(2000000, 0, 69001);
        assert_phase(before, schedule, 70001);
        before += turns(-3000000, -5000, 1);
        assert_phase(before, schedule, 70002);
        assert_phase(before + turns(12, 34, rate), schedule, 70002 + rate);

        for (const auto& [item, hz] :
             std::vector<std::pair<std::int64_t, double>>{ { 999, 10000 },
                                                           { 1000, 2e6 },
                                                           { 70000, 2e6 },
                                                           { 70001, -3e6 },
                                                           { 70002, 12 },
                                                           { 70002 + rate, 46 } })
            CPPUNIT_ASSERT_EQUAL(hz, schedule.frequency_at(item));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(1000), schedule.stretch_at(-7).end);
        CPPUNIT_ASSERT_EQUAL(std::int64_t(70001), schedule.stretch_at(1000).end);
        CPPUNIT_ASSERT_EQUAL(std::numeric_limits<std::int64_t>::max(),
                             schedule.stretch_at(70002).end);
    }

    void a_new_list_replaces_the_later_points()
    {
        frequency_schedule schedule(static_cast<double>(rate), 0);
        schedule.set_points({ { 1000, 100, 0 }, { 2000, 200, 0 }, { 3000, 300, 0 } }, 0);
        schedule.set_points({ { 2000, 500, 0 } }, 1500);
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), schedule.stretches());
        CPPUNIT_ASSERT_EQUAL(100.0, schedule.frequency_at(1999));
        CPPUNIT_ASSERT_EQUAL(500.0, schedule.frequency_at(4000));
        assert_phase(turns(100, 0, 1000) + turns(500, 0, 7000), schedule, 9000);
        CPPUNIT_ASSERT(!schedule.is_constant_from(1999));
        CPPUNIT_ASSERT(schedule.is_constant_from(2000));
    }

    void points_of_the_past_take_effect_now()
    {
        frequency_schedule schedule(static_cast<double>(rate), 700);
        // At item 5 s, the second point has been on for 3 s.
        schedule.set_points(
            { { rate, 1, 1 }, { 2 * rate, 1000, 10 }, { 6 * rate, 5, 0 } }, 5 * rate);
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), schedule.stretches());
        CPPUNIT_ASSERT_EQUAL(700.0, schedule.frequency_at(5 * rate - 1));
        CPPUNIT_ASSERT_EQUAL(1030.0, schedule.frequency_at(5 * rate));
        assert_phase(turns(700, 0, 5 * rate - 1), schedule, 5 * rate - 1);
        assert_phase(turns(700, 0, 5 * rate), schedule, 5 * rate);
        assert_phase(
            turns(700, 0, 5 * rate) + turns(1030, 10, 77777), schedule, 5 * rate + 77777);
        assert_phase(turns(700, 0, 5 * rate) + turns(1030, 10, rate) + turns(5, 0, 99),
                     schedule,
                     6 * rate + 99);
    }

    void an_empty_list_holds_the_frequency()
    {
        frequency_schedule schedule(static_cast<double>(rate), 700);
        schedule.set_points({ { 0, 100, 8 }, { 9 * rate, 5, 5 } }, 0);
        schedule.set_points({}, 4 * rate);
        CPPUNIT_ASSERT_EQUAL(132.0, schedule.frequency_at(4 * rate));
        CPPUNIT_ASSERT_EQUAL(132.0, schedule.frequency_at(20 * rate));
        CPPUNIT_ASSERT_EQUAL(116.0, schedule.frequency_at(2 * rate));
        CPPUNIT_ASSERT(schedule.is_constant_from(4 * rate));
        CPPUNIT_ASSERT(!schedule.is_constant_from(4 * rate - 1));
        assert_phase(
            turns(100, 8, 4 * rate) + turns(132, 0, day), schedule, 4 * rate + day);
    }

    void forgetting()
    {
        frequency_schedule schedule(static_cast<double>(rate), 700), whole = schedule;
        points list;
        for (std::int64_t i = 1; i <= 1000; i++)
            list.push_back({ 1000 * i, static_cast<double>(i * i % 997), 3.5 });
        schedule.set_points(list, 0);
        whole.set_points(list, 0);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1001), schedule.stretches());
        for (std::int64_t item = 0; item < 1002000; item += 777) {
            schedule.forget_before(item);
            CPPUNIT_ASSERT_EQUAL(static_cast<std::size_t>(
                                     1001 - std::min<std::int64_t>(1000, item / 1000)),
                                 schedule.stretches());
            for (const std::int64_t later : { 0, 1, 999, 1000, 1001, 1000000 }) {
                CPPUNIT_ASSERT(whole.phase_at(item + later) ==
                               schedule.phase_at(item + later));
                CPPUNIT_ASSERT_EQUAL(whole.frequency_at(item + later),
                                     schedule.frequency_at(item + later));
            }
        }
        // A point before the kept part of the schedule counts as a point of the past.
        schedule.set_points({ { 5, 42, 0 } }, 1002000);
        CPPUNIT_ASSERT_EQUAL(42.0, schedule.frequency_at(1002000));
        CPPUNIT_ASSERT(whole.phase_at(1002000) == schedule.phase_at(1002000));
    }

    static points uneven_points()
    {
        return { { 40, 3e6, 1e9 }, { 41, -2e6, 0 },  { 64, 1e5, -3e8 },
                 { 150, 0, 0 },    { 1000, 7e6, 5 }, { 1024, 1, 1e10 } };
    }

    void mixes_every_type()
    {
        constexpr std::size_t items = 2000;
        for (const auto type : all_sample_types()) {
            frequency_schedule schedule(
                static_cast<double>(rate), -9e5, 3, phase64(12345));
            schedule.set_points(uneven_points(), 0);
            const auto bytes = noise(type, items, 4);
            std::vector<std::complex<float>> out(items);
            schedule.mix(bytes.data(), type, -50, out.data(), items);
            for (std::size_t i = 0; i < items; i++) {
                const auto item = static_cast<std::int64_t>(i) - 50;
                const auto expected = sample_at(bytes.data(), type, i) *
                                      std::conj(schedule.phase_at(item).phasor());
                CPPUNIT_ASSERT(std::abs(expected - std::complex<double>(out[i])) <=
                               4e-7 * std::max(1.0, std::abs(expected)));
            }
        }
    }

    void mixes_alike_in_any_cut()
    {
        constexpr std::size_t items = 2000;
        std::mt19937 random(8);
        for (const auto type : all_sample_types()) {
            frequency_schedule schedule(static_cast<double>(rate), -9e5);
            schedule.set_points(uneven_points(), 0);
            const auto bytes = noise(type, items, 4);
            std::vector<std::complex<float>> whole(items), cut(items);
            schedule.mix(bytes.data(), type, 0, whole.data(), items);
            for (int round = 0; round < 50; round++) {
                // A copy discards the items that it has passed. The result is the same.
                frequency_schedule own = schedule;
                std::size_t done = 0;
                while (done < items) {
                    const auto first = static_cast<std::int64_t>(done);
                    own.forget_before(first);
                    const std::size_t piece = std::min<std::size_t>(
                        items - done, random() % (1 + random() % 300));
                    own.mix(bytes.data() + done * sample_size(type),
                            type,
                            first,
                            cut.data() + done,
                            piece);
                    done += piece;
                }
                CPPUNIT_ASSERT(std::memcmp(whole.data(), cut.data(), items * 8) == 0);
            }
        }
    }

    void bad_arguments()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double infinite = std::numeric_limits<double>::infinity();
        for (const double bad : { 0.0, -1.0, nan, infinite })
            assert_refused({ "sampling_freq", "above 0" },
                           [&] { frequency_schedule(bad, 0); });
        for (const double bad : { nan, infinite })
            assert_refused({ "center_freq", "finite" },
                           [&] { frequency_schedule(1, bad); });

        frequency_schedule schedule(1e6, 5);
        schedule.set_points({ { 100, 6, 0 } }, 0);
        const std::int64_t past_end = frequency_point::max_sample + 1;
        for (const auto& [bad, words] :
             std::vector<std::pair<frequency_point, std::vector<std::string>>>{
                 { { -1, 0, 0 }, { "points[2].sample", "-1", "0 to" } },
                 { { past_end, 0, 0 },
                   { "points[2].sample", std::to_string(past_end), "0 to" } },
                 { { 60, 0, 0 }, { "points[2].sample", "60", "above", "60" } },
                 { { 59, 0, 0 }, { "points[2].sample", "59", "above", "60" } },
                 { { 70, nan, 0 }, { "points[2].hz'", "nan", "finite" } },
                 { { 70, -infinite, 0 }, { "points[2].hz'", "-inf", "finite" } },
                 { { 70, 0, nan }, { "points[2].hz_per_second", "nan", "finite" } },
                 { { 70, 0, infinite },
                   { "points[2].hz_per_second", "inf", "finite" } } }) {
            const points list = { { 50, 1, 1 }, { 60, 2, 2 }, bad };
            assert_refused(words, [&] { schedule.set_points(list, 0); });
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), schedule.stretches());
        CPPUNIT_ASSERT_EQUAL(6.0, schedule.frequency_at(100));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_frequency_schedule, "qa_frequency_schedule");
