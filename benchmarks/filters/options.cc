// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the command line of a benchmark, and checks devices, variants and workloads.

#include "filters/options.h"

#include "common/text.h"

#include <cldsp/errors.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace cldsp::bench {

namespace {

std::vector<device_info> choose_devices(const std::vector<std::string>& texts)
{
    std::vector<device_info> devices;
    const auto add = [&](const device_info& device) {
        const bool known =
            std::any_of(devices.begin(), devices.end(), [&](const device_info& d) {
                return d.id() == device.id();
            });
        if (!known)
            devices.push_back(device);
    };
    for (const auto& text : texts)
        for (const auto& device : find_devices(text))
            add(device);
    if (texts.empty())
        for (const auto& device : list_devices())
            add(device);
    // The host is included because the other devices are compared with it.
    for (const auto& device : find_devices("host"))
        add(device);
    return devices;
}

void check_variants(const std::vector<std::string>& names)
{
    std::string known = "auto";
    for (const auto& v : freq_xlating_fir_variants())
        known += ", " + v.name;
    for (const auto& name : names)
        if ((", " + known + ",").find(" " + name + ",") == std::string::npos)
            throw_invalid("variants", "'" + name + "'", "one of " + known);
}

} // namespace

options parse_options(int argc, char** argv, bool with_flowgraphs)
{
    options result;
    std::vector<std::string> workloads, chunks, devices;
    auto& how = result.how;

    CLI::App app("Measures the frequency-xlating FIR filter on every device, with every "
                 "variant and transfer.");
    app.add_flag(
        "--comparison", result.comparison, "Measure W1 to W4 and R1 side by side");
    app.add_flag(
        "--ladder", result.ladder, "Measure the variants at 8340 items per call");
    app.add_flag("--retune", result.retune, "Measure what 1000 retunes a second cost");
    app.add_flag("--fast-convolution",
                 result.fast_convolution,
                 "Measure fast convolution on the host");
    auto* judge =
        app.add_option("--auto",
                       result.random_problems,
                       "Hold auto against every forced choice, on the workloads "
                       "and this many random problems")
            ->check(CLI::Range(0, 100000));
    app.add_flag("--while-running",
                 result.while_running,
                 "Let auto plan while its stream takes half of a core");
    app.add_option("--seed", result.seed, "Of the random problems; default: 1");
    app.add_option("--problems",
                   result.problems,
                   "The numbers of the random problems to compare; default: all")
        ->delimiter(',')
        ->needs(judge);
    if (with_flowgraphs) {
        app.add_flag("--flowgraphs", result.flowgraphs, "Measure blocks in flowgraphs");
        app.add_flag("--default-buffers",
                     result.default_buffers,
                     "Measure blocks in flowgraphs beside the engine's loop");
    }
    std::string known, on_demand;
    for (const auto& work : all_bank_workloads()) {
        known += (known.empty() ? "" : ",") + work.name;
        if (!work.by_default)
            on_demand += (on_demand.empty() ? "" : ", ") + work.name;
    }
    app.add_option(
           "--workloads", workloads, "Of " + known + "; default: all but " + on_demand)
        ->delimiter(',');
    app.add_option("--chunks", chunks, "Items a call; default: 1M,64k,8340")
        ->delimiter(',');
    app.add_option("--devices", devices, "cpu, gpu, P:D or part of a name; default: all")
        ->delimiter(',');
    app.add_option("--variants", result.choice.variants, "Default: all")->delimiter(',');
    app.add_option("--transfers",
                   result.choice.transfers,
                   "Of copy, mapped, zero_copy; default: all")
        ->delimiter(',')
        ->check(CLI::IsMember({ "copy", "mapped", "zero_copy" }));
    auto* repetitions = app.add_option("--repetitions", how.repetitions, "Default: 5")
                            ->check(CLI::Range(1, 1000));
    auto* seconds = app.add_option("--seconds",
                                   how.seconds,
                                   "Of calls in a repetition, at least; default: 0.1")
                        ->check(CLI::Range(0.0, 60.0));
    app.add_option("--longest-call",
                   how.longest_call,
                   "Seconds; what takes longer is timed once only; default: 1")
        ->check(CLI::Range(0.0, 600.0));
    app.add_flag("--quick",
                 result.quick,
                 "Small calls, two short repetitions: shows that everything works");
    app.add_option("--json", result.json, "Write everything to this file");
    app.add_flag("--verbose", result.verbose, "Print what the engine logs");
    app.footer("Unless some are named, the first tables are printed: comparison, ladder, "
               "retune, flowgraphs.");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        std::exit(app.exit(e));
    }

    result.judge_auto = judge->count() > 0;
    if (!result.comparison && !result.ladder && !result.retune && !result.flowgraphs &&
        !result.fast_convolution && !result.default_buffers && !result.judge_auto)
        result.comparison = result.ladder = result.retune = result.flowgraphs = true;
    if (result.quick) {
        if (repetitions->count() == 0)
            how.repetitions = 2;
        if (seconds->count() == 0)
            how.seconds = 0.002;
        if (chunks.empty())
            chunks = { "8340" };
    }
    if (chunks.empty())
        chunks = { "1M", "64k", "8340" };

    try {
        for (const auto& text : chunks)
            result.chunks.push_back(parse_items(text, "chunks"));
        for (const auto& name : workloads)
            result.banks.push_back(find_bank_workload(name));
        for (const auto& work : all_bank_workloads())
            if (workloads.empty() && work.by_default)
                result.banks.push_back(work);
        for (const auto& work : result.banks)
            if (!work.is_bank())
                result.workloads.push_back(work.filter);
        for (const std::size_t number : result.problems)
            if (number == 0 || number > result.random_problems)
                throw_invalid("problems",
                              std::to_string(number),
                              "1 to " + std::to_string(result.random_problems));
        check_variants(result.choice.variants);
        result.choice.devices = choose_devices(devices);
    } catch (const std::invalid_argument& e) {
        std::cerr << e.what() << "\n";
        std::exit(2);
    }
    return result;
}

} // namespace cldsp::bench
