/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "planning/planner.h"

#include <string>
#include <vector>

namespace cldsp {

//! All that a measurement's answer depends on: the problem, the devices with their
//! drivers, the host, the kernels' source.
std::string plan_key(const plan_request& request,
                     const std::vector<plan_candidate>& candidates,
                     const context_registry& registry);

} // namespace cldsp
