// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Chooses the devices that share a bank, and the part of each.

#pragma once

#include "freq_xlating/group_selection.h"

namespace cldsp {

//! Whether a bank's options name several devices, over which its channels are shared.
bool shares_channels(const filter_request& request);

/*!
 * Chooses the executors of a bank whose channels are shared over several devices. Each
 * device has the executor of its part, chosen as that of a bank on this device alone. The
 * parts are sized by the rates of calls that all devices compute together, and the answer
 * is remembered.
 *
 * \throws std::invalid_argument for options that a device cannot satisfy
 */
filter_selection select_shares(const filter_request& request);

//! Whether a new plan of such a bank would probably be clearly faster.
bool shares_are_outdated(const chosen_plan& plan, const filter_request& request);

} // namespace cldsp
