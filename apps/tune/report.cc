// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Prints the best values, the speedup, and how the tuning ended.

#include "tune/report.h"

#include "output.h"

#include "common/text.h"

#include <cldsp/errors.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>

namespace cldsp::app {

namespace {

using nlohmann::ordered_json;

std::string count_text(std::size_t count, const char* what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

//! JSON has no infinity.
ordered_json finite(double value)
{
    return std::isfinite(value) && value > 0 ? ordered_json(value) : ordered_json();
}

} // namespace

void print_tuning(const tuning_outcome& o)
{
    const auto& r = o.result;
    std::cout << o.what.name() << ": " << o.what.kernel.description << ", "
              << o.what.items << " " << o.what.kernel.items << "\n  ";
    if (std::isfinite(r.default_seconds) && r.default_seconds > 0)
        std::cout << "default " << quantity_text(r.default_seconds, "s") << ", ";
    else if (!r.points.empty())
        std::cout << "the default failed (" << r.points[0].failure << "), ";
    if (r.best)
        std::cout << "best " << quantity_text(r.seconds, "s") << ", speedup "
                  << bench::number(r.speedup()) << ": "
                  << (*r.best == 0 ? "the default, " : "")
                  << r.points[*r.best].point.text();
    else
        std::cout << "nothing found";
    std::cout << "\n  " << r.strategy << ": " << count_text(r.points.size(), "point")
              << " in " << fixed_text(r.elapsed, 1) << " s, " << r.failed << " failed; "
              << tuning_ending_text(r.ending) << "\n"
              << std::flush;
}

ordered_json tuning_json(const tuning_outcome& o)
{
    const auto& r = o.result;
    ordered_json failures = ordered_json::array();
    for (const auto& p : r.points)
        if (!p.good())
            failures.push_back({ { "values", p.point.by_name() }, { "why", p.failure } });
    ordered_json entry = { { "kernel", o.what.kernel.name },
                           { "device", o.what.device.id() },
                           { "name", o.what.device.name },
                           { "family", o.family },
                           { "problem", o.problem.text() },
                           { "items", o.what.items },
                           { "strategy", r.strategy },
                           { "default_seconds", finite(r.default_seconds) },
                           { "seconds", finite(r.best ? r.seconds : 0) },
                           { "speedup", r.speedup() },
                           { "default_values", o.shipped },
                           { "values", nullptr },
                           { "points", r.points.size() },
                           { "failed", r.failed },
                           { "elapsed", r.elapsed },
                           { "ending", tuning_ending_text(r.ending) },
                           { "confirmed", r.confirmed },
                           { "failures", failures } };
    if (r.best)
        entry["values"] = r.points[*r.best].point.by_name();
    return entry;
}

} // namespace cldsp::app
