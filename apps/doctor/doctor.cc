// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The subcommand that runs all checks, and prints what it found and what would help.

#include "command.h"
#include "doctor/doctor.h"
#include "output.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>

namespace cldsp::app {

namespace {

using nlohmann::ordered_json;

const char* level_name(finding::level how)
{
    switch (how) {
    case finding::level::fine:
        return "ok";
    case finding::level::note:
        return "note";
    default:
        return "problem";
    }
}

std::size_t count(const findings& all, finding::level how)
{
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [how](const finding& f) { return f.how == how; }));
}

//! \param gpus the number of GPUs that OpenCL shows
void print(const findings& all, std::size_t gpus)
{
    for (const auto& f : all) {
        const std::string head = level_name(f.how);
        std::cout << head << std::string(9 - head.size(), ' ') << f.topic << ": "
                  << f.text << "\n";
        if (!f.advice.empty())
            std::cout << std::string(9, ' ') << "-> " << f.advice << "\n";
    }
    const auto problems = count(all, finding::level::problem);
    std::cout << "\n";
    if (problems == 0 && gpus == 0)
        std::cout << "No problem found, but no GPU that can be used: everything runs on "
                     "the processor.\n";
    else if (problems == 0)
        std::cout << "No problem found.\n";
    else
        std::cout << problems << (problems == 1 ? " problem" : " problems")
                  << " found. Every block still works, on the host if need be.\n";
}

void print_as_json(const findings& all)
{
    ordered_json list = ordered_json::array();
    for (const auto& f : all)
        list.push_back({ { "level", level_name(f.how) },
                         { "topic", f.topic },
                         { "cause", f.cause },
                         { "text", f.text },
                         { "advice", f.advice } });
    print_json({ { "healthy", count(all, finding::level::problem) == 0 },
                 { "findings", list } });
}

int run(bool json)
{
    auto drivers = check_drivers();
    findings all = std::move(drivers.found);
    for (auto& more : { check_gpus(drivers.gpus), check_settings() })
        std::copy(more.begin(), more.end(), std::back_inserter(all));
    if (json)
        print_as_json(all);
    else
        print(all, drivers.gpus);
    return count(all, finding::level::problem) == 0 ? success : failure;
}

} // namespace

command add_doctor(CLI::App& app)
{
    const auto json = std::make_shared<bool>(false);
    auto* parser = app.add_subcommand(
        "doctor",
        "Say in plain words why a device is missing or slow, or nothing is kept");
    parser->add_flag("--json", *json, "Print JSON");
    return { parser, [json] { return run(*json); } };
}

} // namespace cldsp::app
