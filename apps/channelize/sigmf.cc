/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "channelize/sigmf.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace cldsp::app {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* meta_ending = ".sigmf-meta";
constexpr const char* data_ending = ".sigmf-data";
constexpr std::uintmax_t max_meta_bytes = std::uintmax_t(64) << 20;
// Deeper metadata would overflow the stack when their JSON is freed.
constexpr int max_depth = 100;

bool ends_with(const std::string& text, const std::string& ending)
{
    return text.size() > ending.size() &&
           text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

[[noreturn]] void fail(const std::string& file, const std::string& why)
{
    throw std::runtime_error("'" + file + "' " + why);
}

json read_json(const std::string& file)
{
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status))
        fail(file, "does not exist");
    if (!std::filesystem::is_regular_file(status))
        fail(file, "is no regular file");
    if (std::filesystem::file_size(file, error) > max_meta_bytes)
        fail(file, "has more than 64 MiB, too much for metadata");
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    if (!in || !(text << in.rdbuf()))
        fail(file, "cannot be read");
    const json::parser_callback_t shallow = [&](int depth, json::parse_event_t, json&) {
        if (depth > max_depth)
            fail(file, "is nested too deeply");
        return true;
    };
    try {
        return json::parse(text.str(), shallow);
    } catch (const json::exception& e) {
        fail(file, std::string("is no JSON: ") + e.what());
    }
}

//! A value of one of the objects of SigMF, each read with a check of its type.
class object
{
public:
    object(const std::string& file, const std::string& name, const json& value)
        : d_file(file), d_name(name), d_value(value)
    {
        if (!value.is_object())
            fail(d_file, "has no object '" + name + "'");
    }
    std::optional<double> number(const std::string& key) const
    {
        const auto at = d_value.find(key);
        if (at == d_value.end())
            return std::nullopt;
        if (!at->is_number() || !std::isfinite(at->get<double>()))
            fail(d_file, "has a '" + key + "' that is no number");
        return at->get<double>();
    }
    std::uint64_t count(const std::string& key) const
    {
        const double value = number(key).value_or(0);
        if (value < 0 || value > 1e18 || value != std::floor(value))
            fail(d_file, "has a '" + key + "' that is no count");
        return static_cast<std::uint64_t>(value);
    }
    std::string text(const std::string& key) const
    {
        const auto at = d_value.find(key);
        if (at == d_value.end())
            return "";
        if (!at->is_string())
            fail(d_file, "has a '" + key + "' that is no text");
        return at->get<std::string>();
    }

private:
    std::string d_file, d_name;
    const json& d_value;
};

//! Reads the captures, and keeps the values that hold for the whole recording.
void read_captures(const std::string& file, const json& list, recording& head)
{
    if (!list.is_array())
        fail(file, "has captures that are no list");
    bool first = true;
    for (const auto& item : list) {
        const object capture(file, "captures", item);
        const auto frequency = capture.number("core:frequency");
        if (first) {
            head.center = frequency;
            head.datetime = capture.text("core:datetime");
            head.begin = capture.count("core:header_bytes");
        } else if (frequency != head.center) {
            fail(file,
                 "has captures of different core:frequency; only one frequency is "
                 "supported");
        } else if (capture.count("core:header_bytes")) {
            fail(file,
                 "has core:header_bytes between its samples, which is not supported");
        }
        first = false;
    }
}

} // namespace

bool is_sigmf(const std::string& file)
{
    return ends_with(file, meta_ending) || ends_with(file, data_ending);
}

std::string sigmf_meta_file(const std::string& file)
{
    return file.substr(0, file.size() - std::string(meta_ending).size()) + meta_ending;
}

sigmf_recording read_sigmf(const std::string& file)
{
    const std::string base =
        file.substr(0, file.size() - std::string(meta_ending).size());
    const std::string meta_file = sigmf_meta_file(file);
    const json all = read_json(meta_file);
    const object top(meta_file, "SigMF", all);
    static const json none;
    const object global(
        meta_file, "global", all.contains("global") ? all["global"] : none);

    sigmf_recording found;
    const std::string datatype = global.text("core:datatype");
    if (datatype.empty())
        fail(meta_file, "has no core:datatype");
    try {
        found.head.format = sample_format::of_name(datatype, "core:datatype");
    } catch (const std::invalid_argument& e) {
        fail(meta_file, std::string("is not supported: ") + e.what());
    }
    found.head.rate = global.number("core:sample_rate");
    if (found.head.rate && *found.head.rate <= 0)
        fail(meta_file, "has a core:sample_rate that is not above 0");
    if (global.number("core:num_channels").value_or(1) != 1)
        fail(meta_file, "has more than one channel of samples, which is not supported");
    if (all.contains("captures"))
        read_captures(meta_file, all["captures"], found.head);

    const std::string dataset = global.text("core:dataset");
    found.data_file =
        dataset.empty()
            ? base + data_ending
            : (std::filesystem::path(meta_file).parent_path() / dataset).string();
    std::error_code error;
    const auto size = std::filesystem::file_size(found.data_file, error);
    if (error)
        fail(found.data_file, "cannot be read: " + error.message());
    const std::uint64_t around = found.head.begin + global.count("core:trailing_bytes");
    if (size < around + found.head.format.item_bytes())
        fail(found.data_file,
             "has " + std::to_string(size) + " bytes, which is less than one sample of " +
                 datatype + (around ? " and its core:header_bytes" : ""));
    found.head.bytes = size - around;
    return found;
}

std::string sigmf_meta(const sigmf_description& of)
{
    ordered_json capture = { { "core:sample_start", 0 },
                             { "core:frequency", of.frequency } };
    if (!of.datetime.empty())
        capture["core:datetime"] = of.datetime;
    const ordered_json meta = { { "global",
                                  { { "core:datatype", of.datatype },
                                    { "core:sample_rate", of.rate },
                                    { "core:version", "1.0.0" },
                                    { "core:description", of.text },
                                    { "core:recorder", "gr-cldsp" } } },
                                { "captures", ordered_json::array({ capture }) },
                                { "annotations", ordered_json::array() } };
    return meta.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

namespace {

//! \param begin in seconds since 1970
std::string time_text(std::time_t begin, std::int64_t nanoseconds)
{
    constexpr std::int64_t second = 1000000000;
    std::int64_t rest = nanoseconds % second;
    rest += rest < 0 ? second : 0;
    const std::time_t time = begin + (nanoseconds - rest) / second;
    std::tm parts = {};
    gmtime_r(&time, &parts);
    char text[32], all[48];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    std::snprintf(all, sizeof all, "%s.%09lldZ", text, static_cast<long long>(rest));
    return all;
}

} // namespace

std::string later_datetime(const std::string& datetime, double seconds)
{
    static const std::regex form(
        R"((\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,15})?Z)");
    std::smatch found;
    if (!std::regex_match(datetime, found, form))
        return "";
    std::tm parts = {};
    parts.tm_year = std::stoi(found[1]) - 1900;
    parts.tm_mon = std::stoi(found[2]) - 1;
    parts.tm_mday = std::stoi(found[3]);
    parts.tm_hour = std::stoi(found[4]);
    parts.tm_min = std::stoi(found[5]);
    parts.tm_sec = std::stoi(found[6]);
    const double fraction =
        (found[7].matched ? std::stod("0" + found[7].str()) : 0) + seconds;
    constexpr double nano = 1e9;
    const auto nanoseconds = static_cast<std::int64_t>(std::llround(fraction * nano));
    return time_text(timegm(&parts), nanoseconds);
}

std::string datetime_of(std::int64_t nanoseconds) { return time_text(0, nanoseconds); }

} // namespace cldsp::app
