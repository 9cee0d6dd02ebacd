// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the C interface, with bad arguments and with threads.

#include "storage/file_lock.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_support.h"

#include <cldsp/cldsp.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/low_pass.h>
#include <cldsp/phase.h>
#include <cldsp/reference.h>

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace cldsp;

namespace {

constexpr double c_interface_bound = -120; // dB of a channel's peak

using c_samples = std::vector<std::complex<float>>;

struct c_bank_deleter {
    void operator()(cldsp_filter_bank* bank) const { cldsp_filter_bank_free(bank); }
};
using c_bank = std::unique_ptr<cldsp_filter_bank, c_bank_deleter>;

struct c_context_deleter {
    void operator()(cldsp_context* context) const { cldsp_context_free(context); }
};

void assert_ok(cldsp_status status)
{
    CPPUNIT_ASSERT_EQUAL_MESSAGE(cldsp_last_error(), CLDSP_OK, status);
}

//! Asserts a status, and that the message has each of the words.
void assert_status(cldsp_status expected,
                   cldsp_status status,
                   const std::vector<std::string>& words)
{
    const std::string message = cldsp_last_error();
    CPPUNIT_ASSERT_EQUAL_MESSAGE(message, expected, status);
    for (const auto& word : words)
        CPPUNIT_ASSERT_MESSAGE(message + " without " + word,
                               message.find(word) != std::string::npos);
}

void assert_invalid(cldsp_status status, const std::vector<std::string>& words)
{
    assert_status(CLDSP_INVALID_ARGUMENT, status, words);
}

//! Tests the functions of cldsp.h.
class qa_c_interface : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_c_interface);
    CPPUNIT_TEST(the_textbooks_sum);
    CPPUNIT_TEST(equals_the_engines_bank);
    CPPUNIT_TEST(changes_while_the_stream_runs);
    CPPUNIT_TEST(a_frequency_that_changes);
    CPPUNIT_TEST(no_items_before_the_stream);
    CPPUNIT_TEST(short_calls_with_a_long_past);
    CPPUNIT_TEST(bad_banks);
    CPPUNIT_TEST(bad_calls);
    CPPUNIT_TEST(null_pointers);
    CPPUNIT_TEST(other_versions_of_a_structure);
    CPPUNIT_TEST(contexts);
    CPPUNIT_TEST(nothing_of_a_freed_context_is_used);
    CPPUNIT_TEST(devices_of_the_machine);
    CPPUNIT_TEST(plans);
    CPPUNIT_TEST(plans_stay);
    CPPUNIT_TEST(low_passes);
    CPPUNIT_TEST(bad_low_passes);
    CPPUNIT_TEST(products);
    CPPUNIT_TEST(products_of_bytes);
    CPPUNIT_TEST(bad_products);
    CPPUNIT_TEST(correlations);
    CPPUNIT_TEST(bad_correlators);
    CPPUNIT_TEST(threads_with_banks_of_their_own);
    CPPUNIT_TEST(one_thread_at_a_time);
    CPPUNIT_TEST_SUITE_END();

    std::mt19937 d_random{ 1 };
    std::unique_ptr<cldsp_context, c_context_deleter> d_context;
    std::vector<float> d_real = std::vector<float>(21);
    c_samples d_complex = c_samples(21);
    std::vector<double> d_freqs = { -10e3, 1234.5, 20e3 };
    cldsp_taps d_taps{};
    cldsp_filter_bank_config d_config{};

    c_bank make()
    {
        cldsp_filter_bank* bank = nullptr;
        assert_ok(cldsp_filter_bank_new(d_context.get(), &d_config, &bank));
        return c_bank(bank);
    }

    cldsp_status try_make()
    {
        cldsp_filter_bank* bank = reinterpret_cast<cldsp_filter_bank*>(this);
        const auto status = cldsp_filter_bank_new(d_context.get(), &d_config, &bank);
        CPPUNIT_ASSERT(status == CLDSP_OK || !bank);
        cldsp_filter_bank_free(bank);
        return status;
    }

    //! The outputs of a stream that is cut into calls of random lengths.
    //! \param longest the most items of a call
    std::vector<c_samples>
    run(cldsp_filter_bank* bank, const std::vector<unsigned char>& stream, int longest)
    {
        const std::size_t size = cldsp_item_size(d_config.input);
        std::size_t slots = 0;
        assert_ok(cldsp_filter_bank_slots(bank, &slots));
        std::vector<c_samples> all(slots);
        for (std::size_t done = 0; done < stream.size() / size;) {
            const std::size_t items = std::min<std::size_t>(
                std::uniform_int_distribution<int>(0, longest)(d_random),
                stream.size() / size - done);
            std::size_t room = 0;
            assert_ok(cldsp_filter_bank_max_outputs(bank, items, &room));
            const std::complex<float> poison(1e30f, -1e30f); // which nothing may leave
            std::vector<c_samples> out(slots, c_samples(room, poison));
            std::vector<std::complex<float>*> places;
            for (auto& channel : out)
                places.push_back(channel.data());
            std::vector<std::size_t> outputs(slots);
            assert_ok(cldsp_filter_bank_process(bank,
                                                stream.data() + done * size,
                                                items,
                                                places.data(),
                                                room,
                                                outputs.data()));
            for (std::size_t c = 0; c < slots; c++)
                all[c].insert(all[c].end(), out[c].begin(), out[c].begin() + outputs[c]);
            done += items;
        }
        return all;
    }

    //! Mixes, filters and decimates, in double precision.
    static std::vector<std::complex<double>>
    textbook(const std::vector<unsigned char>& stream,
             sample_type type,
             const c_samples& taps,
             double turns,
             std::size_t decimation)
    {
        const std::size_t items = stream.size() / sample_size(type);
        std::vector<std::complex<double>> out;
        for (std::size_t m = 0; m < items / decimation; m++) {
            std::complex<double> sum = 0;
            for (std::size_t k = 0; k < taps.size() && k <= m * decimation; k++) {
                const std::size_t i = m * decimation - k;
                sum += std::complex<double>(taps[k]) * sample_at(stream.data(), type, i) *
                       phase64::from_turns(-turns * static_cast<double>(i)).phasor();
            }
            out.push_back(sum);
        }
        return out;
    }

    void check_textbook(const std::vector<c_samples>& found,
                        const std::vector<unsigned char>& stream,
                        const c_samples& taps)
    {
        for (std::size_t c = 0; c < d_freqs.size(); c++) {
            const auto expected = textbook(stream,
                                           static_cast<sample_type>(d_config.input),
                                           taps,
                                           d_freqs[c] / d_config.sampling_freq,
                                           d_config.decimation);
            const double error = error_db(found[c], expected);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(error) + " dB",
                                   error < c_interface_bound);
        }
    }

public:
    void setUp() override
    {
        auto config = cldsp_context_defaults();
        config.no_files = 1;
        cldsp_context* context = nullptr;
        assert_ok(cldsp_context_new(&config, &context));
        d_context.reset(context);
        std::normal_distribution<float> normal;
        for (std::size_t k = 0; k < d_real.size(); k++) {
            d_real[k] = normal(d_random);
            d_complex[k] = { d_real[k], normal(d_random) };
        }
        d_taps = { d_real.data(), nullptr, d_real.size() };
        d_config = cldsp_filter_bank_defaults();
        d_config.sampling_freq = 48000;
        d_config.decimation = 4;
        d_config.center_freqs = d_freqs.data();
        d_config.channels = d_freqs.size();
        d_config.taps = &d_taps;
        d_config.tap_lists = 1;
        d_config.device = "host";
        d_config.accuracy = 0;
    }

    void the_textbooks_sum()
    {
        for (const auto type : all_sample_types()) {
            d_config.input = static_cast<int>(type);
            CPPUNIT_ASSERT_EQUAL(sample_size(type), cldsp_item_size(d_config.input));
            const auto stream = noise(type, 2003, 5);
            for (const char* algorithm : { "direct", "fast_convolution" }) {
                d_config.algorithm = algorithm;
                for (const bool is_complex : { false, true }) {
                    d_taps.real_taps = is_complex ? nullptr : d_real.data();
                    d_taps.complex_taps = is_complex ? d_complex.data() : nullptr;
                    const auto taps =
                        is_complex ? d_complex : c_samples(d_real.begin(), d_real.end());
                    // Short calls are copied whole, long calls only in part.
                    for (const int longest : { 40, 1500 })
                        check_textbook(run(make().get(), stream, longest), stream, taps);
                }
            }
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), cldsp_item_size(-1));
        CPPUNIT_ASSERT_EQUAL(
            std::size_t(0), cldsp_item_size(static_cast<int>(all_sample_types().size())));
    }

    void equals_the_engines_bank()
    {
        const std::vector<cldsp_rate> rates = { { 1, 4 }, { 3, 16 }, { 1, 10 } };
        d_config.rates = rates.data();
        d_config.rate_count = rates.size();
        freq_xlating_filter_bank_problem problem;
        problem.phase = phase_reference::input;
        problem.sampling_freq = d_config.sampling_freq;
        problem.center_freqs = d_freqs;
        problem.taps = { c_samples(d_real.begin(), d_real.end()) };
        for (const auto& rate : rates)
            problem.rates.push_back({ rate.interpolation, rate.decimation });
        freq_xlating_filter_bank_options options;
        options.device = "host";
        options.accuracy = 0;
        context_registry registry(test_options());
        freq_xlating_filter_bank bank(problem, options, registry);

        const std::size_t items = 3001;
        const auto fresh = noise(sample_type::fc32, items, 6);
        auto stream = fir_case::silence(sample_type::fc32, bank.history());
        stream.insert(stream.end(), fresh.begin(), fresh.end());
        std::vector<c_samples> expected(rates.size(), c_samples(items));
        std::vector<std::complex<float>*> places;
        for (auto& channel : expected)
            places.push_back(channel.data());
        std::vector<std::size_t> outputs(rates.size());
        CPPUNIT_ASSERT_EQUAL(items,
                             bank.process_items(stream.data(),
                                                bank.history() + items,
                                                places.data(),
                                                items,
                                                outputs.data()));
        const auto found = run(make().get(), fresh, 700);
        for (std::size_t c = 0; c < rates.size(); c++) {
            CPPUNIT_ASSERT_EQUAL(outputs[c], found[c].size());
            const std::vector<std::complex<double>> reference(
                expected[c].begin(), expected[c].begin() + outputs[c]);
            CPPUNIT_ASSERT(error_db(found[c], reference) < c_interface_bound);
        }
    }

    void changes_while_the_stream_runs()
    {
        // A channel that is added, one that pauses, and a bank that begins again have the
        // outputs of channels that were there from the beginning.
        d_config.max_channels = 4;
        d_config.max_taps = 30;
        const auto bank = make();
        const auto stream = noise(sample_type::fc32, 4000, 7);
        const auto half = stream.begin() + stream.size() / 2;
        const std::vector<unsigned char> first(stream.begin(), half),
            second(half, stream.end());
        assert_ok(cldsp_filter_bank_set_active(bank.get(), 0, 0));
        const auto before = run(bank.get(), first, 300);
        for (const std::size_t idle : { 0, 3 }) // one that pauses, and a free slot
            CPPUNIT_ASSERT(before[idle] == c_samples(before[1].size()));
        assert_ok(cldsp_filter_bank_set_active(bank.get(), 0, 1));
        const std::vector<float> longer(30, 0.5f);
        const cldsp_taps more = { longer.data(), nullptr, longer.size() };
        std::size_t added = 0;
        assert_ok(cldsp_filter_bank_add_channel(bank.get(), &more, 5e3, nullptr, &added));
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), added);
        const auto found = run(bank.get(), second, 300);

        const auto tail_error = [&](std::size_t c, const c_samples& taps, double hertz) {
            const auto all = textbook(stream, sample_type::fc32, taps, hertz / 48000, 4);
            return error_db(found[c], { all.end() - found[c].size(), all.end() });
        };
        const c_samples taps(d_real.begin(), d_real.end());
        CPPUNIT_ASSERT(tail_error(0, taps, d_freqs[0]) < c_interface_bound);
        CPPUNIT_ASSERT(tail_error(3, c_samples(30, 0.5f), 5e3) < c_interface_bound);

        assert_ok(cldsp_filter_bank_remove_channel(bank.get(), 3));
        assert_invalid(cldsp_filter_bank_set_center_freq(bank.get(), 3, 0),
                       { "channel", "3", "free slot" });
        assert_ok(cldsp_filter_bank_set_center_freq(bank.get(), 1, -3e3));
        d_freqs[1] = -3e3;
        assert_ok(cldsp_filter_bank_reset(bank.get()));
        check_textbook(run(bank.get(), stream, 300), stream, taps);

        const std::vector<float> longest(31, 0.5f);
        const cldsp_taps too_long = { longest.data(), nullptr, longest.size() };
        assert_invalid(
            cldsp_filter_bank_add_channel(bank.get(), &too_long, 0, nullptr, &added),
            { "taps", "31 taps", "at most 30" });
        assert_invalid(cldsp_filter_bank_set_taps(bank.get(), &too_long, 1),
                       { "taps[0]", "31 taps", "at most 30" });
        assert_ok(cldsp_filter_bank_set_taps(bank.get(), &more, 1));
        assert_ok(cldsp_filter_bank_reset(bank.get()));
        check_textbook(run(bank.get(), stream, 300), stream, c_samples(30, 0.5f));
    }

    void a_frequency_that_changes()
    {
        // A tone that rises as the schedule says stays at 0 Hz.
        constexpr std::size_t items = 4800;
        const cldsp_frequency_point points[] = { { 0, 1e3, 20e3 }, { 2400, 2e3, 0 } };
        std::vector<unsigned char> stream(items * sizeof(std::complex<float>));
        double turns = 0;
        for (std::size_t n = 0; n < items; n++) {
            const std::complex<float> item(phase64::from_turns(turns).phasor());
            std::memcpy(stream.data() + n * sizeof item, &item, sizeof item);
            const double t = static_cast<double>(n) / 48000;
            turns += (n < 2400 ? 1e3 + 20e3 * t : 2e3) / 48000;
        }
        const float one = 1;
        d_taps = { &one, nullptr, 1 };
        const auto bank = make();
        assert_ok(cldsp_filter_bank_schedule(bank.get(), 1, points, 2));
        const auto found = run(bank.get(), stream, 300);
        CPPUNIT_ASSERT_EQUAL(items / 4, found[1].size());
        // The rounded sum of the frequencies differs a little from the integral.
        for (const auto& item : found[1])
            CPPUNIT_ASSERT(std::abs(item - found[1].front()) < 0.1f);
        assert_ok(cldsp_filter_bank_schedule(bank.get(), 1, nullptr, 0));
        assert_invalid(cldsp_filter_bank_schedule(bank.get(), 1, nullptr, 1),
                       { "'points'", "null" });
        const cldsp_frequency_point back[] = { { 9, 0, 0 }, { 8, 0, 0 } };
        assert_invalid(cldsp_filter_bank_schedule(bank.get(), 1, back, 2),
                       { "points[1].sample", "8" });
        assert_invalid(cldsp_filter_bank_schedule(bank.get(), 3, points, 1),
                       { "channel", "3" });
    }

    void no_items_before_the_stream()
    {
        // In cu8 no item is 0, so that the past of a stream is taken out of its outputs.
        d_config.input = CLDSP_CU8;
        const std::vector<unsigned char> one_item = { 255, 0, 10, 20, 30, 40, 50, 60 };
        check_textbook(run(make().get(), one_item, 1),
                       one_item,
                       c_samples(d_real.begin(), d_real.end()));
    }

    void short_calls_with_a_long_past()
    {
        // The past is moved many times, sometimes between two outputs.
        d_config.decimation = 1000;
        d_config.max_taps = 3000;
        const c_samples taps(d_real.begin(), d_real.end());
        for (const auto type : { sample_type::fc32, sample_type::cu8 }) {
            d_config.input = static_cast<int>(type);
            const auto stream = noise(type, 30000, 11);
            for (const int longest : { 7, 999, 1500, 8000, 20000 }) {
                const auto found = run(make().get(), stream, longest);
                CPPUNIT_ASSERT_EQUAL(std::size_t(30), found[0].size());
                check_textbook(found, stream, taps);
            }
        }
    }

    void bad_banks()
    {
        const auto bad = [&](auto change, const std::vector<std::string>& words) {
            const auto config = d_config;
            const auto taps = d_taps;
            const auto freqs = d_freqs;
            change();
            assert_invalid(try_make(), words);
            d_config = config;
            d_taps = taps;
            d_freqs = freqs;
        };
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const int types = static_cast<int>(all_sample_types().size());
        const std::string range = "0 to " + std::to_string(types - 1);
        bad([&] { d_config.input = types; }, { "input", std::to_string(types), range });
        bad([&] { d_config.input = -1; }, { "input", "-1", range });
        bad([&] { d_config.sampling_freq = 0; }, { "sampling_freq", "0", "above 0" });
        bad([&] { d_config.sampling_freq = nan; }, { "sampling_freq", "nan" });
        bad([&] { d_config.decimation = 0; }, { "decimation", "0", "1 to 16777216" });
        // The bank keeps as many items: sums of sizes must not wrap round.
        for (const std::size_t many :
             { (std::size_t(1) << 24) + 1, SIZE_MAX / 8 + 1, SIZE_MAX })
            bad([&] { d_config.decimation = many; },
                { "decimation", std::to_string(many), "1 to 16777216" });
        bad([&] { d_config.channels = 0; }, { "channels", "0", "1 to 65536" });
        bad([&] { d_config.channels = SIZE_MAX; }, { "channels", "1 to 65536" });
        bad([&] { d_config.center_freqs = nullptr; }, { "center_freqs", "null" });
        bad([&] { d_freqs[1] = nan; }, { "center_freqs[1]", "nan", "finite" });
        bad([&] { d_config.taps = nullptr; }, { "taps", "null" });
        bad([&] { d_config.tap_lists = 0; }, { "tap_lists", "0", "1 to 65536" });
        bad([&] { d_taps.real_taps = nullptr; }, { "taps[0]", "null" });
        bad([&] { d_taps.complex_taps = d_complex.data(); }, { "taps[0]", "real and" });
        bad([&] { d_taps.count = 0; }, { "taps[0].count", "0", "1 to 16777216" });
        bad([&] { d_taps.count = SIZE_MAX; }, { "taps[0].count", "1 to 16777216" });
        bad([&] { d_config.max_taps = 20; }, { "max_taps", "20", "21" });
        bad([&] { d_config.max_channels = 2; }, { "max_channels", "2", "3" });
        bad([&] { d_config.device = "no such device"; }, { "no such device", "host" });
        bad([&] { d_config.device = ""; }, { "device" });
        bad([&] { d_config.algorithm = "other"; }, { "algorithm", "other", "direct" });
        bad([&] { d_config.variant = "other"; }, { "variant", "other" });
        bad([&] { d_config.accuracy = 1; }, { "accuracy", "1", "0.1" });
        bad([&] { d_config.accuracy = nan; }, { "accuracy", "nan" });
        for (const char* plan : { "", "soon" })
            bad([&] { d_config.plan = plan; },
                { "'plan'", "'" + std::string(plan) + "'", "\"auto\" or \"wait\"" });
        const cldsp_rate none = { 0, 1 }, fast = { 99, 100 }, good = { 1, 4 };
        bad([&] { d_config.rate_count = 1; }, { "rate_count", "1", "0 without" });
        bad([&] { d_config.rates = &good; }, { "rate_count", "0" });
        for (const auto* rate : { &none, &fast })
            bad(
                [&] {
                    d_config.rates = rate;
                    d_config.rate_count = 1;
                },
                { "rates[0]" });
        const std::vector<cldsp_taps> two(2, d_taps);
        bad(
            [&] {
                d_config.taps = two.data();
                d_config.tap_lists = 2;
            },
            { "taps", "2 lists", "3" });
    }

    void bad_calls()
    {
        const auto bank = make();
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const c_samples in(100);
        std::vector<c_samples> memory(3, c_samples(100));
        std::vector<std::complex<float>*> places;
        for (auto& channel : memory)
            places.push_back(channel.data());
        std::vector<std::size_t> outputs(3);
        const auto process = [&](std::size_t items, std::size_t room) {
            return cldsp_filter_bank_process(
                bank.get(), in.data(), items, places.data(), room, outputs.data());
        };
        assert_invalid(process(100, 25), { "room", "25", "at least 26", "100 items" });
        assert_invalid(process(SIZE_MAX, 25), { "items", "0 to 1099511627776" });
        assert_ok(process(100, 26)); // nothing was consumed before
        CPPUNIT_ASSERT_EQUAL(std::size_t(25), outputs[2]);
        assert_ok(process(0, 1));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), outputs[2]);
        places[1] = nullptr;
        assert_ok(process(100, 26));

        assert_invalid(cldsp_filter_bank_set_center_freq(bank.get(), 3, 0),
                       { "channel", "3", "0 to 2" });
        assert_invalid(cldsp_filter_bank_set_center_freq(bank.get(), 0, nan),
                       { "center_freq", "nan", "finite" });
        assert_invalid(cldsp_filter_bank_set_active(bank.get(), 3, 1),
                       { "channel", "3", "0 to 2" });
        assert_invalid(cldsp_filter_bank_remove_channel(bank.get(), 3),
                       { "channel", "3", "0 to 2" });
        const std::vector<cldsp_taps> two(2, d_taps);
        assert_invalid(cldsp_filter_bank_set_taps(bank.get(), two.data(), 2),
                       { "taps", "2 lists", "3" });
        std::size_t added = 0;
        assert_invalid(
            cldsp_filter_bank_add_channel(bank.get(), &d_taps, 0, nullptr, &added),
            { "channels", "max_channels" });
        assert_ok(cldsp_filter_bank_remove_channel(bank.get(), 1));
        const cldsp_rate other = { 1, 5 };
        assert_invalid(
            cldsp_filter_bank_add_channel(bank.get(), &d_taps, 0, &other, &added),
            { "'rate' is 5 items", "free slot" });
        const cldsp_rate same = { 2, 8 };
        assert_ok(cldsp_filter_bank_add_channel(bank.get(), &d_taps, 0, &same, &added));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), added);
    }

    void null_pointers()
    {
        const auto bank = make();
        const c_samples in(4);
        c_samples out(4);
        std::complex<float>* const places[] = { out.data(), out.data(), out.data() };
        std::size_t number = 0, outputs[3];
        cldsp_filter_bank* const none = nullptr;
        cldsp_matrix_product* const no_product = nullptr;
        const cldsp_plan* plan = nullptr;
        const std::vector<std::pair<cldsp_status, std::string>> cases = {
            { cldsp_context_new(nullptr, nullptr), "context" },
            { cldsp_devices_new(nullptr, nullptr), "devices" },
            { cldsp_filter_bank_new(nullptr, &d_config, nullptr), "bank" },
            { cldsp_filter_bank_process(none, in.data(), 4, places, 4, outputs), "bank" },
            { cldsp_filter_bank_max_outputs(none, 4, &number), "bank" },
            { cldsp_filter_bank_slots(none, &number), "bank" },
            { cldsp_filter_bank_set_center_freq(none, 0, 0), "bank" },
            { cldsp_filter_bank_set_taps(none, &d_taps, 1), "bank" },
            { cldsp_filter_bank_set_active(none, 0, 1), "bank" },
            { cldsp_filter_bank_add_channel(none, &d_taps, 0, nullptr, &number), "bank" },
            { cldsp_filter_bank_remove_channel(none, 0), "bank" },
            { cldsp_filter_bank_reset(none), "bank" },
            { cldsp_filter_bank_plan(none, &plan), "bank" },
            { cldsp_matrix_product_new(nullptr, nullptr, nullptr), "product" },
            { cldsp_matrix_product_hold_b(no_product, 1, 1, in.data(), 1), "product" },
            { cldsp_matrix_product_plan(no_product, &plan), "product" },
        };
        for (const auto& [status, name] : cases)
            CPPUNIT_ASSERT_EQUAL_MESSAGE(name, CLDSP_INVALID_ARGUMENT, status);
        auto* const b = bank.get();
        assert_invalid(cldsp_filter_bank_process(b, nullptr, 4, places, 4, outputs),
                       { "'in'", "null" });
        assert_invalid(cldsp_filter_bank_process(b, in.data(), 4, nullptr, 4, outputs),
                       { "'out'", "null" });
        assert_invalid(cldsp_filter_bank_process(b, in.data(), 4, places, 4, nullptr),
                       { "'outputs'", "null" });
        assert_invalid(cldsp_filter_bank_max_outputs(b, 4, nullptr), { "'outputs'" });
        assert_invalid(cldsp_filter_bank_slots(b, nullptr), { "'slots'", "null" });
        assert_invalid(cldsp_filter_bank_set_taps(b, nullptr, 1), { "'taps'", "null" });
        assert_invalid(cldsp_filter_bank_add_channel(b, nullptr, 0, nullptr, &number),
                       { "'taps'", "null" });
        assert_invalid(cldsp_filter_bank_add_channel(b, &d_taps, 0, nullptr, nullptr),
                       { "'channel'", "null" });
        assert_invalid(cldsp_filter_bank_plan(b, nullptr), { "'plan'", "null" });
        assert_invalid(cldsp_share_fftw_planner(nullptr, nullptr, nullptr),
                       { "'lock'", "null" });
        assert_invalid(cldsp_share_fftw_planner(b, nullptr, nullptr),
                       { "'acquire'", "null" });
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), cldsp_devices_count(nullptr));
        CPPUNIT_ASSERT(!cldsp_devices_at(nullptr, 0));
        cldsp_filter_bank_free(nullptr);
        cldsp_matrix_product_free(nullptr);
        cldsp_devices_free(nullptr);
        cldsp_context_free(nullptr);
    }

    void other_versions_of_a_structure()
    {
        struct newer {
            cldsp_filter_bank_config known;
            std::size_t further;
        } config = { d_config, 0 };
        config.known.size = sizeof config;
        cldsp_filter_bank* bank = nullptr;
        assert_ok(cldsp_filter_bank_new(d_context.get(), &config.known, &bank));
        cldsp_filter_bank_free(bank);
        config.further = 1;
        assert_invalid(cldsp_filter_bank_new(d_context.get(), &config.known, &bank),
                       { "config->size", std::to_string(sizeof config), "zeros" });
        for (const std::size_t size : { std::size_t(0), sizeof(d_config) - 1 }) {
            d_config.size = size;
            assert_invalid(try_make(), { "config->size", std::to_string(size) });
        }
        d_config.size = SIZE_MAX;
        assert_invalid(try_make(), { "config->size" });
        // A program that was compiled before there was the last field has other memory
        // where it is now.
        d_config.size = offsetof(cldsp_filter_bank_config, plan);
        d_config.plan = "no text that this program has set";
        assert_ok(cldsp_filter_bank_new(d_context.get(), &d_config, &bank));
        cldsp_filter_bank_free(bank);
        auto product = cldsp_matrix_product_defaults();
        product.m = product.n = product.k = 2;
        product.device = "host";
        product.size = offsetof(cldsp_matrix_product_config, plan);
        product.plan = d_config.plan;
        cldsp_matrix_product* made = nullptr;
        assert_ok(cldsp_matrix_product_new(d_context.get(), &product, &made));
        cldsp_matrix_product_free(made);
    }

    void contexts()
    {
        // A bank keeps its context, and reports to its log.
        std::vector<std::string> messages;
        auto config = cldsp_context_defaults();
        config.no_files = 1;
        config.user = &messages;
        config.log = [](void* user, cldsp_log_level, const char* text) {
            static_cast<std::vector<std::string>*>(user)->push_back(text);
        };
        cldsp_context* context = nullptr;
        assert_ok(cldsp_context_new(&config, &context));
        cldsp_filter_bank* made = nullptr;
        assert_ok(cldsp_filter_bank_new(context, &d_config, &made));
        const c_bank bank(made);
        cldsp_context_free(context);
        const auto stream = noise(sample_type::fc32, 500, 8);
        check_textbook(run(bank.get(), stream, 100),
                       stream,
                       c_samples(d_real.begin(), d_real.end()));

        for (const double bad : { -1.0, std::numeric_limits<double>::quiet_NaN() }) {
            config.longest_kernel = bad;
            assert_invalid(cldsp_context_new(&config, &context), { "longest_kernel" });
            CPPUNIT_ASSERT(!context);
        }
        config.longest_kernel = 0;
        config.drivers = "sometimes";
        assert_invalid(cldsp_context_new(&config, &context),
                       { "drivers", "'sometimes'", "prove, named or trust" });
        CPPUNIT_ASSERT(!context);
        config.drivers = "named";
        assert_ok(cldsp_context_new(&config, &context));
        cldsp_devices* devices = nullptr;
        assert_ok(cldsp_devices_new(context, &devices));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), cldsp_devices_count(devices));
        cldsp_devices_free(devices);
        cldsp_context_free(context);
    }

    //! What plans a bank in the background may go on when the bank is freed.
    void nothing_of_a_freed_context_is_used()
    {
        struct user {
            std::atomic<bool> is_there{ true }, is_told_too_late{ false };
        } its;
        const temporary_folder folder;
        auto config = cldsp_context_defaults();
        config.cache_folder = folder.path().c_str();
        config.drivers = "named";
        config.user = &its;
        config.log = [](void* told, cldsp_log_level, const char*) {
            auto& user_told = *static_cast<user*>(told);
            if (!user_told.is_there)
                user_told.is_told_too_late = true;
        };
        // What has been measured waits for this lock, and would be written afterwards.
        auto other_process = std::make_unique<file_lock>(folder.path(".lock"));
        CPPUNIT_ASSERT(other_process->try_lock());
        cldsp_context* context = nullptr;
        assert_ok(cldsp_context_new(&config, &context));
        cldsp_filter_bank* bank = nullptr;
        assert_ok(cldsp_filter_bank_new(context, &d_config, &bank));
        cldsp_context_free(context);
        run(bank, noise(sample_type::fc32, 500, 8), 100);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        cldsp_filter_bank_free(bank);
        its.is_there = false;
        other_process.reset();
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        for (const auto& each : std::filesystem::directory_iterator(folder.path()))
            CPPUNIT_ASSERT_EQUAL(std::string(".lock"), each.path().filename().string());
        CPPUNIT_ASSERT(!its.is_told_too_late);
    }

    void devices_of_the_machine()
    {
        cldsp_devices* devices = nullptr;
        assert_ok(cldsp_devices_new(d_context.get(), &devices));
        const auto expected = list_devices();
        CPPUNIT_ASSERT_EQUAL(expected.size(), cldsp_devices_count(devices));
        for (std::size_t i = 0; i < expected.size(); i++) {
            const auto* device = cldsp_devices_at(devices, i);
            CPPUNIT_ASSERT_EQUAL(expected[i].id(), std::string(device->id));
            CPPUNIT_ASSERT_EQUAL(expected[i].name, std::string(device->name));
        }
        CPPUNIT_ASSERT(!cldsp_devices_at(devices, expected.size()));
        cldsp_devices_free(devices);
    }

    void plans()
    {
        d_config.algorithm = "direct";
        const auto bank = make();
        const cldsp_plan* plan = nullptr;
        assert_ok(cldsp_filter_bank_plan(bank.get(), &plan));
        CPPUNIT_ASSERT_EQUAL(std::string("host"), std::string(plan->device));
        CPPUNIT_ASSERT_EQUAL(std::string("direct"), std::string(plan->algorithm));
        CPPUNIT_ASSERT(std::string(plan->text).find("direct/simd") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(0, plan->fell_back);
    }

    //! A program may read a plan while another thread uses the bank.
    void plans_stay()
    {
        const auto bank = make();
        const cldsp_plan *first = nullptr, *second = nullptr;
        assert_ok(cldsp_filter_bank_plan(bank.get(), &first));
        const std::string text = first->text;
        assert_ok(cldsp_filter_bank_plan(bank.get(), &second));
        CPPUNIT_ASSERT(first == second);
        CPPUNIT_ASSERT_EQUAL(text, std::string(first->text));
    }

    //! A bank with a designed filter keeps a tone in the passband, and removes one in the
    //! stopband.
    void low_passes()
    {
        cldsp_low_pass* low_pass = nullptr;
        assert_ok(cldsp_low_pass_new(48e3, 3e3, 6e3, 60, &low_pass));
        const cldsp_taps* taps = cldsp_low_pass_taps(low_pass);
        CPPUNIT_ASSERT(taps && taps->real_taps && !taps->complex_taps);
        const auto expected = design_low_pass({ 48e3, 3e3, 6e3, 60 });
        CPPUNIT_ASSERT(expected == std::vector<float>(taps->real_taps,
                                                      taps->real_taps + taps->count));
        d_freqs = { 3e3, 6e3 };
        d_config.channels = 2;
        d_config.sampling_freq = 48e3;
        d_config.taps = taps;
        d_config.accuracy = 0;
        const auto bank = make();
        cldsp_low_pass_free(low_pass);                // the bank has a copy
        const c_samples ones(2 * expected.size(), 1); // a tone at 0 Hz
        std::vector<unsigned char> stream(ones.size() * sizeof ones[0]);
        std::memcpy(stream.data(), ones.data(), stream.size());
        const auto out = run(bank.get(), stream, 50);
        CPPUNIT_ASSERT(!out[0].empty() && out[0].size() == out[1].size());
        CPPUNIT_ASSERT_DOUBLES_EQUAL(1, std::abs(out[0].back()), 2e-3 + 1e-6);
        CPPUNIT_ASSERT(std::abs(out[1].back()) < 1e-3 + 1e-6);
    }

    void bad_low_passes()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double infinity = std::numeric_limits<double>::infinity();
        const auto bad = [&](double sampling_freq,
                             double pass_freq,
                             double stop_freq,
                             double attenuation,
                             const std::vector<std::string>& words) {
            auto* low_pass = reinterpret_cast<cldsp_low_pass*>(this);
            assert_invalid(
                cldsp_low_pass_new(
                    sampling_freq, pass_freq, stop_freq, attenuation, &low_pass),
                words);
            CPPUNIT_ASSERT(!low_pass);
        };
        for (const double rate : { 0.0, -48e3, nan, infinity })
            bad(rate, 3e3, 6e3, 60, { "'sampling_freq'", "Hz", "above 0 Hz" });
        for (const double pass : { 0.0, -1.0, 24e3, nan, infinity })
            bad(48e3, pass, 6e3, 60, { "'pass_freq'", "Hz", "above 0 Hz", "48000 Hz" });
        for (const double stop : { 3e3, 0.0, 24001.0, nan, infinity })
            bad(48e3, 3e3, stop, 60, { "'stop_freq'", "Hz", "3000 Hz", "48000 Hz" });
        bad(48e3, 3e3, 3000.001, 60, { "'stop_freq'", "3000.001 Hz", "4194304 taps" });
        for (const double decibels : { 19.9, 120.1, -60.0, nan, infinity })
            bad(48e3, 3e3, 6e3, decibels, { "'attenuation'", "dB", "20 to 120 dB" });
        assert_invalid(cldsp_low_pass_new(48e3, 3e3, 6e3, 60, nullptr),
                       { "'low_pass'", "null" });
        CPPUNIT_ASSERT(!cldsp_low_pass_taps(nullptr));
        cldsp_low_pass_free(nullptr);
    }

    void products()
    {
        auto config = cldsp_matrix_product_defaults();
        config.m = 2;
        config.n = 3;
        config.k = 2;
        config.device = "host";
        config.precision = "tf32";
        cldsp_matrix_product* product = nullptr;
        assert_ok(cldsp_matrix_product_new(d_context.get(), &config, &product));
        const float a[] = { 1, 2, 3, 4 }, b[] = { 1, 0, 2, 0, 1, 3 };
        float c[] = { 9, 9, 9, 9, 9, 9 };
        const float expected[] = { 1, 2, 8, 3, 4, 18 };
        assert_status(
            CLDSP_WRONG_STATE,
            cldsp_matrix_product_multiply_held(product, 2, nullptr, a, 2, nullptr, c, 3),
            { "hold_b" });
        assert_ok(cldsp_matrix_product_multiply(
            product, 2, 3, 2, nullptr, a, 2, b, 3, nullptr, c, 3));
        CPPUNIT_ASSERT(std::equal(expected, expected + 6, c));
        assert_ok(cldsp_matrix_product_hold_b(product, 2, 3, b, 3));
        const cldsp_complex minus = -1, one = 1;
        assert_ok(
            cldsp_matrix_product_multiply_held(product, 2, &minus, a, 2, &one, c, 3));
        for (const float element : c)
            CPPUNIT_ASSERT_EQUAL(0.0f, element);
        const cldsp_plan* plan = nullptr;
        assert_ok(cldsp_matrix_product_plan(product, &plan));
        CPPUNIT_ASSERT_EQUAL(std::string("host"), std::string(plan->device));
        CPPUNIT_ASSERT(std::strstr(plan->text, "exact: no matrix units"));
        const cldsp_complex turned = { 0, 1 };
        assert_invalid(cldsp_matrix_product_multiply(
                           product, 2, 3, 2, &turned, a, 2, b, 3, nullptr, c, 3),
                       { "alpha", "real" });
        assert_invalid(cldsp_matrix_product_multiply(
                           product, 2, 3, 2, nullptr, a, 1, b, 3, nullptr, c, 3),
                       { "1", "2" });
        assert_invalid(cldsp_matrix_product_multiply(
                           product, 2, 3, 2, nullptr, nullptr, 2, b, 3, nullptr, c, 3),
                       { "null" });
        assert_invalid(cldsp_matrix_product_hold_b(product, 2, 3, nullptr, 3),
                       { "null" });
        cldsp_matrix_product_free(product);
    }

    void products_of_bytes()
    {
        auto config = cldsp_matrix_product_defaults();
        config.type = CLDSP_MATRIX_S8;
        config.m = config.n = config.k = 2;
        config.device = "host";
        cldsp_matrix_product* product = nullptr;
        assert_ok(cldsp_matrix_product_new(d_context.get(), &config, &product));
        const std::int8_t a[] = { -128, 2, 3, 127 }, b[] = { -128, 1, 5, -6 };
        std::int32_t c[] = { 1, 2, 3, 4 };
        const cldsp_complex one = 1, two = 2;
        assert_ok(cldsp_matrix_product_multiply(
            product, 2, 2, 2, nullptr, a, 2, b, 2, &one, c, 2));
        const std::int32_t expected[] = { 16395, -138, 254, -755 };
        for (std::size_t i = 0; i < 4; i++)
            CPPUNIT_ASSERT_EQUAL(expected[i], c[i]);
        assert_invalid(cldsp_matrix_product_multiply(
                           product, 2, 2, 2, &two, a, 2, b, 2, nullptr, c, 2),
                       { "alpha", "0 or 1" });
        cldsp_matrix_product_free(product);
    }

    void bad_products()
    {
        const auto bad = [&](auto change, const std::vector<std::string>& words) {
            auto config = cldsp_matrix_product_defaults();
            config.m = config.n = config.k = 2;
            config.device = "host";
            change(config);
            cldsp_matrix_product* product = nullptr;
            assert_invalid(cldsp_matrix_product_new(d_context.get(), &config, &product),
                           words);
            CPPUNIT_ASSERT(!product);
        };
        bad([](auto& c) { c.size = 1; }, { "config->size", "1" });
        bad([](auto& c) { c.plan = "soon"; }, { "'plan'", "'soon'", "\"wait\"" });
        bad([](auto& c) { c.type = 4; }, { "type", "4", "0 to 3" });
        bad([](auto& c) { c.type = -1; }, { "type", "-1", "0 to 3" });
        bad([](auto& c) { c.k = 0; }, { "0" });
        bad([](auto& c) { c.m = SIZE_MAX; }, { "'m' is", "at most" });
        bad([](auto& c) { c.device = "no such device"; }, { "no such device" });
        bad([](auto& c) { c.variant = "other"; }, { "variant", "other" });
        bad([](auto& c) { c.precision = "bf16"; }, { "precision", "bf16", "'tf32'" });
    }

    void correlations()
    {
        // Integrations of 3 samples in calls of 2 of them, the samples of a moment
        // together.
        auto config = cldsp_correlator_defaults();
        config.antennas = 2;
        config.integration = 3;
        config.device = "host";
        cldsp_correlator* correlator = nullptr;
        assert_ok(cldsp_correlator_new(d_context.get(), &config, &correlator));
        const cldsp_complex i(0, 1);
        const c_samples in = { 1, i, 2, 1, i, 2, 1, 1, 3, i, 1, 0 };
        c_samples found;
        for (std::size_t t = 0; t < 6; t += 2) {
            const void* first[] = { &in[2 * t], &in[2 * t + 1] };
            std::size_t ending = 0, ended = 0;
            assert_ok(cldsp_correlator_outputs(correlator, 2, &ending));
            c_samples out(3 * ending);
            assert_ok(cldsp_correlator_process(
                correlator, first, 2, 2, out.data(), ending, &ended));
            CPPUNIT_ASSERT_EQUAL(ending, ended);
            found.insert(found.end(), out.begin(), out.end());
        }
        const c_samples expected = { 6, cldsp_complex(2, -1), 6, 11, 1.0f + 3.0f * i, 2 };
        CPPUNIT_ASSERT(expected == found);
        const void* first[] = { &in[0], nullptr };
        std::size_t ended = 0;
        cldsp_complex out;
        assert_ok(cldsp_correlator_process(correlator, nullptr, 1, 0, &out, 0, &ended));
        assert_invalid(cldsp_correlator_process(correlator, first, 1, 1, &out, 1, &ended),
                       { "'first[1]'", "null" });
        assert_invalid(cldsp_correlator_process(correlator, first, 1, 3, &out, 0, &ended),
                       { "'room'", "0", "at least 1" });
        assert_ok(cldsp_correlator_reset(correlator));
        const cldsp_plan* plan = nullptr;
        assert_ok(cldsp_correlator_plan(correlator, &plan));
        CPPUNIT_ASSERT_EQUAL(std::string("host"), std::string(plan->device));
        cldsp_correlator_free(correlator);
        cldsp_correlator_free(nullptr);
        assert_invalid(cldsp_correlator_reset(nullptr), { "'correlator'", "null" });
    }

    void bad_correlators()
    {
        const auto bad = [&](auto change, const std::vector<std::string>& words) {
            auto config = cldsp_correlator_defaults();
            config.device = "host";
            change(config);
            cldsp_correlator* correlator = nullptr;
            assert_invalid(cldsp_correlator_new(d_context.get(), &config, &correlator),
                           words);
            CPPUNIT_ASSERT(!correlator);
        };
        bad([](auto& c) { c.size = 1; }, { "config->size", "1" });
        bad([](auto& c) { c.input = CLDSP_CU8; }, { "'input'", "3", "CLDSP_CS8" });
        bad([](auto& c) { c.antennas = 0; }, { "'antennas'", "0", "4096" });
        bad([](auto& c) { c.integration = 0; }, { "'integration'", "0" });
        bad([](auto& c) { c.typical_samples = SIZE_MAX; }, { "'typical_samples'" });
        bad([](auto& c) { c.device = "no such device"; }, { "no such device" });
        bad([](auto& c) { c.plan = "soon"; }, { "'plan'", "'soon'" });
    }

    void threads_with_banks_of_their_own()
    {
        d_config.device = "auto"; // all measure and create contexts at once
        std::vector<std::string> failures(4);
        std::vector<std::thread> threads;
        const auto stream = noise(sample_type::fc32, 1000, 9);
        for (std::size_t t = 0; t < failures.size(); t++)
            threads.emplace_back([&, t] {
                const auto fail = [&](cldsp_status status) {
                    if (status != CLDSP_OK)
                        failures[t] = cldsp_last_error();
                    return status != CLDSP_OK;
                };
                cldsp_filter_bank* bank = nullptr;
                if (fail(cldsp_filter_bank_new(d_context.get(), &d_config, &bank)))
                    return;
                std::vector<c_samples> memory(3, c_samples(251));
                std::complex<float>* const places[] = { memory[0].data(),
                                                        memory[1].data(),
                                                        memory[2].data() };
                std::size_t outputs[3];
                fail(cldsp_filter_bank_process(
                    bank, stream.data(), 1000, places, 251, outputs));
                // Another thread's error is not this thread's.
                const double frequency = std::numeric_limits<double>::infinity();
                if (cldsp_filter_bank_set_center_freq(bank, t, frequency) !=
                        CLDSP_INVALID_ARGUMENT ||
                    std::string(cldsp_last_error())
                            .find(t < 3 ? "center_freq" : "channel") == std::string::npos)
                    failures[t] = std::string("wrong error: ") + cldsp_last_error();
                cldsp_filter_bank_free(bank);
            });
        for (auto& thread : threads)
            thread.join();
        for (const auto& failure : failures)
            CPPUNIT_ASSERT_EQUAL(std::string(), failure);
    }

    void one_thread_at_a_time()
    {
        // Both threads filter until one of them is refused.
        const auto bank = make();
        std::atomic<bool> stop{ false };
        std::atomic<int> refused{ 0 }, others{ 0 };
        const auto work = [&] {
            const c_samples in(4096);
            std::vector<c_samples> memory(3, c_samples(1025));
            std::complex<float>* const places[] = { memory[0].data(),
                                                    memory[1].data(),
                                                    memory[2].data() };
            std::size_t outputs[3];
            while (!stop) {
                const auto status = cldsp_filter_bank_process(
                    bank.get(), in.data(), in.size(), places, 1025, outputs);
                if (status == CLDSP_WRONG_STATE)
                    stop = ++refused > 0;
                else if (status != CLDSP_OK)
                    stop = ++others > 0;
            }
        };
        std::thread first(work), second(work);
        first.join();
        second.join();
        CPPUNIT_ASSERT_EQUAL(0, others.load());
        CPPUNIT_ASSERT(refused > 0);
        const cldsp_plan* plan = nullptr;
        assert_ok(cldsp_filter_bank_plan(bank.get(), &plan)); // it can be used again
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_c_interface, "qa_c_interface");

} // namespace
