// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The subcommand that replaces filters of a flowgraph, by scripts in Python.

#include "command.h"
#include "convert/gnuradio_python.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <system_error>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace cldsp::app {

namespace {

namespace fs = std::filesystem;

struct convert_arguments {
    std::string flowgraph, output;
    bool overwrite = false, no_banks = false, measure = false, json = false;
};

//! The Python that GNU Radio is built for; its library reads and writes the flowgraphs.
std::string find_python()
{
    const std::string python = gnuradio_python();
    if (python.empty())
        throw std::runtime_error(
            "convert needs GNU Radio's Companion, but this cldsp was "
            "built without GNU Radio");
    return python;
}

//! The scripts beside the installed program; if there are none, those in the build
//! folder.
std::string find_scripts()
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    const fs::path installed =
        program.parent_path().parent_path() / CLDSP_CONVERT_SCRIPTS;
    for (const fs::path& path : { installed, fs::path(CLDSP_BUILD_CONVERT_SCRIPTS) })
        if (fs::exists(path / "__main__.py", error))
            return path.string();
    throw std::runtime_error("convert needs the scripts in " + installed.string() +
                             ", which are missing");
}

//! Replaces this process by the script, whose exit status is that of the command.
[[noreturn]] int become_script(const convert_arguments& asked)
{
    std::vector<std::string> arguments = { find_python(), "-B", find_scripts() };
    if (!asked.output.empty())
        arguments.push_back("--output=" + asked.output);
    for (const auto& [given, flag] : { std::pair(asked.overwrite, "--overwrite"),
                                       std::pair(asked.no_banks, "--no-banks"),
                                       std::pair(asked.measure, "--measure"),
                                       std::pair(asked.json, "--json") })
        if (given)
            arguments.emplace_back(flag);
    arguments.insert(arguments.end(), { "--", asked.flowgraph });
    std::vector<char*> pointers;
    for (auto& a : arguments)
        pointers.push_back(a.data());
    pointers.push_back(nullptr);
    std::cout.flush();
    ::execvp(pointers[0], pointers.data());
    throw std::system_error(
        errno, std::generic_category(), "convert cannot start " + arguments[0]);
}

} // namespace

command add_convert(CLI::App& app)
{
    const auto asked = std::make_shared<convert_arguments>();
    auto* parser = app.add_subcommand(
        "convert",
        "Replace GNU Radio's frequency-xlating filters in a flowgraph by ours");
    parser
        ->add_option("FLOWGRAPH",
                     asked->flowgraph,
                     "The file of GNU Radio Companion (.grc), of GNU Radio 3.7 or later")
        ->required();
    parser->add_option("-o,--output",
                       asked->output,
                       "The file to write; if not given, FLOWGRAPH with the ending "
                       "_cldsp.grc");
    parser->add_flag("--overwrite", asked->overwrite, "Replace a file that exists");
    parser->add_flag("--force", asked->overwrite)->group(""); // its former name
    parser->add_flag(
        "--no-banks", asked->no_banks, "Put no filters of one source into a bank");
    parser->add_flag("--measure",
                     asked->measure,
                     "Measure the processor time of the filters before and after");
    parser->add_flag("--json", asked->json, "Print JSON");
    return { parser, [=]() -> int { become_script(*asked); } };
}

} // namespace cldsp::app
