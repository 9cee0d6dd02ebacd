// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The time of a short call, for those who measure points.

#pragma once

#include <cldsp/tuning_space.h>

#include <functional>
#include <string>
#include <vector>

namespace cldsp {

//! Why values are no point of a space: a parameter with its value and range, or a
//! constraint; empty: they are one.
std::string why_not_valid(const std::vector<tuning_parameter>& parameters,
                          const std::vector<tuning_constraint>& constraints,
                          const tuning_values& values);

/*!
 * The seconds of a short call: the lower quartile of many calls. As many calls are made
 * as fit into the time of a run, up to a limit.
 *
 * \param timed_call makes one call and returns the seconds it took
 */
double seconds_of_calls(const std::function<double()>& timed_call);

} // namespace cldsp
