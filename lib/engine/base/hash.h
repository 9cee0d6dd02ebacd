/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstdint>
#include <string>

namespace cldsp {

/*!
 * The FNV-1a hash: it names files and finds accidental damage. What must not be mistaken
 * keeps its key in full beside it, so that a collision costs a rebuild and no more.
 */
std::uint64_t fnv1a(const std::string& bytes);
//! The same in 16 hexadecimal digits.
std::string hash_text(const std::string& bytes);

} // namespace cldsp
