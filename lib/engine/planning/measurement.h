// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures the candidates of a plan against each other.

#pragma once

#include "planning/planner.h"

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace cldsp {

//! \throws planning_stopped if the owner of the request no longer wants an answer
void throw_if_stopped(const plan_request& request);

//! The seconds by which candidates are compared: those of a device are multiplied by the
//! factor by which it has to beat the host.
double handicapped(const plan_candidate& candidate, double seconds);

/*!
 * The candidates to measure, in the order of their first looks. These are the best
 * predicted candidate of each kind of device and algorithm, unless it is hopeless, and
 * all candidates whose predictions are close to the best. The host's come first, and of
 * these, as of the devices', the best candidate of each variant.
 *
 * \param candidates all candidates
 * \param excluded candidates that are known to fail
 */
std::vector<std::size_t> measurement_order(const std::vector<plan_candidate>& candidates,
                                           const std::set<std::size_t>& excluded);

//! The time that making the candidates may take, in addition to that for measuring them
//! and as a fraction of it. Making takes long where drivers compile.
constexpr double making_share = 1.5;

//! The result of measuring one candidate.
struct plan_measurement {
    std::size_t index;
    double seconds;                    //!< seconds of a typical call
    std::unique_ptr<plan_trial> trial; //!< null: the candidate dropped out early
};

/*!
 * Measures the candidates of measurement_order(), at least one, for request.seconds.
 * Making them may take making_share of that in addition. A call, or the making of
 * a candidate, that has begun is not interrupted, and the first candidate of each device
 * gets a few calls even if the time is over.
 *
 * \param request the problem, and how long planning may take
 * \param candidates all candidates
 * \param excluded candidates that are known to fail; those that fail here are added
 * \param failed called with each candidate that fails here, and its exception
 * \param verify called with each trial on a device before its calls are timed; throws if
 *        the device's outputs are not the host's
 * \return the measured candidates, the fastest first
 */
std::vector<plan_measurement>
measure_candidates(const plan_request& request,
                   const std::vector<plan_candidate>& candidates,
                   std::set<std::size_t>& excluded,
                   const std::function<void(std::size_t, std::exception_ptr)>& failed,
                   const std::function<void(std::size_t, plan_trial&)>& verify);

} // namespace cldsp
