/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/filter_executor.h"
#include "freq_xlating/cost_model.h"
#include "planning/selection.h"

#include <cldsp/context.h>
#include <cldsp/filter_problem.h>

#include <string>

namespace cldsp {

//! What computes a bank, and how that came about.
using filter_selection = selection<filter_executor>;

/*!
 * Picks what computes a problem: what choose_plan() finds among every algorithm, device
 * and transfer that the options leave open.
 *
 * \throws std::invalid_argument for options that nothing here can satisfy
 */
filter_selection select_filter(const freq_xlating_filter_bank_problem& problem,
                               const freq_xlating_filter_bank_options& options,
                               context_registry& registry);

/*!
 * The host in place of a device that failed: by the predictions alone, so that a stream
 * does not wait for a measurement.
 *
 * \param rates as the host was calibrated
 * \param why in a few words, for the plan
 */
filter_selection host_instead(const freq_xlating_filter_bank_problem& problem,
                              const freq_xlating_filter_bank_options& options,
                              const host_rates& rates,
                              const std::string& why);

} // namespace cldsp
