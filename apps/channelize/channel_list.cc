// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads channels, and lists of them in JSON or CSV.

#include "channelize/channel_list.h"

#include "channelize/quantity.h"
#include "channelize/utf8.h"

#include <cldsp/errors.h>

#include "storage/json_depth.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace cldsp::app {

namespace {

using nlohmann::json;

constexpr std::uintmax_t max_file_bytes = std::uintmax_t(64) << 20;
constexpr std::size_t max_name = 200; // a file system has 255 bytes with the ending

std::string trimmed(const std::string& text)
{
    const char* blanks = " \t\r\n";
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string::npos)
        return "";
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

double parse_decibels(const std::string& text)
{
    std::size_t end = 0;
    double value = 0;
    try {
        value = std::stod(text, &end);
    } catch (const std::exception&) {
    }
    if (end == 0 || end != text.size() || !std::isfinite(value))
        throw_invalid("stopband", "'" + text + "'", "a number of dB");
    return value;
}

//! Sets one of the properties of a channel, which has not been set yet.
void set(channel_wish& channel, const std::string& key, const std::string& value)
{
    if (key == "frequency")
        channel.frequency = parse_hertz(value, "frequency");
    else if (key == "rate")
        channel.rate = parse_hertz(value, "rate");
    else if (key == "bandwidth" || key == "bw")
        channel.bandwidth = parse_hertz(value, "bandwidth");
    else if (key == "stopband")
        channel.stopband = parse_decibels(value);
    else if (key == "name")
        channel.name = value;
    else
        throw_invalid("channel",
                      "'" + key + "'",
                      "frequency, rate, bandwidth (bw), stopband or name");
}

//! Says where the error was.
template <class F>
void located(const std::string& where, const F& action)
{
    try {
        action();
    } catch (const std::invalid_argument& e) {
        throw std::invalid_argument(where + ": " + e.what());
    }
}

//! Collects the properties of a channel, and checks that the needed ones are there.
class channel_reader
{
public:
    void set(const std::string& key, const std::string& value)
    {
        const std::string full = key == "bw" ? "bandwidth" : key;
        app::set(d_channel, full, value);
        if (!d_seen.insert(full).second)
            throw std::invalid_argument("'" + full + "' is given twice");
    }
    //! \param advice what the error says of how a channel is written
    channel_wish channel(const std::string& advice = "") const
    {
        for (const char* needed : { "frequency", "rate" })
            if (!d_seen.count(needed))
                throw std::invalid_argument(std::string("there is no ") + needed +
                                            advice);
        return d_channel;
    }

private:
    channel_wish d_channel;
    std::set<std::string> d_seen;
};

//! The cells of a line of CSV; quotes may enclose a cell, and double inside it.
std::vector<std::string> cells_of(const std::string& line)
{
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); i++) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
            cells.back() += line[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            cells.emplace_back();
        else
            cells.back() += c;
    }
    if (quoted)
        throw std::invalid_argument("a quotation mark is not closed");
    for (auto& cell : cells)
        cell = trimmed(cell);
    return cells;
}

bool is_number(const std::string& text)
{
    try {
        parse_hertz(text, "frequency");
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

std::vector<channel_wish> parse_csv(const std::string& text, const std::string& file)
{
    std::vector<channel_wish> channels;
    std::vector<std::string> columns;
    std::istringstream in(text);
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); number++) {
        line = trimmed(line);
        if (line.empty() || line[0] == '#')
            continue;
        located("'" + file + "', line " + std::to_string(number), [&] {
            const auto cells = cells_of(line);
            if (columns.empty()) {
                columns = { "frequency", "rate", "bandwidth", "name" };
                if (!is_number(cells.front())) {
                    columns = cells;
                    channel_wish any;
                    for (const auto& column : columns)
                        set(any, column, column == "name" ? "any" : "1");
                    return;
                }
            }
            if (cells.size() > columns.size())
                throw std::invalid_argument(std::to_string(cells.size()) +
                                            " cells, but only " +
                                            std::to_string(columns.size()) + " columns");
            channel_reader reader;
            for (std::size_t i = 0; i < cells.size(); i++)
                if (!cells[i].empty())
                    reader.set(columns[i], cells[i]);
            channels.push_back(reader.channel());
        });
    }
    return channels;
}

//! A value of JSON as it would be on the command line.
std::string text_of(const json& value)
{
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_number())
        return value.dump();
    throw std::invalid_argument("a value is neither a number nor a text: " +
                                value.dump().substr(0, 40));
}

std::vector<channel_wish> parse_json(const std::string& text, const std::string& file)
{
    constexpr std::size_t max_depth = 20;
    if (is_nested_deeper(text, max_depth))
        throw std::invalid_argument("'" + file + "' is nested too deeply");
    json all;
    try {
        all = json::parse(text);
    } catch (const json::exception& e) {
        throw std::invalid_argument("'" + file + "' is no JSON: " + e.what());
    }
    if (all.is_object() && all.contains("channels")) {
        const json inner = all["channels"];
        all = inner;
    }
    if (!all.is_array())
        throw std::invalid_argument("'" + file + "' has no list of channels");
    std::vector<channel_wish> channels;
    for (std::size_t i = 0; i < all.size(); i++)
        located("'" + file + "', channel " + std::to_string(i + 1), [&] {
            if (!all[i].is_object())
                throw std::invalid_argument("is no object");
            channel_reader reader;
            for (const auto& [key, value] : all[i].items())
                if (!value.is_null())
                    reader.set(key, text_of(value));
            channels.push_back(reader.channel());
        });
    return channels;
}

//! A terminal reads U+0080 to U+009F as codes too, and some read the bytes 0x80 to 0x9f.
bool is_control(char32_t code) { return code < ' ' || (code >= 127 && code < 0xa0); }

void check_name(const std::string& name)
{
    bool bad = name.front() == '.' || name.front() == '-' || name.size() > max_name;
    std::string shown;
    for (std::size_t at = 0; at < std::min(name.size(), max_name);) {
        const auto c = character_at(name, at);
        bad = bad || c.code == '/' || is_control(c.code);
        shown += is_control(c.code) ? "?" : name.substr(at, c.size);
        at += c.size;
    }
    if (bad)
        throw_invalid("name",
                      "'" + shown + "'",
                      "a name for a file: at most " + std::to_string(max_name) +
                          " bytes, without / and control characters, and without . or - "
                          "as its first");
}

} // namespace

channel_wish parse_channel(const std::string& text)
{
    channel_wish channel;
    located("channel '" + text + "'", [&] {
        channel_reader reader;
        const auto parts = cells_of(text);
        std::string frequency = "144.5M";
        for (std::size_t i = 0; i < parts.size(); i++) {
            const auto equals = parts[i].find('=');
            if (equals != std::string::npos)
                reader.set(parts[i].substr(0, equals), parts[i].substr(equals + 1));
            else if (i < 2)
                reader.set(i == 0 ? "frequency" : "rate", parts[i]);
            else
                throw_invalid("channel",
                              "'" + parts[i] + "'",
                              "bw=HZ, stopband=DB or name=TEXT after the rate");
            if (i == 0 && equals == std::string::npos)
                frequency = parts[i];
        }
        channel = reader.channel(", but a channel is FREQUENCY,RATE, such as " +
                                 frequency + ",48k");
    });
    return channel;
}

std::vector<channel_wish> read_channels(const std::string& file)
{
    const auto fail = [&](const std::string& why) {
        throw std::runtime_error("'" + file + "' cannot be read: " + why);
    };
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status))
        fail("there is no such file");
    if (!std::filesystem::is_regular_file(status))
        fail("it is no regular file");
    if (std::filesystem::file_size(file, error) > max_file_bytes)
        fail("it has more than 64 MiB, too much for a list of channels");
    std::ifstream in(file, std::ios::binary);
    std::ostringstream all;
    if (!in)
        fail(std::strerror(errno));
    all << in.rdbuf();
    std::string text = all.str();
    if (text.compare(0, 3, "\xef\xbb\xbf") == 0) // a mark of UTF-8, as spreadsheets write
        text.erase(0, 3);
    const auto first = text.find_first_not_of(" \t\r\n");
    const bool is_json =
        first != std::string::npos && (text[first] == '[' || text[first] == '{');
    auto channels = is_json ? parse_json(text, file) : parse_csv(text, file);
    if (channels.empty())
        throw std::invalid_argument("'" + file + "' has no channels");
    return channels;
}

void complete_names(std::vector<channel_wish>& channels)
{
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < channels.size(); i++) {
        auto& name = channels[i].name;
        if (name.empty())
            name = "ch" + std::to_string(i + 1);
        check_name(name);
        const auto [place, is_new] = places.emplace(name, i);
        if (!is_new)
            throw_invalid("name",
                          "'" + name + "' of the channels " +
                              std::to_string(place->second + 1) + " and " +
                              std::to_string(i + 1),
                          "another one for each channel");
    }
}

} // namespace cldsp::app
