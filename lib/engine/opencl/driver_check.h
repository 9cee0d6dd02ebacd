// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Starts the program that tries the drivers in another process.

#pragma once

#include <cldsp/drivers.h>

#include <functional>
#include <optional>
#include <string>

namespace cldsp {

//! How the program is called: `cldsp-check-driver ANSWER LIFE PARENT SECONDS SALT
//! FOLDER`. ANSWER and LIFE are the numbers of two open pipes. It writes the verdict to
//! the first one, as driver_verdict::text(), or "cannot: " and a reason. It ends itself
//! and what it has started as soon as the other end of LIFE is closed, or as PARENT is
//! not its parent. A driver has SECONDS for each step. SALT is a word in the kernel's
//! options, so that it is compiled; FOLDER that of compiled programs, or empty.
constexpr int answer_descriptor = 3, life_descriptor = 4;

//! What the program is to do, and who waits for it.
struct check_request {
    std::string cache_folder;
    std::string salt;
    std::function<bool()> stopped;
    std::function<void()> is_slow; //!< called once, if it takes longer than a second
};

/*!
 * Tries the drivers in another process.
 *
 * The calling process may have threads, ignore SIGCHLD, or wait for any child: only the
 * pipe counts. No signal handler or mask of it is passed on.
 *
 * \param why_not becomes the reason if there is no verdict
 * \throws planning_stopped
 */
std::optional<driver_verdict> check_drivers_apart(const check_request& request,
                                                  std::string& why_not);

} // namespace cldsp
