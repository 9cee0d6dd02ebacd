// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that recorders on one bank hear what chains of their own give.

#include "bank_channelizer.h"
#include "engine/tests/support/qa_refused.h"
#include "measurement/agreement.h"
#include "measurement/band.h"
#include "measurement/in_tree_channelizer.h"

#include <gnuradio/analog/pwr_squelch_cc.h>
#include <gnuradio/blocks/vector_sink.h>
#include <gnuradio/blocks/vector_source.h>
#include <gnuradio/io_signature.h>
#include <gnuradio/sync_block.h>
#include <gnuradio/top_block.h>
#include <cppunit/extensions/HelperMacros.h>

#include <condition_variable>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace trunk_recorder;
using cldsp::assert_refused;
using samples = std::vector<gr_complex>;
using sink = gr::blocks::vector_sink_c;

constexpr double pi = 3.14159265358979323846;

//! Gives the items of a stream up to a limit and then waits for a higher limit, so that a
//! test changes things between two known items.
class steered_source : public gr::sync_block
{
public:
    explicit steered_source(const samples& stream)
        : gr::sync_block("steered_source",
                         gr::io_signature::make(0, 0, 0),
                         gr::io_signature::make(1, 1, sizeof(gr_complex))),
          d_stream(stream)
    {
    }

    void set_limit(std::size_t limit)
    {
        const std::lock_guard guard(d_mutex);
        d_limit = limit;
        d_changed.notify_all();
    }

    int work(int noutput_items,
             gr_vector_const_void_star&,
             gr_vector_void_star& output_items) override
    {
        std::unique_lock lock(d_mutex);
        d_changed.wait_for(
            lock, std::chrono::milliseconds(5), [&] { return d_position < d_limit; });
        const auto count = std::min<std::size_t>(static_cast<std::size_t>(noutput_items),
                                                 d_limit - d_position);
        std::copy_n(d_stream.begin() + static_cast<std::ptrdiff_t>(d_position),
                    count,
                    static_cast<gr_complex*>(output_items[0]));
        d_position += count;
        return static_cast<int>(count);
    }

private:
    const samples d_stream;
    std::mutex d_mutex;
    std::condition_variable d_changed;
    std::size_t d_limit = 0, d_position = 0;
};

samples noise(std::size_t items)
{
    std::mt19937 random(1);
    std::normal_distribution<float> value(0, 0.1f);
    samples all(items);
    for (auto& item : all)
        item = gr_complex(value(random), value(random));
    return all;
}

samples tone(std::size_t items, double turns_per_item, float amplitude)
{
    samples all(items);
    for (std::size_t i = 0; i < items; i++) {
        const double turns = turns_per_item * static_cast<double>(i);
        all[i] = std::polar(amplitude,
                            static_cast<float>(2 * pi * (turns - std::floor(turns))));
    }
    return all;
}

void wait_for_items(const sink::sptr& reader, std::size_t items)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(10);
    while (reader->data().size() < items) {
        CPPUNIT_ASSERT_MESSAGE("only " + std::to_string(reader->data().size()) + " of " +
                                   std::to_string(items) + " samples came",
                               std::chrono::steady_clock::now() < deadline);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

//! The outputs of a channel in double precision: mixing, one filter, level control.
class model
{
public:
    explicit model(const channel_plan& plan, double input_rate)
        : d_taps(plan.joint_taps(plan.second_taps())),
          d_decimation(plan.decimation()),
          d_input_rate(input_rate)
    {
    }

    void set_taps(const std::vector<float>& taps) { d_taps = taps; }

    //! Appends the outputs of the items from \p begin to \p end of a stream that started
    //! with the item \p start; all are multiples of the decimation.
    void take(const samples& stream,
              std::size_t start,
              std::size_t begin,
              std::size_t end,
              double center_freq)
    {
        d_segments.push_back(d_outputs.size());
        for (std::size_t item = begin; item < end; item += d_decimation) {
            std::complex<double> sum = 0;
            for (std::size_t k = 0; k < d_taps.size() && k <= item - start; k++) {
                const double turns =
                    center_freq / d_input_rate * static_cast<double>(item - k);
                sum += static_cast<double>(d_taps[k]) *
                       std::complex<double>(stream[item - k]) *
                       std::polar(1.0, -2 * pi * (turns - std::floor(turns)));
            }
            d_power = 0.55 * d_power + 0.45 * std::norm(sum);
            d_levels.push_back(std::sqrt(d_power));
            d_outputs.push_back(sum / (std::sqrt(d_power) / 0.85 + 1e-18));
        }
    }

    //! Each segment may have a phase of its own, which the taps and the frequency give.
    //! The level control lifts the first outputs of a stream, which are faint, and lifts
    //! the filter's errors with them. Errors are therefore compared with the level before
    //! the level control, and the phase is that of the samples before it, too.
    void assert_equals(const samples& received) const
    {
        CPPUNIT_ASSERT_EQUAL(d_outputs.size(), received.size());
        if (d_outputs.empty())
            return;
        const double loud = *std::max_element(d_levels.begin(), d_levels.end());
        for (std::size_t s = 0; s < d_segments.size(); s++) {
            const std::size_t end =
                s + 1 < d_segments.size() ? d_segments[s + 1] : d_outputs.size();
            std::complex<double> sum = 0;
            for (std::size_t i = d_segments[s]; i < end; i++)
                sum += std::complex<double>(received[i]) * std::conj(d_outputs[i]) *
                       (d_levels[i] * d_levels[i]);
            const auto phase = sum / std::abs(sum);
            for (std::size_t i = d_segments[s]; i < end; i++)
                CPPUNIT_ASSERT_DOUBLES_EQUAL_MESSAGE(
                    "output " + std::to_string(i) + " of segment " + std::to_string(s),
                    0,
                    std::abs(std::complex<double>(received[i]) - phase * d_outputs[i]) *
                        d_levels[i] / loud,
                    1e-4);
        }
    }

private:
    std::vector<float> d_taps;
    const std::size_t d_decimation;
    const double d_input_rate;
    double d_power = 0;
    std::vector<std::complex<double>> d_outputs;
    std::vector<double> d_levels;
    std::vector<std::size_t> d_segments;
};

// Tests of the handles and their bank, as recorders use them.
class qa_trunk_recorder : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_trunk_recorder);
    CPPUNIT_TEST(recorders_start_stop_and_retune);
    CPPUNIT_TEST(a_flowgraph_starts_again);
    CPPUNIT_TEST(two_sources_match_chains_of_their_own);
    CPPUNIT_TEST(rates_without_a_whole_decimation_are_resampled);
    CPPUNIT_TEST(a_deviation_changes_one_channel);
    CPPUNIT_TEST(the_squelch_gates);
    CPPUNIT_TEST(the_squelch_is_that_of_gnuradio);
    CPPUNIT_TEST(the_fll_finds_the_carrier);
    CPPUNIT_TEST(the_fll_changes_while_it_works);
    CPPUNIT_TEST(a_handle_that_goes_disables_its_channel);
    CPPUNIT_TEST(names_bad_arguments);
    CPPUNIT_TEST(names_bad_orders);
    CPPUNIT_TEST_SUITE_END();

    static constexpr double fs = 240e3; // decimations 2 and 5
    static constexpr std::size_t decimation = 10;

    static channel_bank::sptr make_bank(double rate = fs)
    {
        return channel_bank::make(rate, "host");
    }

    static bank_channelizer::sptr make_handle(const channel_bank::sptr& channels,
                                              bool use_squelch = false,
                                              bool use_fll = false)
    {
        return bank_channelizer::make(channels,
                                      channels->input_rate(),
                                      bank_channelizer::phase1_samples_per_symbol,
                                      bank_channelizer::phase1_symbol_rate,
                                      bank_channelizer::channel_bandwidth,
                                      0,
                                      use_squelch,
                                      bank_channelizer::default_excess_bw,
                                      use_fll);
    }

    static channel_plan plan_of(double rate = fs)
    {
        return channel_plan(rate,
                            bank_channelizer::phase1_samples_per_symbol,
                            bank_channelizer::phase1_symbol_rate,
                            bank_channelizer::channel_bandwidth);
    }

    //! Several recorders on one source.
    struct receiver {
        explicit receiver(const samples& stream,
                          int recorders,
                          bool use_squelch = false,
                          bool use_fll = false)
            : flowgraph(gr::make_top_block("receiver")),
              source(gnuradio::make_block_sptr<steered_source>(stream)),
              channels(make_bank())
        {
            for (int r = 0; r < recorders; r++) {
                handles.push_back(make_handle(channels, use_squelch, use_fll));
                sinks.push_back(sink::make());
                CPPUNIT_ASSERT_EQUAL(r, channels->add_reader(handles.back()));
                flowgraph->connect(handles.back(), 0, sinks.back(), 0);
            }
            channels->connect(flowgraph, source);
        }

        ~receiver()
        {
            flowgraph->stop();
            flowgraph->wait();
        }

        gr::top_block_sptr flowgraph;
        std::shared_ptr<steered_source> source;
        channel_bank::sptr channels;
        std::vector<bank_channelizer::sptr> handles;
        std::vector<sink::sptr> sinks;
    };

    // The first recorder records all the time; its output tells how far the stream is.
    void recorders_start_stop_and_retune()
    {
        const auto stream = noise(40000);
        receiver radio(stream, 4);
        std::vector<model> models(4, model(plan_of(), fs));
        radio.handles[0]->set_enabled(true);
        radio.handles[0]->tune_offset(20e3);
        radio.handles[2]->tune_offset(-50e3);
        radio.flowgraph->start();
        const auto play_to = [&](std::size_t item) {
            radio.source->set_limit(item);
            wait_for_items(radio.sinks[0], item / decimation);
        };
        CPPUNIT_ASSERT(!radio.channels->got_samples());
        play_to(10000);
        CPPUNIT_ASSERT(radio.channels->got_samples());

        radio.handles[1]->tune_offset(-35e3);
        radio.handles[1]->set_enabled(true);
        radio.handles[2]->set_enabled(true);
        CPPUNIT_ASSERT(radio.handles[1]->is_enabled());
        CPPUNIT_ASSERT(!radio.handles[3]->is_enabled());
        play_to(20000);
        radio.handles[1]->set_enabled(false);
        radio.handles[2]->tune_offset(12.5e3);
        play_to(30000);
        radio.handles[1]->tune_offset(71e3);
        radio.handles[1]->set_enabled(true);
        play_to(40000);
        wait_for_items(radio.sinks[1], 2000);
        wait_for_items(radio.sinks[2], 3000);
        radio.flowgraph->stop();
        radio.flowgraph->wait();

        models[0].take(stream, 0, 0, 40000, -20e3);
        models[1].take(stream, 0, 10000, 20000, 35e3);
        models[1].take(stream, 0, 30000, 40000, -71e3);
        models[2].take(stream, 0, 10000, 20000, 50e3);
        models[2].take(stream, 0, 20000, 40000, -12.5e3);
        for (int r = 0; r < 4; r++)
            models[r].assert_equals(radio.sinks[r]->data());
    }

    // A new run starts out of silence; frequencies and enabled channels stay.
    void a_flowgraph_starts_again()
    {
        const auto stream = noise(30000);
        receiver radio(stream, 2);
        model expected(plan_of(), fs);
        radio.handles[0]->set_enabled(true);
        radio.flowgraph->start();
        radio.source->set_limit(10000);
        wait_for_items(radio.sinks[0], 1000);
        radio.handles[0]->tune_offset(-40e3);
        radio.flowgraph->stop();
        radio.flowgraph->wait();
        radio.flowgraph->start();
        radio.source->set_limit(20000);
        wait_for_items(radio.sinks[0], 2000);
        expected.take(stream, 0, 0, 10000, 0);
        expected.take(stream, 10000, 10000, 20000, 40e3);
        expected.assert_equals(radio.sinks[0]->data());

        // GNU Radio takes the first items after a lock for the block's history.
        radio.flowgraph->lock();
        radio.flowgraph->unlock();
        const std::size_t lost = radio.channels->block()->history();
        radio.source->set_limit(30000);
        wait_for_items(radio.sinks[0], 2000 + (10000 - lost) / decimation);
        CPPUNIT_ASSERT_EQUAL(40e3, radio.channels->block()->center_freqs()[0]);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), radio.sinks[1]->data().size());
    }

    //! All channels of a band with handles and with chains of their own.
    static void add_both(const gr::top_block_sptr& flowgraph,
                         const band& played,
                         std::vector<std::pair<sink::sptr, sink::sptr>>& sinks,
                         std::vector<bank_channelizer::sptr>& handles)
    {
        const auto source = gr::blocks::vector_source_c::make(played.samples);
        const auto channels = make_bank(played.rate);
        for (const double center_freq : played.center_freqs) {
            const auto handle = make_handle(channels, false, true);
            const auto chain =
                in_tree_channelizer::make(plan_of(played.rate), played.rate, center_freq);
            const std::pair pair(sink::make(), sink::make());
            channels->add_reader(handle);
            handle->tune_offset(-center_freq);
            handle->set_enabled(true);
            flowgraph->connect(source, 0, chain, 0);
            flowgraph->connect(chain, 0, pair.first, 0);
            flowgraph->connect(handle, 0, pair.second, 0);
            sinks.push_back(pair);
            handles.push_back(handle);
        }
        channels->connect(flowgraph, source);
    }

    void two_sources_match_chains_of_their_own()
    {
        const band first(fs, 3, 1), second(480e3, 5, 1);
        auto flowgraph = gr::make_top_block("two_sources");
        std::vector<std::pair<sink::sptr, sink::sptr>> sinks;
        std::vector<bank_channelizer::sptr> handles;
        add_both(flowgraph, first, sinks, handles);
        add_both(flowgraph, second, sinks, handles);
        CPPUNIT_ASSERT_EQUAL(0, handles[3]->channel());
        flowgraph->run();
        CPPUNIT_ASSERT_EQUAL(std::size_t(8), sinks.size());
        for (const auto& [chain, handle] : sinks) {
            CPPUNIT_ASSERT_EQUAL(std::size_t(24000), handle->data().size());
            const auto found = agreement_of(chain->data(), handle->data(), 24000, 500);
            CPPUNIT_ASSERT_LESS(-80.0, found.difference_db);
        }
    }

    void rates_without_a_whole_decimation_are_resampled()
    {
        const band played(250e3, 3, 1); // 25 kHz after the filter
        auto flowgraph = gr::make_top_block("resampled");
        std::vector<std::pair<sink::sptr, sink::sptr>> sinks;
        std::vector<bank_channelizer::sptr> handles;
        add_both(flowgraph, played, sinks, handles);
        flowgraph->run();
        for (const auto& [chain, handle] : sinks) {
            const auto samples_of_handle = handle->data();
            CPPUNIT_ASSERT_DOUBLES_EQUAL(24000, samples_of_handle.size(), 60);
            const auto found = agreement_of(chain->data(), samples_of_handle, 24000, 500);
            CPPUNIT_ASSERT_LESS(-80.0, found.difference_db);
        }
    }

    void a_deviation_changes_one_channel()
    {
        const auto stream = noise(20000);
        receiver radio(stream, 2);
        std::vector<model> models(2, model(plan_of(), fs));
        for (const auto& handle : radio.handles)
            handle->set_enabled(true);
        radio.flowgraph->start();
        radio.source->set_limit(10000);
        for (const auto& reader : radio.sinks)
            wait_for_items(reader, 1000);
        radio.handles[1]->set_max_dev(2500);
        radio.source->set_limit(20000);
        for (const auto& reader : radio.sinks)
            wait_for_items(reader, 2000);
        models[0].take(stream, 0, 0, 20000, 0);
        models[1].take(stream, 0, 0, 10000, 0);
        const auto plan = plan_of();
        CPPUNIT_ASSERT(plan.second_taps(2500).size() != plan.second_taps().size());
        models[1].set_taps(plan.joint_taps(plan.second_taps(2500)));
        models[1].take(stream, 0, 10000, 20000, 0);
        for (int r = 0; r < 2; r++)
            models[r].assert_equals(radio.sinks[r]->data());
    }

    void the_squelch_gates()
    {
        // Three recorders of one tone at -20 dB: open, closed, and closed as for analog
        // calls, which gives zeros.
        const std::size_t items = 60000;
        receiver radio(tone(items, 30e3 / fs, 0.1f), 3, true);
        for (const auto& handle : radio.handles) {
            handle->tune_offset(-30e3);
            handle->set_enabled(true);
            handle->set_analog_squelch(true);
            handle->set_squelch_db(-10);
            CPPUNIT_ASSERT(handle->is_squelched());
        }
        radio.handles[0]->set_squelch_db(-30);
        radio.handles[1]->set_analog_squelch(false);
        radio.flowgraph->start();
        radio.source->set_limit(items);
        wait_for_items(radio.sinks[0], items / decimation);
        wait_for_items(radio.sinks[2], items / decimation);
        radio.flowgraph->stop();
        radio.flowgraph->wait();
        CPPUNIT_ASSERT(!radio.handles[0]->is_squelched());
        CPPUNIT_ASSERT(radio.handles[1]->is_squelched());
        CPPUNIT_ASSERT(radio.handles[2]->is_squelched());
        CPPUNIT_ASSERT_DOUBLES_EQUAL(-20, radio.handles[0]->get_pwr(), 0.1);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(-20, radio.handles[2]->get_pwr(), 0.1);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(0.85, std::abs(radio.sinks[0]->data().back()), 1e-3);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), radio.sinks[1]->data().size());
        for (const auto& sample : radio.sinks[2]->data())
            CPPUNIT_ASSERT_EQUAL(gr_complex(0), sample);

        const auto without = make_handle(make_bank());
        CPPUNIT_ASSERT(without->is_squelched());
        CPPUNIT_ASSERT_EQUAL(bank_channelizer::unknown_power + 0, without->get_pwr());
    }

    static void
    assert_same_squelch(const samples& stream, double weight, int ramp, bool gate)
    {
        const double threshold = -20;
        const auto flowgraph = gr::make_top_block("squelches");
        const auto source = gr::blocks::vector_source_c::make(stream);
        const auto theirs =
            gr::analog::pwr_squelch_cc::make(threshold, weight, ramp, gate);
        const auto ours = power_squelch::make(threshold, weight, ramp, gate);
        const auto expected = sink::make(), received = sink::make();
        flowgraph->connect(source, 0, theirs, 0);
        flowgraph->connect(theirs, 0, expected, 0);
        flowgraph->connect(source, 0, ours, 0);
        flowgraph->connect(ours, 0, received, 0);
        flowgraph->run();
        const auto wanted = expected->data(), given = received->data();
        CPPUNIT_ASSERT(!wanted.empty());
        CPPUNIT_ASSERT_EQUAL(wanted.size(), given.size());
        for (std::size_t i = 0; i < wanted.size(); i++)
            CPPUNIT_ASSERT_DOUBLES_EQUAL_MESSAGE(
                "output " + std::to_string(i), 0, std::abs(wanted[i] - given[i]), 1e-6);
    }

    void the_squelch_is_that_of_gnuradio()
    {
        auto stream = noise(20000);
        for (std::size_t i = 0; i < stream.size(); i++)
            if (i / 3000 % 2 == 0)
                stream[i] *= 0.01f;
        assert_same_squelch(stream, 0.01, 10, false);
        assert_same_squelch(stream, 0.01, 10, true);
        assert_same_squelch(stream, 0.01, 0, false);
        assert_same_squelch(stream, 0.1, 0, true);
    }

    void the_fll_finds_the_carrier()
    {
        const band played(fs, 1, 1);
        receiver radio(played.samples, 1, false, true);
        CPPUNIT_ASSERT_EQUAL(0, radio.handles[0]->get_freq_error());
        radio.handles[0]->set_enabled(true);
        radio.handles[0]->tune_offset(-played.center_freqs[0] + 300);
        radio.flowgraph->start();
        radio.source->set_limit(played.samples.size());
        wait_for_items(radio.sinks[0], played.samples.size() / decimation);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(-300, radio.handles[0]->get_freq_error(), 150);
        radio.handles[0]->set_samples_per_symbol(4);
        CPPUNIT_ASSERT_EQUAL(0, make_handle(make_bank())->get_freq_error());
    }

    void the_fll_changes_while_it_works()
    {
        const std::size_t items = 2000000;
        receiver radio(tone(items, 1e-3, 1), 1, false, true);
        radio.handles[0]->set_enabled(true);
        radio.flowgraph->start();
        radio.source->set_limit(items);
        for (int i = 0; i < 20000; i++) {
            radio.handles[0]->set_samples_per_symbol(4 + i % 2);
            radio.handles[0]->get_freq_error();
        }
        wait_for_items(radio.sinks[0], items / decimation);
    }

    void a_handle_that_goes_disables_its_channel()
    {
        const auto channels = make_bank();
        auto handle = make_handle(channels);
        handle->set_enabled(true);
        CPPUNIT_ASSERT(channels->enabled(0));
        handle.reset();
        CPPUNIT_ASSERT(!channels->enabled(0));
    }

    static void refuse_handle(const std::vector<std::string>& words,
                              double input_rate,
                              int samples_per_symbol,
                              double symbol_rate,
                              double bandwidth,
                              double center_freq = 0,
                              double excess_bw = 0.2)
    {
        assert_refused(words, [&] {
            const auto channels = make_bank(input_rate > 0 ? input_rate : fs);
            bank_channelizer::make(channels,
                                   input_rate,
                                   samples_per_symbol,
                                   symbol_rate,
                                   bandwidth,
                                   center_freq,
                                   false,
                                   excess_bw);
        });
    }

    void names_bad_arguments()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        assert_refused({ "input_rate", "0", "above 0" }, [] { channel_bank::make(0); });
        assert_refused({ "input_rate", "nan" }, [&] { channel_bank::make(nan); });
        refuse_handle({ "input_rate", "48000", "96000" }, 48000, 5, 4800, 12500);
        refuse_handle({ "input_rate", "-1", "240000" }, -1, 5, 4800, 12500);
        refuse_handle({ "samples_per_symbol", "0", "1" }, fs, 0, 4800, 12500);
        refuse_handle({ "symbol_rate", "24001", "24000" }, fs, 5, 24001, 12500);
        refuse_handle({ "symbol_rate", "-4800" }, fs, 5, -4800, 12500);
        refuse_handle({ "symbol_rate", "nan" }, fs, 5, nan, 12500);
        refuse_handle({ "bandwidth", "120001", "120000" }, fs, 5, 4800, 120001);
        refuse_handle({ "bandwidth", "99", "100" }, fs, 5, 4800, 99);
        refuse_handle({ "center_freq", "nan" }, fs, 5, 4800, 12500, nan);
        refuse_handle({ "excess_bw", "1.5", "0 to 1" }, fs, 5, 4800, 12500, 0, 1.5);
        assert_refused({ "channels", "null" }, [] {
            bank_channelizer::make(nullptr, fs, 5, 4800, 12500, 0, false);
        });

        const auto channels = make_bank();
        const auto handle = make_handle(channels, true);
        assert_refused({ "f", "nan" }, [&] { handle->tune_offset(nan); });
        assert_refused({ "squelch_db", "nan" }, [&] { handle->set_squelch_db(nan); });
        assert_refused({ "samples_per_symbol", "0" },
                       [&] { handle->set_samples_per_symbol(0); });
        assert_refused({ "max_dev", "0", "60000" }, [&] { handle->set_max_dev(0); });
        assert_refused({ "max_dev", "60001" }, [&] { handle->set_max_dev(60001); });
        assert_refused({ "channel", "1", "0 to 0" },
                       [&] { channels->set_enabled(1, true); });
        assert_refused({ "channel", "-1" }, [&] { channels->enabled(-1); });
        assert_refused({ "center_freq", "nan" },
                       [&] { channels->set_center_freq(0, nan); });
        assert_refused({ "taps", "none" }, [&] { channels->set_taps(0, {}); });
        assert_refused({ "decimation", "0" }, [&] { channels->add_channel({ 1 }, 0); });
        assert_refused({ "reader", "null" }, [&] { channels->add_reader(nullptr); });
        assert_refused({ "device", "no such" }, [&] {
            const auto other = channel_bank::make(fs, "no such");
            other->add_channel({ 1 }, 10);
            other->add_reader(sink::make());
            other->connect(gr::make_top_block("refused"),
                           gr::blocks::vector_source_c::make({ 0 }));
        });
    }

    void names_bad_orders()
    {
        const auto flowgraph = gr::make_top_block("orders");
        const auto source = gr::blocks::vector_source_c::make({ 0 });
        const auto channels = make_bank();
        CPPUNIT_ASSERT_THROW(channels->add_reader(source), std::logic_error);
        const auto handle = make_handle(channels);
        CPPUNIT_ASSERT_THROW(channels->connect(flowgraph, source), std::logic_error);
        channels->add_reader(handle);
        CPPUNIT_ASSERT_THROW(channels->add_reader(handle), std::logic_error);
        channels->connect(flowgraph, source);
        CPPUNIT_ASSERT_EQUAL(1, channels->channels());
        CPPUNIT_ASSERT_THROW(channels->connect(flowgraph, source), std::logic_error);
        CPPUNIT_ASSERT_THROW(make_handle(channels), std::logic_error);

        // A source without recorders costs nothing.
        const auto none = make_bank();
        none->connect(flowgraph, source);
        CPPUNIT_ASSERT(!none->block());
        CPPUNIT_ASSERT(!none->got_samples());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_trunk_recorder);

} // namespace
