/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <functional>
#include <optional>
#include <string>

namespace cldsp {

/*
 * Small files that several threads and processes read and write at once. Every function
 * takes the lock file `.lock` in the file's folder; a writer replaces the file as a
 * whole, so that a reader sees the old or the new content and a crash leaves no half of
 * one.
 */

//! The content of a file; empty if there is none or it cannot be read. Never throws.
std::optional<std::string> read_locked(const std::string& path);

/*!
 * Replaces a file's content and makes its folder if needed.
 * \throws std::system_error if the file cannot be written
 */
void write_locked(const std::string& path, const std::string& bytes);

/*!
 * Replaces a file's content by what \p change makes of the present one (empty: there is
 * no file), with nobody writing in between.
 *
 * \throws std::system_error if the file cannot be written, and whatever \p change throws
 */
void update_locked(
    const std::string& path,
    const std::function<std::string(const std::optional<std::string>&)>& change);

/*!
 * Runs \p action while no other thread or process does so with the same lock file, which
 * is made if needed. Where it cannot be made or locked, the action runs without.
 *
 * \throws what \p action throws
 */
void run_locked(const std::string& lock_file, const std::function<void()>& action);

} // namespace cldsp
