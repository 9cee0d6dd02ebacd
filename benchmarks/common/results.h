// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What all tables and reports say of a measurement.

#pragma once

#include "common/measure.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace cldsp::bench {

//! The number, or "-" for one that is not known.
std::string or_dash(double value, int digits = 3);
//! Half of the distance from the slowest repetition to the fastest, e.g. "8.5%", or
//! "once".
std::string spread_text(const measurement& m);
//! The error in dB, "exact", or with the word WRONG.
std::string error_text(const measurement& m);
//! The times, the error and its bound; or the failure.
nlohmann::ordered_json json_of(const measurement& m);

} // namespace cldsp::bench
