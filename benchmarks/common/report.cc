/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "common/report.h"

#include <cldsp/errors.h>

#include <nlohmann/json.hpp>

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>

namespace cldsp::bench {

namespace {

bool is_number(const std::string& text)
{
    return !text.empty() &&
           text.find_first_not_of("0123456789.-%") == std::string::npos && text != ".";
}

std::string error_text(const measurement& m)
{
    const std::string text = number(m.error_db);
    return m.correct() ? text : text + " WRONG";
}

std::string or_dash(double value, int digits = 3)
{
    return value > 0 ? number(value, digits) : "-";
}

//! JSON has no infinity.
nlohmann::json finite(double value)
{
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

nlohmann::json name_json(const candidate_name& name)
{
    return { { "implementation", name.implementation },
             { "device", name.device },
             { "variant", name.variant },
             { "transfer", name.transfer },
             { "taps", name.taps } };
}

const measurement* fastest(const comparison& c)
{
    const measurement* best = nullptr;
    for (const auto& row : c.rows)
        if (row.name.implementation == "cldsp" && row.name.device != "auto" &&
            row.name.taps == "real" && row.correct() &&
            (!best || row.items_per_second() > best->items_per_second()))
            best = &row;
    return best;
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

const measurement* comparison::baseline_row() const
{
    for (const auto& row : rows)
        if ((row.name.implementation == baseline ||
             (baseline == "volk" && row.name.variant == baseline)) &&
            row.name.taps == "real" && !row.seconds.empty())
            return &row;
    return nullptr;
}

double comparison::ratio(const measurement& row) const
{
    const auto* base = baseline_row();
    return base ? row.items_per_second() / base->items_per_second() : 0;
}

std::string comparison_text(const comparison& c)
{
    std::ostringstream text;
    text << c.work.name << ": " << c.work.taps << " taps, decimation "
         << c.work.decimation;
    if (c.chunk)
        text << ", " << items_text(c.chunk) << " items per call";
    text << "\n\n";
    table t({ "implementation",
              "device",
              "variant",
              "transfer",
              "taps",
              "MS/s",
              "+-",
              "to " + c.baseline,
              "fastest",
              "kernel MS/s",
              "GFLOP/s",
              "error dB",
              "ran" });
    bool once = false;
    std::vector<const measurement*> failed;
    for (const auto& m : c.rows) {
        if (!m.failure.empty()) {
            failed.push_back(&m);
            continue;
        }
        const double rate = m.items_per_second();
        const double kernel = m.kernel_median_seconds();
        once = once || m.seconds.size() == 1;
        t.add({ m.name.implementation,
                m.name.device,
                m.name.variant.empty() ? "." : m.name.variant,
                m.name.transfer.empty() || m.name.transfer == "none" ? "."
                                                                     : m.name.transfer,
                m.name.taps,
                number(rate / 1e6),
                m.seconds.size() == 1 ? "once" : number(50 * m.spread(), 2) + "%",
                or_dash(c.ratio(m)),
                number(m.fastest_items_per_second() / 1e6),
                kernel > 0 ? number(static_cast<double>(m.items) / kernel / 1e6) : "-",
                number(rate * c.work.flops_per_item() / 1e9),
                error_text(m),
                m.note });
    }
    text << t.text();
    if (once)
        text << "  once: a call takes so long that it was timed once\n";
    for (const auto* m : failed)
        text << "  failed: " << m->name.text() << ": " << m->failure << "\n";
    for (const auto& s : c.left_out)
        text << "  left out: " << s.name.text() << ", " << s.name.taps
             << " taps: " << s.reason << "\n";
    return text.str();
}

std::string summary_text(const std::vector<comparison>& all)
{
    if (all.empty())
        return {};
    std::vector<std::string> baselines;
    for (const auto& c : all)
        baselines.push_back(c.baseline);
    table t({ "workload",
              "call",
              distinct(baselines) + " MS/s",
              "auto MS/s",
              "ratio",
              "ran",
              "best MS/s",
              "ratio",
              "which" });
    for (const auto& c : all) {
        const auto* base = c.baseline_row();
        const auto* best = fastest(c);
        const auto automatic =
            std::find_if(c.rows.begin(), c.rows.end(), [](const measurement& m) {
                return m.name.device == "auto" && m.name.taps == "real" &&
                       m.failure.empty();
            });
        const bool has = automatic != c.rows.end();
        t.add({ c.work.name,
                c.chunk ? items_text(c.chunk) : "flowgraph",
                base ? number(base->items_per_second() / 1e6) : "-",
                has ? number(automatic->items_per_second() / 1e6) : "-",
                has ? or_dash(c.ratio(*automatic)) : "-",
                has ? automatic->note : ".",
                best ? number(best->items_per_second() / 1e6) : "-",
                best ? or_dash(c.ratio(*best)) : "-",
                best ? best->name.text() : "." });
    }
    return t.text();
}

nlohmann::json to_json(const comparison& c)
{
    nlohmann::json rows = nlohmann::json::array();
    for (const auto& m : c.rows) {
        auto row = name_json(m.name);
        row["note"] = m.note;
        if (!m.failure.empty()) {
            row["failure"] = m.failure;
            rows.push_back(row);
            continue;
        }
        const double kernel = m.kernel_median_seconds();
        row["items_per_call"] = m.items;
        row["seconds_per_call"] = m.seconds;
        row["kernel_seconds_per_call"] = m.kernel_seconds;
        row["msps"] = m.items_per_second() / 1e6;
        if (kernel > 0)
            row["kernel_msps"] = static_cast<double>(m.items) / kernel / 1e6;
        row["fastest_msps"] = m.fastest_items_per_second() / 1e6;
        row["spread"] = m.spread();
        row["ratio"] = c.ratio(m);
        row["gflops"] = m.items_per_second() * c.work.flops_per_item() / 1e9;
        row["error_db"] = finite(m.error_db);
        row["bound_db"] = m.bound_db;
        row["correct"] = m.correct();
        rows.push_back(row);
    }
    nlohmann::json left_out = nlohmann::json::array();
    for (const auto& s : c.left_out) {
        auto entry = name_json(s.name);
        entry["reason"] = s.reason;
        left_out.push_back(entry);
    }
    return { { "workload", c.work.name },
             { "taps", c.work.taps },
             { "decimation", c.work.decimation },
             { "chunk", c.chunk },
             { "baseline", c.baseline },
             { "results", rows },
             { "left_out", left_out } };
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
