/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "command.h"
#include "output.h"
#include "program_cache.h"
#include "wisdom.h"

#include <CLI/CLI.hpp>

#include <system_error>
#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
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

int list(const std::string& kind, bool json)
{
    wisdom kept(cache_folder(), stderr_logger());
    auto entries = kept.entries();
    entries.erase(
        std::remove_if(entries.begin(),
                       entries.end(),
                       [&](const auto& e) { return !kind.empty() && e.kind != kind; }),
        entries.end());
    if (json) {
        ordered_json all = ordered_json::array();
        for (const auto& e : entries) {
            auto answer = ordered_json::parse(e.text, nullptr, false);
            if (!answer.is_object())
                answer = e.text;
            all.push_back({ { "kind", e.kind },
                            { "key", e.key },
                            { "time", date_text(e.time) },
                            { "answer", answer } });
        }
        print_json({ { "file", kept.path() }, { "entries", all } });
        return success;
    }
    std::cout << kept.path() << ": " << entries.size()
              << (entries.size() == 1 ? " answer\n" : " answers\n");
    for (const auto& e : entries)
        std::cout << "\n"
                  << e.kind << ", " << date_text(e.time) << "\n  " << e.key << "\n  "
                  << e.text << "\n";
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
    std::cout << dropped << (dropped == 1 ? " answer" : " answers") << " dropped from "
              << kept.path() << "\n";
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
        std::string kind;
        bool json = false, programs = false;
    };
    const auto asked = std::make_shared<options>();
    auto* parser = app.add_subcommand(
        "wisdom", "Show or drop what measurements on this machine have shown");
    parser->require_subcommand(1);

    auto* lists = parser->add_subcommand("list", "Show every answer");
    lists->add_option("--kind", asked->kind, "Only those of this kind, e.g. plans");
    lists->add_flag("--json", asked->json, "Print JSON");

    auto* clears = parser->add_subcommand("clear", "Drop the answers");
    clears->add_option("--kind", asked->kind, "Only those of this kind, e.g. plans");
    clears->add_flag("--programs", asked->programs, "Remove compiled programs as well");

    return { parser, [=] {
                return lists->parsed() ? list(asked->kind, asked->json)
                                       : clear(asked->kind, asked->programs);
            } };
}

} // namespace cldsp::app
