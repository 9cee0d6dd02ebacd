// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Removes compiled programs that were not used for longest.

#pragma once

#include <cldsp/locked_file.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace cldsp {

/*!
 * Removes compiled programs from a cache folder, the least recently used ones first,
 * until the others take no more than \p keep_bytes. It also removes the temporary files
 * of writers whose process ended suddenly. Never throws.
 *
 * \return the number of programs that were removed
 */
std::size_t remove_programs(const std::string& folder,
                            std::uint64_t keep_bytes,
                            const lock_waiting& waiting = lock_waiting());

} // namespace cldsp
