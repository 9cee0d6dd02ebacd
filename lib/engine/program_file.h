/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cldsp {

/*
 * The file of one program binary: a header with sizes and a checksum, the key in full,
 * and what the driver gave.
 */

/*!
 * The FNV-1a hash: names files and finds accidental damage. Whether a file is the right
 * one is decided by its key in full, so that a collision costs a rebuild and no more.
 */
std::uint64_t fnv1a(const std::string& bytes);
//! The same in 16 hexadecimal digits.
std::string hash_text(const std::string& bytes);

//! The content of a file for a binary.
std::string pack_program_file(const std::string& key, const std::string& binary);

//! The binary in a file's content; empty, with \p reason set, if it is not a good one.
std::optional<std::string> unpack_program_file(const std::string& bytes,
                                               const std::string& key,
                                               std::string& reason);

} // namespace cldsp
