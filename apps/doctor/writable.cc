// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tries to make a file in the folder, or in its nearest parent that exists.

#include "doctor/writable.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <system_error>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace cldsp::app {

namespace {

namespace fs = std::filesystem;

//! The folder, or its nearest parent folder that exists.
fs::path existing_part(fs::path path)
{
    std::error_code ignored;
    while (!fs::exists(fs::symlink_status(path, ignored)) && path.has_relative_path())
        path = path.parent_path();
    return path;
}

} // namespace

std::string why_not_writable(const std::string& folder)
{
    const fs::path there = existing_part(folder);
    std::error_code ignored;
    if (!fs::is_directory(there, ignored))
        return there.string() + " is no folder";
    struct statvfs system = {};
    if (::statvfs(there.c_str(), &system) == 0 && (system.f_flag & ST_RDONLY))
        return there.string() + " is on a file system that is mounted read-only";
    if (::access(there.c_str(), W_OK) != 0)
        return "you may not write to " + there.string();
    // Some file systems, such as /proc, refuse writing although the file modes allow it.
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return "no folder can be made in " + there.string() + ": " + error.message();
    std::string probe = folder + "/writable-XXXXXX";
    const int file = ::mkstemp(probe.data());
    if (file < 0)
        return "no file can be made in " + folder + ": " +
               std::generic_category().message(errno);
    ::close(file);
    ::unlink(probe.c_str());
    return "";
}

} // namespace cldsp::app
