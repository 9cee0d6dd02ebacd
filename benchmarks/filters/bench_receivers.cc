// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures filters and banks as receivers use them.

// Measures filters and banks as receivers use them: real samples beside complex ones,
// a bank most of whose channels are idle, and many narrow channels of a very wide band
// beside its sampling rate.

#include "common/exit_status.h"
#include "common/measure.h"
#include "filters/bank_calls.h"
#include "filters/bank_workloads.h"

#include <CLI/CLI.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace cldsp::bench {

namespace {

//! The settings from the command line.
struct wishes {
    std::string device = "host";
    std::vector<std::string> only;
    double accuracy = 1e-5;
    measuring how{ 9, 0.2, 10 };
};

//! A row of the table: a bank, and perhaps another one that is measured in turns with it.
struct comparison {
    std::string name;
    std::string meaning;
    std::string workload;
    unsigned threads;
    std::size_t items;
    sample_type input;
    std::size_t active = 0; //!< the channels that are not idle; 0: all of them
    //! The baseline of the times: the same bank on complex samples, a bank without the
    //! idle channels, or only the sampling rate.
    enum class baseline { complex_samples, active_channels, sampling_rate } compared_with;
};

std::vector<comparison> all_comparisons()
{
    using baseline = comparison::baseline;
    constexpr auto complex = baseline::complex_samples;
    constexpr std::size_t million = std::size_t(1) << 20;
    const auto of = [](const char* name) {
        return find_bank_workload(name).filter.input;
    };
    return {
        { "W1_real",
          "W1, real / complex",
          "W1",
          1,
          million,
          sample_type::f32,
          0,
          complex },
        { "W5_real",
          "W5, real / complex",
          "W5",
          2,
          million,
          sample_type::f32,
          0,
          complex },
        { "W5_idle",
          "W5, 60 of 64 idle / 4 channels",
          "W5",
          2,
          million,
          of("W5"),
          4,
          baseline::active_channels },
        { "W7_10",
          "10 channels, 1 thread",
          "W7_10",
          1,
          5'184'000,
          of("W7_10"),
          0,
          baseline::sampling_rate },
        { "W7_100",
          "100 channels, 2 threads",
          "W7_100",
          2,
          5'184'000,
          of("W7_100"),
          0,
          baseline::sampling_rate },
        { "W8",
          "100 channels, 1 thread",
          "W8",
          1,
          4'194'304,
          of("W8"),
          0,
          baseline::sampling_rate },
    };
}

//! Makes the bank of a workload with this input and as many channels; 0: all of them.
std::unique_ptr<bank_calls> make_calls(const std::string& name,
                                       const comparison& row,
                                       sample_type input,
                                       std::size_t channels,
                                       const wishes& wanted,
                                       context_registry& registry)
{
    bank_workload work = find_bank_workload(row.workload);
    work.filter.input = input;
    auto problem = make_bank_problem(work);
    if (channels)
        problem.center_freqs.resize(channels);
    freq_xlating_filter_bank_options options;
    options.device = wanted.device;
    options.accuracy = wanted.accuracy;
    options.threads = row.threads;
    return std::make_unique<bank_calls>(name, problem, options, row.items, registry);
}

//! The largest memory that this process has used so far, in MB.
double peak_memory()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1000;
}

//! Returns whether the outputs are right.
bool print_row(const comparison& row, const wishes& wanted, context_registry& registry)
{
    const auto bank = make_calls("bank", row, row.input, 0, wanted, registry);
    if (row.active)
        bank->keep_active(row.active);
    std::vector<timed_work*> works{ bank.get() };
    std::unique_ptr<bank_calls> other;
    if (row.compared_with != comparison::baseline::sampling_rate) {
        const bool same_input =
            row.compared_with == comparison::baseline::active_channels;
        other = make_calls("other",
                           row,
                           same_input ? row.input : sample_type::fc32,
                           row.active,
                           wanted,
                           registry);
        works.push_back(other.get());
    }
    const auto results = measure(
        works,
        wanted.how,
        [](timed_work& work) { return static_cast<bank_calls&>(work).error_db(1); },
        [](std::size_t, std::size_t, const std::string&) {});
    bool right = true;
    for (const auto& result : results)
        if (!result.correct()) {
            std::printf("%s: %s (%.0f dB)\n",
                        row.name.c_str(),
                        result.failure.c_str(),
                        result.error_db);
            right = false;
        }
    if (!right)
        return false;
    std::vector<double> ratios;
    const double wanted_rate = find_bank_workload(row.workload).filter.sampling_freq;
    const std::size_t repetitions =
        std::min(results.front().seconds.size(), results.back().seconds.size());
    for (std::size_t i = 0; i < repetitions; i++) {
        const double seconds = results[0].seconds[i];
        ratios.push_back(other ? seconds / results[1].seconds[i]
                               : static_cast<double>(row.items) / seconds / wanted_rate);
    }
    const auto rate = [](const measurement& m) { return m.items_per_second() / 1e6; };
    std::printf("%-8s %-31s %-12s %7.2f %8.0f %8.0f %9.1f %7.0f %8.1f  %s\n",
                row.name.c_str(),
                row.meaning.c_str(),
                other ? "time" : "x real time",
                median(ratios),
                rate(results[0]),
                other ? rate(results[1]) : wanted_rate / 1e6,
                bank->seconds_to_make(),
                peak_memory(),
                results[0].error_db,
                results[0].plan->engine().c_str());
    std::fflush(stdout);
    return true;
}

int run(int argc, char** argv)
{
    wishes wanted;
    std::vector<std::string> names;
    for (const auto& row : all_comparisons())
        names.push_back(row.name);
    CLI::App app(
        "Measures filters and banks as receivers use them, in library calls. The "
        "ratio is the median of the times of a bank and of the one it is "
        "compared with, measured in turns, or how many times faster than the "
        "radio the bank is.");
    app.add_option("--only", wanted.only, "Rows of the table; default: all")
        ->check(CLI::IsMember(names));
    app.add_option(
        "--device", wanted.device, "As find_devices() takes it; default: host");
    app.add_option("--accuracy", wanted.accuracy, "Default: 1e-5");
    app.add_option("--repetitions", wanted.how.repetitions)->check(CLI::Range(1, 1000));
    app.add_option("--seconds", wanted.how.seconds, "Of calls in a repetition");
    CLI11_PARSE(app, argc, argv);

    context_registry registry;
    std::printf("%-8s %-31s %-12s %7s %8s %8s %9s %7s %8s  %s\n",
                "row",
                "bank",
                "ratio of",
                "ratio",
                "MS/s",
                "other",
                "made in s",
                "peak MB",
                "dB",
                "plan");
    bool right = true;
    for (const auto& row : all_comparisons())
        if (wanted.only.empty() ||
            std::count(wanted.only.begin(), wanted.only.end(), row.name))
            right = print_row(row, wanted, registry) && right;
    return !right;
}

} // namespace

} // namespace cldsp::bench

int main(int argc, char** argv)
{
    return cldsp::bench::exit_status([&] { return cldsp::bench::run(argc, argv); });
}
