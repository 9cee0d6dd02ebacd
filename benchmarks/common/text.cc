// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tables, numbers and progress as text for a person.

#include "common/text.h"

#include <cldsp/errors.h>

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

namespace cldsp::bench {

namespace {

bool is_number(const std::string& text)
{
    return !text.empty() &&
           text.find_first_not_of("0123456789.-%") == std::string::npos && text != ".";
}

} // namespace

std::string table::text() const
{
    std::vector<std::size_t> widths;
    for (const auto& row : d_rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); i++)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string result;
    for (std::size_t r = 0; r < d_rows.size(); r++) {
        std::string line = " ";
        for (std::size_t i = 0; i < d_rows[r].size(); i++) {
            const auto& cell = d_rows[r][i];
            // A heading is aligned like the column below it.
            const auto& model =
                r == 0 && d_rows.size() > 1 && i < d_rows[1].size() ? d_rows[1][i] : cell;
            const std::string blanks(widths[i] - cell.size(), ' ');
            line += " " + (is_number(model) ? blanks + cell : cell + blanks) + " ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        result += line + "\n";
    }
    return result;
}

std::string table::markdown() const
{
    std::string result;
    for (std::size_t r = 0; r < d_rows.size(); r++) {
        result += "|";
        for (const auto& cell : d_rows[r])
            result += " " + cell + " |";
        result += "\n";
        if (r > 0)
            continue;
        for (std::size_t i = 0; i < d_rows[r].size(); i++)
            result += i ? " --- |" : "| --- |";
        result += "\n";
    }
    return result;
}

std::string number(double value, int digits)
{
    if (!std::isfinite(value))
        return value < 0 ? "-inf" : "inf";
    const double size = std::abs(value);
    const int before =
        size > 1e-6 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 1;
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", std::max(0, digits - before), value);
    return text;
}

std::size_t parse_items(const std::string& text, const std::string& parameter)
{
    std::size_t used = 0;
    double value = 0;
    try {
        value = std::stod(text, &used);
    } catch (const std::exception&) {
        value = 0;
    }
    const std::string unit = text.substr(used);
    if (unit == "k")
        value *= 1024;
    else if (unit == "M")
        value *= 1048576;
    else if (!unit.empty())
        value = 0;
    if (!(value >= 1 && value <= 268435456))
        throw_invalid(parameter, "'" + text + "'", "1 to 256M, such as 8340, 64k or 1M");
    return static_cast<std::size_t>(value);
}

std::string items_text(std::size_t items)
{
    if (items % 1048576 == 0)
        return std::to_string(items / 1048576) + "M";
    if (items % 1024 == 0)
        return std::to_string(items / 1024) + "k";
    return std::to_string(items);
}

std::string distinct(const std::vector<std::string>& names)
{
    std::string text;
    for (auto name = names.begin(); name != names.end(); ++name)
        if (std::find(names.begin(), name, *name) == name)
            text += (text.empty() ? "" : ", ") + *name;
    return text;
}

progress terminal_progress(const std::string& what)
{
    if (!isatty(STDERR_FILENO))
        return [](std::size_t, std::size_t, const std::string&) {};
    return [what](std::size_t done, std::size_t total, const std::string& step) {
        std::string line = what + " " +
                           std::to_string(100 * done / std::max<std::size_t>(1, total)) +
                           "%  " + step;
        line.resize(std::min<std::size_t>(line.size(), 100));
        std::cerr << "\r\033[K" << line << std::flush;
    };
}

void end_progress()
{
    if (isatty(STDERR_FILENO))
        std::cerr << "\r\033[K" << std::flush;
}

} // namespace cldsp::bench
