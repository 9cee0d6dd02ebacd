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

//! A variable's value; empty: it is not set.
std::optional<std::string> variable(const char* name);

//! Notes what the engine changes in the environment. Called before all else.
void remember_environment();
//! POCL_AFFINITY as the user had it.
const std::optional<std::string>& users_pocl_affinity();

} // namespace cldsp::app
