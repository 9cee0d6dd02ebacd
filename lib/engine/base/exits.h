// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs an action of the engine before the exit of the process reaches a driver.

#pragma once

#include <optional>

namespace cldsp {

/*
 * exit() calls what has been registered for it, the latest first, and a driver registers
 * itself when it is loaded. So an action that was registered before a driver is loaded in
 * the background comes too late: the driver is destroyed while a thread is inside it, or
 * even while it is still being loaded. Two things bring the action to the front:
 *
 * - exit() destroys the objects that are thread_local in its thread before all else. The
 *   main thread has one from the start of the engine, and most processes exit there.
 * - Where another thread calls exit(), only an action counts that was registered last. So
 *   it is registered again after libraries have been loaded. A driver that is being
 *   loaded at that very moment is not covered.
 *
 * quick_exit() and _exit() destroy no driver.
 */

//! Is called several times in an exit, by the thread that exits: first without a status
//! if that is the main thread, and then with the status, where the system tells that.
using exit_action = void (*)(std::optional<int> status);

//! Has \p action called at exit, instead of an earlier one; null: nothing.
void act_at_exit(exit_action action);

//! To be called after a driver may have loaded libraries.
void libraries_were_loaded() noexcept;

} // namespace cldsp
