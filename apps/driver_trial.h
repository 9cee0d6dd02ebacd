// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tries the OpenCL drivers in another process, before they are loaded into this one.

#pragma once

#include <string>

namespace cldsp::app {

//! The time in which the drivers have to list their devices, in seconds.
constexpr double driver_seconds = 15;

/*!
 * The reason why the OpenCL drivers must not be loaded into this process: a child process
 * that listed their devices has crashed, ended or hung. Empty: they list their devices.
 * It must be called before this process has threads.
 */
std::string why_no_driver_is_loaded(double seconds = driver_seconds);

/*!
 * The text with which to look for devices: \p text, or "host" where \p text is "auto" and
 * a driver is not fit to be loaded, which is told on the standard error. Where a device
 * is named, the drivers have a minute.
 *
 * \throws std::runtime_error if \p text names other devices then
 */
std::string loadable_device(const std::string& text);

} // namespace cldsp::app
