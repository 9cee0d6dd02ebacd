// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The choice of the executor that computes a filter or a bank.

#pragma once

#include "freq_xlating/group_selection.h"

namespace cldsp {

/*!
 * Chooses the executor of a filter or a bank: that of one group of channels, or those of
 * several groups (see bank_selection.h), or those of several devices (see
 * shares_selection.h).
 *
 * \throws std::invalid_argument for options that no candidate satisfies
 */
filter_selection select_filter(const filter_request& request);

} // namespace cldsp
