// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures banks by fast convolution beside filters of other implementations.

#include "filters/fast_convolution_table.h"

#include "common/results.h"
#include "common/text.h"
#include "filters/bank_candidates.h"
#include "filters/block_scan.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <map>

namespace cldsp::bench {

namespace {

constexpr std::array<double, 3> accuracies{ 0, 1e-5, 1e-4 };
// For a bank, this many filters of another implementation are timed one after the other,
// and their rate is scaled to the number of channels.
constexpr std::size_t peers_of_a_bank = 4;

//! One line of the table: another implementation, or the engine with one of its settings.
struct row {
    std::string what; //!< "peer", "planned", "scanned" or "all cores"
    double accuracy = 0;
    double scale = 1; //!< the fraction of the bank's channels that the row computes
};

std::string accuracy_text(double accuracy)
{
    return accuracy == 0 ? "exact" : accuracy == 1e-5 ? "1e-5" : "1e-4";
}

void add_peers(const bank_workload& work,
               const call_memory& memory,
               const extension& more,
               benchmark_run& run,
               candidate_set& set,
               std::vector<row>& rows)
{
    const std::size_t members = std::min(peers_of_a_bank, work.channels);
    std::map<std::string, std::vector<std::unique_ptr<candidate>>> peers;
    for (std::size_t i = 0; i < members; i++) {
        candidate_set one;
        if (more.add_peers)
            more.add_peers(work.filter, memory.data(), one);
        else
            one.candidates.push_back(
                make_engine_candidate(work.filter,
                                      prototype::real,
                                      memory.data(),
                                      { "cldsp", "host", "volk", "none", "real" },
                                      run.registry));
        for (auto& peer : one.candidates)
            peers[peer->name().implementation].push_back(std::move(peer));
        if (i == 0)
            set.left_out = std::move(one.left_out);
    }
    for (auto& [name, group] : peers) {
        set.candidates.push_back(make_group(std::move(group)));
        rows.push_back(
            { "peer",
              0,
              static_cast<double>(members) / static_cast<double>(work.channels) });
    }
}

void add_engine(const bank_workload& work,
                const call_memory& memory,
                benchmark_run& run,
                candidate_set& set,
                std::vector<row>& rows)
{
    const double look = run.opts.quick ? 0 : run.opts.how.seconds / 5;
    for (const double accuracy : accuracies) {
        engine_wish wish;
        wish.device = "host";
        wish.algorithm = "fast_convolution";
        wish.accuracy = accuracy;
        wish.threads = 1;
        set.candidates.push_back(make_filter_candidate(work, memory, wish, run.registry));
        rows.push_back({ "planned", accuracy, 1 });
        if (auto best =
                scan_blocks(work, memory, accuracy, look, run.opts.quick, run.registry)) {
            set.candidates.push_back(std::move(best));
            rows.push_back({ "scanned", accuracy, 1 });
        }
        if (!work.is_bank())
            continue;
        wish.threads = 0;
        set.candidates.push_back(make_filter_candidate(work, memory, wish, run.registry));
        rows.push_back({ "all cores", accuracy, 1 });
    }
}

//! The results of one workload at one size of call.
struct result {
    const bank_workload& work;
    std::size_t items;
    std::string baseline;
    std::vector<row> rows;
    std::vector<measurement> measured;

    double rate(std::size_t i) const
    {
        return measured[i].items_per_second() * rows[i].scale;
    }
    //! The rate of the row with this name and accuracy; 0 if there is none.
    double rate(const std::string& what, double accuracy) const
    {
        for (std::size_t i = 0; i < rows.size(); i++)
            if (rows[i].what == what && rows[i].accuracy == accuracy)
                return rate(i);
        return 0;
    }
    double peer_rate(const std::string& name) const
    {
        for (std::size_t i = 0; i < rows.size(); i++)
            if (rows[i].what == "peer" &&
                (measured[i].name.implementation == name || name == "volk"))
                return rate(i);
        return 0;
    }
    double ratio(double rate) const
    {
        const double base = peer_rate(baseline);
        return base > 0 ? rate / base : 0;
    }
};

nlohmann::json to_json(const result& r)
{
    nlohmann::json results = nlohmann::json::array();
    for (std::size_t i = 0; i < r.rows.size(); i++) {
        const auto& m = r.measured[i];
        nlohmann::json row = json_of(m);
        row["what"] = r.rows[i].what;
        row["implementation"] = m.name.implementation;
        row["accuracy"] = r.rows[i].accuracy;
        row["plan"] = m.note;
        row["channels_scale"] = r.rows[i].scale;
        row["msps"] = r.rate(i) / 1e6;
        row["ratio"] = r.ratio(r.rate(i));
        results.push_back(row);
    }
    return { { "workload", r.work.name },
             { "channels", r.work.channels },
             { "items", r.items },
             { "baseline", r.baseline },
             { "results", results } };
}

std::string with_ratio(double rate, double ratio)
{
    return rate > 0 ? number(rate / 1e6) + " (" + number(ratio) + ")" : "-";
}

std::string baselines(const std::vector<result>& results)
{
    std::vector<std::string> names;
    for (const auto& r : results)
        names.push_back(r.baseline);
    return distinct(names);
}

//! Prints all workloads with the accuracies side by side, for planned and scanned block
//! sizes.
std::string overview(const std::vector<result>& results)
{
    table t({ "workload",
              "call",
              baselines(results),
              "fft_filter_ccc",
              "exact",
              "1e-5",
              "1e-4",
              "exact, scan",
              "1e-5, scan",
              "1e-4, scan" });
    for (const auto& r : results) {
        const double fft = r.peer_rate("fft_filter_ccc");
        std::vector<std::string> cells = { r.work.name,
                                           items_text(r.items),
                                           number(r.peer_rate(r.baseline) / 1e6),
                                           r.baseline == "volk"
                                               ? "-"
                                               : with_ratio(fft, r.ratio(fft)) };
        for (const std::string what : { "planned", "scanned" })
            for (const double accuracy : accuracies) {
                const double rate = r.rate(what, accuracy);
                cells.push_back(with_ratio(rate, r.ratio(rate)));
            }
        t.add(cells);
    }
    return t.markdown();
}

//! Prints the plans that ran, with their errors, and the gain from more cores.
std::string details(const std::vector<result>& results)
{
    table t({ "workload",
              "call",
              "accuracy",
              "block size",
              "plan",
              "MS/s",
              "+-",
              "ns a channel and sample",
              "to one thread",
              "error dB" });
    for (const auto& r : results)
        for (std::size_t i = 0; i < r.rows.size(); i++) {
            const auto& m = r.measured[i];
            if (r.rows[i].what == "peer" || !m.failure.empty())
                continue;
            const double rate = r.rate(i);
            const bool cores = r.rows[i].what == "all cores";
            const double one = r.rate("planned", r.rows[i].accuracy);
            t.add({ r.work.name,
                    items_text(r.items),
                    accuracy_text(r.rows[i].accuracy),
                    r.rows[i].what,
                    m.note,
                    number(rate / 1e6),
                    number(50 * m.spread(), 2) + "%",
                    number(1e9 / rate / static_cast<double>(r.work.channels)),
                    cores && one > 0 ? number(rate / one) : "-",
                    number(m.error_db) + (m.correct() ? "" : " WRONG") });
        }
    return t.markdown();
}

} // namespace

void compare_fast_convolution(benchmark_run& run, const extension& more)
{
    std::vector<result> results;
    for (const auto& work : run.opts.banks)
        for (const std::size_t chunk : run.opts.chunks) {
            const call_memory memory(work, chunk);
            candidate_set set;
            result r{ work, memory.items(), more.baseline(work.filter.input), {}, {} };
            add_peers(work, memory, more, run, set, r.rows);
            add_engine(work, memory, run, set, r.rows);
            const expected_channels expected(work, memory);
            r.measured = measure_filters(
                set.candidates,
                run.opts.how,
                [&](candidate& filter) { return expected.error_db(filter); },
                terminal_progress(work.name + " " + items_text(chunk)));
            end_progress();
            for (const auto& m : r.measured) {
                run.all_correct = run.all_correct && m.correct();
                if (!m.failure.empty())
                    std::cout << "  failed: " << m.name.text() << ": " << m.failure
                              << "\n";
            }
            for (const auto& s : set.left_out)
                std::cout << "  left out: " << work.name << " " << s.name.text() << ": "
                          << s.reason << "\n";
            run.report["fast_convolution"].push_back(to_json(r));
            results.push_back(std::move(r));
        }
    std::cout << "Fast convolution on the host, one thread: MS/s (ratio to "
              << baselines(results) << "); a bank's peers are " << peers_of_a_bank
              << " filters in turn, scaled to its channels\n\n"
              << overview(results) << "\n"
              << details(results) << "\n"
              << std::flush;
}

} // namespace cldsp::bench
