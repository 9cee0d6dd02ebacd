// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The choice of the executors that compute a bank on one device or on the host.

#pragma once

#include "freq_xlating/group_selection.h"

#include <string>

namespace cldsp {

/*!
 * Chooses how a bank is computed. Channels of one decimation are one group, with one
 * executor, see group_selection.h.
 *
 * Different rates are divided into sets. The channels of a set are computed in one of
 * three ways, see rate_ways.h: group by group, on the host with one forward transform for
 * all channels of the set, or directly on the host. The predictions propose a few
 * divisions, and calls of them are measured. Ways that would take much memory or many
 * seconds to make are not tried where there is another.
 *
 * \throws std::invalid_argument for options that leave no way open, or for a named
 *         variant that takes too much memory
 */
filter_selection select_bank(const filter_request& request);

/*!
 * An executor on the host, in place of a device that failed.
 *
 * \param rates the calibrated rates of the host
 * \param why the reason in a few words, for the plan
 */
inline filter_selection host_instead(const freq_xlating_filter_bank_problem& problem,
                                     const freq_xlating_filter_bank_options& options,
                                     const host_rates& rates,
                                     const std::string& why)
{
    return select_bank({ problem, options, rates, nullptr, why });
}

//! Whether a new plan of the bank would probably be clearly faster. Groups of different
//! rates have plans of their own, which are not renewed one by one.
bool bank_is_outdated(const chosen_plan& plan, const filter_request& request);

} // namespace cldsp
