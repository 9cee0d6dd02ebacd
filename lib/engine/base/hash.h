// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A short hash that names files and finds accidental damage in them.

#pragma once

#include <cstdint>
#include <string>

namespace cldsp {

/*!
 * The FNV-1a hash, which names files and finds accidental damage. Where a mix-up would do
 * harm, the full key is stored beside the hash, so that a collision costs no more than a
 * rebuild.
 */
std::uint64_t fnv1a(const std::string& bytes);
//! The hash of fnv1a() as 16 hexadecimal digits.
std::string hash_text(const std::string& bytes);

} // namespace cldsp
