// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that the outputs of a stream depend on no cut into calls, whatever changes.

#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/reference.h>
#include <cldsp/stream_bank.h>

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

constexpr double stream_bound = -120; // dB of a channel's peak
constexpr std::size_t stream_items = 3001;
constexpr std::size_t plenty = 4000; // more past items than any taps of these tests read

using channel_outputs = std::vector<std::vector<std::complex<float>>>;
//! What is done before certain items.
using stream_changes = std::map<std::size_t, std::function<void(stream_bank&)>>;

//! Where a call finds the past.
enum class past_place { copied, written_in_front, in_front };

class qa_stream_bank : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_stream_bank);
    CPPUNIT_TEST(a_stream_begins_in_silence);
    CPPUNIT_TEST(cuts_do_not_matter);
    CPPUNIT_TEST(changes_are_exact);
    CPPUNIT_TEST(taps_that_reach_before_the_memory);
    CPPUNIT_TEST(a_stream_that_has_run_before);
    CPPUNIT_TEST(a_refused_call_is_repeated);
    CPPUNIT_TEST(calls_that_fill_their_room);
    CPPUNIT_TEST_SUITE_END();

    const std::shared_ptr<context_registry> d_registry =
        std::make_shared<context_registry>(test_options());

    static freq_xlating_filter_bank_options host()
    {
        freq_xlating_filter_bank_options options;
        options.device = "host";
        options.variant = "simd";
        options.accuracy = 0;
        return options;
    }

    static stream_bank::problem_type problem(sample_type type, bool different_rates)
    {
        auto result = make_bank_problem(type, 7, 31, false, 3);
        if (different_rates)
            result.rates = { { 1, 7 }, { 3, 16 }, { 1, 40 } };
        return result;
    }

    stream_bank
    make(const stream_bank::problem_type& problem, std::size_t in_front, std::size_t taps)
    {
        return { problem, host(), d_registry, { in_front, taps } };
    }

    //! The outputs of a stream that is cut at random, and before each change.
    //! \param longest the most items of a call; 0: all of them are in one
    //! \param before the items before the first one, for past_place::in_front
    static channel_outputs run(stream_bank& bank,
                               past_place place,
                               const std::vector<unsigned char>& before,
                               const std::vector<unsigned char>& items,
                               unsigned seed,
                               std::size_t longest,
                               stream_changes changes = {})
    {
        const std::size_t size = sample_size(bank.bank().problem().input);
        auto stream = before;
        stream.insert(stream.end(), items.begin(), items.end());
        const std::size_t all = items.size() / size;
        std::mt19937 random(seed);
        channel_outputs found(bank.bank().channels());
        for (std::size_t done = 0; done < all;) {
            if (const auto due = changes.extract(done))
                due.mapped()(bank);
            const auto next = changes.begin();
            std::size_t count = (next == changes.end() ? all : next->first) - done;
            if (longest)
                count = std::min<std::size_t>(count, random() % (longest + 1));
            const auto* from = stream.data() + before.size() + done * size;
            run_call(bank, place, from, count, found);
            done += count;
        }
        return found;
    }

    static void run_call(stream_bank& bank,
                         past_place place,
                         const unsigned char* from,
                         std::size_t count,
                         channel_outputs& found)
    {
        const std::size_t room = bank.max_outputs(count);
        channel_outputs out(found.size(), std::vector<std::complex<float>>(room));
        std::vector<std::complex<float>*> places;
        for (auto& channel : out)
            places.push_back(channel.data());
        std::vector<std::size_t> counts(found.size());
        if (place == past_place::written_in_front) {
            const std::size_t size = sample_size(bank.bank().problem().input);
            const std::size_t front = bank.room_in_front() * size;
            std::vector<unsigned char> memory(front + count * size, 0xff);
            std::copy_n(from, count * size, memory.data() + front);
            bank.process_after_room(
                memory.data() + front, count, places.data(), room, counts.data());
        } else {
            bank.process(from, count, places.data(), room, counts.data());
        }
        for (std::size_t c = 0; c < found.size(); c++)
            found[c].insert(found[c].end(), out[c].begin(), out[c].begin() + counts[c]);
    }

    //! \param from the first output that is compared
    static void assert_same(const std::string& what,
                            const channel_outputs& expected,
                            const channel_outputs& found,
                            std::size_t from = 0)
    {
        for (std::size_t c = 0; c < expected.size(); c++) {
            CPPUNIT_ASSERT_EQUAL_MESSAGE(what, expected[c].size(), found[c].size());
            CPPUNIT_ASSERT(from < found[c].size());
            const std::vector<std::complex<double>> reference(expected[c].begin() + from,
                                                              expected[c].end());
            const double error =
                error_db({ found[c].begin() + from, found[c].end() }, reference);
            CPPUNIT_ASSERT_MESSAGE(what + ", channel " + std::to_string(c) + ": " +
                                       std::to_string(error) + " dB",
                                   error < stream_bound);
        }
    }

    static std::vector<unsigned char> zeros(sample_type type, std::size_t items)
    {
        return std::vector<unsigned char>(items * sample_size(type));
    }

    void a_stream_begins_in_silence()
    {
        for (const auto type : all_sample_types()) {
            const auto stream = noise(type, stream_items, 3);
            const auto filters = problem(type, false);
            auto bank = make(filters, 0, 0);
            channel_outputs expected;
            for (std::size_t c = 0; c < filters.channels(); c++) {
                freq_xlating_fir_reference reference(filters.channel(c));
                const auto values = reference.process(stream.data(), stream_items);
                expected.emplace_back(values.begin(), values.end());
            }
            assert_same(sample_type_name(type),
                        expected,
                        run(bank, past_place::copied, {}, stream, 0, 0));
        }
    }

    void cuts_do_not_matter()
    {
        unsigned seed = 1;
        for (const auto type : all_sample_types()) {
            const auto stream = noise(type, stream_items, seed);
            for (const bool rates : { false, true }) {
                const auto filters = problem(type, rates);
                auto whole = make(filters, 0, 0);
                const auto expected = run(whole, past_place::copied, {}, stream, 0, 0);
                // Calls without an output, a few outputs, and longer than copied ones;
                // memory in front for all past items, for some, and for hardly any.
                for (const std::size_t longest : { 5, 60, 1500 })
                    for (const std::size_t front : { 0, 3, 40, int(plenty) }) {
                        const auto before = zeros(type, front);
                        const auto place =
                            front ? past_place::in_front : past_place::copied;
                        auto bank = make(filters, front, 0);
                        const std::string what = std::string(sample_type_name(type)) +
                                                 ", calls of " + std::to_string(longest) +
                                                 ", " + std::to_string(front) +
                                                 " in front";
                        assert_same(what,
                                    expected,
                                    run(bank, place, before, stream, ++seed, longest));
                        bank.reset();
                        assert_same(what + " again",
                                    expected,
                                    run(bank, place, before, stream, ++seed, longest));
                        if (front)
                            continue;
                        bank.reset();
                        assert_same(what + " written",
                                    expected,
                                    run(bank,
                                        past_place::written_in_front,
                                        {},
                                        stream,
                                        ++seed,
                                        longest));
                    }
            }
        }
    }

    void changes_are_exact()
    {
        unsigned seed = 100;
        for (const auto type :
             { sample_type::fc32, sample_type::cu8, sample_type::cs12 }) {
            const auto stream = noise(type, stream_items, 5);
            for (const bool rates : { false, true }) {
                auto filters = problem(type, rates);
                const auto another = [&](stream_bank& bank) {
                    auto options = host();
                    options.variant = "volk";
                    bank.bank().take_engine(
                        { bank.bank().problem(), options, *d_registry });
                };
                const stream_changes changes = {
                    { 0,
                      [](auto& bank) {
                          bank.bank().schedule(1, { { 0, 5e3, 1e6 }, { 900, 7e3, 0 } });
                      } },
                    { 11, [](auto& bank) { bank.bank().set_center_freq(0, 4321.0); } },
                    { 500,
                      [](auto& bank) {
                          bank.bank().set_taps({ random_taps(200, true, 9) });
                      } },
                    { 777, another },
                    { 1200,
                      [](auto& bank) {
                          bank.bank().schedule(2, { { 1300, -3e3, 0 } });
                          bank.bank().remove_channel(0);
                      } },
                    { 1500,
                      [](auto& bank) {
                          bank.bank().place_channel(0, random_taps(90, false, 8), 1e4);
                      } },
                    { 2500, another }
                };
                auto whole = make(filters, 0, 200);
                const auto expected =
                    run(whole, past_place::copied, {}, stream, 0, 0, changes);
                for (const std::size_t longest : { 20, 400 }) {
                    auto front = make(filters, plenty, 0);
                    assert_same("in front",
                                expected,
                                run(front,
                                    past_place::in_front,
                                    zeros(type, plenty),
                                    stream,
                                    ++seed,
                                    longest,
                                    changes));
                    for (const auto place :
                         { past_place::copied, past_place::written_in_front }) {
                        auto bank = make(filters, 0, 200);
                        assert_same(
                            "copied",
                            expected,
                            run(bank, place, {}, stream, ++seed, longest, changes));
                    }
                }
            }
        }
    }

    // The items that are gone are silence, and later ones are kept.
    void taps_that_reach_before_the_memory()
    {
        const std::vector<std::complex<float>> longer = random_taps(400, false, 9);
        for (const auto type : { sample_type::s16, sample_type::cu8 }) {
            const auto stream = noise(type, stream_items, 6);
            const auto filters = problem(type, false);
            const stream_changes changes = {
                { 700, [&](auto& bank) { bank.bank().set_taps({ longer }); } },
                { 1414,
                  [](auto& bank) {
                      bank.bank().set_taps({ random_taps(20, true, 7) });
                  } },
                { 1421, [&](auto& bank) { bank.bank().set_taps({ longer }); } }
            };
            auto whole = make(filters, 0, longer.size());
            const auto expected =
                run(whole, past_place::copied, {}, stream, 0, 0, changes);
            auto bank = make(filters, 50, 0);
            const auto found =
                run(bank, past_place::in_front, zeros(type, 50), stream, 8, 90, changes);
            assert_same("after the taps are filled", expected, found, (1421 + 400) / 7);
            channel_outputs first = found, first_expected = expected;
            for (std::size_t c = 0; c < found.size(); c++) {
                first[c].resize(700 / 7);
                first_expected[c].resize(700 / 7);
                CPPUNIT_ASSERT(std::abs(found[c][700 / 7] - expected[c][700 / 7]) > 0);
            }
            assert_same("before the change", first_expected, first);
            CPPUNIT_ASSERT(bank.kept_items() >= longer.size() - 1);
        }
    }

    void a_stream_that_has_run_before()
    {
        for (const auto type : { sample_type::fc32, sample_type::cu8 }) {
            constexpr std::size_t before = 700; // a multiple of the decimation
            const std::size_t size = sample_size(type);
            const auto stream = noise(type, stream_items, 12);
            const auto filters = problem(type, false);
            auto whole = make(filters, 0, 0);
            auto expected = run(whole, past_place::copied, {}, stream, 0, 0);
            auto bank = make(filters, before, 0);
            bank.bank().skip(before / 7); // to the phases that the filters have there
            const std::vector<unsigned char> first(stream.begin(),
                                                   stream.begin() + before * size),
                second(stream.begin() + before * size, stream.end());
            for (auto& channel : expected)
                channel.erase(channel.begin(), channel.begin() + before / 7);
            assert_same("goes on",
                        expected,
                        run(bank, past_place::in_front, first, second, 13, 100));
        }
    }

    void a_refused_call_is_repeated()
    {
        for (const auto type : { sample_type::fc32, sample_type::cu8 })
            for (const bool rates : { false, true })
                for (const std::size_t front : { 0, 60 }) {
                    const auto stream = noise(type, stream_items, 14);
                    const auto filters = problem(type, rates);
                    auto whole = make(filters, 0, 0), bank = make(filters, front, 0);
                    const auto expected =
                        run(whole, past_place::copied, {}, stream, 0, 0);
                    auto memory = zeros(type, front);
                    memory.insert(memory.end(), stream.begin(), stream.end());
                    const std::vector<std::complex<float>*> nowhere(3);
                    std::size_t counts[3];
                    channel_outputs found(3);
                    std::size_t done = 0;
                    for (const std::size_t count : { 3, 20, 1000, 1978 }) {
                        const auto* from =
                            memory.data() + (front + done) * sample_size(type);
                        if (count > 40)
                            CPPUNIT_ASSERT_THROW(
                                bank.process(from, count, nowhere.data(), 0, counts),
                                std::logic_error);
                        run_call(bank, past_place::copied, from, count, found);
                        done += count;
                    }
                    assert_same("repeated", expected, found);
                }
    }

    void calls_that_fill_their_room()
    {
        for (const bool rates : { false, true }) {
            const auto stream = noise(sample_type::cs16, stream_items, 15);
            auto bank = make(problem(sample_type::cs16, rates), 0, 0);
            std::mt19937 random(16);
            for (std::size_t done = 0; done < stream_items;) {
                const std::size_t room = 1 + random() % 20;
                std::vector<std::complex<float>> out(room);
                std::vector<std::complex<float>*> places(3, out.data());
                std::size_t counts[3];
                const auto* from = stream.data() + done * 4;
                const std::size_t left = stream_items - done;
                const std::size_t count = bank.items_of_call(left, room);
                CPPUNIT_ASSERT(count > 0);
                if (count < left)
                    CPPUNIT_ASSERT_THROW(
                        bank.process(from, count + 1, places.data(), room, counts),
                        std::logic_error);
                bank.process(from, count, places.data(), room, counts);
                if (count < left)
                    CPPUNIT_ASSERT_EQUAL(room, *std::max_element(counts, counts + 3));
                done += count;
            }
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_stream_bank, "qa_stream_bank");

} // namespace
