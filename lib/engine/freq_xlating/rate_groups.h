// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Groups the channels of a bank by rate, for executors of a single decimation.

#pragma once

#include "filter/filter_executor.h"

#include <cldsp/filter_problem.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! The problem of some channels of a bank.
freq_xlating_filter_bank_problem
problem_of_channels(const freq_xlating_filter_bank_problem& bank,
                    const std::vector<std::size_t>& channels);

/*!
 * Channels of a bank that one executor of a single decimation can compute.
 *
 * A rate of P outputs for Q items is computed as P decimations by Q: the outputs m =
 * phase, phase + P, ... are those of a filter with interpolated_taps().
 */
struct rate_group {
    rate_ratio rate;
    std::size_t phase = 0;             //!< below rate.interpolation
    std::vector<std::size_t> channels; //!< in ascending order

    //! The problem of the group's executor.
    freq_xlating_filter_bank_problem
    problem(const freq_xlating_filter_bank_problem& bank) const;
};

//! Adds a name to \p names, which have commas between them, unless it is among them.
void add_name(const std::string& name, std::string& names);

//! The groups of a bank, in the order of their first channels and of their phases.
std::vector<rate_group> rate_groups(const freq_xlating_filter_bank_problem& bank);

/*!
 * The executor of a bank whose channels have different rates, which are computed group by
 * group.
 *
 * \param groups the groups
 * \param executors one for each group
 */
std::unique_ptr<filter_executor>
make_grouped(const std::vector<rate_group>& groups,
             std::vector<std::unique_ptr<filter_executor>> executors,
             const std::vector<filter_channel>& channels);

/*!
 * The executor of a bank whose channels are divided into parts, each of which has an
 * executor of its own for channels of different rates.
 *
 * \param parts the channels of each part, in ascending order; each channel is in one part
 * \param executors one for each part
 */
std::unique_ptr<filter_executor>
make_divided(const std::vector<std::vector<std::size_t>>& parts,
             std::vector<std::unique_ptr<filter_executor>> executors);

} // namespace cldsp
