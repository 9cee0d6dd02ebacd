// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A copy past the caches, for data that the caches cannot hold.

#pragma once

#include <cstddef>

namespace cldsp {

/*!
 * Copies like std::memcpy(), past the caches where the processor can. An ordinary store
 * first loads the line that it writes, so that a copy between two places in memory moves
 * three bytes for two. Use this function for copies that the caches cannot hold.
 *
 * When it returns, other threads may read the copy after the usual synchronization.
 */
void streaming_copy(void* to, const void* from, std::size_t bytes);

} // namespace cldsp
