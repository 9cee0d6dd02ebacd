// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compares the block with the in-tree one on filters of published flowgraphs.

#include "common/exit_status.h"
#include "common/machine.h"
#include "common/measure.h"
#include "common/output_file.h"
#include "common/text.h"
#include "flowgraph_filters/filter_list.h"
#include "flowgraphs/flowgraph.h"
#include "flowgraphs/measured_plans.h"

#include <cldsp/pocl.h>

#include <gnuradio/constants.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <set>

namespace cldsp::bench {

namespace {

//! The options of the command line.
struct wishes {
    std::string filters = CLDSP_FLOWGRAPH_FILTERS;
    std::string only, device = "auto", json;
    std::size_t pairs = 9;
    double seconds = 0.2;
    bool quick = false, verbose = false;
};

//! One filter's pairs of runs.
struct row {
    flowgraph_filter filter;
    std::string took;         //!< the engine that our block chose
    std::vector<double> ours; //!< input items per second, by pair
    std::vector<double> in_tree;
    double error_db = 0, bound_db = 0, in_tree_error_db = 0;

    //! Our speed divided by the in-tree block's: the median of all pairs' ratios.
    double ratio() const
    {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < ours.size(); i++)
            ratios.push_back(ours[i] / in_tree[i]);
        return median(ratios);
    }
    bool correct() const { return error_db <= bound_db; } // false for NaN
};

std::vector<flowgraph_filter> wanted_filters(const wishes& wanted)
{
    std::vector<flowgraph_filter> chosen;
    std::set<std::string> types;
    for (const auto& filter : read_filter_list(wanted.filters)) {
        const std::string text = filter.type + " " + filter.source;
        if (text.find(wanted.only) == std::string::npos)
            continue;
        // A quick run measures only the first filter of each type.
        if (!wanted.quick || types.insert(filter.type).second)
            chosen.push_back(filter);
    }
    if (chosen.empty())
        throw std::runtime_error("--only is '" + wanted.only +
                                 "', which no filter's type or source contains");
    return chosen;
}

double items_per_second(flowgraph& graph)
{
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    graph.call();
    const std::chrono::duration<double> seconds = clock::now() - start;
    return static_cast<double>(graph.items()) / seconds.count();
}

std::string engine_text(const filter_blocks& blocks)
{
    const auto plan = blocks.plan();
    const std::string text = blocks.note();
    return plan.block ? text + ", " + std::to_string(plan.block) : text;
}

row measure_filter(const flowgraph_filter& filter,
                   const wishes& wanted,
                   const std::function<void()>& tell)
{
    const auto& problem = filter.problem;
    const std::size_t taps = problem.taps.size();
    const stream data(problem.input, taps, problem.decimation, noise_items(taps));
    const auto make = [&](const filter_blocks& blocks, const std::string& name) {
        return std::make_unique<flowgraph>(std::vector<filter_blocks>{ blocks },
                                           data,
                                           candidate_name{ name, "", "", "", "" },
                                           wanted.seconds);
    };
    const auto ours = make(cldsp_filter(filter.type, problem, wanted.device), "cldsp");
    const auto in_tree = make(in_tree_filter(filter.type, problem), "in-tree");

    row result{ filter, {}, {}, {}, 0, 0, 0 };
    const expected_outputs expected(
        problem, data, checked_items(taps) / problem.decimation);
    result.error_db = expected.error_db(ours->first_outputs());
    result.bound_db = ours->bound_db();
    result.in_tree_error_db = expected.error_db(in_tree->first_outputs());
    for (std::size_t pair = 0; pair < wanted.pairs; pair++) {
        tell();
        // The first block of a pair may find the machine in another state than the second
        // one, so they take turns.
        const bool ours_first = pair % 2 == 0;
        if (ours_first)
            result.ours.push_back(items_per_second(*ours));
        result.in_tree.push_back(items_per_second(*in_tree));
        if (!ours_first)
            result.ours.push_back(items_per_second(*ours));
    }
    result.took = engine_text(ours->filter());
    return result;
}

//! The smallest of sorted values that \p part of them do not exceed.
double percentile(const std::vector<double>& sorted, double part)
{
    const auto count = static_cast<double>(sorted.size());
    const auto rank = static_cast<std::size_t>(std::ceil(part * count));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

//! The ratios of a table's rows, in the order of the rows.
std::vector<double> ratios_of(const std::vector<row>& rows)
{
    std::vector<double> ratios;
    for (const auto& r : rows)
        ratios.push_back(r.ratio());
    return ratios;
}

std::string markdown(const std::vector<row>& rows)
{
    table t({ "ratio",
              "type",
              "taps",
              "decimation",
              "kS/s",
              "engine",
              "MS/s",
              "in-tree MS/s",
              "error dB",
              "in-tree error dB",
              "source" });
    for (const auto& r : rows) {
        const auto& problem = r.filter.problem;
        t.add({ number(r.ratio()),
                r.filter.type,
                std::to_string(problem.taps.size()),
                std::to_string(problem.decimation),
                number(problem.sampling_freq / 1e3),
                r.took,
                number(median(r.ours) / 1e6),
                number(median(r.in_tree) / 1e6),
                number(r.error_db) + (r.correct() ? "" : " WRONG"),
                number(r.in_tree_error_db),
                r.filter.source });
    }
    return t.markdown();
}

//! JSON has no infinity.
nlohmann::json finite(double value)
{
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

nlohmann::json to_json(const row& r)
{
    const auto& problem = r.filter.problem;
    return { { "source", r.filter.source },
             { "block", r.filter.block },
             { "uses", r.filter.uses },
             { "type", r.filter.type },
             { "taps", problem.taps.size() },
             { "decimation", problem.decimation },
             { "center_freq", problem.center_freq },
             { "sampling_freq", problem.sampling_freq },
             { "plan", r.took },
             { "ratio", r.ratio() },
             { "items_per_second", r.ours },
             { "in_tree_items_per_second", r.in_tree },
             // The error of an exact result would be minus infinity.
             { "error_db", finite(std::max(r.error_db, -400.0)) },
             { "bound_db", r.bound_db },
             { "in_tree_error_db", finite(r.in_tree_error_db) },
             { "correct", r.correct() } };
}

nlohmann::json report_of(const wishes& wanted,
                         const nlohmann::json& machine,
                         const std::vector<row>& rows)
{
    const auto ratios = ratios_of(rows);
    nlohmann::json results = nlohmann::json::array();
    for (const auto& r : rows)
        results.push_back(to_json(r));
    return { { "machine", machine },
             { "versions",
               { { "gr-cldsp", CLDSP_BENCH_VERSION }, { "gnuradio", gr::version() } } },
             { "settings",
               { { "filters", wanted.filters },
                 { "device", wanted.device },
                 { "pairs", wanted.pairs },
                 { "seconds", wanted.seconds } } },
             { "flowgraph_filters",
               { { { "worst", ratios.front() },
                   { "tenth_percentile", percentile(ratios, 0.1) },
                   { "median", median(ratios) },
                   { "results", results } } } } };
}

int run(int argc, char** argv)
{
    wishes wanted;
    CLI::App app("Compares the xlating FIR filters of published flowgraphs with GNU "
                 "Radio's own block, in flowgraphs with default buffers.");
    app.add_option("--filters", wanted.filters, "The list of filters")
        ->capture_default_str();
    app.add_option(
        "--only", wanted.only, "Filters whose type or source contains this text");
    app.add_option("--device", wanted.device, "As the blocks' device; default: auto");
    auto* pairs =
        app.add_option("--pairs", wanted.pairs, "Of runs, for each filter; default: 9")
            ->check(CLI::Range(1, 1000));
    auto* seconds =
        app.add_option("--seconds", wanted.seconds, "Of a run, at least; default: 0.2")
            ->check(CLI::Range(0.0, 60.0));
    app.add_flag("--quick",
                 wanted.quick,
                 "Two short pairs of one filter of each type: shows that everything "
                 "works");
    app.add_option("--json", wanted.json, "Write everything to this file");
    app.add_flag("--verbose", wanted.verbose, "Print what the blocks log");
    CLI11_PARSE(app, argc, argv);
    if (wanted.quick && pairs->count() == 0)
        wanted.pairs = 2;
    if (wanted.quick && seconds->count() == 0)
        wanted.seconds = 0.01;

    if (!wanted.json.empty())
        check_output_file("--json", wanted.json);
    refuse_generic_volk();
    wait_for_plans();
    calm_blocks(wanted.verbose);
    const auto filters = wanted_filters(wanted);
    const auto machine = describe_machine();
    std::cout << machine_text({});
    if (load_average() > 0.5)
        std::cout << "the machine is busy: expect large spreads\n";
    std::cout << "\n" << std::flush;

    std::vector<row> rows;
    const auto progress = terminal_progress("filters of flowgraphs");
    std::size_t done = 0;
    bool correct = true;
    for (const auto& filter : filters) {
        rows.push_back(measure_filter(filter, wanted, [&] {
            progress(done++, filters.size() * wanted.pairs, filter.source);
        }));
        correct = correct && rows.back().correct();
    }
    end_progress();
    std::sort(rows.begin(), rows.end(), [](const row& a, const row& b) {
        return a.ratio() < b.ratio();
    });

    const auto ratios = ratios_of(rows);
    std::cout << "Filters of published flowgraphs with default buffers, worst first; a "
                 "ratio is the median of "
              << wanted.pairs << " pairs\n\n"
              << markdown(rows) << "\n"
              << rows.size() << " filters: " << number(ratios.front())
              << " times the in-tree block's speed at worst, "
              << number(percentile(ratios, 0.1)) << " at the tenth percentile, "
              << number(median(ratios)) << " in the median\n"
              << std::flush;
    if (!wanted.json.empty()) {
        auto report = report_of(wanted, machine, rows);
        report["machine"]["load_at_end"] = load_average();
        report["all_correct"] = correct;
        write_report(wanted.json, report);
    }
    if (!correct)
        std::cerr << "some results are wrong, see the table\n";
    return correct ? 0 : 1;
}

} // namespace

} // namespace cldsp::bench

int main(int argc, char** argv)
{
    return cldsp::bench::exit_status([&] { return cldsp::bench::run(argc, argv); });
}
