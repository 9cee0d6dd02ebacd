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
 * In a handler of any exception of an action that uses a device: why the host has to take
 * over, and then repeat the action. An exception that tells nothing about the device,
 * such as a lack of memory, is passed on.
 */
inline std::string why_device_is_lost()
{
    try {
        throw;
    } catch (const opencl_error& e) {
        return e.what();
    } catch (const std::invalid_argument& e) {
        // The device or variant cannot take, for example, the new taps: the stream
        // continues on the host.
        return e.what();
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
