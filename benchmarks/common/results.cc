// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What all tables and reports say of a measurement.

#include "common/results.h"

#include "common/text.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace cldsp::bench {

std::string or_dash(double value, int digits)
{
    return value > 0 ? number(value, digits) : "-";
}

std::string spread_text(const measurement& m)
{
    return m.seconds.size() == 1 ? "once" : number(50 * m.spread(), 2) + "%";
}

std::string error_text(const measurement& m)
{
    if (!m.correct())
        return number(m.error_db) + " WRONG";
    return std::isfinite(m.error_db) ? number(m.error_db) : "exact";
}

nlohmann::ordered_json json_of(const measurement& m)
{
    nlohmann::ordered_json json = { { "correct", m.correct() } };
    if (!m.failure.empty()) {
        json["failure"] = m.failure;
        return json;
    }
    json["items_per_call"] = m.items;
    json["seconds_per_call"] = m.seconds;
    json["kernel_seconds_per_call"] = m.kernel_seconds;
    json["spread"] = m.spread();
    json["cores_in_use"] = m.cores_in_use();
    // JSON has no infinity.
    json["error_db"] =
        std::isfinite(m.error_db) ? nlohmann::ordered_json(m.error_db) : nullptr;
    json["bound_db"] = m.bound_db;
    return json;
}

} // namespace cldsp::bench
