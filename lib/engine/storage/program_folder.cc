/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/locked_file.h>
#include <cldsp/program_folder.h>

#include "storage/file_lock.h"
#include "storage/program_file.h"

#include <system_error>
#include <algorithm>
#include <filesystem>
#include <vector>

namespace cldsp {

namespace fs = std::filesystem;

namespace {

constexpr auto prefix = "program-";
constexpr auto extension = ".bin";

struct program_entry {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t bytes = 0;
};

bool is_program(const fs::path& path) { return path.extension() == extension; }

// The files of writers and loaders bear the name of the program, and an ending of their
// own behind.
bool belongs_to_program(const fs::path& path)
{
    const std::string name = path.filename().string();
    return name.rfind(prefix, 0) == 0 && (is_program(path) || is_program(path.stem()));
}

fs::path program_of(const fs::path& path)
{
    return is_program(path) ? path : fs::path(path).replace_extension();
}

// What a process that came to a sudden end has left, and no other one needs: half a
// program, or the mark of a loader whose program is gone.
bool is_left_behind(const fs::path& path)
{
    const fs::path program = program_of(path);
    std::error_code ignored;
    return path == loading_mark_path(program)
               ? is_unlocked_file(path) && !fs::exists(program, ignored)
               : is_left_by_writer(path, program.filename());
}

// Programs, and halves of them, the last used first. A file that another process has just
// removed is none.
std::vector<program_entry> list(const std::string& folder)
{
    std::vector<program_entry> entries;
    std::error_code error;
    for (fs::directory_iterator i(folder, error), end; !error && i != end;
         i.increment(error)) {
        program_entry entry{ i->path(), {}, 0 };
        if (!belongs_to_program(entry.path))
            continue;
        std::error_code gone;
        entry.used = fs::last_write_time(entry.path, gone);
        if (!gone)
            entry.bytes = fs::file_size(entry.path, gone);
        if (!gone)
            entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        return a.used > b.used;
    });
    return entries;
}

} // namespace

std::string program_path(const std::string& folder, const std::string& name)
{
    return folder + "/" + prefix + name + extension;
}

void mark_program_used(const std::string& path)
{
    std::error_code ignored;
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

std::size_t remove_programs(const std::string& folder,
                            std::uint64_t keep_bytes,
                            const lock_waiting& waiting)
{
    std::size_t removed = 0;
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return removed;
    // The lock of all files here: with it held, nobody is about to write one.
    run_with_lock(
        folder + "/.lock",
        [&](bool is_locked) {
            std::uint64_t kept = 0;
            for (const auto& entry : list(folder)) {
                if (!is_program(entry.path))
                    continue;
                kept += entry.bytes;
                if (entry.bytes > 0 && kept <= keep_bytes)
                    continue;
                std::error_code ignored;
                if (fs::remove(entry.path, ignored))
                    removed++;
            }
            if (!is_locked)
                return; // half a program may be one that is being written
            for (const auto& entry : list(folder)) {
                std::error_code ignored;
                if (!is_program(entry.path) && is_left_behind(entry.path))
                    fs::remove(entry.path, ignored);
            }
        },
        waiting);
    return removed;
}

} // namespace cldsp
