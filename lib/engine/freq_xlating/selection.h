/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/thread_pool.h"
#include "filter/filter_executor.h"
#include "freq_xlating/cost_model.h"
#include "planning/selection.h"

#include <cldsp/context.h>
#include <cldsp/filter_problem.h>

#include <memory>
#include <string>

namespace cldsp {

//! The executor that computes a bank, and the plan that led to it.
using filter_selection = selection<filter_executor>;

/*!
 * As select_filter(), for a bank of a single decimation. Executors that take turns can
 * share the threads of one pool.
 *
 * \param pool the threads of the host; made when they are needed, if null
 * \param max_seconds the longest time for measurements, if it is less than usual
 */
filter_selection select_decimation(const freq_xlating_filter_bank_problem& problem,
                                   const freq_xlating_filter_bank_options& options,
                                   context_registry& registry,
                                   std::shared_ptr<thread_pool> pool = nullptr,
                                   double max_seconds = 1);

//! As host_instead(), for a bank of a single decimation.
filter_selection decimation_on_host(const freq_xlating_filter_bank_problem& problem,
                                    const freq_xlating_filter_bank_options& options,
                                    const host_rates& rates,
                                    const std::string& why,
                                    std::shared_ptr<thread_pool> pool = nullptr);

/*!
 * Chooses the executor for a problem. choose_plan() picks it among every algorithm,
 * device and transfer that the options leave open.
 *
 * \throws std::invalid_argument for options that no candidate satisfies
 */
filter_selection select_filter(const freq_xlating_filter_bank_problem& problem,
                               const freq_xlating_filter_bank_options& options,
                               context_registry& registry);

/*!
 * An executor on the host, in place of a device that failed. It is chosen by the
 * predictions alone, so that a stream does not wait for a measurement.
 *
 * \param rates the calibrated rates of the host
 * \param why the reason in a few words, for the plan
 */
filter_selection host_instead(const freq_xlating_filter_bank_problem& problem,
                              const freq_xlating_filter_bank_options& options,
                              const host_rates& rates,
                              const std::string& why);

} // namespace cldsp
