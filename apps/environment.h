/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <optional>
#include <string>

namespace cldsp::app {

//! The value of a variable; empty if the variable is not set.
std::optional<std::string> variable(const char* name);

} // namespace cldsp::app
