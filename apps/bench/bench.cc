// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The subcommand that measures the rates of kernels beside their roofline.

#include "bench/report.h"
#include "command.h"
#include "driver_trial.h"
#include "output.h"
#include "range.h"
#include "suggestion.h"

#include "common/machine.h"
#include "common/text.h"

#include <cldsp/errors.h>
#include <cldsp/sample_type.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace cldsp::app {

namespace {

using nlohmann::ordered_json;

struct options {
    std::vector<std::string> names;
    std::string device = "auto", profile, items, size, input, plot;
    std::vector<std::string> kernels;
    bool all_kernels = false, quick = false, json = false, verbose = false;
    std::size_t repetitions = 5;
    double seconds = 0.1;
};

//! The workloads with these names, in the order of the list of all workloads.
std::vector<bench_workload> chosen_workloads(const std::vector<std::string>& names)
{
    std::vector<bench_workload> chosen;
    std::vector<std::string> known;
    for (const auto& work : bench_workloads()) {
        if (names.empty()
                ? work.by_default
                : std::find(names.begin(), names.end(), work.name) != names.end())
            chosen.push_back(work);
        known.push_back(work.name);
    }
    for (const auto& name : names)
        check_name("there is no workload '" + name + "'", name, known);
    return chosen;
}

std::string input_names()
{
    std::string names;
    for (const auto type : all_sample_types())
        names += (names.empty() ? "" : ", ") + std::string(sample_type_name(type));
    return names;
}

//! \throws std::invalid_argument for an unknown name
sample_type named_input(const std::string& name)
{
    for (const auto type : all_sample_types())
        if (name == sample_type_name(type))
            return type;
    throw_invalid("input", "'" + name + "'", "one of " + input_names());
}

//! The sizes in a text such as "1024" or "64,65536,64".
std::vector<std::size_t> parse_sizes(const std::string& text)
{
    constexpr unsigned long most = 65536;
    const std::string meaning =
        "1 to " + std::to_string(most) + ", or three such numbers as in 64,4096,64";
    std::vector<std::size_t> sizes;
    for (std::istringstream words(text); words.peek() != EOF;) {
        std::string word;
        std::getline(words, word, ',');
        const bool is_number = !word.empty() && word.size() <= 5 &&
                               word.find_first_not_of("0123456789") == std::string::npos;
        const unsigned long size = is_number ? std::stoul(word) : 0;
        if (size < 1 || size > most)
            throw_invalid("size", "'" + text + "'", meaning);
        sizes.push_back(size);
    }
    if (sizes.size() != 1 && sizes.size() != 3)
        throw_invalid("size", "'" + text + "'", meaning);
    return sizes;
}

bench_wish wish_of(const options& asked)
{
    bench_wish wish;
    const auto device = loadable_device(asked.device);
    wish.devices = find_devices(device);
    wish.automatic = device == "auto";
    if (names_several_devices(asked.device))
        wish.shared = asked.device;
    wish.items = asked.items.empty() ? 0 : bench::parse_items(asked.items, "items");
    if (!asked.input.empty())
        wish.input = named_input(asked.input);
    wish.how.repetitions = asked.quick ? 2 : asked.repetitions;
    wish.how.seconds = asked.quick ? 0.002 : asked.seconds;
    if (!asked.size.empty())
        wish.size = parse_sizes(asked.size);
    wish.kernels = asked.kernels;
    wish.all_kernels = asked.all_kernels;
    wish.quick = asked.quick;
    if (asked.quick)
        wish.roofline_seconds = 0.2;
    return wish;
}

ordered_json describe(const std::vector<device_info>& devices, const options& asked)
{
    ordered_json list = ordered_json::array();
    for (const auto& device : devices)
        list.push_back(ordered_json::parse(bench::describe_device(device).dump(
            -1, ' ', false, nlohmann::json::error_handler_t::replace)));
    return { { "machine",
               ordered_json::parse(bench::describe_machine().dump(
                   -1, ' ', false, nlohmann::json::error_handler_t::replace)) },
             { "profile", asked.profile },
             { "devices", list },
             { "bench", ordered_json::array() } };
}

int run(const options& asked)
{
    bench::refuse_generic_volk();
    check_range("--seconds", asked.seconds, 0, 60);
    const auto workloads = chosen_workloads(asked.names);
    std::optional<bench_plot> plot;
    if (!asked.plot.empty())
        plot.emplace(asked.plot);
    auto settings = registry_options(asked.profile, least_level(asked.verbose));
    // The results of a quick run are not worth remembering.
    settings.wisdom_file = !asked.quick;
    bench_session session(wish_of(asked), settings);

    auto report = describe(session.wish().devices, asked);
    if (!asked.json)
        std::cout << bench::machine_text(session.wish().devices) << "\n" << std::flush;
    bool good = true;
    std::vector<bench_table> tables;
    for (const auto& work : workloads) {
        tables.push_back(work.measure(session));
        const auto& table = tables.back();
        good = good && all_correct(table);
        report["bench"].push_back(json_of(table));
        if (!asked.json)
            std::cout << text_of(table) << "\n" << std::flush;
    }
    if (asked.json)
        print_json(report);
    if (plot)
        plot->draw(report);
    if (!good)
        std::cerr << "cldsp: some results are wrong or failed\n";
    // A name of --kernels may be missing in some tables, but not in all of them.
    const bool empty = std::all_of(tables.begin(), tables.end(), [](const auto& table) {
        return table.rows.empty();
    });
    if (empty && !asked.kernels.empty()) {
        std::string names;
        for (const auto& name : asked.kernels)
            names += (names.empty() ? "'" : ", '") + name + "'";
        throw_invalid("--kernels",
                      names,
                      "the beginning of a kernel's name in these workloads; without "
                      "--kernels the tables have all of them");
    }
    const auto idle = idle_devices(tables, session.wish().devices);
    for (const auto& line : idle)
        std::cerr << "cldsp: " << line << "\n";
    return good && idle.empty() ? success : failure;
}

} // namespace

command add_bench(CLI::App& app)
{
    const auto asked = std::make_shared<options>();
    auto* parser = app.add_subcommand(
        "bench", "Measure every kernel, and which part of the device's roof it reaches");
    std::string known;
    for (const auto& work : bench_workloads())
        known += "\n  " + work.name + std::string(13 - work.name.size(), ' ') +
                 work.description + (work.by_default ? "" : "; by name alone");
    parser->add_option(
        "workloads", asked->names, "Which; default: all but those by name alone");
    parser->add_option(
        "--device",
        asked->device,
        "auto, gpu, cpu, host, P:D or a part of a name; gpus or a list such "
        "as 0:0,0:1, whose banks are also measured with their channels "
        "shared; default: auto, which is all of them and the engine's own "
        "choice");
    parser->add_option(
        "--items",
        asked->items,
        "Samples of a call of filters, banks and G2, e.g. 8340 or 64k; default: what "
        "suits");
    parser->add_option("--input",
                       asked->input,
                       "Items of filters and banks: " + input_names() +
                           "; cs8 or fc32 of the correlator; default: the workload's "
                           "own, which is fc32 for most");
    parser->add_option("--size",
                       asked->size,
                       "Rows and columns of square products, or M,N,K of any product: "
                       "items, codes and bits of G3, antennas, integrations and samples "
                       "of the correlator; default: the workload's own");
    parser
        ->add_option("--kernels",
                     asked->kernels,
                     "Those whose names begin so, e.g. gpu_tile,tensor; default: all")
        ->delimiter(',');
    parser->add_flag("--all-kernels",
                     asked->all_kernels,
                     "Of products, also the kernels for comparison, and OpenBLAS");
    parser->add_option("--repetitions", asked->repetitions, "Default: 5")
        ->check(CLI::Range(1, 1000));
    parser->add_option(
        "--seconds", asked->seconds, "Of calls in a repetition, at least; default: 0.1");
    parser->add_option(
        "--profile", asked->profile, "Lower the limits: " + lowering_profiles());
    parser->add_flag("--quick",
                     asked->quick,
                     "Small calls, two short repetitions: shows that everything works");
    parser->add_flag("--json", asked->json, "Print JSON");
    parser->add_option("--plot", asked->plot, "Draw bars into FILE.png or FILE.svg");
    parser->add_flag("--verbose", asked->verbose, "Print what the engine logs");
    parser->footer("Workloads:" + known);
    return { parser, [asked] { return run(*asked); } };
}

} // namespace cldsp::app
