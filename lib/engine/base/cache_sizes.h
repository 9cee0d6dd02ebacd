// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Asks the system for the sizes of a core's caches.

#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace cldsp {

//! Where Linux describes the caches of the first core.
constexpr const char* system_caches = "/sys/devices/system/cpu/cpu0/cache";

/*!
 * The bytes of the second-level cache of a core; nothing if the system does not tell.
 * sysconf() knows them on x86, and says 0 on arm64, where the kernel's description has
 * them if the board's device tree does.
 *
 * \param caches the folder of that description
 */
std::optional<std::size_t>
second_level_cache_bytes(const std::string& caches = system_caches);

//! The bytes of the cache that a core has alone, for decisions about speed: never
//! nothing, and within limits that hold for any processor.
std::size_t core_cache_bytes();

//! The bytes of the largest cache; nothing if the system does not tell.
std::optional<std::size_t> largest_cache_bytes(const std::string& caches = system_caches);

//! The bytes of a level's cache from the description alone.
std::optional<std::size_t> described_cache_bytes(const std::string& caches, int level);

} // namespace cldsp
