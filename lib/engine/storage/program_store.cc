// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Packs and checks files of compiled programs, and deletes the least recently used ones.

#include "storage/program_store.h"

#include "base/hash.h"
#include "storage/file_lock.h"

#include <cldsp/locked_file.h>

#include <system_error>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cldsp {

namespace fs = std::filesystem;

namespace {

// A file begins with this header, followed by the whole key and the driver's binary.
// Integers have the byte order of the machine: with another order the magic number does
// not match.
struct file_header {
    std::uint64_t magic = 0x31505344'4c432d67u;
    std::uint64_t key_bytes = 0;
    std::uint64_t binary_bytes = 0;
    std::uint64_t checksum = 0; // checksum of the binary
};

constexpr auto prefix = "program-";
constexpr auto extension = ".bin";

struct program_entry {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t bytes = 0;
};

bool is_program(const fs::path& path) { return path.extension() == extension; }

// Whether a file belongs to a program. Temporary files of writers and markers of loaders
// have the program's name and another ending after it.
bool belongs_to_program(const fs::path& path)
{
    const std::string name = path.filename().string();
    return name.rfind(prefix, 0) == 0 && (is_program(path) || is_program(path.stem()));
}

fs::path program_of(const fs::path& path)
{
    return is_program(path) ? path : fs::path(path).replace_extension();
}

// Whether a file was left by a process that ended suddenly, and nobody needs it: an
// incomplete program, or the marker of a loader whose program is gone.
bool is_left_behind(const fs::path& path)
{
    const fs::path program = program_of(path);
    std::error_code ignored;
    return path == loading_mark_path(program)
               ? is_unlocked_file(path) && !fs::exists(program, ignored)
               : is_left_by_writer(path, program.filename());
}

// Lists programs and their other files, the last used first. Files that another process
// has just removed are left out.
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

std::string pack_program_file(const std::string& key, const std::string& binary)
{
    file_header header;
    header.key_bytes = key.size();
    header.binary_bytes = binary.size();
    header.checksum = fnv1a(binary);
    std::string bytes(sizeof(header), '\0');
    std::memcpy(bytes.data(), &header, sizeof(header));
    return bytes + key + binary;
}

std::optional<std::string>
unpack_program_file(const std::string& bytes, const std::string& key, std::string& reason)
{
    file_header header;
    if (bytes.size() < sizeof(header)) {
        reason = "it is truncated";
        return std::nullopt;
    }
    std::memcpy(&header, bytes.data(), sizeof(header));
    const std::size_t content = bytes.size() - sizeof(header);
    if (header.magic != file_header().magic)
        reason = "it is no program binary of this version";
    else if (header.key_bytes > content ||
             header.binary_bytes != content - header.key_bytes)
        reason = "its size is wrong";
    else if (bytes.compare(sizeof(header), header.key_bytes, key) != 0)
        reason = "it belongs to another program";
    else {
        auto binary = bytes.substr(sizeof(header) + header.key_bytes);
        if (fnv1a(binary) == header.checksum)
            return binary;
        reason = "its checksum is wrong";
    }
    return std::nullopt;
}

std::string loading_mark_path(const std::string& program_path)
{
    return program_path + ".loading";
}

loading_mark::loading_mark(const std::string& program_path)
    : d_path(loading_mark_path(program_path))
{
    constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    file_descriptor file(::open(d_path.c_str(), flags, 0600));
    struct stat status = {};
    // If another process has locked the mark, it is loading the program now. If the mark
    // has just been unlinked, another process has finished loading.
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
        try_lock_file(file.get()) != 0 || ::fstat(file.get(), &status) != 0 ||
        status.st_nlink == 0)
        return;
    d_file = std::move(file);
    // An empty mark is new: its maker may be alive, but did not have the lock yet.
    d_was_left_behind = status.st_size > 0;
    if (d_was_left_behind)
        return;
    // A mark that cannot be written stays empty, which means the same as no mark.
    [[maybe_unused]] const auto written = ::write(d_file.get(), "loading\n", 8);
}

loading_mark::~loading_mark()
{
    if (d_file.get() >= 0)
        ::unlink(d_path.c_str());
}

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
    // Every writer in this folder holds this lock, so that nobody else is about to write
    // a file.
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
                return; // an incomplete program may be one that is being written
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
