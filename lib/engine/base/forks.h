// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tells a process that was forked from one with the engine's threads.

#pragma once

namespace cldsp {

//! From the first call on, a fork() of this process is noticed in the child.
//! \throws std::bad_alloc
void watch_forks();

/*!
 * Whether this process was forked from one that had called watch_forks(). The threads of
 * the engine and of drivers are gone then, so that no command of a device would ever end,
 * and locks that they held stay locked.
 */
bool is_forked() noexcept;

//! A number that differs from a process to its children. Objects with threads keep the
//! number of the process in which these run. \throws std::bad_alloc
unsigned process_number();

/*!
 * While an object exists, a fork() in another thread waits, but not for more than some
 * seconds. Whoever holds a lock that a child may need has one: filters on the host are
 * made in a child as well, and a lock that a lost thread holds would stay locked there.
 * Planning holds such locks at any time, and so every fork() would be in danger.
 *
 * A thread may have several. Objects come before the lock, and end after it.
 */
class fork_delay
{
public:
    fork_delay();
    ~fork_delay();
    fork_delay(const fork_delay&) = delete;
    fork_delay& operator=(const fork_delay&) = delete;
};

} // namespace cldsp
