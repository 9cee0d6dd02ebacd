/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/errors.h>
#include <cldsp/pocl.h>

#include <system_error>
#include <cstdlib>
#include <filesystem>

#include <sys/statvfs.h>

namespace cldsp {

namespace fs = std::filesystem;

namespace {

//! The number of files that must still fit on the disk: PoCL makes a folder and a few
//! files for each program.
constexpr fsfilcnt_t min_free_files = 64;

std::string mebibytes(std::uint64_t bytes)
{
    return fixed_text(static_cast<double>(bytes) / (1 << 20), 1) + " MiB";
}

} // namespace

bool is_pocl(const std::string& platform_name)
{
    return platform_name.find("Portable Computing Language") != std::string::npos;
}

std::string pocl_cache_folder()
{
    if (const char* folder = std::getenv("POCL_CACHE_DIR"))
        return folder;
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && cache[0])
        return std::string(cache) + "/pocl";
    if (const char* home = std::getenv("HOME"))
        return std::string(home) + "/.cache/pocl";
    return "/tmp/pocl";
}

std::string why_no_room_to_compile(const std::string& pocl_folder,
                                   std::uint64_t min_free_bytes)
{
    std::error_code ignored;
    fs::path there = fs::absolute(pocl_folder, ignored);
    struct statvfs system = {};
    while (::statvfs(there.c_str(), &system) != 0) {
        if (!there.has_relative_path())
            return "";
        there = there.parent_path(); // PoCL will make the folder
    }
    const std::string where = " in " + pocl_folder +
                              ", where PoCL keeps what it compiles; "
                              "on a full disk it would end the process";
    const std::uint64_t free_bytes = std::uint64_t(system.f_bavail) * system.f_frsize;
    if (free_bytes < min_free_bytes)
        return mebibytes(free_bytes) + " of the necessary " + mebibytes(min_free_bytes) +
               " are free" + where;
    // Some file systems do not count their files.
    if (system.f_files > 0 && system.f_favail < min_free_files)
        return "there is room for only " + std::to_string(system.f_favail) +
               " more files" + where;
    return "";
}

void run_compiler(const std::string& platform_name,
                  const std::function<void()>& action,
                  const lock_waiting& waiting)
{
    if (is_pocl(platform_name))
        run_locked(pocl_cache_folder() + "/.gr-cldsp-lock", action, waiting);
    else
        action();
}

} // namespace cldsp
