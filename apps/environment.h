// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads a variable of the environment.

#pragma once

#include <optional>
#include <string>

namespace cldsp::app {

//! The value of a variable; empty if the variable is not set.
std::optional<std::string> variable(const char* name);

} // namespace cldsp::app
