/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "planning/plan_measurement.h"

#include <algorithm>
#include <set>
#include <utility>

namespace cldsp {

namespace {

// Small differences are noise, and the host needs no driver.
constexpr double device_must_win_by = 1.05;

// Predictions within this factor of the best are measured ...
constexpr double close_factor = 2.5;
// ... and the best of a kind of device and algorithm within this one: the model knows
// single devices badly.
constexpr double hopeless_factor = 8;

} // namespace

double handicapped(const plan_candidate& candidate, double seconds)
{
    return candidate.device.is_host() ? seconds : seconds * device_must_win_by;
}

std::vector<std::size_t> measurement_order(const std::vector<plan_candidate>& candidates,
                                           const std::set<std::size_t>& excluded)
{
    std::vector<std::size_t> sorted;
    for (std::size_t i = 0; i < candidates.size(); i++)
        if (!excluded.count(i))
            sorted.push_back(i);
    const auto predicted = [&](std::size_t i) {
        return handicapped(candidates[i], candidates[i].predicted);
    };
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
        return predicted(a) < predicted(b);
    });

    std::vector<std::size_t> order;
    std::set<std::pair<device_kind, std::string>> kinds;
    for (const auto i : sorted) {
        const double ratio = predicted(i) / predicted(sorted[0]);
        const bool first =
            kinds.emplace(candidates[i].device.kind, candidates[i].algorithm).second;
        if (ratio <= (first ? hopeless_factor : close_factor))
            order.push_back(i);
    }
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
        return candidates[i].device.is_host();
    });
    return order;
}

} // namespace cldsp
