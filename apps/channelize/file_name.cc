// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads rates, frequencies and times out of the words of a name.

#include "channelize/file_name.h"

#include "channelize/datetime.h"
#include "channelize/sample_format.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <vector>

namespace cldsp::app {

namespace {

using name_words = std::vector<std::string>;

std::string lower_case(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

bool is_digits(const std::string& text, std::size_t count = 0)
{
    return !text.empty() && (count == 0 || text.size() == count) &&
           std::all_of(
               text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

//! The number before a unit in small letters; empty if this is no such word. A value of 0
//! means that a program did not know it.
std::optional<double> word_quantity(const std::string& word, const std::string& unit)
{
    constexpr std::size_t most_digits = 20;
    if (word.size() <= unit.size() || word.size() > most_digits + unit.size() ||
        lower_case(word.substr(word.size() - unit.size())) != unit)
        return std::nullopt;
    const std::string number = word.substr(0, word.size() - unit.size());
    const auto point = number.find('.');
    if (!is_digits(number.substr(0, point)) ||
        (point != number.npos && !is_digits(number.substr(point + 1))))
        return std::nullopt;
    const double value = std::strtod(number.c_str(), nullptr);
    return value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<double> hertz_of_word(const std::string& word)
{
    if (const auto value = word_quantity(word, "khz"))
        return *value * 1e3;
    if (const auto value = word_quantity(word, "mhz"))
        return *value * 1e6;
    return word_quantity(word, "hz");
}

//! The time of the words 20260131 and 120000 or 120000Z; empty if they are none.
std::string words_datetime(const std::string& day, const std::string& clock)
{
    const bool has_zone = clock.size() == 7 && lower_case(clock).back() == 'z';
    const std::string digits = clock.substr(0, clock.size() - (has_zone ? 1 : 0));
    if (!is_digits(day, 8) || !is_digits(digits, 6))
        return "";
    const auto found = parse_datetime(day.substr(0, 4) + "-" + day.substr(4, 2) + "-" +
                                      day.substr(6) + "T" + digits.substr(0, 2) + ":" +
                                      digits.substr(2, 2) + ":" + digits.substr(4) + "Z");
    return found ? short_datetime_text(found->time) : "";
}

bool has_audio(const name_words& name)
{
    return std::any_of(name.begin(), name.end(), [](const auto& word) {
        return lower_case(word) == "af";
    });
}

//! The names that consist of a program, a time and a frequency, from word \p i on.
named_recording named_by_program(const name_words& name, std::size_t i)
{
    named_recording found;
    const std::string program = lower_case(name[i]);
    const auto word = [&](std::size_t after) {
        return i + after < name.size() ? name[i + after] : "";
    };
    if (program == "gqrx") {
        const std::string datetime = words_datetime(word(1), word(2));
        const auto center = word_quantity(word(3), ""), rate = word_quantity(word(4), "");
        if (!datetime.empty() && rate && word(5) == "fc")
            found = { "gqrx", rate, center, datetime, "cf32" };
    } else if (program == "sdrconnect") {
        if (lower_case(word(1)) == "iq" && !words_datetime(word(2), word(3)).empty())
            found = { "SDRconnect", {}, hertz_of_word(word(4)), "", "" };
    } else if (program == "baseband") {
        if (!word(2).empty() &&
            word(2).find_first_not_of("0123456789-") == std::string::npos)
            found = { "SDR++", {}, hertz_of_word(word(1)), "", "" };
    } else {
        const std::string datetime = words_datetime(word(1), word(2));
        const bool is_utc = !datetime.empty() && !is_digits(word(2));
        for (const std::string known : { "SDRSharp", "HDSDR", "SDRuno" })
            if (program == lower_case(known) && !datetime.empty())
                found = { known == "SDRSharp" ? "SDR#" : known,
                          {},
                          hertz_of_word(word(3)),
                          is_utc ? datetime : "",
                          "" };
    }
    if (!found.center && !found.rate)
        return {};
    return found;
}

//! The names of raw samples of rtl_433, with a frequency and a rate in any order.
named_recording named_by_units(const name_words& name, const std::string& ending)
{
    const auto& types = all_sample_types();
    const bool is_raw = std::any_of(types.begin(), types.end(), [&](sample_type type) {
        return is_complex(type) && lower_case(ending) == file_ending(type);
    });
    named_recording found;
    if (!is_raw)
        return found;
    for (const auto& word : name) {
        const char unit = word.empty() ? '\0' : word.back();
        if (const auto value = word_quantity(word, "m"); value && unit == 'M')
            found.center = *value * 1e6;
        if (const auto value = word_quantity(word, "k"); value && unit == 'k')
            found.rate = *value * 1e3;
    }
    if (!found.center || !found.rate)
        return {};
    found.program = "rtl_433";
    return found;
}

} // namespace

named_recording read_file_name(const std::string& file)
{
    const std::string base = file.substr(file.rfind('/') + 1);
    const auto dot = std::min(base.rfind('.'), base.size());
    const std::string ending = dot < base.size() ? base.substr(dot + 1) : "";
    name_words name(1);
    for (const char c : base.substr(0, dot))
        if (c == '_' || c == ' ')
            name.emplace_back();
        else
            name.back() += c;
    if (has_audio(name))
        return {};
    for (std::size_t i = 0; i < name.size(); i++) {
        const auto found = named_by_program(name, i);
        if (!found.program.empty())
            return found;
    }
    return named_by_units(name, ending);
}

} // namespace cldsp::app
