/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "storage/wisdom_file.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <utility>

namespace cldsp {

using nlohmann::json;

namespace {

std::string dump(const json& value, int indent)
{
    // A device's name may be no UTF-8.
    return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

wisdom_file unusable(const std::string& fault, bool newer = false)
{
    wisdom_file file;
    file.fault = fault;
    file.newer = newer;
    return file;
}

} // namespace

bool is_too_deep(const std::string& text)
{
    std::size_t depth = 0;
    bool in_string = false, escaped = false;
    for (const char c : text) {
        if (in_string) {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > wisdom::max_depth)
                return true;
        } else if ((c == ']' || c == '}') && depth-- == 0) {
            return false; // no JSON: the parser stops here
        }
    }
    return false;
}

wisdom_file parse_wisdom(const std::string& bytes)
{
    if (is_too_deep(bytes))
        return unusable("it is nested more than " + std::to_string(wisdom::max_depth) +
                        " levels deep");
    const json parsed = json::parse(bytes, nullptr, false);
    if (!parsed.is_object())
        return unusable("it is damaged");
    const auto version = parsed.find("format");
    if (version == parsed.end() || !version->is_number_integer())
        return unusable("it has no format");
    if (*version != wisdom::format)
        return unusable("its format is " + version->dump() + ", and this version reads " +
                            std::to_string(wisdom::format),
                        *version > wisdom::format);
    wisdom_file file;
    for (const auto& [kind, answers] : parsed.items()) {
        if (!answers.is_object())
            continue;
        for (const auto& [key, entry] : answers.items()) {
            if (!entry.is_object())
                continue;
            const auto text = entry.find("answer");
            const auto time = entry.find("time");
            if (text == entry.end() || time == entry.end() || !time->is_number_integer())
                continue;
            auto answer = text->is_string() ? text->get<std::string>() : dump(*text, -1);
            if (answer.size() > wisdom::max_answer_bytes || is_too_deep(answer))
                continue;
            file.content[kind][key] = { std::move(answer), time->get<std::int64_t>() };
        }
    }
    return file;
}

std::string print_wisdom(const wisdom::content& all)
{
    json file = json::object();
    file["format"] = wisdom::format;
    for (const auto& [kind, answers] : all) {
        json& entries = file[kind] = json::object();
        for (const auto& [key, answer] : answers) {
            json value;
            if (!is_too_deep(answer.text))
                value = json::parse(answer.text, nullptr, false);
            if (!value.is_object())
                value = answer.text;
            entries[key] = { { "answer", std::move(value) }, { "time", answer.time } };
        }
    }
    return dump(file, 1) + "\n";
}

} // namespace cldsp
