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

//! Prints to the standard output, indented; texts that are no UTF-8 are mended.
void print_json(const nlohmann::ordered_json& value);

//! Warnings and errors go to the standard error; the rest only where \p verbose.
logger stderr_logger(bool verbose = false);

//! What every registry of the command line is made with.
context_options registry_options(const std::string& profile, bool verbose = false);

//! As in "1.23 TFLOP/s" for 1.23e12 and "FLOP/s", or "4.5 us" for seconds.
std::string quantity_text(double value, const std::string& unit);
//! As in "49152 B", "64 KiB" or "1.5 GiB".
std::string bytes_text(double bytes);

} // namespace cldsp::app
