// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Loads the drivers, and computes on each of their devices.

#pragma once

#include <string>

namespace cldsp::check_driver {

// The program starts itself as `PROGRAM try SALT FOLDER`, which reports to this
// descriptor.
constexpr const char* trial_word = "try";
constexpr int report_descriptor = 3;
// The status of a process that could not become the program.
constexpr int cannot_start = 127;

/*!
 * Loads the drivers that the environment names, builds and runs a kernel on each of their
 * devices, from its source and from the cache folder, and reports each step in a line, at
 * last the verdict. A bad driver does not let it return.
 *
 * \param salt a word in the options of the kernel, so that it is compiled
 * \param cache_folder the folder of compiled programs; empty: there is none
 */
void try_loaded_drivers(const std::string& salt, const std::string& cache_folder);

} // namespace cldsp::check_driver
