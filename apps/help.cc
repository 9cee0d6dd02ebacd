// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Writes the help of a command: usage, options by subject, commands and examples.

#include "help.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

namespace cldsp::app {

namespace {

constexpr std::size_t line_width = 80, text_column = 28;

std::string upper_case(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::toupper(c));
    });
    return text;
}

//! A term, and behind it what it means.
std::string entry(const std::string& term, const std::string& meaning)
{
    std::string line = "  " + term;
    if (line.size() + 2 <= text_column)
        line.resize(text_column, ' ');
    else
        line += "\n" + std::string(text_column, ' ');
    return line + wrapped(meaning, text_column, text_column) + "\n";
}

//! What an option takes, such as "FILE" or "{fm,am}", and the range of its numbers.
struct option_value {
    std::string name, range;
};

option_value value_of(const CLI::Option& option)
{
    const std::string type = option.get_type_name();
    const auto colon = type.find(':');
    const std::string kind = type.substr(0, colon);
    option_value value;
    value.name = kind == "UINT" || kind == "INT" || kind == "FLOAT" ? "NUMBER" : type;
    if (colon == std::string::npos)
        return value;
    const std::string check = type.substr(colon + 1);
    const auto begin = check.find('['), middle = check.find(" - "), end = check.find(']');
    if (!check.empty() && check[0] == '{')
        value.name = check;
    else if (begin < middle && middle < end && end != std::string::npos)
        value.range = "; " + check.substr(begin + 1, middle - begin - 1) + " to " +
                      check.substr(middle + 3, end - middle - 3);
    return value;
}

std::string option_entry(const CLI::Option& option)
{
    const auto value = value_of(option);
    return entry(option.get_name(false, true) +
                     (value.name.empty() ? "" : " " + value.name),
                 option.get_description() + value.range);
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app)
{
    return app.get_options([](const CLI::Option* o) {
        return o->get_positional() && !o->get_group().empty();
    });
}

std::vector<const CLI::App*> commands_of(const CLI::App& app)
{
    return app.get_subcommands(
        [](const CLI::App* command) { return !command->get_name().empty(); });
}

std::string usage_of(const CLI::App& app, const std::string& name)
{
    std::string text = "Usage: " + name + " [OPTIONS]";
    for (const auto* option : positionals_of(app)) {
        const bool is_list =
            option->get_expected_max() >= CLI::detail::expected_max_vector_size;
        const auto word = upper_case(option->get_name(true)) + (is_list ? "..." : "");
        text += option->get_required() ? " " + word : " [" + word + "]";
    }
    return text + (commands_of(app).empty() ? "" : " COMMAND") + "\n";
}

//! The options, by their groups. Those of the group without a name are hidden.
std::string options_of(const CLI::App& app)
{
    const std::string usual = app.get_help_ptr()->get_group();
    auto groups = app.get_groups();
    std::stable_partition(groups.begin(), groups.end(), [&](const std::string& group) {
        return group != usual;
    });
    std::string all;
    for (const auto& group : groups) {
        if (group.empty())
            continue;
        std::string text;
        for (const auto* option : app.get_options([&](const CLI::Option* o) {
                 return o->get_group() == group && !o->get_positional();
             }))
            text += option_entry(*option);
        if (!text.empty())
            all += "\n" +
                   (group != usual ? group
                    : all.empty()  ? "Options"
                                   : "Other options") +
                   ":\n" + text;
    }
    return all;
}

//! The text with its long lines wrapped. Lines of a table, which begin with blanks, are
//! continued below their second column.
std::string wrapped_lines(const std::string& text)
{
    std::istringstream lines(text);
    std::string all;
    for (std::string line; std::getline(lines, line);) {
        const auto begin = line.find_first_not_of(' ');
        std::size_t indent = 0;
        if (line.size() > line_width && begin != 0 && begin != std::string::npos) {
            const auto end = line.find(' ', begin);
            indent = std::min(line.find_first_not_of(' ', end), line.size());
            all += line.substr(0, indent);
            line.erase(0, indent);
        }
        all +=
            (line.size() + indent > line_width ? wrapped(line, indent, indent) : line) +
            "\n";
    }
    return all;
}

} // namespace

std::string wrapped(const std::string& text, std::size_t begun, std::size_t indent)
{
    std::istringstream words(text);
    std::string all;
    std::size_t column = begun;
    for (std::string word; words >> word;) {
        const bool is_first = all.empty();
        if (!is_first && column + 1 + word.size() > line_width) {
            all += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (!is_first) {
            all += ' ';
            column++;
        }
        all += word;
        column += word.size();
    }
    return all;
}

std::string help_format::make_help(const CLI::App* app,
                                   std::string name,
                                   CLI::AppFormatMode /*mode*/) const
{
    std::string text = wrapped(app->get_description(), 0, 0) + "\n\n";
    text += usage_of(*app, name.empty() ? app->get_name() : name);
    std::string inputs;
    for (const auto* option : positionals_of(*app))
        inputs += entry(upper_case(option->get_name(true)), option->get_description());
    text += inputs.empty() ? "" : "\n" + inputs;
    text += options_of(*app);
    std::string commands;
    for (const auto* command : commands_of(*app))
        commands += entry(command->get_name(), command->get_description());
    text += commands.empty() ? "" : "\nCommands:\n" + commands;
    return text +
           (app->get_footer().empty() ? "" : "\n" + wrapped_lines(app->get_footer()));
}

} // namespace cldsp::app
