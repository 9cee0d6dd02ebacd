/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "output.h"

#include <cldsp/device_limits.h>

#include "common/report.h"

#include <iostream>

namespace cldsp::app {

void print_json(const nlohmann::ordered_json& value)
{
    std::cout << value.dump(
                     2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << "\n";
}

logger stderr_logger(bool verbose)
{
    return [verbose](log_level level, const std::string& text) {
        if (verbose || level == log_level::warning || level == log_level::error)
            std::cerr << "cldsp: " << text << "\n";
    };
}

context_options registry_options(const std::string& profile, bool verbose)
{
    device_limits().lowered(profile); // throws if the profile is unknown
    context_options options;
    options.profile = profile;
    options.log = stderr_logger(verbose);
    return options;
}

std::string quantity_text(double value, const std::string& unit)
{
    struct prefix {
        double factor;
        const char* name;
    };
    static const std::vector<prefix> prefixes = {
        { 1e12, "T" }, { 1e9, "G" },  { 1e6, "M" },  { 1e3, "k" },
        { 1, "" },     { 1e-3, "m" }, { 1e-6, "u" }, { 1e-9, "n" },
    };
    for (const auto& p : prefixes)
        if (value >= p.factor)
            return bench::number(value / p.factor) + " " + p.name + unit;
    return "0 " + unit;
}

std::string bytes_text(double bytes)
{
    constexpr double step = 1024;
    const char* unit = "B";
    for (const char* larger : { "KiB", "MiB", "GiB", "TiB" }) {
        if (bytes < step)
            break;
        bytes /= step;
        unit = larger;
    }
    return bench::number(bytes) + " " + unit;
}

} // namespace cldsp::app
