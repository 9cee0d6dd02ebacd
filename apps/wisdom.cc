/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "command.h"
#include "output.h"
#include "program_cache.h"

#include <cldsp/wisdom.h>

#include <CLI/CLI.hpp>

#include <system_error>
#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace cldsp::app {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

//! The folder of the user's wisdom and programs.
std::string cache_folder()
{
    const std::string folder = program_cache::default_folder();
    if (folder.empty())
        throw std::runtime_error(
            "there is no cache folder: neither XDG_CACHE_HOME nor HOME names one");
    return folder;
}

std::string date_text(std::int64_t seconds)
{
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    std::array<char, 32> text{};
    if (!gmtime_r(&time, &parts))
        return std::to_string(seconds);
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

std::string answers_text(std::size_t count)
{
    return std::to_string(count) + (count == 1 ? " answer" : " answers");
}

int list(const std::string& kind, bool json)
{
    wisdom kept(cache_folder(), stderr_logger());
    const auto all = kept.all(kind);
    if (json) {
        ordered_json entries = ordered_json::array();
        for (const auto& [name, answers] : all)
            for (const auto& [key, answer] : answers) {
                auto parsed = ordered_json::parse(answer.text, nullptr, false);
                if (!parsed.is_object())
                    parsed = answer.text;
                entries.push_back({ { "kind", name },
                                    { "key", key },
                                    { "time", date_text(answer.time) },
                                    { "answer", parsed } });
            }
        print_json({ { "file", kept.path() }, { "entries", entries } });
        return success;
    }
    std::size_t count = 0;
    for (const auto& of_kind : all)
        count += of_kind.second.size();
    std::cout << kept.path() << ": " << answers_text(count) << "\n";
    for (const auto& [name, answers] : all)
        for (const auto& [key, answer] : answers)
            std::cout << "\n"
                      << name << ", " << date_text(answer.time) << "\n  " << key << "\n  "
                      << answer.text << "\n";
    return success;
}

int export_to(const std::string& file, const std::string& kind)
{
    wisdom kept(cache_folder(), stderr_logger());
    const std::string text = kept.export_text(kind);
    if (file == "-") {
        std::cout << text;
        return success;
    }
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out)
        throw std::runtime_error("the file '" + file + "' cannot be written");
    return success;
}

std::string text_of(const std::string& file)
{
    std::ostringstream text;
    if (file == "-") {
        text << std::cin.rdbuf();
        return text.str();
    }
    std::ifstream in(file, std::ios::binary);
    text << in.rdbuf();
    if (!in || !text)
        throw std::runtime_error("the file '" + file + "' cannot be read");
    return text.str();
}

int import_from(const std::string& file)
{
    wisdom kept(cache_folder(), stderr_logger());
    wisdom::import_result done;
    try {
        done = kept.import_text(text_of(file));
    } catch (const std::invalid_argument& e) {
        throw std::runtime_error("the file '" + file + "' is refused: " + e.what());
    }
    std::cout << answers_text(done.added) << " added, " << done.replaced
              << " replaced by younger ones, " << done.kept << " kept in " << kept.path()
              << "\n";
    return success;
}

//! Removes the compiled programs. \returns how many
std::size_t remove_programs(const std::string& folder)
{
    std::size_t removed = 0;
    std::error_code error;
    for (fs::directory_iterator i(folder, error), end; !error && i != end;
         i.increment(error)) {
        const std::string name = i->path().filename().string();
        if (name.rfind("program-", 0) == 0 && i->path().extension() == ".bin" &&
            fs::remove(i->path()))
            removed++;
    }
    return removed;
}

int clear(const std::string& kind, bool programs)
{
    wisdom kept(cache_folder(), stderr_logger());
    const std::size_t dropped = kept.clear(kind);
    std::cout << answers_text(dropped) << " dropped from " << kept.path() << "\n";
    if (programs) {
        const std::size_t removed = remove_programs(cache_folder());
        std::cout << removed
                  << (removed == 1 ? " compiled program" : " compiled programs")
                  << " removed\n";
    }
    return success;
}

} // namespace

command add_wisdom(CLI::App& app)
{
    struct options {
        std::string kind, file;
        bool json = false, programs = false;
    };
    const auto asked = std::make_shared<options>();
    auto* parser = app.add_subcommand(
        "wisdom", "Show, share or drop what measurements on this machine have shown");
    parser->require_subcommand(1);

    auto* lists = parser->add_subcommand("list", "Show every answer");
    lists->add_option("--kind", asked->kind, "Only those of this kind, e.g. plans");
    lists->add_flag("--json", asked->json, "Print JSON");

    auto* exports = parser->add_subcommand(
        "export", "Write the answers, for another machine or user");
    exports->add_option("file", asked->file, "File to write; - for the output")
        ->required();
    exports->add_option("--kind", asked->kind, "Only those of this kind, e.g. tuning");

    auto* imports = parser->add_subcommand(
        "import", "Merge exported answers; of two to one question the younger stays");
    imports->add_option("file", asked->file, "File to read; - for the input")->required();

    auto* clears = parser->add_subcommand("clear", "Drop the answers");
    clears->add_option("--kind", asked->kind, "Only those of this kind, e.g. plans");
    clears->add_flag("--programs", asked->programs, "Remove compiled programs as well");

    return { parser, [=] {
                if (lists->parsed())
                    return list(asked->kind, asked->json);
                if (exports->parsed())
                    return export_to(asked->file, asked->kind);
                if (imports->parsed())
                    return import_from(asked->file);
                return clear(asked->kind, asked->programs);
            } };
}

} // namespace cldsp::app
