// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds out whether PoCL can compile, and lets one process at a time compile a program.

#include "base/hash.h"

#include <cldsp/errors.h>
#include <cldsp/pocl.h>

#include <string_view>
#include <system_error>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

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

std::string path_text()
{
    const char* path = std::getenv("PATH");
    return path ? "it is '" + std::string(path) + "'" : "it is not set";
}

//! Whether PoCL's compiler, which is Clang's, finds the linker that it starts.
bool has_linker()
{
    const char* path = std::getenv("PATH");
    if (!path)
        return false;
    const std::string_view folders = path;
    for (std::size_t begin = 0; begin <= folders.size();) {
        const auto end = std::min(folders.find(':', begin), folders.size());
        const std::string folder(folders.substr(begin, end - begin));
        if (!folder.empty() && ::access((folder + "/ld").c_str(), X_OK) == 0)
            return true;
        begin = end + 1;
    }
    return false;
}

std::string why_not_folder_to_compile(const std::string& pocl_folder,
                                      std::uint64_t min_free_bytes,
                                      const std::string& ends)
{
    std::error_code ignored;
    fs::path there = fs::absolute(pocl_folder, ignored);
    struct statvfs system = {};
    while (::statvfs(there.c_str(), &system) != 0) {
        if (!there.has_relative_path())
            return "";
        there = there.parent_path(); // PoCL will make the folder
    }
    const std::string where =
        " in " + pocl_folder + ", where PoCL keeps what it compiles";
    if (system.f_flag & ST_NOEXEC)
        return ends + "no program can be run" + where +
               ", because that is mounted noexec; let POCL_CACHE_DIR name another folder";
    const std::uint64_t free_bytes = std::uint64_t(system.f_bavail) * system.f_frsize;
    if (free_bytes < min_free_bytes)
        return ends + mebibytes(free_bytes) + " of the necessary " +
               mebibytes(min_free_bytes) + " are free" + where;
    // Some file systems do not count their files.
    if (system.f_files > 0 && system.f_favail < min_free_files)
        return ends + "there is room for only " + std::to_string(system.f_favail) +
               " more files" + where;
    return "";
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

bool pocl_starts_linker(const std::string& driver_version)
{
    constexpr int first_with_its_own = 7;
    const int major = std::atoi(driver_version.c_str());
    return major > 0 && major < first_with_its_own;
}

std::string why_not_safe_to_compile(const std::string& pocl_folder,
                                    std::uint64_t min_free_bytes,
                                    bool starts_linker)
{
    const std::string ends = "PoCL would end the process when it compiles: ";
    struct rlimit file_size = {};
    if (::getrlimit(RLIMIT_FSIZE, &file_size) == 0 &&
        file_size.rlim_cur != RLIM_INFINITY && file_size.rlim_cur < min_free_bytes)
        return ends + "this process may write files of at most " +
               mebibytes(file_size.rlim_cur) + " (ulimit -f), and " +
               mebibytes(min_free_bytes) + " are necessary";
    if (starts_linker && !has_linker())
        return ends + "its compiler finds no linker, the program ld, on the PATH (" +
               path_text() + "); the package binutils has it";
    return why_not_folder_to_compile(pocl_folder, min_free_bytes, ends);
}

// A lock for each program would leave as many files behind. Programs that share one of a
// few locks wait for each other.
void run_compiler(const std::string& platform_name,
                  const std::string& program,
                  const std::function<void()>& action,
                  const lock_waiting& waiting)
{
    if (is_pocl(platform_name))
        run_locked(pocl_cache_folder() + "/.gr-cldsp-lock-" + hash_text(program)[0],
                   action,
                   waiting);
    else
        action();
}

} // namespace cldsp
