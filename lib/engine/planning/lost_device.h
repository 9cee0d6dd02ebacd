// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lets the host repeat a call when a device fails, and logs the reason once.

#pragma once

#include <cldsp/errors.h>
#include <cldsp/logger.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace cldsp {

/*!
 * Runs \p action, which uses a device. If it throws opencl_error or
 * std::invalid_argument, \p lose_device is called with the reason and makes the host take
 * over. Then \p action runs again, on the host.
 */
template <class Action, class Lose>
void run_or_lose_device(Action&& action, Lose&& lose_device)
{
    try {
        action();
    } catch (const opencl_error& e) {
        lose_device(e.what());
        action();
    } catch (const std::invalid_argument& e) {
        // The device or variant cannot take, for example, the new taps: the stream
        // continues on the host.
        lose_device(e.what());
        action();
    }
}

//! Logs that the host takes over, and returns the reason for a plan's text.
inline std::string
tell_lost_device(const logger& log, const std::string& device, const std::string& why)
{
    const std::string failed = "device '" + device + "' failed";
    log_to(log, log_level::error, failed + ", the host goes on: " + why);
    return failed + ": " + why;
}

/*!
 * Replaces a selection by another one. If the running selection had left a device for the
 * host, and the fresh one is on the host too, the fresh one counts as fallen back as
 * well.
 */
template <class Selection>
void take_selection(Selection& running, Selection fresh)
{
    const bool fell_back = running.fell_back;
    running = std::move(fresh);
    if (fell_back && !running.fell_back && running.plan.device == "host") {
        running.fell_back = true;
        running.plan.after_failure = true;
    }
}

} // namespace cldsp
