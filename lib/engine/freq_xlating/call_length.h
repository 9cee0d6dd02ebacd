// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Whether the owner of a bank should bring long calls, for a device with its own memory.

#pragma once

#include "freq_xlating/group_selection.h"

#include <functional>

namespace cldsp {

//! Whether the options leave the length of calls open.
bool has_longer_calls(const freq_xlating_filter_bank_options& options);

/*!
 * Chooses the length of a bank's calls, and the executor for it. A device with memory of
 * its own needs longer calls than the host. The host may be slower in long calls, because
 * they do not fit its cache, or faster, because it has many threads to wake. So long calls
 * are chosen if such a device is the fastest in them, or if the host is, and they are
 * clearly faster than usual ones.
 *
 * \param select selects the executor for calls of the typical_items of a request
 */
filter_selection select_call_length(
    const filter_request& request,
    const std::function<filter_selection(const filter_request&)>& select);

} // namespace cldsp
