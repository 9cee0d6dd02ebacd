/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/logger.h>

#include <nlohmann/json.hpp>

#include <string>

namespace cldsp::app {

//! Prints to the standard output, indented. Texts that are not valid UTF-8 are repaired.
void print_json(const nlohmann::ordered_json& value);

//! A logger that writes warnings and errors to the standard error, and other messages
//! only if \p verbose.
logger stderr_logger(bool verbose = false);

//! The options for every registry that the command makes.
context_options registry_options(const std::string& profile, bool verbose = false);

//! For example "1.23 TFLOP/s" for 1.23e12 and "FLOP/s", or "4.5 us" for 4.5e-6 and "s".
std::string quantity_text(double value, const std::string& unit);
//! For example "49152 B", "64 KiB" or "1.5 GiB".
std::string bytes_text(double bytes);

} // namespace cldsp::app
