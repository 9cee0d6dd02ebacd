// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads that chunk as XML or in its binary form.

#include "channelize/auxi.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace cldsp::app {

namespace {

using chunk_bytes = std::vector<unsigned char>;

//! The characters of a text of two bytes each, of which those beyond ASCII do not matter.
std::string narrow(const chunk_bytes& wide, std::size_t low, std::size_t high)
{
    std::string text;
    for (std::size_t i = 0; i + 1 < wide.size(); i += 2)
        text += wide[i + high] == 0 ? static_cast<char>(wide[i + low]) : '?';
    return text;
}

//! The text of the chunk; empty if it is no text.
std::string auxi_text(const chunk_bytes& chunk)
{
    const auto begins = [&](const std::vector<int>& with) {
        return chunk.size() > with.size() &&
               std::equal(with.begin(), with.end(), chunk.begin());
    };
    if (begins({ '<', 0 }) || begins({ 0xff, 0xfe, '<', 0 }))
        return narrow(chunk, 0, 1);
    if (begins({ 0, '<' }) || begins({ 0xfe, 0xff, 0, '<' }))
        return narrow(chunk, 1, 0);
    if (begins({ '<' }) || begins({ 0xef, 0xbb, 0xbf, '<' }))
        return { chunk.begin(), chunk.end() };
    return "";
}

//! The value of the first attribute of this name, whatever its element; empty if there is
//! none.
std::string xml_attribute(const std::string& xml, const std::string& name)
{
    const char* blanks = " \t\r\n";
    for (auto at = xml.find(name); at != std::string::npos; at = xml.find(name, at + 1)) {
        const bool begins = at > 0 && std::string(blanks).find(xml[at - 1]) != xml.npos;
        const auto equals = xml.find_first_not_of(blanks, at + name.size());
        if (!begins || equals == xml.npos || xml[equals] != '=')
            continue;
        const auto quote = xml.find_first_not_of(blanks, equals + 1);
        if (quote == xml.npos || (xml[quote] != '"' && xml[quote] != '\''))
            continue;
        const auto end = xml.find(xml[quote], quote + 1);
        if (end != xml.npos)
            return xml.substr(quote + 1, end - quote - 1);
    }
    return "";
}

//! A number that is all of a text, above 0 and below \p most.
std::optional<double> auxi_number(const std::string& text, double most)
{
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != 0 || !(value > 0 && value < most))
        return std::nullopt;
    return value;
}

//! A time such as "31-01-2026 12:00:00".
std::optional<parsed_datetime> day_first(const std::string& text)
{
    constexpr std::size_t date = 10;
    if (text.size() <= date || text[2] != '-' || text[5] != '-')
        return std::nullopt;
    auto found = parse_datetime(text.substr(6, 4) + text.substr(2, 4) +
                                text.substr(0, 2) + text.substr(date));
    if (found)
        found->has_zone = true; // the attribute's name says that it is UTC
    return found;
}

auxi_content read_auxi_xml(const std::string& xml)
{
    constexpr double max_hertz = 1e13, max_seconds = 2.5e11; // the year 9892
    auxi_content found;
    found.center = auxi_number(xml_attribute(xml, "RadioCenterFreq"), max_hertz);
    if (const auto seconds = auxi_number(xml_attribute(xml, "UTCSeconds"), max_seconds))
        if (const auto begin = later({}, *seconds))
            found.begin = parsed_datetime{ *begin, true };
    if (!found.begin)
        found.begin = day_first(xml_attribute(xml, "CurrentTimeUTC"));
    found.is_known = found.center || found.begin;
    return found;
}

std::uint32_t auxi_number_at(const chunk_bytes& chunk, std::size_t at, std::size_t bytes)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; i++)
        value |= std::uint32_t(chunk[at + i]) << (8 * i);
    return value;
}

auxi_content read_auxi_binary(const chunk_bytes& chunk)
{
    constexpr std::size_t frequency_at = 32, least = 36;
    constexpr int first_year = 1970;
    auxi_content found;
    if (chunk.size() < least)
        return found;
    // The year, the month, the day of the week, the day, and the time down to
    // milliseconds.
    std::array<int, 8> field = {};
    for (std::size_t i = 0; i < field.size(); i++)
        field[i] = static_cast<int>(auxi_number_at(chunk, 2 * i, 2));
    const bool has_time =
        std::any_of(field.begin(), field.end(), [](int value) { return value != 0; });
    if (has_time) {
        constexpr int max_milliseconds = 999, nanoseconds = 1000000;
        const auto begin = utc_of({ field[0],
                                    field[1],
                                    field[3],
                                    field[4],
                                    field[5],
                                    field[6],
                                    std::min(field[7], max_milliseconds) * nanoseconds });
        // Other contents than this form have no such time.
        if (!begin || field[0] < first_year || field[7] > max_milliseconds)
            return found;
        found.begin = parsed_datetime{ *begin, false };
    }
    found.is_known = true;
    if (const auto hertz = auxi_number_at(chunk, frequency_at, 4))
        found.center = static_cast<double>(hertz);
    return found;
}

} // namespace

auxi_content read_auxi(const chunk_bytes& chunk)
{
    const std::string text = auxi_text(chunk);
    return text.empty() ? read_auxi_binary(chunk) : read_auxi_xml(text);
}

} // namespace cldsp::app
