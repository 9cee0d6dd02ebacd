// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The plan with which a candidate ran, as short text.

#pragma once

#include "common/measure.h"

#include <cldsp/device.h>

#include <string>
#include <vector>

namespace cldsp::app {

//! The device that a candidate ran on; null if the candidate has no plan, or if the
//! device is not one of \p devices.
const device_info* device_of(const bench::measurement& measured,
                             const std::vector<device_info>& devices);
//! The plan that ran, as short text. The device is given by its id, because its name may
//! be long.
std::string what_ran(const bench::measurement& measured);

} // namespace cldsp::app
