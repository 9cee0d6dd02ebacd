/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "common/exit_status.h"
#include "common/machine.h"
#include "common/measure.h"
#include "matrices/fp32_peak.h"
#include "matrices/gemm_candidates.h"

#include <cldsp/errors.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <numeric>

namespace cldsp::bench {

namespace {

//! The settings from the command line.
struct wishes {
    std::string device = "auto";
    std::vector<std::string> workloads{ "G1", "R", "G2" };
    std::vector<std::string> variants;
    std::string sizes, type = "f32", json;
    bool quick = false;

    std::size_t warm_up() const { return quick ? 1 : 10; }
    std::size_t calls() const { return quick ? 2 : 20; }
    bool wants(const std::string& name) const
    {
        return variants.empty() ||
               std::any_of(variants.begin(), variants.end(), [&](const std::string& v) {
                   return name.rfind(v, 0) == 0;
               });
    }
};

//! The results of one candidate.
struct row {
    std::string name, ladder, note, refusal;
    std::vector<double> whole, multiply; //!< seconds of each call
    double peak = 0;                     //!< operations per second, measured between the
                                         //!< calls
    double error = 0, bound = 0;

    bool ran() const { return refusal.empty(); }
    bool correct() const { return error <= bound; } // false for NaN
};

double mean(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) /
           static_cast<double>(values.size());
}
double least(const std::vector<double>& values)
{
    return *std::min_element(values.begin(), values.end());
}

row measure_entry(const gemm_entry& entry,
                  const gemm_data& data,
                  const wishes& wanted,
                  fp32_peak* peak)
{
    row r;
    r.name = entry.name;
    r.ladder = entry.ladder;
    r.bound = data.bound(entry.precision);
    try {
        const auto candidate = entry.make(data);
        std::vector<double> peaks;
        const auto measure_peak = [&] {
            if (peak)
                peaks.push_back(peak->measure());
        };
        for (std::size_t i = 0; i < wanted.warm_up(); i++)
            candidate->call();
        // The peak is measured between the calls, so that other load on the machine
        // affects both.
        for (std::size_t i = 0; i < wanted.calls(); i++) {
            if (i % 5 == 0)
                measure_peak();
            const auto time = candidate->call();
            r.whole.push_back(time.whole);
            r.multiply.push_back(time.multiply);
        }
        measure_peak();
        r.peak = peaks.empty() ? 0 : mean(peaks);
        r.error = data.error(candidate->result());
        r.note = candidate->note();
    } catch (const std::exception& e) {
        r.refusal = e.what();
    }
    return r;
}

void print_head(const gemm_data& data)
{
    const auto& w = data.work();
    std::printf("\n%s: %s, %s, m %zu, n %zu, k %zu\n",
                w.name.c_str(),
                w.description.c_str(),
                type_name(w.type).c_str(),
                w.shape.m,
                w.shape.n,
                w.shape.k);
    std::printf("%-10s %-16s %10s %10s %10s %10s %7s %9s\n",
                "ladder",
                "variant",
                "mean ms",
                "GFLOP/s",
                "best",
                "kernel",
                "of peak",
                "error");
}

void print_row(const row& r, double operations)
{
    if (!r.ran()) {
        std::printf(
            "%-10s %-16s - %s\n", r.ladder.c_str(), r.name.c_str(), r.refusal.c_str());
        return;
    }
    const double rate = operations / mean(r.whole);
    std::printf("%-10s %-16s %10.3f %10.1f %10.1f %10.1f ",
                r.ladder.c_str(),
                r.name.c_str(),
                1e3 * mean(r.whole),
                1e-9 * rate,
                1e-9 * operations / least(r.whole),
                1e-9 * operations / mean(r.multiply));
    if (r.peak > 0)
        std::printf("%6.1f%% ", 100 * rate / r.peak);
    else
        std::printf("%7s ", "-");
    std::printf("%9.1e%s%s%s\n",
                r.error,
                r.correct() ? "" : " WRONG",
                r.note.empty() ? "" : "  ",
                r.note.c_str());
    std::fflush(stdout);
}

nlohmann::json to_json(const row& r, double operations)
{
    if (!r.ran())
        return { { "variant", r.name }, { "ladder", r.ladder }, { "reason", r.refusal } };
    return { { "variant", r.name },
             { "ladder", r.ladder },
             { "note", r.note },
             { "mean_seconds", mean(r.whole) },
             { "median_seconds", median(r.whole) },
             { "best_seconds", least(r.whole) },
             { "kernel_mean_seconds", mean(r.multiply) },
             { "gflops", 1e-9 * operations / mean(r.whole) },
             { "peak_gflops", 1e-9 * r.peak },
             { "of_peak", r.peak > 0 ? operations / mean(r.whole) / r.peak : 0 },
             { "error", r.error },
             { "bound", r.bound },
             { "correct", r.correct() } };
}

//! Measures all candidates of one workload on one device.
//! \return whether all results were right
bool measure_workload(const gemm_workload& work,
                      const std::vector<gemm_entry>& entries,
                      const wishes& wanted,
                      fp32_peak* peak,
                      nlohmann::json& table)
{
    const gemm_data data(work);
    const double operations = work.shape.operations(work.type);
    table = { { "workload", work.name },
              { "type", type_name(work.type) },
              { "m", work.shape.m },
              { "n", work.shape.n },
              { "k", work.shape.k },
              { "results", nlohmann::json::array() },
              { "refused", nlohmann::json::array() } };
    print_head(data);
    bool correct = true;
    for (const auto& entry : entries) {
        if (!wanted.wants(entry.name))
            continue;
        const auto r = measure_entry(entry, data, wanted, peak);
        print_row(r, operations);
        table[r.ran() ? "results" : "refused"].push_back(to_json(r, operations));
        correct = correct && (!r.ran() || r.correct());
    }
    return correct;
}

std::vector<gemm_workload> wanted_workloads(const wishes& wanted)
{
    std::vector<gemm_workload> result;
    if (!wanted.sizes.empty())
        return { other_gemm_workload(wanted.sizes, wanted.type) };
    for (const auto& name : wanted.workloads)
        result.push_back(find_gemm_workload(name));
    return result;
}

bool measure_devices(const wishes& wanted, nlohmann::json& tables)
{
    const auto workloads = wanted_workloads(wanted);
    context_registry registry;
    const auto found = find_devices(wanted.device);
    bool correct = true;
    const auto measure_all =
        [&](std::vector<gemm_entry> entries, fp32_peak* peak, const device_info& device) {
            // Each table also has the host's candidates, measured in the same run.
            for (auto& entry : host_gemm_entries())
                entries.push_back(entry);
            std::printf("\n%s\n", device.describe().c_str());
            if (peak)
                std::printf("Measured peak: %.1f GFLOP/s\n", 1e-9 * peak->measure());
            for (const auto& work : workloads) {
                nlohmann::json table;
                correct = measure_workload(work, entries, wanted, peak, table) && correct;
                table["device"] = describe_device(device);
                tables.push_back(table);
            }
        };
    bool any = false;
    for (const auto& device : found) {
        if (device.is_host())
            continue;
        any = true;
        const auto opened = registry.get(device);
        fp32_peak peak(opened);
        measure_all(device_gemm_entries(opened), &peak, device);
    }
    if (!any)
        measure_all({}, nullptr, found.front());
    return correct;
}

int run(int argc, char** argv)
{
    wishes wanted;
    CLI::App app("Measures every variant of the matrix product C = A B on OpenCL devices "
                 "by profiling events, beside the host's own and OpenBLAS by the clock. "
                 "\"kernel\" leaves out packing and transposing.");
    app.add_option("--device", wanted.device, "As find_devices() takes it");
    app.add_option("--workloads", wanted.workloads, "G1, R, G2, G1_4096, H, C, B")
        ->delimiter(',');
    app.add_option("--sizes", wanted.sizes, "m,n,k instead of a workload");
    app.add_option("--type", wanted.type, "With --sizes: f32, c32, f16 or s8");
    app.add_option("--variants", wanted.variants, "Those whose names start so")
        ->delimiter(',');
    app.add_option("--json", wanted.json, "Writes a report to this file");
    app.add_flag("--quick", wanted.quick, "One call to warm up, and two that count");
    CLI11_PARSE(app, argc, argv);

    std::printf("%s\n", machine_text(list_devices()).c_str());
    std::printf("The mean of %zu calls after %zu to warm up; errors of up to %zu rows by "
                "as many columns, chosen at random.\n",
                wanted.calls(),
                wanted.warm_up(),
                gemm_data::checked_rows);
    nlohmann::json report = { { "machine", describe_machine() },
                              { "quick", wanted.quick },
                              { "gemm", nlohmann::json::array() } };
    const bool correct = measure_devices(wanted, report["gemm"]);
    if (!wanted.json.empty()) {
        std::ofstream file(wanted.json);
        file << report.dump(2) << "\n";
        if (!file)
            throw_invalid("json", "'" + wanted.json + "'", "a file that can be written");
    }
    return correct ? 0 : 1;
}

} // namespace

} // namespace cldsp::bench

int main(int argc, char** argv)
{
    return cldsp::bench::exit_status([&] { return cldsp::bench::run(argc, argv); });
}
