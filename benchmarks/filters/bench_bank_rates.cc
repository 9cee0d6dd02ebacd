/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Compares banks whose channels have different decimations with the bank W5, whose
// channels have one.

#include "common/exit_status.h"
#include "common/measure.h"
#include "filters/bank_workloads.h"

#include <cldsp/reference.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <random>
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

//! Calls of a bank, each of as many items.
class bank_calls final : public timed_work
{
public:
    bank_calls(const std::string& name,
               const freq_xlating_filter_bank_problem& problem,
               const wishes& wanted,
               context_registry& registry)
        : d_name(name), d_problem(problem), d_items(wanted.items)
    {
        freq_xlating_filter_bank_options options;
        options.device = wanted.device;
        if (!problem.rates.empty())
            options.variant = wanted.variant;
        options.accuracy = wanted.accuracy;
        options.threads = wanted.threads;
        options.typical_items = d_items;
        d_bank = std::make_unique<freq_xlating_filter_bank>(problem, options, registry);
        d_in.resize(d_bank->history() + d_items);
        std::minstd_rand random(2);
        std::normal_distribution<float> normal;
        for (std::size_t i = d_bank->history(); i < d_in.size(); i++)
            d_in[i] = { normal(random), normal(random) };
        for (std::size_t c = 0; c < problem.channels(); c++) {
            d_out.emplace_back(d_items / d_bank->rate(c).decimation + 1);
            d_places.push_back(d_out.back().data());
        }
        d_outputs.resize(problem.channels());
        // So accurate is a filter whose response errs by the accuracy at all frequencies.
        d_bound_db = wanted.accuracy > 0 ? -80 : -120;
    }

    candidate_name name() const override { return { d_name, "", "", "", "real" }; }
    std::size_t items() const override { return d_items; }
    double bound_db() const override { return d_bound_db; }
    std::optional<chosen_plan> plan() const override { return d_bank->chosen(); }
    void call() override
    {
        d_bank->process_items(d_in.data(),
                              d_in.size(),
                              d_places.data(),
                              std::numeric_limits<std::size_t>::max(),
                              d_outputs.data());
    }
    //! The largest error of the first channels, one of each decimation, at the start of a
    //! stream.
    double error_db(std::size_t channels)
    {
        d_bank->reset();
        call();
        double largest = -1000;
        for (std::size_t c = 0; c < channels; c++) {
            const std::size_t count = std::min<std::size_t>(d_outputs[c], 400);
            freq_xlating_fir_reference reference(d_problem.channel(c));
            const auto expected = reference.process(d_in.data() + d_bank->history(),
                                                    count * d_problem.rate(c).decimation);
            double peak = 0, error = 0;
            for (std::size_t i = 0; i < count; i++) {
                peak = std::max(peak, std::abs(expected[i]));
                error = std::max(
                    error, std::abs(expected[i] - std::complex<double>(d_out[c][i])));
            }
            largest = std::max(largest, 20 * std::log10(error / peak));
        }
        return largest;
    }

private:
    std::string d_name;
    freq_xlating_filter_bank_problem d_problem;
    std::size_t d_items;
    double d_bound_db = 0;
    std::unique_ptr<freq_xlating_filter_bank> d_bank;
    std::vector<std::complex<float>> d_in;
    std::vector<std::vector<std::complex<float>>> d_out;
    std::vector<std::complex<float>*> d_places;
    std::vector<std::size_t> d_outputs;
};

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

    prepare_opencl_environment();
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
        bank_calls one("one", problem_of(wanted, {}), wanted, registry);
        bank_calls several("several", problem_of(wanted, decimations), wanted, registry);
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
