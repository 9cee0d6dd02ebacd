// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compares banks of random rates with single banks of the same rates.

// Compares banks whose channels have random rates with single banks of the same rates,
// and measures the seconds and the memory that making such a bank takes.

#include "common/exit_status.h"
#include "common/measure.h"
#include "filters/bank_calls.h"
#include "filters/workloads.h"

#include <CLI/CLI.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace cldsp::bench {

namespace {

//! The settings from the command line.
struct wishes {
    std::string device = "host";
    std::string algorithm = "auto";
    std::string variant = "auto";
    std::vector<std::string> lists; //!< empty: random banks
    std::size_t banks = 200;
    unsigned seed = 37;
    std::size_t max_decimation = 10000;
    std::size_t taps = 0; //!< of each filter; 0: as many as its rate asks for
    std::size_t items = 8192;
    unsigned threads = 0;
    unsigned limit = 180; //!< seconds of one bank
    double accuracy = 1e-5;
    bool checks = true;
    measuring how{ 7, 0.02, 2 };
};

using rates = std::vector<rate_ratio>;

//! "147/8000,1/50" as rates.
rates rates_of(const std::string& list)
{
    rates all;
    std::istringstream in(list);
    for (std::string rate; std::getline(in, rate, ',');) {
        const auto slash = rate.find('/');
        if (slash == rate.npos)
            throw std::invalid_argument("a rate is P/Q, not '" + rate + "'");
        all.push_back(rate_ratio::of(std::stoul(rate.substr(0, slash)),
                                     std::stoul(rate.substr(slash + 1))));
    }
    return all;
}

std::string text_of(const rates& all)
{
    std::string text;
    for (const auto& rate : all)
        text += (text.empty() ? "" : ",") + std::to_string(rate.interpolation) + "/" +
                std::to_string(rate.decimation);
    return text;
}

//! Banks of 2 to 6 random rates P/Q. In every other bank P is as likely below 10 as above
//! 1000, as P is where people choose the rates.
std::vector<rates> random_banks(const wishes& wanted)
{
    // The numbers of this generator are the same everywhere, unlike those of the standard
    // library's distributions.
    std::mt19937 random(wanted.seed);
    const auto up_to = [&](std::size_t most) { return 1 + random() % most; };
    std::vector<rates> banks;
    for (std::size_t b = 0; b < wanted.banks; b++) {
        rates bank(1 + up_to(5));
        for (auto& rate : bank) {
            const std::size_t decimation = 1 + up_to(wanted.max_decimation - 1);
            const std::size_t most = std::clamp<std::size_t>(
                decimation * 9 / 10, 1, rate_ratio::max_interpolation);
            const double part = static_cast<double>(up_to(1 << 20)) / (1 << 20);
            const std::size_t interpolation =
                b % 2
                    ? static_cast<std::size_t>(std::pow(static_cast<double>(most), part))
                    : up_to(most);
            rate = rate_ratio::of(std::clamp<std::size_t>(interpolation, 1, most),
                                  decimation);
        }
        banks.push_back(std::move(bank));
    }
    return banks;
}

//! A channel for each rate, with a filter that suits it.
freq_xlating_filter_bank_problem problem_of(const rates& all, std::size_t taps)
{
    constexpr double sampling_freq = 2.4e6;
    // A transition of a fifth of the output's rate takes 17 taps for each item of an
    // output.
    constexpr double taps_of_an_item = 17;
    constexpr std::size_t max_taps = 20001;
    freq_xlating_filter_bank_problem problem;
    problem.sampling_freq = sampling_freq;
    problem.rates = all;
    for (std::size_t c = 0; c < all.size(); c++) {
        const double rate = all[c].rate(sampling_freq);
        const std::size_t needed =
            static_cast<std::size_t>(taps_of_an_item * sampling_freq / rate) | 1;
        const auto filter =
            low_pass(sampling_freq, 0.4 * rate, taps ? taps : std::min(needed, max_taps));
        problem.taps.emplace_back(shared_taps::values(filter.begin(), filter.end()));
        problem.center_freqs.push_back(sampling_freq *
                                       (0.317 * static_cast<double>(c + 1) -
                                        std::round(0.317 * static_cast<double>(c + 1))));
    }
    return problem;
}

//! The largest memory that this process has used so far, in MB.
double peak_memory()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1000;
}

//! What is measured of a bank. It passes from one process to another as bytes.
struct result {
    bool is_known = false; //!< false: the process of the bank ended before
    double seconds_to_make = 0, peak_mb = 0;
    double speed = 0, single_speed = 0; //!< items per second
    double predicted = 0, measured = 0; //!< by the plan
    double error_db = -1000, bound_db = 0;
    char plan[200] = {};

    double ratio() const { return single_speed > 0 ? speed / single_speed : 0; }
};

result measure_bank(const rates& all, const wishes& wanted)
{
    context_registry registry;
    freq_xlating_filter_bank_options options;
    options.device = wanted.device;
    options.algorithm = wanted.algorithm;
    options.variant = wanted.variant;
    options.accuracy = wanted.accuracy;
    options.threads = wanted.threads;
    bank_calls bank(
        "bank", problem_of(all, wanted.taps), options, wanted.items, registry);
    bank.call();
    result its;
    its.seconds_to_make = bank.seconds_to_make();
    its.peak_mb = peak_memory();

    std::vector<std::unique_ptr<bank_calls>> singles;
    std::vector<timed_work*> works{ &bank };
    if (all.size() > 1) {
        // The channels as they are in the bank, one by one.
        const auto problem = problem_of(all, wanted.taps);
        for (std::size_t c = 0; c < all.size(); c++) {
            auto one = problem;
            one.rates = { all[c] };
            one.taps = { problem.taps[c] };
            one.center_freqs = { problem.center_freqs[c] };
            singles.push_back(std::make_unique<bank_calls>(
                "single", one, options, wanted.items, registry));
            works.push_back(singles.back().get());
        }
    }
    const auto results = measure(
        works,
        wanted.how,
        [&](timed_work& work) {
            if (&work == &bank && wanted.checks)
                return bank.error_db(all.size());
            work.call();
            return -1000.0;
        },
        [](std::size_t, std::size_t, const std::string&) {});
    double seconds = 0;
    for (std::size_t i = 1; i < results.size(); i++)
        seconds += results[i].median_seconds();
    its.speed = results[0].items_per_second();
    its.single_speed = seconds > 0 ? static_cast<double>(wanted.items) / seconds : 0;
    its.predicted = results[0].plan->predicted;
    its.measured = results[0].plan->measured;
    its.error_db = results[0].error_db;
    its.bound_db = results[0].bound_db;
    std::snprintf(its.plan, sizeof its.plan, "%s", results[0].plan->engine().c_str());
    its.is_known = true;
    return its;
}

//! Measures a bank in a process of its own, whose memory is that of the bank.
result measure_apart(const rates& all, const wishes& wanted)
{
    int ends[2];
    if (pipe(ends) != 0)
        throw std::runtime_error("no pipe");
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0)
        throw std::runtime_error("no further process");
    if (child == 0) {
        close(ends[0]);
        alarm(wanted.limit);
        const int status = exit_status([&] {
            const result its = measure_bank(all, wanted);
            return write(ends[1], &its, sizeof its) == sizeof its ? 0 : 2;
        });
        std::fflush(nullptr);
        _exit(status);
    }
    close(ends[1]);
    result its;
    if (read(ends[0], &its, sizeof its) != sizeof its)
        its = {};
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return its;
}

double quantile(std::vector<double> values, double part)
{
    std::sort(values.begin(), values.end());
    return values.at(
        static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5));
}

void print_row(const rates& all, const result& its)
{
    if (!its.is_known) {
        std::printf("%7s %6s %6s %8s %8s %9s %7s  %s\n",
                    "-",
                    "-",
                    "-",
                    "-",
                    "-",
                    "-",
                    "-",
                    text_of(all).c_str());
        return;
    }
    std::printf("%7.2f %6.0f %6.2f %8.3g %8.3g %9.3g %7.1f  %s  %s\n",
                its.seconds_to_make,
                its.peak_mb,
                its.ratio(),
                its.speed / 1e6,
                its.single_speed / 1e6,
                its.predicted / 1e6,
                its.error_db,
                text_of(all).c_str(),
                its.plan);
}

void print_head()
{
    std::printf("%7s %6s %6s %8s %8s %9s %7s  %s\n",
                "seconds",
                "MB",
                "ratio",
                "MS/s",
                "singles",
                "predicted",
                "dB",
                "rates, plan");
}

//! Prints the worst figures of all banks, and the rows of the ten with the worst ratio.
void print_summary(const std::vector<rates>& banks, const std::vector<result>& results)
{
    constexpr std::size_t most = 10;
    std::vector<std::size_t> known;
    std::vector<double> seconds, memory, ratios;
    for (std::size_t i = 0; i < results.size(); i++)
        if (results[i].is_known) {
            known.push_back(i);
            seconds.push_back(results[i].seconds_to_make);
            memory.push_back(results[i].peak_mb);
            if (banks[i].size() > 1)
                ratios.push_back(results[i].ratio());
        }
    std::printf(
        "\n%zu banks, %zu without a result\n", banks.size(), banks.size() - known.size());
    const auto tell = [](const char* name, const std::vector<double>& values) {
        if (values.empty())
            return;
        std::printf("%-16s", name);
        for (const double part : { 0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0 })
            std::printf(" %8.3g", quantile(values, part));
        std::printf("\n");
    };
    std::printf("%-16s %8s %8s %8s %8s %8s %8s %8s\n",
                "",
                "least",
                "5 %",
                "25 %",
                "median",
                "75 %",
                "95 %",
                "most");
    tell("seconds to make", seconds);
    tell("MB", memory);
    tell("ratio", ratios);
    std::sort(known.begin(), known.end(), [&](std::size_t a, std::size_t b) {
        return results[a].ratio() < results[b].ratio();
    });
    std::printf("\nthe lowest ratios:\n");
    print_head();
    for (std::size_t i = 0; i < std::min(most, known.size()); i++)
        print_row(banks[known[i]], results[known[i]]);
}

int run(int argc, char** argv)
{
    wishes wanted;
    CLI::App app(
        "Compares banks of channels with random rates with single banks of these rates, "
        "in turns: the ratio of the bank's speed to that of the single banks, the "
        "seconds and the memory that making it took, and millions of input samples a "
        "second.");
    app.add_option(
        "--device", wanted.device, "As find_devices() takes it; default: host");
    app.add_option("--algorithm", wanted.algorithm, "Default: auto");
    app.add_option("--variant", wanted.variant, "Default: auto");
    app.add_option("--rates",
                   wanted.lists,
                   "Lists of rates, instead of random ones: "
                   "147/8000,1/50 1/8,1/16,1/32");
    app.add_option("--banks", wanted.banks, "Number of random banks; default: 200")
        ->check(CLI::Range(1, 100000));
    app.add_option("--seed", wanted.seed, "Of the random banks; default: 37");
    app.add_option("--max-decimation", wanted.max_decimation, "Default: 10000")
        ->check(CLI::Range(2, 1000000));
    app.add_option(
        "--taps", wanted.taps, "Of each filter; default: as its rate asks for");
    app.add_option("--items", wanted.items, "Input samples of a call; default: 8192");
    app.add_option("--threads", wanted.threads, "Default: all cores");
    app.add_option("--limit", wanted.limit, "Seconds for one bank; default: 180");
    app.add_option("--accuracy", wanted.accuracy, "Default: 1e-5");
    app.add_option("--repetitions", wanted.how.repetitions)->check(CLI::Range(1, 1000));
    app.add_option("--seconds", wanted.how.seconds, "Of calls in a repetition");
    app.add_flag("!--unchecked", wanted.checks, "Compare no outputs with the reference");
    CLI11_PARSE(app, argc, argv);

    // Each bank starts from the machine's calibration, but from no plan of another bank:
    // what a process stores goes to the files in its cache.
    std::vector<rates> banks;
    for (const auto& list : wanted.lists)
        banks.push_back(rates_of(list));
    if (banks.empty())
        banks = random_banks(wanted);
    print_head();
    std::vector<result> results;
    bool failed = false;
    for (const auto& bank : banks) {
        results.push_back(measure_apart(bank, wanted));
        const auto& its = results.back();
        print_row(bank, its);
        std::fflush(stdout);
        if (!its.is_known || its.error_db > its.bound_db) {
            std::printf(its.is_known ? "its outputs are wrong\n" : "no result\n");
            failed = true;
        }
    }
    print_summary(banks, results);
    return failed;
}

} // namespace

} // namespace cldsp::bench

int main(int argc, char** argv)
{
    return cldsp::bench::exit_status([&] {
        return cldsp::bench::run(argc, argv);
    });
}
