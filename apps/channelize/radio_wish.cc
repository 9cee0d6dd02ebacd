// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the arguments and the gain of a radio.

#include "channelize/radio_wish.h"

#include <cldsp/errors.h>

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace cldsp::app {

namespace {

constexpr char prefix[] = "soapy:";

std::optional<double> number_of(const std::string& text)
{
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto found = std::from_chars(text.data(), end, value);
    if (found.ec != std::errc() || found.ptr != end || !std::isfinite(value))
        return std::nullopt;
    return value;
}

//! The parts between the commas; an empty part at the end counts.
std::vector<std::string> split(const std::string& text)
{
    std::vector<std::string> parts(1);
    for (const char c : text)
        if (c == ',')
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

} // namespace

gain_wish parse_gain(const std::string& text)
{
    const auto refuse = [&] {
        throw_invalid("--gain",
                      "'" + text + "'",
                      "auto, a number of dB, or NAME=DB for each amplifier, such as "
                      "LNA=20,VGA=10");
    };
    gain_wish gain;
    if (text == "auto") {
        gain.automatic = true;
        return gain;
    }
    gain.total = number_of(text);
    if (gain.total)
        return gain;
    for (const auto& part : split(text)) {
        const auto equals = part.find('=');
        const auto value = equals == std::string::npos
                               ? std::nullopt
                               : number_of(part.substr(equals + 1));
        if (equals == 0 || !value)
            refuse();
        gain.amplifiers.emplace_back(part.substr(0, equals), *value);
    }
    return gain;
}

bool is_radio(const std::string& input) { return input.rfind(prefix, 0) == 0; }

std::string radio_arguments(const std::string& input)
{
    const std::string arguments = input.substr(sizeof prefix - 1);
    if (arguments.empty())
        return arguments;
    for (const auto& part : split(arguments)) {
        const auto equals = part.find('=');
        if (equals == std::string::npos || equals == 0)
            throw_invalid("INPUT",
                          "'" + input + "'",
                          "soapy:KEY=VALUE,KEY=VALUE ... such as soapy:driver=rtlsdr");
    }
    return arguments;
}

} // namespace cldsp::app
