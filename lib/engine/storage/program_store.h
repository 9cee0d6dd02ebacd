/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "storage/file_lock.h"

#include <cldsp/program_store.h>

#include <cstdint>
#include <optional>
#include <string>

namespace cldsp {

/*
 * Compiled programs on disk, each in a file of its own: a header with sizes and a
 * checksum, the key in full, and what the driver gave. The time of a file's last change
 * is that of its last use, so that the oldest can go first.
 */

//! The file in \p folder of the program that \p name identifies.
std::string program_path(const std::string& folder, const std::string& name);

//! Notes that a program was used now, where its file may be changed.
void mark_program_used(const std::string& path);

//! The content of a file for a binary.
std::string pack_program_file(const std::string& key, const std::string& binary);

//! The binary in a file's content; empty, with \p reason set, if it is not a good one.
std::optional<std::string> unpack_program_file(const std::string& bytes,
                                               const std::string& key,
                                               std::string& reason);

//! The name of the file that stands beside a program's while a driver loads it.
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
