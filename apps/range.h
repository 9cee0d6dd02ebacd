// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks that the value of an option lies in its range.

#pragma once

#include <cldsp/errors.h>

#include <optional>
#include <string>

namespace cldsp::app {

//! Checks the value of an option that has one. NaN is in no range; CLI::Range would
//! accept it. \throws std::invalid_argument
inline void check_range(const std::string& parameter,
                        const std::optional<double>& value,
                        double least,
                        double most)
{
    if (value && !(*value >= least && *value <= most))
        throw_invalid(parameter,
                      number_text(*value),
                      number_text(least) + " to " + number_text(most));
}

} // namespace cldsp::app
