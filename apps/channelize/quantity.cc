// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads numbers with units.

#include "channelize/quantity.h"

#include <cldsp/errors.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>

namespace cldsp::app {

namespace {

//! What each unit, or none, is worth.
using unit_table = std::map<std::string, double>;

//! \param range what the error says of the numbers that are taken
double parse_quantity(const std::string& text,
                      const unit_table& units,
                      const std::string& parameter,
                      const std::string& range)
{
    // strtod() also reads hexadecimal numbers, infinity and NaN.
    const auto is_first = [](unsigned char c) {
        return std::isdigit(c) || c == '.' || c == '-' || c == '+';
    };
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const auto unit = units.find(end);
    if (text.empty() || !is_first(static_cast<unsigned char>(text[0])) ||
        text.find_first_of("xX") != std::string::npos || end == text.c_str() ||
        unit == units.end() || !std::isfinite(number * unit->second))
        throw_invalid(parameter, "'" + text + "'", range);
    return number * unit->second;
}

//! The units of frequencies and of rates: a prefix, "Hz" or "S/s", or both.
unit_table hertz_units()
{
    unit_table units;
    for (const auto& [prefix, factor] :
         unit_table{ { "", 1 }, { "k", 1e3 }, { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 } })
        for (const char* unit : { "", "Hz", "S/s" })
            units[prefix + unit] = factor;
    return units;
}

} // namespace

double parse_hertz(const std::string& text, const std::string& parameter)
{
    static const auto units = hertz_units();
    return parse_quantity(text, units, parameter, "a number of Hz such as 137.1M or 48k");
}

double parse_seconds(const std::string& text,
                     const std::string& parameter,
                     const std::string& usual)
{
    // An "m" alone may mean minutes.
    unit_table units = {
        { "us", 1e-6 }, { "u", 1e-6 }, { "\u00b5s", 1e-6 }, { "ms", 1e-3 }, { "s", 1 }
    };
    units[""] = units.at(usual);
    return parse_quantity(text,
                          units,
                          parameter,
                          "a time such as 75us, 20ms or 1.5s, or a number of " + usual);
}

} // namespace cldsp::app
