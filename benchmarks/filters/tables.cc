// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures sets of candidates on each workload and size of call.

#include "filters/tables.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

namespace cldsp::bench {

namespace {

constexpr std::size_t small_call = 8340;

//! Measures a set of candidates on one workload. The prototype of a candidate decides
//! which outputs are expected.
comparison measure_set(const workload& work,
                       std::size_t chunk,
                       const stream& data,
                       candidate_set& set,
                       const benchmark_run& run,
                       const std::string& baseline)
{
    comparison result;
    result.work = work;
    result.chunk = chunk;
    result.baseline = baseline;
    const std::size_t outputs = data.items() / work.decimation;
    const expected_outputs real(make_problem(work, prototype::real), data, outputs);
    const expected_outputs complex(make_problem(work, prototype::complex), data, outputs);
    result.rows = measure(
        set.candidates,
        run.opts.how,
        [&](const candidate& c) { return c.name().taps == "complex" ? &complex : &real; },
        terminal_progress(work.name + " " + items_text(chunk)));
    end_progress();
    result.left_out = std::move(set.left_out);
    return result;
}

void add_peers(const workload& work,
               const stream& data,
               const extension& more,
               benchmark_run& run,
               candidate_set& to)
{
    if (more.add_peers)
        more.add_peers(work, data, to);
    // If there is no other baseline, the engine on VOLK is the baseline; it is not
    // measured twice.
    const auto& variants = run.opts.choice.variants;
    const bool chosen =
        variants.empty() ||
        std::find(variants.begin(), variants.end(), "volk") != variants.end();
    if (more.baseline(work.input) == "volk" && !chosen)
        to.candidates.push_back(
            make_engine_candidate(work,
                                  prototype::real,
                                  data,
                                  { "cldsp", "host", "volk", "none", "real" },
                                  run.registry));
}

std::string ladder_text(const comparison& c)
{
    static const std::vector<std::string> transfers = { "copy", "mapped", "zero_copy" };
    std::vector<std::pair<std::string, std::string>> order; // device, variant
    std::map<std::pair<std::string, std::string>, std::map<std::string, double>> times;
    std::vector<std::vector<std::string>> single;
    for (const auto& m : c.rows) {
        if (m.items > c.chunk)
            continue; // calls of another size cannot be compared
        const double ms = m.median_seconds() * 1e3;
        if (m.name.transfer.empty() || m.name.transfer == "none") {
            single.push_back(
                { m.name.device,
                  m.name.variant.empty() ? m.name.implementation : m.name.variant,
                  number(ms) });
            continue;
        }
        const auto key = std::make_pair(m.name.device, m.name.variant);
        if (std::find(order.begin(), order.end(), key) == order.end())
            order.push_back(key);
        times[key][m.name.transfer] = ms;
    }
    table t({ "device", "variant", "copy", "mapped", "zero_copy" });
    for (const auto& key : order) {
        std::vector<std::string> row = { key.first, key.second };
        for (const auto& transfer : transfers) {
            const double ms = times[key][transfer];
            row.push_back(ms > 0 ? number(ms) : "-");
        }
        t.add(row);
    }
    for (const auto& row : single)
        t.add(row);
    return "ms a call of W1 at " + items_text(c.chunk) + " items, by transfer\n\n" +
           t.text();
}

} // namespace

void compare(benchmark_run& run, const extension& more)
{
    for (const auto& work : run.opts.workloads)
        for (const std::size_t chunk : run.opts.chunks) {
            const stream data(work, chunk);
            candidate_set set;
            add_peers(work, data, more, run, set);
            add_engine_candidates(work, data, run.opts.choice, run.registry, set);
            run.finish(
                measure_set(work, chunk, data, set, run, more.baseline(work.input)),
                "comparison");
        }
}

void climb_ladder(benchmark_run& run, const extension& more)
{
    const auto work = find_workload("W1");
    const stream data(work, small_call);
    candidate_set set;
    add_peers(work, data, more, run, set);
    for (const auto& name : engine_names(run.opts.choice)) {
        try {
            set.candidates.push_back(
                make_engine_candidate(work, prototype::real, data, name, run.registry));
        } catch (const std::exception& e) {
            set.left_out.push_back({ name, e.what() });
        }
    }
    const auto result =
        measure_set(work, small_call, data, set, run, more.baseline(work.input));
    for (const auto& row : result.rows)
        run.all_correct = run.all_correct && row.correct();
    run.report["ladder"].push_back(to_json(result));
    std::cout << ladder_text(result);
    for (const auto& row : result.rows)
        if (!row.correct())
            std::cout << "  WRONG or failed: " << row.name.text() << " " << row.failure
                      << "\n";
    std::cout << "\n" << std::flush;
}

void retune_engine(benchmark_run& run)
{
    const auto work = find_workload("W1");
    const stream data(work, small_call);
    const std::size_t retunes = run.opts.quick ? 200 : 10000;
    auto how = run.opts.how;
    if (!run.opts.quick)
        how.seconds = std::max(how.seconds, 0.5);

    std::vector<candidate_name> names;
    for (const auto& device : run.opts.choice.devices)
        names.push_back({ "cldsp", device.id(), "auto", "auto", "real" });
    std::vector<std::unique_ptr<candidate>> candidates;
    std::vector<candidate_name> measured;
    for (const auto& name : names) {
        try {
            auto plain =
                make_engine_candidate(work, prototype::real, data, name, run.registry);
            auto retuned = make_retuned_candidate(work, data, name, run.registry);
            candidates.push_back(std::move(plain));
            candidates.push_back(std::move(retuned));
            measured.push_back(name);
        } catch (const std::exception& e) {
            std::cout << "  left out: " << name.text() << ": " << e.what() << "\n";
        }
    }
    const auto rows = measure(
        candidates,
        how,
        [](const candidate&) { return nullptr; },
        terminal_progress("retuning"));
    std::vector<retune_result> results;
    for (std::size_t i = 0; i < measured.size(); i++) {
        const auto& plain = rows[2 * i];
        const auto& retuned = rows[2 * i + 1];
        if (!plain.failure.empty() || !retuned.failure.empty()) {
            std::cout << "  failed: " << measured[i].text() << ": " << plain.failure
                      << retuned.failure << "\n";
            run.all_correct = false;
            continue;
        }
        results.push_back(
            { measured[i].text() + ": " + plain.note,
              plain,
              retuned,
              retuning_growth(work, data, measured[i], run.registry, retunes),
              retunes });
    }
    end_progress();
    run.finish(results, "engine");
}

} // namespace cldsp::bench
