// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Small files that several threads and processes read and replace.

#pragma once

#include <cldsp/logger.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace cldsp {

class owner_gate;

/*
 * Small files that several threads and processes read and write at the same time. A
 * writer locks the file `.lock` in the same folder, and replaces the file as a whole.
 * Readers need no lock and never wait: they see either the old or the new content. A
 * crash does not leave a half-written file.
 *
 * A new folder is accessible only to its owner. A replaced file keeps its mode, and its
 * owner and group if the system allows that. A new file is readable by everyone who may
 * read its folder.
 */

/*!
 * The time to wait for a lock, and the log for reports. After two seconds the log names
 * the process that has the lock. After \p max_seconds that process is assumed to be
 * stopped or to hang: the work is done without the lock, and a warning is logged. From
 * then on nobody waits for the lock, until an attempt has found it free. Thread-safe.
 *
 * Files may have an owner. Once its gate is closed, they are neither made nor written.
 */
class lock_waiting
{
public:
    static constexpr double default_max_seconds = 30, default_told_seconds = 2;

    explicit lock_waiting(logger log = {},
                          double max_seconds = default_max_seconds,
                          double told_after_seconds = default_told_seconds,
                          std::shared_ptr<owner_gate> owner = {})
        : d_log(std::move(log)),
          d_max_seconds(max_seconds),
          d_told_after_seconds(told_after_seconds),
          d_owner(std::move(owner))
    {
    }

    const logger& log() const { return d_log; }
    double max_seconds() const { return d_gave_up ? 0 : d_max_seconds; }
    double told_after_seconds() const { return d_told_after_seconds; }
    //! The owner of the files; null: they have none.
    const std::shared_ptr<owner_gate>& owner() const { return d_owner; }

    //! Records whether a wait ended without the lock.
    //! \return whether the wait before it did
    bool give_up(bool in_vain) const { return d_gave_up.exchange(in_vain); }

private:
    logger d_log;
    double d_max_seconds, d_told_after_seconds;
    std::shared_ptr<owner_gate> d_owner;
    mutable std::atomic<bool> d_gave_up{ false };
};

//! The users whose files are read.
enum class file_writer {
    anyone, //!< the files of every user
    trusted //!< only files of this user or of root, in which nobody else may write
};

//! What differs after a file was replaced or written.
struct file_stamp {
    std::uint64_t device, number, size;
    std::int64_t time; //!< of the last change, in nanoseconds since 1970

    bool operator==(const file_stamp& other) const
    {
        return device == other.device && number == other.number && size == other.size &&
               time == other.time;
    }
};
//! The stamp of a file; empty if there is none that can be looked at.
std::optional<file_stamp> stamp_of(const std::string& path);

/*!
 * The content of a file; empty if there is none.
 *
 * \throws std::system_error if the file exists but cannot be read, has more than
 *         \p max_bytes, is no regular file, or is not allowed by \p writer
 */
std::optional<std::string> read_file(const std::string& path,
                                     std::size_t max_bytes,
                                     file_writer writer = file_writer::anyone);

/*!
 * Writes a file, whose folder is made if needed. Anything that has this name is replaced,
 * unless it is a folder.
 *
 * \throws std::system_error if the file cannot be written or locked, or if it exists,
 *         belongs to another user and may not be written
 */
void write_locked(const std::string& path,
                  const std::string& bytes,
                  const lock_waiting& waiting = lock_waiting());

/*!
 * Replaces the content of a file by the result of \p change. \p change gets the present
 * content (empty: there is no file). The lock is held throughout, so that no other writer
 * comes between reading and writing.
 *
 * \throws std::system_error if the file cannot be read, as read_file() does, or cannot be
 *         written, as write_locked() does; and whatever \p change throws
 */
void update_locked(
    const std::string& path,
    std::size_t max_bytes,
    const std::function<std::string(const std::optional<std::string>&)>& change,
    const lock_waiting& waiting = lock_waiting());

/*!
 * Runs \p action under a lock: at a time only one thread of all processes runs an action
 * with the same lock file, which is made if needed. If the file cannot be made or locked,
 * the action runs without the lock, and a warning is logged.
 *
 * \throws any exception that \p action throws
 */
void run_locked(const std::string& lock_file,
                const std::function<void()>& action,
                const lock_waiting& waiting = lock_waiting());

//! As run_locked(), for an action that has to know whether it has the lock.
void run_with_lock(const std::string& lock_file,
                   const std::function<void(bool is_locked)>& action,
                   const lock_waiting& waiting = lock_waiting());

//! Whether \p path is a temporary file that a writer of the file \p name left behind when
//! its process ended suddenly. Call this only while holding the folder's lock: for a
//! moment the temporary file of a running writer looks the same.
bool is_left_by_writer(const std::string& path, const std::string& name);

} // namespace cldsp
