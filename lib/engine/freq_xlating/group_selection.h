// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The choice of one executor for channels of one decimation, on a device or the host.

#pragma once

#include "filter/filter_executor.h"
#include "filter/filter_task.h"
#include "planning/selection.h"

#include <cldsp/chosen_plan.h>

namespace cldsp {

//! The executor that computes a bank, and the plan that led to it.
using filter_selection = selection<filter_executor>;

/*!
 * Chooses the executor of a bank of one decimation. choose_plan() picks it among every
 * algorithm, device and transfer that the options leave open.
 *
 * \throws std::invalid_argument for options that no candidate satisfies
 */
filter_selection select_group(const filter_request& request);

//! What the host computes by predictions alone, until there is a plan.
filter_selection host_at_once(filter_selection selected);

//! Whether a new plan of such a bank would probably be clearly faster.
bool group_is_outdated(const chosen_plan& plan, const filter_request& request);

} // namespace cldsp
