// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compares banks of several decimations with a bank of one.

// Compares banks whose channels have different decimations with the bank W5, whose
// channels have one.

#include "common/exit_status.h"
#include "common/measure.h"
#include "filters/bank_calls.h"
#include "filters/bank_workloads.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace cldsp::bench {

namespace {

//! The settings from the command line.
struct wishes {
    std::string device = "host";
    std::string variant = "auto";
    std::vector<std::string> lists{
        "28,42,56,84", "42,84,126,168", "21,42,63,84", "40,42,48,60"
    };
    std::string taps = "own";
    std::size_t channels = 64;
    std::size_t items = std::size_t(1) << 20;
    unsigned threads = 0;
    double accuracy = 1e-5;
    measuring how{ 15, 0.1, 10 };
};

std::vector<std::size_t> numbers_of(const std::string& list)
{
    std::vector<std::size_t> numbers;
    std::istringstream in(list);
    for (std::string number; std::getline(in, number, ',');)
        numbers.push_back(std::stoul(number));
    return numbers;
}

//! W5's bank. Neighbouring channels have different decimations; a filter of its own has a
//! passband and a transition as wide as its decimation asks for.
freq_xlating_filter_bank_problem problem_of(const wishes& wanted,
                                            const std::vector<std::size_t>& decimations)
{
    bank_workload work = find_bank_workload("W5");
    work.channels = wanted.channels;
    auto problem = make_bank_problem(work);
    if (decimations.empty())
        return problem;
    const auto& usual = work.filter;
    std::vector<shared_taps> taps;
    for (const std::size_t decimation : decimations) {
        const double ratio =
            static_cast<double>(decimation) / static_cast<double>(usual.decimation);
        const auto half = std::llround(static_cast<double>(usual.taps - 1) / 2 *
                                       ratio); // an odd number
        const auto prototype = low_pass(usual.sampling_freq,
                                        usual.cutoff / ratio,
                                        2 * static_cast<std::size_t>(half) + 1);
        taps.emplace_back(shared_taps::values(prototype.begin(), prototype.end()));
    }
    const shared_taps same = problem.taps.front();
    problem.taps.clear();
    problem.decimation = 1;
    for (std::size_t c = 0; c < wanted.channels; c++) {
        const std::size_t i = c % decimations.size();
        problem.rates.push_back({ 1, decimations[i] });
        problem.taps.push_back(wanted.taps == "own" ? taps[i] : same);
    }
    return problem;
}

freq_xlating_filter_bank_options options_of(const wishes& wanted, bool several)
{
    freq_xlating_filter_bank_options options;
    options.device = wanted.device;
    if (several)
        options.variant = wanted.variant;
    options.accuracy = wanted.accuracy;
    options.threads = wanted.threads;
    return options;
}

double rate(const measurement& m) { return m.items_per_second() / 1e6; }

int run(int argc, char** argv)
{
    wishes wanted;
    CLI::App app("Compares banks of channels with different decimations with a bank of "
                 "one decimation, in turns: the ratio of their times, and millions of "
                 "input samples a second, measured and predicted.");
    app.add_option(
        "--device", wanted.device, "As find_devices() takes it; default: host");
    app.add_option("--variant", wanted.variant, "Of the banks of different decimations");
    app.add_option("--rates", wanted.lists, "Lists of decimations: 28,42,56,84 21,42");
    app.add_option("--taps", wanted.taps, "A filter for each decimation, or W5's for all")
        ->check(CLI::IsMember({ "own", "same" }));
    app.add_option("--channels", wanted.channels);
    app.add_option("--items", wanted.items, "Input samples of a call; default: 2^20");
    app.add_option("--threads", wanted.threads, "Default: all cores");
    app.add_option("--accuracy", wanted.accuracy, "Default: 1e-5");
    app.add_option("--repetitions", wanted.how.repetitions)->check(CLI::Range(1, 1000));
    app.add_option("--seconds", wanted.how.seconds, "Of calls in a repetition");
    CLI11_PARSE(app, argc, argv);

    context_registry registry;
    bool failed = false;
    std::printf("%-20s %6s %9s %7s %9s %8s %9s %7s  %s\n",
                "decimations",
                "ratio",
                "processor",
                "MS/s",
                "predicted",
                "one MS/s",
                "predicted",
                "dB",
                "plan");
    for (const auto& list : wanted.lists) {
        const auto decimations = numbers_of(list);
        bank_calls one("one",
                       problem_of(wanted, {}),
                       options_of(wanted, false),
                       wanted.items,
                       registry);
        bank_calls several("several",
                           problem_of(wanted, decimations),
                           options_of(wanted, true),
                           wanted.items,
                           registry);
        const auto results = measure(
            { &one, &several },
            wanted.how,
            [&](timed_work& work) {
                return static_cast<bank_calls&>(work).error_db(
                    &work == &one ? 1 : decimations.size());
            },
            [](std::size_t, std::size_t, const std::string&) {});
        for (const auto& result : results)
            if (!result.correct()) {
                std::printf("%s: %s (%.0f dB)\n",
                            result.name.text().c_str(),
                            result.failure.c_str(),
                            result.error_db);
                failed = true;
            }
        std::vector<double> ratios, processor;
        for (std::size_t i = 0; i < results[0].seconds.size(); i++) {
            ratios.push_back(results[1].seconds[i] / results[0].seconds[i]);
            processor.push_back(ratios.back() * results[1].cores[i] /
                                results[0].cores[i]);
        }
        std::printf("%-20s %6.2f %9.2f %7.0f %9.0f %8.0f %9.0f %7.1f  %s\n",
                    list.c_str(),
                    median(ratios),
                    median(processor),
                    rate(results[1]),
                    results[1].plan->predicted / 1e6,
                    rate(results[0]),
                    results[0].plan->predicted / 1e6,
                    std::max(results[0].error_db, results[1].error_db),
                    results[1].plan->engine().c_str());
        std::fflush(stdout);
    }
    return failed;
}

} // namespace

} // namespace cldsp::bench

int main(int argc, char** argv)
{
    return cldsp::bench::exit_status([&] { return cldsp::bench::run(argc, argv); });
}
