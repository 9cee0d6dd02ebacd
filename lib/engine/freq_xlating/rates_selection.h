/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "freq_xlating/selection.h"

namespace cldsp {

/*!
 * As select_filter(), for a bank whose channels have different rates.
 *
 * The rates are divided into sets. The channels of a set are computed in one of three
 * ways: group by group, each group with an executor that is chosen as that of a bank with
 * a single decimation (see rate_groups.h), where the set has one rate; on the host, with
 * one forward transform for all channels of the set (see host_multirate.h); or directly
 * on the host, where the set has one rational rate (see host_resampler.h).
 *
 * The predictions propose a few divisions, and calls of them are measured. Ways that
 * would take much memory or many seconds to make are not tried where there is another.
 *
 * \throws std::invalid_argument for options that leave no way open, or for a named
 *         variant that takes too much memory
 */
filter_selection select_rates(const freq_xlating_filter_bank_problem& problem,
                              const freq_xlating_filter_bank_options& options,
                              context_registry& registry);

//! As host_instead(), for a bank whose channels have different rates.
filter_selection rates_on_host(const freq_xlating_filter_bank_problem& problem,
                               const freq_xlating_filter_bank_options& options,
                               const host_rates& rates,
                               const std::string& why);

} // namespace cldsp
