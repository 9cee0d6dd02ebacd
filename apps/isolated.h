// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Calls a function that may crash or hang in a child process.

#pragma once

#include <functional>
#include <string>

namespace cldsp::app {

//! The way in which a call in a separate process ended.
struct isolated_result {
    enum class ending { answered, crashed, timed_out };
    ending how = ending::crashed;
    std::string text; //!< the answer, or a description of the failure

    bool answered() const { return how == ending::answered; }
};

/*!
 * Calls a function that may crash or hang, such as a broken driver, in a child process,
 * which ends with this one. The output that the function prints is discarded. An
 * exception counts as a crash; the text is then that of the exception.
 *
 * \param call the function
 * \param seconds the time after which the call counts as hanging and is ended
 * \param is_slow is called once where the answer takes longer than 3 seconds
 * \throws std::system_error if no process can be started
 */
isolated_result call_isolated(const std::function<std::string()>& call,
                              double seconds,
                              const std::function<void()>& is_slow = {});

} // namespace cldsp::app
