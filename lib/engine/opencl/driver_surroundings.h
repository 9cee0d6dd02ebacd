// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What a verdict on the drivers depends on, as a text and as files.

#pragma once

#include <cldsp/drivers.h>

#include <optional>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * Everything around this process on which it depends how drivers behave, but for their
 * libraries: the version of the engine, the machine and the system, the user, the .icd
 * files, the variables that drivers read, the processors, the limits of the process, the
 * device files, and what is mounted where programs are kept.
 *
 * \param cache_folder the folder of compiled programs; empty: there is none
 */
std::string driver_surroundings(const std::string& cache_folder);

//! A file as it is now; nothing if there is none.
std::optional<seen_file> see_file(const std::string& path);
//! Whether every file is as it was.
bool are_unchanged(const std::vector<seen_file>& files);
//! The libraries that this process has loaded.
std::vector<seen_file> loaded_libraries();

} // namespace cldsp
