/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <functional>
#include <string>

namespace cldsp {

//! Whether a platform is PoCL, by the name that it gives itself.
bool is_pocl(const std::string& platform_name);

//! Where PoCL keeps what it has compiled; without it PoCL offers no device. By its own
//! rule: $POCL_CACHE_DIR, else pocl in $XDG_CACHE_HOME, $HOME/.cache or /tmp.
std::string pocl_cache_folder();

/*!
 * Runs \p action, in which a platform's driver compiles programs or reads compiled ones.
 * On PoCL one process does so at a time: PoCL 3.1 writes files of its cache in place, and
 * ends a process that meets half of one. Not to be nested.
 *
 * \throws what \p action throws
 */
void run_compiler(const std::string& platform_name, const std::function<void()>& action);

} // namespace cldsp
