/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "flowgraphs.h"

#include "flowgraph_blocks.h"
#include "noise_source.h"

#include <gnuradio/blocks/null_sink.h>
#include <gnuradio/blocks/vector_sink.h>
#include <gnuradio/logger.h>
#include <gnuradio/top_block.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <thread>

namespace cldsp::bench {

namespace {

constexpr std::size_t noise_items = 1 << 18;
constexpr std::size_t checked_items = 1 << 16;

//! What the blocks tell would come between the tables.
void calm_blocks(bool verbose)
{
    if (!verbose)
        gr::logging::singleton().set_default_level(gr::log_level::warn);
}

class flowgraph : public candidate
{
public:
    flowgraph(const workload& work,
              prototype kind,
              const stream& data,
              candidate_name name,
              const maker& make,
              double seconds)
        : d_name(std::move(name)), d_data(data), d_seconds(seconds)
    {
        d_name.taps = kind == prototype::real ? "real" : "complex";
        d_filter = make(make_problem(work, kind));
        const std::vector<std::complex<float>> noise(data.fresh(),
                                                     data.fresh() + data.items());
        d_source = noise_source::make(noise);
        d_top = gr::make_top_block("benchmark");
        connect(gr::blocks::null_sink::make(sizeof(std::complex<float>)));
    }

    candidate_name name() const override { return d_name; }
    std::size_t items() const override { return d_items; }
    double bound_db() const override { return d_filter.bound_db; }
    std::string note() const override { return d_filter.note(); }

    void call() override
    {
        d_source->set_items(d_items);
        d_top->run();
    }

    //! Also finds out how many items a run takes to last as long as wanted.
    std::vector<std::complex<float>> first_outputs() override
    {
        const auto sink = gr::blocks::vector_sink_c::make();
        d_top->disconnect_all();
        connect(sink);
        // What comes is cut off where a frequency-domain filter's block ends.
        run(d_data.items());
        auto outputs = sink->data();
        for (auto& value : outputs)
            value *= d_filter.phase;
        d_top->disconnect_all();
        connect(gr::blocks::null_sink::make(sizeof(std::complex<float>)));

        for (double seconds = 0; seconds < d_seconds;) {
            d_items *= 2;
            seconds = run(d_items);
        }
        return outputs;
    }

    const filter_blocks& filter() const { return d_filter; }

private:
    void connect(const gr::basic_block_sptr& sink)
    {
        d_top->connect(d_source, 0, d_filter.first, 0);
        if (d_filter.first != d_filter.last)
            d_top->connect(d_filter.first, 0, d_filter.last, 0);
        d_top->connect(d_filter.last, 0, sink, 0);
    }
    double run(std::size_t items)
    {
        d_source->set_items(items);
        const auto start = std::chrono::steady_clock::now();
        d_top->run();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    }

    candidate_name d_name;
    const stream& d_data;
    double d_seconds;
    std::size_t d_items = checked_items;
    filter_blocks d_filter;
    noise_source::sptr d_source;
    gr::top_block_sptr d_top;
};

//! The same while another thread sets its frequency every millisecond.
class retuned_flowgraph : public flowgraph
{
public:
    using flowgraph::flowgraph;

    void call() override
    {
        std::atomic<bool> running{ true };
        std::thread tuner([&] {
            auto due = std::chrono::steady_clock::now();
            while (running) {
                filter().set_center_freq(retuned_freq(d_retunes++));
                due += std::chrono::milliseconds(1);
                std::this_thread::sleep_until(due);
            }
        });
        flowgraph::call();
        running = false;
        tuner.join();
    }
    std::size_t retunes() const { return d_retunes; }

private:
    std::size_t d_retunes = 0;
};

retune_result retune_on(const std::string& device,
                        const stream& data,
                        double seconds,
                        const measuring& how)
{
    const auto& work = find_workload("W1");
    const candidate_name name{ "cldsp", device, "auto", "auto", "" };
    const auto make = cldsp_ccf(device);
    std::vector<std::unique_ptr<candidate>> pair;
    pair.push_back(
        std::make_unique<flowgraph>(work, prototype::real, data, name, make, seconds));
    auto tuned = std::make_unique<retuned_flowgraph>(
        work, prototype::real, data, name, make, seconds);
    const auto& retuned = *tuned;
    pair.push_back(std::move(tuned));
    // Memory that the first runs take is not lost.
    for (auto& c : pair) {
        c->first_outputs();
        c->call();
    }
    const std::size_t retunes_before = retuned.retunes();
    const double before = resident_kib();
    const auto rows = measure(
        pair,
        how,
        [](const candidate&) { return nullptr; },
        terminal_progress("retuning a flowgraph"));
    end_progress();
    for (const auto& row : rows)
        if (!row.failure.empty())
            throw std::runtime_error(row.failure);
    return { "flowgraph " + device + ": " + rows[0].note,
             rows[0],
             rows[1],
             resident_kib() - before,
             retuned.retunes() - retunes_before };
}

} // namespace

void compare_flowgraphs(benchmark_run& run)
{
    calm_blocks(run.opts.verbose);
    const double seconds = run.opts.quick ? 0.01 : 5 * run.opts.how.seconds;
    auto how = run.opts.how;
    how.seconds = 0; // a call is a whole run already
    how.longest_call = 60;
    for (const auto& work : run.opts.workloads) {
        const stream data(work, noise_items);
        comparison result;
        result.work = work;
        result.baseline = "freq_xlating_fir_filter_ccc";
        candidate_set set;
        const auto add = [&](candidate_name name, prototype kind, const maker& make) {
            try {
                set.candidates.push_back(
                    std::make_unique<flowgraph>(work, kind, data, name, make, seconds));
            } catch (const std::exception& e) {
                set.left_out.push_back({ name, e.what() });
            }
        };
        add({ result.baseline, "host", "", "", "" }, prototype::real, in_tree_fir);
        add({ "fft_filter_ccc, rotator_cc", "host", "", "", "" },
            prototype::real,
            in_tree_fft);
        add({ "cldsp volk", "host", "", "", "" }, prototype::real, cldsp_volk);
        add({ "cldsp", "auto", "auto", "auto", "" }, prototype::real, cldsp_ccf("auto"));
        for (const auto& device : run.opts.choice.devices)
            add({ "cldsp", device.id(), "auto", "auto", "" },
                prototype::real,
                cldsp_ccf(device.id()));
        add({ "cldsp", "auto", "auto", "auto", "" },
            prototype::complex,
            cldsp_ccc("auto"));

        // Not all outputs come out of every block, but the first ones do.
        const std::size_t outputs = checked_items / work.decimation;
        const expected_outputs real(make_problem(work, prototype::real), data, outputs);
        const expected_outputs complex(
            make_problem(work, prototype::complex), data, outputs);
        result.rows = measure(
            set.candidates,
            how,
            [&](const candidate& c) {
                return c.name().taps == "complex" ? &complex : &real;
            },
            terminal_progress(work.name + " flowgraph"));
        end_progress();
        result.left_out = std::move(set.left_out);
        run.finish(result, "flowgraphs");
    }
}

void retune_flowgraph(benchmark_run& run)
{
    calm_blocks(run.opts.verbose);
    const stream data(find_workload("W1"), noise_items);
    const double seconds = run.opts.quick ? 0.02 : 5 * run.opts.how.seconds;
    auto how = run.opts.how;
    how.seconds = 0;
    how.longest_call = 60;

    std::vector<retune_result> results;
    for (const auto& device : run.opts.choice.devices) {
        const std::string id = device.id();
        try {
            results.push_back(retune_on(id, data, seconds, how));
        } catch (const std::exception& e) {
            std::cout << "  left out: " << id << ": " << e.what() << "\n";
        }
    }
    run.finish(results, "flowgraph");
}

} // namespace cldsp::bench
