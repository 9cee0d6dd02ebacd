// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Owned file descriptors, and locks of open files between processes and threads.

#pragma once

#include <string>
#include <utility>

namespace cldsp {

//! Owns an open file and closes it at the end of its life; a negative number means that
//! it owns none.
class file_descriptor
{
public:
    explicit file_descriptor(int fd = -1) : d_fd(fd) {}
    ~file_descriptor() { close(); }
    file_descriptor(file_descriptor&& other) noexcept
        : d_fd(std::exchange(other.d_fd, -1))
    {
    }
    file_descriptor& operator=(file_descriptor&& other) noexcept
    {
        close();
        d_fd = std::exchange(other.d_fd, -1);
        return *this;
    }
    int get() const { return d_fd; }
    bool close(); //!< \return whether all data that was written has arrived

private:
    int d_fd;
};

/*!
 * Locks an open file for this descriptor alone, without waiting. The lock keeps out every
 * descriptor from another open(), also one of another thread of this process. It ends
 * with unlock_file(), or when the descriptor is closed or the process ends.
 *
 * The lock is the system's lock of an open file description, over the whole file. Where
 * the system or the file system has no such locks, it is the lock of flock().
 *
 * \param fd a file that is open for reading and writing
 * \return 0; EWOULDBLOCK if somebody else has the lock; or the error that says why there
 *         are no locks
 */
int try_lock_file(int fd);
void unlock_file(int fd);

//! Whether a file exists that nobody has locked. False also if the path is no regular
//! file, such as a link, or if the file may not be opened.
bool is_unlocked_file(const std::string& path);

//! A lock file. It is made if it is missing, though never through a link; its content is
//! never changed.
class file_lock
{
public:
    //! \throws std::system_error if the file can neither be opened nor made
    explicit file_lock(std::string path);
    ~file_lock();
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;

    //! \return whether this object holds the lock now
    //! \throws std::system_error where no file can be locked
    bool try_lock();
    //! The process that holds the lock, in words, as far as the system tells: "process 17
    //! (python3)".
    std::string holder() const;

private:
    bool is_still_there() const;

    std::string d_path;
    file_descriptor d_file;
    bool d_locked = false;
};

} // namespace cldsp
