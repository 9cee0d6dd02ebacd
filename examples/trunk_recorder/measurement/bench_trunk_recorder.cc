// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures recorders on one bank beside chains of GNU Radio's blocks.

#include "../bank_channelizer.h"
#include "../refuse.h"
#include "agreement.h"
#include "band.h"
#include "in_tree_channelizer.h"

#include <gnuradio/block.h>
#include <gnuradio/blocks/null_sink.h>
#include <gnuradio/blocks/vector_sink.h>
#include <gnuradio/filter/pfb_arb_resampler_ccf.h>
#include <gnuradio/io_signature.h>
#include <gnuradio/sync_block.h>
#include <gnuradio/top_block.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

// Measures the processor time of one source's recorders: each with a filter chain of its
// own out of GNU Radio's blocks, as trunk-recorder builds it, and all on one bank.

namespace {

using namespace trunk_recorder;
using outputs = std::vector<std::vector<gr_complex>>;

//! Plays a band over and over, as fast as it can or as a radio does.
class band_source : public gr::sync_block
{
public:
    band_source(const band& played, double seconds, bool paced)
        : gr::sync_block("band_source",
                         gr::io_signature::make(0, 0, 0),
                         gr::io_signature::make(1, 1, sizeof(gr_complex))),
          d_band(played),
          d_items(static_cast<std::uint64_t>(played.rate * seconds)),
          d_paced(paced)
    {
    }

    bool start() override
    {
        d_begin = clock::now();
        return true;
    }

    int work(int noutput_items,
             gr_vector_const_void_star&,
             gr_vector_void_star& output_items) override
    {
        if (d_done == d_items)
            return WORK_DONE;
        const std::size_t from = d_done % d_band.samples.size();
        auto count = std::min({ static_cast<std::uint64_t>(noutput_items),
                                static_cast<std::uint64_t>(d_band.samples.size() - from),
                                d_items - d_done });
        if (d_paced) {
            count = std::min<std::uint64_t>(count, items_per_transfer);
            const std::chrono::duration<double> due(static_cast<double>(d_done + count) /
                                                    d_band.rate);
            std::this_thread::sleep_until(
                d_begin + std::chrono::duration_cast<clock::duration>(due));
        }
        std::memcpy(
            output_items[0], d_band.samples.data() + from, count * sizeof(gr_complex));
        d_done += count;
        return static_cast<int>(count);
    }

private:
    using clock = std::chrono::steady_clock;
    static constexpr std::uint64_t items_per_transfer = 16384;

    const band& d_band;
    const std::uint64_t d_items;
    const bool d_paced;
    clock::time_point d_begin;
    std::uint64_t d_done = 0;
};

/*!
 * Passes the band on to the recorders that record, and nothing to the others, as
 * trunk-recorder's selector does.
 */
class recorder_switch : public gr::block
{
public:
    explicit recorder_switch(const std::vector<bool>& active)
        : gr::block("recorder_switch",
                    gr::io_signature::make(1, 1, sizeof(gr_complex)),
                    gr::io_signature::make(1, -1, sizeof(gr_complex))),
          d_active(active)
    {
    }

    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override
    {
        const int items = std::min(noutput_items, ninput_items[0]);
        for (std::size_t output = 0; output < output_items.size(); output++)
            if (d_active[output]) {
                std::memcpy(
                    output_items[output], input_items[0], items * sizeof(gr_complex));
                produce(static_cast<int>(output), items);
            }
        consume_each(items);
        return WORK_CALLED_PRODUCE;
    }

private:
    const std::vector<bool> d_active;
};

struct request {
    double seconds = 5;
    bool paced = false;
    std::string device = "auto";
    bool whole = true;
};

struct result {
    double seconds_per_second;
    outputs active;
    std::string plan;
};

double processor_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_per_second(const gr::top_block_sptr& flowgraph, const request& wanted)
{
    const double begin = processor_seconds();
    flowgraph->run();
    return (processor_seconds() - begin) / wanted.seconds;
}

//! The recorders that record: one in every few, so that they lie all over the band.
bool is_active(int recorder, int recorders, int active)
{
    return recorder * active / recorders != (recorder + 1) * active / recorders;
}

outputs take(const std::vector<gr::blocks::vector_sink_c::sptr>& sinks)
{
    outputs all;
    for (const auto& sink : sinks)
        all.push_back(sink->data());
    return all;
}

result source_alone(const band& played, const request& wanted)
{
    auto flowgraph = gr::make_top_block("source");
    flowgraph->connect(
        gnuradio::make_block_sptr<band_source>(played, wanted.seconds, wanted.paced),
        0,
        gr::blocks::null_sink::make(sizeof(gr_complex)),
        0);
    return { seconds_per_second(flowgraph, wanted), {}, "" };
}

result
in_tree(const band& played, const channel_plan& plan, int active, const request& wanted)
{
    auto flowgraph = gr::make_top_block("in_tree");
    const auto source =
        gnuradio::make_block_sptr<band_source>(played, wanted.seconds, wanted.paced);
    const int recorders = static_cast<int>(played.center_freqs.size());
    std::vector<bool> is_recording;
    for (int r = 0; r < recorders; r++)
        is_recording.push_back(is_active(r, recorders, active));
    const auto recording = gnuradio::make_block_sptr<recorder_switch>(is_recording);
    flowgraph->connect(source, 0, recording, 0);
    std::vector<gr::blocks::vector_sink_c::sptr> sinks;
    for (int r = 0; r < recorders; r++) {
        const auto channel = in_tree_channelizer::make(
            plan, played.rate, played.center_freqs[r], wanted.whole);
        const auto sink = gr::blocks::vector_sink_c::make();
        flowgraph->connect(recording, r, channel, 0);
        flowgraph->connect(channel, 0, sink, 0);
        if (is_recording[r])
            sinks.push_back(sink);
    }
    const double used = seconds_per_second(flowgraph, wanted);
    return { used, take(sinks), "" };
}

result
on_bank(const band& played, const channel_plan& plan, int active, const request& wanted)
{
    auto flowgraph = gr::make_top_block("bank");
    const auto source =
        gnuradio::make_block_sptr<band_source>(played, wanted.seconds, wanted.paced);
    const auto channels = channel_bank::make(played.rate, wanted.device);
    const int recorders = static_cast<int>(played.center_freqs.size());
    std::vector<bank_channelizer::sptr> handles;
    std::vector<gr::blocks::vector_sink_c::sptr> sinks;
    for (int r = 0; r < recorders; r++) {
        const auto sink = gr::blocks::vector_sink_c::make();
        if (wanted.whole) {
            handles.push_back(bank_channelizer::make(channels,
                                                     played.rate,
                                                     plan.samples_per_symbol(),
                                                     band::symbol_rate,
                                                     bank_channelizer::channel_bandwidth,
                                                     0,
                                                     false));
            channels->add_reader(handles.back());
            flowgraph->connect(handles.back(), 0, sink, 0);
        } else {
            channels->add_channel(plan.joint_taps(plan.second_taps()), plan.decimation());
            if (plan.resamples()) {
                const auto resampler = gr::filter::pfb_arb_resampler_ccf::make(
                    static_cast<float>(plan.channel_rate() / plan.filtered_rate()),
                    plan.resampler_taps());
                channels->add_reader(resampler);
                flowgraph->connect(resampler, 0, sink, 0);
            } else {
                channels->add_reader(sink);
            }
        }
        channels->set_center_freq(r, played.center_freqs[r]);
        channels->set_enabled(r, is_active(r, recorders, active));
        if (channels->enabled(r))
            sinks.push_back(sink);
    }
    channels->connect(flowgraph, source);
    const double used = seconds_per_second(flowgraph, wanted);
    return { used, take(sinks), channels->block()->plan() };
}

//! The number of symbols that differ from the sent ones, at the best sampling time, and
//! the number of all symbols. The symbols are sent over and over; those of the first 0.2
//! s are left out.
std::pair<std::size_t, std::size_t> symbol_errors(const std::vector<gr_complex>& channel,
                                                  const std::vector<int>& sent,
                                                  int samples_per_symbol)
{
    constexpr double max_delay = 40, step = 0.25; // in samples
    const std::size_t skipped = band::symbol_rate / 5;
    std::pair<std::size_t, std::size_t> best{ 1, 0 };
    for (double delay = 2; delay <= max_delay; delay += step) {
        const auto received = symbols_of(channel, samples_per_symbol, delay);
        if (received.size() <= skipped)
            return best;
        std::size_t errors = 0;
        for (std::size_t s = skipped; s < received.size(); s++)
            errors += received[s] != sent[s % sent.size()];
        if (best.second == 0 || errors < best.first)
            best = { errors, received.size() - skipped };
    }
    return best;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct comparison {
    std::vector<double> in_tree, bank;
    outputs in_tree_outputs, bank_outputs;
    std::string plan;
};

//! Runs both by turns, so that other work on the machine meets both.
comparison compare(const band& played,
                   const channel_plan& plan,
                   int active,
                   int rounds,
                   const request& wanted)
{
    comparison both;
    for (int round = 0; round < rounds; round++) {
        auto before = in_tree(played, plan, active, wanted);
        auto after = on_bank(played, plan, active, wanted);
        both.in_tree.push_back(before.seconds_per_second);
        both.bank.push_back(after.seconds_per_second);
        both.in_tree_outputs = std::move(before.active);
        both.bank_outputs = std::move(after.active);
        both.plan = after.plan;
    }
    return both;
}

struct quality {
    double difference_db = -1000, hz = 0;
    std::size_t in_tree_errors = 0, bank_errors = 0, symbols = 0;
    bool is_complete = true;
};

quality quality_of(const comparison& both,
                   const band& played,
                   const channel_plan& plan,
                   int active)
{
    quality worst;
    const int recorders = static_cast<int>(played.center_freqs.size());
    std::size_t output = 0;
    for (int r = 0; r < recorders; r++) {
        if (!is_active(r, recorders, active))
            continue;
        const auto& before = both.in_tree_outputs[output];
        const auto& after = both.bank_outputs[output++];
        // The ends of the streams differ by what the in-tree filters keep.
        const auto settled = static_cast<std::size_t>(plan.channel_rate() / 2);
        const auto found = agreement_of(before, after, plan.channel_rate(), settled);
        worst.difference_db = std::max(worst.difference_db, found.difference_db);
        worst.hz = std::max(worst.hz, std::abs(found.hz));
        const auto& sent = played.symbols[r];
        const auto [errors_before, symbols] =
            symbol_errors(before, sent, plan.samples_per_symbol());
        const auto [errors_after, symbols_after] =
            symbol_errors(after, sent, plan.samples_per_symbol());
        worst.in_tree_errors += errors_before;
        worst.bank_errors += errors_after;
        worst.symbols += symbols_after;
        worst.is_complete = worst.is_complete && symbols > 0 && symbols_after >= symbols;
    }
    return worst;
}

} // namespace

int main(int argc, char** argv)
try {
    double rate = 2.4e6;
    int rounds = 3;
    request wanted;
    double max_difference_db = -55;
    std::pair<int, int> only{ 1, 1 };

    CLI::App app("Processor time of trunk-recorder's channels: a filter chain for each "
                 "recorder, and one bank for all");
    app.add_option("--sample-rate", rate, "rate of the source in Hz")
        ->check(CLI::Range(960e3, 20e6));
    auto* recorders_option =
        app.add_option("--recorders", only.first, "measure this number of recorders")
            ->check(CLI::Range(1, 1000));
    app.add_option("--active", only.second, "recorders that record, of --recorders")
        ->check(CLI::Range(1, 1000))
        ->needs(recorders_option);
    app.add_option("--seconds", wanted.seconds, "seconds of signal per run")
        ->check(CLI::Range(1.0, 600.0));
    app.add_option("--rounds", rounds, "runs of each, of which the median counts")
        ->check(CLI::Range(1, 99));
    app.add_flag("--paced", wanted.paced, "play the band in real time, as a radio does");
    app.add_option("--device", wanted.device, "where the bank computes");
    app.add_option("--max-difference",
                   max_difference_db,
                   "level in dB below which the outputs have to agree")
        ->check(CLI::Range(-200.0, 0.0));
    CLI11_PARSE(app, argc, argv);
    if (only.second > only.first)
        refuse("active",
               only.second,
               "1 to " + std::to_string(only.first) + ", the recorders");

    const channel_plan plan(rate,
                            bank_channelizer::phase1_samples_per_symbol,
                            band::symbol_rate,
                            bank_channelizer::channel_bandwidth);
    std::printf(
        "%.3f MS/s to %.0f S/s a channel: decimations %d and %d, %zu and %zu taps; "
        "in one filter %zu taps, decimation %d%s\n",
        rate / 1e6,
        plan.channel_rate(),
        plan.first_decimation(),
        plan.second_decimation(),
        plan.first_taps().size(),
        plan.second_taps().size(),
        plan.joint_taps(plan.second_taps()).size(),
        plan.decimation(),
        plan.resamples() ? "; resampled" : "");
    std::printf("processor seconds per second of signal; played %s\n\n",
                wanted.paced ? "in real time" : "as fast as it goes");
    std::printf(
        "recorders  active |  filters alone           |  whole channel           | "
        "difference  symbol errors\n");
    std::printf(
        "                  |  in-tree     bank  ratio |  in-tree     bank  ratio |"
        "        dB  in-tree  bank\n");

    bool agrees = true;
    double alone = 0;
    std::string last_plan;
    std::vector<std::pair<int, int>> cases{ { 1, 1 }, { 10, 4 }, { 40, 4 }, { 40, 40 } };
    if (recorders_option->count() > 0)
        cases = { only };
    for (const auto& [recorders, active] : cases) {
        const band played(rate, recorders, 1);
        wanted.whole = false;
        const auto filters = compare(played, plan, active, rounds, wanted);
        wanted.whole = true;
        const auto channels = compare(played, plan, active, rounds, wanted);
        const auto filters_quality = quality_of(filters, played, plan, active);
        const auto found = quality_of(channels, played, plan, active);
        const double worst = std::max(found.difference_db, filters_quality.difference_db);
        std::printf("%9d %7d |  %7.4f  %7.4f  %5.1f |  %7.4f  %7.4f  %5.1f | %9.1f  %7zu "
                    "%5zu of %zu\n",
                    recorders,
                    active,
                    median(filters.in_tree),
                    median(filters.bank),
                    median(filters.in_tree) / median(filters.bank),
                    median(channels.in_tree),
                    median(channels.bank),
                    median(channels.in_tree) / median(channels.bank),
                    worst,
                    found.in_tree_errors,
                    found.bank_errors,
                    found.symbols);
        std::fflush(stdout);
        agrees = agrees && found.is_complete && worst <= max_difference_db &&
                 found.bank_errors <= found.in_tree_errors;
        alone = source_alone(played, wanted).seconds_per_second;
        last_plan = channels.plan;
    }
    std::printf("\nthe source alone: %.4f\nplan of the last bank: %s\n",
                alone,
                last_plan.c_str());
    if (!agrees)
        std::printf("the outputs do not agree\n");
    return agrees ? 0 : 1;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 2;
}
