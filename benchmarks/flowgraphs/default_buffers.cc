// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs flowgraphs and a loop of the engine in turns, with calls of the same size.

#include "flowgraphs/default_buffers.h"

#include "common/results.h"
#include "common/text.h"
#include "filters/bank_candidates.h"
#include "flowgraphs/flowgraph.h"

#include <gnuradio/block.h>
#include <gnuradio/prefs.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <stdexcept>

namespace cldsp::bench {

namespace {

// For a bank, this many in-tree blocks are measured, and their rate is scaled.
constexpr std::size_t in_tree_of_a_bank = 4;
// A bank with more channels would need more memory for buffers than many machines have.
constexpr std::size_t max_channels = 512;

enum place : std::size_t {
    in_tree_fir_row,
    in_tree_fft_row,
    automatic,
    host,
    loop,
    rows
};

//! The input items of a call of the block, in the middle of a run.
std::size_t items_per_call(const bank_workload& work, const stream& data, double seconds)
{
    // The runtime reads these preferences when a flowgraph starts.
    auto* preferences = gr::prefs::singleton();
    const bool before = preferences->get_bool("PerfCounters", "on", false);
    preferences->set_bool("PerfCounters", "on", true);
    const auto filter = cldsp_bank(work, "host");
    flowgraph counted({ filter }, data, {}, seconds);
    counted.first_outputs();
    counted.call();
    preferences->set_bool("PerfCounters", "on", before);
    const double outputs = gr::cast_to_block_sptr(filter.first)->pc_noutput_items_avg();
    if (!(outputs >= 1))
        throw std::runtime_error("GNU Radio counts no calls");
    return static_cast<std::size_t>(std::lround(outputs)) * work.filter.decimation;
}

//! A loop that calls the engine on one thread with the plan of a block.
std::unique_ptr<candidate> make_loop(const bank_workload& work,
                                     const call_memory& memory,
                                     const gr::cldsp::engine_plan& plan,
                                     context_registry& registry)
{
    engine_wish wish;
    wish.device = "host";
    wish.variant = plan.variant;
    wish.threads = 1;
    if (plan.block)
        return make_block_candidate(work,
                                    memory,
                                    wish.variant,
                                    plan.block,
                                    wish.accuracy,
                                    wish.threads,
                                    registry);
    return make_filter_candidate(work, memory, wish, registry);
}

//! In-tree blocks on one source, which stand for the channels of a bank.
std::unique_ptr<candidate> make_in_tree(const bank_workload& work,
                                        const stream& data,
                                        const std::string& name,
                                        const maker& make,
                                        double seconds)
{
    const std::size_t count = std::min(in_tree_of_a_bank, work.channels);
    auto problem = make_problem(work.filter, prototype::real);
    const auto freqs = make_bank_problem(work).center_freqs;
    std::vector<filter_blocks> filters;
    for (std::size_t i = 0; i < count; i++) {
        problem.center_freq = freqs[i];
        filters.push_back(make(problem));
    }
    return std::make_unique<flowgraph>(std::move(filters),
                                       data,
                                       candidate_name{ name, "host", "", "", "real" },
                                       seconds,
                                       static_cast<double>(count) /
                                           static_cast<double>(work.channels));
}

struct result {
    const bank_workload& work;
    std::size_t items; //!< items of a call of the loop
    //! One measurement per place; its name is empty if there is no block for the place.
    std::vector<measurement> measured;

    double rate(place p) const { return measured[p].items_per_second(); }
    //! The median ratio of the speed of \p one to that of \p other, each repetition
    //! compared with the neighbouring one.
    double ratio(place one, place other) const
    {
        const auto& a = measured[one];
        const auto& b = measured[other];
        const double scale = static_cast<double>(a.items) / static_cast<double>(b.items);
        std::vector<double> parts;
        for (std::size_t r = 0; r < std::min(a.seconds.size(), b.seconds.size()); r++)
            parts.push_back(scale * b.seconds[r] / a.seconds[r]);
        return median(parts);
    }
    double to_in_tree() const
    {
        const bool fir = rate(in_tree_fir_row) > rate(in_tree_fft_row);
        return ratio(automatic, fir ? in_tree_fir_row : in_tree_fft_row);
    }
};

nlohmann::json to_json(const result& r)
{
    const std::string names[rows] = { r.measured[in_tree_fir_row].name.implementation,
                                      "freq_xlating_fft_filter_ccc",
                                      "auto",
                                      "host",
                                      "engine loop" };
    nlohmann::json results = nlohmann::json::array();
    for (std::size_t i = 0; i < rows; i++) {
        const auto& m = r.measured[i];
        if (m.name.implementation.empty())
            continue;
        nlohmann::json row = json_of(m);
        row["what"] = names[i];
        row["plan"] = m.note;
        row["msps"] = m.items_per_second() / 1e6;
        results.push_back(row);
    }
    return { { "workload", r.work.name },
             { "channels", r.work.channels },
             { "items_per_call", r.items },
             { "auto_to_in_tree", r.to_in_tree() },
             { "host_to_loop", r.ratio(host, loop) },
             { "results", results } };
}

result measure_workload(const bank_workload& work, benchmark_run& run)
{
    const double seconds = run.opts.quick ? 0.01 : 5 * run.opts.how.seconds;
    auto how = run.opts.how;
    how.longest_call = 60;
    const stream data(work.filter, noise_items(work.filter.taps));
    const call_memory memory(work, items_per_call(work, data, seconds));
    result r{ work, memory.items(), std::vector<measurement>(rows) };
    const auto problem = make_problem(work.filter, prototype::real);

    std::vector<std::unique_ptr<candidate>> all;
    std::vector<place> places;
    const auto add = [&](place where, std::unique_ptr<candidate> made) {
        all.push_back(std::move(made));
        places.push_back(where);
    };
    add(in_tree_fir_row,
        make_in_tree(work,
                     data,
                     "freq_xlating_fir_filter_" + in_tree_type(problem),
                     in_tree_fir,
                     seconds));
    if (is_complex(problem.input))
        add(in_tree_fft_row,
            make_in_tree(work, data, "fft_filter_ccc, rotator_cc", in_tree_fft, seconds));
    for (const auto where : { automatic, host }) {
        const std::string device = where == host ? "host" : "auto";
        add(where,
            std::make_unique<flowgraph>(
                std::vector<filter_blocks>{ cldsp_bank(work, device) },
                data,
                candidate_name{ "cldsp", device, "auto", "auto", "real" },
                seconds));
    }
    const auto& on_host = static_cast<const flowgraph&>(*all.back());
    add(loop, make_loop(work, memory, on_host.filter().plan(), run.registry));

    const expected_outputs of_stream(
        problem, data, checked_items(work.filter.taps) / work.filter.decimation);
    const expected_outputs of_call(problem, memory.data(), memory.outputs());
    const auto* engine_loop = all.back().get();
    const auto measured = measure(
        all,
        how,
        [&](const candidate& c) { return &c == engine_loop ? &of_call : &of_stream; },
        terminal_progress(work.name + " default buffers"));
    end_progress();
    for (std::size_t i = 0; i < measured.size(); i++) {
        const auto& m = measured[i];
        r.measured[places[i]] = m;
        run.all_correct = run.all_correct && m.correct();
        if (!m.correct())
            std::cout << "  WRONG or failed: " << work.name << " " << m.name.text()
                      << ": " << number(m.error_db) << " dB " << m.failure << "\n";
    }
    return r;
}

} // namespace

void compare_default_buffers(benchmark_run& run)
{
    calm_blocks(run.opts.verbose);
    table t({ "workload",
              "in-tree FIR",
              "in-tree FFT",
              "auto",
              "auto / faster in-tree",
              "host",
              "engine's loop",
              "host / loop",
              "items per call",
              "auto took",
              "host took" });
    const auto rate_text = [](double rate) {
        return rate > 0 ? number(rate / 1e6) : "-";
    };
    for (const auto& work : run.opts.banks) {
        if (work.channels > max_channels) {
            std::cout << "  left out: " << work.name << ", which has more than "
                      << max_channels << " channels\n";
            continue;
        }
        try {
            const auto r = measure_workload(work, run);
            t.add({ work.name,
                    rate_text(r.rate(in_tree_fir_row)),
                    rate_text(r.rate(in_tree_fft_row)),
                    number(r.rate(automatic) / 1e6),
                    number(r.to_in_tree()),
                    number(r.rate(host) / 1e6),
                    number(r.rate(loop) / 1e6),
                    number(r.ratio(host, loop)),
                    std::to_string(r.items),
                    r.measured[automatic].note,
                    r.measured[loop].note });
            run.report["default_buffers"].push_back(to_json(r));
        } catch (const std::invalid_argument& e) {
            std::cout << "  left out: " << work.name << ": " << e.what() << "\n";
        }
    }
    std::cout << "Flowgraphs with default buffers, MS/s; in-tree banks are "
              << in_tree_of_a_bank << " blocks, scaled to the channels\n\n"
              << t.markdown() << "\n"
              << std::flush;
}

} // namespace cldsp::bench
