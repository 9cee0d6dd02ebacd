// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A point in time from which a frequency is constant or changes linearly.

#pragma once

#include <cstdint>
#include <vector>

namespace cldsp {

/*!
 * One point of a frequency that changes with time: from item \p sample on, the frequency
 * at item n is hz + hz_per_second (n - sample) / sampling_freq, until the next point.
 */
struct frequency_point {
    std::int64_t sample = 0;  //!< counted since the stream began, 0 to 2^62
    double hz = 0;            //!< any finite value
    double hz_per_second = 0; //!< any finite value

    static constexpr std::int64_t max_sample = std::int64_t(1) << 62;
};

//! \throws std::invalid_argument naming the value, e.g. points[3].hz, unless all are in
//! their ranges and the samples rise
void check_points(const std::vector<frequency_point>& points);

} // namespace cldsp
