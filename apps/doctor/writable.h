// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds out why a folder cannot be written.

#pragma once

#include <string>

namespace cldsp::app {

//! The reason why a folder cannot be written, in words; empty if it can be written. The
//! folder is made if it does not exist.
std::string why_not_writable(const std::string& folder);

} // namespace cldsp::app
