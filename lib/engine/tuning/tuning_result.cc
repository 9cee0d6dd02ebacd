/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/tuner.h>

#include <cmath>
#include <cstdio>

namespace cldsp {

namespace {

std::string milliseconds(double seconds)
{
    char text[40];
    std::snprintf(text, sizeof(text), "%.4g ms", seconds * 1e3);
    return text;
}

} // namespace

std::string tuning_problem::text() const
{
    std::string all = type;
    for (const auto& [name, value] : numbers) {
        char number[40];
        std::snprintf(number, sizeof(number), "%.15g", value);
        all += (all.empty() ? "" : " ") + name + "=" + number;
    }
    return all;
}

std::string tuning_ending_text(tuning_ending ending)
{
    switch (ending) {
    case tuning_ending::finished:
        return "every point of the strategy was measured";
    case tuning_ending::evaluations:
        return "as many points as allowed were measured";
    case tuning_ending::time:
        return "the time was over";
    default:
        return "it was stopped";
    }
}

double tuning_result::speedup() const
{
    return best && std::isfinite(default_seconds) && seconds > 0
               ? default_seconds / seconds
               : 1;
}

std::string tuning_result::text() const
{
    std::string all = strategy + ": " + std::to_string(points.size()) + " points in ";
    char number[40];
    std::snprintf(number, sizeof(number), "%.1f s", elapsed);
    all += number;
    if (failed)
        all += ", " + std::to_string(failed) + " of them passed over";
    all += "; " + tuning_ending_text(ending) + "; ";
    if (!best)
        return all + "none was right";
    all += "best: " + points[*best].point.text() + ", " + milliseconds(seconds);
    if (!points[0].good())
        return all + "; the default is passed over: " + points[0].failure;
    std::snprintf(number, sizeof(number), "%.2f", speedup());
    return all + (*best == 0
                      ? ", the default"
                      : ", " + std::string(number) + " times as fast as the default");
}

} // namespace cldsp
