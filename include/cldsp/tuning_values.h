// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The values of a kernel's parameters by their names.

#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace cldsp {

//! Values by the names of their parameters: the form in which they are stored in files.
using tuning_values = std::map<std::string, std::int64_t>;

} // namespace cldsp
