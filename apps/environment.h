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

//! Notes the variables that the engine changes in the environment. It must be called
//! before everything else.
void remember_environment();
//! The value of POCL_AFFINITY that the user had set.
const std::optional<std::string>& users_pocl_affinity();

} // namespace cldsp::app
