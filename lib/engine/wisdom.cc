/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "wisdom.h"

#include <cldsp/locked_file.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

namespace cldsp {

using nlohmann::json;

namespace {

std::int64_t seconds_since_1970()
{
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::string dump(const json& value, int indent)
{
    // A device's name may be no UTF-8.
    return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

//! Drops the oldest of what is too many.
template <class Answers>
void trim(Answers& answers, std::size_t most)
{
    if (answers.size() <= most)
        return;
    std::vector<std::pair<std::int64_t, std::string>> ages;
    for (const auto& [key, answer] : answers)
        ages.emplace_back(answer.time, key);
    std::sort(ages.begin(), ages.end());
    ages.resize(answers.size() - most);
    for (const auto& [time, key] : ages)
        answers.erase(key);
}

} // namespace

wisdom::wisdom(const std::string& folder, logger log)
    : d_path(folder.empty() ? "" : folder + "/wisdom.json"), d_log(std::move(log))
{
}

std::string wisdom::find(const std::string& kind, const std::string& key)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    // What is missing here another process may have written by now; reading the file is
    // nothing beside the measurement that it can save.
    if (!known(kind, key) && !d_path.empty())
        take(usable(read_locked(d_path)));
    const auto* found = known(kind, key);
    return found ? found->text : "";
}

void wisdom::store(const std::string& kind,
                   const std::string& key,
                   const std::string& text)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    const answer fresh{ text, seconds_since_1970() };
    update([&](content& all) { all[kind][key] = fresh; });
}

void wisdom::forget(const std::string& kind, const std::string& key)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    update([&](content& all) { all[kind].erase(key); });
}

const wisdom::answer* wisdom::known(const std::string& kind, const std::string& key) const
{
    const auto answers = d_content.find(kind);
    if (answers == d_content.end())
        return nullptr;
    const auto found = answers->second.find(key);
    return found == answers->second.end() ? nullptr : &found->second;
}

//! Adds what a file holds; of two answers to one key the younger stays.
void wisdom::take(content fresh)
{
    for (auto& [kind, answers] : fresh)
        for (auto& [key, answer] : answers) {
            auto& mine = d_content[kind][key];
            if (mine.text.empty() || mine.time < answer.time)
                mine = std::move(answer);
        }
}

//! Applies a change to the memory and to what the file holds by now.
template <class Change>
void wisdom::update(const Change& change)
{
    change(d_content);
    for (auto& [kind, answers] : d_content)
        trim(answers, most_answers);
    if (d_path.empty())
        return;
    try {
        update_locked(d_path, [&](const std::optional<std::string>& bytes) {
            content all = usable(bytes);
            change(all);
            for (auto& [kind, answers] : all)
                trim(answers, most_answers);
            return print(all);
        });
    } catch (const std::exception& e) {
        if (!std::exchange(d_failure_told, true))
            log_to(d_log,
                   log_level::warning,
                   std::string("measurements are not kept for the next time: ") +
                       e.what());
    }
}

//! What a file's bytes hold; nothing, with a warning, if they cannot be used.
wisdom::content wisdom::usable(const std::optional<std::string>& bytes)
{
    if (!bytes)
        return {};
    std::string reason;
    if (auto all = parse(*bytes, reason))
        return std::move(*all);
    if (!std::exchange(d_damage_told, true))
        log_to(d_log,
               log_level::warning,
               d_path + " is passed over and will be written anew: " + reason);
    return {};
}

std::optional<wisdom::content> wisdom::parse(const std::string& bytes,
                                             std::string& reason)
{
    const json file = json::parse(bytes, nullptr, false);
    if (!file.is_object()) {
        reason = "it is damaged";
        return std::nullopt;
    }
    const auto version = file.find("format");
    if (version == file.end() || !version->is_number_integer() || *version != format) {
        reason = "its format is not " + std::to_string(format);
        return std::nullopt;
    }
    content all;
    for (const auto& [kind, answers] : file.items()) {
        if (!answers.is_object())
            continue;
        for (const auto& [key, entry] : answers.items()) {
            if (!entry.is_object())
                continue;
            const auto text = entry.find("answer");
            const auto time = entry.find("time");
            if (text == entry.end() || time == entry.end() || !time->is_number_integer())
                continue;
            all[kind][key] = { text->is_string() ? text->get<std::string>()
                                                 : dump(*text, -1),
                               time->get<std::int64_t>() };
        }
    }
    return all;
}

std::string wisdom::print(const content& all)
{
    json file = json::object();
    file["format"] = format;
    for (const auto& [kind, answers] : all) {
        json& entries = file[kind] = json::object();
        for (const auto& [key, answer] : answers) {
            json value = json::parse(answer.text, nullptr, false);
            if (!value.is_object())
                value = answer.text;
            entries[key] = { { "answer", std::move(value) }, { "time", answer.time } };
        }
    }
    return dump(file, 1) + "\n";
}

} // namespace cldsp
