/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "planning/planner.h"

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace cldsp {

//! \throws planning_stopped if the request's owner wants no answer any more
void throw_if_stopped(const plan_request& request);

//! Seconds with what a device has to win by added: what candidates are compared by.
double handicapped(const plan_candidate& candidate, double seconds);

/*!
 * The candidates to measure, in the order of first looks: of each kind of device and
 * algorithm the best predicted, as long as it is not hopeless, and all whose predictions
 * are close to the best; the host's before the devices'.
 *
 * \param excluded candidates that are known to fail
 */
std::vector<std::size_t> measurement_order(const std::vector<plan_candidate>& candidates,
                                           const std::set<std::size_t>& excluded);

//! What a measurement showed of one candidate.
struct plan_measurement {
    std::size_t index;
    double seconds;                    //!< of a typical call
    std::unique_ptr<plan_trial> trial; //!< null: it was out too early
};

/*!
 * Measures the candidates of measurement_order(), one at least, for request.seconds, and
 * as long again and a half for making them; a call or a making that has begun is not
 * interrupted.
 *
 * \param excluded candidates that are known to fail; those that turn out to are added
 * \param failed told each of them, and why
 * \param verify called with each device's trial before its calls are timed; throws where
 *        it computes something else than the host
 * \return those measured, the fastest first
 */
std::vector<plan_measurement>
measure_candidates(const plan_request& request,
                   const std::vector<plan_candidate>& candidates,
                   std::set<std::size_t>& excluded,
                   const std::function<void(std::size_t, std::exception_ptr)>& failed,
                   const std::function<void(std::size_t, plan_trial&)>& verify);

} // namespace cldsp
