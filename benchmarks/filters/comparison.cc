// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Writes comparisons as text for a person, and as JSON.

#include "filters/comparison.h"

#include "common/results.h"
#include "common/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace cldsp::bench {

namespace {

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
                spread_text(m),
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
        row.update(nlohmann::json(json_of(m)));
        if (!m.failure.empty()) {
            rows.push_back(row);
            continue;
        }
        const double kernel = m.kernel_median_seconds();
        row["msps"] = m.items_per_second() / 1e6;
        if (kernel > 0)
            row["kernel_msps"] = static_cast<double>(m.items) / kernel / 1e6;
        row["fastest_msps"] = m.fastest_items_per_second() / 1e6;
        row["ratio"] = c.ratio(m);
        row["gflops"] = m.items_per_second() * c.work.flops_per_item() / 1e9;
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

} // namespace cldsp::bench
