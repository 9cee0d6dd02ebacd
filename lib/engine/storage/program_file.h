/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "storage/file_lock.h"

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

//! What the file is named that stands beside a program's while a driver loads it.
std::string loading_mark_path(const std::string& program_path);

/*!
 * Notes beside a program's file that a driver loads it now. A driver may end the process
 * over a binary that it does not like; then the mark stays, and the next process knows.
 */
class loading_mark
{
public:
    //! Never throws: where no mark can be made, there is none.
    explicit loading_mark(const std::string& program_path);
    ~loading_mark();
    loading_mark(const loading_mark&) = delete;
    loading_mark& operator=(const loading_mark&) = delete;

    //! Whether a process has ended while it loaded the program.
    bool was_left_behind() const { return d_was_left_behind; }

private:
    std::string d_path;
    file_descriptor d_file; // locked while this process loads
    bool d_was_left_behind = false;
};

} // namespace cldsp
