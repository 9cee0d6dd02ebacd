/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/errors.h>
#include <cldsp/logger.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace cldsp {

/*!
 * Runs \p action, which asks a device for something. Where that fails, \p lose_device
 * gets the reason and makes the host take over, and the action runs again there.
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
        // New taps that this device or variant cannot take; the stream goes on.
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
 * Puts another selection in the place of one. Who has left a device for the host has
 * still left it when something better is found on the host.
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
