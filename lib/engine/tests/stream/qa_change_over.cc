// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that a stream loses no sample where it changes over to another engine.

#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/background_thread.h>
#include <cldsp/reference.h>
#include <cldsp/stream_bank.h>

#include <cppunit/extensions/HelperMacros.h>

#include <chrono>
#include <complex>
#include <cstdlib>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace cldsp;

namespace {

using channel_outputs = std::vector<std::vector<std::complex<float>>>;
using options_type = freq_xlating_filter_bank_options;

//! What is done before certain items.
using stream_changes = std::map<std::size_t, std::function<void(stream_bank&)>>;

class qa_change_over : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_change_over);
    CPPUNIT_TEST(no_sample_is_lost_or_wrong);
    CPPUNIT_TEST(a_stream_made_at_once_gets_its_plan);
    CPPUNIT_TEST(long_calls_are_cut_until_a_device_wants_them);
    CPPUNIT_TEST(a_pause_stops_planning);
    CPPUNIT_TEST(streams_end_while_they_are_planned);
    CPPUNIT_TEST(streams_that_end_before_they_are_planned_keep_nothing);
    CPPUNIT_TEST_SUITE_END();

    static constexpr double bound = -115; // dB of a channel's peak
    static constexpr std::size_t items = 6000;

    const std::shared_ptr<context_registry> d_registry =
        std::make_shared<context_registry>(test_options());
    std::mt19937 d_random{ 40 };

    std::size_t random(std::size_t from, std::size_t to)
    {
        return from + d_random() % (to - from + 1);
    }

    static options_type host(const std::string& variant = "auto")
    {
        options_type options;
        options.device = "host";
        options.variant = variant;
        options.accuracy = 0;
        options.threads = 2;
        return options;
    }
    static options_type at_once()
    {
        auto options = host();
        options.at_once = true;
        return options;
    }

    stream_bank::problem_type random_problem()
    {
        const auto& types = all_sample_types();
        const std::size_t channels = random(1, 4);
        auto problem = make_bank_problem(types[random(0, types.size() - 1)],
                                         random(1, 24),
                                         random(1, 120),
                                         random(0, 1) != 0,
                                         channels);
        if (random(0, 1))
            problem.taps = random_bank_taps(channels, 120, d_random);
        if (random(0, 2) == 0)
            for (std::size_t c = 0; c < channels; c++) {
                const std::size_t up = random(1, 3), down = random(4, 40),
                                  common = std::gcd(up, down);
                problem.rates.push_back({ up / common, down / common });
            }
        return problem;
    }

    //! A bank that is made for the stream as it is now, by any way of the host.
    freq_xlating_filter_bank another(stream_bank& stream)
    {
        std::vector<std::string> ways{ "auto", "simd", "volk" };
        if (stream.bank().has_one_decimation())
            ways.insert(ways.end(), { "polyphase", "selected_bins", "four_step" });
        while (true) {
            try {
                auto options = host(ways[random(0, ways.size() - 1)]);
                options.at_once = true; // nothing is measured
                return { stream.bank().problem(), options, *d_registry };
            } catch (const std::invalid_argument&) {
                // This way does not take the problem.
            }
        }
    }

    stream_changes random_changes(std::size_t channels)
    {
        stream_changes all;
        for (std::size_t count = random(0, 6); count > 0; count--) {
            const std::size_t at = random(0, items - 1), c = random(0, channels - 1);
            const double hz = random_freqs(1, d_random).front();
            const auto size = random(1, 150);
            const auto seed = static_cast<unsigned>(d_random());
            const std::vector<frequency_point> points{
                { static_cast<std::int64_t>(at + 40), hz / 100, 2e5 },
                { static_cast<std::int64_t>(at + 700), hz / 50, 0 }
            };
            switch (random(0, 4)) {
            case 0:
                all[at] = [=](auto& stream) {
                    stream.bank().set_taps({ random_taps(size, seed % 2, seed) });
                };
                break;
            case 1:
                all[at] = [=](auto& stream) { stream.bank().schedule(c, points); };
                break;
            case 2:
                all[at] = [=](auto& stream) {
                    stream.bank().set_channel_active(c, seed % 2);
                };
                break;
            default:
                all[at] = [=](auto& stream) { stream.bank().set_center_freq(c, hz); };
            }
        }
        return all;
    }

    //! The outputs of a stream. \param offer called before each call; may be empty
    channel_outputs run(stream_bank& stream,
                        const std::vector<unsigned char>& in,
                        std::size_t longest,
                        stream_changes changes,
                        const std::function<void()>& offer)
    {
        const std::size_t size = sample_size(stream.bank().problem().input);
        channel_outputs found(stream.bank().channels());
        for (std::size_t done = 0; done < items;) {
            if (const auto due = changes.extract(done))
                due.mapped()(stream);
            const auto next = changes.begin();
            std::size_t count = (next == changes.end() ? items : next->first) - done;
            count = std::min(count, random(0, longest));
            if (offer)
                offer();
            run_call(stream, in.data() + done * size, count, found);
            done += count;
        }
        return found;
    }

    static void run_call(stream_bank& stream,
                         const unsigned char* in,
                         std::size_t count,
                         channel_outputs& found)
    {
        const std::size_t room = stream.max_outputs(count);
        channel_outputs out(found.size(), std::vector<std::complex<float>>(room));
        std::vector<std::complex<float>*> places;
        for (auto& channel : out)
            places.push_back(channel.data());
        std::vector<std::size_t> counts(found.size());
        stream.process(in, count, places.data(), room, counts.data());
        for (std::size_t c = 0; c < found.size(); c++)
            found[c].insert(found[c].end(), out[c].begin(), out[c].begin() + counts[c]);
    }

    static void assert_same(const std::string& what,
                            const channel_outputs& expected,
                            const channel_outputs& found)
    {
        for (std::size_t c = 0; c < expected.size(); c++) {
            CPPUNIT_ASSERT_EQUAL_MESSAGE(what, expected[c].size(), found[c].size());
            const std::vector<std::complex<double>> reference(expected[c].begin(),
                                                              expected[c].end());
            const double error =
                reference.empty() ? -400 : error_db(found[c], reference);
            CPPUNIT_ASSERT_MESSAGE(what + ", channel " + std::to_string(c) + ": " +
                                       std::to_string(error) + " dB",
                                   error < bound);
        }
    }

    //! As many as the variable says, for a longer run by hand.
    static std::size_t wanted_changes()
    {
        const char* const text = std::getenv("CLDSP_TEST_CHANGE_OVERS");
        return text ? std::strtoul(text, nullptr, 10) : 400;
    }

    void no_sample_is_lost_or_wrong()
    {
        const std::size_t wanted = wanted_changes();
        std::size_t taken = 0;
        for (unsigned seed = 1; taken < wanted; seed++) {
            const auto problem = random_problem();
            const auto in = noise(problem.input, items, seed);
            const auto changes = random_changes(problem.channels());
            stream_bank alone(problem, host("simd"), d_registry, { 0, 200 });
            const auto expected = run(alone, in, items, changes, {});

            stream_bank stream(problem, at_once(), d_registry, { 0, 200 });
            stream.planning()->pause();
            const auto found = run(stream, in, 500, changes, [&] {
                if (random(0, 2) == 0)
                    stream.planning()->offer(another(stream));
            });
            assert_same("stream " + std::to_string(seed) + " of " +
                            sample_type_name(problem.input),
                        expected,
                        found);
            taken += stream.renewals();
        }
    }

    static void wait_for(const std::function<bool()>& fact)
    {
        using namespace std::chrono;
        const auto end = steady_clock::now() + minutes(5);
        while (!fact() && steady_clock::now() < end)
            std::this_thread::sleep_for(milliseconds(1));
        CPPUNIT_ASSERT(fact());
    }

    void a_stream_made_at_once_gets_its_plan()
    {
        for (const bool rates : { false, true }) {
            auto problem = make_bank_problem(sample_type::fc32, 10, 64, true, 3);
            if (rates)
                problem.rates = { { 1, 10 }, { 2, 25 }, { 1, 50 } };
            stream_bank stream(problem, at_once(), d_registry, {});
            CPPUNIT_ASSERT(stream.bank().chosen().provisional);
            CPPUNIT_ASSERT_EQUAL(0.0, stream.bank().chosen().measured);
            CPPUNIT_ASSERT(!stream.bank().fell_back());
            CPPUNIT_ASSERT_EQUAL(std::string(), stream.bank().chosen().reason);
            const auto in = noise(problem.input, 100, 1);
            channel_outputs found(3);
            wait_for([&] {
                run_call(stream, in.data(), 100, found);
                return stream.renewals() > 0;
            });
            CPPUNIT_ASSERT(!stream.bank().chosen().provisional);
            CPPUNIT_ASSERT(stream.bank().chosen().measured > 0);
            if (rates)
                continue; // such plans are not remembered
            stream_bank later(problem, at_once(), d_registry, {});
            CPPUNIT_ASSERT(later.bank().chosen().remembered);
            CPPUNIT_ASSERT(!later.bank().chosen().provisional);
        }
    }

    void long_calls_are_cut_until_a_device_wants_them()
    {
        for (const bool rates : { false, true }) {
            auto problem = make_bank_problem(sample_type::cs16, 10, 64, true, 3);
            if (rates)
                problem.rates = { { 1, 10 }, { 2, 25 }, { 1, 50 } };
            const auto in = noise(problem.input, items, 2);
            stream_bank alone(problem, host("simd"), d_registry, {});
            auto options = at_once();
            options.typical_items = 70;
            options.longer_items = 4000;
            stream_bank stream(problem, options, d_registry, {});
            stream.planning()->pause();
            CPPUNIT_ASSERT_EQUAL(std::size_t(70), stream.bank().chosen().call_items);
            const auto expected = run(alone, in, items, {}, {});
            assert_same("cut", expected, run(stream, in, items, {}, {}));
            CPPUNIT_ASSERT(stream.bank().statistics().calls >= items / 140);
        }
    }

    void a_pause_stops_planning()
    {
        const auto problem = make_bank_problem(sample_type::fc32, 10, 64, true, 3);
        stream_bank stream(problem, at_once(), d_registry, {});
        for (int i = 0; i < 20; i++) {
            stream.planning()->pause();
            stream.planning()->resume();
        }
        const auto in = noise(problem.input, 100, 1);
        channel_outputs found(3);
        wait_for([&] {
            run_call(stream, in.data(), 100, found);
            return stream.renewals() > 0;
        });
        CPPUNIT_ASSERT(!stream.bank().chosen().provisional);
    }

    void streams_end_while_they_are_planned()
    {
        for (int i = 0; i < 50; i++) {
            const auto registry = std::make_shared<context_registry>(test_options());
            stream_bank stream(random_problem(), at_once(), registry, {});
            std::this_thread::sleep_for(std::chrono::milliseconds(random(0, 20)));
        }
    }

    //! On a busy machine planning takes long, and a program may make many streams
    //! meanwhile.
    void streams_that_end_before_they_are_planned_keep_nothing()
    {
        std::promise<void> begun, may_end;
        background_thread::planning().post([&begun, wait = may_end.get_future().share()] {
            begun.set_value();
            wait.wait();
        });
        begun.get_future().wait();
        auto registry = std::make_shared<context_registry>(test_options());
        const std::weak_ptr<context_registry> kept = registry;
        {
            stream_bank stream(random_problem(), at_once(), registry, {});
            CPPUNIT_ASSERT(stream.bank().chosen().provisional);
        }
        registry.reset();
        const bool is_kept = !kept.expired();
        may_end.set_value();
        CPPUNIT_ASSERT(!is_kept);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_change_over, "qa_change_over");

} // namespace
