/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/locked_file.h>

#include <cstdint>
#include <functional>
#include <string>

namespace cldsp {

//! Whether a platform is PoCL, by its name.
bool is_pocl(const std::string& platform_name);

//! The folder of PoCL's compiled programs, without which PoCL offers no device. By PoCL's
//! own rule: $POCL_CACHE_DIR, else pocl in $XDG_CACHE_HOME, $HOME/.cache or /tmp.
std::string pocl_cache_folder();

//! Bytes that PoCL's cache folder must have free. A program of this project takes less
//! than 2 MiB while it is compiled, and several may be compiled at a time.
constexpr std::uint64_t min_free_bytes_to_compile = std::uint64_t(16) << 20;

/*!
 * The reason why PoCL should not be asked to compile now: it and its compiler end the
 * process when the disk with PoCL's cache folder is full. Empty: it may compile, or the
 * state is unknown.
 */
std::string why_no_room_to_compile(const std::string& pocl_folder,
                                   std::uint64_t min_free_bytes);

/*!
 * Runs \p action, in which a platform's driver compiles programs or reads compiled ones.
 * On PoCL one process does so at a time: PoCL 3.1 writes files of its cache in place, and
 * ends a process that reads half of one. Calls must not be nested.
 *
 * \throws what \p action throws
 */
void run_compiler(const std::string& platform_name,
                  const std::function<void()>& action,
                  const lock_waiting& waiting = lock_waiting());

} // namespace cldsp
