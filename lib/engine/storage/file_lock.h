/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <string>
#include <utility>

namespace cldsp {

//! Closes its file in the end; negative: there is none.
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
    bool close(); //!< \return whether all that was written has arrived

private:
    int d_fd;
};

/*!
 * Locks an open file for this descriptor alone, without waiting. The lock keeps out every
 * descriptor that was opened elsewhere, also by another thread of this process, and goes
 * with unlock_file(), the descriptor or the process.
 *
 * It is the system's lock of an open file description, over the whole file; where the
 * system or the file system has none, that of flock().
 *
 * \param fd opened for reading and writing
 * \return 0, EWOULDBLOCK if somebody else has it, or why there are no locks
 */
int try_lock_file(int fd);
void unlock_file(int fd);

//! Whether a file is there that nobody has locked; one that is no file of its own,
//! such as a link, or that may not be opened is none.
bool is_unlocked_file(const std::string& path);

//! A lock file, which is made if needed, but never through a link, and never changed.
class file_lock
{
public:
    //! \throws std::system_error if there can be no such file
    explicit file_lock(std::string path);
    ~file_lock();
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;

    //! \return whether it is locked now. \throws std::system_error where nothing can be
    bool try_lock();
    //! Who has it, in words: "process 17 (python3)"; as far as the system tells.
    std::string holder() const;

private:
    bool is_still_there() const;

    std::string d_path;
    file_descriptor d_file;
    bool d_locked = false;
};

} // namespace cldsp
