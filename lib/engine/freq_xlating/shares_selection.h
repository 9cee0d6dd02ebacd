/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "freq_xlating/selection.h"

#include <cldsp/context.h>

namespace cldsp {

//! Whether a bank's options name several devices, over which its channels are shared.
bool shares_channels(const freq_xlating_filter_bank_problem& problem,
                     const freq_xlating_filter_bank_options& options);

/*!
 * As select_filter(), for a bank whose channels are shared over several devices. Each
 * device has an executor for its part, chosen as that of a bank on this device alone. The
 * parts are sized by the rates of calls that all devices compute together, and the answer
 * is remembered.
 *
 * \throws std::invalid_argument for options that a device cannot satisfy
 */
filter_selection select_shares(const freq_xlating_filter_bank_problem& problem,
                               const freq_xlating_filter_bank_options& options,
                               context_registry& registry);

//! As is_outdated(), for the plan of a bank whose channels are shared.
bool shares_are_outdated(const chosen_plan& plan,
                         const freq_xlating_filter_bank_problem& problem,
                         const freq_xlating_filter_bank_options& options,
                         context_registry& registry);

} // namespace cldsp
