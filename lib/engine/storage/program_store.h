// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compiled programs in files: their paths, their format, and the marks of loading.

#pragma once

#include "storage/file_lock.h"

#include <cldsp/program_store.h>

#include <cstdint>
#include <optional>
#include <string>

namespace cldsp {

/*
 * Compiled programs on disk, each in a file of its own: a header with sizes and a
 * checksum, the whole key, and the binary from the driver. The modification time of a
 * file is the time of its last use, so that the least recently used one can be deleted
 * first.
 */

//! The path of a program's file in \p folder; \p name identifies the program.
std::string program_path(const std::string& folder, const std::string& name);

//! Notes the present time as the last use of a program, if its file may be changed.
void mark_program_used(const std::string& path);

//! The bytes of a file that stores a binary.
std::string pack_program_file(const std::string& key, const std::string& binary);

//! The binary from the bytes of a file; empty if they are damaged or do not belong to \p
//! key, and \p reason then says why.
std::optional<std::string> unpack_program_file(const std::string& bytes,
                                               const std::string& key,
                                               std::string& reason);

//! The path of the marker file that lies beside a program's file while a driver loads the
//! program.
std::string loading_mark_path(const std::string& program_path);

/*!
 * Marks a program's file while a driver loads it. A driver may end the process over a
 * binary that it cannot handle. Then the marker file stays, and tells the next process.
 */
class loading_mark
{
public:
    //! Never throws: if no marker file can be made, the program is loaded without one.
    explicit loading_mark(const std::string& program_path);
    ~loading_mark();
    loading_mark(const loading_mark&) = delete;
    loading_mark& operator=(const loading_mark&) = delete;

    //! Whether an earlier process ended while it was loading the program.
    bool was_left_behind() const { return d_was_left_behind; }

private:
    std::string d_path;
    file_descriptor d_file; // locked while this process loads
    bool d_was_left_behind = false;
};

} // namespace cldsp
