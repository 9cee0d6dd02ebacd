/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace cldsp {

//! Values by the parameters' names, as they are written to files.
using tuning_values = std::map<std::string, std::int64_t>;

} // namespace cldsp
