// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Escapes control characters, and repairs texts that are not valid UTF-8.

#include "output.h"

#include <cldsp/device_limits.h>

#include "common/text.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace cldsp::app {

void print_json(const nlohmann::ordered_json& value)
{
    std::cout << value.dump(
                     2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << "\n";
}

logger stderr_logger(log_level least)
{
    return [least](log_level level, const std::string& text) {
        if (level >= least)
            std::cerr << "cldsp: " + text + "\n";
    };
}

log_level least_level(bool verbose, log_level usual)
{
    return verbose ? log_level::debug : usual;
}

std::string lowering_profiles()
{
    std::string text;
    const auto names = device_limits::profiles();
    for (std::size_t i = 1; i < names.size(); i++) // the first lowers nothing
        text += (i == 1 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
}

context_options registry_options(const std::string& profile, log_level least)
{
    device_limits().lowered(profile); // throws if the profile is unknown
    context_options options;
    options.profile = profile;
    options.log = stderr_logger(least);
    return options;
}

std::string first_line(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

std::string printable(const std::string& text)
{
    constexpr const char* digits = "0123456789abcdef";
    std::string all;
    for (std::size_t i = 0; i < text.size(); i++) {
        const auto c = static_cast<unsigned char>(text[i]);
        // In UTF-8 the characters 128 to 159 are control characters, too.
        const auto next =
            i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
        const bool is_long = c == 0xc2 && next >= 0x80 && next < 0xa0;
        if (!is_long && (c >= ' ' || c == '\n' || c == '\t') && c != 127) {
            all += text[i];
            continue;
        }
        const unsigned value = is_long ? next : c;
        all += std::string("\\x") + digits[value >> 4] + digits[value & 15];
        i += is_long ? 1 : 0;
    }
    return all;
}

printable_errors::printable_errors() : d_errors(std::cerr.rdbuf(this)) {}

printable_errors::~printable_errors() { std::cerr.rdbuf(d_errors); }

int printable_errors::overflow(int c)
{
    if (c == traits_type::eof())
        return 0;
    const char text = static_cast<char>(c);
    return xsputn(&text, 1) == 1 ? c : traits_type::eof();
}

std::streamsize printable_errors::xsputn(const char* text, std::streamsize count)
{
    const auto all = printable(std::string(text, static_cast<std::size_t>(count)));
    const auto size = static_cast<std::streamsize>(all.size());
    return d_errors->sputn(all.data(), size) == size ? count : 0;
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
