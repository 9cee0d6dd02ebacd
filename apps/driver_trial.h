// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Has the OpenCL drivers tried in another process, and says what comes of it.

#pragma once

#include <cldsp/device.h>

#include <string>

namespace cldsp::app {

//! As standard_listing(): what a user has to wait for is told on the standard error, and
//! every other message goes to \p log.
device_listing told_listing(const logger& log = {});

/*!
 * The text with which to look for devices: \p text, or "host" where \p text is "auto" and
 * no driver is fit to be loaded, which is told on the standard error.
 *
 * \throws std::runtime_error if \p text names other devices then
 */
std::string loadable_device(const std::string& text);

} // namespace cldsp::app
