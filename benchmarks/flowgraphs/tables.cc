// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures blocks side by side, and one that is retuned while it runs.

#include "flowgraphs/tables.h"

#include "flowgraphs/flowgraph.h"

#include <atomic>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <thread>

namespace cldsp::bench {

namespace {

//! The flowgraph, while another thread sets the frequency of its filter every
//! millisecond.
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

//! A flowgraph with one filter, which is one block, or two in a row.
template <class Flowgraph = flowgraph>
std::unique_ptr<Flowgraph> make_flowgraph(const workload& work,
                                          prototype kind,
                                          const stream& data,
                                          candidate_name name,
                                          const maker& make,
                                          double seconds)
{
    name.taps = kind == prototype::real ? "real" : "complex";
    return std::make_unique<Flowgraph>(
        std::vector<filter_blocks>{ make(make_problem(work, kind)) },
        data,
        std::move(name),
        seconds);
}

retune_result retune_on(const std::string& device,
                        const stream& data,
                        double seconds,
                        const measuring& how)
{
    const auto work = find_workload("W1");
    const candidate_name name{ "cldsp", device, "auto", "auto", "" };
    const auto make = cldsp_on(device);
    std::vector<std::unique_ptr<candidate>> pair;
    pair.push_back(make_flowgraph(work, prototype::real, data, name, make, seconds));
    auto tuned = make_flowgraph<retuned_flowgraph>(
        work, prototype::real, data, name, make, seconds);
    const auto& retuned = *tuned;
    pair.push_back(std::move(tuned));
    // Memory that the first runs take is not a leak.
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
        const stream data(work, noise_items(work.taps));
        comparison result;
        result.work = work;
        result.baseline = "freq_xlating_fir_filter_" +
                          in_tree_type(make_problem(work, prototype::real));
        candidate_set set;
        const auto add = [&](candidate_name name, prototype kind, const maker& make) {
            try {
                set.candidates.push_back(
                    make_flowgraph(work, kind, data, name, make, seconds));
            } catch (const std::exception& e) {
                set.left_out.push_back({ name, e.what() });
            }
        };
        add({ result.baseline, "host", "", "", "" }, prototype::real, in_tree_fir);
        add({ "fft_filter_ccc, rotator_cc", "host", "", "", "" },
            prototype::real,
            in_tree_fft);
        add({ "cldsp volk", "host", "", "", "" }, prototype::real, cldsp_volk);
        add({ "cldsp", "auto", "auto", "auto", "" }, prototype::real, cldsp_on("auto"));
        for (const auto& device : run.opts.choice.devices)
            add({ "cldsp", device.id(), "auto", "auto", "" },
                prototype::real,
                cldsp_on(device.id()));
        add({ "cldsp", "auto", "auto", "auto", "" },
            prototype::complex,
            cldsp_on("auto"));

        // A run does not produce all outputs in every block, but it always produces the
        // first ones.
        const std::size_t outputs = checked_items(work.taps) / work.decimation;
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
    const auto work = find_workload("W1");
    const stream data(work, noise_items(work.taps));
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
