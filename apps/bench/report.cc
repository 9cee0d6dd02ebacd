// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Writes rates, errors and fractions of the roofline into tables and JSON.

#include "bench/report.h"
#include "output.h"

#include "common/results.h"
#include "common/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace cldsp::app {

namespace {

using nlohmann::ordered_json;

std::string name_of(const bench_row& row) { return row.device + " " + row.method; }

//! The seconds of the kernel alone if the device reports them, otherwise of the whole
//! call.
double computing_seconds(const bench_row& row)
{
    const double kernel = row.measured.kernel_median_seconds();
    return kernel > 0 ? kernel : row.measured.median_seconds();
}

double operations_per_second(const bench_row& row)
{
    const double seconds = computing_seconds(row);
    return seconds > 0 ? row.work.operations / seconds : 0;
}

//! The reason why the device of a row did not compute; empty: it did.
std::string idle_reason(const bench_row& row)
{
    if (!row.left_out.empty())
        return row.left_out;
    if (!row.measured.failure.empty())
        return row.measured.failure;
    const auto& plan = row.measured.plan;
    if (!plan || plan->device == row.device)
        return {};
    return plan->reason.empty() ? plan->engine() + " computes instead" : plan->reason;
}

} // namespace

bool all_correct(const bench_table& table)
{
    return std::all_of(table.rows.begin(), table.rows.end(), [](const bench_row& row) {
        return !row.left_out.empty() || row.measured.correct();
    });
}

std::vector<std::string> idle_devices(const std::vector<bench_table>& tables,
                                      const std::vector<device_info>& devices)
{
    std::vector<std::string> lines;
    for (const auto& device : devices) {
        std::size_t idle = 0, all = 0;
        std::string first;
        for (const auto& table : tables)
            for (const auto& row : table.rows) {
                if (row.device != device.id())
                    continue;
                const auto reason = idle_reason(row);
                if (!reason.empty() && idle++ == 0)
                    first = row.method + ": " + first_line(reason);
                all++;
            }
        if (idle && idle == all)
            lines.push_back("every kernel of " + device.id() + " ('" + device.name +
                            "') was refused or fell back to the host; " + first);
    }
    return lines;
}

std::string text_of(const bench_table& table)
{
    std::ostringstream text;
    text << table.workload << ": " << table.title << "\n\n";
    const std::string rate = "G" + table.operation + "/s";
    bench::table columns({ "device",
                           "kernel",
                           table.unit,
                           "+-",
                           rate == table.unit ? "computing" : rate,
                           table.operation + "/B",
                           "of roof",
                           "cores",
                           "error dB",
                           "ran" });
    std::ostringstream below;
    for (const auto& row : table.rows) {
        const auto& m = row.measured;
        if (!row.left_out.empty()) {
            below << "  left out: " << name_of(row) << ": " << row.left_out << "\n";
            continue;
        }
        if (!m.failure.empty()) {
            below << "  FAILED: " << name_of(row) << ": " << m.failure << "\n";
            continue;
        }
        columns.add(
            { row.device,
              row.method,
              bench::number(m.items_per_second() * table.scale),
              bench::spread_text(m),
              bench::or_dash(1e-9 * operations_per_second(row)),
              bench::or_dash(row.work.intensity()),
              row.roof_part > 0 ? bench::number(100 * row.roof_part, 2) + "%" : "-",
              bench::number(m.cores_in_use(), 2),
              bench::error_text(m),
              row.ran });
    }
    text << columns.text() << below.str();
    return text.str();
}

ordered_json json_of(const bench_table& table)
{
    ordered_json rows = ordered_json::array(), left_out = ordered_json::array();
    for (const auto& row : table.rows) {
        const auto& m = row.measured;
        ordered_json entry = { { "device", row.device }, { "kernel", row.method } };
        if (!row.left_out.empty()) {
            entry["reason"] = row.left_out;
            left_out.push_back(entry);
            continue;
        }
        entry["ran"] = m.note;
        entry.update(bench::json_of(m));
        if (!m.failure.empty()) {
            rows.push_back(entry);
            continue;
        }
        entry["rate"] = m.items_per_second() * table.scale;
        entry["operations_per_call"] = row.work.operations;
        entry["bytes_per_call"] = row.work.bytes;
        entry["operations_per_second"] = operations_per_second(row);
        entry["intensity"] = row.work.intensity();
        entry["roof_part"] = row.roof_part;
        rows.push_back(entry);
    }
    return { { "workload", table.workload },
             { "title", table.title },
             { "unit", table.unit },
             { "results", rows },
             { "left_out", left_out } };
}

} // namespace cldsp::app
