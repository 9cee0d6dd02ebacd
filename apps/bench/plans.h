/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/device.h>

#include <string>
#include <vector>

namespace cldsp::app {

// What a plan's line says, such as "direct/cpu_tile/copy on NAME: why".

//! The device that it names; null: none of \p devices.
const device_info* device_of(const std::string& note,
                             const std::vector<device_info>& devices);
//! The variant, as in "cpu_tile".
std::string variant_of(const std::string& note);
//! The line without the device's name, which may be long.
std::string short_note(const std::string& note, const device_info* device);

} // namespace cldsp::app
