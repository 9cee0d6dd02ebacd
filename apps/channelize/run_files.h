// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Keeps a run from writing a file that it reads, or one file twice.

#pragma once

#include <map>
#include <string>
#include <utility>

namespace cldsp::app {

/*!
 * The files that a run reads and writes. One file may have several names: by links, other
 * paths, or a file system that ignores case. So they are compared by what the system
 * calls them, once they are open.
 */
class run_files
{
public:
    //! Adds a file that the run reads; what it is, for a message.
    void keep(const std::string& name, const std::string& what);
    //! Adds an open output. Devices are no files, and are not compared.
    //! \throws std::runtime_error if the run reads it, or writes it under another name
    void add(int file, const std::string& name);
    //! \throws std::runtime_error if an output of the run has this name already
    void refuse_written(const std::string& name) const;

private:
    using identity = std::pair<unsigned long long, unsigned long long>;
    std::map<identity, std::string> d_kept, d_written;
};

} // namespace cldsp::app
