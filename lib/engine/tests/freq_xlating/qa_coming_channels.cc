// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of channels that come, go, idle and retune while a bank runs.

#include "tests/support/qa_bank_reference.h"
#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_refused.h"
#include "tests/support/qa_support.h"

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/reference.h>

#include <cppunit/extensions/HelperMacros.h>

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

using tap_list = std::vector<std::complex<float>>;

constexpr double sampling_freq = 2016000;
const std::complex<float> untouched(12345, -6789);

//! The decimation, the taps and the numbers of channels of a script. There are few of
//! them, so that each is planned only once.
struct script_shape {
    sample_type input;
    std::size_t decimation, taps, given, slots;
    std::vector<rate_ratio> rates = {}; //!< see freq_xlating_filter_bank_problem
};

/*!
 * A random script: the channels of a bank are added, removed, made idle and active,
 * retuned and given other taps, between calls that cut the stream anywhere. Each channel
 * is compared with a reference in double precision, which runs all the time.
 */
class script
{
public:
    script(const script_shape& shape,
           const freq_xlating_filter_bank_options& options,
           context_registry& registry,
           unsigned seed)
        : d_shape(shape),
          d_options(options),
          d_registry(registry),
          d_random(seed),
          d_stream(fir_case::silence(shape.input, silence())),
          d_bank(problem(), options, registry),
          d_references(shape.slots),
          d_active(shape.slots, false),
          d_out(shape.slots)
    {
        const auto fresh = noise(shape.input, stream_items(), seed);
        d_stream.insert(d_stream.end(), fresh.begin(), fresh.end());
        for (std::size_t c = 0; c < shape.given; c++) {
            d_references[c].emplace(d_bank.problem().channel(c));
            d_active[c] = true;
        }
    }

    void run()
    {
        for (int step = 0; step < 14; step++) {
            for (std::size_t changes = d_random() % 4; changes > 0; changes--)
                change();
            call();
        }
        CPPUNIT_ASSERT(!d_bank.fell_back());
    }

private:
    std::size_t max_taps() const { return 2 * d_shape.taps + 10; }
    //! The items before the stream that a call may read.
    std::size_t silence() const { return max_taps() + 200; }
    std::size_t stream_items() const { return 14 * 40 * d_shape.decimation; }

    tap_list some_taps(std::size_t most)
    {
        return random_taps(
            1 + d_random() % most, d_random() % 2, static_cast<unsigned>(d_random()));
    }
    double some_freq() { return random_freqs(1, d_random).front(); }

    freq_xlating_filter_bank_problem problem()
    {
        freq_xlating_filter_bank_problem result;
        result.input = d_shape.input;
        result.decimation = d_shape.decimation;
        result.taps = { random_taps(d_shape.taps, true, 5) };
        if (d_random() % 2)
            result.taps.resize(d_shape.given, result.taps.front());
        result.center_freqs = random_freqs(d_shape.given, d_random);
        result.sampling_freq = sampling_freq;
        result.max_channels = d_shape.slots;
        result.rates = d_shape.rates;
        return result;
    }

    //! The largest value of an item; items of type s8 are not scaled.
    double full_scale() const { return d_shape.input == sample_type::s8 ? 128 : 1; }

    std::size_t count_used() const
    {
        return static_cast<std::size_t>(
            std::count_if(d_references.begin(), d_references.end(), [](const auto& r) {
                return r.has_value();
            }));
    }

    const unsigned char* item(std::size_t index) const
    {
        return d_stream.data() + (silence() + index) * sample_size(d_shape.input);
    }

    void change()
    {
        const std::size_t c = d_random() % d_shape.slots;
        const bool used = d_references[c].has_value();
        switch (d_random() % 10) {
        case 0:
        case 1:
            add();
            break;
        case 2:
            if (used) {
                d_bank.remove_channel(c);
                d_references[c].reset();
                d_active[c] = false;
            } else {
                assert_refused({ "channel" }, [&] { d_bank.remove_channel(c); });
            }
            break;
        case 3:
            if (used) {
                const double freq = some_freq();
                d_bank.set_center_freq(c, freq);
                d_references[c]->set_center_freq(freq);
            } else {
                assert_refused({ "channel" }, [&] { d_bank.set_center_freq(c, 1); });
            }
            break;
        case 4:
            set_taps();
            break;
        case 8:
        case 9:
            if (used) {
                const auto points = some_points();
                d_bank.schedule(c, points);
                d_references[c]->schedule(points);
            } else {
                assert_refused({ "channel" }, [&] { d_bank.schedule(c, {}); });
            }
            break;
        case 5:
            d_bank.take_engine({ d_bank.problem(), d_options, d_registry });
            break;
        default:
            if (used) {
                d_active[c] = d_random() % 2;
                d_bank.set_channel_active(c, d_active[c]);
            } else {
                assert_refused({ "channel" },
                               [&] { d_bank.set_channel_active(c, true); });
            }
        }
        for (std::size_t i = 0; i < d_shape.slots; i++) {
            CPPUNIT_ASSERT_EQUAL(d_references[i].has_value(), d_bank.has_channel(i));
            CPPUNIT_ASSERT_EQUAL(bool(d_active[i]), d_bank.channel_active(i));
        }
    }

    //! Points from a little before the next output to a little after the next call.
    std::vector<frequency_point> some_points()
    {
        std::vector<frequency_point> points(d_random() % 4);
        auto sample = static_cast<std::int64_t>(d_done) - 20;
        for (auto& point : points) {
            sample += 1 + static_cast<std::int64_t>(d_random() % 100);
            point.sample = std::max(sample, std::int64_t(&point - points.data()));
            point.hz = some_freq();
            if (d_random() % 2)
                point.hz_per_second = 1000 * some_freq();
        }
        return points;
    }

    void add()
    {
        const auto taps = some_taps(d_random() % 8 ? d_shape.taps : max_taps());
        const double freq = some_freq();
        if (count_used() == d_shape.slots) {
            assert_refused({ "channels" }, [&] { d_bank.add_channel(taps, freq); });
            return;
        }
        const std::size_t c = d_bank.add_channel(taps, freq);
        CPPUNIT_ASSERT(c < d_shape.slots && !d_references[c]);
        d_references[c].emplace(d_bank.problem().channel(c));
        d_references[c]->process(item(0), d_done);
        d_active[c] = true;
    }

    void set_taps()
    {
        bank_taps taps;
        for (std::size_t i = d_random() % 2 ? d_shape.slots : 1; i > 0; i--)
            taps.push_back(some_taps(d_shape.taps));
        d_bank.set_taps(taps);
        for (std::size_t c = 0; c < d_shape.slots; c++)
            if (d_references[c])
                d_references[c]->set_taps(taps[taps.size() == 1 ? 0 : c]);
    }

    //! The number of items that a call consumes.
    std::size_t consumed_of(std::size_t items, std::size_t room) const
    {
        if (d_bank.has_one_decimation())
            return std::min(items / d_shape.decimation, room) * d_shape.decimation;
        const auto is_too_much = [&](const rate_ratio& rate) {
            return rate.outputs(d_done + items) - rate.outputs(d_done) > room;
        };
        while (std::any_of(d_shape.rates.begin(), d_shape.rates.end(), is_too_much))
            items--;
        return items;
    }

    void call()
    {
        const std::size_t items = d_random() % (40 * d_shape.decimation);
        const std::size_t room = d_random() % 4 ? 1000 : d_random() % 40;
        const std::size_t consumed = consumed_of(items, room);
        std::vector<std::size_t> outputs, counts(d_shape.slots);
        std::vector<std::complex<float>*> places;
        std::vector<bool> wanted;
        for (std::size_t c = 0; c < d_shape.slots; c++) {
            const rate_ratio rate = d_bank.rate(c);
            outputs.push_back(rate.outputs(d_done + consumed) - rate.outputs(d_done));
            d_out[c].assign(outputs.back() + 1, untouched);
            const bool given = d_random() % 8 != 0;
            places.push_back(given ? d_out[c].data() : nullptr);
            wanted.push_back(given && d_active[c]);
        }
        const std::size_t history = d_bank.history();
        CPPUNIT_ASSERT(history <= silence());
        CPPUNIT_ASSERT_EQUAL(
            consumed,
            d_bank.process_items(item(d_done) - history * sample_size(d_shape.input),
                                 history + items,
                                 places.data(),
                                 room,
                                 counts.data()));
        CPPUNIT_ASSERT(outputs == counts);
        for (std::size_t c = 0; c < d_shape.slots; c++) {
            CPPUNIT_ASSERT(d_out[c].back() == untouched);
            d_out[c].pop_back();
            std::vector<std::complex<double>> expected;
            if (d_references[c])
                expected = d_references[c]->process(item(d_done), consumed);
            if (wanted[c])
                check(c, expected);
            else
                CPPUNIT_ASSERT(std::count(d_out[c].begin(), d_out[c].end(), untouched) ==
                               static_cast<std::ptrdiff_t>(outputs[c]));
        }
        d_done += consumed;
    }

    //! Compares with the expected outputs, to -120 dB of the level that white noise of
    //! the power 1 has after the taps.
    void check(std::size_t channel, const std::vector<std::complex<double>>& expected)
    {
        double power = 0;
        for (const auto& tap : d_bank.problem().channel(channel).taps)
            power += std::norm(tap);
        CPPUNIT_ASSERT_EQUAL(expected.size(), d_out[channel].size());
        for (std::size_t i = 0; i < expected.size(); i++) {
            const double error =
                std::abs(expected[i] - std::complex<double>(d_out[channel][i]));
            // A message for each output would take longer than the output.
            if (!(error < 1e-6 * full_scale() * std::max(1.0, std::sqrt(power))))
                CPPUNIT_FAIL("channel " + std::to_string(channel) + ", output " +
                             std::to_string(i) + ": " + std::to_string(error));
        }
    }

    const script_shape d_shape;
    const freq_xlating_filter_bank_options& d_options;
    context_registry& d_registry;
    std::mt19937 d_random;
    std::vector<unsigned char> d_stream; // silence() items of silence first
    freq_xlating_filter_bank d_bank;
    std::vector<std::optional<bank_reference>> d_references; // of each slot
    std::vector<bool> d_active;
    std::vector<tap_list> d_out;
    std::size_t d_done = 0; // items so far
};

//! Tests that channels come and go without any effect on the samples.
class qa_coming_channels : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_coming_channels);
    CPPUNIT_TEST(scripts_of_host_direct);
    CPPUNIT_TEST(scripts_of_host_volk);
    CPPUNIT_TEST(scripts_of_host_selected_bins);
    CPPUNIT_TEST(scripts_of_host_polyphase);
    CPPUNIT_TEST(scripts_of_host_four_step);
    CPPUNIT_TEST(scripts_of_rates_on_host_direct);
    CPPUNIT_TEST(scripts_of_rates_on_host_selected_bins);
    CPPUNIT_TEST(scripts_of_rates_on_device);
    CPPUNIT_TEST(scripts_of_device_direct);
    CPPUNIT_TEST(scripts_of_device_fast_convolution);
    CPPUNIT_TEST(idle_channels_leave_the_others_alone);
    CPPUNIT_TEST(many_scattered_channels);
    CPPUNIT_TEST(nothing_runs_where_all_are_idle);
    CPPUNIT_TEST(a_reset_starts_added_channels_too);
    CPPUNIT_TEST(an_added_channel_copies_no_taps);
    CPPUNIT_TEST(taps_of_removed_channels_are_forgotten);
    CPPUNIT_TEST(blocks_shrink_with_the_taps);
    CPPUNIT_TEST(free_and_idle_slots_have_no_responses);
    CPPUNIT_TEST(bad_arguments_are_refused);
    CPPUNIT_TEST_SUITE_END();

    context_registry d_registry{ test_options() };

    static freq_xlating_filter_bank_options way(const std::string& device,
                                                const std::string& algorithm,
                                                const std::string& variant)
    {
        freq_xlating_filter_bank_options options;
        options.device = device;
        options.algorithm = algorithm;
        options.variant = variant;
        options.accuracy = 0;
        options.threads = 2;
        options.typical_items = 200;
        return options;
    }

    void run_scripts(const freq_xlating_filter_bank_options& options,
                     unsigned count,
                     const std::vector<script_shape>& shapes)
    {
        for (unsigned seed = 0; seed < (small_tests() ? count / 10 + 1 : count); seed++) {
            try {
                script(shapes[seed % shapes.size()], options, d_registry, seed).run();
            } catch (const CppUnit::Exception& e) {
                CppUnit::Message message = e.message();
                message.addDetail("script " + std::to_string(seed));
                throw CppUnit::Exception(message, e.sourceLine());
            }
        }
    }

    static std::vector<script_shape> all_shapes()
    {
        return {
            { sample_type::fc32, 1, 20, 2, 3 }, { sample_type::fc32, 4, 31, 3, 6 },
            { sample_type::fc32, 7, 9, 1, 20 }, { sample_type::cs16, 5, 40, 2, 2 },
            { sample_type::fc32, 3, 12, 1, 1 }, { sample_type::fc32, 8, 50, 20, 40 }
        };
    }

    //! Shapes whose decimations bound the lengths of calls.
    static std::vector<script_shape> rates_shapes()
    {
        const auto lists = std::vector<std::vector<rate_ratio>>{
            { { 1, 4 }, { 1, 6 }, { 1, 3 }, { 1, 4 } },
            { { 3, 8 }, { 1, 5 }, { 1, 5 }, { 3, 8 }, { 2, 5 } },
            { { 1, 1 }, { 1, 2 }, { 5, 6 } },
            { { 3, 64 }, { 1, 64 }, { 1, 48 } },
            { { 7, 10 } },
            { { 128, 147 }, { 1, 11 }, { 17, 40 }, { 1, 7 } },
        };
        std::vector<script_shape> shapes;
        const sample_type types[] = { sample_type::fc32, sample_type::f32,
                                      sample_type::cs16, sample_type::s8,
                                      sample_type::cs8,  sample_type::fc32 };
        for (std::size_t i = 0; i < lists.size(); i++) {
            const std::size_t slots = lists[i].size();
            shapes.push_back(
                { types[i], 12, 30 + 9 * i, slots > 1 ? 2u : 1u, slots, lists[i] });
        }
        return shapes;
    }

    static freq_xlating_filter_bank_problem
    bank_problem(std::size_t given, std::size_t slots, std::size_t decimation = 4)
    {
        auto problem = make_bank_problem(sample_type::fc32, decimation, 33, true, given);
        problem.max_channels = slots;
        return problem;
    }

public:
    void scripts_of_host_direct()
    {
        run_scripts(way("host", "direct", "simd"), 600, all_shapes());
    }
    void scripts_of_host_volk()
    {
        run_scripts(way("host", "direct", "volk"), 60, all_shapes());
    }
    void scripts_of_host_selected_bins()
    {
        run_scripts(way("host", "fast_convolution", "selected_bins"), 240, all_shapes());
    }
    void scripts_of_host_polyphase()
    {
        run_scripts(way("host", "fast_convolution", "polyphase"), 150, all_shapes());
    }
    void scripts_of_host_four_step()
    {
        run_scripts(
            way("host", "fast_convolution", "four_step"),
            60,
            { { sample_type::fc32, 1, 20, 2, 3 }, { sample_type::fc32, 1, 60, 1, 5 } });
    }
    void scripts_of_rates_on_host_direct()
    {
        run_scripts(way("host", "direct", "simd"), 150, rates_shapes());
    }
    void scripts_of_rates_on_host_selected_bins()
    {
        run_scripts(way("host", "fast_convolution", "selected_bins"), 60, rates_shapes());
    }
    void scripts_of_rates_on_device()
    {
        run_scripts(
            way(test_device().id(), "direct", "gpu_tile"),
            10,
            { { sample_type::fc32, 8, 31, 2, 3, { { 1, 4 }, { 3, 8 }, { 1, 6 } } } });
    }
    void scripts_of_device_direct()
    {
        run_scripts(way(test_device().id(), "direct", "gpu_tile"),
                    10,
                    { { sample_type::fc32, 4, 31, 2, 5 } });
    }
    void scripts_of_device_fast_convolution()
    {
#ifdef CLDSP_HAVE_VKFFT
        for (const char* variant : { "vkfft", "fused_fold", "tiled_fold" })
            run_scripts(way(test_device().id(), "fast_convolution", variant),
                        6,
                        { { sample_type::fc32, 4, 31, 2, 5 } });
#endif
    }

    //! The samples of a channel do not depend on which others are active.
    void idle_channels_leave_the_others_alone()
    {
        for (const std::string algorithm : { "direct", "fast_convolution" }) {
            const auto options = way("host", algorithm, "auto");
            const auto problem = bank_problem(20, 0);
            freq_xlating_filter_bank all(problem, options, d_registry);
            freq_xlating_filter_bank some(problem, options, d_registry);
            const auto stream = noise(problem.input, all.history() + 4000, 3);
            for (const std::size_t c : { 0, 3, 4, 15, 16, 19 })
                some.set_channel_active(c, false);
            bank_outputs a(20, 1000), b(20, 1000);
            all.process(stream.data(), all.history() + 4000, a.at(0).data(), 1000);
            some.process(stream.data(), some.history() + 4000, b.at(0).data(), 1000);
            const std::vector<std::complex<float>> zeros(1000);
            for (std::size_t c = 0; c < 20; c++) {
                if (!some.channel_active(c)) {
                    CPPUNIT_ASSERT(b[c] == zeros);
                    continue;
                }
                const std::vector<std::complex<double>> want(a[c].begin(), a[c].end());
                CPPUNIT_ASSERT(error_db(b[c], want) < -120);
            }
        }
    }

    void many_scattered_channels()
    {
        for (const std::string algorithm : { "direct", "fast_convolution" }) {
            const auto problem = bank_problem(200, 0);
            freq_xlating_filter_bank bank(
                problem, way("host", algorithm, "auto"), d_registry);
            for (std::size_t c = 0; c < 200; c++)
                bank.set_channel_active(c, c % 37 == 1);
            const std::size_t items = 2000;
            auto stream = fir_case::silence(problem.input, bank.history());
            const auto fresh = noise(problem.input, items, 8);
            stream.insert(stream.end(), fresh.begin(), fresh.end());
            bank_outputs out(200, items / 4);
            bank.process(stream.data(), bank.history() + items, out.at(0).data(), items);
            for (std::size_t c = 1; c < 200; c += 37) {
                freq_xlating_fir_reference reference(problem.channel(c));
                CPPUNIT_ASSERT(error_db(out[c], reference.process(fresh.data(), items)) <
                               -120);
            }
        }
    }

    void nothing_runs_where_all_are_idle()
    {
        freq_xlating_filter_bank bank(
            bank_problem(2, 4), way("host", "direct", "simd"), d_registry);
        bank.set_channel_active(0, false);
        bank.remove_channel(1);
        const auto stream = noise(sample_type::fc32, bank.history() + 400, 3);
        const std::vector<std::complex<float>*> nowhere(4);
        const auto result =
            bank.process(stream.data(), bank.history() + 400, nowhere.data(), 1000);
        CPPUNIT_ASSERT_EQUAL(std::size_t(100), result.produced);
        CPPUNIT_ASSERT_EQUAL(std::size_t(400), result.consumed);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), bank.statistics().calls);
    }

    void a_reset_starts_added_channels_too()
    {
        freq_xlating_filter_bank bank(
            bank_problem(1, 2), way("host", "direct", "simd"), d_registry);
        bank.skip(1000);
        bank.add_channel(random_taps(20, true, 4), 4321.0);
        const auto running = bank.phase(1);
        bank.reset();
        const auto start = bank.phase(1);
        bank.skip(1000);
        CPPUNIT_ASSERT(running == bank.phase(1));
        CPPUNIT_ASSERT(!(running == start));
    }

    void an_added_channel_copies_no_taps()
    {
        freq_xlating_filter_bank bank(
            bank_problem(2, 500), way("host", "direct", "simd"), d_registry);
        const shared_taps common = bank.problem().taps_of(0);
        const tap_list other = random_taps(50, true, 4);
        const std::size_t c = bank.add_channel(other, 1000.0);
        const std::size_t d = bank.add_channel(other, 2000.0);
        for (std::size_t slot = 0; slot < 500; slot++)
            CPPUNIT_ASSERT_EQUAL(slot != c && slot != d,
                                 bank.problem().taps_of(slot).is(common));
        CPPUNIT_ASSERT(bank.problem().taps_of(c).is(bank.problem().taps_of(d)));
    }

    void taps_of_removed_channels_are_forgotten()
    {
        const auto most = [](const freq_xlating_filter_bank& bank) {
            std::size_t taps = 0;
            for (std::size_t c = 0; c < bank.channels(); c++)
                taps = std::max(taps, bank.problem().taps_of(c).size());
            return taps;
        };
        const auto options = way("host", "direct", "simd");
        freq_xlating_filter_bank bank(bank_problem(2, 5), options, d_registry);
        bank.place_channel(3, random_taps(500, false, 1), 0);
        bank.place_channel(4, random_taps(900, true, 1), 0);
        CPPUNIT_ASSERT_EQUAL(std::size_t(900), most(bank));
        bank.remove_channel(4);
        CPPUNIT_ASSERT_EQUAL(std::size_t(500), most(bank));
        bank.remove_channel(3);
        CPPUNIT_ASSERT_EQUAL(std::size_t(33), most(bank));
        for (std::size_t c = 0; c < 5; c++)
            CPPUNIT_ASSERT(bank.problem().taps_of(c).are_real());

        // The free slots of a new bank get the longest taps, and lose them as well.
        auto problem = bank_problem(2, 5);
        problem.taps = { random_taps(400, true, 2), random_taps(7, true, 2) };
        freq_xlating_filter_bank other(problem, options, d_registry);
        other.remove_channel(0);
        CPPUNIT_ASSERT_EQUAL(std::size_t(7), most(other));
        // With no channel there is nothing to choose from; the next one decides.
        other.add_channel(random_taps(300, true, 3), 0);
        other.remove_channel(1);
        other.remove_channel(0);
        other.place_channel(2, random_taps(5, true, 3), 0);
        CPPUNIT_ASSERT_EQUAL(std::size_t(5), most(other));
    }

    //! The bytes that the program has allocated; 0 if a sanitizer keeps the memory.
    static std::size_t allocated()
    {
        const auto info = mallinfo2();
        return info.uordblks + info.hblkhd;
    }

    //! Runs all channels of a bank for a few outputs.
    static void run_briefly(freq_xlating_filter_bank& bank)
    {
        const std::size_t outputs = 10;
        const std::size_t items = bank.history() + outputs * bank.problem().decimation;
        const auto stream = noise(bank.problem().input, items, 3);
        bank_outputs out(bank.channels(), outputs);
        bank.process(stream.data(), items, out.at(0).data(), outputs);
    }

    void blocks_shrink_with_the_taps()
    {
        for (const std::string variant : { "selected_bins", "polyphase" }) {
            freq_xlating_filter_bank bank(
                bank_problem(2, 4), way("host", "fast_convolution", variant), d_registry);
            run_briefly(bank);
            const std::size_t before = allocated();
            bank.place_channel(2, random_taps(100000, true, 5), 0);
            run_briefly(bank);
            const std::size_t most = allocated();
            bank.remove_channel(2);
            run_briefly(bank);
            const std::size_t after = allocated();
            CPPUNIT_ASSERT_MESSAGE(std::to_string(before) + ", " + std::to_string(most) +
                                       ", " + std::to_string(after),
                                   after <= before + (most - before) / 4);
        }
    }

    void free_and_idle_slots_have_no_responses()
    {
        freq_xlating_filter_bank bank(bank_problem(100, 200),
                                      way("host", "fast_convolution", "selected_bins"),
                                      d_registry);
        run_briefly(bank);
        for (std::size_t c = 0; c < 100; c++)
            bank.set_channel_active(c, false);
        const std::size_t taps = 20000;
        bank.add_channel(random_taps(taps, true, 5), 0);
        run_briefly(bank);
        const std::size_t idle = allocated();
        for (std::size_t c = 0; c < 100; c++)
            bank.set_channel_active(c, true);
        run_briefly(bank);
        // Each response of such blocks takes more than the taps.
        CPPUNIT_ASSERT_MESSAGE(std::to_string(idle) + ", " + std::to_string(allocated()),
                               allocated() == 0 ||
                                   allocated() >
                                       idle + 50 * taps * sizeof(std::complex<float>));
        // A channel with long taps may be idle, and other calls come before it is active.
        const std::size_t c = bank.add_channel(random_taps(3 * taps, true, 5), 0);
        bank.set_channel_active(c, false);
        run_briefly(bank);
        bank.set_channel_active(0, false);
        run_briefly(bank);
        bank.set_channel_active(c, true);
        run_briefly(bank);
        CPPUNIT_ASSERT(!bank.fell_back());
    }

    void bad_arguments_are_refused()
    {
        const auto options = way("host", "direct", "simd");
        for (const std::size_t slots : { std::size_t(2), std::size_t(65537) })
            assert_refused({ "max_channels", std::to_string(slots) }, [&] {
                freq_xlating_filter_bank(bank_problem(3, slots), options, d_registry);
            });
        freq_xlating_filter_bank bank(bank_problem(2, 3), options, d_registry);
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), bank.channels());
        CPPUNIT_ASSERT_EQUAL(std::size_t(32), bank.history());
        const double nan = std::numeric_limits<double>::quiet_NaN();
        assert_refused({ "taps" }, [&] { bank.add_channel({}, 0); });
        assert_refused({ "taps" }, [&] { bank.add_channel({ float(nan) }, 0); });
        assert_refused({ "center_freq" }, [&] { bank.add_channel({ 1 }, nan); });
        assert_refused({ "channel", "0 to 2" }, [&] { bank.place_channel(3, { 1 }, 0); });
        assert_refused({ "channel", "0 to 2" }, [&] { bank.remove_channel(3); });
        assert_refused({ "channel", "free" }, [&] { bank.remove_channel(2); });
        assert_refused({ "channel", "0 to 2" },
                       [&] { bank.set_channel_active(3, true); });
        assert_refused({ "channel", "free" }, [&] { bank.set_channel_active(2, true); });
        assert_refused({ "channel", "0 to 2" }, [&] { bank.channel_active(3); });
        assert_refused({ "channel", "0 to 2" }, [&] { bank.has_channel(3); });
        assert_refused({ "channel", "free" }, [&] { bank.set_center_freq(2, 1); });
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), bank.add_channel({ 1 }, 0));
        assert_refused({ "channels", "0 to 2", "max_channels" },
                       [&] { bank.add_channel({ 1 }, 0); });
        // The history is that of the channels in use.
        bank.place_channel(2, tap_list(100, 1.0f), 5);
        CPPUNIT_ASSERT_EQUAL(std::size_t(99), bank.history());
        bank.set_channel_active(2, false);
        CPPUNIT_ASSERT_EQUAL(std::size_t(99), bank.history());
        bank.remove_channel(2);
        CPPUNIT_ASSERT_EQUAL(std::size_t(32), bank.history());
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_coming_channels, "qa_coming_channels");

} // namespace
