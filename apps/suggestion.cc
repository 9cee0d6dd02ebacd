// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compares unknown words with the commands, options and names that there are.

#include "suggestion.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <stdexcept>

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

std::string lower_case(std::string text)
{
    for (auto& c : text)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

//! The name that is nearest to the word in any case, if it is near.
std::string nearest(const std::string& given, const std::vector<std::string>& names)
{
    const auto word = lower_case(given);
    std::string best;
    std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const auto& name : names) {
        const auto known = lower_case(name);
        // A word with more at its end, such as --demodulate, means the name.
        const bool is_longer =
            known.size() > 3 && word.compare(0, known.size(), known) == 0;
        const bool is_beginning =
            word.size() > 1 && known.compare(0, word.size(), word) == 0;
        const std::size_t away = is_beginning ? 0 : is_longer ? 1 : distance(word, known);
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

void check_name(const std::string& complaint,
                const std::string& name,
                const std::vector<std::string>& names)
{
    if (std::find(names.begin(), names.end(), name) != names.end())
        return;
    const auto meant = nearest(name, names);
    if (!meant.empty())
        throw std::invalid_argument(complaint + ": did you mean '" + meant + "'?");
    std::string all;
    for (const auto& known : names)
        all += (all.empty() ? "" : ", ") + known;
    throw std::invalid_argument(complaint + "; there are " + all);
}

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
