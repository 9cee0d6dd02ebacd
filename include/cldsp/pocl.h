// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What the engine must know of PoCL: its cache folder, and when it cannot compile.

#pragma once

#include <cldsp/locked_file.h>

#include <cstdint>
#include <functional>
#include <string>

namespace cldsp {

//! Whether a platform of this name is PoCL.
bool is_pocl(const std::string& platform_name);

//! The folder in which PoCL keeps compiled programs; without it PoCL offers no device.
//! As in PoCL itself, it is $POCL_CACHE_DIR if set, otherwise the folder pocl in
//! $XDG_CACHE_HOME, $HOME/.cache or /tmp.
std::string pocl_cache_folder();

//! The number of bytes that must be free in PoCL's cache folder. A program of this
//! project takes less than 2 MiB while it is compiled, and several may be compiled at a
//! time.
constexpr std::uint64_t min_free_bytes_to_compile = std::uint64_t(16) << 20;

/*!
 * The reason why PoCL should not be asked to compile now, because PoCL or its compiler
 * would end the process: the disk is full, the folder's file system is mounted so that no
 * program of it can be run (noexec), this process may only write small files, or the
 * linker ld is not on the PATH. Empty: none of these was found.
 *
 * \param pocl_folder PoCL's cache folder, see pocl_cache_folder()
 * \param min_free_bytes the number of bytes that must be free there, and that a file may
 * have
 * \param starts_linker whether this PoCL starts ld, see pocl_starts_linker()
 */
std::string why_not_safe_to_compile(const std::string& pocl_folder,
                                    std::uint64_t min_free_bytes,
                                    bool starts_linker = true);

//! Whether PoCL with this driver version, such as "3.1+debian", links with the program
//! ld. Versions from 7 on may have a linker of their own.
bool pocl_starts_linker(const std::string& driver_version);

/*!
 * Runs \p action, in which the driver of a platform compiles programs or reads compiled
 * ones. With PoCL only one process at a time does so with the same program: PoCL 3.1
 * writes the files of its cache in place, and ends a process that reads a half-written
 * one.
 *
 * \param platform_name the name of the device's platform
 * \param program any text that is the same for the same program, and rarely for others
 * \param action what to run; calls must not be nested
 * \param waiting how to wait for another process
 * \throws any exception that \p action throws
 */
void run_compiler(const std::string& platform_name,
                  const std::string& program,
                  const std::function<void()>& action,
                  const lock_waiting& waiting = lock_waiting());

} // namespace cldsp
