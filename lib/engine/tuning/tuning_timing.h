/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/tuner.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cldsp {

//! A point of which each of the first runs is this many times slower than the best has
//! no more.
constexpr double hopeless_factor = 3;
constexpr std::size_t hopeless_runs = 2;

//! The lower quartile: interruptions only make a run longer, and the quarter of the runs
//! with the fewest of them tells most. There is at least one.
double undisturbed(std::vector<double> seconds);

/*!
 * A short call's seconds: as many calls as fit into a run's time, but not too many.
 *
 * \param timed_call calls once. \return the seconds it took
 */
double seconds_of_calls(const std::function<double()>& timed_call);

//! The times of one point's runs.
class run_times
{
public:
    //! \throws std::runtime_error for what is no time
    void add(double seconds);
    std::size_t count() const { return d_seconds.size(); }
    double seconds() const { return undisturbed(d_seconds); }
    double least() const { return *std::min_element(d_seconds.begin(), d_seconds.end()); }

private:
    std::vector<double> d_seconds;
};

//! Marks a point as failed.
void pass_over(tuned_point& point, const std::string& why);
//! Runs the trial's check; a point that is wrong is passed over.
void check_error(tuning_trial& trial, double tolerance, tuned_point& point);

//! Times of points that were run in turns, infinity for those that failed.
struct turns_result {
    std::vector<double> seconds;
    std::optional<std::size_t> winner; //!< of the points; empty: all failed
};

/*!
 * Runs points one after the other, round by round, so that what disturbs the machine
 * disturbs all of them. The first, the default, wins unless another is faster than it by
 * more than the rest of the noise. Each is checked once more; those that fail are passed
 * over.
 *
 * \param over asked after each round, the first included
 * \return empty: stopped
 */
std::optional<turns_result> measure_in_turns(tunable& kernel,
                                             const std::vector<tuned_point*>& points,
                                             const std::function<bool()>& stopped,
                                             const std::function<bool()>& over);

} // namespace cldsp
