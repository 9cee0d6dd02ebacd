// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The OpenCL loader that this program runs with, and whether a driver's library loads.

#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace cldsp::app {

//! The OpenCL loader: its file, and its name if it gives one.
struct loader {
    std::string file, name;

    std::string text() const { return file + (name.empty() ? "" : " (" + name + ")"); }
};

loader used_loader();

/*!
 * Loads a driver's library as the loader would, in a separate process.
 * \returns the reason why the library cannot be used; empty if it can be used
 */
std::string load_problem(const std::string& library);

/*!
 * The number of platforms that a driver's library offers in a separate process; nothing
 * if it gives no answer there.
 */
std::optional<std::size_t> platforms_of(const std::string& library);

} // namespace cldsp::app
