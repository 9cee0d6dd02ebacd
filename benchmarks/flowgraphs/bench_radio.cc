// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Counts what a radio loses while filters behind it start and plan.

#include "common/exit_status.h"

#include <gnuradio/blocks/null_sink.h>
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter.h>
#include <gnuradio/filter/freq_xlating_fir_filter.h>
#include <gnuradio/sync_block.h>
#include <gnuradio/top_block.h>
#include <CLI/CLI.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace cldsp::bench {

namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point then)
{
    return std::chrono::duration<double>(clock::now() - then).count();
}

struct wishes {
    double rate = 2.4e6, seconds = 8, buffer_ms = 50;
    std::size_t filters = 4, channels = 20, taps = 401, decimation = 50;
    std::vector<std::string> rows{ "in-tree", "auto", "host" };
    bool changes_taps = false;
};

/*!
 * A radio with a ring buffer: items come at a fixed rate from the first call on, and
 * those that nobody has taken when the buffer is full are lost.
 */
class radio : public gr::sync_block
{
public:
    radio(double rate, double buffer_seconds)
        : gr::sync_block("radio",
                         gr::io_signature::make(0, 0, 0),
                         gr::io_signature::make(1, 1, sizeof(gr_complex))),
          d_rate(rate),
          d_room(static_cast<std::int64_t>(rate * buffer_seconds))
    {
        // As a driver does, a call brings a few milliseconds.
        set_max_noutput_items(static_cast<int>(std::max(256.0, rate * 5e-3)));
    }

    int work(int noutput_items,
             gr_vector_const_void_star&,
             gr_vector_void_star& output_items) override
    {
        if (!d_begun) {
            d_begun = true;
            d_start = clock::now();
        }
        std::int64_t waiting = 0;
        while ((waiting = come() - d_taken) < 256)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (waiting > d_room) {
            d_overruns++;
            d_lost += static_cast<std::uint64_t>(waiting - d_room);
            d_taken += waiting - d_room;
            waiting = d_room;
        }
        const auto count =
            static_cast<int>(std::min<std::int64_t>(waiting, noutput_items));
        auto* const out = static_cast<gr_complex*>(output_items[0]);
        std::fill(out, out + count, gr_complex(0.25f, -0.5f));
        d_taken += count;
        return count;
    }

    std::uint64_t overruns() const { return d_overruns; }
    std::uint64_t lost() const { return d_lost; }

private:
    std::int64_t come() const
    {
        return static_cast<std::int64_t>(d_rate * seconds_since(d_start));
    }

    const double d_rate;
    const std::int64_t d_room;
    bool d_begun = false;
    clock::time_point d_start;
    std::int64_t d_taken = 0;
    std::atomic<std::uint64_t> d_overruns{ 0 }, d_lost{ 0 };
};

//! Takes outputs, and measures the longest time between two calls that brought some.
class gap_sink : public gr::sync_block
{
public:
    gap_sink()
        : gr::sync_block("gap_sink",
                         gr::io_signature::make(1, 1, sizeof(gr_complex)),
                         gr::io_signature::make(0, 0, 0))
    {
    }

    int work(int noutput_items, gr_vector_const_void_star&, gr_vector_void_star&) override
    {
        const auto now = clock::now();
        const double gap = std::chrono::duration<double>(now - d_last).count();
        if (d_outputs > 0 && gap > d_gap) {
            d_gap = gap;
            d_gap_end = now;
        }
        d_last = now;
        d_outputs += static_cast<std::uint64_t>(noutput_items);
        return noutput_items;
    }

    double gap() const { return d_gap; }
    //! When the longest gap was over.
    clock::time_point gap_end() const { return d_gap_end; }
    std::uint64_t outputs() const { return d_outputs; }

private:
    clock::time_point d_last;
    // They are read when the flowgraph has stopped.
    double d_gap = 0;
    clock::time_point d_gap_end;
    std::atomic<std::uint64_t> d_outputs{ 0 };
};

//! Low-pass taps.
std::vector<float> taps_of(std::size_t count, double cutoff)
{
    std::vector<float> taps(count);
    const double middle = 0.5 * static_cast<double>(count - 1);
    for (std::size_t i = 0; i < count; i++) {
        const double x = 2 * M_PI * cutoff * (static_cast<double>(i) - middle);
        const double window =
            0.54 - 0.46 * std::cos(2 * M_PI * (static_cast<double>(i) + 0.5) /
                                   static_cast<double>(count));
        taps[i] =
            static_cast<float>(2 * cutoff * window * (x == 0 ? 1 : std::sin(x) / x));
    }
    return taps;
}

//! The blocks behind the radio.
struct receivers {
    std::vector<gr::basic_block_sptr> filters;
    gr::basic_block_sptr bank;
    std::vector<std::function<std::string()>> plans;
    std::vector<std::function<void(const std::vector<float>&)>> set_taps;
};

double freq_of(const wishes& wanted, std::size_t i, std::size_t count)
{
    return wanted.rate *
           ((static_cast<double>(i) + 0.5) / static_cast<double>(count) - 0.5) * 0.9;
}

receivers in_tree(const wishes& wanted, const std::vector<float>& taps)
{
    receivers made;
    for (std::size_t i = 0; i < wanted.filters + wanted.channels; i++) {
        const bool is_alone = i < wanted.filters;
        const auto block = gr::filter::freq_xlating_fir_filter_ccf::make(
            static_cast<int>(wanted.decimation),
            taps,
            is_alone ? freq_of(wanted, i, wanted.filters)
                     : freq_of(wanted, i - wanted.filters, wanted.channels),
            wanted.rate);
        made.filters.push_back(block);
        made.set_taps.push_back([block](const auto& more) { block->set_taps(more); });
    }
    return made;
}

receivers of_this_module(const wishes& wanted,
                         const std::vector<float>& taps,
                         const std::string& device)
{
    receivers made;
    for (std::size_t i = 0; i < wanted.filters; i++) {
        const auto block = gr::cldsp::freq_xlating_fir_filter_ccf::make(
            static_cast<int>(wanted.decimation),
            taps,
            freq_of(wanted, i, wanted.filters),
            wanted.rate,
            device);
        made.filters.push_back(block);
        made.plans.push_back([block] { return block->plan(); });
        made.set_taps.push_back([block](const auto& more) { block->set_taps(more); });
    }
    std::vector<double> freqs;
    for (std::size_t i = 0; i < wanted.channels; i++)
        freqs.push_back(freq_of(wanted, i, wanted.channels));
    if (!freqs.empty()) {
        const auto block = gr::cldsp::freq_xlating_filter_bank_ccf::make(
            static_cast<int>(wanted.decimation), { taps }, freqs, wanted.rate, device);
        made.bank = block;
        made.plans.push_back([block] { return block->plan(); });
        made.set_taps.push_back([block](const auto& more) { block->set_taps({ more }); });
    }
    return made;
}

double processor_seconds()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void run(const wishes& wanted, const std::string& row)
{
    // With few taps nothing is measured, and the change to more of them is planned for.
    const auto taps = taps_of(wanted.taps, 0.4 / static_cast<double>(wanted.decimation));
    const auto first = wanted.changes_taps ? std::vector<float>{ 1 } : taps;
    const auto before = clock::now();
    const auto made =
        row == "in-tree" ? in_tree(wanted, first) : of_this_module(wanted, first, row);
    const double constructed = seconds_since(before);

    const auto top = gr::make_top_block("radio");
    const auto source =
        gnuradio::get_initial_sptr(new radio(wanted.rate, 1e-3 * wanted.buffer_ms));
    std::vector<std::shared_ptr<gap_sink>> sinks;
    const auto connect = [&](const gr::basic_block_sptr& block, std::size_t outputs) {
        top->connect(source, 0, block, 0);
        for (std::size_t i = 0; i < outputs; i++) {
            sinks.push_back(gnuradio::get_initial_sptr(new gap_sink));
            top->connect(block, static_cast<int>(i), sinks.back(), 0);
        }
    };
    for (const auto& block : made.filters)
        connect(block, 1);
    if (made.bank)
        connect(made.bank, wanted.channels);

    std::vector<std::string> plans;
    const auto now_planned = [&] {
        std::vector<std::string> all;
        for (const auto& plan : made.plans)
            all.push_back(plan());
        return all;
    };
    const double used_before = processor_seconds();
    const auto start = clock::now();
    top->start();
    if (wanted.changes_taps) {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        for (const auto& set : made.set_taps)
            set(taps);
    }
    double last_change = 0;
    plans = now_planned();
    while (seconds_since(start) < wanted.seconds) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        auto now = now_planned();
        if (now != plans) {
            plans.swap(now);
            last_change = seconds_since(start);
        }
    }
    const double used = (processor_seconds() - used_before) / seconds_since(start);
    top->stop();
    top->wait();

    std::uint64_t outputs = ~std::uint64_t(0);
    for (const auto& sink : sinks)
        outputs = std::min(outputs, sink->outputs());
    const auto& slowest =
        **std::max_element(sinks.begin(), sinks.end(), [](const auto& a, const auto& b) {
            return a->gap() < b->gap();
        });
    std::printf("%-8s constructed in %8.1f ms, last plan after %5.2f s, overruns %llu "
                "(%llu items), longest gap %6.1f ms after %5.2f s, %4.0f %% of a core, "
                "%llu outputs\n",
                row.c_str(),
                1e3 * constructed,
                last_change,
                static_cast<unsigned long long>(source->overruns()),
                static_cast<unsigned long long>(source->lost()),
                1e3 * slowest.gap(),
                std::chrono::duration<double>(slowest.gap_end() - start).count(),
                100 * used,
                static_cast<unsigned long long>(outputs));
    for (const auto& plan : plans)
        std::printf("         %s\n", plan.c_str());
    std::fflush(stdout);
}

} // namespace

} // namespace cldsp::bench

int main(int argc, char** argv)
{
    using namespace cldsp::bench;
    wishes wanted;
    CLI::App app{
        "Counts what a radio loses from the start of its flowgraph to the final "
        "plan, beside GNU Radio's own filters. A radio cannot wait: run it by "
        "taskset -c 0 to see one core."
    };
    app.add_option("--rate", wanted.rate, "items per second")->capture_default_str();
    app.add_option("--seconds", wanted.seconds, "of each row")->capture_default_str();
    app.add_option("--buffer-ms", wanted.buffer_ms, "the radio's ring buffer")
        ->capture_default_str();
    app.add_option("--filters", wanted.filters)->capture_default_str();
    app.add_option("--channels", wanted.channels, "of the bank")->capture_default_str();
    app.add_option("--taps", wanted.taps)->capture_default_str();
    app.add_option("--decimation", wanted.decimation)->capture_default_str();
    app.add_option("--rows", wanted.rows, "in-tree, or a device for this module's blocks")
        ->capture_default_str();
    app.add_flag("--change-taps",
                 wanted.changes_taps,
                 "start with one tap, and set the others after half a second");
    CLI11_PARSE(app, argc, argv);
    return exit_status([&] {
        for (const auto& row : wanted.rows)
            run(wanted, row);
        return 0;
    });
}
