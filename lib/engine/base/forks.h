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

} // namespace cldsp
