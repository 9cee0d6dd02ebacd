// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes each command of an action fail in turn.

#pragma once

namespace cldsp {

/*!
 * Runs an action in which the first command fails, then one in which the second fails,
 * and so on, until none does.
 *
 * \param action gets the number of commands before the one that fails, and returns
 * whether it failed
 * \return the number of commands that failed
 */
template <class Action>
int fail_each_command(const Action& action)
{
    int at = 0;
    while (action(at))
        ++at;
    return at;
}

} // namespace cldsp
