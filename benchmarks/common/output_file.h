// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Files that are written after long measurements, and checked before them.

#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace cldsp::bench {

//! Checks that a file can be written. Neither makes nor changes it.
//! \throws std::invalid_argument that names the option and says what is in the way
void check_output_file(const std::string& option, const std::string& path);

//! \throws std::runtime_error if it could not be written
void write_report(const std::string& path, const nlohmann::json& report);

} // namespace cldsp::bench
