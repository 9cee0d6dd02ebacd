// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Describes the machine and the settings of a run, and writes its report.

#include "filters/benchmark.h"

#include "common/exit_status.h"
#include "common/machine.h"
#include "common/output_file.h"
#include "filters/auto_judge.h"
#include "filters/fast_convolution_table.h"
#include "filters/tables.h"

#include <algorithm>
#include <iostream>

namespace cldsp::bench {

context_options make_context_options(bool verbose)
{
    context_options result;
    result.wisdom_file = false; // measurements of earlier builds are not used
    result.log = [verbose](log_level level, const std::string& text) {
        if (verbose || level == log_level::error)
            std::cerr << text << "\n";
    };
    return result;
}

namespace {

nlohmann::json describe_run(const options& opts, const nlohmann::json& versions)
{
    nlohmann::json devices = nlohmann::json::array();
    for (const auto& device : opts.choice.devices)
        devices.push_back(describe_device(device));
    nlohmann::json all_versions = versions;
    all_versions["gr-cldsp"] = CLDSP_BENCH_VERSION;
    return { { "machine", describe_machine() },
             { "versions", all_versions },
             { "devices", devices },
             { "settings",
               { { "repetitions", opts.how.repetitions },
                 { "seconds", opts.how.seconds },
                 { "sampling_freq", usual_sampling_freq },
                 { "center_freq", usual_center_freq } } } };
}

int measure_all(int argc, char** argv, const extension& more)
{
    benchmark_run run(parse_options(argc, argv, more.has_flowgraphs));
    const auto& opts = run.opts;
    if (!opts.json.empty())
        check_output_file("--json", opts.json);
    run.report = describe_run(opts, more.versions);

    std::cout << machine_text(opts.choice.devices);
    // If other programs use more than half a core, they affect the results.
    if (load_average() > 0.5)
        std::cout << "the machine is busy: expect large spreads\n";
    std::cout << "\n" << std::flush;

    if (opts.comparison)
        compare(run, more);
    if (opts.ladder)
        climb_ladder(run, more);
    if (opts.retune)
        retune_engine(run);
    if (opts.retune && more.retune_flowgraph)
        more.retune_flowgraph(run);
    if (opts.flowgraphs && more.flowgraphs)
        more.flowgraphs(run);
    if (opts.fast_convolution)
        compare_fast_convolution(run, more);
    if (opts.judge_auto)
        judge_auto(run);
    if (opts.default_buffers && more.default_buffers)
        more.default_buffers(run);

    std::cout << summary_text(run.comparisons);
    run.report["machine"]["load_at_end"] = load_average();
    run.report["all_correct"] = run.all_correct;
    if (!opts.json.empty())
        write_report(opts.json, run.report);
    if (!run.all_correct)
        std::cerr << "some results are wrong or failed, see the tables\n";
    return run.all_correct ? 0 : 1;
}

} // namespace

retune_result::retune_result(const std::string& what,
                             const measurement& plain,
                             const measurement& retuned,
                             double kib,
                             std::size_t retunes)
    : name(what),
      items_per_second(plain.items_per_second()),
      retuned_items_per_second(retuned.items_per_second()),
      growth_kib(kib),
      growth_retunes(retunes)
{
    const double scale =
        static_cast<double>(retuned.items) / static_cast<double>(plain.items);
    std::vector<double> parts;
    for (std::size_t i = 0; i < std::min(plain.seconds.size(), retuned.seconds.size());
         i++)
        parts.push_back(1 - plain.seconds[i] * scale / retuned.seconds[i]);
    lost = median(parts);
}

benchmark_run::benchmark_run(options o)
    : opts(std::move(o)), registry(make_context_options(opts.verbose))
{
}

void benchmark_run::finish(const comparison& c, const std::string& part)
{
    for (const auto& row : c.rows)
        all_correct = all_correct && row.correct();
    std::cout << comparison_text(c) << "\n" << std::flush;
    report[part].push_back(to_json(c));
    if (part != "ladder")
        comparisons.push_back(c);
}

void benchmark_run::finish(const std::vector<retune_result>& results,
                           const std::string& what)
{
    table t({ "W1, retuned 1000 times a second",
              "MS/s",
              "retuned MS/s",
              "lost",
              "KiB gained",
              "in retunes" });
    for (const auto& r : results) {
        t.add({ r.name,
                number(r.items_per_second / 1e6),
                number(r.retuned_items_per_second / 1e6),
                number(100 * r.lost) + "%",
                number(r.growth_kib),
                std::to_string(r.growth_retunes) });
        report["retune"].push_back({ { "where", what },
                                     { "name", r.name },
                                     { "msps", r.items_per_second / 1e6 },
                                     { "retuned_msps", r.retuned_items_per_second / 1e6 },
                                     { "lost", r.lost },
                                     { "growth_kib", r.growth_kib },
                                     { "growth_retunes", r.growth_retunes } });
    }
    std::cout << t.text() << "\n" << std::flush;
}

int run_benchmark(int argc, char** argv, const extension& more)
{
    return exit_status([&] {
        refuse_generic_volk();
        return measure_all(argc, argv, more);
    });
}

} // namespace cldsp::bench
