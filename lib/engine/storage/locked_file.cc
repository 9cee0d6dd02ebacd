// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads files, and replaces them atomically under a lock that other processes respect.

#include <cldsp/errors.h>
#include <cldsp/locked_file.h>

#include "base/owner_gate.h"
#include "storage/file_lock.h"
#include "storage/file_rights.h"

#include <string_view>
#include <system_error>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cldsp {

namespace fs = std::filesystem;

namespace {

// The end of a temporary file's name. mkostemp() replaces the letters by others.
constexpr std::string_view temporary_prefix = ".tmp-", temporary_letters = "XXXXXX";

[[noreturn]] void throw_errno(const std::string& what, const fs::path& path)
{
    throw std::system_error(
        errno, std::generic_category(), "cannot " + what + " " + path.string());
}

[[noreturn]] void throw_unusable(std::errc code, const std::string& what)
{
    throw std::system_error(std::make_error_code(code), what);
}

fs::path folder_of(const fs::path& path)
{
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

fs::path lock_path(const fs::path& path) { return folder_of(path) / ".lock"; }

std::string read_all(int fd, const std::string& path, std::size_t max_bytes)
{
    std::string bytes;
    std::vector<char> part(std::size_t(64) << 10);
    for (;;) {
        const auto n = ::read(fd, part.data(), part.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            throw_errno("read", path);
        if (n == 0)
            return bytes;
        bytes.append(part.data(), static_cast<std::size_t>(n));
        // Checks the bytes that were read, because the file may grow after its size is
        // known.
        if (bytes.size() > max_bytes)
            throw_unusable(std::errc::file_too_large,
                           path + " has more than " + std::to_string(max_bytes) +
                               " bytes");
    }
}

void write_all(int fd, const std::string& bytes, const fs::path& path)
{
    for (std::size_t done = 0; done < bytes.size();) {
        const auto n = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (n >= 0)
            done += static_cast<std::size_t>(n);
        else if (errno != EINTR)
            throw_errno("write", path);
    }
}

void remove_left_by_writers(const fs::path& path)
{
    std::error_code error;
    for (fs::directory_iterator i(folder_of(path), error), end; !error && i != end;
         i.increment(error))
        if (is_left_by_writer(i->path(), path.filename()))
            ::unlink(i->path().c_str());
}

void replace_file(const fs::path& path, const std::string& bytes, bool is_locked)
{
    // Without the lock, a temporary file that nobody has locked yet may belong to a
    // living writer.
    if (is_locked)
        remove_left_by_writers(path);
    std::string temporary = path.string();
    temporary.append(temporary_prefix).append(temporary_letters);
    file_descriptor fd(::mkostemp(temporary.data(), O_CLOEXEC));
    if (fd.get() < 0)
        throw_errno("make", temporary);
    try {
        // The lock shows that the writer of this temporary file lives.
        try_lock_file(fd.get());
        write_all(fd.get(), bytes, temporary);
        take_rights_of_replaced(fd.get(), path);
        // Without fsync(), a power cut after the rename could leave an empty file.
        if (::fsync(fd.get()) != 0 || !fd.close())
            throw_errno("write", temporary);
        if (::rename(temporary.c_str(), path.c_str()) != 0)
            throw_errno("replace", path);
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
    const file_descriptor folder(
        ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() >= 0)
        ::fsync(folder.get());
}

std::string seconds_text(double seconds) { return number_text(seconds, 3) + " s"; }

bool is_gone(const std::shared_ptr<owner_gate>& owner)
{
    return owner && owner->is_closed();
}

//! Calls an action on files, unless their owner has gone. The owner's end waits for it.
template <class Action>
void while_owned(const lock_waiting& waiting, const Action& action)
{
    if (waiting.owner())
        waiting.owner()->pass(action);
    else
        action();
}

// Waits for the lock. Returns false, without the lock, if that takes too long.
bool wait_for(file_lock& lock, const fs::path& path, const lock_waiting& waiting)
{
    using clock = std::chrono::steady_clock;
    using seconds = std::chrono::duration<double>;
    const auto start = clock::now();
    // The pause is short at first, because most locks are held for a few milliseconds. It
    // grows, so that waiting costs next to nothing while a compiler holds the lock for
    // seconds.
    seconds pause(2e-4);
    const seconds max_pause(1e-2);
    bool told = false;
    while (!lock.try_lock()) {
        const double waited = seconds(clock::now() - start).count();
        const double left = waiting.max_seconds() - waited;
        if (is_gone(waiting.owner()))
            throw_unusable(std::errc::operation_canceled,
                           "nobody waits for the lock " + path.string() + " any more");
        if (left <= 0) {
            if (!waiting.give_up(true))
                log_to(waiting.log(),
                       log_level::warning,
                       "after " + seconds_text(waited) +
                           " the work goes on without the "
                           "lock " +
                           path.string() + ", which " + lock.holder() +
                           " has, and until that gives it back does so without waiting");
            return false;
        }
        if (!told && waited >= waiting.told_after_seconds()) {
            told = true;
            log_to(waiting.log(),
                   log_level::info,
                   "waiting for the lock " + path.string() + ", which " + lock.holder() +
                       " has, for up to " + seconds_text(left));
        }
        std::this_thread::sleep_for(std::min(pause, seconds(left)));
        pause = std::min(2 * pause, max_pause);
    }
    waiting.give_up(false);
    return true;
}

} // namespace

std::optional<std::string>
read_file(const std::string& path, std::size_t max_bytes, file_writer writer)
{
    // O_NONBLOCK: opening a named pipe would otherwise wait for a writer.
    const file_descriptor file(
        ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file.get() < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return std::nullopt;
        throw_errno("read", path);
    }
    struct stat status = {};
    if (::fstat(file.get(), &status) != 0)
        throw_errno("read", path);
    if (!S_ISREG(status.st_mode))
        throw_unusable(std::errc::invalid_argument, path + " is no regular file");
    if (writer == file_writer::trusted)
        if (const auto why = why_not_trusted_file(file.get(), path); !why.empty())
            throw_unusable(std::errc::permission_denied, path + ": " + why);
    return read_all(file.get(), path, max_bytes);
}

std::optional<file_stamp> stamp_of(const std::string& path)
{
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0)
        return std::nullopt;
    return file_stamp{ static_cast<std::uint64_t>(status.st_dev),
                       static_cast<std::uint64_t>(status.st_ino),
                       static_cast<std::uint64_t>(status.st_size),
                       std::int64_t(status.st_mtim.tv_sec) * 1000000000 +
                           status.st_mtim.tv_nsec };
}

void write_locked(const std::string& path,
                  const std::string& bytes,
                  const lock_waiting& waiting)
{
    while_owned(waiting, [&] {
        make_private_folders(folder_of(path));
        file_lock lock(lock_path(path));
        const bool is_locked = wait_for(lock, lock_path(path), waiting);
        replace_file(path, bytes, is_locked);
    });
}

void update_locked(
    const std::string& path,
    std::size_t max_bytes,
    const std::function<std::string(const std::optional<std::string>&)>& change,
    const lock_waiting& waiting)
{
    while_owned(waiting, [&] {
        make_private_folders(folder_of(path));
        file_lock lock(lock_path(path));
        const bool is_locked = wait_for(lock, lock_path(path), waiting);
        replace_file(path, change(read_file(path, max_bytes)), is_locked);
    });
}

void run_locked(const std::string& lock_file,
                const std::function<void()>& action,
                const lock_waiting& waiting)
{
    run_with_lock(
        lock_file, [&](bool) { action(); }, waiting);
}

void run_with_lock(const std::string& lock_file,
                   const std::function<void(bool is_locked)>& action,
                   const lock_waiting& waiting)
{
    std::optional<file_lock> lock;
    bool is_locked = false;
    try {
        while_owned(waiting, [&] {
            make_private_folders(folder_of(lock_file));
            lock.emplace(lock_file);
            is_locked = wait_for(*lock, lock_file, waiting);
        });
    } catch (const std::system_error& e) {
        if (!waiting.give_up(true))
            log_to(waiting.log(),
                   log_level::warning,
                   std::string("the work goes on without a lock: ") + e.what());
    }
    action(is_locked);
}

bool is_left_by_writer(const std::string& path, const std::string& name)
{
    const std::string own = fs::path(path).filename();
    const std::string begin = name + std::string(temporary_prefix);
    if (own.size() != begin.size() + temporary_letters.size() ||
        own.compare(0, begin.size(), begin) != 0 ||
        !std::all_of(own.begin() + begin.size(), own.end(), [](unsigned char c) {
            return std::isalnum(c);
        }))
        return false;
    struct stat status = {};
    return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_uid == ::geteuid() && is_unlocked_file(path);
}

} // namespace cldsp
