// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Prints the radios that are there, as text or as JSON.

#pragma once

#include "channelize/radio_source.h"

#include <vector>

namespace cldsp::app {

//! Prints the radios to the standard output, each with the arguments that select it.
void print_radios(const std::vector<radio_description>& radios, bool json);

} // namespace cldsp::app
