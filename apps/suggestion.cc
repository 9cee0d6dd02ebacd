// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compares unknown words with the commands and options that there are.

#include "suggestion.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace cldsp::app {

namespace {

//! The number of letters that are missing, too many, or others (Levenshtein's distance).
std::size_t distance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t(0));
    for (std::size_t i = 0; i < a.size(); i++) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); j++) {
            const std::size_t changed = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({ changed, row[j] + 1, row[j + 1] + 1 });
        }
    }
    return row.back();
}

//! The name that is nearest to the word, if it is near.
std::string nearest(const std::string& word, const std::vector<std::string>& names)
{
    std::string best;
    std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const auto& name : names) {
        // A word with more at its end, such as --demodulate, means the name.
        const bool is_longer = name.size() > 3 && word.compare(0, name.size(), name) == 0;
        const std::size_t away = is_longer ? 1 : distance(word, name);
        if (away < least) {
            least = away;
            best = name;
        }
    }
    return best;
}

std::vector<std::string> command_names(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

std::vector<std::string> option_names(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const auto* option : app.get_options())
        for (const auto& name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

} // namespace

unknown_word find_unknown_word(const CLI::App& app, const std::vector<std::string>& words)
{
    const CLI::App* parser = &app;
    for (const auto& given : words) {
        const auto word = given.substr(0, given.find('='));
        if (word.size() > 2 && word.compare(0, 2, "--") == 0) {
            const auto names = option_names(*parser);
            if (std::find(names.begin(), names.end(), word) == names.end())
                return { word, false, nearest(word, names) };
            continue;
        }
        const auto names = command_names(*parser);
        if (names.empty() || word.empty() || word[0] == '-')
            continue;
        const auto known = std::find(names.begin(), names.end(), word);
        if (known == names.end())
            return { word, true, nearest(word, names) };
        parser = parser->get_subcommands(
            [&](const CLI::App* command) { return command->get_name() == *known; })[0];
    }
    return {};
}

} // namespace cldsp::app
