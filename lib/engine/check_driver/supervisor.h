// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tries drivers in processes that it can end, and finds those that are good together.

#pragma once

#include <cldsp/drivers.h>

#include <string>

namespace cldsp::check_driver {

//! What the program was called with.
struct order {
    std::string program;
    int parent = 0;
    double seconds = 0; //!< for each step of a driver
    std::string salt, cache_folder;
};

/*!
 * The verdict on all drivers. First they are tried as they are, all together. If that
 * fails, each is tried alone, and then the good ones together: two that are good alone
 * may have the same library in different versions. This process itself loads no driver.
 *
 * It ends with everything that it has started as soon as its parent does.
 *
 * \throws std::system_error if no process can be started
 */
driver_verdict try_all_drivers(const order& given);

} // namespace cldsp::check_driver
