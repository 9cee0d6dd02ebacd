/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/locked_file.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace cldsp {

/*
 * The files in which program_cache keeps compiled programs. Their modification time is
 * the time of their last use.
 */

//! The path in \p folder of the program with the name \p name.
std::string program_path(const std::string& folder, const std::string& name);

//! Records that a program was used now, if its file may be changed.
void mark_program_used(const std::string& path);

/*!
 * Removes the least recently used programs, until the others take no more than
 * \p keep_bytes, and the files that writers left when they ended suddenly. Never throws.
 *
 * \return how many programs were removed
 */
std::size_t remove_programs(const std::string& folder,
                            std::uint64_t keep_bytes,
                            const lock_waiting& waiting = lock_waiting());

} // namespace cldsp
