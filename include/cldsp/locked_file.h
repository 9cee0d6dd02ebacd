/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/logger.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace cldsp {

/*
 * Small files that several threads and processes read and write at once. A writer takes
 * the lock file `.lock` in the file's folder and replaces the file as a whole, so that a
 * reader, who needs no lock and never waits, sees the old or the new content and a crash
 * leaves no half of one.
 *
 * Only its owner may use a new folder. A replaced file keeps its mode, and its owner and
 * group if the system allows that; a new file may be read by those who may read its
 * folder.
 */

/*!
 * The time to wait for a lock, and the log for reports. After two seconds the log names
 * the process that has the lock. After \p max_seconds, when that process seems to be
 * stopped or to hang, the work is done without the lock, and a warning is logged. From
 * then on the lock is tried but not waited for, until it has been free once. Thread-safe.
 */
class lock_waiting
{
public:
    static constexpr double default_max_seconds = 30;

    explicit lock_waiting(logger log = {},
                          double max_seconds = default_max_seconds,
                          double told_after_seconds = 2)
        : d_log(std::move(log)),
          d_max_seconds(max_seconds),
          d_told_after_seconds(told_after_seconds)
    {
    }

    const logger& log() const { return d_log; }
    double max_seconds() const { return d_gave_up ? 0 : d_max_seconds; }
    double told_after_seconds() const { return d_told_after_seconds; }

    //! Records whether a wait was in vain. \return whether the one before it was
    bool give_up(bool in_vain) const { return d_gave_up.exchange(in_vain); }

private:
    logger d_log;
    double d_max_seconds, d_told_after_seconds;
    mutable std::atomic<bool> d_gave_up{ false };
};

//! The users who may have written a file that is read.
enum class file_writer {
    anyone,
    trusted //!< this user or root, and nobody else may have changed it
};

/*!
 * The content of a file; empty if there is none.
 *
 * \throws std::system_error if it is there but cannot be read, has more than
 *         \p max_bytes, is no regular file, or was not written by whom it must be
 */
std::optional<std::string> read_file(const std::string& path,
                                     std::size_t max_bytes,
                                     file_writer writer = file_writer::anyone);

/*!
 * Replaces whatever has that name, unless it is a folder, and makes the file's folder if
 * needed.
 * \throws std::system_error if the file cannot be written or locked, or if the present
 *         one is another user's and may not be written
 */
void write_locked(const std::string& path,
                  const std::string& bytes,
                  const lock_waiting& waiting = lock_waiting());

/*!
 * Replaces a file's content by what \p change makes of the present one (empty: there is
 * no file), with nobody writing in between.
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
 * Runs \p action while no other thread or process does so with the same lock file, which
 * is made if needed. If it cannot be made or locked, the action runs without the lock,
 * and a warning is logged.
 *
 * \throws what \p action throws
 */
void run_locked(const std::string& lock_file,
                const std::function<void()>& action,
                const lock_waiting& waiting = lock_waiting());

//! The same for an action that has to know whether it has the lock.
void run_with_lock(const std::string& lock_file,
                   const std::function<void(bool is_locked)>& action,
                   const lock_waiting& waiting = lock_waiting());

//! Whether \p path is a file that a writer of the file \p name left when it ended
//! suddenly. Call it only with the folder's lock held: the file of a living writer looks
//! the same for a moment.
bool is_left_by_writer(const std::string& path, const std::string& name);

} // namespace cldsp
