// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks that the value of an option lies in its range, or is one of some words.

#pragma once

#include <cldsp/errors.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

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

//! Checks that the value of an option is one of some words. The help shows them as that
//! of CLI::IsMember does, whose error is not in our words; completions read them there.
//! \throws std::invalid_argument
inline CLI::Validator one_of(const std::string& parameter,
                             const std::vector<std::string>& words)
{
    std::string text, shown;
    for (std::size_t i = 0; i < words.size(); i++) {
        text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
        shown += (i == 0 ? "" : ",") + words[i];
    }
    return CLI::Validator(
        [=](const std::string& value) -> std::string {
            if (std::find(words.begin(), words.end(), value) == words.end())
                throw_invalid(parameter, "'" + value + "'", text);
            return "";
        },
        "{" + shown + "}");
}

} // namespace cldsp::app
