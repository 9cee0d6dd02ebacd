/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/bank_executor.h"
#include "freq_xlating/cost_model.h"

#include <cldsp/chosen_plan.h>

#include <memory>
#include <string>

namespace cldsp {

//! What computes a bank, and how that came about.
struct bank_selection {
    std::unique_ptr<bank_executor> executor;
    chosen_plan plan;
    bool fell_back = false; //!< the host although a device was asked for
};

/*!
 * Picks what computes a problem, see choose_plan(), among all that the options leave
 * open.
 *
 * \throws std::invalid_argument for options that nothing here can satisfy
 */
bank_selection select_bank(const freq_xlating_filter_bank_problem& problem,
                           const freq_xlating_filter_bank_options& options,
                           context_registry& registry);

//! The host in place of a device: chosen by the predictions alone, so that a stream does
//! not wait for a measurement.
bank_selection select_host_bank(const freq_xlating_filter_bank_problem& problem,
                                const freq_xlating_filter_bank_options& options,
                                const host_rates& rates);

} // namespace cldsp
